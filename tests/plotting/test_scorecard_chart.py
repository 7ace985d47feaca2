"""The ranked chart of a scorecard: its order, its values and its flags."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import COLOURS
from tests.support.charts import EIGHT, assert_all_in_view, texts, written
from tests.support.common import RENTED
from tests.support.laws import law

pytestmark = pytest.mark.usefixtures("embedded")


def rows(ax):
    """Return the names of the rows from the top, and the texts beside each."""
    ax.figure.draw_without_rendering()
    names = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    beside = {number: [] for number in range(len(names))}
    for text in texts(ax.figure):
        if text.get_gid() == "cell":
            beside[text.get_position()[1]].append(" ".join(text.get_text().split()))
    return names, [*beside.values()]


def dots(ax, gid):
    """Return the values and rows of the dots of a kind."""
    found = [line for line in ax.lines if line.get_gid() == gid]
    return {(x, int(y)) for line in found for x, y in line.get_xydata()}


def test_suburbs_are_ranked_with_the_largest_value_on_top():
    """Values stand beside the dots with one decimal, and the subtitle names the measure and its unit."""
    card = sp.scorecard(EIGHT)
    ax = sp.plot_scorecard(card)
    ranked = card["house_growth_1y_pct"].sort_values(ascending=False)
    names, beside = rows(ax)
    assert names == ranked.index.to_list()
    assert [cells[0] for cells in beside] == [f"{value:.1f}" for value in ranked]
    assert dots(ax, "dot") | dots(ax, "flagged") == {(value, row) for row, value in enumerate(ranked)}
    assert "Growth over 1 year, per cent" in written(ax)
    assert ax.get_title() == "Growth of house rents in 8 suburbs"
    assert_all_in_view(ax.figure)


def test_values_below_zero_are_on_the_other_side_of_a_zero_line():
    card = sp.scorecard(EIGHT[:3])
    assert not [line for line in sp.plot_scorecard(card, by="house_rent").lines if line.get_gid() == "zero"]
    card["house_growth_1y_pct"] = [2.0, -1.0, 0.5]
    ax = sp.plot_scorecard(card)
    (zero,) = [line for line in ax.lines if line.get_gid() == "zero"]
    assert {*zero.get_xdata()} == {0}
    colours = {
        to_hex(line.get_color()): set(line.get_xdata())
        for line in ax.lines
        if line.get_gid() in {"dot", "flagged"} and len(line.get_xdata())
    }
    assert colours == {COLOURS[0]: {2.0, 0.5}, COLOURS[1]: {-1.0}}
    assert [cells[0] for cells in rows(ax)[1]] == ["2.0", "0.5", "\N{MINUS SIGN}1.0"]


@law(15, values=st.lists(st.sampled_from([1.0, 2.0, np.nan]), min_size=1, max_size=6))
def test_equal_values_keep_the_order_of_the_scorecard(values):
    """Suburbs without a value are named at the foot; none is dropped silently."""
    card = pd.DataFrame({"own": values}, index=pd.Index([f"Place {number}" for number in range(len(values))]))
    ax = sp.plot_scorecard(card.rename_axis("area_name"), by="own", ax=Figure().subplots())
    ranked = card["own"].sort_values(ascending=False, kind="stable").dropna()
    assert [label.get_text() for label in ax.get_yticklabels() if label.get_text()] == ranked.index.to_list()
    ax.figure.draw_without_rendering()
    missing = card.index[card["own"].isna()]
    assert ("Without data: " + ", ".join(missing) + "." in written(ax)) == bool(len(missing))


@pytest.mark.parametrize(
    ("by", "change", "flag"),
    [
        ("house_growth_1y_pct", {"house_unchanged_days": 56}, "unchanged 56 days"),
        ("house_growth_1y_pct", {"house_unchanged_days": 55}, None),
        ("unit_rent", {"house_unchanged_days": 560}, None),
        ("house_rent", {"house_rent_date": pd.Timestamp("2026-01-31")}, "rent of 2026-01-31"),
        ("house_rent", {"house_rent_date": pd.Timestamp("2026-03-31")}, None),
        ("house_rent", {"house_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, "rent of 2026-01-31"),
        ("house_rent", {"unit_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, None),
        ("house_growth_1y_pct", {"house_rent_date": pd.NaT, "status": "stale"}, "status: stale"),
        ("total_premium", {"house_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, None),
        ("house_rent", {"sales_flag": "thin"}, None),
        ("total_premium_pct", {"sales_flag": "thin"}, "thin"),
        ("total_premium", {"sales_flag": None}, "sales not known"),
        ("median_price_all_sales", {"sales_flag": "caution"}, "caution"),
        ("house_rent_to_all_sales_price_pct", {"sales_flag": "thin"}, "thin"),
        ("house_gross_yield_pct", {"sales_flag": "thin"}, None),
        ("n_sales", {"sales_flag": "thin"}, None),
        ("house_rent", {"status": "no data"}, "status: no data"),
        ("house_rent", {"status": "RateLimited", "house_unchanged_days": 84}, "unchanged 84 days; status: RateLimited"),
    ],
)
def test_a_flag_is_written_beside_a_hollow_dot(by, change, flag):
    """Only flags that concern the column count. Without any flag, there is no column for them."""
    card = sp.scorecard(EIGHT[:3], prices=pd.DataFrame({"house_price": 1_000_000}, EIGHT[:3]))
    card = card.assign(house_unchanged_days=0.0, unit_unchanged_days=0.0, sales_flag="ok")
    for column, value in change.items():
        card.loc["Lantern Bay (NSW)", column] = value
    ax = sp.plot_scorecard(card, by=by)
    names, beside = rows(ax)
    row = names.index("Lantern Bay (NSW)")
    assert {number for _, number in dots(ax, "flagged")} == ({row} if flag else set())
    assert [len(cells) for cells in beside] == [2 if flag and number == row else 1 for number in range(3)]
    assert not flag or beside[row][1] == flag
    (shown,) = [line for line in ax.lines if line.get_gid() == "flagged" and len(line.get_xdata())] if flag else [None]
    assert shown is None or shown.get_markerfacecolor() != shown.get_color()
    assert ("Hollow: the suburb has a flag" in written(ax)) == bool(flag)


def test_a_part_of_a_scorecard_in_which_all_rents_are_stale_still_says_so():
    """A stale suburb has a flag on columns of rents even if no fresher suburb is drawn beside it."""
    with pytest.warns(sp.errors.DataWarning, match="stale"):
        card = sp.scorecard(["Nulla Brolga", "Quokka Bay"])
    alone = card[card["status"] == "stale"]
    assert "status: stale" in written(sp.plot_scorecard(alone, by="unit_rent"))
    assert "status: stale" not in written(sp.plot_scorecard(alone, by="total_premium"))


def test_whole_numbers_and_units_stand_in_the_column_of_values():
    """Rents are whole AUD per week; sales are whole numbers; a column of the user's own is named by its label."""
    card = sp.scorecard(EIGHT[:3])
    assert {cells[0] for cells in rows(sp.plot_scorecard(card, by="median_price_all_sales"))[1]} == {
        f"{value:,.0f}" for value in card["median_price_all_sales"]
    }
    shown = written(sp.plot_scorecard(card.assign(my_score=[3, 1, 2]), by="my_score"))
    assert "My score in 3 suburbs" in shown
    assert "Unit not known" in shown
    assert "Number of sales" in written(sp.plot_scorecard(card, by="n_sales"))
    assert "AUD per week" in written(sp.plot_scorecard(card, by="unit_rent"))


