"""The table of the loaded data: its rows and its cells. It needs neither styles nor a trusted notebook."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.notebook.result.table import MOST_ROWS, as_html, as_text
from suburb_pandas.service import ENDPOINTS, register
from tests.support.made_up import NAMES
from tests.support.yearly_price import ENDPOINT, serve_prices, yearly_price

TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


class Reader(HTMLParser):
    """Reads a table: the text and the attributes of its cells by row, its caption, and the text below it."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.said, self.tags, self._open = [], {"caption": "", "p": ""}, set(), ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        """Begin a row or a cell."""
        self.tags.add(tag)
        self._open = tag
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append(["", dict(attrs)])

    def handle_endtag(self, _tag):
        """End what is open."""
        self._open = ""

    def handle_data(self, data):
        """Add text to the open cell, or to the sentences about the table."""
        if self._open in {"td", "th"}:
            self.rows[-1][-1][0] += data
        elif self._open in self.said:
            self.said[self._open] += data

    @property
    def cells(self):
        """The texts of the cells by row, the headings first."""
        return [[text for text, _ in row] for row in self.rows]


def rents(numbers, names=("Quokka Bay",)):
    """Return a frame of rents: these numbers of houses for each suburb, week by week, and no units."""
    weeks = pd.date_range("2026-01-04", periods=len(numbers), freq="7D", name="date")
    one = pd.DataFrame({"house": numbers, "unit": np.nan}, weeks)
    frame = pd.concat([one.assign(area_name=name) for name in names])
    frame["area_name"] = pd.Categorical(frame["area_name"], [*names, "Thorny Devil"])
    frame.attrs["suburb_pandas"] = {"endpoint": "rent", "source": "embedded", "unit": "AUD per week"}
    return frame


def drivers(**columns):
    """Return a frame of drivers, with a row for each value of the columns that are given."""
    number = len(next(iter(columns.values())))
    usual = {
        "area_name": pd.Categorical(["Quokka Bay"] * number),
        "label": "no pub nearby",
        "coverage_pct": 75.7,
        "premium_dollars": 64_800,
        "pct_of_median": -0.25,
        "n_absent": pd.array([None] * number, "Int64"),
        "n_present": pd.array([1234] * number, "Int64"),
        "evidence": "ok",
        "detail": "Made-up data.",
    }
    frame = pd.DataFrame(usual | columns)
    frame.attrs["suburb_pandas"] = {"endpoint": "impacts", "source": "live", "unit": ENDPOINTS["impacts"].unit}
    return frame


def test_rents_are_written_for_people():
    """Headings are words with units. Numbers have separators and no ``.0``; a missing value is a dash."""
    found = Reader(as_html(rents([1036.0, 1036.0, 990.0, 1036.0], ["Quokka Bay", "Woylie"])))
    head, *body = found.cells
    assert head == ["Suburb", "Date", "House rent, AUD per week", "Unit rent, AUD per week"]
    assert body[:3] == [
        ["Quokka Bay", f"2026-01-{day}", rent, DASH]
        for day, rent in zip((11, 18, 25), ("1,036", "990", "1,036"), strict=True)
    ]
    assert [name for name, *_ in body] == ["Quokka Bay"] * 3 + ["Woylie"] * 3
    assert found.said["caption"] == "Rents: each suburb's last 3 dates (made-up suburbs)"
    assert found.said["p"] == "The frame has 8 rows. No rows for Thorny Devil."


def test_drivers_are_written_for_people():
    """Per cent have one decimal, counts that are not known a dash, and marks of few sales an explanation."""
    found = Reader(as_html(drivers(evidence=["ok", "thin"])))
    head, first, second = found.cells
    assert head == [
        *["Suburb", "Driver", "Sales without the amenity, %", "Premium, AUD", "Premium, % of median"],
        *["Sales without", "Sales with", "Evidence"],
    ]
    assert first == ["Quokka Bay", "no pub nearby", "75.7", "64,800", f"{MINUS}0.2", DASH, "1,234", "ok"]
    assert second[-1] == "▲ thin"
    assert found.said["caption"] == "Amenity price impacts"
    assert "Thin: up to 10; caution: up to 30 sales without the amenity." in found.said["p"]


def test_numbers_are_on_the_right_and_headings_say_what_they_head():
    """Alignment is an attribute, because pages such as GitHub remove styles; ``scope`` is for screen readers."""
    head, *body = Reader(as_html(drivers(label=["a", "b"]))).rows
    sides = ["left", "left", "right", "right", "right", "right", "right", "left"]
    for row in (head, *body):
        assert [attrs["align"] for _, attrs in row] == sides
    assert {attrs["scope"] for _, attrs in head} == {"col"}
    assert [[attrs.get("scope") for _, attrs in row] for row in body] == [["row", *[None] * 7]] * 2


@pytest.mark.parametrize(("number", "rows", "dates"), [(1, 3, 3), (20, 60, 3), (21, 21, 1), (60, 60, 1), (200, 60, 1)])
def test_a_table_has_at_most_sixty_rows_and_says_so(number, rows, dates):
    """Up to 20 suburbs have their last three dates, more have their last one, and more than 60 are cut."""
    found = Reader(as_html(rents([700.0, 701.0, 702.0, 703.0], [f"Suburb {one}" for one in range(number)])))
    assert len(found.cells) == 1 + rows <= 1 + MOST_ROWS
    assert f"last {dates} dates" in found.said["caption"] if dates > 1 else "last date " in found.said["caption"]
    assert f"The frame has {4 * number} rows." in found.said["p"]
    assert ("The table shows the first 60 of 200." in found.said["p"]) == (number == 200)


@pytest.mark.parametrize("frame", [rents([1.0])[:0], drivers(label=["a"])[:0]])
def test_a_frame_without_rows_has_headings_and_says_so(frame):
    found = Reader(as_html(frame))
    assert len(found.cells) == 1
    assert found.said["p"].startswith("The frame has 0 rows.")
    assert found.cells[0][0] in as_text(frame)


@given(st.lists(st.floats(0, 1e7) | st.just(np.nan), min_size=1, max_size=8))
def test_every_number_is_that_of_the_frame(numbers):
    """A cell is read back as the value of the frame, to a dollar; only a missing value is a dash."""
    *_, column, _ = zip(*Reader(as_html(rents(numbers))).cells[1:], strict=True)
    for text, value in zip(column, numbers[-3:], strict=True):
        assert (text == DASH) == np.isnan(value)
        assert text == DASH or float(text.replace(",", "")) == pytest.approx(value, abs=0.51)


@example(["<b>no pub</b> nearby", "&amp;<img src=x>"])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), min_size=1, max_size=4))
def test_text_of_the_service_becomes_neither_markup_nor_a_command(labels):
    """Any label is shown as text in the HTML. In plain text it is one line without control characters."""
    frame = drivers(label=labels)
    found = Reader(as_html(frame))
    assert found.tags <= TAGS
    assert [row[1] for row in found.cells[1:]] == labels
    lines = as_text(frame).split("\n")
    assert len(lines) == 2 + 1 + len(labels) + 2
    assert all(map(str.isprintable, lines))


@pytest.mark.usefixtures("embedded")
def test_as_text_it_is_the_same_table():
    """Plain text has the same cells in the same order, in columns."""
    for frame in (sp.rent(NAMES[:3]), sp.impacts(NAMES[:3])):
        cells, text = Reader(as_html(frame)).cells, as_text(frame).split("\n\n")
        assert [re.split(" {2,}", line) for line in text[1].split("\n")] == cells


def test_any_endpoint_has_a_table(tmp_path):
    """The table of a new endpoint has its title, its columns and its unit."""
    register(ENDPOINT)
    try:
        with serve_prices() as service:
            url = f"http://127.0.0.1:{service.server_address[1]}"
            with sp.connect(api_key="mib_live_anything", base_url=url, store=tmp_path / "store.sqlite"):
                found = Reader(as_html(yearly_price(NAMES[:1])))
    finally:
        del ENDPOINTS[ENDPOINT.name]
    assert found.said["caption"] == "Yearly prices: each suburb's last 3 dates (made-up suburbs)"
    assert found.cells[0][2:] == ["House yearly price, AUD", "Unit yearly price, AUD"]
    assert found.cells[-1][1:] == ["2025-12-31", "901,250", "450,625"]
