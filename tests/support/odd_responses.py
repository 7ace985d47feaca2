"""Makes odd responses about made-up suburbs: points that cannot be read, and series without any point."""

import json

MONTHS = [f"{year}-{month:02}-28" for year in (2023, 2024) for month in range(1, 13)]
"""The dates of 24 points."""

UNREADABLE = {
    "null": '{"date": "2024-03-28", "value": null}',
    "text": '{"date": "2024-03-28", "value": "n.a."}',
    "not a number": '{"date": "2024-03-28", "value": NaN}',
    "infinity": '{"date": "2024-03-28", "value": -Infinity}',
    "too large": '{"date": "2024-03-28", "value": 1e400}',
    "no value": '{"date": "2024-03-28"}',
    "no such day": '{"date": "2024-02-30", "value": 650}',
    "out of range": '{"date": "9999-12-31", "value": 650}',
    "on several lines": '{"date": "0",\n\t"value": 650}',
    "a long text": f'{{"date": "2024-03-28", "value": "{"x" * 99}"}}',
    "nothing": "null",
}
"""The text of a point that cannot be read."""

NO_SERIES = {
    "null": {"house": None, "unit": None},
    "absent": {},
    "mixed": {"house": [], "unit": None},
}
"""The fields of a response that has neither houses nor units."""


def series_body(name, **series):
    """Return the body of a response with these series, each a list of points; other fields are as they are sent."""
    return json.dumps({"data": {"area_name": name, "area_level": "suburb", **series}}).encode()


def points(values, dates=MONTHS):
    """Return points with these values, on the dates from the first one on."""
    return [{"date": date, "value": value} for date, value in zip(dates, values, strict=False)]


def body_with(name, *odd, good=20):
    """Return the body of a response with some good points, of 600 to 619, and odd ones as text after the 14th."""
    house = [json.dumps(point) for point in points(range(600, 600 + good))]
    house[14:14] = odd
    return f'{{"data": {{"area_name": "{name}", "area_level": "suburb", "house": [{", ".join(house)}]}}}}'.encode()
