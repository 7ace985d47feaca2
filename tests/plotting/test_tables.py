"""Styled tables: what stands in the cells, the headings and the caption of their HTML."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.charts import EIGHT

pytestmark = pytest.mark.usefixtures("embedded")

DASH, LIGHT, HEAVY = "\N{EN DASH}", "\N{WHITE UP-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
MINUS = "\N{MINUS SIGN}"


class Reader(HTMLParser):
    """Reads the rows and the caption of a table as text."""

    def __init__(self):
        super().__init__()
        self.rows, self.caption, self.tags, self._open = [], "", set(), None

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the parser's signature
        """Begin a row, a cell or a caption."""
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
        self._open = tag if tag in {"td", "th", "caption", "style"} else self._open

    def handle_endtag(self, tag):
        """End a cell or a caption."""
        self._open = None if tag in {"td", "th", "caption", "style"} else self._open

    def handle_data(self, data):
        """Add text to the open cell or to the caption."""
        if self._open in {"td", "th"}:
            self.rows[-1][-1] += data
        elif self._open == "caption":
            self.caption += data


def read(frame):
    """Return the cells of a styled frame by heading, and its caption."""
    reader = Reader()
    reader.feed(frame.suburb.style().to_html())
    head, *rows = [[cell.strip() for cell in row] for row in reader.rows]
    body = [row for row in rows if any(row[1:]) and len(row) == len(head)]
    named = [row for row in body if row[1:] != [""] * (len(row) - 1) and row[0] != frame.index.name]
    return {heading: [row[number] for row in named] for number, heading in enumerate(head)}, reader


def bars(frame):
    """Return how many cells of a styled frame have a bar."""
    return len(set(re.findall(r"#T_\w+_row\d+_col\d+(?=[^}]*{[^}]*linear-gradient)", frame.suburb.style().to_html())))


def test_a_scorecard_has_units_separators_and_whole_numbers():
    """Per cent have one decimal, other numbers none; dates have no time of day, and the caption has the source."""
    card = sp.scorecard(EIGHT[:3])
    cells, reader = read(card)
    for column, unit, form in (
        ("house_rent", "AUD per week", "{:,.0f}"),
        ("house_growth_1y_pct", "per cent", "{:.1f}"),
        ("median_price_all_sales", "AUD", "{:,.0f}"),
        ("total_premium", "AUD", "{:,.0f}"),
        ("n_sales", "sales", "{:d}"),
    ):
        wanted = [form.format(value).replace("-", MINUS) for value in card[column]]
        assert cells[f"{column} ({unit})"] == wanted
    assert cells["house_rent_date"] == [str(date.date()) for date in card["house_rent_date"]]
    assert cells["retrieved_at (UTC)"] == [time.strftime("%Y-%m-%d %H:%M") for time in card["retrieved_at"]]
    assert "Source: made-up data of the embedded sandbox" in reader.caption
    assert not reader.tags & {"script", "link", "img", "iframe"}


def test_flags_are_words_with_a_mark_that_the_caption_explains():
    """Thin and caution, 56 days without a change, and a status other than ok have a mark; a missing value is a dash."""
    card = sp.scorecard(EIGHT[:4]).assign(sales_flag=["thin", "caution", "ok", None])
    card["house_unchanged_days"] = [56.0, 55.0, 1000.0, np.nan]
    card["status"] = ["ok", "ok", "no data", "ok"]
    cells, reader = read(card)
    assert cells["sales_flag"] == [f"{HEAVY} thin", f"{LIGHT} caution", "ok", DASH]
    assert cells["house_unchanged_days (days)"] == [f"{LIGHT} 56", "55", f"{LIGHT} 1,000", DASH]
    assert cells["status"] == ["ok", "ok", f"{HEAVY} no data", "ok"]
    for words in (
        f"{HEAVY} thin: up to 10; {LIGHT} caution: up to 30 sales.",
        f"{LIGHT} beside a number of days",
        f"A dash ({DASH}) means no value.",
    ):
        assert words in reader.caption
    plain = card.assign(sales_flag="ok", house_unchanged_days=0.0, unit_unchanged_days=0.0)
    assert not re.search(
        f"[{LIGHT}{HEAVY}]", plain[["house_rent", "sales_flag", "house_unchanged_days"]].suburb.style().to_html()
    )


def test_a_stale_rent_has_a_mark_that_the_caption_explains():
    """Its date and the status of its suburb have a mark. Without a stale rent, the caption has no sentence on it."""
    with pytest.warns(sp.errors.DataWarning, match="stale"):
        card = sp.scorecard(["Coolibah Track", "Quokka Bay"])
    cells, reader = read(card)
    assert cells["status"] == [f"{HEAVY} stale", "ok"]
    assert cells["unit_rent_date"] == [f"{HEAVY} 2025-03-30", "2026-04-26"]
    assert cells["house_rent_date"] == ["2026-04-26"] * 2
    meaning = f"Stale, and {HEAVY} beside a date: the rent is more than 62 days older than the newest rent."
    assert meaning in reader.caption
    assert meaning in read(card[["unit_rent", "sales_flag", "status"]])[1].caption
    assert "tale" not in read(card.loc[["Quokka Bay"]])[1].caption


def test_growth_and_yields_have_a_bar_on_one_scale():
    """Cells without a value have none. Where rows have equal labels, pandas cannot draw bars, and there are none."""
    card = sp.scorecard(EIGHT[:3])[["house_growth_1y_pct", "unit_growth_1y_pct", "house_rent"]]
    assert bars(card) == card[["house_growth_1y_pct", "unit_growth_1y_pct"]].notna().sum().sum()
    card["unit_growth_1y_pct"] = np.nan
    assert bars(card) == 3
    assert bars(card.assign(house_growth_1y_pct=[np.inf, 1, 2])) == 0
    assert bars(sp.growth(sp.rent("Quokka Bay", freq="YE"))) > 10
    assert bars(sp.growth(sp.rent(EIGHT[:2], freq="YE"))) == 0


def test_rents_and_growth_have_dates_and_their_own_units():
    """Growth is in per cent; the index keeps its name; a wide frame has its unit in the caption."""
    rents = sp.rent("Quokka Bay", freq="YE")
    cells, reader = read(rents)
    assert cells["house (AUD per week)"][-1] == f"{rents['house'].iloc[-1]:,.0f}"
    assert [row[0].strip() for row in reader.rows if row[0].strip() == "date"] == ["date"]
    assert any(row[0].strip() == "2025-12-31" for row in reader.rows)
    grown = sp.growth(rents)
    cells, reader = read(grown)
    assert cells["house (per cent)"][-1] == f"{100 * grown['house'].iloc[-1]:.1f}"
    assert 'growth(over="1Y")' in reader.caption
    assert reader.caption.startswith("Growth of rents.")
    wide = sp.rent(EIGHT[:2], freq="YE", layout="wide")
    assert "All numbers are in AUD per week." in read(wide)[1].caption
    assert "All numbers are in AUD per week." in read(wide["house"])[1].caption


def test_drivers_are_written_as_text_and_never_as_html():
    """What the service writes is escaped; row numbers are left out."""
    drivers = sp.impacts("Quokka Bay").assign(detail="<script>alert('no')</script>")
    cells, reader = read(drivers)
    assert "script" not in reader.tags
    assert "premium_dollars (AUD)" in cells
    assert cells["evidence"][0].split()[-1] == drivers["evidence"].iloc[0]
    assert "A premium compares the sales without the amenity with" in reader.caption
    named = sp.scorecard(EIGHT[:1]).rename(index=lambda _: "<b>x</b>").rename(columns={"state": "<i>state</i>"})
    assert not read(named)[1].tags & {"b", "i"}


@given(
    st.lists(
        st.none() | st.integers(-(10**7), 10**7) | st.floats(-1e7, 1e7).map(lambda x: round(x, 2)),
        min_size=1,
        max_size=5,
    )
)
def test_numbers_of_the_users_own_lose_nothing_and_gain_no_point_zero(values):
    """A column without a unit shows its numbers to two decimals, without separators in years and postcodes."""
    frame = pd.DataFrame({"own": pd.Series(values, dtype="float64"), "b": 1})
    cells, _ = read(frame)
    for value, text in zip(values, cells["own"], strict=True):
        if value is None:
            assert text == DASH
            continue
        assert float(text.replace(",", "").replace(MINUS, "-")) == pytest.approx(value, abs=0.005)
        assert "," not in text or max(abs(number or 0) for number in values) >= 10_000
    if all(value is None or value == int(value) for value in values):
        assert not any("." in text for text in cells["own"])


def test_a_table_of_too_many_rows_is_refused_with_the_line_that_styles_a_part():
    """So is a frame with two columns of one name."""
    rents = sp.rent(EIGHT)
    with pytest.raises(
        ValueError, match=r"a styled table has up to 1,000\. Style a part .* frame\.head\(100\)\.suburb\.style\(\)"
    ):
        rents.suburb.style()
    assert rents.head(100).suburb.style().to_html()
    card = sp.scorecard(EIGHT[:2])
    with pytest.raises(ValueError, match="several columns with the same name"):
        card[["house_rent", "house_rent"]].suburb.style()


def test_the_styler_is_an_ordinary_one(tmp_path):
    """It is pandas' own, of the same frame: it can be changed, and written to a workbook with its numbers."""
    card = sp.scorecard(EIGHT[:2])[["house_rent", "n_sales", "house_growth_1y_pct"]]
    styler = card.suburb.style()
    assert styler.data.equals(card)
    assert "Mine" in styler.set_caption("Mine")._repr_html_()
    styler.to_excel(tmp_path / "card.xlsx")
    assert pd.read_excel(tmp_path / "card.xlsx")["n_sales"].to_list() == card["n_sales"].to_list()


