"""Finds what a frame claims: the parts of it that responses can prove, and how each is made again from responses.

A part is the rents of a frame, its drivers, the columns of a summary or of a scorecard, candidates, a computed table,
or columns that were joined to a frame of the user's own. Comparing a part with responses is left to check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names, provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import NoSuburbColumn, ProvenanceError
from suburb_pandas.frames.column import label_of, suburbs_of
from suburb_pandas.frames.schema import (
    AREA_NAME,
    DATE,
    GROUP,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    SMOOTH,
    Rows,
    is_computed,
    joins_of,
    marks_of,
    operations_of,
    suburbs_behind,
)
from suburb_pandas.loaders.frames import SUMMARY_UNITS, frame_of_many, long_series_frame, summary_frame, utc_times
from suburb_pandas.loaders.join import days_of, with_rents, with_rows
from suburb_pandas.loaders.scorecard import AFTER_ALL_DAYS, premiums_of, ratios, rents_at
from suburb_pandas.messages import counted
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service import COMPOSITES, ENDPOINTS, endpoints_of
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.geocode import GEOCODE, place_of
from suburb_pandas.service.reading import Reading
from suburb_pandas.timeseries.cadence import QUALITY_UNITS
from suburb_pandas.timeseries.dates import Day, Length, Whole, day_number, whole_days
from suburb_pandas.timeseries.doubts import STALE, stale_before
from suburb_pandas.timeseries.layouts import COMPARED, KINDS, Rents, is_index, kinds_of, read_cells
from suburb_pandas.timeseries.points import KEYS_PER_SUBURB
from suburb_pandas.tracing.recomputed import JOINS, Call, computed_again, parsed
from suburb_pandas.tracing.tables import Table, days_in, key_of

Combination = tuple[Reading, ...]
"""One response of each endpoint about a suburb."""

Tables = Mapping[str, Table]
"""The table of a part; tidy and wide rents have one for each property type."""

_ALL: Final = ""
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
_OF_CARDS: Final = (*_CARD_OF_RENTS, *_CARD_OF_PREMIUMS, "state", "retrieved_at", "source", "status")
_OF_SCORECARDS: Final = {*_CARD_OF_RENTS, *_CARD_OF_PREMIUMS} - {*SUMMARY_UNITS}
_JOINED_RENTS: Final = ("house_rent", "unit_rent", "rent_date")
_FACTS: Final = ("state", "retrieved_at", "source", "status")
"""The columns of a scorecard that are about places and responses; what differs in them counts as not checked."""

_QUERY: Final = "query"
_DETAILS: Final = ("n", "last", "coverage", "open", "filled", "unchanged_days", "base", "base_date", "days")
_DETAILED: Final = {f"{kind}_{name}" for kind in KINDS for name in _DETAILS}
_COLUMNS: Final = {
    "cadence": {"cadence", "start", "end", "n_points", "n_missing"},
    "quality": {"first", "last", "cadence_now", *QUALITY_UNITS},
    "rent_index": {*KINDS, *COMPARED},
}
_KEYS: Final = {"cadence": (PROPERTY_TYPE, "start"), "quality": (PROPERTY_TYPE,), "rent_index": (GROUP, DATE)}
"""The columns that identify a row of the tables that have no layout of rents, beside the suburb."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a frame that responses can prove.

    ``names`` are its suburbs by number, ``endpoints`` those of the responses about each, and ``tables`` the values.
    ``make`` returns the tables that responses give, by the names of their suburbs; several, if the part does not name
    its property type. ``columns`` are those of the frame that the part takes. ``is_whole`` is True if all suburbs
    together give each value, as in an index. ``of_values`` is True if the digest is that of the values, not that of all
    numbers in the responses. What differs in the columns ``soft`` is not checked, but not refused either.
    """

    names: Sequence[str]
    endpoints: Sequence[str]
    tables: Tables = field(repr=False)
    make: Callable[[Mapping[str, Combination]], Sequence[Tables]] = field(repr=False)
    columns: Sequence[Hashable]
    is_whole: bool = False
    of_values: bool = False
    state: str | None = None
    soft: Sequence[str] = ()


def claims_of(data: Rows, context: RequestContext | None) -> list[Claim]:
    """Return the parts of a frame that responses can prove. A frame can have several, because data can be joined."""
    claims: list[Claim] = []
    try:
        if isinstance(data, pd.DataFrame) and data.columns.nlevels == 1:
            claims += [_joined(data, parsed(call, JOINS), context) for call in joins_of(data)]
        if not claims or "endpoint" in marks_of(data):
            claims += _own(data, {label for claim in claims for label in claim.columns}, context)
    except (ValueError, NoSuburbColumn) as problem:  # of a frame that no reader takes
        raise ProvenanceError(str(problem)) from None
    return [claim for claim in claims if any(table.columns for table in claim.tables.values())]


def _own(data: Rows, taken: set[Hashable], context: RequestContext | None) -> list[Claim]:
    """Return the parts that the marks and the columns of a frame tell, without the columns that are taken."""
    operations = operations_of(data)
    table = operations[-1].partition("(")[0] if operations else ""
    if table in _KEYS:
        return [_computed_table(flat(data), table, context)]
    claims = [_rents(data, context)] if has_rents(data) else []
    if isinstance(data, pd.Series) or data.columns.nlevels > 1 or data.columns.name == AREA_NAME:
        return claims
    rows = flat(data)
    if marks_of(data).get("endpoint") == GEOCODE:
        return [_candidates(rows)]
    taken |= {label for claim in claims for label in claim.columns}
    rest = rows.drop(columns=[label for label in rows.columns if label in taken and label != AREA_NAME])
    for name, one in ENDPOINTS.items():
        if one.shape == "rows" and {*rest.columns} & ({*one.columns} - _TEXTS):
            claims.append(_drivers(rest, name))
    is_card = bool({*rest.columns} & _OF_SCORECARDS) and _is_card(rest)
    claims += [_card(rest, context)] if is_card else []
    of_summary = [
        label for label in SUMMARY_UNITS if label in rest.columns and not (is_card and label in _CARD_OF_PREMIUMS)
    ]
    return [*claims, *([_summary(rest, of_summary)] if of_summary else [])]


def has_rents(data: Rows) -> bool:
    """Return True if a frame has the columns of rents, in any layout."""
    if isinstance(data, pd.Series):
        return data.name not in {*SUMMARY_UNITS, *_OF_SCORECARDS}
    columns = data.columns
    is_wide = {AREA_NAME, PROPERTY_TYPE} & {*columns.names}
    return bool(is_wide) if columns.nlevels > 1 or columns.name == AREA_NAME else bool(kinds_of(columns))


def _is_card(rows: pd.DataFrame) -> bool:
    """Return True if the columns of a scorecard in a frame are those of one, by its marks or by more than a rent."""
    own = {*rows.columns} & _OF_SCORECARDS
    rents = {f"{kind}_rent" for kind in PROPERTY_TYPES}
    return marks_of(rows).get("endpoint") == _SCORECARD or bool(own - rents)


def flat(frame: Rows) -> pd.DataFrame:
    """Return a frame with its named index levels as columns, and with suburbs in ``area_name``."""
    rows = frame.to_frame() if isinstance(frame, pd.Series) else frame
    levels = [name for name in rows.index.names if name is not None and name not in rows.columns]
    dates = {DATE: rows.index} if isinstance(rows.index, pd.DatetimeIndex) and rows.index.name is None else {}
    result = rows.reset_index(level=levels) if levels else rows.assign(**dates) if DATE not in rows.columns else rows
    label = label_of(result.reset_index(drop=True))
    result = result.rename(columns={label: AREA_NAME}) if label else result
    result.attrs = frame.attrs
    return result


def _names_of(rows: pd.DataFrame) -> pd.Series[Any]:
    """Return the suburb of each row, from ``area_name``, else the one suburb of the marks."""
    if AREA_NAME in rows.columns:
        return rows[AREA_NAME].astype("object")
    name = marks_of(rows).get(AREA_NAME)
    if name is None and len(rows):
        raise ProvenanceError(
            "This frame does not say which suburb its values are about: it has no column area_name, and no attrs of a "
            "loader. If it is about one suburb, add the name: sp.cite(frame.assign(area_name=name))."
        )
    return pd.Series([name] * len(rows), rows.index, dtype="object")


def _numbered(names: pd.Series[Any], order: Sequence[str] | None = None) -> tuple[Whole, list[str]]:
    """Return the number of each row's suburb, -1 for none, and the suburbs in the order of their numbers."""
    known = list(dict.fromkeys(map(str, names.dropna()))) if order is None else list(order)
    return np.asarray(
        pd.Index(known, dtype="object").get_indexer(pd.Index(names.map(str, na_action="ignore"))), "int64"
    ), known


