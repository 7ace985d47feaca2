"""Makes the claims of rows: drivers, summaries, scorecards, candidates, and columns joined to the user's own rows.

Computing their values again from responses is left to loaders, comparing them to check.
"""

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
from suburb_pandas.frames.column import SUBURB, label_of, suburbs_of
from suburb_pandas.frames.dates import parse_day, parse_length
from suburb_pandas.frames.marks import SMOOTH, FrameOrSeries, marks_of
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES
from suburb_pandas.frames.suburbs import as_names
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.frames import SUMMARY_UNITS, frame_of_many, long_series_frame, summary_frame
from suburb_pandas.loaders.join import JOINED_RENTS, days_of, with_rents
from suburb_pandas.loaders.scorecard import AFTER_ALL_DAYS, MAX_LAG_AT, card_of
from suburb_pandas.messages import listed
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.service import COMPOSITES, ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.geocode import GEOCODE, place_of
from suburb_pandas.tracing.claim import WAYS_ON, Claim, Received, names_of, numbered, payloads_of, table_of
from suburb_pandas.tracing.recomputed import JOINS, NOT_REPEATED, parsed
from suburb_pandas.tracing.tables import Table, days_in

Made = Callable[[Received], pd.DataFrame]
"""Makes rows of responses, with ``area_name``."""

SCORECARD: Final = "scorecard"
_FACTS: Final = ("state", "retrieved_at", "source", "status")
"""The columns of a scorecard that are about places and responses. One that differs counts as not checked."""


def claim_of_drivers(rows: pd.DataFrame, endpoint: str) -> Claim:
    """Return the claim of the rows of an endpoint of the shape ``rows``, such as drivers."""
    one = ENDPOINTS[endpoint]

    def made(received: Received) -> pd.DataFrame:
        return frame_of_many(one, payloads_of(received), list(received))

    return _claim(rows, names_of(rows), [*one.columns], (endpoint,), made, keys=one.keys, of_values=True)


def claim_of_summary(rows: pd.DataFrame, columns: Sequence[str]) -> Claim:
    """Return the claim of the columns of a summary of impacts."""
    return _claim(rows, names_of(rows), columns, COMPOSITES["impact_summary"], _summaries)


def claim_of_card(rows: pd.DataFrame, context: RequestContext | None) -> Claim:
    """Return the claim of the columns of a scorecard."""
    marks, names = marks_of(rows), names_of(rows)
    made, is_card = _cards(rows, names, marks, context), marks.get("endpoint") == SCORECARD
    return _claim(rows, names, columns_of_cards(), COMPOSITES[SCORECARD], made, soft=_FACTS, is_all=is_card)


@cache
def columns_of_cards() -> list[str]:
    """Return the columns of scorecards that responses can prove."""
    return [*map(str, card_of(Answers(), {}, [], dict.fromkeys(PROPERTY_TYPES, np.array([], "int64"))))]


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
    return _claim(rows, query, columns, (GEOCODE,), made, keys=["found"], state=state)


def claim_of_join(data: FrameOrSeries, call: str, context: RequestContext | None) -> Claim | None:
    """Return the claim of the columns that a join added to the rows of a frame; None if none of them is left."""
    function, arguments = parsed(call, JOINS)
    if isinstance(data, pd.Series) or data.columns.nlevels > 1:
        raise ProvenanceError(NOT_REPEATED)
    given = {each.name: each.default for each in signature(JOINS[function]).parameters.values()} | dict(arguments)
    all_added = {"join_rent": JOINED_RENTS, "join_impacts": [*SUMMARY_UNITS], "join_scorecard": columns_of_cards()}
    known = all_added[function]
    prefix, added = given.get("prefix", ""), [label for label in given.get("columns") or known if label in known]
    own = {prefix + label: label for label in added if prefix + label in data.columns}
    if not own:
        return None
    suburb = given["column"] if given["column"] is not None else label_of(data) or SUBURB
    keys = [suburb, given["on"]] if "on" in given else [suburb]
    if lost := [key for key in keys if key not in {*data.columns, *data.index.names}]:
        raise ProvenanceError(f"This frame has lost {listed(lost)}, by which {function} found the data. {WAYS_ON}")
    gazetteer = Gazetteer() if context is None else known_names.gazetteer_after(context)
    names = pd.Series(as_names(suburbs_of(data, suburb), lambda: gazetteer), dtype="object").set_axis(data.index)
    if function == "join_rent":
        claim = _claim_of_joined_rents(data, names, given, [*own])
    else:
        is_card = function == "join_scorecard"
        made = _cards(data[[*own]].rename(columns=own), names, given, context) if is_card else _summaries
        endpoints = COMPOSITES[SCORECARD if is_card else "impact_summary"]

        def joined(received: Received) -> pd.DataFrame:
            return made(received).set_index(AREA_NAME).add_prefix(prefix).reset_index()

        soft = [prefix + label for label in _FACTS]
        claim = _claim(data, names, [*own], endpoints, joined, soft=soft, is_all=True)
    return replace(claim, columns=[*own, *keys], make=lambda received: claim.make(received)._replace(how=[call]))


