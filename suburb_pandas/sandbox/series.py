"""Made-up rents, shaped like real ones: month ends for years, then every Sunday, and flat for weeks.

Owns the dates and values of a rent series. Which suburb lacks what is `oddities`; the envelope is `app`.
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
"""A Sunday, the month end, and the next Sunday: where months give way to weeks."""
LAST_DATE = date(2026, 4, 26)

_SKIPPED_WEEK = date(2024, 10, 13)
_LOWEST_UNIT = 450

# What a rent gains in a year, in thousandths, before the suburb's own pace. Years not named gain _USUAL_GAIN.
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
    """What a house costs a week by now, more or less; prices are made to go with it."""
    return Dice("level", suburb.name).between(600, 1360)


@cache
def rents(suburb: Suburb) -> dict[str, Any]:
    """The rent series of a suburb, as the service's ``data``."""
    dice = Dice("rent", suburb.name)
    level, pace = house_rent(suburb), dice.between(88, 108)
    unit_level = max(level * dice.between(64, 78) // 100, _LOWEST_UNIT)
    house = _points(Dice("house", suburb.name), level, pace, _dates(dice, suburb))
    unit = _points(Dice("unit", suburb.name), unit_level, pace, _dates(dice, suburb))
    data: dict[str, Any] = {"area_name": suburb.name, "area_level": "suburb", "house": house, "unit": unit}
    return _made_awkward(data) | {"made_up": True}


def _made_awkward(data: dict[str, Any]) -> dict[str, Any]:
    """Take away what this suburb lacks on purpose."""
    name = data["area_name"]
    if name in oddities.NO_HOUSE:
        data["house"] = None
    if name in oddities.NO_UNIT:
        data["unit"] = None
    if name in oddities.UNIT_EMPTY:
        data["unit"] = []
    if name in oddities.UNIT_ABSENT:
        del data["unit"]
    if name == oddities.DOUBLED_LAST_DATE:
        for series in (data["house"], data["unit"]):
            series[-2]["value"] -= 5.0  # so that it shows which of the two was taken
    return data


def _dates(dice: Dice, suburb: Suburb) -> list[date]:
    """The dates of one series, oldest first, from a start of its own."""
    start = date(dice.between(2004, 2019), dice.between(1, 12), 1)
    weeks = (LAST_DATE - CHANGEOVER[-1]).days // 7
    dates = [*_month_ends(start), *CHANGEOVER]
    dates += [CHANGEOVER[-1] + timedelta(weeks=week) for week in range(1, weeks + 1)]
    if suburb.name == oddities.MISSING_WEEK:
        dates.remove(_SKIPPED_WEEK)
    if suburb.name == oddities.DOUBLED_LAST_DATE:
        dates.append(LAST_DATE)
    return dates


def _month_ends(start: date) -> Iterator[date]:
    """Month ends from that of `start` to the last before the changeover."""
    first = start.replace(day=1)
    while first < LAST_MONTH_END:
        following = (first + timedelta(days=31)).replace(day=1)
        yield following - timedelta(days=1)
        first = following


def _points(dice: Dice, level: int, pace: int, dates: list[date]) -> list[dict[str, Any]]:
    """Points that end near `level`: whole dollars, written as floats."""
    values = _sticky(dice, _levels(dice, level, pace, dates))
    return [{"date": day.isoformat(), "value": float(value)} for day, value in zip(dates, values, strict=True)]


def _levels(dice: Dice, level: int, pace: int, dates: list[date]) -> list[int]:
    """What rents do underneath, in thousandths of a dollar, oldest first.

    Made backwards from today's level, so that it is plausible now whenever the series starts.
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
    """Dollars that stay put until the level is far away, then follow it part of the way: a rolling median."""
    grip = dice.between(3, 9) * 1000
    shown = levels[0]
    for level in levels:
        gap = level - shown
        if abs(gap) >= grip or dice.one_in(9):
            shown += gap * dice.between(1, 5) // 6
        yield (shown + 500) // 1000
