"""Cadence: the stretches of a series, where they begin and end, and the points that are missing in them."""

from datetime import date, timedelta
from itertools import accumulate, pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law
from tests.timeseries import irregular, slow_time
from tests.timeseries.irregular import assert_same_rows, frame_of, months_until, records, suburb_rows

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

SUNDAY = date(2022, 8, 28)
"""The day on which the service's monthly points become weekly."""

steps = st.lists(st.sampled_from([3, 7, 14, 28, 30, 31, 40, 61, 91]) | st.integers(1, 100), max_size=40)
runs = st.lists(st.tuples(st.sampled_from([3, 7, 14, 30, 61, 91, 200]), st.integers(1, 30)), max_size=6)
series_of_runs = runs.map(lambda found: [days for days, count in found for _ in range(count)])


def dates_of(steps, first=date(2004, 6, 30)):
    """Return the first date and those that follow it by these steps, in days."""
    return list(accumulate(steps, lambda day, days: day + timedelta(days), initial=first))


def cadence_of(dates):
    """Return the rows of `cadence` for a series with points on these dates."""
    return records(sp.cadence(frame_of([(day, 500.0, None) for day in dates])).drop(columns="property_type"))


def labels_of(steps):
    """Return the cadence and the number of steps of each stretch, and how many points are missing in it."""
    return [(row["cadence"], row["n_points"] - 1, row["n_missing"]) for row in cadence_of(dates_of(steps))]


def steps_of(dates):
    """Return the steps between dates, in days."""
    return [(after - before).days for before, after in pairwise(dates)]


# The laws


@law(some=120, rows=suburb_rows())
def test_cadence_agrees_with_the_slow_reference(rows):
    """Stretches equal those computed from the definitions, step by step."""
    assert_same_rows(sp.cadence(frame_of(rows)), irregular.slow_cadence(rows))


@law(some=100, steps=steps | series_of_runs)
def test_the_division_of_a_long_series_agrees_with_the_slow_reference(steps):
    """Stretches of up to 180 steps equal those computed from the definitions, step by step."""
    assert cadence_of(dates_of(steps)) == slow_time.stretches([(day, 500.0) for day in dates_of(steps)])


def cheapest(steps):
    """Return the cadence of each step in the cheapest of all divisions of a series."""
    return min(product(slow_time.CADENCES, repeat=len(steps)), key=lambda found: (cost_of(found, steps), *ties(found)))


def cost_of(found, steps):
    """Return the cost of a division."""
    changes = sum(map(slow_time.cost_of_change, found, found[1:]))
    return slow_time.cost_of_start(found[0]) + changes + sum(map(slow_time.cost_of_step, steps, found))


def ties(found):
    """Return what decides between divisions of equal cost, from the last step to the first."""
    places = [[*slow_time.CADENCES].index(cadence) for cadence in reversed(found)]
    return [places[0], *((before == after, before) for after, before in pairwise(places))]


@law(some=40, steps=st.lists(st.sampled_from([3, 7, 14, 30, 61, 91]), min_size=1, max_size=5))
def test_no_division_of_a_short_series_costs_less(steps):
    """The stretches of a short series are those of the cheapest of all divisions."""
    points = [(day, 500.0) for day in dates_of(steps)]
    assert cadence_of(dates_of(steps)) == slow_time.stretches(points, divide=cheapest)


@law(some=10, many=st.lists(steps | series_of_runs, min_size=2, max_size=8))
def test_a_series_is_divided_whatever_stands_beside_it(many):
    """Series of different lengths in one frame have the stretches that each has alone."""
    rows = [(f"Suburb {number}", day) for number, steps in enumerate(many) for day in dates_of(steps)]
    names, dates = zip(*rows, strict=True)
    index = pd.DatetimeIndex(pd.to_datetime(list(dates)), name="date")
    found = sp.cadence(pd.DataFrame({"area_name": pd.Categorical(names), "house": 500.0}, index))
    for number, steps in enumerate(many):
        own = found[found["area_name"] == f"Suburb {number}"].drop(columns=["area_name", "property_type"])
        assert records(own) == cadence_of(dates_of(steps))


# Series as the service returns them


def thinned(dates, share, seed):
    """Return dates without a share of them, drawn at random. The first remains."""
    keep = np.random.default_rng(seed).random(len(dates)) >= share
    return [day for day, is_kept in zip(dates, keep, strict=True) if is_kept or day == dates[0]]


