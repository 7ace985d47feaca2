"""Reads a list of suburb names from a file: the ABS's allocation file as CSV, or a text file with one name per line.

In the ABS's file (ASGS Edition 3) the columns are called ``SAL_NAME_2021`` and ``STATE_NAME_2021``, and a suburb has
one row for each of its mesh blocks. The year in the names of the columns is the edition. Storing the list is left to
store.names_table.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import NameList, Row

_FULL = 15_000  # names; the ABS's list of 2021 has 15,334, without its special names

_MARK = "\ufeff"  # the byte order mark; in files that were joined, there is one at each former beginning

_LIST = (
    "A list is a CSV file with the ABS's column SAL_NAME_2021 (and STATE_NAME_2021), or a text file with a name a "
    "line. Nothing was changed."
)
_HEADINGS = {"suburb", "suburbs", "suburb name", "locality", "sal", "name"}
_NAME_COLUMN = re.compile(r"SAL_NAME_(\d{4})", re.IGNORECASE)
_STATE_COLUMN = re.compile(r"(?:STATE|STE)_NAME_\d{4}", re.IGNORECASE)


def read(path: Path, *, complete: bool | None) -> tuple[NameList, list[Row]]:
    """Read a list of names, each with its state if the name's suffix or the file gives one.

    Raises
    ------
    ValueError
        The file is not such a list.
    """
    content = path.read_bytes()
    try:
        text = content.decode().replace(_MARK, "")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8 text. Save the list as CSV or as plain text, in UTF-8.") from None
    if _NAME_COLUMN.search(text.partition("\n")[0]):
        edition, rows = _table(text, path.name)
    else:
        edition, rows = None, _lines(text, path.name)
    if not rows:
        raise ValueError(f"{path.name} holds no names.")
    if complete is None:
        complete = len(rows) >= _FULL
    return NameList(path.name, hashlib.sha256(content).hexdigest(), edition, bool(complete), len(rows)), rows


def _table(text: str, file: str) -> tuple[str, list[Row]]:
    """Read the ABS's columns of a CSV file; return the edition and the names with their states.

    If the rows of a name have several states, only its suffix can give its state. Rejected: pandas, which takes the
    first column for an index if the rows end in a comma, so that the states become the names.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = [column.strip() for column in next(rows)]
        label = _name_column(columns, file)
        states_of = _states_of_names(_full_rows(rows, len(columns), file), label, _state_column(columns, label))
    except csv.Error as problem:
        raise ValueError(f"{file}, line {rows.line_num}: {problem}. {_LIST}") from None
    for name in states_of:
        if not _is_name(name):
            raise ValueError(f"{file}: {sal.shown(name)} is not a suburb name. {_LIST}")
    agreed = {name: states.pop() if len(states) == 1 else None for name, states in states_of.items()}
    return f"SAL {columns[label][-4:]}", [(name, sal.parse(name).state or state) for name, state in agreed.items()]


def _name_column(columns: list[str], file: str) -> int:
    """Return the number of the column with the names."""
    found = [number for number, column in enumerate(columns) if _NAME_COLUMN.fullmatch(column)]
    if len(found) != 1:
        several = ", ".join(columns[number] for number in found)
        fault = f"several columns of names: {several}" if found else "its columns not separated by commas"
        raise ValueError(f"{file} has {fault}. {_LIST}")
    return found[0]


def _state_column(columns: list[str], label: int) -> int | None:
    """Return the number of the first column with the states of the names' year, None if there is no such column."""
    year = columns[label][-4:]
    found = (number for number, column in enumerate(columns) if _STATE_COLUMN.fullmatch(column))
    return next((number for number in found if columns[number].endswith(year)), None)


def _full_rows(rows: Iterable[list[str]], width: int, file: str) -> Iterator[list[str]]:
    """Yield the rows, short ones filled up with empty values; raise `ValueError` for a value beyond the columns."""
    for number, row in enumerate(rows, start=2):
        if len(row) == width:
            yield row
            continue
        beyond = next(filter(str.strip, row[width:]), None)
        if beyond is not None:
            raise ValueError(f"{file}, row {number}: {sal.shown(beyond)} is in no column of the first row. {_LIST}")
        yield row + [""] * (width - len(row))


def _states_of_names(rows: Iterable[list[str]], label: int, state: int | None) -> dict[str, set[str | None]]:
    """Return the states of each name; None stands for a value that is not a state."""
    pairs = dict.fromkeys(map(itemgetter(label, label if state is None else state), rows))
    states_of: dict[str, set[str | None]] = {}
    for name, value in pairs:
        states_of.setdefault(name.strip(), set()).add(None if state is None else sal.state_code(value))
    states_of.pop("", None)
    return states_of


def _lines(text: str, file: str) -> list[Row]:
    """Read a text file with one name per line; return the names with the states of their suffixes."""
    states: dict[str, str | None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.strip()
        if not name:
            continue
        if not _is_name(name) or (number == 1 and name.casefold() in _HEADINGS):
            raise ValueError(f"{file}, line {number}: {sal.shown(name)} is not a suburb name. {_LIST}")
        states[name] = sal.parse(name).state
    return list(states.items())


def _is_name(text: str) -> bool:
    """Return True if a text can be a name. Rows of a table have commas, semicolons or underscores; names do not."""
    return sal.is_name(text) and not {",", "_", ";"} & set(text)
