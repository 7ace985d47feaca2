"""How often points come, and how well a series is kept: monthly and weekly stretches, gaps, and flat spells."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import carry
from suburb_pandas.timeseries.dates import Day, Flags, Unit, Whole, day_number, is_months_end, one_month_on, to_dates
from suburb_pandas.timeseries.points import Points, Rents, nearest, read, starts_of

_NAMES: Final = np.array(["irregular", "weekly", "monthly"], dtype="object")
_IRREGULAR, _WEEKLY, _MONTHLY = range(3)
_STEPS: Final = np.array([np.inf, 7, 365.25 / 12])  # in days; where there is no step, nothing is missing
_WEEK: Final = 7
_LONGEST_WEEK: Final = 10
_SHORTEST_MONTH, _LONGEST_MONTH = 26, 35
FLAT: Final = 56
"""Days that a value has to stand to be called flat."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The step to each point from the one before it; to a first point there is none.

    ``cadence`` is that of the stretch it is in; ``is_gap`` says that points are missing in it, and ``is_flat`` that it
    is part of a spell of `FLAT` days or more in which one value stood.
    """

    cadence: npt.NDArray[Any] = field(repr=False)
    is_gap: Flags = field(repr=False)
    is_flat: Flags = field(repr=False)


def cadence(frame: pd.DataFrame) -> pd.DataFrame:
    """Say how often the points of each series come, in one row a stretch.

    A step from one point to the next is weekly if it is at most 10 days long, monthly if it is 26 to 35 days. A
    stretch is at least two such steps in a row. Any other step, and a lone one, is a gap in the stretch before it
    (at the start of a series, in the one after it). A series without a stretch is ``irregular``.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long.

    Returns
    -------
    pandas.DataFrame
        One row a stretch, by suburb, property type and date: ``area_name`` (categorical, for a long frame),
        ``property_type``, ``cadence`` (``monthly``, ``weekly`` or ``irregular``), ``start`` and ``end`` (the dates of
        its first and last point; where one cadence gives way to another, that point belongs to both), ``n_points``
        (int64, from start to end) and ``n_missing`` (int64: for each gap its length over the stretch's step, 7 or
        30.4375 days, rounded, less one). No row for a series without points.

    Raises
    ------
    TypeError, ValueError
        It is not of the rent shape.

    Examples
    --------
    >>> sp.cadence(sp.rent("Cider Gum")).query("property_type == 'house'")[["cadence", "end", "n_missing"]]
       cadence        end  n_missing
    0  monthly 2022-08-28          0
    1   weekly 2026-04-26          1
    """
    rents = read(frame)
    by_kind = [_stretches(points) for points in rents.points.values()]
    found = {name: np.concatenate([columns[name] for columns in by_kind]) for name in by_kind[0]}
    kinds = np.repeat(list(rents.points), [len(columns["suburb"]) for columns in by_kind])
    order = np.argsort(found["suburb"], kind="stable")
    table = pd.DataFrame(
        {
            "property_type": pd.Series(kinds, dtype="str"),
            "cadence": pd.Series(_NAMES[found["cadence"]], dtype="str"),
            "start": to_dates(found["start"], rents.unit),
            "end": to_dates(found["end"], rents.unit),
            "n_points": found["n_points"],
            "n_missing": found["n_missing"],
        }
    )
    named = pd.DataFrame(rents.named(rents.place[found["suburb"]]), index=table.index)
    return carry(frame, named.join(table).take(order).reset_index(drop=True), unit=None)


def quality(frame: pd.DataFrame, asof: Day | None = None) -> pd.DataFrame:
    """Say how old, how long and how lively each series is, in one row a suburb and property type.

    A long flat stretch can mean too few listings for the median to move, or a value that was carried forward: growth
    over it is no evidence of stability.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long.
    asof
        The date to judge by: points after it are left out. By default today (UTC).

    Returns
    -------
    pandas.DataFrame
        One row a suburb and type: ``area_name`` (categorical, for a long frame; each of its categories),
        ``property_type``, ``first`` and ``last`` (dates), ``n_points`` (int64), ``cadence_now`` (of the last stretch,
        as in :func:`cadence`), ``age_days`` (from the last point to ``asof``), ``unchanged_days`` (how long the last
        value has stood, by the dates of its points), ``longest_flat_days`` (the longest that any value stood),
        ``share_flat_56d`` (share of the days from first to last in which one value stood for 56 days or more) and
        ``max_step_pct`` (the largest change between neighbouring points, up or down, in per cent); float64, NaN where
        there is none.

    Raises
    ------
    TypeError, ValueError
        It is not of the rent shape, or ``asof`` is no date.

    Examples
    --------
    >>> sp.quality(sp.rent("Quokka Bay"), asof="2026-05-03")[["property_type", "cadence_now", "age_days"]]
      property_type cadence_now  age_days
    0         house      weekly       7.0
    1          unit      weekly       7.0
    """
    today = np.datetime64(datetime.now(UTC).date(), "D")
    by = day_number(today if asof is None else asof, "asof")
    rents = read(frame)
    tables = [_quality_table(rents, kind, by) for kind in rents.points]
    table = pd.concat(tables).sort_index(kind="stable")
    named = pd.DataFrame(rents.named(table.index.to_numpy()))
    return carry(frame, named.join(table.reset_index(drop=True), how="right"), unit=None)


def steps(points: Points) -> Steps:
    """Describe the steps of one property type."""
    kinds, regular = _kinds(points)
    stood = points.days_unchanged()
    _, spells_end = nearest(np.roll(stood == 0, -1))
    is_flat = (stood > 0) & (stood[spells_end] >= FLAT)
    return Steps(_NAMES[kinds], _missing(points, kinds, regular) > 0, is_flat)


def next_due(points: Points) -> tuple[Whole, Whole]:
    """Give the suburbs that have points, and the day on which the next one of each is due.

    It is due one step of the latest cadence later. Where there is none, the last step comes again; a lone point is
    taken for a monthly one if it is dated a month's last day, else for a weekly one.
    """
    last = np.flatnonzero(points.is_last)
    day, alone = points.day[last], points.is_first[last]
    days, kinds = _steps(points)
    regular = np.flatnonzero(_is_regular(kinds))
    latest = np.full(points.suburb.max(initial=0) + 1, _IRREGULAR)
    latest[points.suburb[regular]] = kinds[regular]
    kind = latest[points.suburb[last]]
    same_again = day + np.where(alone, _WEEK, days[last])
    monthly = (kind == _MONTHLY) | (alone & is_months_end(day))
    return points.suburb[last], np.where(monthly, one_month_on(day), np.where(kind == _WEEKLY, day + _WEEK, same_again))


def _steps(points: Points) -> tuple[Whole, Whole]:
    """Give the days from the point before to each point, and of which cadence that step is: none for a first point."""
    days = np.diff(points.day, prepend=0)
    kinds = np.full(len(days), _IRREGULAR)
    kinds[days <= _LONGEST_WEEK] = _WEEKLY
    kinds[(days >= _SHORTEST_MONTH) & (days <= _LONGEST_MONTH)] = _MONTHLY
    kinds[points.is_first] = _IRREGULAR
    return days, kinds


def _is_regular(kinds: Whole) -> Flags:
    """Whether a step is one of at least two in a row of its cadence."""
    as_before = np.zeros(len(kinds), dtype="bool")
    as_before[1:] = kinds[1:] == kinds[:-1]
    regular: Flags = (kinds != _IRREGULAR) & (as_before | np.append(as_before[1:], False))
    return regular


def _kinds(points: Points) -> tuple[Whole, Flags]:
    """Give the cadence of the stretch that the step to each point is in, and whether it is a regular one there.

    A first point, to which no step leads, has the cadence of the step from it.
    """
    _, kinds = _steps(points)
    regular = _is_regular(kinds)
    before, after = nearest(regular)
    found = np.full(len(kinds), _IRREGULAR)
    for place in (after, before):
        step = place.clip(0, len(kinds) - 1)
        found = np.where(regular[step] & (points.suburb[step] == points.suburb), kinds[step], found)
    return found, regular


def _missing(points: Points, kinds: Whole, regular: Flags) -> Whole:
    """Give how many points are missing in the step to each point."""
    gaps = np.rint(np.diff(points.day, prepend=0) / _STEPS[kinds]) - 1
    return np.where(regular | points.is_first, 0, gaps.clip(0)).astype("int64")


def _stretches(points: Points) -> dict[str, Whole]:
    """Give the columns of the stretches of one property type, suburbs by their numbers."""
    kinds, regular = _kinds(points)
    begins = points.is_first | starts_of(kinds)
    first = np.flatnonzero(begins)
    last = np.flatnonzero(np.roll(begins, -1))
    shared = ~points.is_first[first]  # the point at which the stretch before it ends
    missing = _missing(points, kinds, regular)
    return {
        "suburb": points.suburb[first],
        "cadence": kinds[first],
        "start": points.day[first - shared],
        "end": points.day[last],
        "n_points": last - first + 1 + shared,
        "n_missing": np.add.reduceat(missing, first) if len(first) else first,
    }


def _quality_table(rents: Rents, kind: str, by: int) -> pd.DataFrame:
    """Give the rows of one property type, one for each suburb that the frame knows of, indexed by its place there."""
    points = rents.points[kind].until(by)
    table = pd.DataFrame(_quality(points, by, rents.unit), index=rents.place[points.suburb[points.is_last]])
    table = table.astype({"cadence_now": "str"}).reindex(np.arange(rents.n_places))
    table["n_points"] = table["n_points"].fillna(0).astype("int64")
    table.insert(0, "property_type", kind)
    return table


def _quality(points: Points, by: int, unit: Unit) -> dict[str, npt.NDArray[Any]]:
    """Give the columns of one property type for each suburb that has points of it."""
    first, last = np.flatnonzero(points.is_first), np.flatnonzero(points.is_last)
    stood = points.days_unchanged()
    ends = np.roll(stood == 0, -1)
    long = np.add.reduceat(np.where(ends & (stood >= FLAT), stood, 0), first)
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = np.abs(points.value / np.roll(points.value, 1) - 1)
        share = long / (points.day[last] - points.day[first])
    changes[points.is_first] = np.nan
    return {
        "first": to_dates(points.day[first], unit),
        "last": to_dates(points.day[last], unit),
        "n_points": last - first + 1,
        "cadence_now": _NAMES[_kinds(points)[0][last]],
        "age_days": (by - points.day[last]).astype("float64"),
        "unchanged_days": stood[last].astype("float64"),
        "longest_flat_days": np.maximum.reduceat(stood, first).astype("float64"),
        "share_flat_56d": share,
        "max_step_pct": 100 * np.fmax.reduceat(changes, first),
    }
