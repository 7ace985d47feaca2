"""The rule that finds the suburbs in a frame: which column or index level holds them.

It reads labels, and of values only whether there are any. What the names are is left to `wanted`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, cast

import pandas as pd

from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import listed

SUBURB: Final = "suburb"
_FEW: Final = 100  # rows that mostly tell whether there is a name at all: to look at a million takes 17 ms
SPELLINGS: Final = (SUBURB, "suburb_name", "sal_name", "locality")


def suburbs_of(frame: pd.DataFrame, column: Hashable | None) -> pd.Series[Any] | pd.Index[Any]:
    """Give the names in a frame: the column or index level that is named, else the one that the rule finds.

    Raises
    ------
    NoSuburbColumn
        There is none, there are several, or it holds not a single name.
    """
    return _named(frame, _one_of(frame, labels_of(frame)) if column is None else column)


def queries_of(frame: pd.DataFrame, column: Hashable | None) -> pd.Series[Any] | pd.Index[Any]:
    """Give what is to be resolved in a frame: as ``suburbs_of``, but ``area_name`` only where there is no other.

    What was resolved can so stand in ``area_name``, beside what it was resolved from.
    """
    return _named(frame, _one_of(frame, _spelt(frame) or labels_of(frame)) if column is None else column)


def _named(frame: pd.DataFrame, label: Hashable) -> pd.Series[Any] | pd.Index[Any]:
    names = column_or_level(frame, label, NoSuburbColumn)
    if len(names) and names.array[:_FEW].isna().all() and names.isna().all():
        raise NoSuburbColumn(f"{label!r} holds no name: it is missing in all of the {len(names)} rows.")
    return names


def _one_of(frame: pd.DataFrame, found: list[str]) -> str:
    """Give the one label that was found."""
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuburbColumn(
            f"Several columns or index levels can hold the suburbs: {listed(found)}. Name one, as in "
            f"column={found[0]!r}; where two have the same name, rename one."
        )
    raise NoSuburbColumn(
        f"No column or index level is called {AREA_NAME}, nor {', '.join(SPELLINGS)} in any case. {_inventory(frame)} "
        "Name the one that holds the suburbs: column=..."
    )


def labels_of(frame: pd.DataFrame) -> list[str]:
    """Give the columns and index levels that are called what suburbs are called."""
    return [label for label in _texts(frame) if label == AREA_NAME] or _spelt(frame)


def _spelt(frame: pd.DataFrame) -> list[str]:
    return [label for label in _texts(frame) if label.casefold() in SPELLINGS]


def _texts(frame: pd.DataFrame) -> list[str]:
    return [label for label in (*map(_plain, frame.columns), *frame.index.names) if isinstance(label, str)]


def _plain(label: Hashable) -> Hashable:
    """`suburb` for `("suburb", "", ...)`, which is what ``reset_index`` makes where columns have levels."""
    return label[0] if isinstance(label, tuple) and label and {*label[1:]} <= {""} else label


def column_or_level(frame: pd.DataFrame, label: Hashable, error: type[Exception]) -> pd.Series[Any] | pd.Index[Any]:
    """Give the column of that label, else the index level; where there is not just one, an error."""
    if isinstance(label, pd.Series | pd.Index | list):
        raise error(f"A column is named by its label, as in column='suburb', not given as a {type(label).__name__}.")
    index, levels = frame.index, list(frame.index.names)
    if label in frame.columns:
        names: object = frame[label]
        if isinstance(names, pd.Series):
            return names
    elif levels.count(label) == 1:
        # By name: a level called 1 need not be the second, and to pandas-stubs a name is a str.
        return index.get_level_values(cast("str", label)) if isinstance(index, pd.MultiIndex) else index
    elif label not in levels:
        raise error(f"No column or index level is called {label!r}. {_inventory(frame)}")
    raise error(f"Several columns or index levels are called {label!r}. Rename one, or name one in full.")


def _inventory(frame: pd.DataFrame) -> str:
    """What there is, for an error."""
    levels = [name for name in frame.index.names if name is not None]
    columns = f"The columns are {listed(frame.columns)}." if len(frame.columns) else "There are no columns."
    return f"{columns} The index levels are {listed(levels)}." if levels else columns
