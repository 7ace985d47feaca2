"""The queries of a request: what was written in each row, and the state and the postcode beside it.

What they mean is not its concern. What cannot be read stays as it is, so that it is seen in the error for its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import pandas as pd

from suburb_pandas.errors import InvalidName, SkippedRowsWarning
from suburb_pandas.messages import listed, warn
from suburb_pandas.names import sal
from suburb_pandas.names.sal import Query

Texts: TypeAlias = "Sequence[Any] | pd.Series[Any] | pd.Index[Any]"
Beside: TypeAlias = "str | float | Iterable[Any] | None"


@dataclass(frozen=True, slots=True)
class Rows:
    """What is to be resolved, row for row, None where there is nothing; and the index that the result is to have."""

    queries: Sequence[Query | None]
    index: pd.Index[Any]

    @property
    def distinct(self) -> list[Query]:
        """Each query once."""
        return list(dict.fromkeys(query for query in self.queries if query))


def texts_of(queries: str | Iterable[str]) -> Texts:
    """Read what ``resolve`` was given for queries.

    Raises
    ------
    TypeError
        It has no order, or is a frame.
    """
    if isinstance(queries, pd.DataFrame):
        raise TypeError("A frame was given for queries. Its own accessor finds the column: df.suburb.resolve().")
    if isinstance(queries, pd.MultiIndex):
        raise TypeError("A MultiIndex holds several texts a row. Pass one level: index.get_level_values(...).")
    if isinstance(queries, pd.Series | pd.Index):
        return queries
    return [queries] if isinstance(queries, str) else _in_order("queries", queries)


def read(queries: Texts, state: Beside, postcode: Beside) -> list[Query | None]:
    """Put what was written in each row together with the state and the postcode beside it.

    A Series or an Index may lack some, and such rows are skipped with a warning.

    Raises
    ------
    InvalidName
        Something that is not text was written; or in a list, nothing.
    ValueError
        What stands beside it does not fit, or is one for all rows and cannot be read.
    """
    states = _beside("state", state, queries)
    postcodes = _beside("postcode", postcode, queries)
    labels = list(queries.index if isinstance(queries, pd.Series) else range(len(queries)))
    may_lack = isinstance(queries, pd.Series | pd.Index)
    found = [
        None if may_lack and _is_blank(text) else Query(_text(text, label), *where)
        for text, label, *where in zip(queries, labels, states, postcodes, strict=True)
    ]
    missing = [label for label, query in zip(labels, found, strict=True) if query is None]
    if missing:
        warn(
            f"{len(missing)} of {len(found)} rows have no suburb name and were skipped: {listed(missing)}.",
            SkippedRowsWarning,
        )
    return found


def _text(written: object, label: object) -> str:
    """Give what was written, with its spaces in order."""
    if isinstance(written, str):
        return " ".join(written.split())
    raise InvalidName(
        f"What is to be resolved is text, and {sal.shown(written)} (row {label!r}) is not. Nothing was sent."
    )


def _beside(what: str, given: Beside, queries: Texts) -> Sequence[str | None]:
    """Give the state or the postcode of each row, as our own columns have it; what cannot be read, as it is."""
    if isinstance(given, str | Real) or _is_blank(given):
        one = _read(what, given)
        if one is not None and not _is_read(what, one):
            raise ValueError(f"{sal.shown(given)} is no {what}. Nothing was sent.")
        return [one] * len(queries)
    every = list(given) if isinstance(given, pd.Series | pd.Index) else _in_order(what, given)
    if len(every) != len(queries):
        raise ValueError(f"{what} is one for all {len(queries)} queries or one for each, and {len(every)} were given.")
    if isinstance(given, pd.Series) and isinstance(queries, pd.Series) and not given.index.equals(queries.index):
        raise ValueError(f"The index of {what} is not that of the queries, so they may be of other rows.")
    return [_read(what, value) for value in every]


def _read(what: str, value: object) -> str | None:
    if _is_blank(value):
        return None
    return (sal.state_code(value) if what == "state" else sal.postcode(value)) or _as_it_is(value)


def _is_read(what: str, text: str) -> bool:
    return text in sal.STATES if what == "state" else sal.postcode(text) == text


def _as_it_is(value: object) -> str:
    return value.strip() if isinstance(value, str) else sal.shown(value)


def _is_blank(value: Any) -> bool:
    """Whether nothing was written: missing, or no more than spaces."""
    return not value.strip() if isinstance(value, str) else pd.api.types.is_scalar(value) and bool(pd.isna(value))


def _in_order(what: str, given: object) -> list[Any]:
    if isinstance(given, set | frozenset | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"{what} is a text, a list, a Series or an Index, not {type(given).__name__}.")
    return list(given)
