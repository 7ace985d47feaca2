"""Defines the result of a load: a heading, the line of code that loads the data again, a chart and a table.

The heading names the data and the suburbs. The result is dimmed while something else is chosen. Drawing the chart is
left to plotting, the table to table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import pandas as pd
from ipywidgets import HTML

from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import captured_warnings, counted
from suburb_pandas.notebook import html
from suburb_pandas.notebook.widgets import VBox
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Namespace

_NAMED: Final = 8
_FIRST: Final = 3
_STALE: Final = "suburb-stale"


class Loaded(NamedTuple):
    """The subject of a load: the service or sandbox that answers, the endpoint, and the suburbs."""

    namespace: Namespace
    endpoint: str
    suburbs: tuple[str, ...]

    def is_like(self, other: Loaded) -> bool:
        """Return True if both are of the same data, whatever the order of the suburbs."""
        return self[:2] == other[:2] and set(self.suburbs) == set(other.suburbs)


class Result(VBox):
    """The result that was loaded last; empty before the first."""

    def __init__(self) -> None:
        self._heading, self._code, self._chart, self._table = panes = [HTML() for _ in range(4)]
        super().__init__(children=panes)
        self.add_class("suburb-result")
        self._frame: pd.DataFrame | None = None
        self._loaded: Loaded | None = None
        self._subject = ""
        self._background, self._is_narrow = "", False

    def show(self, frame: pd.DataFrame, loaded: Loaded, code: str) -> None:
        """Show a frame that was loaded, except for its chart, which takes a moment."""
        from suburb_pandas.notebook.result import table  # noqa: PLC0415 - matplotlib is slow to import

        arrived, asked = frame[AREA_NAME].unique().tolist(), len(loaded.suburbs)
        part = f" ({len(arrived)} of {counted(asked, 'suburb')})" if len(arrived) < asked else ""
        self._frame, self._loaded = frame, loaded
        self._subject = f"{_in_sentence(loaded.endpoint)} of {_named(arrived)}{part}"
        self._table.value = html.scrollable(table.as_html(frame), f"Table of the {self._subject}")
        self._code.value, self._chart.value = html.code(code), ""

    def compare(self, wanted: Loaded) -> None:
        """Dim the result and call it an earlier one in its heading, unless it is the wanted one."""
        if self._loaded is None:
            return
        is_current = self._loaded.is_like(wanted)
        self._heading.value = html.heading(self._subject, is_current=is_current)
        (self.remove_class if is_current else self.add_class)(_STALE)

    def draw(self) -> None:
        """Draw the chart of the frame, or say why there is none."""
        if self._frame is None:
            return
        from suburb_pandas.plotting.picture import picture_of  # noqa: PLC0415 - matplotlib is slow to import

        with captured_warnings():  # the load has warned of dates that cannot be true
            png, why_none, alt = picture_of(self._frame, self._background, is_narrow=self._is_narrow)
        in_words = f"Chart of the {self._subject}. {alt}"
        self._chart.value = html.picture(png, in_words) if png else html.notes([why_none])

    def draw_on(self, background: str, *, is_narrow: bool) -> None:
        """Draw the chart again if the colour of the page, or whether it is narrow, has changed."""
        if (background, is_narrow) != (self._background, self._is_narrow):
            self._background, self._is_narrow = background, is_narrow
            self.draw()


def _named(suburbs: Iterable[str]) -> str:
    """Return the names of suburbs as part of a sentence; for many suburbs, their number and the first names."""
    names = list(suburbs)
    if len(names) > _NAMED:
        return f"{len(names)} suburbs ({', '.join(names[:_FIRST])} and {len(names) - _FIRST} more)"
    return ", ".join(names) or "no suburb"


def _in_sentence(endpoint: str) -> str:
    """Return the title of an endpoint's data as it stands in the middle of a sentence."""
    title = ENDPOINTS[endpoint].title
    return f"{title[0].lower()}{title[1:]}"
