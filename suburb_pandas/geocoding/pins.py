"""Reads and extends files of pins: small CSV files that record which suburb each query of a study means.

People read, edit and compare these files. Their columns are ``query``, ``state``, ``postcode`` and ``area_name``.
``state`` and ``postcode`` may be left out, ``region`` may be added, and further columns are allowed. A row without a
name is an open query: somebody still has to choose one of its ``candidates``. Resolving the queries that have no pin is
left to resolve.
"""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from suburb_pandas.errors import InvalidName
from suburb_pandas.frames.suburbs import read_field
from suburb_pandas.names import sal
from suburb_pandas.names.readings import Query, fold_region

_COLUMNS = ("query", "state", "postcode", "area_name")
_CANDIDATES = "candidates"


class Pins(NamedTuple):
    """The decisions in a file of pins, its open queries, and its format.

    The format is its columns, its rows, its line ending, whether its last line has one, and its encoding. Without a
    file there are no decisions and no columns.
    """

    decided: Mapping[Query, str]
    undecided: frozenset[Query] = frozenset()
    columns: tuple[str, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    line_end: str = "\n"
    is_ended: bool = True
    encoding: str = "utf-8"

    def name_for(self, query: Query) -> str | None:
        """Return the name decided for a query with exactly this state, postcode and region, or None."""
        return self.decided.get(_key(query)) if self.decided else None

    def is_open(self, query: Query) -> bool:
        """Return True if the file has a row for a query, without a name."""
        return _key(query) in self.undecided


def read_pins(path: Path, *, appending: bool) -> Pins:
    """Read a file of pins. With ``appending``, the file need not exist yet, but must have all four columns if it does.

    Raises
    ------
    FileNotFoundError
        The file does not exist; with ``appending``, its folder does not.
    ValueError
        The file cannot be read as CSV, lacks a column, has an invalid value, or has two names for one query.
    """
    if not path.exists():
        if appending and path.parent.is_dir():
            return Pins({})
        hint = (
            "To create it, pass append_pins=True"
            if path.parent.is_dir()
            else "Its folder does not exist either: create it, or correct the path."
        )
        raise FileNotFoundError(f"There is no file of pins at {path}. Nothing was sent. {hint}")
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error, IsADirectoryError) as problem:
        raise ValueError(
            f"{path} cannot be read as CSV in UTF-8 ({problem}). Nothing was sent. Save it as CSV UTF-8."
        ) from None
    columns = tuple(column.strip() for column in lines[0]) if lines else ()
    required = _COLUMNS if appending else ("query", "area_name")
    if lines and not set(required) <= set(columns):
        to_append = "With append_pins=True, a" if appending else "A"
        raise ValueError(
            f"{path} has the columns {', '.join(columns)}. Nothing was sent. {to_append} file of pins needs the "
            f"columns {', '.join(required)}, separated by commas."
        )
    if appending and len({*columns}) < len(columns):
        raise ValueError(f"{path} has a column name twice: {', '.join(columns)}. Nothing was sent. Rename one column.")
    decided: dict[Query, str] = {}
    undecided: set[Query] = set()
    for number, line in enumerate(lines[1:], start=2):
        beyond = next(filter(str.strip, line[len(columns) :]), None)
        if appending and beyond is not None:
            raise ValueError(
                f"{path}, row {number}: {beyond!r} is beyond the last column. Nothing was sent. Put quotation marks "
                "around a value that contains a comma."
            )
        _add_row(decided, undecided, dict(zip(columns, line, strict=False)), f"{path}, row {number}")
    line_end = "\r\n" if "\r\n" in text else "\n"
    encoding = "utf-8-sig" if content.startswith(BOM_UTF8) else "utf-8"
    is_ended = text.endswith(("\n", "\r")) or not text
    return Pins(decided, frozenset(undecided), columns, lines[1:], line_end, is_ended, encoding)


def append_to(path: Path, pins: Pins, new: Mapping[Query, str], undecided: Mapping[Query, Sequence[str]]) -> None:
    """Append new decisions and open queries with their candidates to a file of pins, in one write.

    Queries that ``sal.fold`` makes equal share a row. If the file lacks a column that is needed, it is rewritten with
    that column.
    """
    rows: dict[Query, dict[str, str]] = {}
    for query, name in new.items():
        rows.setdefault(_key(query), {**_parts(query), "area_name": name})
    for query, candidates in undecided.items():
        if not pins.is_open(query):
            rows.setdefault(_key(query), {**_parts(query), _CANDIDATES: "; ".join(candidates)})
    if not rows:
        return
    extra = [column for column in ("region", _CANDIDATES) if any(row.get(column) for row in rows.values())]
    columns = tuple(dict.fromkeys([*(pins.columns or _COLUMNS), *extra]))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator=pins.line_end)
    if not pins.columns or columns == pins.columns:
        if not pins.columns:
            writer.writeheader()
        writer.writerows(rows.values())
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(("" if pins.is_ended else pins.line_end) + text.getvalue())
        return
    writer.writeheader()
    csv.writer(text, lineterminator=pins.line_end).writerows(
        [*row[: len(pins.columns)], *[""] * (len(columns) - len(row))] for row in pins.rows if row
    )
    writer.writerows(rows.values())
    _replace(path, text.getvalue(), pins.encoding)


def _replace(path: Path, text: str, encoding: str) -> None:
    """Rewrite a file. If that fails half way, the old file is still there."""
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text, encoding=encoding, newline="")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _parts(query: Query) -> dict[str, str]:
    return {
        "query": query.text,
        "state": query.state or "",
        "postcode": query.postcode or "",
        "region": query.region or "",
    }


def _add_row(decided: dict[Query, str], undecided: set[Query], row: Mapping[str, str], where: str) -> None:
    """Add the decision of a row, or its query if it has none. ``where`` names the row in errors."""
    text, name = row.get("query", "").strip(), row.get("area_name", "").strip()
    # Queries keep invalid values too, so that a name can be filled in for a query with such a value.
    beside = (read_field(field, row.get(field)) for field in ("state", "postcode", "region"))
    query = _key(Query(text, *beside))
    if not name:
        undecided.add(query)
        return
    if not text:
        raise ValueError(
            f"{where}: area_name is filled in, but query is empty. Nothing was sent. Fill in the query, or delete "
            "the row."
        )
    try:
        sal.check(name)
    except InvalidName as problem:
        raise ValueError(f"{where}: {problem}") from None
    if decided.setdefault(query, name) != name:
        raise ValueError(
            f"{where}: {text!r} has two names, {decided[query]!r} and {name!r}. Nothing was sent. Delete "
            "one of the two rows."
        )


def _key(query: Query) -> Query:
    """Return a query by which equal decisions are found: its text and its region are normalised for comparison."""
    return query._replace(text=sal.fold(query.text), region=query.region and fold_region(query.region))
