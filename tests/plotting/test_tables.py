"""Styled tables: the headings, cells, bars and captions of their HTML are read back and compared with the frame."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from pandas.io.formats.style import Styler

import suburb_pandas as sp
from tests.support.charts import EIGHT

pytestmark = pytest.mark.usefixtures("embedded")

DASH, LIGHT, HEAVY = "\N{EN DASH}", "\N{WHITE UP-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
BLUE, ORANGE = "rgba(24, 120, 180, 0.4)", "rgba(216, 96, 0, 0.4)"
YEARS = {"freq": "YE", "start": "2020", "partial": "drop"}
WORDS = {
    "unit_rent": ("Unit rent, AUD per week", "unit_rent (AUD per week)", "{:,.0f}"),
    "house_growth_1y_pct": ("House growth over 1 year, %", "house_growth_1y_pct (per cent)", "{:.1f}"),
    "house_rent_date": ("House rent dated", "house_rent_date", "{:%Y-%m-%d}"),
    "n_sales": ("Sales", "n_sales (sales)", "{:d}"),
    "total_premium_pct": ("Total premium, % of median", "total_premium_pct (per cent)", "{:.1f}"),
    "total_premium": ("Total premium, AUD", "total_premium (AUD)", "{:,.0f}"),
    "retrieved_at": ("Retrieved, UTC", "retrieved_at (UTC)", "{:%Y-%m-%d %H:%M}"),
}


def read(styler):
    """Return the columns of a table, from the heading down, and its caption. Its HTML has to be well-formed."""
    html = styler.to_html()
    table = ET.fromstring(html[html.index("<table") :].replace("<wbr>", "").replace("&nbsp;", ""))  # noqa: S314
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    return {head: cells for head, *cells in zip(*rows, strict=True)}, table.findtext("caption")


def written(value, form):
    """Return a value as a table writes it."""
    return DASH if pd.isna(value) else form.format(value).replace("-", "\N{MINUS SIGN}" if "%" not in form else "-")


def bars(styler):
    """Map the row and column of each bar to its ends in per cent of its cell, the one at zero first."""
    found = {}
    for ids, stops in re.findall(r"([^{}]+){[^{}]*gradient\(90deg,([^;]+)\)", styler.to_html()):
        at = [float(share) for share in re.findall(r"([\d.]+)%", stops)]
        ends = (at[0] if "transparent" in stops[:14] else 0, at[-1])
        assert (BLUE in stops) != (ORANGE in stops)
        for row, column in re.findall(r"_row(\d+)_col(\d+)", ids):
            found[int(row), int(column)] = ends if BLUE in stops else ends[::-1]
    return found


@pytest.mark.parametrize("labels", [True, False])
def test_a_table_has_headings_in_words_and_the_values_of_the_frame(labels):
    """Headings have units. Per cent have one decimal, money and counts none. `labels=False` keeps the identifiers."""
    card = sp.scorecard(EIGHT)
    cells, caption = read(card.suburb.style(columns=[*WORDS], labels=labels))
    names, *others = cells.values()
    assert names == EIGHT
    assert [*cells][1:] == [words[not labels] for words in WORDS.values()]
    for label, shown in zip(WORDS, others, strict=True):
        assert shown == [written(value, WORDS[label][2]) for value in card[label]]
    assert caption.startswith("Scorecard. 7 of 22 columns; columns= chooses.")
    assert caption.endswith("Source: made-up data of the embedded sandbox, retrieved 2026-04-28.")


def test_by_default_a_table_has_up_to_16_columns():
    """Dates, ratios and sources are left out first, then the last columns; the sentence `detail` unless it is asked."""
    prices = pd.DataFrame({"area_name": EIGHT[:2], "house_price": 1e6, "unit_price": 5e5})
    card, drivers = sp.scorecard(EIGHT[:2], prices=prices), sp.impacts(EIGHT[:2])
    styler = card.suburb.style()
    assert [*card.columns.difference(styler.columns, sort=False)] == [
        *["house_rent_date", "house_growth_1y_base_date", "unit_rent_date", "unit_growth_1y_base_date"],
        *["house_rent_to_all_sales_price_pct", "unit_rent_to_all_sales_price_pct", "retrieved_at", "source"],
    ]
    assert "16 of 24 columns; columns= chooses." in styler.caption
    assert styler.caption.endswith("The prices are the user's own, so they have no flags for few sales.")
    many = pd.DataFrame([range(20)]).add_prefix("own ")
    assert [*many.suburb.style().columns] == [*many][:16]
    assert [*drivers.suburb.style().columns] == [*drivers][:-1]
    assert [*drivers.suburb.style(columns=["detail", "label"]).columns] == ["detail", "label"]


def test_flags_are_words_with_a_mark_that_the_caption_explains():
    """Thin and caution, 56 days without a change, a status other than ok, and the date of a stale rent have a mark."""
    with pytest.warns(sp.errors.DataWarning, match="stale"):
        card = sp.scorecard(["Coolibah Track", *EIGHT[:2]]).assign(sales_flag=["thin", "caution", None])
    flags = ["sales_flag", "house_unchanged_days", "status", "unit_rent_date"]
    card["house_unchanged_days"] = [56.0, 55.0, 1000.0]
    card.loc["Coolibah Track", "house_rent_date"] = pd.NaT  # so that the newest rent is another suburb's
    card["unit_rent_date"] = card["unit_rent_date"].astype("str")  # as it comes back from a file
    cells, caption = read(card.suburb.style(columns=flags))
    assert [*cells.values()][1:] == [
        [f"{HEAVY} thin", f"{LIGHT} caution", DASH],
        [f"{LIGHT} 56", "55", f"{LIGHT} 1,000"],
        [f"{HEAVY} stale", "ok", "ok"],
        [f"{HEAVY} 2025-03-30", "2026-04-26", "2026-04-26"],
    ]
    assert (
        f"{HEAVY} thin: up to 10; {LIGHT} caution: up to 30 sales. {LIGHT} beside a number of days: unchanged for 56 "
        f"days or more, which can mean few listings. Stale, or {HEAVY} beside a date: the rent is more than 62 days "
        f"older than the newest rent. A dash ({DASH}) means no value."
    ) in caption
    plain = card.tail(2).assign(sales_flag="ok", house_unchanged_days=0.0).suburb.style(columns=flags)
    assert not re.search(f"[{LIGHT}{HEAVY}{DASH}]|tale", plain.to_html())


@pytest.mark.filterwarnings("error")
def test_the_bars_of_a_measure_are_on_one_scale():
    """Houses and units share it. A bar begins at zero, ends at its value, and has another colour below zero."""
    card = sp.scorecard(EIGHT[:3])[["house_growth_1y_pct", "total_premium_pct", "unit_growth_1y_pct"]]
    card.iloc[:, ::2] = [[4.0, -2.0], [0.5, np.nan], [-1.0, 6.0]]
    card["total_premium_pct"] = 0.0
    assert bars(card.suburb.style()) == {
        (row, column): (12.5, pytest.approx(50 * (card.iloc[row, column] + 2) / 8, abs=0.06))
        for row, column in [(0, 0), (0, 2), (1, 0), (2, 0), (2, 2)]
    }


@pytest.mark.parametrize(
    ("load", "labels"),
    [
        (lambda: sp.growth(sp.rent("Quokka Bay", **YEARS)), ["house", "unit"]),
        (lambda: sp.growth(sp.rent(EIGHT[:2], **YEARS, layout="wide"))["house"], EIGHT[:2]),
        (lambda: sp.impacts("Quokka Bay").drop(columns="detail"), ["pct_of_median"]),
        (lambda: sp.rent_index(sp.rent(EIGHT[:2], **YEARS)), []),
        (lambda: sp.growth(sp.rent(EIGHT[:2], **YEARS)), []),
    ],
)
def test_growth_and_premiums_have_bars_and_shares_have_none(load, labels):
    """Where rows have equal labels, as dates of two suburbs, pandas draws no bars."""
    frame = load()
    wanted = {(row, frame.columns.get_loc(label)) for label in labels for row in np.flatnonzero(frame[label].notna())}
    assert {*bars(frame.suburb.style())} == wanted


@pytest.mark.parametrize(
    ("load", "title"),
    [
        (sp.impacts, "Amenity price impacts in Quokka Bay. 7 of 8 columns; columns= chooses. "),
        (sp.rent, "Rents in Quokka Bay. Advertised median rent, AUD per week. Source: "),
        (lambda name: sp.growth(sp.rent([name], **YEARS, layout="wide")), "Rents. Growth over one year, per cent. "),
        (lambda name: sp.quality(sp.rent(name)), "Rents in Quokka Bay. Computed: quality. Source: "),
        (lambda name: pd.DataFrame({name: [1]}), "The source of this data is not known."),
    ],
)
def test_the_caption_begins_with_what_the_table_holds(load, title):
    assert load("Quokka Bay").tail(9).suburb.style().caption.startswith(title)


def test_growth_is_in_per_cent_and_an_index_has_a_decimal():
    """Rows are labelled with their dates, without the time of the day. The caption names means that were compared."""
    rents = sp.rent(EIGHT[:2], **YEARS)
    index, grown = sp.rent_index(rents), sp.growth(sp.rent("Quokka Bay", **YEARS))
    days, houses, _ = read(grown.suburb.style())[0].values()
    assert days == [str(day.date()) for day in grown.index]
    assert houses == [written(100 * value, "{:.1f}") for value in grown["house"]]
    assert read(index.suburb.style())[0]["Index of house rents"] == [f"{value:.1f}" for value in index["house"]]
    card = sp.scorecard(EIGHT[:1], smooth="91D")
    assert "Growth compares means over 91 days." in card.suburb.style().caption
    assert "Growth compares" not in card.suburb.style(columns=["house_rent"]).caption


def test_drivers_say_which_sales_a_flag_counts_and_what_a_premium_is():
    """Row numbers are left out."""
    drivers = sp.impacts("Quokka Bay")
    cells, caption = read(drivers.suburb.style())
    assert next(iter(cells.items())) == ("Driver", drivers["label"].to_list())
    assert f"{LIGHT} caution: up to 30 sales without the amenity. A premium compares the sales without the" in caption


def test_text_of_others_is_never_html():
    """Labels, headings, row labels and the caption are escaped."""
    text = "<b>&amp;</b>"
    frame = pd.DataFrame({text: [text, True]}, index=[text, "b"])
    frame.attrs = {"suburb_pandas": {"endpoint": "rent", "source": "live", "area_name": text}}
    cells, caption = read(frame.suburb.style())
    assert cells == {"": [text, "b"], text: [text, "yes"]}
    assert caption.startswith(f"Rents in {text}.")


def test_numbers_of_the_users_own_lose_nothing_and_gain_no_point_zero():
    """A column without a unit shows its numbers to two decimals, without separators: they may be years."""
    own = pd.DataFrame({"year": [2021, 12_352], "share": [0.851, -0.1], "whole": [1.0, np.nan]})
    assert read(own.suburb.style())[0] == {
        "Year": ["2021", "12352"],
        "Share": ["0.85", written(-0.10, "{:.2f}")],
        "Whole": ["1", DASH],
    }


def test_a_frame_that_cannot_be_styled_is_refused_with_the_line_that_styles_a_part():
    rents, card = sp.rent(EIGHT), sp.scorecard(EIGHT[:2])
    with pytest.raises(ValueError, match=r"up to 1,000\. Style a part of it, as in frame\.head\(100\)\.suburb\.style"):
        rents.suburb.style()
    with pytest.raises(ValueError, match=r"same name\. Style the first of each"):
        card[["house_rent", "house_rent"]].suburb.style()


def test_the_styler_is_that_of_pandas():
    """Streamlit refuses a subclass. It has the values of the frame, and equal frames have equal HTML."""
    card = sp.scorecard(EIGHT[:2])[["house_rent", "n_sales", "house_growth_1y_pct"]]
    styler = card.suburb.style()
    assert type(styler) is Styler
    assert styler.to_html() == card.copy().suburb.style().to_html() != card.iloc[:1].suburb.style().to_html()
