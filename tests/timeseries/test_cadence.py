"""Cadence: the stretches of a series, where they begin and end, and the points that are missing in them."""

from datetime import date, timedelta
from itertools import accumulate, pairwise
from random import Random

import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law
from tests.timeseries import irregular, slow_time
from tests.timeseries.irregular import NAMES, assert_agreement, frame_of, rows_of_suburbs

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

lengths = irregular.edges | st.sampled_from([3, 7, 14, 30, 40, 61, 91, 200])
runs = st.lists(st.tuples(lengths, st.integers(1, 30)), max_size=6)
series_of_runs = runs.map(lambda found: [days for days, count in found for _ in range(count)])
long_series = st.lists(st.lists(lengths, max_size=40) | series_of_runs, max_size=4).map(
    lambda many: [(name, day, 500.0, None) for name, steps in zip(NAMES, many, strict=False) for day in dates_of(steps)]
)


def dates_of(steps):
    """Return the first date and those that follow it by these steps, in days."""
    return list(accumulate(steps, lambda day, days: day + timedelta(days), initial=date(2004, 6, 30)))


def cadence_of(dates, *columns):
    """Return columns of `cadence` for a series with points on these dates, row by row."""
    found = sp.cadence(frame_of([(day, 500.0, None) for day in dates]))
    return list(found[[*columns]].itertuples(index=False, name=None))


@law(some=60, rows=rows_of_suburbs() | long_series)
def test_cadence_agrees_with_the_slow_reference(rows):
    """Stretches equal those computed from the definitions, step by step, whatever stands beside a series."""
    assert_agreement(rows, sp.cadence, irregular.slow_cadence)


def test_the_edges_of_the_cadences():
    """Steps of 6 to 8, 13 to 15, 28 to 31, and 89 to 92 days have a cadence; any others are irregular."""
    longest = max(most for _, most in filter(None, slow_time.CADENCES.values()))
    for days in range(5, longest + 2):
        assert cadence_of(dates_of([days] * 3), "cadence") == [(slow_time.cadence_by_share([days] * 3),)]


MONTHS = [slow_time.months_on(date(2022, 7, 31), number) for number in range(-216, 1)]
SUNDAYS = [date(2022, 8, 28) + timedelta(7 * number) for number in range(192)]
CHANGEOVER = [SUNDAYS[0], date(2022, 8, 31), SUNDAYS[1]]


@law(some=25, missing=st.sampled_from([0.0, 0.1, 0.2]), seed=st.integers(0, 10**6))
def test_missing_points_change_no_stretch_of_the_service(missing, seed):
    """A series is monthly to 2022-08-28 and weekly from there, whichever of its points are missing."""
    draw = Random(seed).random
    months, weeks = ([day for day in days if draw() >= missing] for days in (MONTHS, SUNDAYS[2:]))
    steps = [(after - before).days for before, after in pairwise(CHANGEOVER + weeks)]
    assume(3 * steps.count(7) >= 2 * len(steps) and steps[-5:] != [14] * 5)
    found = cadence_of(months + CHANGEOVER + weeks, "cadence", "end")
    assert [(cadence, end.date()) for cadence, end in found] == [("monthly", SUNDAYS[0]), ("weekly", weeks[-1])]
