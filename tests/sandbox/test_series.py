import hashlib
import json
from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import BY_NAME, SANDBOX_NAMES, SUBURBS
from suburb_pandas.sandbox.series import CHANGEOVER, LAST_DATE, LAST_MONTH_END, rents

DATA = {suburb.name: rents(suburb) for suburb in SUBURBS}
SERIES = [(name, kind, data[kind]) for name, data in DATA.items() for kind in ("house", "unit") if data.get(kind)]
ODD_DATES = {oddities.MISSING_WEEK, oddities.DOUBLED_LAST_DATE, *oddities.GAPS}


def dates_of(points):
    return [date.fromisoformat(point["date"]) for point in points]


def long_gaps(dates):
    return [(a, b) for a, b in pairwise(dates) if (b - a).days > 60]


def expected_dates(first, last=LAST_DATE):
    dates = [first]
    while dates[-1] < LAST_MONTH_END:
        dates.append((dates[-1] + timedelta(days=32)).replace(day=1) - timedelta(days=1))
    dates += CHANGEOVER
    while dates[-1] < last:
        dates.append(dates[-1] + timedelta(days=7))
    return dates


def test_the_changeover_is_sunday_month_end_sunday():
    """Monthly points give way to weekly ones on a Sunday, a month end and the next Sunday."""
    assert [day.isoformat() for day in CHANGEOVER] == ["2022-08-28", "2022-08-31", "2022-09-04"]
    assert [day.strftime("%a") for day in CHANGEOVER] == ["Sun", "Wed", "Sun"]
    assert LAST_DATE.strftime("%a") == "Sun"


def test_dates_are_month_ends_then_the_changeover_then_every_sunday():
    """All series share one calendar from their own first date to its end or their own, except in the odd suburbs."""
    for name, kind, points in SERIES:
        dates = dates_of(points)
        assert date(2004, 1, 31) <= dates[0] <= date(2019, 12, 31), (name, kind)
        last = date(2025, 3, 30) if kind in oddities.ENDED.get(name, ()) else LAST_DATE
        assert name in ODD_DATES or dates == expected_dates(dates[0], last), (name, kind)


def test_some_series_ended_a_year_before_the_others():
    """In three suburbs of New South Wales the rents end in March 2025: those of one type, or of both."""
    ended = {(name, kind) for name, kind, points in SERIES if dates_of(points)[-1] < LAST_DATE}
    assert ended == {(name, kind) for name, kinds in oddities.ENDED.items() for kind in kinds}
    assert {BY_NAME[name].state for name in oddities.ENDED} == {"NSW"}
    assert {*oddities.ENDED.values()} == {("unit",), ("house", "unit")}


def test_values_are_whole_plausible_dollars():
    """Values are whole dollars from 180 to 1400 a week, as floats."""
    for name, kind, points in SERIES:
        values = [point["value"] for point in points]
        assert all(isinstance(value, float) and value.is_integer() for value in values), (name, kind)
        assert all(180 <= value <= 1400 for value in values), (name, kind)


def test_values_barely_move_and_often_rest():
    """A series moves as a rolling median does: by under 4 per cent a step, and in a quarter of the steps not at all.

    Of a series with gaps, the steps over the gaps are left out.
    """
    for name, kind, points in SERIES:
        beyond_gaps = {later.isoformat() for _, later in long_gaps(dates_of(points))}
        steps = [b["value"] / a["value"] - 1 for a, b in pairwise(points) if b["date"] not in beyond_gaps]
        assert max(map(abs, steps)) < 0.04, (name, kind)
        assert steps.count(0) > len(steps) / 4, (name, kind)


def test_rents_have_grown_at_a_plausible_pace():
    """From its first point to its last, every series grows by 1 to 7 per cent a year."""
    for name, kind, points in SERIES:
        years = (LAST_DATE - dates_of(points)[0]).days / 365.25
        growth = (points[-1]["value"] / points[0]["value"]) ** (1 / years) - 1
        assert 0.01 < growth < 0.07, (name, kind)


