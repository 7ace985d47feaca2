"""Reads the queries of a request: the text of each row, with its state, postcode and region.

A state or postcode that is not valid is kept as text, so that the error for its row can show it. Deciding what a query
means is left to names.matching.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import pandas as pd

from suburb_pandas.errors import InvalidName
from suburb_pandas.frames.containers import read_container
from suburb_pandas.frames.suburbs import warn_of_skipped
from suburb_pandas.names import sal
from suburb_pandas.names.readings import Query

Texts: TypeAlias = "Sequence[Any] | pd.Series[Any] | pd.Index[Any]"
Beside: TypeAlias = "str | float | Iterable[Any] | None"


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
    TypeError
        The argument is a frame, the groups of a frame, a mapping or a MultiIndex, has no order, or cannot be iterated.
    """
    queries = read_container(queries, "queries", "sp.resolve({})")
    if isinstance(queries, pd.MultiIndex):
        raise TypeError(
            "A MultiIndex has several values per row. Nothing was sent. Pass one level: index.get_level_values(0)"
        )
    if isinstance(queries, pd.Series | pd.Index):
        return queries
    return [queries] if isinstance(queries, str) else _in_order("queries", queries)


def read(queries: Texts, state: Beside, postcode: Beside, region: Beside) -> list[Query | None]:
    """Combine the text of each row with its state, postcode and region.

    In a Series or an Index, a row without a text is skipped with a warning.

    Raises
    ------
    InvalidName
        A value is not text, or is missing from a list.
    TypeError
        The states, postcodes or regions have no order.
    ValueError
        The states, postcodes or regions have another length or index than the queries, or a single value is not valid.
    """
    states = _for_each_row("state", state, queries)
    postcodes = _for_each_row("postcode", postcode, queries)
    regions = _for_each_row("region", region, queries)
    labels = list(queries.index if isinstance(queries, pd.Series) else range(len(queries)))
    may_lack = isinstance(queries, pd.Series | pd.Index)
    result = [
        None if may_lack and _is_blank(text) else Query(_text(text, label), *beside)
        for text, label, *beside in zip(queries, labels, states, postcodes, regions, strict=True)
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
        f"A query must be text, not {sal.shown(written)} (row {label!r}). Nothing was sent.{sal.how_to_skip(written)}"
    )


def _for_each_row(field: str, given: Beside, queries: Texts) -> Sequence[str | None]:
    """Return the state, the postcode or the region of each row. Values that are not valid are kept as text."""
    given = read_container(given, field, f"sp.resolve(queries, {field}={{}})", field)
    if isinstance(given, str | Real) or _is_blank(given):
        for_all = read_field(field, given)
        if for_all is not None and not _is_valid(field, for_all):
            raise ValueError(sal.not_valid(field, given))
        return [for_all] * len(queries)
    values = list(given) if isinstance(given, pd.Series | pd.Index) else _in_order(field, given)
    if len(values) != len(queries):
        raise ValueError(
            f"Pass one {field} for all queries, or one for each: the number of queries is {len(queries)}, not "
            f"{len(values)}. Nothing was sent."
        )
    if isinstance(given, pd.Series) and isinstance(queries, pd.Series) and not given.index.equals(queries.index):
        raise ValueError(
            f"{field} and the queries have different indexes, so their rows may not belong together. Nothing was sent. "
            f"If the rows are in the same order, pass {field}={field}.to_list()"
        )
    return [read_field(field, value) for value in values]


def read_field(field: str, value: object) -> str | None:
    """Return a state, postcode or region in the form that queries have; None if blank, text if it is not valid."""
    if _is_blank(value):
        return None
    readers = {"state": sal.state_code, "postcode": sal.postcode}
    return (readers[field](value) if field in readers else None) or _as_text(value)


def _is_valid(field: str, text: str) -> bool:
    if field == "region":
        return True
    return text in sal.STATES if field == "state" else sal.postcode(text) == text


def _as_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else sal.shown(value)


def _is_blank(value: Any) -> bool:
    """Return True if a value is missing or has only spaces."""
    return not value.strip() if isinstance(value, str) else pd.api.types.is_scalar(value) and bool(pd.isna(value))


def _in_order(field: str, given: object) -> list[Any]:
    if isinstance(given, set | frozenset | bytes | bytearray | memoryview) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise TypeError(
            f"{field} must be text, a list, a Series or an Index, not {kind}. "
            f"Nothing was sent.{sal.how_to_decode(given)}"
        )
    return list(given)
