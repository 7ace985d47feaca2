"""Finds the column or index level of a frame that holds the suburbs.

Only the label decides, but a column is refused if it has rows and all of them are missing. Also lists the suburbs in a
frame of the package. Reading other values, which may be codes of the ABS, is left to frames.suburbs.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, cast

import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.frames.marks import marks_of
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import counted, listed
from suburb_pandas.names.sal import is_sal_column

SUBURB: Final = "suburb"
_ABS: Final = "SAL_NAME_2021"  # one of the ABS's spellings, as an example for messages
SPELLINGS: Final = (SUBURB, "suburb_name", "sal_name", "locality")


def suburbs_of_rows(frame: pd.DataFrame, name: str) -> pd.Series[Any] | pd.Index[Any]:
    """Return the suburbs of a table's rows, as ``suburbs_of`` does; if no label can hold them, an index of text.

    ``name`` is that of the table, for the message.

    Raises
    ------
    NoSuburbColumn
        Several columns or levels can hold the suburbs, or none can and the index is not text. Or all names are missing.
    """
    label = label_of(frame)
    if label is not None:
        return suburbs_of(frame, label)
    if infer_dtype(frame.index.astype("object")) == "string":
        return frame.index
    raise NoSuburbColumn(
        f"No column or index level of {name} is called area_name or suburb. Nothing was sent; name the one that holds "
        f"the suburbs: {name} = {name}.rename(columns={{'...': 'suburb'}})"
    )


def suburbs_in(frame: pd.DataFrame) -> list[str | None]:
    """Return the suburbs that have rows in a frame.

    A frame without a column ``area_name`` holds one suburb: its name comes from the attrs, or is None if they lack it.
    """
    names = pd.Series(frame.get(AREA_NAME, [marks_of(frame).get("area_name")]))
    return [*map(str, names.dropna().unique())] or [None]


def suburbs_of(frame: pd.DataFrame, column: Hashable | None) -> pd.Series[Any] | pd.Index[Any]:
    """Return the suburb names in a frame: those of ``column``, or of the column or index level that can hold suburbs.

    Raises
    ------
    NoSuburbColumn
        There is no such column or level, there are several, or it has rows and all of them are missing.
    """
    return _with_names(frame, _only(frame, labels_of(frame)) if column is None else column)


def queries_of(frame: pd.DataFrame, column: Hashable | None) -> pd.Series[Any] | pd.Index[Any]:
    """Return the queries in a frame: as ``suburbs_of``, but ``area_name`` is used only if no other label is found.

    A frame can thus hold its queries and, in ``area_name``, the names to which they were resolved.
    """
    return _with_names(frame, _only(frame, _common_labels(frame) or labels_of(frame)) if column is None else column)


def _with_names(frame: pd.DataFrame, label: Hashable) -> pd.Series[Any] | pd.Index[Any]:
    names = column_or_level(frame, label, NoSuburbColumn)
    if len(names) and names.isna().all():
        rows = counted(len(names), "row")
        raise NoSuburbColumn(
            f"{label!r} has no name in its {rows}. Nothing was sent; name another column: column='...'"
        )
    return names


def _only(frame: pd.DataFrame, labels: list[str]) -> str:
    """Return the only label, or raise ``NoSuburbColumn`` if there are several or none."""
    if len(labels) == 1:
        return labels[0]
    if labels:
        raise NoSuburbColumn(
            f"Several columns or index levels can hold the suburbs: {listed(labels)}. Choose one, as in "
            f"column={labels[0]!r}. If two have the same name, rename one."
        )
    raise NoSuburbColumn(
        f"No column or index level is called exactly {AREA_NAME}, or {', '.join(SPELLINGS)} or {_ABS} in upper or "
        f"lower case, with underscores or spaces. {_inventory(frame)} Name the one that holds the suburbs: column='...'"
    )


def label_of(frame: pd.DataFrame) -> str | None:
    """Return the only label that can hold suburbs, None if there is none. Raise ``NoSuburbColumn`` if several can."""
    labels = labels_of(frame)
    if len(labels) > 1:
        raise NoSuburbColumn(
            f"Several columns or index levels can hold the suburbs: {listed(labels)}. Drop all but one, as in "
            f"frame.drop(columns={labels[:-1]}), or for index levels frame.droplevel({labels[:-1]})"
        )
    return labels[0] if labels else None


def labels_of(frame: pd.DataFrame) -> list[str]:
    """Return the labels that can hold suburbs: ``area_name``, else the common ones, else those of the ABS's codes."""
    labels = _text_labels(frame)
    codes = [label for label in labels if is_sal_column(label, "CODE")]
    return [label for label in labels if label == AREA_NAME] or _common_labels(frame) or codes


def _common_labels(frame: pd.DataFrame) -> list[str]:
    return [label for label in _text_labels(frame) if is_suburb_label(label)]


def is_suburb_label(label: str) -> bool:
    """Return True if a label is a common name for a column of suburbs, or the ABS's own, whatever its case."""
    return label.casefold().replace(" ", "_") in SPELLINGS or is_sal_column(label)


def _text_labels(frame: pd.DataFrame) -> list[str]:
    return [label for label in (*map(_top_label, frame.columns), *frame.index.names) if isinstance(label, str)]


def _top_label(label: Hashable) -> Hashable:
    """Return ``suburb`` for ``("suburb", "", ...)``, the label that ``reset_index`` makes where columns have levels."""
    return label[0] if isinstance(label, tuple) and label and {*label[1:]} <= {""} else label


def column_or_level(frame: pd.DataFrame, label: Hashable, error: type[Exception]) -> pd.Series[Any] | pd.Index[Any]:
    """Return the column with this label, or else the index level. Raise ``error`` if there is none or several."""
    if isinstance(label, pd.Series | pd.Index | list):
        raise error(f"Pass the label of a column, as in 'suburb', not {type(label).__name__}.")
    index, levels = frame.index, list(frame.index.names)
    if label in frame.columns:
        names: object = frame[label]
        if isinstance(names, pd.Series):
            return names
    elif levels.count(label) == 1:
        # By name, not by position: a level called 1 need not be the second. The cast is only for pandas-stubs.
        return index.get_level_values(cast("str", label)) if isinstance(index, pd.MultiIndex) else index
    elif label not in levels:
        raise error(f"No column or index level is called {label!r}. {_inventory(frame)}")
    raise error(f"Several columns or index levels are called {label!r}. Rename one, or pass the full label of one.")


def _inventory(frame: pd.DataFrame) -> str:
    """List the columns and index levels of a frame, for an error message."""
    levels = [name for name in frame.index.names if name is not None]
    return f"The frame has {listed([*frame.columns, *levels]) or 'none'}."
