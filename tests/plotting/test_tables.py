"""Styled tables: the headings, cells and captions of their HTML are read back and compared with the frame."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from pandas.io.formats.style import Styler

import suburb_pandas as sp
from tests.support.charts import EIGHT

DASH, LIGHT, HEAVY = "\N{EN DASH}", "\N{WHITE UP-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
COLUMNS = {
    "unit_rent": ("Unit rent, AUD per week", "{:,.0f}"),
    "house_growth_1y_pct": ("House growth over 1 year, %", "{:.1f}"),
    "house_rent_date": ("House rent date", "{:%Y-%m-%d}"),
    "n_sales": ("Sales", "{:d}"),
    "retrieved_at": ("Retrieved, UTC", "{:%Y-%m-%d %H:%M}"),
}


def read(frame, **options):
    """Return the columns of a styled table, from the heading down, and its caption. Its HTML has to be well-formed."""
    html = frame.suburb.style(**options).to_html()
    table = ET.fromstring(html[html.index("<table") :].replace("<wbr>", "").replace("&nbsp;", ""))  # noqa: S314
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    return {head: cells for head, *cells in zip(*rows, strict=True)}, table.findtext("caption")


def written(values, form):
    """Return values as a table writes them."""
    minus = "-" if "%" in form else "\N{MINUS SIGN}"
    return [DASH if pd.isna(value) else form.format(value).replace("-", minus) for value in values]


def test_a_table_has_headings_in_words_and_the_values_of_the_frame():
    """Headings have units. Per cent have one decimal, money and counts none. `labels=False` keeps the identifiers.

    Streamlit refuses a subclass of the styler of pandas. Equal frames have equal HTML.
    """
    card = sp.scorecard(EIGHT)
    cells, caption = read(card, columns=[*COLUMNS])
    assert cells == {"": EIGHT} | {head: written(card[label], form) for label, (head, form) in COLUMNS.items()}
    assert caption.startswith("5 of 22 columns; columns= chooses.")
    assert caption.endswith("Source: made-up data of the embedded sandbox, retrieved 2026-04-28.")
    assert [*read(card, columns="unit_rent", labels=False)[0]] == ["", "unit_rent, AUD per week"]
    styler = card.suburb.style()
    assert type(styler) is Styler
    assert styler.to_html() == card.copy().suburb.style().to_html()


IDENTIFIERS = r"\b(n|pct|1y|all sales|unchanged days|sum drivers|dollars|retrieved at|area name)\b"
"""Parts of the names of columns that nobody would write in a heading."""


def test_no_heading_is_an_identifier():
    """Scorecards, drivers and summaries have words above their columns."""
    card = sp.scorecard(EIGHT[:1], prices=pd.DataFrame({"house_price": 1e6}, EIGHT[:1]))
    for frame in (card, sp.impacts(EIGHT[:1]), sp.impact_summary(EIGHT[:1])):
        headings = read(frame, columns=[*frame])[0]
        assert [head for head in headings if re.search(IDENTIFIERS, head, re.IGNORECASE)] == []


def test_by_default_a_table_has_up_to_16_columns():
    """Dates, ratios and sources are left out first, then the last columns; the sentence `detail` unless it is asked."""
    prices = pd.DataFrame({"house_price": 1e6}, EIGHT[:2])
    card, drivers = sp.scorecard(EIGHT[:2], prices=prices), sp.impacts(EIGHT[:2])
    left_out = card.filter(regex="_date$|_price_pct$|^retrieved|^source")
    assert card.suburb.style().caption.endswith("The prices are the user's own, so they have no flags for few sales.")
    many = pd.DataFrame([range(20)]).add_prefix("own ")
    for frame, shown in (
        (card, card.drop(columns=left_out)),
        (many, many.iloc[:, :16]),
        (drivers, drivers.iloc[:, :-1]),
    ):
        assert [*frame.suburb.style().columns] == [*shown]
    assert [*drivers.suburb.style(columns=["detail", "label"]).columns] == ["detail", "label"]


def test_flags_are_words_with_a_mark_that_the_caption_explains():
    """Thin, caution and stale have a mark. Of 56 days or more without a change, the caption says what they can mean."""
    card = sp.scorecard(EIGHT[:3]).assign(sales_flag=["thin", "caution", None], status=["stale", "ok", "no_data"])
    card["house_unchanged_days"] = [56.0, 55.0, 3.0]
    flags = ["sales_flag", "house_unchanged_days", "status"]
    cells, caption = read(card, columns=flags)
    assert [*cells.values()][1:] == [
        [f"{HEAVY} thin", f"{LIGHT} caution", DASH],
        ["56", "55", "3"],
        [f"{HEAVY} stale", "ok", "no_data"],
    ]
    assert (
        "Thin: up to 10; caution: up to 30 sales. Unchanged: the rent has not moved for 56 days or more, which can "
        "mean few listings. Stale: the rent is more than 62 days older than the newest rent. Rents as at 2026-04-26. "
    ) in caption
    plain = card.iloc[[1]].assign(sales_flag="ok").suburb.style(columns=flags)
    assert not re.search(f"[{LIGHT}{HEAVY}]|tale|listings", plain.to_html())


def test_the_caption_begins_with_what_the_table_holds():
    """The title and the measure are first, then the operations in words, with their arguments, and the source."""
    rents = sp.rent(EIGHT[:2], freq="QE", start="2015-01-01", end="2025-06-30")
    bay = sp.rent("Quokka Bay")
    filled = sp.growth(sp.resample(sp.rent("Quokka Bay", start="2015"), "QE", how="mean", fill="linear"), "1Y")
    for frame, caption in (
        (bay.tail(9), "Rents in Quokka Bay. Advertised median rent, AUD per week. Source: "),
        (sp.rent("Quokka Bay", start="2026"), "Selected: dates from 2026-01-01. "),
        (filled, "Computed: dates from 2015-01-01, quarterly means, filled along the line, growth over one year. "),
        (
            sp.growth(bay, "6M", smooth="13W", annualise=True),
            "growth over 6 months of means over 13 weeks, annualised. ",
        ),
        (sp.growth(sp.rent(EIGHT[:1], layout="wide")), "Rents. Growth over one year, per cent. Computed: growth"),
        (sp.quality(bay), "Rents in Quokka Bay. Computed: quality. Source: "),
        (
            sp.impacts("Quokka Bay"),
            (
                "Amenity price impacts in Quokka Bay. 7 of 8 columns; columns= chooses. Thin: up to 10; caution: up to "
                "30 sales without the amenity. A premium compares"
            ),
        ),
        (
            sp.rent_index(rents, weights="dwellings", base="2020-12-31"),
            (
                "Rents. Advertised median rent, like-for-like index. Computed: quarterly last values, "
                "dates from 2015-01-01 to 2025-06-30, like-for-like index, weighted by dwellings, 100 at 2020-12-31. "
            ),
        ),
    ):
        assert caption in frame.suburb.style().caption


def test_growth_is_in_per_cent_and_an_index_has_a_decimal():
    """Rows are labelled with their dates, without the time of the day. A heading names means that were compared."""
    rents = sp.rent(EIGHT[:2], freq="YE", start="2020", partial="drop")
    index, grown = sp.rent_index(rents), sp.growth(rents[rents["area_name"] == EIGHT[0]])
    cells = read(grown)[0]
    assert cells[""] == [str(day.date()) for day in grown.index]
    assert cells["House growth over one year, %"] == written(100 * grown["house"], "{:.1f}")
    assert read(index)[0]["Index of house rents"] == written(index["house"], "{:.1f}")
    assert "House growth over 1 year, means over 91 days, %" in read(sp.scorecard(EIGHT[:1], smooth="91D"))[0]


def test_text_of_others_is_never_html():
    """Labels, headings, row labels and the caption are escaped. A file may hold text where the package has numbers."""
    text = "<b>&amp;</b>"
    frame = pd.DataFrame({text: [text, 1], "n_sales": ["n/a", "3.1"]}, index=[text, "status"])
    frame.attrs = {"suburb_pandas": {"endpoint": "rent", "source": "live", "area_name": text}}
    cells, caption = read(frame)
    assert cells == {"": [text, "status"], text: [text, "1"], "Sales": ["n/a", "3.1"]}
    assert caption.startswith(f"Rents in {text}.")


def test_numbers_of_the_users_own_lose_nothing_and_gain_no_point_zero():
    """A column without a unit shows its numbers to two decimals, without separators: they may be years."""
    own = pd.DataFrame({"year": [2021, 12_352], "my_share": [0.851, -0.1], "whole": [1, np.nan], "sold": [True, False]})
    wanted = {"Year": ["2021", "12352"], "My share": written([0.85, -0.1], "{:.2f}"), "Whole": ["1", DASH]}
    wanted["Sold"] = ["True", "False"]
    assert read(own)[0] == wanted


def test_a_frame_that_cannot_be_styled_is_refused_with_the_line_that_styles_a_part():
    """It has too many rows, or several columns of one name."""
    card = sp.scorecard(EIGHT[:2])[["house_rent"]]
    for frame, what in ((card.loc[EIGHT[:1] * 1001], "1,001 rows and 0"), (card[["house_rent"] * 2], "2 rows and 1")):
        with pytest.raises(ValueError, match=rf"{what} columns twice\. .*\.head\(100\)\.suburb\.style\(\)"):
            frame.suburb.style()