def _rows_table(rows: pd.DataFrame, suburb: Whole, keys: Sequence[str], columns: Sequence[str]) -> Table:
    """Return the rows of a frame as a table; their keys are the texts, and the days, in some of the columns."""
    parts = [_key_part(rows[key]) for key in keys]
    place = parts[-1] if parts else np.full(len(rows), "", dtype="object")
    return Table(suburb, key_of(suburb, parts), place, {column: rows[column].array for column in columns})


def _key_part(column: pd.Series[Any]) -> Any:
    """Return the values of a key: text, or the days of dates."""
    if column.name in {DATE, "start"}:
        return days_in(column)
    return column.astype("object").where(column.notna(), "").map(str).to_numpy("object")


def _payloads(received: Mapping[str, Combination], position: int = 0) -> dict[str, Any]:
    """Return the payloads of one endpoint, without the responses that have no data."""
    found = {name: combination[position].payload for name, combination in received.items()}
    return {name: payload for name, payload in found.items() if not isinstance(payload, Missing)}


def _rents(data: Rows, context: RequestContext | None) -> Claim:
    """Return the claim of rents as loaded, or as they were resampled or grown."""
    rents = read_cells(_with_dates(data))
    is_loaded, is_whole, endpoints = not is_computed(data), is_index(data), _series_endpoint(data)
    if rents.names is None:
        number, labels = (
            np.zeros(1, dtype="int64"),
            pd.Index([""] if is_whole else _names_of(rents.layout.plain).unique()),
        )
    else:
        used, number = np.unique(rents.names.codes, return_inverse=True)
        labels = pd.Index(rents.names.categories[used].map(str), dtype="object")
    tables = _tables_of(rents, number, details=not is_loaded)
    has_types = all(RENT not in table.columns for table in tables.values())

    def make(received: Mapping[str, Combination]) -> Sequence[Tables]:
        payloads = _payloads(received)
        frame = long_series_frame(payloads, list(received))
        again = read_cells(frame if is_loaded else computed_again(data, frame, endpoints[0], context))
        own = labels if again.names is None else pd.Index([*map(str, again.names)], dtype="object")
        (table,) = _tables_of(again, labels.get_indexer(own), details=not is_loaded).values()
        readings = [{}] if has_types else [{RENT: table.columns[kind]} for kind in PROPERTY_TYPES]
        return [dict.fromkeys((_ALL, *KINDS), table._replace(columns={**table.columns, **each})) for each in readings]

    names = _suburbs_of_index(data) if is_whole else [*labels]
    values = () if rents.layout.kind == "tidy" else [label for table in tables.values() for label in table.columns]
    columns = [*_taken_by(rents), *values]
    return Claim(names, endpoints, tables, make, columns, is_whole=is_whole, of_values=is_loaded)


