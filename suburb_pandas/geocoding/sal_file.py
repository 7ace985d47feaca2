"""Reads a list of suburb names as the ABS publishes it, or as a text file, and the files that add to its suburbs.

In the ABS's files (ASGS Edition 3) the names are in ``SAL_NAME_2021`` or ``SAL_NAME21`` and the states in
``STATE_NAME_2021`` or ``STE_NAME21``; in the allocation file a suburb has one row for each of its mesh blocks. The year
in the label is the edition. Areas are left to areas, the tables themselves to tables, storing to store.names_table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Final

import pandas as pd

from suburb_pandas.geocoding import tables
from suburb_pandas.geocoding.areas import AreaReader, columns_of, is_name_column, is_wanted, year_of
from suburb_pandas.geocoding.tables import Source, Table, Text
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, NameList, Place

_FULL: Final = 15_000  # names; the ABS's list of 2021 has 15,334, without its special names
_LIST: Final = (
    "Nothing was changed. Pass a table with the ABS's column SAL_NAME_2021 or SAL_NAME21, or a text file with one name "
    "on each line."
)
_WITH: Final = (
    "Nothing was changed. A table in with_ needs the column SAL_NAME_2021 (or MB_CODE_2021, if the list has it too), "
    "and one or more of LGA_NAME_2021, POA_NAME_2021, SA2_NAME_2021, SA3_NAME_2021, SA4_NAME_2021, Dwelling and Person."
)
_HEADINGS: Final = {"suburb", "suburbs", "suburb name", "locality", "sal", "name"}


@dataclass(slots=True)
class _Names:
    """The content of a list: the states of each name, the suburb of each mesh block, and the areas, if it has any."""

    states: dict[str, set[str | None]]
    mesh_blocks: dict[str, str]
    areas: list[Place]
    edition: str | None = None


def read(
    source: Source, with_: Source | Iterable[Source] = (), *, complete: bool | None
) -> tuple[NameList, list[Place]]:
    """Read a list of names, each with its state if the name's suffix or the list gives one, and with its areas.

    Raises
    ------
    ValueError
        The list, or one of the tables in ``with_``, cannot be read.
    """
    several = _several(with_)
    table = tables.read(source, is_wanted)
    names = _lines(table) if isinstance(table, Text) else _table(table, keep_mesh_blocks=bool(several))
    if not names.states:
        raise ValueError(f"{table.title} has no names. Nothing was changed. Check that it is the right file.")
    agreed = {name: states.pop() if len(states) == 1 else None for name, states in names.states.items()}
    found = {name: Place(name, sal.parse(name).state or state) for name, state in agreed.items()}
    digests = [table.sha256]
    for place in names.areas:
        found[place.area_name] = place.over(found[place.area_name])
    for more in several:
        added = tables.read(more, is_wanted)
        digests.append(added.sha256)
        for place in _added(added, names, table.title):
            found[place.area_name] = place.over(found[place.area_name])
    sha256 = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    complete = len(found) >= _FULL if complete is None else bool(complete)
    return NameList(table.title, sha256, names.edition, complete, len(found)), list(found.values())


def _several(with_: Source | Iterable[Source]) -> list[Source]:
    if isinstance(with_, str | PathLike | pd.DataFrame):
        return [with_]
    if not isinstance(with_, Iterable):
        raise TypeError(f"with_ must be a path, a frame, or a list of these, not {type(with_).__name__}.")
    return list(with_)


def _table(table: Table, *, keep_mesh_blocks: bool) -> _Names:
    """Read the ABS's columns of a table.

    If the rows of a name have several states, only its suffix can give its state.
    """
    label = _name_column(table)
    columns = columns_of(table, year_of(table.columns[label]))
    names, reader = _Names({}, {}, [], sal.edition_of(table.columns[label])), AreaReader(table, columns)
    state, mesh_block = columns.get("state"), columns.get("mesh_block")
    for row in table.rows:
        name = row[label].strip()
        if not name:
            continue
        states = names.states.get(name)
        if states is None:
            if not _is_name(name):
                raise ValueError(f"{table.title}: {sal.shown(name)} is not a suburb name. {_LIST}")
            states = names.states[name] = set()
        states.add(None if state is None else sal.state_code(row[state]))
        if mesh_block is not None and keep_mesh_blocks:
            names.mesh_blocks[row[mesh_block]] = name
        if reader.reads:
            reader.add(name, row)
    names.areas.extend(reader.places())
    return names


def _added(table: Table | Text, names: _Names, title: str) -> Iterator[Place]:
    """Yield the places that a table adds to suburbs of the list. Its rows have their names or their mesh blocks."""
    if isinstance(table, Text):
        raise ValueError(f"{table.title} has no column that can be read. {_WITH}")  # noqa: TRY004 - a file, not a type
    columns = columns_of(table)
    reader = AreaReader(table, columns)
    if not reader.reads:
        raise ValueError(f"{table.title} has the columns {', '.join(table.columns)}. {_WITH}")
    by_name = any(map(is_name_column, table.columns))
    key = _name_column(table) if by_name else columns.get("mesh_block")
    if key is None or not (by_name or names.mesh_blocks):
        raise ValueError(
            f"{table.title} has no column of suburb names, and shares no mesh blocks with {title}. {_WITH}"
        )
    if by_name and "share" in columns:
        _check_direction(table, key, columns)
    matched = False
    for row in table.rows:
        name = row[key].strip() if by_name else names.mesh_blocks.get(row[key], "")
        if name in names.states:
            matched = True
            reader.add(name, row)
    if not matched:
        raise ValueError(
            f"None of the suburbs in {table.title} is in {title}. Nothing was changed. Use files of the same edition."
        )
    yield from reader.places()


def _check_direction(table: Table, key: int, columns: Mapping[str, int]) -> None:
    """Raise `ValueError` if a correspondence leads from areas to suburbs: its ratios are shares of its areas."""
    first = min((number for kind, number in columns.items() if kind in AREAS), default=key)
    if first < key:
        raise ValueError(
            f"The ratios in {table.title} are shares of {table.columns[first]}, not of suburbs. Nothing was changed. "
            "Use the ABS's correspondence in the other direction, from SAL."
        )


def _name_column(table: Table) -> int:
    """Return the number of the column with the names: the ABS's, or else ``area_name``."""
    found = [number for number, column in enumerate(table.columns) if sal.is_sal_column(column)]
    found = found or [number for number, column in enumerate(table.columns) if column == "area_name"]
    if not found:
        raise ValueError(f"{table.title} has no column of suburb names. {_LIST}")
    if len(found) > 1:
        several = ", ".join(table.columns[number] for number in found)
        raise ValueError(
            f"{table.title} has several columns of names: {several}. Nothing was changed. Drop all but one."
        )
    return found[0]


def _lines(text: Text) -> _Names:
    """Read a text file with one name per line; the names have the states of their suffixes."""
    names = _Names({}, {}, [])
    for number, line in enumerate(text.text.splitlines(), start=1):
        name = line.strip()
        if not name:
            continue
        if not _is_name(name) or (number == 1 and name.casefold() in _HEADINGS):
            raise ValueError(f"{text.title}, line {number}: {sal.shown(name)} is not a suburb name. {_LIST}")
        names.states[name] = {None}
    return names


def _is_name(text: str) -> bool:
    """Return True if a text can be a name. Rows of a table have commas, semicolons or underscores; names do not.

    A number is not a name either.
    """
    return sal.is_name(text) and not {",", "_", ";"} & set(text) and any(map(str.isalpha, text))
