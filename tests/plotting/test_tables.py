"""Styled tables: their headings are words, and text of others is never HTML."""

import re
from xml.etree import ElementTree as ET

import pandas as pd
from pandas.io.formats.style import Styler

import suburb_pandas as sp
from suburb_pandas.plotting.words import column_of
from suburb_pandas.service import ENDPOINTS
from tests.support.charts import EIGHT


def read(frame, **options):
    """Return the columns of a styled table, from the heading down, and its caption. Its HTML has to be well-formed."""
    html = frame.suburb.style(**options).to_html()
    table = ET.fromstring(html[html.index("<table") :].replace("<wbr>", "").replace("&nbsp;", ""))  # noqa: S314
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    return {head: cells for head, *cells in zip(*rows, strict=True)}, table.findtext("caption")


IDENTIFIERS = r"\b(n|pct|1y|all sales|unchanged days|sum drivers|dollars|retrieved at|area name)\b"
"""Parts of the names of columns that nobody would write in a heading."""


def test_no_heading_is_an_identifier():
    """Scorecards, drivers and summaries have words above their columns."""
    card = sp.scorecard(EIGHT[:1], prices=pd.DataFrame({"house_price": 1e6}, EIGHT[:1]))
    assert type(card.suburb.style()) is Styler  # Streamlit refuses a subclass
    for frame in (card, sp.impacts(EIGHT[:1]), sp.impact_summary(EIGHT[:1])):
        headings = read(frame, columns=[*frame])[0]
        assert [head for head in headings if re.search(IDENTIFIERS, head, re.IGNORECASE)] == []


def test_each_number_of_drivers_has_a_unit_without_marks():
    """A file loses the marks, which have the units of columns. The table of words has those of drivers, too."""
    for label, unit in ENDPOINTS["impacts"].unit.items():
        assert column_of(pd.DataFrame(columns=[label]), label).unit == unit


def test_text_of_others_is_never_html():
    """Labels, headings, row labels and the caption are escaped. A file may hold text where the package has numbers."""
    text = "<b>&amp;</b>"
    frame = pd.DataFrame({text: [text, 1], "n_sales": ["n/a", "3.1"]}, index=[text, "status"])
    frame.attrs = {"suburb_pandas": {"endpoint": "rent", "source": "live", "area_name": text}}
    cells, caption = read(frame)
    assert cells == {"": [text, "status"], text: [text, "1"], "Sales": ["n/a", "3.1"]}
    assert caption.startswith(f"Rents in {text}.")


def test_a_table_of_many_columns_keeps_the_status():
    """Of a scorecard with more columns than a page holds, the first are shown, and the status in the last place."""
    card = sp.scorecard(["Quokka Bay"])
    for number in range(8):
        card.insert(0, f"own_{number}", 1.0)
    shown = card.suburb.style().columns
    assert (len(shown), shown[0], shown[-1]) == (16, "own_7", "status")