def test_a_table_is_shown_as_its_frame_where_there_is_no_html():
    """The text and the HTML of equal tables are equal, so that a rerun of a notebook writes the same."""
    card = sp.scorecard(["Quokka Bay", "Woylie"])[["house_rent", "sales_flag"]]
    assert repr(card.suburb.style()) == repr(card)
    assert card.suburb.style().to_html() == card.copy().suburb.style().to_html()
    assert card.suburb.style().to_html() != card.iloc[:1].suburb.style().to_html()


RENTS = {"freq": "YE", "start": "2020", "partial": "drop"}


@pytest.mark.parametrize(
    ("made", "title"),
    [
        (lambda: sp.scorecard(EIGHT[:1]), "Scorecard."),
        (lambda: sp.impacts(EIGHT[:1]), "Amenity price impacts."),
        (lambda: sp.impact_summary(EIGHT[:1]), "Amenity price impacts."),
        (lambda: sp.rent(EIGHT[:1], **RENTS), "Rents."),
        (lambda: sp.resample(sp.rent(EIGHT[0]), "YE", detail=True), "Rents."),
        (lambda: sp.growth(sp.rent(EIGHT[:1], **RENTS, layout="tidy")), "Growth of rents."),
        (lambda: sp.growth(sp.rent(EIGHT[:1], **RENTS, layout="wide")), "Growth of rents."),
        (lambda: sp.rent_index(sp.rent(EIGHT[:2], **RENTS)), "Rent index."),
        (lambda: sp.quality(sp.rent(EIGHT[:1], **RENTS)), "Computed with"),
        (lambda: sp.places(EIGHT[:1]), f"A dash ({DASH}) means no value."),
        (lambda: pd.DataFrame({"own": [1]}), "The source"),
    ],
)
def test_the_caption_begins_with_what_the_table_holds(made, title):
    """A share of suburbs or of days is not growth. A table of neither rents nor drivers has no title."""
    assert read(made())[1].caption.startswith(title)