def test_rents_fall_at_times():
    """More than a quarter of the series fall at some point."""
    falling = [any(b["value"] < a["value"] for a, b in pairwise(points)) for *_, points in SERIES]
    assert sum(falling) > len(falling) / 4


def test_houses_cost_more_than_units():
    """On every date that both types of a suburb have, the house costs more than the unit."""
    for data in DATA.values():
        units = {point["date"]: point["value"] for point in data.get("unit") or []}
        shared = [point for point in data["house"] or [] if point["date"] in units]
        assert all(point["value"] > units[point["date"]] for point in shared)


def test_house_and_unit_start_on_dates_of_their_own():
    """In more than nine of ten suburbs, the two series start on different dates."""
    both = [data for data in DATA.values() if data["house"] and data.get("unit")]
    assert sum(data["house"][0]["date"] != data["unit"][0]["date"] for data in both) > 0.9 * len(both)


def test_levels_differ_by_suburb():
    """The highest of today's house rents is more than 1.8 times the lowest."""
    levels = [data["house"][-1]["value"] for data in DATA.values() if data["house"]]
    assert max(levels) > 1.8 * min(levels)


def test_types_are_missing_where_the_constants_say():
    """Only the listed suburbs lack a house or unit series; the nine of the key ``test`` have both."""
    assert {name for name, data in DATA.items() if data["house"] is None} == oddities.NO_HOUSE
    assert {name for name, data in DATA.items() if "unit" in data and data["unit"] is None} == oddities.NO_UNIT
    assert {name for name, data in DATA.items() if data.get("unit") == []} == oddities.UNIT_EMPTY
    assert {name for name, data in DATA.items() if "unit" not in data} == oddities.UNIT_ABSENT
    assert all(DATA[name]["house"] and DATA[name]["unit"] for name in SANDBOX_NAMES)


def test_exactly_one_suburb_misses_a_week():
    """One suburb has a gap of a fortnight in both of its series; no other series has one of that length."""

    def gaps(points):
        dates = dates_of(points)
        return sum((b - a).days == 14 for a, b in pairwise(dates))

    assert {(name, gaps(points)) for name, _, points in SERIES if gaps(points)} == {(oddities.MISSING_WEEK, 1)}


def test_three_suburbs_of_a_council_lack_values_inside_their_series():
    """Houses and units of each have two gaps of three months and more; in 2021, two of the three have no values."""
    assert {BY_NAME[name].council for name in oddities.GAPS} == {"Leatherwood"}
    for name, gaps in oddities.GAPS.items():
        for kind in ("house", "unit"):
            pairs = long_gaps(dates_of(DATA[name][kind]))
            assert len(pairs) == len(gaps)
            assert all(
                a.isoformat() < first < last < b.isoformat() for (a, b), (first, last) in zip(pairs, gaps, strict=True)
            )
    assert sum(any(first < "2021-07" < last for first, last in gaps) for gaps in oddities.GAPS.values()) == 2


def test_exactly_one_suburb_has_its_last_date_twice():
    """One suburb has its last date twice; no other series repeats a date."""
    doubled = {name for name, _, points in SERIES if max(Counter(dates_of(points)).values()) > 1}
    assert doubled == {oddities.DOUBLED_LAST_DATE}
    assert [point["date"] for point in DATA[oddities.DOUBLED_LAST_DATE]["unit"][-2:]] == ["2026-04-26"] * 2


def test_the_rents_are_marked_as_made_up():
    """Rents carry the field ``made_up`` in their data, besides the header."""
    assert all(data["made_up"] is True for data in DATA.values())


def test_the_rents_are_the_same_everywhere():
    """Every Python version and machine makes the same rents; a change to them needs a new data version."""
    everything = json.dumps(DATA, sort_keys=True).encode()
    assert hashlib.sha256(everything).hexdigest() == "2e6c8aa494561d3995f920e18f3141120a3b8fb1050f67ae3f02a7a06cadf08b"
    assert rents(BY_NAME["Bilby Heights"])["house"][-1] == {"date": "2026-04-26", "value": 960.0}
