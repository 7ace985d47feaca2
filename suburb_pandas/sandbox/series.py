"""Makes the rent series: month ends for years, then every Sunday, with values that often stay the same for weeks.

Owns the dates and values. Which suburbs are exceptions is left to `oddities`, the envelope to `app`.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import Any

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import Suburb
from suburb_pandas.sandbox.dice import Dice

LAST_MONTH_END = date(2022, 7, 31)
CHANGEOVER = (date(2022, 8, 28), date(2022, 8, 31), date(2022, 9, 4))
"""A Sunday, a month end and the next Sunday: the dates between the monthly and the weekly part of a series."""
LAST_DATE = date(2026, 4, 26)
LAST_DATE_OF_ENDED = date(2025, 3, 30)

_SKIPPED_WEEK = date(2024, 10, 13)
_LOWEST_UNIT = 450

# Growth per year in thousandths, for a suburb whose pace is 100. Years that are not listed have _USUAL_GAIN.
_USUAL_GAIN = 18
_GAINS = {
    **dict.fromkeys(range(2004, 2009), 42),
    **dict.fromkeys(range(2009, 2014), 32),
    2020: -6,
    2021: 52,
    2022: 84,
    2023: 78,
    2024: 52,
    2025: 34,
    2026: 26,
}


def house_rent(suburb: Suburb) -> int:
    """Draw the approximate rent of a house today, in dollars per week; `premiums` derives sale prices from it."""
    return Dice("level", suburb.name).between(600, 1360)


@cache
def rents(suburb: Suburb) -> dict[str, Any]:
    """Return the rents of a suburb, in the form of the service's ``data``."""
    dice = Dice("rent", suburb.name)
    level, pace = house_rent(suburb), dice.between(88, 108)
    unit_level = max(level * dice.between(64, 78) // 100, _LOWEST_UNIT)
    house = _points(Dice("house", suburb.name), level, pace, _dates(dice, suburb))
    unit = _points(Dice("unit", suburb.name), unit_level, pace, _dates(dice, suburb))
    data: dict[str, Any] = {"area_name": suburb.name, "area_level": "suburb", "house": house, "unit": unit}
    return _made_awkward(data) | {"made_up": True}


def _made_awkward(data: dict[str, Any]) -> dict[str, Any]:
    """Apply the suburb's exceptions to its data, in place, and return it."""
    name = data["area_name"]
    if name in oddities.NO_HOUSE:
        data["house"] = None
    if name in oddities.NO_UNIT:
        data["unit"] = None
    if name in oddities.UNIT_EMPTY:
        data["unit"] = []
    if name in oddities.UNIT_ABSENT:
        del data["unit"]
    for kind in oddities.ENDED.get(name, ()):
        data[kind] = [point for point in data[kind] if point["date"] <= LAST_DATE_OF_ENDED.isoformat()]
    if name == oddities.DOUBLED_LAST_DATE:
        for series in (data["house"], data["unit"]):
            series[-2]["value"] -= 5.0  # the two points differ, so that a test can tell which one a client used
    return data


def _dates(dice: Dice, suburb: Suburb) -> list[date]:
    """Draw the first date of a series, and return all of its dates, oldest first."""
    start = date(dice.between(2004, 2019), dice.between(1, 12), 1)
    weeks = (LAST_DATE - CHANGEOVER[-1]).days // 7
    dates = [*_month_ends(start), *CHANGEOVER]
    dates += [CHANGEOVER[-1] + timedelta(weeks=week) for week in range(1, weeks + 1)]
    if suburb.name == oddities.MISSING_WEEK:
        dates.remove(_SKIPPED_WEEK)
    for first, last in oddities.GAPS.get(suburb.name, ()):
        dates = [day for day in dates if not first <= day.isoformat() <= last]
    if suburb.name == oddities.DOUBLED_LAST_DATE:
        dates.append(LAST_DATE)
    return dates


def _month_ends(start: date) -> Iterator[date]:
    """Yield the month ends from the month of `start` to `LAST_MONTH_END`."""
    first = start.replace(day=1)
    while first < LAST_MONTH_END:
        following = (first + timedelta(days=31)).replace(day=1)
        yield following - timedelta(days=1)
        first = following


def _points(dice: Dice, level: int, pace: int, dates: list[date]) -> list[dict[str, Any]]:
    """Draw a series of points that ends near `level`. Values are whole dollars, as floats."""
    values = _sticky(dice, _levels(dice, level, pace, dates))
    return [{"date": day.isoformat(), "value": float(value)} for day, value in zip(dates, values, strict=True)]


def _levels(dice: Dice, level: int, pace: int, dates: list[date]) -> list[int]:
    """Draw the underlying rent on each date, in thousandths of a dollar, oldest first.

    Drawn backwards from today's level, so that today's rent is plausible however long the series is.
    """
    level, swing = level * 1000, 0
    levels = [level]
    for later, earlier in zip(reversed(dates[1:]), reversed(dates[:-1]), strict=True):
        swing += dice.between(-16, 16) - swing // 8
        yearly = _GAINS.get(earlier.year, _USUAL_GAIN) * pace // 100 + swing
        level -= level * yearly * (later - earlier).days // 365_000
        levels.append(level)
    return levels[::-1]


def _sticky(dice: Dice, levels: list[int]) -> Iterator[int]:
    """Yield whole dollars that follow the levels in steps, as a rolling median does.

    A value stays until the level is far from it, or until chance moves it. It then moves part of the way to the level.
    """
    grip = dice.between(3, 9) * 1000
    shown = levels[0]
    for level in levels:
        gap = level - shown
        if abs(gap) >= grip or dice.one_in(9):
            shown += gap * dice.between(1, 5) // 6
        yield (shown + 500) // 1000
