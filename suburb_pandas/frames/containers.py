"""Reads containers of other libraries that may hold suburbs or queries, and refuses those that are not one column.

Series of polars, dask and pyarrow are converted to pandas. Their libraries are not imported: the classes are recognised
by their attributes. Reading the values is left to suburbs and queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from suburb_pandas.frames.column import SUBURB

_KNOWN: Final = (str, list, tuple, np.ndarray, pd.Series, pd.Index, ExtensionArray)

_OF_FRAMES: Final = ("columns", "column_names", "data_vars", "__dataframe__")
"""Attributes of the frames of polars, dask, pyarrow, modin and pyspark, of xarray's Dataset, and of others."""

_OF_GROUPS: Final = ("GroupBy", "Window", "Rolling")
"""Parts of the names of classes that hold groups of rows: those of pandas, polars, pyarrow and dask."""

_ON_FRAMES: Final = ("rent", "impacts", "impact_summary", "scorecard", "quote", "places", "resolve")
"""The functions that are also methods of ``df.suburb``."""

_ACCESSOR: Final = "suburb_pandas.SuburbAccessor"
"""The accessor, by its name, because this folder may not import it."""

_READERS: Final = ("to_pylist", "to_list", "to_numpy")
"""Methods of a Series that return its values: pyarrow's, those of polars and others, and xarray's."""

_WAYS_TO_A_COLUMN: Final = {
    "toPandas": 'frame.select("{label}").toPandas()["{label}"]',  # pyspark
    "collect": 'frame.select("{label}").collect()["{label}"]',  # polars' LazyFrame
}
"""The expression for a column of frames whose ``frame["suburb"]`` is no Series, by a method of these frames."""


def read_container(given: Any, argument: str, call: str, label: str = SUBURB) -> Any:
    """Convert a Series or array of another library to pandas. Any other object is returned unchanged.

    An object without an index becomes an Index, so that messages name its rows by position. An array without dimensions
    becomes the value in it.

    Parameters
    ----------
    given
        The value of the argument.
    argument
        The name of the argument.
    call
        The user's call, with ``{}`` for the argument, as the message shows it: ``sp.rent({})``.
    label
        The label of a column in that call.

    Raises
    ------
    TypeError
        The object is a frame, ``df.suburb`` without such a column, a mapping, or the groups of a frame.
    """
    if isinstance(given, np.ndarray) and not given.ndim:
        return given.item()
    if isinstance(given, _KNOWN):
        return given
    _refuse(given, argument, call, label)
    if hasattr(type(given), "__dask_graph__") and hasattr(type(given), "ndim"):
        given = given.compute()
    if isinstance(given, _KNOWN) or not isinstance(given, Iterable):
        return given
    for reader in _READERS:
        if hasattr(type(given), reader):
            return pd.Index(list(getattr(given, reader)()), dtype="object")
    return given


def _refuse(given: object, argument: str, call: str, label: str) -> None:
    """Raise TypeError if an object is a frame, a mapping, or the groups of a frame."""
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    what = kind.__name__ if library == "builtins" else f"{library}.{kind.__name__}"
    if what == _ACCESSOR:
        raise TypeError(
            f"The frame has no column called {SUBURB}, so df.suburb holds methods and no names. Nothing was sent. "
            f"Name the column that has them: {_way_on_from_accessor(call)}"
        )
    if isinstance(given, pd.DataFrame) and label == SUBURB:
        raise TypeError(
            f"{argument} is a whole frame, and nothing was sent. If several of its columns are called {label}, rename "
            f"all but one. {_way_on_from_pandas(call)}"
        )
    if any(part in one.__name__ for one in kind.__mro__ for part in _OF_GROUPS):
        raise TypeError(
            f"{argument} is a set of groups ({what}), not a column. Nothing was sent. Pass the column: "
            f"{call.format(_column_of(kind, label))}"
        )
    if any(hasattr(kind, name) for name in _OF_FRAMES) and getattr(given, "ndim", 2) != 1:
        raise TypeError(
            f"{argument} is a whole frame ({what}), not a column. Nothing was sent. Pass the column: "
            f"{call.format(_column_of(kind, label))}"
        )
    if isinstance(given, Mapping):
        raise TypeError(
            f"{argument} is a mapping ({what}), so either its keys or its values could be meant. Nothing was sent. "
            f"Pass a list: {call.format('list(mapping)')} or {call.format('list(mapping.values())')}"
        )


def _way_on_from_accessor(call: str) -> str:
    """Return the ways to make a call for a column with another name: by the frame's method, or with the column."""
    function, column = _function_of(call), call.format('df["..."]')
    return f'df.suburb.{function}(column="...") or {column}' if function in _ON_FRAMES else column


def _way_on_from_pandas(call: str) -> str:
    """Return the sentence that shows how to make a call for a frame of pandas: by its method, or with the column."""
    function, column = _function_of(call), call.format(f'df["{SUBURB}"]')
    if function in _ON_FRAMES:
        return f"Use df.suburb.{function}(), which finds the column, or pass the column: {column}"
    return f"df.suburb has no {function}(), so pass the column: {column}"


def _function_of(call: str) -> str:
    return call.removeprefix("sp.").removesuffix("({})")


def _column_of(kind: type, label: str) -> str:
    """Return the expression for a column of a frame, or of the frame of groups, of this class."""
    ways = [way for method, way in _WAYS_TO_A_COLUMN.items() if hasattr(kind, method)]
    return (ways or ['frame["{label}"]'])[0].format(label=label)
