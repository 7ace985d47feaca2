"""The units of the columns of numbers, in the attrs of a frame."""

import re

import pandas as pd

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights"]
UNITS = {
    "pct": "per cent",
    "_days$": "days",
    "_rent$|_value$": "AUD per week",
    "^n_(absent|present)$": "sales",
    "share": "fraction",
    "price|premium|sum": "AUD",
}
"""The unit of the columns whose names have a pattern; the first one that fits counts. Other numbers are counts."""


def test_every_column_of_numbers_has_its_unit(embedded):
    """Money is in AUD, rents in AUD per week, growth and other ratios in per cent, and a count is of something."""
    for frame in (
        sp.impacts(NAMES),
        sp.impact_summary(NAMES),
        sp.scorecard(NAMES, prices=pd.DataFrame({"house_price": 1e6}, NAMES)),
        sp.quality(sp.rent(NAMES)),
        sp.revisions(NAMES),
    ):
        for label in frame.select_dtypes("number"):
            expected = next((UNITS[part] for part in UNITS if re.search(part, label)), label.removeprefix("n_"))
            assert frame.attrs["suburb_pandas"]["unit"][label] == expected