def test_what_cannot_be_drawn_is_refused_with_what_can():
    """The error comes before a figure is made; it lists the columns of numbers, or takes the first suburbs."""
    card = sp.scorecard(EIGHT[:2])
    with pytest.raises(ValueError, match=r"'growth' is not a column .* Choose by= from 'house_rent', 'house_unch"):
        sp.plot_scorecard(card, by="growth")
    with pytest.raises(ValueError, match=r"'state' is not a column of numbers\. Choose by= from 'house_rent'"):
        sp.plot_scorecard(card, by="state")
    with pytest.raises(ValueError, match="It has no column of numbers to draw"):
        sp.plot_scorecard(card[["state"]], by="state")
    with pytest.raises(TypeError, match="Pass a scorecard"):
        sp.plot_scorecard(card["house_rent"])
    with pytest.raises(ValueError, match="no index or column is called 'area_name'"):
        sp.plot_scorecard(pd.DataFrame({"house_growth_1y_pct": [1.0]}))
    many = pd.concat([card] * 101)
    with pytest.raises(ValueError, match=r"has 202 suburbs.* shows up to 200\..*card\.nlargest\(30, 'house_rent'\)"):
        sp.plot_scorecard(many, by="house_rent")
    assert plt.get_fignums() == []


def test_the_foot_says_how_many_sales_a_flag_means():
    """A frame with numbers of sales and without flags has the same flags: they go by the number of all sales."""
    for frame in (sp.scorecard(["Quokka Bay", "Emu Parade"]), sp.impact_summary(["Quokka Bay", "Emu Parade"])):
        ax = sp.plot_scorecard(frame, by="total_premium")
        assert [cells[1] for cells in rows(ax)[1]] == ["thin", "caution"]
        assert "Thin: up to 10; caution: up to 30 sales. " in written(ax)
    without = frame.assign(n_sales=pd.array([26, pd.NA], dtype="Int64"))
    assert [cells[1] for cells in rows(sp.plot_scorecard(without, by="total_premium"))[1]] == [
        "sales not known",
        "caution",
    ]


