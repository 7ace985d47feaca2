"""Puts a long frame into the other layouts, and a result into the layout in which the rents came.

Recognising and reading a layout is left to `layouts`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPE, PROPERTY_TYPES, RENT, Rows
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.dates import Whole
from suburb_pandas.timeseries.points import known_at


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of rents: ``given`` as they came, and ``plain`` with dates as the index and suburbs in ``area_name``.

    ``kind`` is that of ``plain``, in which a Series and a panel are long frames. ``levels`` are the labels in ``plain``
    of the index levels that became columns, ``date_column`` is the position of the column of dates if there was one,
    ``suburb`` is the label that the column of suburbs had, and ``beside`` are other columns.
    """

    given: Rows = field(repr=False)
    plain: pd.DataFrame = field(repr=False)
    kind: Literal["long", "tidy", "wide"]
    levels: Sequence[str] = ()
    date_column: int | None = None
    suburb: Hashable = AREA_NAME
    beside: Sequence[Hashable] = ()

    def check_detail(self) -> None:
        """Raise ValueError unless this layout has room for the columns of ``detail=True``."""
        if self.kind != "long" or isinstance(self.given, pd.Series):
            raise ValueError(
                "detail=True adds columns, so it needs the long layout, which a loader returns unless layout= names "
                "another. Load these rents so, which is free where their responses are stored."
            )

    def check_beside(self) -> None:
        """Raise ValueError if a column or a level beside the rents has several values in the rows of a suburb."""
        beside = self.plain[[*self.beside]]
        lists = [label for label in beside if infer_dtype(beside[label]) == "mixed"]  # which have no hash
        suburbs = self.plain[AREA_NAME] if AREA_NAME in self.plain.columns else np.zeros(len(beside))
        counts = beside.astype(dict.fromkeys(lists, "str")).groupby(suburbs, observed=True).nunique(dropna=False)
        varying = [label for label in beside if (counts[label] > 1).any()]
        if not varying:
            return
        levels = [nth for nth, level in enumerate(self.levels) if level in varying]
        code = f"frame.droplevel({levels})" if levels else "frame"
        if len(levels) < len(varying):
            kept = [label for label in self.given.columns if label not in varying]
            code = f"frame[{kept}]" + code.removeprefix("frame")
        raise ValueError(
            f"Pass {code}, without {listed(varying)}: only columns and levels that are the same in all rows of a "
            "suburb can stand beside the rents."
        )

    def restore(self, result: pd.DataFrame) -> Any:
        """Return a long result, with dates as its index and suburbs in ``area_name``, in this layout."""
        if self.kind == "wide":
            return wide(result, self.plain.columns)
        made = tidy(result).set_index(DATE) if self.kind == "tidy" else result
        for label in self.beside:
            made[label] = self._of_suburbs(label, made)
        return self._as_given(made)

    def with_values(self, columns: Mapping[str, tuple[Whole, npt.NDArray[Any]]]) -> Any:
        """Return the rents with other values, and perhaps more columns, given by their places as `Points` has them.

        A tidy row without a value is left out, and the others are numbered anew.
        """
        plain = self.plain
        if self.kind == "long":
            new = {label: _placed(row, values, len(plain)) for label, (row, values) in columns.items()}
            result = self._as_given(plain.assign(**new))
            return result if self.date_column is None else result.set_axis(self.given.index)
        row, rent = (np.concatenate(parts) for parts in zip(*columns.values(), strict=True))
        if self.kind == "wide":
            table = _placed(row, rent, plain.size).reshape(plain.shape[::-1]).T
            return pd.DataFrame(table, plain.index, plain.columns)
        return self._as_given(_as_text(plain.assign(rent=_placed(row, rent, len(plain))).dropna(subset=[RENT])))

    def _of_suburbs(self, label: Hashable, result: pd.DataFrame) -> Any:
        """Return the value of a column beside the rents for each row of a result."""
        first, suburb = self.plain, np.zeros(len(result), dtype="int64")
        if AREA_NAME in first.columns:
            first = first.drop_duplicates(AREA_NAME)
            suburb = pd.Index(first[AREA_NAME]).get_indexer(pd.Index(result[AREA_NAME]))
        return first[label].array.take(suburb)

    def _as_given(self, result: pd.DataFrame) -> Any:
        """Return a long or tidy result with its dates and suburbs in columns or levels, and with labels, as given."""
        if self.levels:
            result = result.rename_axis(DATE).reset_index().set_index([*self.levels])
            result.index.names = self.given.index.names
        elif self.date_column is not None:
            dates, result = result.index, result.reset_index(drop=True)
            result.insert(min(self.date_column, len(result.columns)), DATE, dates)
        if isinstance(self.given, pd.Series):
            series = result.iloc[:, 0]
            series.name = self.given.name
            return series
        return result.rename(columns={AREA_NAME: self.suburb})


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame in the tidy layout: a row for each value, by suburb, then houses before units, then date.

    The rows of the long frame are by suburb, then by date.
    """
    names = [AREA_NAME] if AREA_NAME in frame.columns else []
    result = frame.reset_index().melt([DATE, *names], var_name=PROPERTY_TYPE, value_name=RENT).dropna(subset=[RENT])
    if names:
        suburb = pd.factorize(frame[AREA_NAME])[0][result.index % max(len(frame), 1)]
        result = result.iloc[np.argsort(suburb, kind="stable")]
    result = _as_text(result.reset_index(drop=True))
    result.attrs = frame.attrs
    return result


def wide(frame: pd.DataFrame, columns: pd.Index[Any] | None = None) -> pd.DataFrame:
    """Return a long frame in the wide layout: one row per date, one column per (``property_type``, ``area_name``).

    A suburb without points has columns of NaN. With `columns`, these are the columns of the result.
    """
    if columns is None:
        levels: list[Any] = [PROPERTY_TYPES, frame[AREA_NAME].cat.categories]
        columns = pd.MultiIndex.from_product(levels, names=[PROPERTY_TYPE, AREA_NAME])
    if isinstance(columns, pd.MultiIndex):
        own = columns.reorder_levels([PROPERTY_TYPE, AREA_NAME])
    else:
        own = pd.MultiIndex.from_product([[RENT], columns])
    names: Any = own.levels[1].astype("str")  # as in a long frame, whatever they were
    own = own.set_levels(names, level=1)
    table: Any = frame.set_index(AREA_NAME, append=True).unstack()  # noqa: PD010 - pivot_table would aggregate
    # A categorical level, which the table has, cannot be written to Parquet.
    result: pd.DataFrame = table.reindex(columns=own).set_axis(columns, axis=1)
    result.attrs = frame.attrs
    return result


def panel(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame as a panel: the index has the levels ``area_name`` and ``date``."""
    return frame.set_index(AREA_NAME, append=True).swaplevel()


def _placed(row: Whole, values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return values at their places among `size` ones, which are missing elsewhere."""
    result = known_at(values, np.full(size, -1))
    result[row] = values
    return result


def _as_text(tidy_frame: pd.DataFrame) -> pd.DataFrame:
    """Return a tidy frame with text in place of categories: seaborn and statsmodels use also those without a row."""
    return tidy_frame.astype({label: "str" for label in (AREA_NAME, PROPERTY_TYPE) if label in tidy_frame.columns})
