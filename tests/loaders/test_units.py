"""The units of the columns of numbers, in the attrs of a frame."""

import re

import pandas as pd

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights"]
UNITS = {
    "pct": "per cent",
    "_days$": "days",
    "_rent$|_value$": "AUD per week",
    "^n_(sales|absent|present)$": "sales",
    "^n_drivers$": "drivers",
    "^n_points$": "points",
    "^n_values$": "values",
    "share": "fraction",
    "price|premium|sum": "AUD",
}
"""The unit of the columns whose names have a pattern; the first one that fits counts."""


def test_every_column_of_numbers_has_its_unit(embedded):
    """Money is in AUD, rents in AUD per week, growth and other ratios in per cent, and a count is of something."""
    card = sp.scorecard(NAMES, prices=pd.DataFrame({"house_price": 1e6, "unit_price": 1e6}, NAMES))
    frames = sp.impacts(NAMES), sp.impact_summary(NAMES), sp.quality(sp.rent(NAMES)), sp.revisions(NAMES), card
    for frame in frames:
        numbers = frame.select_dtypes("number")
        expected = {label: next(UNITS[part] for part in UNITS if re.search(part, label)) for label in numbers}
        assert frame.attrs["suburb_pandas"]["unit"] == expected