@pytest.mark.parametrize(("by", "flag"), [("premium_dollars", "thin"), ("median_price_all_sales", "caution")])
def test_a_frame_with_both_flags_shows_the_one_of_its_column(by, flag):
    """Drivers that were joined to a scorecard have evidence of their own, which says nothing about all sales."""
    top = sp.impacts(["Quokka Bay"]).groupby("area_name", observed=True).first()
    both = sp.scorecard(["Quokka Bay"]).join(top.assign(evidence="thin"))
    assert rows(sp.plot_scorecard(both, by=by))[1][0][1] == flag


def test_the_measure_of_smoothed_growth_names_its_means():
    """The subtitle of a chart of growth says over how many days means were taken."""
    assert "Growth over 1 year, means over 91 days, per cent" in written(
        sp.plot_scorecard(sp.scorecard(["Quokka Bay", "Woylie"], smooth="13W"), by="house_growth_1y_pct")
    )


@pytest.mark.parametrize(
    ("by", "kind"), [("gross_yield", "house"), ("house_gross_yield_pct", "house"), ("unit_yield", "unit")]
)
def test_a_yield_without_prices_is_refused_with_the_line_that_makes_one(by, kind):
    """Gross yields need the prices of the user, and the error says how to give them. A card with yields lists them."""
    with pytest.raises(ValueError, match=rf"'{by}' is not a column .*prices.* Paste: sp\.plot_scorecard\(") as caught:
        sp.plot_scorecard(sp.scorecard(EIGHT[:2]), by=by)
    prices = pd.DataFrame({f"{kind}_price": [1_000_000, 2_000_000]}, EIGHT[:2])
    line = str(caught.value).partition("Paste: ")[2]
    ax = eval(line, {"sp": sp, "suburbs": EIGHT[:2], "prices": prices})  # noqa: S307 - the line that the error proposes
    assert f"Gross yields of {kind}s" in written(ax)
    with pytest.raises(ValueError, match=r"Choose by= from .*'house_gross_yield_pct'"):
        sp.plot_scorecard(sp.scorecard(EIGHT[:2], prices=prices), by="gross_yield")


def test_the_source_says_which_values_are_the_users_own():
    """A yield rests on the user's own prices, and a user may add a column. Each figure names its source once."""
    card = sp.scorecard(EIGHT[:2], prices=pd.DataFrame({"house_price": 1_000_000}, EIGHT[:2])).assign(my_score=[3, 1])
    source, prices = "retrieved 2026-04-28.", "The prices are the user's own, so they have no flags for few sales."
    left, right = plt.figure(figsize=(12, 4)).subplots(1, 2)
    sp.plot_scorecard(card, by="house_gross_yield_pct", ax=left)
    assert f"{source} {prices}" in written(left)
    sp.plot_scorecard(card, by="house_rent", ax=right)
    assert written(left).count("Source:") == 1
    assert prices not in written(sp.plot_scorecard(card, by="house_rent"))
    assert f"{source} my_score: the user's own." in written(sp.plot_scorecard(card, by="my_score"))
    unmarked = pd.DataFrame(card.to_dict()).rename_axis("area_name")
    assert "the user's own" not in written(sp.plot_scorecard(unmarked, by="my_score"))


def test_the_figure_grows_with_the_number_of_suburbs():
    """Forty rows have about the type size of ten."""
    card = sp.scorecard(RENTED[:40], max_lag="62D")
    few, many = (sp.plot_scorecard(part, by="house_rent") for part in (card.head(10), card))
    sizes = []
    for ax in (few, many):
        assert_all_in_view(ax.figure)
        sizes.append(ax.get_yticklabels()[0].get_fontsize())
    assert many.figure.get_size_inches()[1] > 2 * few.figure.get_size_inches()[1]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.1)


def test_the_accessor_draws_a_scorecard_too():
    """Also one with suburbs in a column, and with the options of the function that draws."""
    card = sp.scorecard(EIGHT[:2])
    assert card.suburb.plot().get_title() == "Growth of house rents in Quokka Bay and Lantern Bay (NSW)"
    assert "Unit rents in" in written(card.suburb.plot(by="unit_rent"))
    assert "Unit rents" in written(sp.rent(EIGHT[:2]).suburb.plot(property_type="unit"))
    assert rows(sp.plot_scorecard(card.reset_index()))[0] == rows(sp.plot_scorecard(card))[0]
