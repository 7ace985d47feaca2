"""Reads a list of suburb names from a file: the ABS's allocation file as CSV, or a text file with one name per line.

In the ABS's file (ASGS Edition 3) the columns are called ``SAL_NAME_2021`` and ``STATE_NAME_2021``, and a suburb has
one row for each of its mesh blocks. The year in the names of the columns is the edition. Storing the list is left to
store.names_table.
"""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path

import pandas as pd

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

    If the rows of a name have several states, only its suffix can give its state.
    """
    table = pd.read_csv(io.StringIO(text), dtype="str", keep_default_na=False, usecols=_is_needed).drop_duplicates()
    labels = [column for column in table.columns if _NAME_COLUMN.fullmatch(column.strip())]
    if len(labels) != 1:
        fault = f"several columns of names: {', '.join(labels)}" if labels else "its columns not separated by commas"
        raise ValueError(f"{file} has {fault}. {_LIST}")
    (label,) = labels
    year = label.strip()[-4:]
    state_label = next((column for column in table.columns if column != label and column.strip().endswith(year)), None)
    states_of: dict[str, set[str | None]] = {}
    for name, state in zip(table[label].str.strip(), table[state_label or label], strict=True):
        if name and not _is_name(name):
            raise ValueError(f"{file}: {sal.shown(name)} is not a suburb name. {_LIST}")
        states_of.setdefault(name, set()).add(sal.state_code(state) if state_label else None)
    states_of.pop("", None)
    agreed = {name: states.pop() if len(states) == 1 else None for name, states in states_of.items()}
    return f"SAL {year}", [(name, sal.parse(name).state or state) for name, state in agreed.items()]


def _is_needed(column: str) -> bool:
    return bool(_NAME_COLUMN.fullmatch(column.strip()) or _STATE_COLUMN.fullmatch(column.strip()))


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