def _with_dates(data: Rows) -> Rows:
    """Return rents with dates as their index or as a column, without rows that have neither a date nor a rent."""
    if isinstance(data, pd.Series) or data.index.nlevels > 1:
        return data
    if data.columns.nlevels > 1:
        return data.set_index((DATE, "")).rename_axis(DATE) if (DATE, "") in data.columns else data
    if isinstance(data.index, pd.DatetimeIndex) or data.columns.name == AREA_NAME:
        return data
    rows = data if data.index.name in {None, DATE} else flat(data)
    dates = pd.Series(rows[DATE] if DATE in rows.columns else rows.index)
    has_date = np.array([isinstance(value, date | str) and not pd.isna(value) for value in dates], dtype="bool")
    kept = has_date | rows[kinds_of(rows.columns)].notna().any(axis=1).to_numpy()
    return rows if kept.all() else rows[kept]


def _taken_by(rents: Rents) -> list[Hashable]:
    """Return the columns that rents take beside those of their values: what an index compares, and the types."""
    given = {*getattr(rents.layout.given, "columns", ())}
    known = (PROPERTY_TYPE, RENT) if rents.layout.kind == "tidy" else ()
    return [DATE, *given.intersection({*COMPARED, *known})]


def _tables_of(rents: Rents, number: Whole, *, details: bool) -> Tables:
    """Return the tables of rents, whose suburbs get these numbers: one of a long frame, else one for each type."""
    tables = {}
    plain = rents.layout.plain
    for kind, cells in rents.cells.items():
        suburb = np.asarray(number, "int64")[cells.suburb]
        key = suburb * KEYS_PER_SUBURB + cells.day
        if rents.layout.kind == "long":
            values = {each: cells.value for each, cells in rents.cells.items()}
            more = {label: plain[label].array for label in plain.columns if details and label in _DETAILED}
            return {_ALL: Table(suburb, key, cells.day, values | more)}
        tables[kind] = Table(suburb, key, cells.day, {kind: cells.value})
    return tables


