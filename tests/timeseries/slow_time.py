"""The slow reference for time: resample, cadence, quality and growth computed in plain Python, day by day.

A series is a list of (date, value) in the order of its dates, with at most one point per date. None stands for a
missing value. Lengths of time are in days.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import groupby, pairwise
from statistics import median

DAY = timedelta(1)
WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
ANCHORS = {"W": "SUN", "MS": "", "ME": "", "QS": "JAN", "QE": "DEC", "YS": "JAN", "YE": "DEC"}
"""The calendar frequencies, each with its default anchor."""

CADENCES = {"weekly": (6, 8), "fortnightly": (13, 15), "monthly": (28, 31), "quarterly": (89, 92), "irregular": None}
"""The shortest and the longest step of each cadence, in days. Shorter cadences come first."""

STEPS = {"weekly": 7, "fortnightly": 14, "monthly": 30.4375, "quarterly": 91.3125}
MONTHS_OF = {"monthly": 1, "quarterly": 3}
"""The mean step of each cadence in days, and that in months of those that follow the calendar."""


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


def line(points, max_gap=35):
    """Return the value of each day on the line: points, and days between neighbouring points close enough together."""
    values = dict(points)
    for (start, before), (end, after) in pairwise(points):
        length = (end - start).days
        if max_gap is None or length <= max_gap:
            for day in range(1, length):
                values[start + day * DAY] = before + (after - before) * day / length
    return values


def known_values(values, first, last):
    """Return the values of the days from the first to the last that have one."""
    days = [first + number * DAY for number in range((last - first).days + 1)]
    return [values[day] for day in days if day in values]


def mean_of_days(values, first, last, min_coverage):
    """Return the mean of the values of the days from the first to the last, None if too few have one."""
    found = known_values(values, first, last)
    if not found or len(found) < min_coverage * ((last - first).days + 1):
        return None
    return sum(found) / len(found)


def unchanged(points, number):
    """Return how many days the value of a point had been unchanged by its date."""
    first = number
    while first > 0 and points[first - 1][1] == points[number][1]:
        first -= 1
    return (points[number][0] - points[first][0]).days


def next_date(points):
    """Return the date one step of the latest cadence after the last point."""
    return one_step_on(points[-1][0], stretches(points)[-1]["cadence"], points[-2:], 1)


def previous_date(points):
    """Return the date one step of the first cadence before the first point: a month if the first step is monthly."""
    is_monthly = len(points) > 1 and is_of((points[1][0] - points[0][0]).days, "monthly")
    return one_step_on(points[0][0], "monthly" if is_monthly else stretches(points)[0]["cadence"], points[:2], -1)


def one_step_on(day, cadence, outermost, direction):
    """Return the day one step after or before a point. An irregular series repeats its outermost step."""
    if len(outermost) == 1:
        cadence = "monthly" if is_month_end(day) else "weekly"
    if cadence == "irregular":
        return day + direction * (outermost[-1][0] - outermost[0][0])
    return regular_step_on(day, cadence, direction)


def regular_step_on(day, cadence, direction=1):
    """Return the day one step of a regular cadence after or before a day."""
    if cadence in MONTHS_OF:
        return months_on(day, direction * MONTHS_OF[cadence])
    return day + direction * DAY * STEPS[cadence]


@dataclass
class Cell:
    """The value of a series in a period, and how it was obtained."""

    value: float | None
    n: int
    last: date | None
    coverage: float
    unchanged_days: int | None
    open: bool = False
    partial: bool = False
    filled: bool = False


def cell(points, values, span, how, min_coverage, max_lag):
    """Return the cell of a series in a period, before gaps are filled and partial periods dropped."""
    first, last = span
    inside = [number for number, (day, _) in enumerate(points) if first <= day <= last]
    of_points = [points[number][1] for number in inside]
    if how == "mean":
        value = mean_of_days(values, first, last, min_coverage)
    elif how == "count":
        value = float(len(of_points))
    elif not of_points:
        value = None
    elif how == "median":
        value = median(of_points)
    else:
        assert how == "last"
        lag = (last - points[inside[-1]][0]).days
        value = None if max_lag is not None and lag > max_lag else of_points[-1]
    return Cell(
        value=value,
        n=len(of_points),
        last=points[inside[-1]][0] if inside else None,
        coverage=len(known_values(values, first, last)) / ((last - first).days + 1),
        unchanged_days=unchanged(points, inside[-1]) if inside else None,
    )


def filled_value(cells, number, points, span, how, fill, max_gap):
    """Return the value with which an empty cell is filled, None if its gap is too long."""
    first, last = span
    values = line(points, 35 if max_gap is None and fill == "linear" else max_gap)
    if how == "last":
        if last not in values:
            return None
        return values[last] if fill == "linear" else [value for day, value in points if day <= last][-1]
    mean = mean_of_days(values, first, last, min_coverage=1)
    if mean is None or fill == "linear":
        return mean
    return next((found.value for found in reversed(cells[:number]) if found.value is not None), None)


def resampled(
    points, spans, freq, *, how="last", fill=None, max_gap=None, partial="keep", min_coverage=0.5, max_lag=None
):
    """Return the cell of one series in each period."""
    cells = [cell(points, line(points), span, how, min_coverage, max_lag) for span in spans]
    if fill is not None:
        found = [filled_value(cells, number, points, span, how, fill, max_gap) for number, span in enumerate(spans)]
        for each, value in zip(cells, found, strict=True):
            if each.value is None and value is not None:
                each.value, each.filled = value, True
    if points:
        due, missed = next_date(points), previous_date(points)
        for each, (first, last) in zip(cells, spans, strict=True):
            each.open = first <= due <= last
            each.partial = each.open or (first <= points[0][0] <= last and first < missed)
            if partial == "drop" and each.partial:
                each.value, each.filled = None, False
    return cells


def suburb_resampled(house, unit, freq, **options):
    """Return the cells of a suburb's two series as {label: (house cell, unit cell)}."""
    spans = periods(house, unit, freq)
    cells = [resampled(points, spans, freq, **options) for points in (house, unit)]
    rows = dict(zip([label(span, freq) for span in spans], zip(*cells, strict=True), strict=True))
    if options.get("partial") == "drop":
        for edge in {min(rows), max(rows)} if rows else ():
            if all(found.partial for found in rows[edge] if found.n):
                del rows[edge]
    return rows


