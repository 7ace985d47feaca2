"""Writes the HTML of the data that the suburb picker loaded: heading, line of code, chart and table.

The table is the styled one of plotting.tables, the chart that of plotting.picture. Both are imported only after a load,
because matplotlib is slow to import.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.schema import AREA_NAME, DATE
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import captured_warnings, counted, joined
from suburb_pandas.notebook.offers import COPY

MOST_ROWS: Final = 60
"""The most rows of a table."""

_LAST_DATES: Final = 3
_NAMED: Final = 8
_FIRST: Final = 3


class Look(NamedTuple):
    """The colour of the page, the width of the picker in CSS pixels, and the pixels of the screen in a CSS pixel."""

    background: str = ""
    width: int = 0
    ratio: float = 1.0


def load_of(endpoint: str, names: Iterable[str], client: Client | None) -> tuple[object, ...]:
    """Return the identity of a load: source and base URL of the client, endpoint, and suburbs in any order."""
    return request_context(client).namespace, endpoint, frozenset(names)


def subject_of(frame: pd.DataFrame, asked: Sequence[str]) -> str:
    """Return what a frame holds, as part of a sentence, such as ``rents of Quokka Bay, Woylie``."""
    title, names = endpoint_of(frame).title, frame[AREA_NAME].unique().tolist()
    shown = ", ".join(names) or "no suburb"
    if len(names) > _NAMED:
        shown = f"{len(names)} suburbs ({joined(names, most=_FIRST)})"
    part = f" ({len(names)} of {counted(len(asked), 'suburb')})" if len(names) < len(asked) else ""
    return f"{title[0].lower()}{title[1:]} of {shown}{part}"


def heading_of(subject: str, *, is_current: bool) -> str:
    """Return the heading of a result. It says "Earlier result" if something else is chosen now."""
    title = f"{subject[0].upper()}{subject[1:]}" if is_current else f"Earlier result: {subject}"
    return f'<p class="suburb-heading"><strong>{escape(title)}</strong></p>'


def line_of(code: str, label: str) -> str:
    """Return a line of code with a button that copies it. ``label`` describes the line to screen readers."""
    area = f'<textarea readonly rows="1" aria-label="{label}">{escape(code)}</textarea>'
    return f'<div class="suburb-code">{area}{COPY}</div>'


def table_of(frame: pd.DataFrame, subject: str) -> str:
    """Return a table of the last dates of each suburb, or of the drivers, which scrolls, with the keyboard too."""
    from suburb_pandas.plotting.tables import style  # noqa: PLC0415 - see above

    rows = frame
    if endpoint_of(frame).shape == "series":
        last = _LAST_DATES if frame[AREA_NAME].nunique() * _LAST_DATES <= MOST_ROWS else 1
        rows = frame.groupby(AREA_NAME, observed=True).tail(last).reset_index(names=DATE)
        rows.insert(0, AREA_NAME, rows.pop(AREA_NAME))
    rows = rows.head(MOST_ROWS)
    rows.attrs = frame.attrs
    more = f"<p>The table shows {len(rows):,} of {len(frame):,} rows.</p>" if len(rows) < len(frame) else ""
    what = escape(f"Table of the {subject}")
    return f'<div class="suburb-wide" role="group" tabindex="0" aria-label="{what}">{style(rows).to_html()}</div>{more}'


def chart_of(frame: pd.DataFrame, subject: str, look: Look) -> str:
    """Return the chart of a frame, with its main numbers in words, or the reason why there is none."""
    from suburb_pandas.plotting.picture import picture_of  # noqa: PLC0415 - see above

    with captured_warnings():  # the load has warned of dates that cannot be true
        png, why_none, in_words = picture_of(frame, look.background, width=look.width, ratio=look.ratio)
    if png is None:
        return f"<p>{escape(why_none)}</p>"
    words = escape(f"Chart of the {subject}. {in_words}")
    return f'<img style="max-width: 100%" alt="{words}" src="data:image/png;base64,{b64encode(png).decode()}">'
