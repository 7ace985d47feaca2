"""Reads and extends files of pins: small CSV files that record which suburb each query of a study means.

People read, edit and compare these files. Their columns are ``query``, ``state``, ``postcode`` and ``area_name``.
``state`` and ``postcode`` may be left out, ``region`` may be added, and further columns are allowed. A row without a
name is an open query: somebody still has to choose one of its ``candidates``. Resolving the queries that have no pin is
left to resolve.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import zip_longest
from os import getpid
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from suburb_pandas.frames.suburbs import read_field
from suburb_pandas.names import sal
from suburb_pandas.names.written import Query, fold_region


class Pins(NamedTuple):
    """A file of pins: the name of each query, empty for an open query, and the file's content, with its columns."""

    names: Mapping[Query, str] = {}
    content: str = "query,state,postcode,area_name\n"

    def name_for(self, query: Query) -> str | None:
        """Return the name decided for a query with exactly this state, postcode and region, or None."""
        if not self.names:  # for speed: most requests have no pins
            return None
        return self.names.get(_key(query)) or None

    def is_open(self, query: Query) -> bool:
        """Return True if the file has a row for a query, without a name."""
        return self.names.get(_key(query)) == ""


def read_pins(path: Path, *, appending: bool) -> Pins:
    """Read a file of pins. With ``appending``, the file need not exist yet, or can be empty.

    Raises
    ------
    FileNotFoundError
        The file does not exist; with ``appending``, its folder does not.
    ValueError
        The file cannot be read as CSV, lacks a column or has one twice, has an invalid name or one without a query, or
        has two names for one query.
    """
    if appending and path.parent.is_dir() and not (path.exists() and path.stat().st_size):
        return Pins()
    if not path.exists():
        raise FileNotFoundError(
            f"There is no file of pins at {path}. Nothing was sent. To create it in a folder that exists, pass "
            "append_pins=True"
        )
    try:
        content = path.read_bytes().decode()
        table = _table(content)
    except (ValueError, csv.Error, IsADirectoryError) as error:
        raise ValueError(
            f"{path} cannot be read as CSV in UTF-8 ({str(error).strip()}). Nothing was sent. Save it as CSV UTF-8."
        ) from None
    own = table.loc[:, table.columns.isin(["query", "state", "postcode", "region", "area_name"])]
    if not own.columns.is_unique or not {"query", "area_name"} <= {*own.columns}:
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}. Nothing was sent. A file of pins needs the columns "
            "query and area_name once, separated by commas."
        )
    names: dict[Query, str] = {}
    for number, row in own.to_dict("index").items():
        text, name = row["query"].strip(), row["area_name"].strip()
        # Queries keep invalid values too, so that a name can be filled in for a query with such a value.
        beside = (read_field(field, row.get(field)) for field in ("state", "postcode", "region"))
        query = _key(Query(text, *beside))
        decided, problem = names.get(query) or name, ""
        if name and not text:
            problem = "area_name is filled in, but query is empty"
        elif name and not sal.is_name(name):
            problem = f"{sal.shown(name)} cannot be a suburb name"
        elif name not in {"", decided}:
            problem = f"{query.text!r} has two names, {decided!r} and {name!r}"
        if problem:
            raise ValueError(f"{path}, row {number}: {problem}. Nothing was sent. Correct the row, or delete it.")
        names[query] = decided
    return Pins(names, content)


def _table(content: str) -> pd.DataFrame:
    """Return the rows of a file as text, with their numbers in the file as the index.

    Columns without a label and without values are left out: spreadsheets write them if their cells were emptied. A
    value beyond the last label is in a column without one. Rejected: ``pandas.read_csv``, which reads on after a stray
    quotation mark, up to the next one.
    """
    lines = csv.reader(StringIO(content.removeprefix("\ufeff"), newline=""), strict=True)
    as_long = zip(*zip_longest(*lines, fillvalue=""), strict=True)
    cells = pd.DataFrame([*as_long] or [()], dtype="str")
    cells.index += 1
    cells = cells.loc[:, (cells != "").any()]
    return cells[1:].set_axis([label.strip() for label in cells.iloc[0]], axis=1)


def append_to(path: Path, new: Mapping[Query, str], undecided: Mapping[Query, Sequence[str]]) -> None:
    """Add new decisions, and open queries with their candidates, to a file of pins, with the columns that it lacks.

    Queries that ``sal.fold`` makes equal share a row. The file is read again, because another process may have added
    rows: a query that it decided keeps that name. If the file cannot be written, the old one is still there.
    """
    pins = read_pins(path, appending=True)
    new = {query: name for query, name in new.items() if pins.name_for(query) is None}
    undecided = {query: names for query, names in undecided.items() if pins.name_for(query) is None}
    candidates = {query: "; ".join(names) or None for query, names in undecided.items() if not pins.is_open(query)}
    rows: dict[Query, tuple[str | None, ...]] = {}
    for query in (*new, *candidates):
        rows.setdefault(_key(query), (*query, new.get(query), candidates.get(query)))
    if not rows:
        return
    added = pd.DataFrame(rows.values(), columns=["query", "state", "postcode", "region", "area_name", "candidates"])
    added = added.dropna(axis=1, how="all")
    table = _table(pins.content)
    table = table.assign(**{column: "" for column in map(str, added) if column not in table})
    table = pd.concat([table, added.reindex(columns=table.columns)])
    line_end = "\r\n" if "\r\n" in pins.content else "\n"
    encoding = "utf-8-sig" if pins.content.startswith("\ufeff") else "utf-8"  # the mark by which Excel knows UTF-8
    beside = path.with_name(f"{path.name}.{getpid()}.new")
    try:
        table.to_csv(beside, index=False, lineterminator=line_end, encoding=encoding)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _key(query: Query) -> Query:
    """Return a query by which equal decisions are found: its text and its region are normalised for comparison."""
    return query._replace(text=sal.fold(query.text), region=query.region and fold_region(query.region))