def test_only_growth_and_premiums_have_bars():
    """Shares of an index, and of the days that a mean covers, have none: they are no growth."""
    assert bars(sp.rent_index(sp.rent(EIGHT[:2], **RENTS))) == 0
    assert bars(sp.resample(sp.rent(EIGHT[0]), "YE", detail=True)) == 0


def test_an_index_has_one_decimal():
    """An index of 108.1 is not written as 108."""
    index = sp.rent_index(sp.rent(EIGHT[:2], **RENTS))
    assert read(index)[0]["house (index)"] == [f"{value:.1f}" for value in index["house"]]


def test_the_caption_says_which_sales_a_flag_counts():
    """The flag of a suburb counts all its sales, that of a driver only those without the amenity."""
    card, drivers = sp.scorecard(["Quokka Bay", "Emu Parade"]), sp.impacts("Quokka Bay")
    assert f"{HEAVY} thin: up to 10; {LIGHT} caution: up to 30 sales." in read(card)[1].caption
    assert f"{HEAVY} thin: up to 10; {LIGHT} caution: up to 30 sales without the amenity." in read(drivers)[1].caption


def test_all_numbers_of_a_column_have_separators_or_none_has():
    """A column of counts is written in one way, also where it has small ones. Years and postcodes have no separator."""
    cells, _ = read(pd.DataFrame({"counts": [4941, 12_352], "year": [1999, 2021]}))
    assert cells == {"counts": ["4,941", "12,352"], "year": ["1999", "2021"]}
