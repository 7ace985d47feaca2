"""Writes the labels of the suburb picker's buttons and the HTML below its controls. Text from outside is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape

import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, is_made_up
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import counted
from suburb_pandas.purchasing.quote import Quote

_MOST_ROWS = 60
_LAST_DATES = 3
_LONGEST_LABEL = 40


def price(quote: Quote) -> str:
    """Return the price of a request, such as ``60 cents``, or say that it is free."""
    if quote.cents:
        return counted(quote.cents, "cent")
    return "free" if quote.calls else "stored, free"


def calls_and_price(quote: Quote) -> str:
    """Return the number of calls of a request, if it makes any, and its price."""
    return f"{counted(quote.calls, 'call')}, {price(quote)}" if quote.calls else price(quote)


def quoted(text: str) -> str:
    """Return a text for a button: shortened, and without characters that reverse the direction of the rest."""
    shown = "".join(letter for letter in text if letter.isprintable())
    return f"“{shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + '…'}”"


def alert(text: str | None) -> str:
    """Return an error that a screen reader reads aloud at once."""
    return f'<div role="alert">{escape(text)}</div>' if text else ""


def notes(texts: Iterable[str]) -> str:
    """Return notes, one below the other."""
    return "".join(f'<div class="suburb-note">{escape(text)}</div>' for text in texts)


def picture(png: bytes, what: str) -> str:
    """Return an image of a chart; ``what`` describes it for screen readers."""
    return f'<img alt="{escape(what)}" src="data:image/png;base64,{b64encode(png).decode()}">'


def table(frame: pd.DataFrame) -> str:
    """Return a heading and a table: the last dates of each suburb, or the rows of a frame without dates."""
    endpoint = endpoint_of(frame)
    if endpoint.shape == "series":
        last = _LAST_DATES if frame[AREA_NAME].nunique() * _LAST_DATES <= _MOST_ROWS else 1
        rows = frame.groupby(AREA_NAME, observed=True).tail(last)
        heading = f"Each suburb's last {counted(last, 'date')}"
    else:
        rows, heading = frame.drop(columns="detail", errors="ignore"), "The drivers"
    parts = [
        heading,
        *(["made-up suburbs"] if is_made_up(frame) else []),
        f"the frame has {counted(len(frame), 'row')}",
    ]
    cut = f", of which {_MOST_ROWS} are shown" if len(rows) > _MOST_ROWS else ""
    return f"<div>{'; '.join(parts)}{cut}.</div>{rows.to_html(max_rows=_MOST_ROWS, border=0, na_rep='')}"


def code(line: str) -> str:
    """Return a line of code to copy."""
    return f'<textarea readonly rows="2" aria-label="Code that loads this frame again">{escape(line)}</textarea>'
