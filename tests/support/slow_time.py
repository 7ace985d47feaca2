"""The slow reference for time: resample, cadence, quality and growth computed in plain Python, day by day.

A series is a list of (date, value) in the order of its dates, with at most one point per date. None stands for a
missing value. Lengths of time are in days.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from statistics import median

DAY = timedelta(1)
WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
ANCHORS = {"W": "SUN", "MS": "", "ME": "", "QS": "JAN", "QE": "DEC", "YS": "JAN", "YE": "DEC"}
"""The calendar frequencies, each with its default anchor."""

STEPS = {"weekly": 7, "monthly": 30.4375}


def series(rows):
    """Return the series of (date, value) rows, which may be in any order.

    Rows without a value are left out. Of several rows with one date, the last counts.
    """
    return sorted({day: value for day, value in rows if value is not None}.items())


# The calendar


def is_month_end(day):
    """Return True if a day is the last of its month."""
    return (day + DAY).month != day.month


def months_on(day, months):
    """Return the day some months later, or earlier if `months` is negative.

    A month's last day leads to a month's last day. Any other day leads to the same day of the month, or to the month's
    last day if the month is shorter.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    there = date(year, month + 1, 1)
    while not is_month_end(there) and (is_month_end(day) or there.day < day.day):
        there += DAY
    return there


def starts_period(day, freq):
    """Return True if a period of a frequency starts on a day."""
    kind, _, anchor = freq.partition("-")
    anchor = anchor or ANCHORS[kind]
    if kind == "W":  # a week ends on its anchor
        return WEEKDAYS[(day - DAY).weekday()] == anchor
    if kind in {"MS", "ME"}:
        return day.day == 1
    months = 3 if kind.startswith("Q") else 12
    turn = day if kind.endswith("S") else day - DAY  # the anchor is the first or the last month of a period
    return day.day == 1 and (turn.month - 1 - MONTHS.index(anchor)) % months == 0


@cache
def period(day, freq):
    """Return the first and the last day of the period that a day is in."""
    first = last = day
    while not starts_period(first, freq):
        first -= DAY
    while not starts_period(last + DAY, freq):
        last += DAY
    return first, last


def label(span, freq):
    """Return the day that pandas labels a period with."""
    first, last = span
    return first if freq.startswith(("MS", "QS", "YS")) else last


def periods(house, unit, freq):
    """Return every period from the first to the last that has a point of either property type."""
    days = [day for day, _ in house + unit]
    found = [period(min(days), freq)] if days else []
    while found and found[-1][1] < max(days):
        found.append(period(found[-1][1] + DAY, freq))
    return found


# Resampling


def represented_days(points, *, weekly):
    """Return each day that a point represents, with the point's value."""
    represented = {}
    for previous, (day, value) in zip([None, *points], points, strict=False):
        if is_month_end(day):
            most = day.day  # its calendar month
        elif previous is None:
            most = min(7, day.day)  # not before its calendar month
        else:
            most = 31
        for back in range(min(most, 7) if weekly else most):
            represented_day = day - back * DAY
            if previous is None or represented_day > previous[0]:
                represented[represented_day] = value
    return represented


def mean_of_days(represented, first, last):
    """Return the mean over the represented days between two days, both included, and the number of these days."""
    values, day = [], first
    while day <= last:
        if day in represented:
            values.append(represented[day])
        day += DAY
    return (sum(values) / len(values) if values else None), len(values)


def unchanged(points, number):
    """Return how many days the value of a point had been unchanged by its date."""
    first = number
    while first > 0 and points[first - 1][1] == points[number][1]:
        first -= 1
    return (points[number][0] - points[first][0]).days


def next_date(points):
    """Return the date one step of the latest cadence after the last point."""
    last = points[-1][0]
    cadence = stretches(points)[-1]["cadence"]
    if cadence == "monthly" or (len(points) == 1 and is_month_end(last)):
        return months_on(last, 1)
    if cadence == "weekly" or len(points) == 1:
        return last + 7 * DAY
    return last + (last - points[-2][0])


@dataclass
class Cell:
    """The value of a series in a period, and how it was obtained."""

    value: float | None
    n: int
    last: date | None
    coverage: float
    unchanged_days: int | None
    open: bool = False
    filled: bool = False


def cell(points, represented, span, how, min_coverage):
    """Return the cell of a series in a period, before gaps are filled and open periods dropped."""
    first, last = span
    inside = [number for number, (day, _) in enumerate(points) if first <= day <= last]
    values = [points[number][1] for number in inside]
    mean, days = mean_of_days(represented, first, last)
    length = (last - first).days + 1
    if how == "last":
        value = values[-1] if values else None
    elif how == "mean":
        value = None if days < min_coverage * length else mean
    elif how == "median":
        value = median(values) if values else None
    else:
        value = float(len(values))
    return Cell(
        value=value,
        n=len(values),
        last=points[inside[-1]][0] if inside else None,
        coverage=days / length,
        unchanged_days=unchanged(points, inside[-1]) if inside else None,
    )


def fill_gaps(cells, points, spans, freq, fill, max_gap):
    """Fill the gaps between cells with values, each gap completely or not at all."""
    known = [row for row, found in enumerate(cells) if found.value is not None]
    for before, after in pairwise(known):
        gap = range(before + 1, after)
        if not gap:
            continue
        earlier = [day for day, _ in points if day < spans[gap[0]][0]]
        later = [day for day, _ in points if day > spans[gap[-1]][1]]
        if not earlier or (max_gap is not None and (later[0] - earlier[-1]).days > max_gap):
            continue
        start, end = label(spans[before], freq), label(spans[after], freq)
        for row in gap:
            share = (label(spans[row], freq) - start) / (end - start) if fill == "linear" else 0
            cells[row].value = cells[before].value + share * (cells[after].value - cells[before].value)
            cells[row].filled = True


