"""Finds the rows of a frame that are drivers, a summary, a scorecard or candidates, and makes such rows from responses.

Comparing the two is left to records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, SMOOTH, marks_of
from suburb_pandas.loaders.frames import SUMMARY_UNITS, frame_of_many, summary_frame
from suburb_pandas.loaders.scorecard import AFTER_ALL_DAYS, premiums_of, ratios, rents_at
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service import COMPOSITES, ENDPOINTS
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.geocode import GEOCODE, place_of
from suburb_pandas.timeseries.dates import Whole
from suburb_pandas.tracing.cells import NO_DAY, days_of, suburbs_in
from suburb_pandas.tracing.records import Combination, Part, Record

_SCORECARD: Final = "scorecard"
_LABEL: Final = "label"
_TEXTS: Final = {_LABEL, "detail", "evidence"}
_OF_RENTS: Final = ("rent", "rent_date", "unchanged_days", "growth_1y_pct", "growth_1y_base_date")
_CARD_OF_RENTS: Final = tuple(f"{kind}_{column}" for kind in PROPERTY_TYPES for column in _OF_RENTS)
_CARD_OF_PREMIUMS: Final = (
    "median_price_all_sales",
    "n_sales",
    "sales_flag",
    *(f"{kind}_rent_to_all_sales_price_pct" for kind in PROPERTY_TYPES),
    "total_premium",
    "total_premium_pct",
    "top_driver",
)
_OF_SCORECARDS: Final = {*_CARD_OF_RENTS, *_CARD_OF_PREMIUMS} - set(SUMMARY_UNITS)
_OF_DETAILS: Final = {f"{kind}_unchanged_days" for kind in PROPERTY_TYPES}
"""Columns of scorecards that ``detail=True`` adds to computed rents, too."""


def parts_of(frame: pd.DataFrame) -> list[Part]:
    """Return the parts of a frame that have the columns of drivers, of a summary, of a scorecard or of candidates.

    A frame can have several, because data can be joined to it.
    """
    if frame.columns.nlevels > 1:
        return []
    parts = [_candidates(frame)] if marks_of(frame).get("endpoint") == GEOCODE else []
    parts += [_rows(frame, name) for name, one in ENDPOINTS.items() if one.shape == "rows" and _has_rows(frame, name)]
    columns = set(frame.columns)
    is_scorecard = bool(columns & _OF_SCORECARDS)
    parts += [_scorecard(frame)] if is_scorecard else []
    of_summary = [column for column in SUMMARY_UNITS if not (is_scorecard and column in _CARD_OF_PREMIUMS)]
    return [*parts, *([_summary(frame, of_summary)] if columns & set(of_summary) else [])]


def parts_joined_to(computed: pd.DataFrame) -> list[Part]:
    """Return the parts of a frame of computed rents that were joined to it."""
    joined = [column for column in computed.columns if isinstance(column, str) and column in _OF_SCORECARDS]
    own = [column for column in joined if {*joined} <= _OF_DETAILS]
    return parts_of(computed.drop(columns=own))


def _has_rows(frame: pd.DataFrame, endpoint: str) -> bool:
    return bool(set(frame.columns) & (set(ENDPOINTS[endpoint].columns) - _TEXTS))


def _part(frame: pd.DataFrame, columns: Sequence[str], **how: Any) -> Part:
    """Return the rows that have a value in one of the columns, and a suburb."""
    kept = [column for column in columns if column in frame.columns]
    names = suburbs_in(frame)
    has_value = frame[[column for column in kept if column != AREA_NAME]].notna().any(axis=1).to_numpy()
    rows: pd.DataFrame = frame.loc[has_value, kept]
    return Part(["" if pd.isna(name) else str(name) for name in names[has_value]], rows, **how)


def _rows(frame: pd.DataFrame, endpoint: str) -> Part:
    def records(received: Mapping[str, Combination]) -> Mapping[str, Sequence[Record]]:
        payloads = {name: one.payload for name, (one,) in received.items() if not isinstance(one.payload, Missing)}
        made = frame_of_many(ENDPOINTS[endpoint], payloads, list(received))
        return _by_suburb(made.drop(columns=AREA_NAME), made[AREA_NAME], received)

    columns = list(ENDPOINTS[endpoint].columns)
    return _part(frame, columns, endpoints=(endpoint,), records=records, key=_LABEL if _LABEL in columns else None)


def _summary(frame: pd.DataFrame, columns: Sequence[str]) -> Part:
    (endpoint,) = COMPOSITES["impact_summary"]

    def records(received: Mapping[str, Combination]) -> Mapping[str, Sequence[Record]]:
        return _by_suburb(summary_frame(_payloads(received, 0), list(received)), list(received), received)

    return _part(frame, columns, endpoints=(endpoint,), records=records)


def _scorecard(frame: pd.DataFrame) -> Part:
    days, smooth = _days_by_suburb(frame), marks_of(frame).get(SMOOTH)

    def records(received: Mapping[str, Combination]) -> Mapping[str, Sequence[Record]]:
        names = list(received)
        until = {kind: np.array([own.get(name, AFTER_ALL_DAYS) for name in names]) for kind, own in days.items()}
        rents, impacts = rents_at(_payloads(received, 0), names, until, smooth), _payloads(received, 1)
        median = summary_frame(impacts, names)["median_price"]
        card = pd.DataFrame({**rents, **premiums_of(impacts, names), **ratios(rents, median)})
        return _by_suburb(card, names, received)

    columns = [*_CARD_OF_RENTS, *_CARD_OF_PREMIUMS]
    return _part(frame, columns, endpoints=COMPOSITES[_SCORECARD], records=records)


def _days_by_suburb(frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return the date of each suburb's rents on a scorecard; nothing if its column of dates was removed."""
    names = [str(name) for name in suburbs_in(frame)]
    found: dict[str, dict[str, int]] = {kind: {} for kind in PROPERTY_TYPES}
    for kind, by_suburb in found.items():
        label = f"{kind}_rent_date"
        if label in frame.columns:
            days: Whole = days_of(pd.Index(frame[label]))
            by_suburb |= dict(zip(names, np.where(days == NO_DAY, -AFTER_ALL_DAYS, days).tolist(), strict=True))
    return found


def _candidates(frame: pd.DataFrame) -> Part:
    marks = marks_of(frame)

    def records(received: Mapping[str, Combination]) -> Mapping[str, Sequence[Record]]:
        return {name: [place_of(candidate)._asdict() for candidate in one.payload] for name, (one,) in received.items()}

    part = _part(frame, Place._fields[:-1], endpoints=(GEOCODE,), records=records, key=AREA_NAME)
    return replace(part, names=[str(marks.get(AREA_NAME))] * len(part.rows), state=marks.get("state"))


def _payloads(received: Mapping[str, Combination], position: int) -> dict[str, Any]:
    """Return the payloads of one endpoint, without the responses that have no data."""
    found = {name: combination[position].payload for name, combination in received.items()}
    return {name: payload for name, payload in found.items() if not isinstance(payload, Missing)}


def _by_suburb(
    made: pd.DataFrame, names: Sequence[Any] | pd.Series[Any], suburbs: Mapping[str, Any]
) -> Mapping[str, Sequence[Record]]:
    found: dict[str, list[Record]] = {name: [] for name in suburbs}
    for name, record in zip(names, made.to_dict("records"), strict=True):
        found[name].append({str(column): value for column, value in record.items()})
    return found
