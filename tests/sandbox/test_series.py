import hashlib
import json
from datetime import date, timedelta
from itertools import pairwise

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import BY_NAME, SANDBOX_NAMES, SUBURBS
from suburb_pandas.sandbox.series import CHANGEOVER, LAST_DATE, rents

DATA = {suburb.name: rents(suburb) for suburb in SUBURBS}
SERIES = [(name, kind, data[kind]) for name, data in DATA.items() for kind in ("house", "unit") if data.get(kind)]


def dates_of(points):
    return [date.fromisoformat(point["date"]) for point in points]


def expected_dates(first, last):
    dates = [first]
    while dates[-1] < date(2022, 7, 31):
        dates.append((dates[-1] + timedelta(days=32)).replace(day=1) - timedelta(days=1))
    dates += CHANGEOVER
    while dates[-1] < last:
        dates.append(dates[-1] + timedelta(days=7))
    return dates


def test_dates_are_month_ends_then_the_changeover_then_every_sunday():
    """All series share one calendar from their own first date to its end or their own, except in the odd suburbs.

    Monthly points give way to weekly ones on a Sunday, a month end and the next Sunday.
    """
    assert [day.isoformat() for day in CHANGEOVER] == ["2022-08-28", "2022-08-31", "2022-09-04"]
    odd = {*oddities.MISSING_WEEK, oddities.DOUBLED_LAST_DATE, *oddities.GAPS}
    for name, kind, points in SERIES:
        dates = dates_of(points)
        assert date(2004, 1, 31) <= dates[0] <= date(2019, 12, 31), (name, kind)
        last = date(2025, 3, 30) if kind in oddities.ENDED.get(name, ()) else LAST_DATE
        assert name in odd or dates == expected_dates(dates[0], last), (name, kind)


def test_values_are_plausible_rents_that_barely_move_and_often_rest():
    """Values are whole dollars from 180 to 1400 a week, as floats.

    They move by under 4 per cent a step, except over a gap, and in a quarter of the steps not at all.
    """
    for name, kind, points in SERIES:
        values = [point["value"] for point in points]
        assert all(isinstance(value, float) and value.is_integer() and 180 <= value <= 1400 for value in values)
        days = pairwise(dates_of(points))
        steps = [
            b / a - 1 for (a, b), (start, end) in zip(pairwise(values), days, strict=True) if (end - start).days < 60
        ]
        assert max(map(abs, steps)) < 0.04, (name, kind)
        assert steps.count(0) > len(steps) / 4, (name, kind)


def test_types_are_missing_in_the_listed_suburbs_only():
    """A type may be null, empty or absent; the nine suburbs of the key ``test`` have both."""
    assert {name for name, data in DATA.items() if data["house"] is None} == oddities.NO_HOUSE
    assert {name for name, data in DATA.items() if "unit" in data and data["unit"] is None} == oddities.NO_UNIT
    assert {name for name, data in DATA.items() if data.get("unit") == []} == oddities.UNIT_EMPTY
    assert {name for name, data in DATA.items() if "unit" not in data} == oddities.UNIT_ABSENT
    assert all(DATA[name]["house"] and DATA[name]["unit"] for name in SANDBOX_NAMES)


def test_dates_end_early_repeat_or_are_missing_in_the_listed_suburbs_only():
    """Three suburbs ended, one has its last date twice, one lacks a week, and three of a council have long gaps."""
    steps = {(name, kind): [b - a for a, b in pairwise(dates_of(points))] for name, kind, points in SERIES}

    def having(days):
        return {key for key, found in steps.items() if any(step.days in days for step in found)}

    def both(names):
        return {(name, kind) for name in names for kind in ("house", "unit")}

    ended = {(name, kind) for name, kind, points in SERIES if dates_of(points)[-1] < LAST_DATE}
    assert ended == {(name, kind) for name, kinds in oddities.ENDED.items() for kind in kinds}
    assert having([0]) == both([oddities.DOUBLED_LAST_DATE])
    assert having([14]) == both(oddities.MISSING_WEEK)
    assert having(range(60, 1000)) == both(oddities.GAPS)
    assert {BY_NAME[name].council for name in oddities.GAPS} == {"Leatherwood"}


def test_the_rents_are_the_same_everywhere():
    """Every Python version and machine makes the same rents; a change to them needs a new data version."""
    everything = json.dumps(DATA, sort_keys=True).encode()
    assert hashlib.sha256(everything).hexdigest() == "2e6c8aa494561d3995f920e18f3141120a3b8fb1050f67ae3f02a7a06cadf08b"
