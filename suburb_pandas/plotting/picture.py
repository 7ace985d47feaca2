"""Draws the chart that suits a loaded frame, whatever the number of its suburbs, as a PNG on the colour of a page.

The charts themselves are left to rents and impacts. Neither pyplot nor ``matplotlib.rcParams`` is changed.
Rejected: the style sheet ``dark_background`` in ``matplotlib.rc_context``. It would affect all threads, including a
figure that a cell draws at the same time. Instead the figure has the colour of the page, and each chart chooses colours
that can be read on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final, cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from suburb_pandas.frames.schema import PROPERTY_TYPES, is_of_drivers
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.plotting import impacts
from suburb_pandas.plotting.composition.colours import COLOURS
from suburb_pandas.plotting.composition.style_sheet import chosen
from suburb_pandas.plotting.figure import Target
from suburb_pandas.plotting.notes import suburbs_in
from suburb_pandas.plotting.rents import chart
from suburb_pandas.plotting.rents.multiples import MOST_MULTIPLES

_DPI: Final = 150
_NARROW: Final = 4.2  # inches, for a page of some 300 pixels
_LOWER: Final = 0.75  # the height of a narrow picture, as a share of that of a wide one
_MOST_LEVEL: Final = 255  # of red, green or blue
_HEX: Final = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)
_NUMBER: Final = r"(\d{1,3}(?:\.\d{1,9})?)"
_RGB: Final = re.compile(rf"rgba?\(\s*{_NUMBER}[\s,]+{_NUMBER}[\s,]+{_NUMBER}\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)")


def picture_of(
    frame: pd.DataFrame, background: str | None = None, *, is_narrow: bool = False
) -> tuple[bytes | None, str]:
    """Return the chart of a loaded frame as a PNG (None if there is none), and a sentence on the data it leaves out.

    Rents of up to eight suburbs share panels; those of up to 48 have a small panel each, for one property type. Drivers
    of up to eight suburbs are bars, those of up to 60 a heatmap. ``background`` is the colour of the page as a browser
    reports it; any other value is ignored. For a narrow page the picture has a smaller width.
    """
    is_series = endpoint_of(frame).shape == "series"
    number, most = len(suburbs_in(frame)), MOST_MULTIPLES if is_series else impacts.MOST_SUBURBS
    if not is_series and not is_of_drivers(frame):
        return None, "There is no chart for this kind of data."
    if number > most:
        return None, f"A chart shows up to {most} suburbs, and these are {number}. Choose fewer to see a chart."
    target = _page(background, is_narrow=is_narrow)
    if not is_series:
        draw = impacts.draw_bars if number <= len(COLOURS) else impacts.draw_heatmap
        return _png(frame, Target(figsize=(_NARROW, 0) if is_narrow else None, make=target), draw), ""
    if number <= len(COLOURS):
        return _png(frame, target, chart.draw), ""
    drawn, *others = _types_with_values(frame)
    left_out = f"With more than {len(COLOURS)} suburbs, the chart shows {drawn}s only." if others else ""
    return _png(frame, target, chart.draw, property_type=drawn), left_out


def _types_with_values(frame: pd.DataFrame) -> list[str]:
    """Return the property types that have values; the first type if none has."""
    return [label for label in PROPERTY_TYPES if frame[label].notna().any()] or [PROPERTY_TYPES[0]]


def _png(frame: pd.DataFrame, target: Any, draw: Callable[..., Axes], **options: Any) -> bytes:
    """Draw a chart on a figure that ``target`` makes, and return it as a PNG."""
    picture = BytesIO()
    cast("Figure", draw(frame, target, **options).figure).savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()


def _page(background: str | None, *, is_narrow: bool) -> Callable[..., Figure]:
    """Return a function that makes figures of the colour of a page, unless the user's style sheet sets another one."""
    page = opaque_colour(background)
    has_own = any(chosen(f"{what}.facecolor", None) is not None for what in ("figure", "savefig"))
    colour = None if page is None or has_own else page

    class Page(Figure):
        def add_subplot(self, *args: Any, **options: Any) -> Any:
            return super().add_subplot(*args, **{**({} if colour is None else {"facecolor": colour}), **options})

    def make(figsize: tuple[float, float] | None = None, **options: Any) -> Figure:
        if is_narrow and figsize is not None:
            figsize = (_NARROW, figsize[1] * _LOWER)
        if colour is not None:
            options["facecolor"] = colour
        return Page(figsize=figsize, **options)

    return make


def opaque_colour(css: object) -> str | None:
    """Return a CSS colour, in hex or as ``rgb()``, as ``#rrggbb``; None if it is transparent or not a colour."""
    text = css.strip() if isinstance(css, str) else ""
    if _HEX.fullmatch(text):
        return to_hex(text)
    found = _RGB.fullmatch(text)
    if found is None:
        return None
    red, green, blue = (float(level) / _MOST_LEVEL for level in found.groups())
    return to_hex((red, green, blue)) if max(red, green, blue) <= 1 else None