def _suburbs_of_index(data: Rows) -> list[str]:
    """Return the suburbs behind an index of rents: those of its marks, or those that this session has logged."""
    names, number, digest = suburbs_behind(data)
    found = names or [item.area_name for item in provenance_log.items_of(digest) or provenance_log.behind(data)]
    if digest and not found:
        raise ProvenanceError(
            f"This index was made from the rents of {counted(number, 'suburb')}, too many to be named in the attrs of "
            "a frame, and this session has not made an index of the same suburbs. Cite the rents that it was made "
            'from; or make it again, as in sp.rent_index(sp.rent(names, freq="QE")), which is free where the responses '
            "are stored, and then cite this frame."
        )
    return found or [*_names_of(flat(data)).dropna().unique()]


def _series_endpoint(data: Rows) -> tuple[str, ...]:
    """Return the endpoint that rents can have come from: that of the marks, else rents."""
    own = [name for name in endpoints_of(str(marks_of(data).get("endpoint"))) if ENDPOINTS[name].shape == "series"]
    return (*own, "rent")[:1]


def _computed_table(rows: pd.DataFrame, table: str, context: RequestContext | None) -> Claim:
    """Return the claim of a table without a layout of rents, such as that of `cadence`."""
    endpoints, is_whole = _series_endpoint(rows), table == "rent_index"
    if is_whole:
        names, suburb = _suburbs_of_index(rows), np.zeros(len(rows), dtype="int64")
    else:
        suburb, names = _numbered(_names_of(rows))
    keys = [key for key in _KEYS[table] if key in rows.columns]
    columns = [label for label in rows.columns if label in _COLUMNS[table]]
    if table == "quality":  # a category without rows has no point, whatever the responses have
        has_points = rows[columns].replace(0, np.nan).notna().any(axis=1).to_numpy()
        rows = rows[has_points] if has_points.any() else rows
        suburb, names = _numbered(_names_of(rows))
    types = rows[PROPERTY_TYPE] if PROPERTY_TYPE in rows.columns else pd.Series([], dtype="object")
    is_unnamed = bool(types.isna().any()) or RENT in columns or RENT in _marked_columns(rows)

    def make(received: Mapping[str, Combination]) -> Sequence[Tables]:
        long = long_series_frame(_payloads(received), list(received))
        found = []
        for kind in PROPERTY_TYPES if is_unnamed else (None,):
            frame = long if kind is None else long[[AREA_NAME, kind]].dropna().rename(columns={kind: RENT})
            again = flat(computed_again(rows, frame, endpoints[0], context))
            number = np.zeros(len(again), dtype="int64") if is_whole else _numbered(_names_of(again), names)[0]
            found.append({_ALL: _rows_table(again, number, keys, columns)})
        return found

    return Claim(names, endpoints, {_ALL: _rows_table(rows, suburb, keys, columns)}, make, [*columns, *keys], is_whole)


def _marked_columns(rows: pd.DataFrame) -> Mapping[str, Any]:
    """Return the columns that the marks of a computed table name, even columns that were removed since."""
    unit = marks_of(rows).get("unit")
    return unit if isinstance(unit, Mapping) else {}


