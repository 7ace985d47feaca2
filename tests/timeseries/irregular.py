"""Irregular series of rents: strategies that draw rows, frames made of rows, and the results of the slow reference.

Rows are (date, house, unit), or (area name, date, house, unit) for several suburbs. None stands for a missing value.
"""

from datetime import date, timedelta
from functools import partial
from typing import get_args

import pandas as pd
from hypothesis import strategies as st

from suburb_pandas.timeseries.resample import How
from tests.timeseries import slow_time

KINDS = ("house", "unit")
NAMES = ["Quokka Bay", "Woylie", "Bilby Heights", "Mangrove Steps"]
HOWS = get_args(How)
DETAILS = ["n", "last", "coverage", "open", "filled", "unchanged_days"]
ENDS = ["ME", "QE", "YE", *(f"{kind}-{month}" for kind in ("QE", "YE") for month in slow_time.MONTHS)]
STARTS = ["MS", "QS", "YS", *(f"{kind}-{month}" for kind in ("QS", "YS") for month in slow_time.MONTHS)]
WEEKS = ["W", *(f"W-{day}" for day in slow_time.WEEKDAYS)]

MOVES = {
    **{cadence: partial(slow_time.regular_step_on, cadence=cadence) for cadence in slow_time.STEPS},
    "to the next Sunday": lambda day: day + timedelta(6 - day.weekday() or 7),
    "to the next month's end": lambda day: slow_time.period(day + timedelta(1), "ME")[1],
    "nowhere": lambda day: day,
}

days = st.dates(date(1960, 1, 1), date(2004, 12, 31))  # so that no series drawn from there ends in the future
limits = [limit for limit in slow_time.CADENCES.values() if limit]
ends_of_steps = [days for least, most in limits for days in (least - 1, least, most, most + 1)]
edges = st.sampled_from([*ends_of_steps, 34, 35, 36, 55, 56, 57])
lengths = edges | st.integers(1, 60) | st.integers(1, 400)
amounts = st.sampled_from([500.0, 510.0, 530.5]) | st.floats(50, 5000)
moves = st.tuples(st.sampled_from(list(MOVES)), st.integers(1, 8)) | st.tuples(lengths, st.integers(1, 3))
segments = st.tuples(moves, st.lists(amounts, min_size=1, max_size=3))
weeks, ends, starts = map(st.sampled_from, (WEEKS, ENDS, STARTS))
freqs = weeks | ends | starts
fills = st.sampled_from([None, "ffill", "linear"])
shufflers = st.randoms(use_true_random=True)


@st.composite
def series(draw, start):
    """Draw dated values in stretches of equal steps, each of which repeats a few values. There may be none."""
    found = []
    for (move, count), values in draw(st.lists(segments, max_size=5)):
        for number in range(count):
            found.append((start, values[number % len(values)]))
            start = MOVES[move](start) if move in MOVES else start + timedelta(move)
    return found


def beside(house, unit):
    """Join two series into rows (date, house, unit). Points of both series on one date share a row."""
    rows = {}
    for column, points in enumerate((house, unit)):
        occurrences = {}
        for day, value in points:
            occurrences[day] = occurrences.get(day, 0) + 1
            rows.setdefault((day, occurrences[day]), [day, None, None])[column + 1] = value
    return [tuple(row) for _, row in sorted(rows.items())]


@st.composite
def suburb_rows(draw):
    """Draw rows of one suburb in any order. A row may have neither value."""
    start = draw(days)
    rows = beside(draw(series(start)), draw(series(start + timedelta(draw(st.integers(-60, 400))))))
    rows += draw(st.lists(st.tuples(days, st.none(), st.none()), max_size=1))
    if draw(st.booleans()):
        draw(shufflers).shuffle(rows)
    return rows


@st.composite
def rows_of_suburbs(draw):
    """Draw rows (area name, date, house, unit) of several suburbs, suburb by suburb or mixed."""
    by_name = draw(st.dictionaries(st.sampled_from(NAMES), suburb_rows(), max_size=3))
    rows = [(name, *row) for name, found in by_name.items() for row in found]
    if draw(st.booleans()):
        draw(shufflers).shuffle(rows)
    return rows


