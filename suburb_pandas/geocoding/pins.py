"""Reads and extends files of pins: small CSV files that record which suburb each query of a study means.

People read, edit and compare these files. Their columns are ``query``, ``state``, ``postcode`` and ``area_name``.
``state`` and ``postcode`` may be left out, and further columns are allowed. A row without a name is not decided yet.
Resolving the queries that have no pin is left to resolve.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from suburb_pandas.errors import InvalidName
from suburb_pandas.names import sal
from suburb_pandas.names.sal import Query

_COLUMNS = ("query", "state", "postcode", "area_name")


class Pins(NamedTuple):
    """The decisions in a file of pins, and its format: columns, line ending, and whether its last line has one.

    Without a file there are no decisions and no columns.
    """

    decided: Mapping[Query, str]
    columns: tuple[str, ...] = ()
    line_end: str = "\n"
    is_ended: bool = True

    def name_for(self, query: Query) -> str | None:
        """Return the name decided for a query with exactly this state and postcode, or None."""
        return self.decided.get(_key(query)) if self.decided else None


def read_pins(path: Path, *, appending: bool) -> Pins:
    """Read a file of pins. With ``appending``, the file need not exist yet, but must have all four columns if it does.

    Raises
    ------
    FileNotFoundError
        The file does not exist; with ``appending``, its folder does not.
    ValueError
        The file is not such a CSV file, holds a value that is not valid, or decides one query for two names.
    """
    if not path.exists():
        if appending and path.parent.is_dir():
            return Pins({})
        hint = "append_pins=True begins one" if path.parent.is_dir() else "nor is there such a folder"
        raise FileNotFoundError(f"There is no file of pins at {path}; {hint}. Nothing was sent.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error, IsADirectoryError) as problem:
        raise ValueError(f"{path} cannot be read as CSV in UTF-8 ({problem}). Nothing was sent.") from None
    columns = tuple(column.strip() for column in lines[0]) if lines else ()
    required = _COLUMNS if appending else ("query", "area_name")
    if lines and not set(required) <= set(columns):
        to_append = ", to be appended to," if appending else ""
        raise ValueError(
            f"{path} has the columns {', '.join(columns)}. A file of pins{to_append} has {', '.join(required)}, "
            "separated by commas. Nothing was sent."
        )
    decided: dict[Query, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        _add_row(decided, dict(zip(columns, line, strict=False)), f"{path}, row {number}")
    line_end = "\r\n" if "\r\n" in text else "\n"
    return Pins(decided, columns, line_end, text.endswith(("\n", "\r")) or not text)


def append_to(path: Path, pins: Pins, new: Mapping[Query, str]) -> None:
    """Append new decisions to a file of pins in one write, after a header if the file has none.

    Queries that differ only in ways that ``sal.fold`` ignores share a row.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, pins.columns or _COLUMNS, restval="", lineterminator=pins.line_end)
    if not pins.columns:
        writer.writeheader()
    rows: dict[Query, tuple[Query, str]] = {}
    for query, name in new.items():
        rows.setdefault(_key(query), (query, name))
    for query, name in rows.values():
        parts = {"query": query.text, "state": query.state, "postcode": query.postcode, "area_name": name}
        writer.writerow({column: part or "" for column, part in parts.items()})
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(("" if pins.is_ended else pins.line_end) + text.getvalue())


def _add_row(decided: dict[Query, str], row: Mapping[str, str], where: str) -> None:
    """Add the decision of a row, if it has one. ``where`` names the row in errors."""
    text, name = row.get("query", "").strip(), row.get("area_name", "").strip()
    if not name:
        return
    if not text:
        raise ValueError(f"{where}: there is a name, and no query that means it. Nothing was sent.")
    query = _key(Query(text, _read_field("state", row, where), _read_field("postcode", row, where)))
    try:
        sal.check(name)
    except InvalidName as problem:
        raise ValueError(f"{where}: {problem}") from None
    if decided.setdefault(query, name) != name:
        raise ValueError(f"{where}: {text!r} is decided twice, for {decided[query]!r} and for {name!r}.")


def _read_field(column: str, row: Mapping[str, str], where: str) -> str | None:
    """Return the state or the postcode of a row, None if it has none. ``where`` names the row in errors."""
    text = row.get(column, "").strip()
    read = sal.state_code if column == "state" else sal.postcode
    value = read(text)
    if text and value is None:
        raise ValueError(f"{where}: {text!r} is no {column}.")
    return value


def _key(query: Query) -> Query:
    """Return a query by which equal decisions are found: its text is normalised for comparison."""
    return query._replace(text=sal.fold(query.text))