MONTHS = months_until(date(2022, 7, 31), 217)
WEEKS = [SUNDAY + timedelta(7 * number) for number in range(2, 192)]
CHANGEOVER = [SUNDAY, date(2022, 8, 31), date(2022, 9, 4)]
shares = st.sampled_from([0.0, 0.1, 0.2])


@law(some=150, missing=st.tuples(shares, shares), seed=st.integers(0, 10**6))
def test_missing_points_change_no_stretch_of_the_service(missing, seed):
    """A series is monthly to 2022-08-28 and weekly from there."""
    months, weeks = thinned(MONTHS, missing[0], seed), thinned(WEEKS, missing[1], seed + 1)
    dates = months + CHANGEOVER + weeks
    steps = steps_of(CHANGEOVER + weeks)
    assume(3 * steps.count(7) >= 2 * len(steps) and steps[-5:] != [14] * 5)
    assert [(row["cadence"], row["end"]) for row in cadence_of(dates)] == [("monthly", SUNDAY), ("weekly", dates[-1])]


@law(some=100, missing=shares, seed=st.integers(0, 10**6), dates=st.sampled_from([MONTHS, WEEKS]))
def test_a_series_of_months_or_of_weeks_is_one_stretch(missing, seed, dates):
    """Missing points divide no series of a single cadence."""
    found = thinned(dates, missing, seed)
    cadence = "monthly" if dates is MONTHS else "weekly"
    assert [row["cadence"] for row in cadence_of(found)] == [cadence]


@law(some=100, seed=st.integers(0, 10**6))
def test_points_at_random_have_no_cadence(seed):
    """Sixty points at random in ten years are irregular, and nothing is missing, also where two steps are weekly."""
    days = np.sort(np.random.default_rng(seed).choice(3650, 60, replace=False))
    days[30:33] = days[30] + [0, 7, 14]
    dates = [date(2010, 1, 1) + timedelta(int(day)) for day in np.unique(days)]
    (row,) = cadence_of(dates)
    assert (row["cadence"], row["n_missing"]) == ("irregular", 0)


# Edges and boundaries


@pytest.mark.parametrize(("days", "cadence"), [
    (5, "irregular"), (6, "weekly"), (8, "weekly"), (9, "irregular"),
    (12, "irregular"), (13, "fortnightly"), (15, "fortnightly"), (16, "irregular"),
    (27, "irregular"), (28, "monthly"), (31, "monthly"), (32, "irregular"),
    (88, "irregular"), (89, "quarterly"), (92, "quarterly"), (93, "irregular"),
])  # fmt: skip
def test_the_edges_of_the_cadences(days, cadence):
    """The length of the steps names the cadence, and a single step is irregular."""
    assert labels_of([days] * 3) == [(cadence, 3, 0)]
    assert labels_of([days]) == [("irregular", 1, 0)]


@pytest.mark.parametrize(("steps", "expected"), [
    ([30] * 9 + [7] * 2, [("monthly", 9, 0), ("weekly", 2, 0)]),
    ([7] * 3 + [30] * 9, [("weekly", 3, 0), ("monthly", 9, 0)]),
    ([7] * 9 + [14] * 4, [("weekly", 13, 4)]),
    ([7] * 9 + [14] * 5, [("weekly", 9, 0), ("fortnightly", 5, 0)]),
    ([7] * 9 + [30] * 5, [("weekly", 9, 0), ("monthly", 5, 0)]),
    ([14, 28, 14], [("fortnightly", 3, 1)]),
    ([30] * 9 + [61] + [7] * 9, [("monthly", 10, 1), ("weekly", 9, 0)]),
    ([30] * 9 + [21] + [7] * 9, [("monthly", 9, 0), ("weekly", 10, 2)]),
    ([7] * 30 + [40, 66] * 15, [("weekly", 30, 0), ("irregular", 30, 0)]),
    ([40, 66] * 15 + [7] * 30, [("irregular", 30, 0), ("weekly", 30, 0)]),
])  # fmt: skip
def test_where_a_stretch_begins(steps, expected):
    """Two shorter steps begin a stretch, longer ones only if there are too many for missing points.

    A step of two months between them lacks a monthly point; a step of three weeks lacks weekly ones.
    """
    assert labels_of(steps) == expected