@st.composite
def options(draw):
    """Draw options of `resample` that go together, in the form that the reference takes."""
    chosen = {"how": draw(st.sampled_from(HOWS)), "partial": draw(st.sampled_from(["keep", "drop"]))}
    chosen["fill"] = draw(fills)
    if chosen["how"] not in {"last", "mean"}:
        chosen["fill"] = None
    if chosen["fill"]:
        chosen["max_gap"] = draw(st.none() | st.integers(5, 70) | st.integers(1, 200))
    if chosen["how"] == "mean":
        chosen["min_coverage"] = draw(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
    if chosen["how"] == "last":
        chosen["max_lag"] = draw(st.none() | st.integers(0, 40))
    return chosen


@st.composite
def growth_options(draw):
    """Draw options of `growth` that go together, in the form that the reference takes."""
    return {
        "base": draw(st.sampled_from(["linear", "last"])),
        "max_gap": draw(st.just(35) | st.integers(0, 40) | st.just(400)),
        "smooth": draw(st.none() | st.integers(1, 120)),
        "min_coverage": draw(st.sampled_from([0.0, 0.5, 0.9, 1.0])),
        "annualise": draw(st.booleans()),
    }


def frame_of(rows):
    """Return the frame of one suburb."""
    index = pd.DatetimeIndex(pd.to_datetime([row[0] for row in rows]), name="date")
    return pd.DataFrame({kind: [row[n] for row in rows] for n, kind in enumerate(KINDS, 1)}, index, dtype="float64")


def long_frame_of(rows):
    """Return the long frame of several suburbs. Every name is a category, even without rows."""
    frame = frame_of([row[1:] for row in rows])
    frame.insert(0, "area_name", pd.Categorical([row[0] for row in rows], categories=NAMES))
    return frame


def panel_of(dates, values):
    """Return a long frame of houses from {name: values by date}; a value of ... leaves out the row.

    One more suburb is a category without a row.
    """
    rows = [
        (day, name, value)
        for name, found in values.items()
        for day, value in zip(dates, found, strict=True)
        if value is not ...
    ]
    names = pd.Categorical([name for _, name, _ in rows], categories=[*values, "Cider Gum"])
    index = pd.DatetimeIndex([day for day, _, _ in rows], name="date")
    return pd.DataFrame({"area_name": names, "house": pd.Series([v for *_, v in rows], dtype="float64").array}, index)


def quarters(values):
    """Return a long frame of houses on consecutive quarters from {name: values}, as `panel_of` does."""
    return panel_of(pd.date_range("2020-03-31", periods=len(next(iter(values.values()))), freq="QE"), values)


def house_and_unit(rows):
    """Return a suburb's two series in the form that the reference takes."""
    return [slow_time.series([(row[0], row[column]) for row in rows]) for column in (1, 2)]


def as_arguments(chosen):
    """Return options in the form that `resample` and `growth` take."""
    lengths = {name: chosen[name] for name in ("max_gap", "max_lag", "smooth") if chosen.get(name) is not None}
    return {**chosen, **{name: f"{n // 7}W" if n % 7 == 0 else f"{n}D" for name, n in lengths.items()}}


def table_of(frame):
    """Return a frame with its dates in a column."""
    return frame.reset_index() if frame.index.name == "date" else frame.reset_index(drop=True)


def assert_same_rows(frame, expected, size=1.0):
    """Assert that a frame equals another one, or has the rows that are given as dictionaries with at least its columns.

    Numbers may differ by 1e-9 of `size` or of their own size.
    """
    found = table_of(frame)
    if not isinstance(expected, pd.DataFrame):
        assert all(found.columns.isin(row).all() for row in expected)
        expected = pd.DataFrame(expected, columns=found.columns).astype(found.dtypes)
    pd.testing.assert_frame_equal(found, table_of(expected), rtol=1e-9, atol=1e-9 * size)


def assert_agreement(rows, function, slow, *, has_all=False):
    """Assert that a function gives what the slow reference gives, for several suburbs and for the first of them alone.

    Suburbs keep their order and their categories. With `has_all`, the result has all categories, in their order.
    """
    owns = {name: [row[1:] for row in rows if row[0] == name] for name in dict.fromkeys(row[0] for row in rows)}
    expected = {name: slow(owns.get(name, [])) for name in NAMES}
    found = function(long_frame_of(rows))
    assert list(found["area_name"].cat.categories) == NAMES
    assert list(found["area_name"].unique()) == [name for name in (NAMES if has_all else owns) if expected[name]]
    wanted = [{"area_name": name, **row} for name in NAMES for row in expected[name]]
    assert_same_rows(found.sort_values("area_name", kind="stable"), wanted, size(rows))
    first = next(iter(owns), NAMES[0])
    assert_same_rows(function(frame_of(owns.get(first, []))), expected[first], size(rows))
    return found


def size(rows):
    """Return the largest absolute value in some rows, 1.0 if there is none."""
    return max([abs(value) for row in rows for value in row[-2:] if value is not None], default=1.0)


def slow_resample(rows, freq, chosen):
    """Return the rows that `resample` with `detail` should return for one suburb."""
    expected = []
    for day, cells in slow_time.suburb_resampled(*house_and_unit(rows), freq, **chosen).items():
        expected.append({"date": day})
        for kind, found in zip(KINDS, cells, strict=True):
            expected[-1] |= {kind: found.value, **{f"{kind}_{name}": getattr(found, name) for name in DETAILS}}
    return expected


def slow_cadence(rows):
    """Return the rows that `cadence` should return for one suburb."""
    pairs = zip(KINDS, house_and_unit(rows), strict=True)
    return [{"property_type": kind, **found} for kind, points in pairs for found in slow_time.stretches(points)]


def slow_quality(rows, asof):
    """Return the rows that `quality` should return for one suburb."""
    pairs = zip(KINDS, house_and_unit(rows), strict=True)
    return [{"property_type": kind, **slow_time.quality(points, asof)} for kind, points in pairs]


def slow_growth(rows, over, chosen):
    """Return the rows that `growth` with `detail` should return for one suburb. On one date, the last row counts."""
    expected = [{"date": row[0]} for row in rows]
    for column, (kind, points) in enumerate(zip(KINDS, house_and_unit(rows), strict=True), 1):
        grown = slow_time.grown(points, over, **chosen)
        last_rows = {row[0]: number for number, row in enumerate(rows) if row[column] is not None}
        for number, row in enumerate(expected):
            cells = grown[row["date"]] if last_rows.get(row["date"]) == number else (None,) * 4
            names = (kind, f"{kind}_base", f"{kind}_base_date", f"{kind}_days")
            row |= dict(zip(names, cells, strict=True))
    return expected
