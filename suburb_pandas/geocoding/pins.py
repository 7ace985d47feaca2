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
from typing import Final, NamedTuple

from suburb_pandas.errors import InvalidName
from suburb_pandas.frames.suburbs import read_field
from suburb_pandas.names import sal
from suburb_pandas.names.written import Query, fold_region

_COLUMNS: Final = ("query", "state", "postcode", "area_name")


class Pins(NamedTuple):
    """The decisions in a file of pins, its open queries, and its lines, columns first, line ending and encoding."""

    decided: Mapping[Query, str] = {}
    undecided: frozenset[Query] = frozenset()
    lines: Sequence[Sequence[str]] = ()
    line_end: str = "\n"
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
            return Pins()
        hint = "To create it, pass append_pins=True" if path.parent.is_dir() else "Its folder does not exist either."
        raise FileNotFoundError(f"There is no file of pins at {path}. Nothing was sent. {hint}")
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error, IsADirectoryError) as problem:
        raise ValueError(
            f"{path} cannot be read as CSV in UTF-8 ({problem}). Nothing was sent. Save it as CSV UTF-8."
        ) from None
    columns = [column.strip() for column in lines[0]] if lines else []
    required = _COLUMNS if appending else ("query", "area_name")
    if lines and not set(required) <= set(columns):
        raise ValueError(
            f"{path} has the columns {', '.join(columns)}. Nothing was sent. A file of pins needs the columns "
            f"{', '.join(required)}, separated by commas."
        )
    decided: dict[Query, str] = {}
    undecided: set[Query] = set()
    for number, line in enumerate(lines[1:], start=2):
        query, name = _read(dict(zip(columns, line, strict=False)), f"{path}, row {number}")
        if not name:
            undecided.add(query)
        elif decided.setdefault(query, name) != name:
            raise ValueError(
                f"{path}, row {number}: {query.text!r} has two names, {decided[query]!r} and {name!r}. Nothing was "
                "sent. Delete one of the two rows."
            )
    encoding = "utf-8-sig" if content.startswith(BOM_UTF8) else "utf-8"
    return Pins(decided, frozenset(undecided), lines, "\r\n" if "\r\n" in text else "\n", encoding)


def _read(row: Mapping[str, str], where: str) -> tuple[Query, str]:
    """Return the query of a row and its name, empty if it has none. ``where`` names the row in errors."""
    text, name = row.get("query", "").strip(), row.get("area_name", "").strip()
    if name:
        try:
            sal.check(name)
        except InvalidName as problem:
            raise ValueError(f"{where}: {problem}") from None
        if not text:
            raise ValueError(
                f"{where}: area_name is filled in, but query is empty. Nothing was sent. Fill in the query, or delete "
                "the row."
            )
    # Queries keep invalid values too, so that a name can be filled in for a query with such a value.
    beside = (read_field(field, row.get(field)) for field in ("state", "postcode", "region"))
    return _key(Query(text, *beside)), name


def append_to(path: Path, pins: Pins, new: Mapping[Query, str], undecided: Mapping[Query, Sequence[str]]) -> None:
    """Add new decisions, and open queries with their candidates, to a file of pins; columns that it lacks, too.

    Queries that ``sal.fold`` makes equal share a row. If the file cannot be written, the old one is still there.
    """
    rows: dict[Query, dict[str, str | None]] = {}
    for query, name in new.items():
        rows.setdefault(_key(query), {**_parts(query), "area_name": name})
    for query, candidates in undecided.items():
        if not pins.is_open(query):
            rows.setdefault(_key(query), {**_parts(query), "candidates": "; ".join(candidates)})
    if not rows:
        return
    columns, *lines = pins.lines or [_COLUMNS]
    own = [column.strip() for column in columns]
    needed = [column for column in ("region", "candidates") if any(row.get(column) for row in rows.values())]
    missing = [column for column in needed if column not in own]
    # A value beyond the last column stays beyond it, and comes under no new label.
    beyond = [""] * (max(map(len, pins.lines), default=0) - len(own)) if missing else []
    widened = [*own, *beyond, *missing]
    added = [[row.get(column) or "" for column in widened] for row in rows.values()]
    wide = [[*line, *[""] * (len(widened) - len(line))] if line else [] for line in lines]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=pins.line_end).writerows([widened, *wide, *added])
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text.getvalue(), encoding=pins.encoding, newline="")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _parts(query: Query) -> dict[str, str | None]:
    return {"query": query.text, "state": query.state, "postcode": query.postcode, "region": query.region}


def _key(query: Query) -> Query:
    """Return a query by which equal decisions are found: its text and its region are normalised for comparison."""
    return query._replace(text=sal.fold(query.text), region=query.region and fold_region(query.region))
