"""Builds rent indices of regions: the group and the weight of each suburb, and the frame of the result.

The arithmetic is left to timeseries.jevons, the locations of suburbs to client.known_names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import is_number

from suburb_pandas.client import known_names, provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Day, Values, Whole, day_text, parse_day, to_dates
from suburb_pandas.frames.marks import carry, mark_suburbs
from suburb_pandas.frames.rents import Rents, read_rents
from suburb_pandas.frames.schema import AREA_NAME, GROUP, INDEX_UNIT
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import listed
from suburb_pandas.names.gazetteer import AREAS
from suburb_pandas.service.calls import Item
from suburb_pandas.timeseries.jevons import IndexGrid, Members, jevons
from suburb_pandas.timeseries.periods import Frequency, frequency_of

_UNITS: Final = {"": INDEX_UNIT, "_n": "suburbs", "_share": "fraction", "_bridged": "suburbs"}

By: TypeAlias = "str | pd.Series[Any] | Mapping[str, Any]"
"""A column of the frame, a region of `places`, or the group of each suburb."""

Weights: TypeAlias = "pd.Series[Any] | Mapping[str, float] | Literal['dwellings', 'persons']"
"""The weight of each suburb, or the count of `places` that weights it."""

_REGIONS: Final = ("state", *AREAS)
_COUNTS: Final = ("dwellings", "persons")
_LEAVE_OUT: Final = "Pass a Series or dict that has every suburb of the frame, or leave these suburbs out of the frame."


def rent_index(
    frame: pd.DataFrame,
    by: By | None = None,
    weights: Weights | None = None,
    base: Day | None = None,
    *,
    client: Client | None = None,
) -> pd.DataFrame:
    """Return a like-for-like index of the rents of one region or of several. No call is made.

    A median over suburbs moves when a suburb with high or low rents enters or leaves the data, even if no rent has
    changed. This index compares each suburb with its own last earlier value only. While a suburb has no value, it is
    taken to have moved with the index, so a change that shows only when it comes back is not lost. Later data change no
    earlier value of the index.

    Like for like means suburbs, not dwellings: the homes advertised in a suburb this month are not those of last month.
    With ``weights="dwellings"``, the index is a weighted geometric mean over suburbs, not the change of the rent bill.

    Rents resampled with the default ``partial="keep"`` end in a period that is still open. The last step compares the
    part of a period with a whole one; ``partial="drop"`` in the resampling leaves it out.

    Parameters
    ----------
    frame
        Rents on a regular calendar, as :func:`resample` returns, in any of its layouts; of many suburbs, or one. All
        dates must be labels of one frequency. Of several that fit, the coarsest is used. A time with a zone counts as
        its calendar day in Sydney.
    by
        Return an index for each group of suburbs. A Series or dict from ``area_name`` to the group, or text: a column
        of ``frame``, else a region of :func:`places` (``"state"``, ``"lga"``, ``"postcode"``, ``"sa2"``, ``"sa3"`` or
        ``"sa4"``). A suburb that lies in several regions counts whole in the one with its largest part; ``lga_share``
        and the like of `places` say how large that part is. By default all suburbs are one group.
    weights
        The weight of each suburb, such as its number of rented dwellings: a Series or dict by ``area_name``, or the
        name of a count of :func:`places`, ``"dwellings"`` or ``"persons"``. Such a name never means a column of
        ``frame``. By default all suburbs count the same.
    base
        The date on which every index is 100, one of the dates of ``frame`` (of a wide frame, one with a value). A time
        with a zone counts as its calendar day in Sydney. By default, each index is 100 on its own first date with a
        value.
    client
        The client that knows the places for ``by`` and ``weights``, instead of the default one.

    Returns
    -------
    pandas.DataFrame
        Index ``date``, ascending within a group. With ``by``, the first column is ``group`` (categorical, in the order
        of the groups' first rows, or of the categories in ``by``). For houses, and in the same way for units (for
        ``wide["house"]``, which does not say its type, the columns are ``rent``, ``rent_n``, ``rent_share`` and
        ``rent_bridged``):

        - ``house`` (float64): the index, 100 at the base. The first date with a value has an index, and a later date
          has one if there is a suburb to compare. Otherwise it is NaN, and so is the whole index if ``base`` has none
        - ``house_n`` (int64): number of suburbs compared, those with a value on this date and an earlier one; 0 at the
          first date
        - ``house_share`` (float64): their weight as a share of the weight of all suburbs of the group with rows in
          ``frame`` (in a wide frame, with a value); with dwellings as weights, it is a share of dwellings. A suburb
          without data has no row.
        - ``house_bridged`` (int64): how many of the suburbs compared had no value on the last date before that has an
          index

    Warns
    -----
    DataWarning
        A series has different values on one date. Or a value is not above zero or not finite; it counts as missing. Or
        a date is before 1900, or after the day on which the data were retrieved (after today, if the frame does not say
        when that was).

    Raises
    ------
    TypeError
        ``frame`` is not a DataFrame, or ``by`` or ``weights`` is of another type.
    ValueError
        The frame is not one of rents, or its attrs say that it holds growth, counts or an index; or it is not on one
        calendar. ``by`` or ``weights`` is none of the above. A suburb has no group, or a weight is missing, zero or
        negative: the message names the suburbs and, if `places` does not know them, has the line that loads what is
        missing. ``base`` is not one of the dates.

    See Also
    --------
    resample : Put rents on one calendar.
    growth : Compute the growth of an index.
    plot_rent : Draw an index.
    places : Return the regions and counts of suburbs that are known here.
    load_gazetteer : Load the ABS's files of councils, areas and counts.

    Notes
    -----
    With ``p`` the logarithm of a suburb's rent and ``I`` that of the index, the change of the index from ``prev``, the
    last earlier date with an index, to the date ``t`` is::

        I(t) - I(prev) = mean of p(t) - (p(s) + I(prev) - I(s))

    The mean, with ``weights`` a weighted one, is over the suburbs that have a value at ``t`` and an earlier one, the
    last of them at ``s``. If there is no index at ``s``, ``I(s)`` is the last one before.

    Without missing values, this is the matched-model Jevons index of the Consumer Price Index Manual: Concepts and
    Methods (IMF and others, 2020), chapter 8, or with weights the weighted geometric mean. A suburb without a value is
    treated as by that manual's overall mean imputation, in chapter 6. The index does not correct for a change in the
    quality of the dwellings advertised in a suburb.

    The attrs of an index name its suburbs, so that :func:`cite` can check copies, parts and Parquet files of it. If
    there are more than about thirty suburbs, the attrs have only their number and a digest. Before an index of so many
    suburbs can be cited from a file, a new session has to make the same index once more.

    Examples
    --------
    >>> rents = sp.rent(["Quokka Bay", "Woylie", "Lantern Bay (NSW)"], freq="QE", partial="drop")
    >>> sp.rent_index(rents, base="2024-12-31")[["house", "unit", "house_n", "unit_n", "unit_share"]].tail(1).round(1)
                house   unit  house_n  unit_n  unit_share
    date
    2026-03-31  105.0  104.5        3       2         0.7
    >>> sp.rent_index(rents, by="lga", weights="dwellings")[["group", "house"]].tail(2).round(1)
                        group  house
    date
    2025-12-31  Curlew Shores  133.2
    2026-03-31  Curlew Shores  134.5
    """
    rents = read_rents(frame, or_index=False)
    suburb, days = rents.rows
    frequency = _frequency(days)
    n_suburbs = len(rents.suburbs)
    groups = pd.Categorical([""] * n_suburbs) if by is None else _groups(by, rents, client)
    weight = np.ones(n_suburbs) if weights is None else _weights(weights, rents, client)
    members = Members(groups.codes.astype("int64"), weight)
    grid = IndexGrid.of(members.group[suburb], frequency.number(days))
    base_day = None if base is None else _base_day(base, days)
    base_period = None if base_day is None else int(frequency.number(np.array([base_day]))[0])
    indices = {
        kind: jevons(points, frequency.number(points.day), grid, members, base_period)
        for kind, points in rents.points.items()
    }
    columns: dict[str, Any] = {} if by is None else {GROUP: groups.from_codes(grid.group, dtype=groups.dtype)}
    columns |= {kind: index.level for kind, index in indices.items()}
    for kind, index in indices.items():
        columns |= {f"{kind}_n": index.n_compared, f"{kind}_share": index.share, f"{kind}_bridged": index.n_bridged}
    dates = pd.DatetimeIndex(to_dates(frequency.label(grid.period), rents.date_resolution), name="date")
    result = pd.DataFrame(columns, index=dates)
    base_date = None if base_day is None else day_text(base_day)
    operation = call_of(rent_index, by=by, weights=weights, base=base_date)
    units = {f"{kind}{suffix}": unit for kind in indices for suffix, unit in _UNITS.items()}
    carry(frame, result, unit=units, operation=operation, dates=rents.dates)
    _mark_suburbs(result, rents)
    return result


def _mark_suburbs(index: pd.DataFrame, rents: Rents) -> None:
    """Record the suburbs of the rents in the attrs of their index, so that the index can be traced to them."""
    if rents.names is not None:
        names = [name for name in rents.names if isinstance(name, str)]
        endpoint = endpoint_of(rents.layout.plain).name
        digest = provenance_log.note_items(Item(endpoint, name) for name in names)
        mark_suburbs(index, names, digest)


def _frequency(days: Whole) -> Frequency:
    """Return the frequency whose labels include all these days."""
    found = frequency_of(np.unique(days))
    if found is None:
        raise ValueError(
            "The dates of this frame are not those of one calendar, so its periods cannot be compared. "
            "Put them on one first, as in sp.resample(frame, 'QE')"
        )
    return found


def _groups(by: By, rents: Rents, client: Client | None) -> pd.Categorical[Any]:
    """Return the group of each suburb."""
    frame = rents.layout.plain
    if isinstance(by, str) and {by, AREA_NAME} <= set(frame.columns):
        pairs = pd.DataFrame({AREA_NAME: frame[AREA_NAME].array, GROUP: frame[by].array}).drop_duplicates()
        by = pairs.set_index(AREA_NAME)[GROUP]
    found = _by_suburb("by", by, _REGIONS, rents, client)
    unknown = found.index[found.isna()]
    if len(unknown):
        raise ValueError(f"by has no group for {listed(unknown)}. {_LEAVE_OUT}")
    is_categorical = isinstance(found.dtype, pd.CategoricalDtype)
    return pd.Categorical(found, categories=None if is_categorical else found.unique())


def _weights(weights: Weights, rents: Rents, client: Client | None) -> Values:
    """Return the weight of each suburb."""
    found = _by_suburb("weights", weights, _COUNTS, rents, client)
    values = np.array([weight if is_number(weight) else np.nan for weight in found], dtype="float64")
    wrong = found.index[~((values > 0) & np.isfinite(values))]
    if len(wrong):
        raise ValueError(f"weights has no weight above zero for {listed(wrong)}. {_LEAVE_OUT}")
    return values


def _by_suburb(
    argument: str, given: By | Weights, known: Sequence[str], rents: Rents, client: Client | None
) -> pd.Series[Any]:
    """Return the value of an argument for each suburb, missing where it has none. ``known`` are fields of `places`."""
    if rents.names is None:
        raise ValueError(
            f"The frame has no column area_name, so {argument}= cannot be matched to its suburbs. If it is of one "
            "suburb, add the name: frame.assign(area_name='...')"
        )
    names: pd.Index[Any] = pd.Index(np.asarray(rents.names), dtype="object")
    if isinstance(given, str) and given in known:
        return _in_places(names, given, client)
    if not isinstance(given, pd.Series | Mapping):
        column = "a column of the frame, " if argument == "by" else ""
        error, what = (ValueError, repr(given)) if isinstance(given, str) else (TypeError, type(given).__name__)
        raise error(
            f"{argument} must be {column}one of {listed(known)} of sp.places, or a Series or dict by area_name, not "
            f"{what}."
        )
    series = given if isinstance(given, pd.Series) else pd.Series(dict(given))
    repeated = series.index[series.index.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"{argument} has several values for {listed(repeated)}. Keep one for each suburb.")
    return series.set_axis(series.index.astype("object")).reindex(names)


def _in_places(names: pd.Index[Any], field: str, client: Client | None) -> pd.Series[Any]:
    """Return a field of the known place of each suburb; raise if it is not known for all of them."""
    context = request_context(client)
    context.warn_if_made_up()
    known = known_names.located(context, known_names.gazetteer_of(context), names)
    found = [getattr(place, field) for place in known]
    unknown = [name for name, value in zip(names, found, strict=True) if not value]
    if unknown:
        what = field if field in _REGIONS else f"number of {field} above zero"
        line = known_names.line_that_loads(context, {field})
        how = f"To read it from the ABS's files, run {line}" if line else _LEAVE_OUT
        raise ValueError(
            f"No {what} is known here for {listed(unknown)}. No call was made, and nothing was charged. {how}"
        )
    return pd.Series(found, index=names, dtype="str" if field in _REGIONS else "float64")


def _base_day(base: Day, days: Whole) -> int:
    """Return the day number of the base; it is one of the days of a frame."""
    day = parse_day(base, "base")
    if day not in days:
        dates = listed(to_dates(np.unique(days)), str) or "it has none"
        raise ValueError(f"base must be one of the dates of the frame ({dates}), not {base!r}.")
    return day