def _claim_of_joined_rents(
    data: pd.DataFrame, names: pd.Series[Any], given: Mapping[str, Any], columns: Sequence[str]
) -> Claim:
    """Return the claim of rents that were joined to rows by their dates. Each row has a place of its own."""
    limit = None if given["tolerance"] is None else parse_length(given["tolerance"], "tolerance")
    days = days_of(data, given["on"]) - parse_length(given["lag"], "lag")
    suburb, known = numbered(names)

    def table(frame: pd.DataFrame) -> Table:
        place = np.full(len(frame), "", dtype="object")
        return Table(suburb, np.arange(len(frame)), place, {label: frame[label].array for label in columns})

    def make(received: Received) -> Table:
        rents = long_series_frame(payloads_of(received), list(received))
        joined = with_rents(pd.DataFrame(index=data.index), names, days, limit, rents)
        # A row without a rent is left out, so that an older response does not explain why a rent is missing.
        return table(joined).where(joined["rent_date"].notna().to_numpy())

    return Claim(known, ("rent",), [table(data)], make, columns)


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
    """Return the claim of the rows that have a value in some columns, and with ``is_all`` of all rows with a suburb.

    ``names`` has the suburb of each row, and ``options`` are further fields of the claim.
    """
    columns = [label for label in columns if label in rows.columns]
    has_value = rows[columns].notna().any(axis=1).to_numpy() | (is_all & names.notna().to_numpy())
    own_keys = [key for key in keys if key in columns]
    suburb, known = numbered(names[has_value])

    def make(received: Received) -> Table:
        again = made(received)
        return table_of(again, numbered(again[AREA_NAME], known)[0], own_keys, columns)

    table = table_of(rows[has_value], suburb, own_keys, columns)
    return Claim(known, endpoints, [table], make, [*columns, AREA_NAME], **options)


def _summaries(received: Received) -> pd.DataFrame:
    return summary_frame(payloads_of(received), list(received)).reset_index()


def _cards(rows: pd.DataFrame, names: pd.Series[Any], given: Mapping[str, Any], context: RequestContext | None) -> Made:
    """Return the function that makes scorecards, with rents up to the dates in the rows, or else up to ``at``.

    A suburb has a row for each of its dates, as in scorecards below one another. ``given`` are the options.
    """
    at = given.get("at")
    day = AFTER_ALL_DAYS if at is None else parse_day(at, "at")
    left_out = None if at is None else (day, parse_length(given.get("max_lag") or MAX_LAG_AT, "max_lag"))
    gazetteer = Gazetteer() if context is None else known_names.gazetteer_after(context)
    labels = {kind: f"{kind}_rent_date" for kind in PROPERTY_TYPES}
    dates = {kind: days_in(rows[label], -AFTER_ALL_DAYS) for kind, label in labels.items() if label in rows.columns}
    own = {kind: np.minimum(days, day) for kind, days in dates.items()}
    until = pd.DataFrame({AREA_NAME: names.array, **{kind: own.get(kind, day) for kind in PROPERTY_TYPES}})
    until = until.dropna().drop_duplicates()
    cards = [card for _, card in until.groupby(until.groupby(AREA_NAME).cumcount())] or [until]

    def made(received: Received) -> pd.DataFrame:
        answers, statuses = Answers(), {}
        for name, combination in received.items():
            items = [Item(endpoint, name) for endpoint in COMPOSITES[SCORECARD]]
            answers.readings |= dict(zip(items, combination, strict=True))
            statuses[name] = "ok" if all(one.has_data for one in combination) else "no data"
        made_again = []
        for card in cards:
            wanted = card[card[AREA_NAME].isin(received)]
            places = known_names.places(gazetteer, wanted[AREA_NAME])
            days = {kind: wanted[kind].to_numpy("int64") for kind in PROPERTY_TYPES}
            made_again.append(card_of(answers, statuses, places, days, left_out=left_out, smooth=given.get(SMOOTH)))
        return pd.concat(made_again).reset_index()

    return made