def resampled(points, spans, freq, *, how="last", fill=None, max_gap=None, partial="keep", min_coverage=0.0):
    """Return the cell of one series in each period."""
    represented = represented_days(points, weekly=freq.startswith("W"))
    cells = [cell(points, represented, span, how, min_coverage) for span in spans]
    if fill is not None:
        fill_gaps(cells, points, spans, freq, fill, max_gap)
    due = next_date(points) if points else None
    for found, (first, last) in zip(cells, spans, strict=True):
        found.open = due is not None and first <= due <= last
        if partial == "drop" and found.open:
            found.value = None
    return cells


def suburb_resampled(house, unit, freq, **options):
    """Return the cells of a suburb's two series as {label: (house cell, unit cell)}."""
    spans = periods(house, unit, freq)
    cells = [resampled(points, spans, freq, **options) for points in (house, unit)]
    rows = dict(zip([label(span, freq) for span in spans], zip(*cells, strict=True), strict=True))
    if rows and options.get("partial") == "drop" and all(found.open for found in list(rows.values())[-1] if found.n):
        rows.popitem()
    return rows


# Cadence and quality


def classified(days):
    """Return the cadence of a step between two points, None if it is neither weekly nor monthly."""
    if days <= 10:
        return "weekly"
    return "monthly" if 26 <= days <= 35 else None


def stretches(points):
    """Return the stretches of one cadence in a series."""
    if not points:
        return []
    steps = [(after[0] - before[0]).days for before, after in pairwise(points)]
    classes = [classified(days) for days in steps]
    around = [None, *classes, None]
    regular = [
        found is not None and found in {around[number], around[number + 2]} for number, found in enumerate(classes)
    ]
    belongs = [found if is_regular else None for found, is_regular in zip(classes, regular, strict=True)]
    if not any(regular):
        return [stretch(points, 0, len(points) - 1, "irregular", [])]
    for number in range(1, len(belongs)):  # any other step belongs to the stretch before it
        belongs[number] = belongs[number] or belongs[number - 1]
    for number in reversed(range(len(belongs) - 1)):  # steps before the first stretch belong to the first stretch
        belongs[number] = belongs[number] or belongs[number + 1]
    starts = [number for number in range(len(belongs)) if number == 0 or belongs[number] != belongs[number - 1]]
    return [
        stretch(points, start, end, belongs[start], [steps[step] for step in range(start, end) if not regular[step]])
        for start, end in pairwise([*starts, len(belongs)])
    ]


def stretch(points, start, end, cadence, gaps):
    """Return the row of `cadence` for the stretch from one point to another."""
    return {
        "cadence": cadence,
        "start": points[start][0],
        "end": points[end][0],
        "n_points": end - start + 1,
        "n_missing": sum(max(0, round(days / STEPS[cadence]) - 1) for days in gaps),
    }


def flat_runs(points):
    """Return the first and the last date of each run of equal values."""
    runs = []
    for number, (day, value) in enumerate(points):
        if number > 0 and points[number - 1][1] == value:
            runs[-1] = (runs[-1][0], day)
        else:
            runs.append((day, day))
    return runs


def quality(points, asof):
    """Return the row of `quality` for one series."""
    points = [(day, value) for day, value in points if day <= asof]
    if not points:
        names = ("first", "last", "cadence_now", "age_days", "unchanged_days", "longest_flat_days", "share_flat_56d")
        return {"n_points": 0, "max_step_pct": None, **dict.fromkeys(names)}
    (first, _), (last, _) = points[0], points[-1]
    runs = flat_runs(points)
    flat = sum((end - start).days for start, end in runs if (end - start).days >= 56)
    steps = [abs(after / before - 1) * 100 for (_, before), (_, after) in pairwise(points)]
    return {
        "first": first,
        "last": last,
        "n_points": len(points),
        "cadence_now": stretches(points)[-1]["cadence"],
        "age_days": (asof - last).days,
        "unchanged_days": (runs[-1][1] - runs[-1][0]).days,
        "longest_flat_days": max((end - start).days for start, end in runs),
        "share_flat_56d": None if first == last else flat / (last - first).days,
        "max_step_pct": max(steps, default=None),
    }


# Growth


def back(day, over):
    """Return the day one span before a day. The span is a number and D, W, M or Y."""
    number, unit = int(over[:-1]), over[-1]
    if unit in "DW":
        return day - number * (7 if unit == "W" else 1) * DAY
    return months_on(day, -number * (12 if unit == "Y" else 1))


def grown(points, over="1Y", *, smooth=None, annualise=False, tolerance=31):
    """Return {date: (growth, date of the base)} for the points of a series."""
    represented = represented_days(points, weekly=False)
    found = {}
    for day, value in points:
        target = back(day, over)
        earlier = [point for point in points if point[0] <= target]
        if not earlier or (target - earlier[-1][0]).days > tolerance:
            found[day] = (None, None)
            continue
        base_day, base = earlier[-1]
        now, then = value, base
        if smooth is not None:
            now, _ = mean_of_days(represented, day - (smooth - 1) * DAY, day)
            then, _ = mean_of_days(represented, base_day - (smooth - 1) * DAY, base_day)
        ratio = now / then
        if annualise:
            ratio **= 365.25 / (day - base_day).days
        found[day] = (ratio - 1, base_day)
    return found
