"""Writes the data that the picker loaded as a table, in HTML and as text: each suburb's last dates, or the drivers.

The headings and the text of the cells are those of plotting.tables. The HTML needs no style sheet: GitHub and nbviewer
remove styles and classes, but keep ``align``. It sets no colours, so that it follows any theme. The picker imports this
module only after a load, because plotting.tables needs matplotlib, which is slow to import.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from html import escape
from typing import Final, NamedTuple

import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, DATE, is_made_up
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import listed
from suburb_pandas.plotting.tables import DASH, DETAIL, flag_notes, heading_of, is_number, writer_of
from suburb_pandas.plotting.words import column_of

MOST_ROWS: Final = 60
"""The most rows of a table."""

_LAST_DATES: Final = 3


class _Table(NamedTuple):
    """A table of text: its caption, its columns (the first has the suburbs), and the sentences below it."""

    caption: str
    columns: Sequence[_Column]
    notes: Sequence[str]

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of each row."""
        return zip(*(column.cells for column in self.columns), strict=True)


class _Column(NamedTuple):
    """A column of text, with numbers on the right."""

    heading: str
    cells: Sequence[str]
    is_number: bool

    @property
    def side(self) -> str:
        """The side to which the cells are aligned."""
        return "right" if self.is_number else "left"

    def in_html(self, cell: str, scope: str | None = None) -> str:
        """Return a cell as HTML; with a scope, one that is the heading of its column or row.

        The style sheet of the classic notebook, which nbviewer uses, overrides ``align``, so the style says it too.
        """
        tag = "th" if scope else "td"
        of = f' scope="{scope}"' if scope else ""
        return f'<{tag}{of} align="{self.side}" style="text-align: {self.side}">{escape(cell)}</{tag}>'

    def in_text(self) -> list[str]:
        """Return the heading and the cells as lines of equal width."""
        lines = [_printable(cell) for cell in (self.heading, *self.cells)]
        width = max(map(len, lines))
        return [line.rjust(width) if self.is_number else line.ljust(width) for line in lines]


def as_html(frame: pd.DataFrame) -> str:
    """Return the last dates of each suburb, or the drivers, as an HTML table and sentences below it."""
    table = _read(frame)
    head = "".join(column.in_html(column.heading, "col") for column in table.columns)
    first, *others = table.columns
    rows = [
        first.in_html(name, "row") + "".join(column.in_html(cell) for column, cell in zip(others, cells, strict=True))
        for name, *cells in table.rows
    ]
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    notes = f"<p>{escape(' '.join(table.notes))}</p>"
    caption = f'<caption style="text-align: left">{escape(table.caption)}</caption>'
    return f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n{notes}"


def as_text(frame: pd.DataFrame) -> str:
    """Return what `as_html` returns as plain text."""
    table = _read(frame)
    lines = zip(*(column.in_text() for column in table.columns), strict=True)
    body = "\n".join("  ".join(cells).rstrip() for cells in lines)
    return f"{table.caption}\n\n{body}\n\n{_printable(' '.join(table.notes))}"


def _read(frame: pd.DataFrame) -> _Table:
    """Return the table of a frame that the picker loaded."""
    endpoint = endpoint_of(frame)
    if endpoint.shape == "series":
        rows, what = _last_dates(frame)
    else:
        rows, what = frame.drop(columns=DETAIL, errors="ignore"), ""
    shown = rows.head(MOST_ROWS)
    made_up = " (made-up suburbs)" if is_made_up(frame) else ""
    columns = [_column(shown, label) for label in shown.columns]
    return _Table(f"{endpoint.title}{what}{made_up}", columns, [*filter(None, _notes(frame, rows, shown))])


def _last_dates(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the rows of each suburb's last dates, with the suburb and the date in front, and words for these dates."""
    last = _LAST_DATES if frame[AREA_NAME].nunique() * _LAST_DATES <= MOST_ROWS else 1
    rows = frame.groupby(AREA_NAME, observed=True).tail(last).reset_index(names=DATE)
    rows.insert(0, AREA_NAME, rows.pop(AREA_NAME))
    rows.attrs = frame.attrs
    return rows, f": each suburb's last {f'{last} dates' if last > 1 else 'date'}"


def _column(frame: pd.DataFrame, label: Hashable) -> _Column:
    """Return a column as text, with its unit in the heading."""
    values, column = frame[label], column_of(frame, label)
    write = writer_of(values, column)
    cells = [DASH if pd.isna(value) else write(value) for value in values]
    return _Column(heading_of(column, column.heading), cells, is_number=is_number(values))


def _notes(frame: pd.DataFrame, rows: pd.DataFrame, shown: pd.DataFrame) -> Iterator[str]:
    """Yield sentences on the rows that the table leaves out and on its marks."""
    cut = f" The table shows the first {len(shown)} of {len(rows):,}." if len(shown) < len(rows) else ""
    yield f"The frame has {len(frame):,} {'row' if len(frame) == 1 else 'rows'}.{cut}"
    present = {*frame[AREA_NAME]}
    without = [name for name in frame[AREA_NAME].cat.categories if name not in present]
    yield f"No rows for {listed(without, str)}." if without else ""
    yield from flag_notes(shown)


def _printable(text: str) -> str:
    """Return a text as one line, without characters that a terminal would take for commands."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
