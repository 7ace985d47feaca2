"""Styled tables on a page of 1,280 pixels, as a laptop shows it."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.charts import EIGHT

pytestmark = pytest.mark.usefixtures("embedded")

LOADS = {
    "scorecard": lambda: sp.scorecard(
        EIGHT, prices=pd.DataFrame({"area_name": EIGHT, "house_price": 1_234_567, "unit_price": 987_654})
    ),
    "drivers": lambda: sp.impacts(EIGHT),
    "rents": lambda: sp.rent(EIGHT, freq="YE", layout="wide"),
    "quality": lambda: sp.quality(sp.rent(EIGHT)),
    "resampled": lambda: sp.resample(sp.rent(EIGHT[0]), "YE", detail=True),
}
"""Frames with many columns, of suburbs with long names."""


def test_no_table_is_wider_than_a_page(browser):
    """By default a table fits, with words or identifiers as headings and in a wide font."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    for name, load in LOADS.items():
        for labels in (True, False):
            html = load().suburb.style(labels=labels).to_html()
            page.set_content(f"<body style='font-family: DejaVu Sans'>{html}")
            assert page.evaluate("document.documentElement.scrollWidth") == 1280, name
    page.close()
