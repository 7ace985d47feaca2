"""Reads the suburbs of a request: distinct names in the order given, or the query of each row with what stands beside.

They are one text, a list, a Series or an Index. A Series of another library is converted to pandas without an import of
that library. Whatever is no list of values, such as a frame, a mapping or a set, is refused. Finding the column of a
frame is left to frames.column, the rules for a name to names.sal, deciding what a query means to names.matching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Sequence, ValuesView
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import is_scalar

from suburb_pandas.errors import InvalidName, NoSuburbColumn, SkippedRowsWarning
from suburb_pandas.frames.column import SUBURB
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.written import Query, is_no_name

Texts: TypeAlias = "Sequence[Any] | pd.Series[Any] | pd.Index[Any]"
Beside: TypeAlias = "str | float | Iterable[Any] | None"
Known: TypeAlias = Callable[[], Gazetteer]
Column: TypeAlias = "pd.Series[Any] | pd.Index[Any]"

_NOTHING: Final = (
    "{!r} stands for a missing name. Nothing was sent. To skip missing names, pass a Series: pd.Series(names)"
)
_READERS: Final = {"state": sal.state_code, "postcode": sal.postcode}
_LISTS: Final = (Sequence, Iterator, KeysView, ValuesView, np.ndarray, ExtensionArray, pd.Series, pd.Index)


@dataclass(frozen=True, slots=True)
class SuburbSelection:
    """The distinct suburbs of a request. ``one`` is True if a single name was given; a list of one name is a list."""

    names: tuple[str, ...]
    one: bool


def _nothing_known() -> Gazetteer:
    """Return the suburbs that are known to a caller who names none."""
    return Gazetteer()


def select_suburbs(
    suburbs: Any, call: str = "sp.rent({})", argument: str = "suburbs", known: Known = _nothing_known
) -> SuburbSelection:
    """Read the argument ``suburbs`` of a loader.

    In a Series or an Index, rows without a name are skipped with a warning. ``call`` is the user's call, as messages
    show it, with ``{}`` for the argument. ``known`` is as in `as_names`.

    Raises
    ------
    InvalidName
        A value is not text, cannot be a name, or is missing from a list. Or the argument is a MultiIndex.
    NoSuburbColumn
        The values are codes of the ABS, and no code is known.
    TypeError
        The argument is neither text nor a list of values, as in `read_container`.
    """
    suburbs = read_container(suburbs, argument, call)
    if is_scalar(suburbs):
        return SuburbSelection((_check(suburbs, known),), one=True)
    names: Any
    if isinstance(suburbs, pd.Series | pd.Index):
        suburbs = as_names(suburbs, known)
        given = pd.Series(suburbs, dtype=suburbs.dtype)
        names = given.dropna()
        if len(names) < len(given):
            warn_of_skipped(given.index[given.isna()].tolist(), len(given))
    else:
        names = pd.Series(list(suburbs), dtype="object")
    with suppress(TypeError):  # a value that cannot be hashed; `check` refuses it with a clear message
        names = names.unique()
    return SuburbSelection(tuple(_check(name, known) for name in names), one=False)


def texts_of(queries: str | Iterable[str]) -> Texts:
    """Read the argument ``queries`` of ``resolve``.

    Raises
    ------
    InvalidName
        The argument is a MultiIndex.
    TypeError
        The argument is neither text nor a list of values: a frame, groups, a mapping or a set.
    """
    queries = read_container(queries, "queries", "sp.resolve({})")
    if isinstance(queries, pd.Series | pd.Index):
        return queries
    return [queries] if is_scalar(queries) else list(queries)


def read_queries(queries: Texts, state: Beside, postcode: Beside, region: Beside, known: Known) -> list[Query | None]:
    """Combine the text of each row with its state, postcode and region.

    In a Series or an Index, a row without a text is skipped with a warning. ``known`` is as in `as_names`.

    Raises
    ------
    InvalidName
        A value is not text, or is missing from a list.
    TypeError
        The states, postcodes or regions are neither text nor a list of values.
    ValueError
        The states, postcodes or regions have another length or index than the queries, or a single value is not valid.
    """
    given = {"state": state, "postcode": postcode, "region": region}
    beside = [_for_each_row(field, value, queries) for field, value in given.items()]
    labels = list(queries.index if isinstance(queries, pd.Series) else range(len(queries)))
    may_lack = isinstance(queries, pd.Series | pd.Index)
    texts = as_names(queries, known) if isinstance(queries, pd.Series | pd.Index) else queries
    result = [
        None if may_lack and _is_blank(text) else Query(_text(text, label, known), *fields)
        for text, label, *fields in zip(texts, labels, *beside, strict=True)
    ]
    missing = [label for label, query in zip(labels, result, strict=True) if query is None]
    if missing:
        warn_of_skipped(missing, len(result))
    return result


def as_names(values: Column, known: Known) -> Column:
    """Return a column or an index with names for the ABS's codes, and NA for texts such as ``n.a.``.

    The values are codes if the label is the ABS's for codes, such as ``SAL_CODE_2021``; a code that is not known stays.
    ``known`` returns the suburbs that are known. A text that is one of their names is never missing.

    Raises
    ------
    NoSuburbColumn
        The values are codes, and no code is known.
    """
    if isinstance(values.name, str) and sal.is_sal_column(values.name, "CODE"):
        names = {place.sal_code: name for name, place in known().items() if place.sal_code}
        if not names:
            raise NoSuburbColumn(
                f"{values.name} has codes of the ABS, and no list with codes is loaded. Nothing was sent. Load one: "
                "sp.load_gazetteer('SAL_2021_AUST.xlsx')"
            )
        codes = values.astype("object").map(lambda value: sal.sal_code(value) or value)
        values = codes.map(lambda code: names.get(code, code))
    texts = {value for value in values if isinstance(value, str)}
    nothing = {text for text in texts if _is_nothing(text, known)}
    if not nothing:
        return values
    return values.where(np.array([not isinstance(value, str) or value not in nothing for value in values], "bool"))


def _text(written: object, label: object, known: Known) -> str:
    """Return a text without outer and repeated spaces, or raise ``InvalidName`` if it is no text, or no name."""
    if isinstance(written, str):
        if _is_nothing(written, known):
            raise InvalidName(_NOTHING.format(written))
        return " ".join(written.split())
    raise InvalidName(
        f"A query must be text, not {sal.shown(written)} (row {label!r}). Nothing was sent.{sal.how_to_skip(written)}"
    )


def _for_each_row(field: str, given: Beside, queries: Texts) -> list[str | None]:
    """Return the state, the postcode or the region of each row. Values that are not valid are kept as text."""
    values = read_container(given, field, f"sp.resolve(queries, {field}={{}})", field)
    if is_scalar(values):
        if field in _READERS and not _is_blank(values):
            sal.check_where(field, values)
        return [read_field(field, values)] * len(queries)
    beside = [read_field(field, value) for value in values]
    if len(beside) != len(queries):
        raise ValueError(
            f"Pass one {field} for all queries, or one for each: the number of queries is {len(queries)}, not "
            f"{len(beside)}. Nothing was sent."
        )
    if isinstance(values, pd.Series) and isinstance(queries, pd.Series) and not values.index.equals(queries.index):
        raise ValueError(
            f"{field} and the queries have different indexes, so their rows may not belong together. Nothing was sent. "
            f"If the rows are in the same order, pass {field}={field}.to_list()"
        )
    return beside


def read_field(field: str, value: Any) -> str | None:
    """Return a state, postcode or region in the form that queries have; None if missing, text if it is not valid."""
    if _is_blank(value) or (isinstance(value, str) and is_no_name(value)):
        return None
    valid = _READERS[field](value) if field in _READERS else None
    return valid or (value.strip() if isinstance(value, str) else sal.shown(value))


def _check(name: object, known: Known) -> str:
    """Return a name unchanged, or raise ``InvalidName`` if no suburb can have it."""
    checked = sal.check(name)
    if _is_nothing(checked, known):
        raise InvalidName(_NOTHING.format(name))
    return checked


def _is_nothing(text: str, known: Known) -> bool:
    """Return True if a text stands for a missing name, and no known suburb is called so."""
    return is_no_name(text) and text not in known()


def read_container(given: Any, argument: str, call: str, label: str = SUBURB) -> Any:
    """Return a scalar or a list of values unchanged, and a Series of another library as a Series or Index of pandas.

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
    InvalidName
        The object is a MultiIndex.
    TypeError
        The object is anything else: a frame, ``df.suburb`` without such a column, groups, a mapping, a set.
    """
    if isinstance(given, pd.MultiIndex):
        raise InvalidName(
            "A MultiIndex has several values per row. Nothing was sent. Pass one level: index.get_level_values(0)"
        )
    if isinstance(given, _LISTS) or is_scalar(given):
        return given
    values = _of_other_library(given)
    if values is None:
        raise TypeError(
            f"{argument} must be text, a list, a Series or an Index, not {type(given).__name__}. Nothing was sent. "
            f"Pass a list or one column, as in {call.format(f'df[{label!r}]')} if only one is called {label}; "
            "df.suburb has methods for whole frames."
        )
    return values


def _of_other_library(given: Any) -> Any:
    """Return a Series of another library as a Series, or as an Index if it has no index; None if it is no Series."""
    library_type = type(given)
    if hasattr(library_type, "to_list"):  # polars, whose `to_pandas` needs pyarrow
        return pd.Index(given.to_list(), dtype="object")
    if hasattr(library_type, "to_pandas") and not hasattr(library_type, "columns"):  # pyarrow, xarray
        values = given.to_pandas()
        return pd.Index(values) if isinstance(values, pd.Series) else None
    is_one_column = hasattr(library_type, "compute") and getattr(given, "ndim", None) == 1  # dask
    return given.compute() if is_one_column else None


def repeated(suburbs: object) -> tuple[str, ...]:
    """Return the names that a list, a Series or an Index holds more than once, in the order in which they repeat."""
    if isinstance(suburbs, str) or not isinstance(suburbs, Iterable):
        return ()
    given = pd.Series(list(suburbs), dtype="object").dropna()
    return tuple(given[given.duplicated()].unique())


def warn_of_skipped(rows: Sequence[object], n_rows: int) -> None:
    """Warn of rows without a name. ``rows`` are their labels."""
    has, were, row = ("has", "was", "row") if len(rows) == 1 else ("have", "were", "rows")
    warn(
        f"{len(rows)} of {counted(n_rows, 'row')} {has} no suburb name and {were} skipped: {row} {listed(rows)}.",
        SkippedRowsWarning,
    )


def _is_blank(value: Any) -> bool:
    """Return True if a value is missing or has only spaces."""
    return not value.strip() if isinstance(value, str) else is_scalar(value) and bool(pd.isna(value))