def _of_rows(
    rows: pd.DataFrame,
    columns: Sequence[str],
    endpoints: Sequence[str],
    made: Callable[[Mapping[str, Combination]], pd.DataFrame],
    *,
    keys: Sequence[str] = (),
    **options: Any,
) -> Claim:
    """Return the claim of the rows that have a value in some of the columns; ``made`` makes such rows of responses."""
    columns = [label for label in columns if label in rows.columns]
    own_keys = [key for key in keys if key in columns]
    rows = rows[rows[columns].notna().any(axis=1).to_numpy()]
    suburb, names = _numbered(_names_of(rows))

    def make(received: Mapping[str, Combination]) -> Sequence[Tables]:
        again = made(received)
        number, _ = _numbered(again[AREA_NAME].astype("object"), names)
        return [{_ALL: _rows_table(again, number, own_keys, columns)}]

    return Claim(names, endpoints, {_ALL: _rows_table(rows, suburb, own_keys, columns)}, make, columns, **options)


def _drivers(rows: pd.DataFrame, endpoint: str) -> Claim:
    """Return the claim of rows of an endpoint of that shape, such as drivers."""
    one = ENDPOINTS[endpoint]

    def made(received: Mapping[str, Combination]) -> pd.DataFrame:
        return frame_of_many(one, _payloads(received), list(received))

    return _of_rows(rows, [*one.columns], (endpoint,), made, keys=[_LABEL], of_values=True)


def _summary(rows: pd.DataFrame, columns: Sequence[str]) -> Claim:
    """Return the claim of the columns of a summary of impacts."""
    return _of_rows(rows, columns, COMPOSITES["impact_summary"], _summaries_of)


def _summaries_of(received: Mapping[str, Combination]) -> pd.DataFrame:
    return summary_frame(_payloads(received), list(received)).reset_index()


def _card(rows: pd.DataFrame, context: RequestContext | None) -> Claim:
    """Return the claim of the columns of a scorecard."""
    marks = marks_of(rows)
    made = _cards_of(rows, _names_of(rows), marks.get("at"), marks.get(SMOOTH), context)
    columns = [*_CARD_OF_RENTS, *_CARD_OF_PREMIUMS, *_FACTS]
    return _of_rows(rows, columns, COMPOSITES[_SCORECARD], made, soft=_FACTS)


def _cards_of(
    rows: pd.DataFrame, names: pd.Series[Any], at: Day | None, smooth: Length | None, context: RequestContext | None
) -> Callable[[Mapping[str, Combination]], pd.DataFrame]:
    """Return the function that makes scorecards whose rents are those of the dates in a frame, or of ``at``."""
    known = names.map(str, na_action="ignore")
    days = {
        kind: dict(zip(known, days_in(rows[f"{kind}_rent_date"], -AFTER_ALL_DAYS).tolist(), strict=True))
        for kind in PROPERTY_TYPES
        if f"{kind}_rent_date" in rows.columns
    }
    day = AFTER_ALL_DAYS if at is None else day_number(at, "at")

    def made(received: Mapping[str, Combination]) -> pd.DataFrame:
        order = [*received]
        until = {kind: np.array([days.get(kind, {}).get(name, day) for name in order]) for kind in PROPERTY_TYPES}
        rents, impacts = rents_at(_payloads(received), order, until, smooth), _payloads(received, 1)
        median = summary_frame(impacts, order)["median_price"]
        facts = _facts_of(received, rents, context)
        return pd.DataFrame(
            {AREA_NAME: order, **rents, **premiums_of(impacts, order), **ratios(rents, median), **facts}
        )

    return made


