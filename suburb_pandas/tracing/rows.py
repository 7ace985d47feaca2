"""Makes the claims of rows: drivers, summaries, scorecards, candidates, and what was joined to the user's own rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.column import suburbs_of
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, SMOOTH, Rows, marks_of
from suburb_pandas.loaders.frames import SUMMARY_UNITS, frame_of_many, long_series_frame, summary_frame, utc_times
from suburb_pandas.loaders.join import days_of, with_rents
from suburb_pandas.loaders.scorecard import AFTER_ALL_DAYS, MAX_LAG_AT, premiums_of, ratios, rents_at
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service import COMPOSITES, ENDPOINTS
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.geocode import GEOCODE, place_of
from suburb_pandas.timeseries.dates import day_number, whole_days
from suburb_pandas.timeseries.doubts import STALE, stale_before
from suburb_pandas.timeseries.line import window_days
from suburb_pandas.tracing.claim import WHOLE, Claim, Received, Tables, names_of, numbered, payloads_of, table_of
from suburb_pandas.tracing.recomputed import JOINS, NOT_REPEATED, parsed
from suburb_pandas.tracing.tables import Table, days_in

Made = Callable[[Received], pd.DataFrame]
"""Makes rows of responses, with ``area_name``."""

SCORECARD: Final = "scorecard"
_FACTS: Final = ("state", "retrieved_at", "source", "status")
"""The columns of a scorecard that are about places and responses; what differs in them counts as not checked."""

_RENTS: Final = ("house_rent", "unit_rent", "rent_date")  # that join_rent adds


def claim_of_drivers(rows: pd.DataFrame, endpoint: str) -> Claim:
    """Return the claim of rows of an endpoint of that shape, such as drivers."""
    one = ENDPOINTS[endpoint]

    def made(received: Received) -> pd.DataFrame:
        return frame_of_many(one, payloads_of(received), list(received))

    return _claim(rows, names_of(rows), [*one.columns], (endpoint,), made, keys=["label"], of_values=True)


def claim_of_summary(rows: pd.DataFrame, columns: Sequence[str]) -> Claim:
    """Return the claim of the columns of a summary of impacts."""
    return _claim(rows, names_of(rows), columns, COMPOSITES["impact_summary"], _summaries)


def claim_of_card(rows: pd.DataFrame, context: RequestContext | None) -> Claim:
    """Return the claim of the columns of a scorecard."""
    marks, names = marks_of(rows), names_of(rows)
    window = window_days(marks.get(SMOOTH))
    made = _cards(rows, names, marks, context)
    is_card = marks.get("endpoint") == SCORECARD
    phrase = f"growth of means over {window} days" if window else ""
    columns = columns_of_cards()
    return _claim(rows, names, columns, COMPOSITES[SCORECARD], made, soft=_FACTS, phrase=phrase, is_all=is_card)


@cache
def columns_of_cards() -> list[str]:
    """Return the columns of scorecards that responses can prove."""
    none = _cards(pd.DataFrame(), pd.Series([], dtype="object"), {}, None)({})
    return [str(label) for label in none.columns if label != AREA_NAME]


def claim_of_candidates(rows: pd.DataFrame) -> Claim:
    """Return the claim of the candidates of a look-up, whose query the marks name."""
    marks = marks_of(rows)

    def made(received: Received) -> pd.DataFrame:
        found = [(name, *place_of(each)[:-1]) for name, (one,) in received.items() for each in one.payload]
        return pd.DataFrame(found, columns=["query", *Place._fields[:-1]]).rename(
            columns={AREA_NAME: "found", "query": AREA_NAME}
        )

    query = pd.Series([marks.get(AREA_NAME)] * len(rows), rows.index, dtype="object")
    columns, state = ["found", *Place._fields[1:-1]], marks.get("state")
    rows = rows.rename(columns={AREA_NAME: "found"})
    return _claim(rows, query, columns, (GEOCODE,), made, keys=["found"], of_values=True, state=state)


def claim_of_join(data: Rows, call: str, context: RequestContext | None) -> Claim:
    """Return the claim of the columns that a join added to the rows of a frame."""
    function, arguments = parsed(call, JOINS)
    if isinstance(data, pd.Series) or data.columns.nlevels > 1:
        raise ProvenanceError(NOT_REPEATED)
    given = {each.name: each.default for each in signature(JOINS[function]).parameters.values()} | dict(arguments)
    names = pd.Series(suburbs_of(data, given["column"]), dtype="object").set_axis(data.index)
    keys = [given[key] for key in ("on", "column") if given.get(key) is not None]
    if function == "join_rent":
        claim = _claim_of_joined_rents(data, names, given)
    else:
        made: Made = _summaries
        prefix, columns, lookup = given["prefix"], given["columns"], "impact_summary"
        known = [*SUMMARY_UNITS]
        if function == "join_scorecard":
            known, lookup = columns_of_cards(), SCORECARD
        own = {prefix + label: label for label in columns or known if label in known and prefix + label in data.columns}
        if function == "join_scorecard":
            made = _cards(data[[*own]].rename(columns=own), names, given, context)
        soft = [prefix + label for label in _FACTS]

        def joined(received: Received) -> pd.DataFrame:
            return made(received).set_index(AREA_NAME).add_prefix(prefix).reset_index()

        claim = _claim(data, names, [*own], COMPOSITES[lookup], joined, soft=soft, is_all=True)
    return replace(claim, columns=[*claim.columns, *keys], how=[call])


def _claim_of_joined_rents(data: pd.DataFrame, names: pd.Series[Any], given: Mapping[str, Any]) -> Claim:
    """Return the claim of rents that were joined to rows by their dates. Each row is its own place."""
    limit = None if given["tolerance"] is None else whole_days(given["tolerance"], "tolerance")
    days = days_of(data, given["on"]) - whole_days(given["lag"], "lag")
    columns = [label for label in _RENTS if label in data.columns]
    suburb, known = numbered(names)

    def table(frame: pd.DataFrame) -> Table:
        place = np.full(len(frame), "", dtype="object")
        return Table(suburb, np.arange(len(frame)), place, {label: frame[label].array for label in columns})

    def make(received: Received) -> Sequence[Tables]:
        rents = long_series_frame(payloads_of(received), list(received))
        return [{WHOLE: table(with_rents(pd.DataFrame(index=data.index), names, days, limit, rents))}]

    return Claim(known, ("rent",), {WHOLE: table(data)}, make, [*columns, AREA_NAME])


def _claim(
    rows: pd.DataFrame,
    names: pd.Series[Any],
    columns: Sequence[str],
    endpoints: Sequence[str],
    made: Made,
    *,
    keys: Sequence[str] = (),
    is_all: bool = False,
    **options: Any,
) -> Claim:
    """Return the claim of the rows that have a value in some columns, or of all, about the suburbs in ``names``."""
    columns = [label for label in columns if label in rows.columns]
    has_value = rows[columns].notna().any(axis=1).to_numpy() | (is_all & names.notna().to_numpy())
    own_keys = [key for key in keys if key in columns]
    suburb, known = numbered(names[has_value])

    def make(received: Received) -> Sequence[Tables]:
        again = made(received)
        return [{WHOLE: table_of(again, numbered(again[AREA_NAME], known)[0], own_keys, columns)}]

    table = table_of(rows[has_value], suburb, own_keys, columns)
    return Claim(known, endpoints, {WHOLE: table}, make, [*columns, AREA_NAME], **options)


def _summaries(received: Received) -> pd.DataFrame:
    return summary_frame(payloads_of(received), list(received)).reset_index()


def _cards(rows: pd.DataFrame, names: pd.Series[Any], given: Mapping[str, Any], context: RequestContext | None) -> Made:
    """Return the function that makes scorecards whose rents are those of the dates in a frame, or of the options."""
    at, max_lag, smooth = given.get("at"), given.get("max_lag"), given.get(SMOOTH)
    day = AFTER_ALL_DAYS if at is None else day_number(at, "at")
    oldest = -AFTER_ALL_DAYS if at is None else day - whole_days(max_lag or MAX_LAG_AT, "max_lag")
    days: dict[str, dict[Any, int]] = {}
    for kind in PROPERTY_TYPES:
        days[kind] = {}
        if (label := f"{kind}_rent_date") in rows.columns:
            own = days_in(rows[label], -AFTER_ALL_DAYS).tolist()
            days[kind] = dict(zip(names.map(str, na_action="ignore"), own, strict=True))

    def made(received: Received) -> pd.DataFrame:
        order = [*received]
        until = {kind: np.array([days[kind].get(name, day) for name in order], "int64") for kind in PROPERTY_TYPES}
        rents, impacts = pd.DataFrame(rents_at(payloads_of(received), order, until, smooth)), payloads_of(received, 1)
        for kind in PROPERTY_TYPES:
            is_old = days_in(rents[f"{kind}_rent_date"], AFTER_ALL_DAYS) < oldest
            rents.loc[is_old, rents.columns.str.startswith(kind)] = np.nan
        median = summary_frame(impacts, order)["median_price"].reset_index(drop=True)
        facts = _facts_of(received, rents, context)
        columns = {**premiums_of(impacts, order), **ratios(rents, median), **facts}
        return pd.DataFrame({AREA_NAME: order, **rents, **columns})

    return made


def _facts_of(received: Received, rents: pd.DataFrame, context: RequestContext | None) -> dict[str, Any]:
    """Return the columns of a scorecard that are about places and responses."""
    dates = rents[[f"{kind}_rent_date" for kind in PROPERTY_TYPES]]
    is_stale = (dates < stale_before(dates)).any(axis=1)
    states = {name: sal.parse(name).state for name in received}
    if context is not None:
        places = known_names.places(known_names.gazetteer_after(context), received)
        states |= {place.area_name: place.state for place in places}
    facts = [
        (
            states[name],
            min(one.response.retrieved_at for one in combination),
            ", ".join(sorted({one.response.source for one in combination})),
            "no data" if any(isinstance(one.payload, Missing) for one in combination) else STALE if stale else "ok",
        )
        for (name, combination), stale in zip(received.items(), is_stale, strict=True)
    ]
    columns = dict(zip(_FACTS, zip(*facts, strict=True) if facts else [()] * len(_FACTS), strict=True))
    texts = {label: pd.Series([*columns[label]], dtype="str") for label in _FACTS}
    return texts | {"retrieved_at": utc_times([*columns["retrieved_at"]])}
