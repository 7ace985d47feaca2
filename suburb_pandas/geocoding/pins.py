"""Pins: which suburb each query of a study means, decided once, in a small CSV file that people read, edit and diff.

Its columns are ``query``, ``state``, ``postcode`` and ``area_name``; state and postcode may be left out, and others may
stand beside them. A line without a name is not decided yet.
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
    """What a file decides, its columns, and how its lines end, but perhaps the last one. Without a file, nothing."""

    decided: Mapping[Query, str]
    columns: tuple[str, ...] = ()
    line_end: str = "\n"
    is_ended: bool = True

    def name_for(self, query: Query) -> str | None:
        """Give the name that was decided on for a query with just that state and postcode."""
        return self.decided.get(_key(query)) if self.decided else None


def read_pins(path: Path, *, appending: bool) -> Pins:
    """Read a file of pins; where it is to be appended to, there need not be one yet.

    Raises
    ------
    FileNotFoundError
        There is none, or no folder for it.
    ValueError
        It cannot be read as one, or decides the same query twice.
    """
    if not path.exists():
        if appending and path.parent.is_dir():
            return Pins({})
        what = "append_pins=True begins one" if path.parent.is_dir() else "nor is there such a folder"
        raise FileNotFoundError(f"There is no file of pins at {path}; {what}. Nothing was sent.")
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
        _add(decided, dict(zip(columns, line, strict=False)), f"{path}, row {number}")
    line_end = "\r\n" if "\r\n" in text else "\n"
    return Pins(decided, columns, line_end, text.endswith(("\n", "\r")) or not text)


def append_to(path: Path, pins: Pins, new: Mapping[Query, str]) -> None:
    """Add lines for what was decided on, each once however it was spelt, at the end and in one go."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, pins.columns or _COLUMNS, restval="", lineterminator=pins.line_end)
    if not pins.columns:
        writer.writeheader()
    first: dict[Query, tuple[Query, str]] = {}
    for query, name in new.items():
        first.setdefault(_key(query), (query, name))
    for query, name in first.values():
        parts = {"query": query.text, "state": query.state, "postcode": query.postcode, "area_name": name}
        writer.writerow({column: part or "" for column, part in parts.items()})
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(("" if pins.is_ended else pins.line_end) + text.getvalue())


def _add(decided: dict[Query, str], row: Mapping[str, str], where: str) -> None:
    text, name = row.get("query", "").strip(), row.get("area_name", "").strip()
    if not name:
        return
    if not text:
        raise ValueError(f"{where}: there is a name, and no query that means it. Nothing was sent.")
    query = _key(Query(text, _read("state", row, where), _read("postcode", row, where)))
    try:
        sal.check(name)
    except InvalidName as problem:
        raise ValueError(f"{where}: {problem}") from None
    if decided.setdefault(query, name) != name:
        raise ValueError(f"{where}: {text!r} is decided twice, for {decided[query]!r} and for {name!r}.")


def _read(column: str, row: Mapping[str, str], where: str) -> str | None:
    text = row.get(column, "").strip()
    read = sal.state_code if column == "state" else sal.postcode
    found = read(text)
    if text and found is None:
        raise ValueError(f"{where}: {text!r} is no {column}.")
    return found


def _key(query: Query) -> Query:
    return query._replace(text=sal.fold(query.text))