def _facts_of(
    received: Mapping[str, Combination], rents: Mapping[str, Any], context: RequestContext | None
) -> dict[str, Any]:
    """Return the columns of a scorecard that are about places and responses."""
    dates = np.column_stack([rents[f"{kind}_rent_date"] for kind in PROPERTY_TYPES])
    is_stale = (dates < stale_before(dates)).any(axis=1)
    times, sources, statuses = [], [], []
    for combination, stale in zip(received.values(), is_stale, strict=True):
        times.append(min(one.response.retrieved_at for one in combination))
        sources.append(", ".join(sorted({one.response.source for one in combination})))
        is_missing = any(isinstance(one.payload, Missing) for one in combination)
        statuses.append("no data" if is_missing else STALE if stale else "ok")
    states = {name: sal.parse(name).state for name in received}
    if context is not None:
        states |= {
            place.area_name: place.state for place in known_names.places(known_names.gazetteer_after(context), received)
        }
    texts = {"state": [states[name] for name in received], "source": sources, "status": statuses}
    return {"retrieved_at": utc_times(times)} | {
        label: pd.Series(values, dtype="str") for label, values in texts.items()
    }


def _candidates(rows: pd.DataFrame) -> Claim:
    """Return the claim of the candidates of a look-up, whose query the marks name."""
    marks = marks_of(rows)
    query = pd.Series([marks.get(AREA_NAME)] * len(rows), rows.index, dtype="object")

    def made(received: Mapping[str, Combination]) -> pd.DataFrame:
        found = [
            {**place_of(candidate)._asdict(), _QUERY: name}
            for name, (one,) in received.items()
            for candidate in one.payload
        ]
        return pd.DataFrame(found, columns=[*Place._fields[:-1], _QUERY])

    columns = [label for label in Place._fields[:-1] if label in rows.columns]
    suburb, names = _numbered(query)

    def make(received: Mapping[str, Combination]) -> Sequence[Tables]:
        again = made(received)
        return [{_ALL: _rows_table(again, _numbered(again[_QUERY], names)[0], columns[:1], columns)}]

    table = _rows_table(rows, suburb, columns[:1], columns)
    return Claim(names, (GEOCODE,), {_ALL: table}, make, columns, of_values=True, state=marks.get("state"))


def _joined(data: pd.DataFrame, join: Call, context: RequestContext | None) -> Claim:
    """Return the claim of the columns that a join added to the rows of a frame."""
    name, arguments = join
    given = {each.name: each.default for each in signature(JOINS[name]).parameters.values()} | dict(arguments)
    suburbs, prefix = pd.Series(suburbs_of(data, given["column"]), dtype="object"), given.get("prefix", "")
    suburb, names = _numbered(suburbs)
    lookup = {"join_rent": "rent", "join_impacts": "impact_summary", "join_scorecard": _SCORECARD}[name]
    labels = given.get("columns") or {"rent": _JOINED_RENTS, "impact_summary": SUMMARY_UNITS}.get(lookup, _OF_CARDS)
    columns = [prefix + label for label in labels if prefix + label in data.columns]
    if lookup == "rent":
        limit = None if given["tolerance"] is None else whole_days(given["tolerance"], "tolerance")
        days = days_of(data, given["on"]) - whole_days(given["lag"], "lag")
        add = partial(with_rents, pd.DataFrame(index=data.index), suburbs, days, limit)
    else:
        plain = data.rename(columns=lambda label: str(label).removeprefix(prefix))
        cards = (
            _cards_of(plain, suburbs, given.get("at"), given.get("smooth"), context) if lookup == _SCORECARD else None
        )
        add = partial(
            with_rows,
            pd.DataFrame(index=data.index),
            suburbs,
            [label.removeprefix(prefix) for label in columns],
            prefix,
        )

    def make(received: Mapping[str, Combination]) -> Sequence[Tables]:
        if lookup == "rent":
            made = long_series_frame(_payloads(received), list(received))
        else:
            made = (cards or _summaries_of)(received).set_index(AREA_NAME)
        return [{_ALL: _in_place(add(made), suburb, columns)}]

    soft = [prefix + label for label in _FACTS]
    keys = [given[key] for key in ("on", "column") if given.get(key) is not None]
    return Claim(
        names, endpoints_of(lookup), {_ALL: _in_place(data, suburb, columns)}, make, [*columns, *keys], soft=soft
    )


def _in_place(frame: pd.DataFrame, suburb: Whole, columns: Sequence[str]) -> Table:
    """Return the rows of a frame as a table, each in its own place."""
    place = np.full(len(frame), "", dtype="object")
    return Table(suburb, np.arange(len(frame)), place, {label: frame[label].array for label in columns})