# Cadence and quality


def is_of(days, cadence):
    """Return True if a step has the length of a cadence."""
    return cadence != "irregular" and CADENCES[cadence][0] <= days <= CADENCES[cadence][1]


def cost_of_step(days, cadence):
    """Return the cost of a step in a stretch of a cadence."""
    if cadence == "irregular":
        return 2
    if is_of(days, cadence):
        return 0
    return 6 if days > CADENCES[cadence][1] or cadence == "weekly" else 10


def cost_of_change(before, after):
    """Return the cost of a change from one cadence to another."""
    if before == after:
        return 0
    if "irregular" in {before, after}:
        return 50
    return 11 if STEPS[after] < STEPS[before] / 4 else 29


def cost_of_start(cadence):
    """Return the cost of the cadence with which a series begins."""
    return 10 if cadence == "irregular" else 0


def divided(steps):
    """Return the cadence of each step of a series, at the least cost.

    A list holds the best way to each cadence, with its cost, up to a step. It is extended step by step.
    """
    ways = [(cost_of_start(cadence), [cadence]) for cadence in CADENCES]
    for number, days in enumerate(steps):
        if number:
            ways = [best_way(ways, cadence) for cadence in CADENCES]
        ways = [(cost + cost_of_step(days, way[-1]), way) for cost, way in ways]
    return min(ways, key=lambda found: found[0])[1]  # the first, so the shortest cadence, of equal ones


def best_way(ways, cadence):
    """Return the best of some ways, with one more step in a cadence. Of equal costs, that with a change is better."""
    longer = [(cost + cost_of_change(way[-1], cadence), [*way, cadence]) for cost, way in ways]
    return min(longer, key=lambda found: (found[0], found[1][-2] == cadence))


def stretches(points):
    """Return the stretches of one cadence in a series."""
    steps = [(after[0] - before[0]).days for before, after in pairwise(points)]
    if not steps:
        return [stretch(points, 0, 0, "irregular", [])] if points else []
    cadences = []
    for _, group in groupby(zip(divided(steps), steps, strict=True), key=lambda found: found[0]):
        own = [days for _, days in group]
        cadences += [cadence_by_share(own)] * len(own)
    starts = [number for number in range(len(steps)) if number == 0 or cadences[number] != cadences[number - 1]]
    return [
        stretch(points, start, end, cadences[start], steps[start:end]) for start, end in pairwise([*starts, len(steps)])
    ]


def cadence_by_share(steps):
    """Return the cadence of at least two thirds of some steps, irregular if there is none or only one step."""
    found = [name for name in CADENCES if 3 * sum(is_of(days, name) for days in steps) >= 2 * len(steps)]
    return found[0] if found and len(steps) > 1 else "irregular"


def stretch(points, start, end, cadence, steps):
    """Return the row of `cadence` for the stretch from one point to another."""
    missing = 0 if cadence == "irregular" else sum(max(0, round(days / STEPS[cadence]) - 1) for days in steps)
    return {
        "cadence": cadence,
        "start": points[start][0],
        "end": points[end][0],
        "n_points": end - start + 1,
        "n_missing": missing,
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


def times_a_year(over, days):
    """Return the exponent that makes a growth annual: 12 by the months of the span, or 365.25 by the days."""
    number, unit = int(over[:-1]), over[-1]
    return 365.25 / days if unit in "DW" else 12 / (number * (12 if unit == "Y" else 1))


def _compounded(ratio, times):
    """Return a ratio to a power; None if no float can hold it, because growth is never infinite."""
    try:
        return ratio**times
    except OverflowError:
        return None


def grown(points, over="1Y", *, base="linear", max_gap=35, smooth=None, min_coverage=0.5, annualise=False):
    """Return {date: (growth, value of the base, date of the base, days)} for the points of a series."""
    found = {}
    for day, value in points:
        known = [point for point in points if point[0] < day]
        there = back(day, over)
        earlier = [point for point in known if point[0] <= there]
        if base == "last" and (not earlier or (there - earlier[-1][0]).days > max_gap):
            found[day] = (None, None, None, None)
            continue
        there = earlier[-1][0] if base == "last" else there
        gap = 35 if base == "last" else max_gap
        if smooth is None:
            now, then = value, line(known, gap).get(there)
        else:
            window = (smooth - 1) * DAY
            now = mean_of_days(line([*known, (day, value)], gap), day - window, day, min_coverage)
            then = mean_of_days(line(known, gap), there - window, there, min_coverage)
            is_known = there in line(known, gap) or there not in line([*known, (day, value)], gap)
            then = then if is_known else None
        if then is None or now is None:
            found[day] = (None, None, None, None)
            continue
        days = (day - there).days
        ratio = _compounded(now / then, times_a_year(over, days) if annualise else 1)
        found[day] = (None, None, None, None) if ratio is None else (ratio - 1, then, there, days)
    return found
