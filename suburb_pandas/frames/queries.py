"""Reads the queries of a request: the text of each row, with its state, postcode and region.

A state or postcode that is not valid is kept as text, so that the error for its row can show it. Deciding what a query
means is left to names.matching.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pandas as pd
from pandas.api.types import is_scalar

from suburb_pandas.errors import InvalidName
from suburb_pandas.frames.suburbs import read_container, warn_of_skipped
from suburb_pandas.names import sal
from suburb_pandas.names.readings import Query

Texts: TypeAlias = "Sequence[Any] | pd.Series[Any] | pd.Index[Any]"
Beside: TypeAlias = "str | float | Iterable[Any] | None"

_READERS: Final = {"state": sal.state_code, "postcode": sal.postcode}


@dataclass(frozen=True, slots=True)
class Rows:
    """The query of each row, None for a row without one, and the index of the result."""

    queries: Sequence[Query | None]
    index: pd.Index[Any]

    @property
    def distinct(self) -> list[Query]:
        """The distinct queries, in the order of the rows."""
        return list(dict.fromkeys(query for query in self.queries if query))


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


def read(queries: Texts, state: Beside, postcode: Beside, region: Beside) -> list[Query | None]:
    """Combine the text of each row with its state, postcode and region.

    In a Series or an Index, a row without a text is skipped with a warning.

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
    result = [
        None if may_lack and _is_blank(text) else Query(_text(text, label), *fields)
        for text, label, *fields in zip(queries, labels, *beside, strict=True)
    ]
    missing = [label for label, query in zip(labels, result, strict=True) if query is None]
    if missing:
        warn_of_skipped(missing, len(result))
    return result


def _text(written: object, label: object) -> str:
    """Return a text without outer and repeated spaces, or raise ``InvalidName`` if it is not text."""
    if isinstance(written, str):
        return " ".join(written.split())
    raise InvalidName(
        f"A query must be text, not {sal.shown(written)} (row {label!r}). Nothing was sent."
        f"{sal.how_to_decode(written) or sal.how_to_skip(written)}"
    )


def _for_each_row(field: str, given: Beside, queries: Texts) -> list[str | None]:
    """Return the state, the postcode or the region of each row. Values that are not valid are kept as text."""
    values = read_container(given, field, f"sp.resolve(queries, {field}={{}})", field)
    if is_scalar(values):
        if field in _READERS and not _is_blank(values) and not _READERS[field](values):
            raise ValueError(sal.not_valid(field, values))
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
    """Return a state, postcode or region in the form that queries have; None if blank, text if it is not valid."""
    if _is_blank(value):
        return None
    valid = _READERS[field](value) if field in _READERS else None
    return valid or (value.strip() if isinstance(value, str) else sal.shown(value))


def _is_blank(value: Any) -> bool:
    """Return True if a value is missing or has only spaces."""
    return not value.strip() if isinstance(value, str) else is_scalar(value) and bool(pd.isna(value))
