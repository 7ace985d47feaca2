"""What the suburb picker shows besides its controls: texts and HTML. All that somebody else wrote is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape

import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, is_made_up, is_of_drivers
from suburb_pandas.messages import counted
from suburb_pandas.purchasing.quote import Quote

_ROWS = 60
_LAST = 3
_LONG = 40


def price(quote: Quote) -> str:
    """Say what a request would cost: ``60 cents``, or that it is free."""
    if quote.cents:
        return counted(quote.cents, "cent")
    return "free" if quote.calls else "stored, free"


def calls_and_price(quote: Quote) -> str:
    """Say how many calls a request would make, if any, and what it would cost."""
    return f"{counted(quote.calls, 'call')}, {price(quote)}" if quote.calls else price(quote)


def quoted(text: str) -> str:
    """Give a text for a button: not too long, and without what would turn the rest of it round."""
    shown = "".join(letter for letter in text if letter.isprintable())
    return f"“{shown if len(shown) <= _LONG else shown[: _LONG - 1] + '…'}”"


def alert(text: str | None) -> str:
    """Show an error, so that a screen reader says it at once."""
    return f'<div role="alert">{escape(text)}</div>' if text else ""


def notes(texts: Iterable[str]) -> str:
    """Show what is worth knowing."""
    return "".join(f'<div class="suburb-note">{escape(text)}</div>' for text in texts)


def picture(png: bytes, what: str) -> str:
    """Show a chart."""
    return f'<img alt="{escape(what)}" src="data:image/png;base64,{b64encode(png).decode()}">'


def table(frame: pd.DataFrame) -> str:
    """Show the last rents of each suburb, or the drivers."""
    if is_of_drivers(frame):
        rows, what = frame.drop(columns="detail"), "The drivers"
    else:
        last = _LAST if frame[AREA_NAME].nunique() * _LAST <= _ROWS else 1
        rows, what = frame.groupby(AREA_NAME, observed=True).tail(last), f"Each suburb's last {counted(last, 'date')}"
    said = [what, *(["made-up suburbs"] if is_made_up(frame) else []), f"the frame has {counted(len(frame), 'row')}"]
    cut = f", of which {_ROWS} are shown" if len(rows) > _ROWS else ""
    return f"<div>{'; '.join(said)}{cut}.</div>{rows.to_html(max_rows=_ROWS, border=0, na_rep='')}"


def code(line: str) -> str:
    """Show a line of code to be copied."""
    return f'<textarea readonly rows="2" aria-label="Code that loads this frame again">{escape(line)}</textarea>'
