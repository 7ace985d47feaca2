"""Makes the rent series: month ends for years, then every Sunday, with values that often stay the same for weeks.

Owns the dates and values. Which suburbs are exceptions is left to `oddities`, the envelope to `service`.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import Suburb
from suburb_pandas.sandbox.dice import Dice

CHANGEOVER = (date(2022, 8, 28), date(2022, 8, 31), date(2022, 9, 4))
"""A Sunday, a month end and the next Sunday: the dates between the monthly and the weekly part of a series."""
LAST_DATE = date(2026, 4, 26)

_LAST_OF_ENDED = "2025-03-30"
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
    name, dice = suburb.name, Dice("rent", suburb.name)
    level, pace = house_rent(suburb), dice.between(88, 108)
    unit_level = max(level * dice.between(64, 78) // 100, _LOWEST_UNIT)
    data: dict[str, Any] = {"area_name": name, "area_level": "suburb"}
    for kind, today in {"house": level, "unit": unit_level}.items():
        data[kind] = _points(name, kind, today, pace, _dates(dice, name))
    if name in oddities.NO_HOUSE:
        data["house"] = None
    if name in oddities.NO_UNIT:
        data["unit"] = None
    if name in oddities.UNIT_EMPTY:
        data["unit"] = []
    if name in oddities.UNIT_ABSENT:
        del data["unit"]
    return data | {"made_up": True}


def _dates(dice: Dice, name: str) -> list[date]:
    """Draw the first date of a series, and return all of its dates, oldest first."""
    first = dice.between(2004, 2019) * 12 + dice.between(1, 12)  # the number of the month that follows
    months = range(first, CHANGEOVER[0].year * 12 + CHANGEOVER[0].month)
    dates = [date(month // 12, month % 12 + 1, 1) - timedelta(days=1) for month in months]
    dates += CHANGEOVER
    while dates[-1] < LAST_DATE:
        dates.append(dates[-1] + timedelta(weeks=1))
    for start, end in (oddities.GAPS | oddities.MISSING_WEEK).get(name, ()):
        dates = [day for day in dates if not start <= day.isoformat() <= end]
    if name == oddities.DOUBLED_LAST_DATE:
        dates.append(LAST_DATE)
    return dates


def _points(name: str, kind: str, level: int, pace: int, dates: list[date]) -> list[dict[str, Any]]:
    """Draw a series of points that ends near `level`. Values are whole dollars, as floats."""
    dice = Dice(kind, name)
    values = _sticky(dice, _levels(dice, level, pace, dates))
    points: list[dict[str, Any]] = [
        {"date": day.isoformat(), "value": float(value)} for day, value in zip(dates, values, strict=True)
    ]
    if kind in oddities.ENDED.get(name, ()):
        points = [point for point in points if point["date"] <= _LAST_OF_ENDED]
    if name == oddities.DOUBLED_LAST_DATE:
        points[-2]["value"] -= 5.0  # the two points differ, so that a test can tell which one a client used
    return points


def _levels(dice: Dice, level: int, pace: int, dates: list[date]) -> list[int]:
    """Draw the underlying rent on each date, in thousandths of a dollar, oldest first.

    Drawn backwards from today's level, so that today's rent is plausible however long the series is.
    """
    level, swing = level * 1000, 0
    levels = [level]
    for later, earlier in pairwise(reversed(dates)):
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
