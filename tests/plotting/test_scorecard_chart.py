"""The ranked chart of a scorecard: its order, its values and its flags."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS, contrast
from tests.support.charts import EIGHT, assert_all_in_view, beside, written
from tests.support.common import RENTED
from tests.support.laws import law

pytestmark = pytest.mark.usefixtures("embedded")

BAY = "Lantern Bay (NSW)"


def rows(ax):
    """Map each suburb, from the top, to the texts beside it."""
    low, high = ax.get_ylim()
    assert low > high
    return {texts[0]: texts[1:] for place, texts in beside(ax).items() if place is not None}


def dots(ax):
    """Map each suburb, from the top, to the value of its dot, its colour, and whether it is hollow."""
    (drawn,) = (each for each in ax.collections if isinstance(each, PathCollection))
    assert drawn.get_offsets()[:, 1].tolist() == [*range(len(rows(ax)))]
    edges, faces = (
        [to_hex(colour) for colour in colours] for colours in (drawn.get_edgecolor(), drawn.get_facecolor())
    )
    values = drawn.get_offsets()[:, 0].tolist()
    hollow = [edge != face for edge, face in zip(edges, faces, strict=True)]
    return dict(zip(rows(ax), zip(values, edges, hollow, strict=True), strict=True))


def zero_lines(ax):
    """Return the positions of upright lines through all rows."""
    segments = [segment for each in ax.collections[2:] for segment in each.get_segments()]
    assert all(segment[:, 1].tolist() == [-0.5, len(rows(ax)) - 0.5] for segment in segments)
    return [x for segment in segments for x in {*segment[:, 0]}]


def test_suburbs_are_ranked_with_the_largest_value_on_top():
    """A guide leads from the name to the dot and the value. The subtitle names the measure."""
    card = sp.scorecard(EIGHT)
    ax = sp.plot_scorecard(card)
    ranked = card["house_growth_1y_pct"].sort_values(ascending=False)
    assert [*rows(ax)] == ranked.index.to_list()
    assert [texts[0] for texts in rows(ax).values()] == [f"{value:.1f}" for value in ranked]
    assert [value for value, *_ in dots(ax).values()] == ranked.to_list()
    guides = ax.collections[0]
    assert guides.get_transform() == ax.get_yaxis_transform()
    assert [segment.tolist() for segment in guides.get_segments()] == [[[0, row], [1, row]] for row in range(8)]
    assert zero_lines(ax) == []
    assert "Growth over one year, per cent" in written(ax)
    assert "Growth of house rents in 8 suburbs" in written(ax)
    assert f"Largest: {ranked.iloc[0]:.1f}, {ranked.index[0]}." in ax.figure.alt
    assert_all_in_view(ax.figure)


def test_values_below_zero_are_on_the_other_side_of_a_zero_line():
    """Their dots have a colour of their own, and their values a minus sign."""
    ax = sp.plot_scorecard(sp.scorecard(EIGHT[:3]).assign(house_growth_1y_pct=[2.0, -1.0, 0.5]))
    assert zero_lines(ax) == [0]
    drawn = [(value, colour) for value, colour, _ in dots(ax).values()]
    assert drawn == [(2.0, COLOURS[0]), (0.5, COLOURS[0]), (-1.0, COLOURS[1])]
    assert [texts[0] for texts in rows(ax).values()] == ["2.0", "0.5", "\N{MINUS SIGN}1.0"]
    assert zero_lines(sp.plot_scorecard(sp.scorecard(EIGHT[:2]).assign(house_growth_1y_pct=[-2.0, -1.0]))) == []


@law(15, values=st.lists(st.sampled_from([1.0, 2.0, np.nan]), min_size=1, max_size=6))
def test_equal_values_keep_the_order_of_the_scorecard(values):
    """Suburbs without a value are named at the foot; none is dropped silently."""
    card = pd.DataFrame({"own": values}, index=pd.Index([f"Place {number}" for number in range(len(values))]))
    ax = sp.plot_scorecard(card.rename_axis("area_name"), by="own", ax=Figure().subplots())
    assert [*rows(ax)] == card["own"].sort_values(ascending=False, kind="stable").dropna().index.to_list()
    missing = card.index[card["own"].isna()]
    assert ("Without data: " + ", ".join(missing) + "." in written(ax)) == bool(len(missing))


@pytest.mark.parametrize(
    ("by", "change", "flag"),
    [
        ("house_growth_1y_pct", {"house_unchanged_days": 56}, "unchanged 56 days"),
        ("house_growth_1y_pct", {"house_unchanged_days": 55}, None),
        ("house_rent", {"house_rent_date": pd.Timestamp("2026-02-23")}, None),
        ("house_rent", {"house_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, "rent of 2026-01-31"),
        ("house_rent", {"unit_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, None),
        ("house_growth_1y_pct", {"house_rent_date": pd.NaT, "status": "stale"}, "status: stale"),
        ("total_premium", {"house_rent_date": pd.Timestamp("2026-01-31"), "status": "stale"}, None),
        ("house_rent", {"sales_flag": "thin"}, None),
        ("total_premium", {"sales_flag": None}, "sales not known"),
        ("median_price_all_sales", {"sales_flag": "caution"}, "caution"),
        ("house_gross_yield_pct", {"sales_flag": "thin"}, None),
        ("n_sales", {"sales_flag": "thin"}, None),
        ("house_rent", {"status": "RateLimited", "house_unchanged_days": 84}, "unchanged 84 days; status: RateLimited"),
    ],
)
def test_a_flag_is_written_beside_a_hollow_dot(by, change, flag):
    """Only flags that concern the column count. Without any flag, there is no column for them."""
    card = sp.scorecard(EIGHT[:3], prices=pd.DataFrame({"house_price": 1_000_000}, EIGHT[:3]))
    card = card.assign(house_unchanged_days=0.0, unit_unchanged_days=0.0, sales_flag="ok")
    for column, value in change.items():
        card.loc[BAY, column] = value
    ax = sp.plot_scorecard(card, by=by)
    assert {name for name, (*_, hollow) in dots(ax).items() if hollow} == ({BAY} if flag else set())
    assert [texts[1:] for name, texts in rows(ax).items() if name != BAY] == [[""] if flag else []] * 2
    assert rows(ax)[BAY][1:] == ([flag] if flag else [])
    assert ("Hollow: the suburb has a flag" in written(ax)) == bool(flag)


def test_a_part_of_a_scorecard_in_which_all_rents_are_stale_still_says_so():
    """A stale suburb has a flag on columns of rents even if no fresher suburb is drawn beside it."""
    with pytest.warns(sp.errors.DataWarning, match="stale"):
        card = sp.scorecard(["Nulla Brolga", "Quokka Bay"])
    alone = card[card["status"] == "stale"]
    assert "status: stale" in written(sp.plot_scorecard(alone, by="unit_rent"))
    assert "status: stale" not in written(sp.plot_scorecard(alone, by="total_premium"))


def test_a_file_and_a_column_of_suburbs_give_the_same_chart():
    """A CSV file makes text of the dates, and loses the attrs. The names may be in a column called suburb."""
    card = sp.scorecard([*EIGHT[:3], "Gannet Steps"])
    card.loc[BAY, "house_rent_date"] = pd.Timestamp("2026-01-31")
    ax = sp.plot_scorecard(card)
    assert rows(ax)[BAY][1] == "rent of 2026-01-31"
    for same in (
        pd.read_csv(StringIO(card.to_csv()), index_col=0),
        pd.read_csv(StringIO(card.to_csv())).rename(columns={"area_name": "Suburb"}),
    ):
        again = sp.plot_scorecard(same)
        assert (rows(again), dots(again)) == (rows(ax), dots(ax))
        assert "Rents as at 2026-01-31 to 2026-04-26. Source: made-up data of the embedded sandbox" in written(again)


def test_highlighted_suburbs_are_in_colour_and_the_rest_is_grey():
    """Their names are bold, so that they stand out in print too. An unknown name is refused before a figure is made."""
    card = sp.scorecard(EIGHT)
    for highlight in (BAY, [BAY]):
        ax = sp.plot_scorecard(card, highlight=highlight)
        colours = {name: colour for name, (_, colour, _) in dots(ax).items()}
        assert colours.pop(BAY) == COLOURS[0]
        assert {(colour[1:3] == colour[3:5] == colour[5:]) for colour in colours.values()} == {True}
        assert [label.get_text() for label in ax.get_yticklabels() if label.get_fontweight() == "bold"] == [BAY]
    assert {label.get_fontweight() for label in sp.plot_scorecard(card).get_yticklabels()} == {"normal"}
    plt.close("all")
    with pytest.raises(ValueError, match="highlight has 'Nowhere', but the suburbs of this scorecard are 'Quokka Bay'"):
        sp.plot_scorecard(card, highlight=[BAY, "Nowhere"])
    assert plt.get_fignums() == []


@pytest.mark.parametrize("look", ["default", "seaborn-v0_8-darkgrid", "ggplot", "dark_background"])
def test_guides_and_hollow_dots_are_visible_in_every_style(look):
    with style.context(["default", look]):
        ax = sp.plot_scorecard(sp.scorecard(EIGHT).assign(house_unchanged_days=84.0))
        page = to_hex(ax.figure.get_facecolor())
    guides, drawn = ax.collections[:2]
    assert contrast(to_hex(guides.get_color()[0]), page) > 3
    assert guides.get_linewidth()[0] > 0
    assert drawn.get_linewidth()[0] >= 1
    assert {to_hex(face) for face in drawn.get_facecolor()} == {page}


def test_whole_numbers_and_units_are_in_the_column_of_values():
    """Rents are whole AUD per week; sales are whole numbers; a column of the user's own is named by its label."""
    card = sp.scorecard(EIGHT[:3])
    ax = sp.plot_scorecard(card, by="median_price_all_sales")
    assert {name: texts[0] for name, texts in rows(ax).items()} == {
        name: f"{value:,.0f}" for name, value in card["median_price_all_sales"].items()
    }
    assert beside(ax)[None] == ["AUD", "Flags"]
    shown = written(sp.plot_scorecard(card.assign(my_score=[3, 1, 2]), by="my_score"))
    assert "My score in 3 suburbs" in shown
    assert "Unit not known" in shown
    assert "Number of sales" in written(sp.plot_scorecard(card, by="n_sales"))
    assert beside(sp.plot_scorecard(card, by="unit_rent"))[None] == ["AUD per week"]
    assert "Growth over 1 year, means over 91 days, per cent" in written(
        sp.plot_scorecard(sp.scorecard(EIGHT[:2], smooth="13W"))
    ).replace("one year", "1 year")


def test_what_cannot_be_drawn_is_refused_with_what_can():
    """The error comes before a figure is made; it lists the columns of numbers, or takes the first suburbs."""
    card = sp.scorecard(EIGHT[:2])
    for frame, by, message in (
        (card, "growth", r"'growth' is not a column .* Choose by= from 'house_rent', 'house_unch"),
        (card, "state", r"'state' is not a column of numbers\. Choose by= from 'house_rent'"),
        (card[["state"]], "state", "It has no column of numbers to draw"),
        (pd.DataFrame({"own": [1.0]}), "own", "no index or column is called 'area_name'"),
        (pd.concat([card] * 101), "house_rent", r"has 202 .* up to 200\..*card\.nlargest\(30, 'house_rent'\)"),
    ):
        with pytest.raises(ValueError, match=message):
            sp.plot_scorecard(frame, by=by)
    with pytest.raises(TypeError, match="Pass a scorecard"):
        sp.plot_scorecard(card["house_rent"])
    assert plt.get_fignums() == []


def test_the_foot_says_how_many_sales_a_flag_means():
    """A frame with numbers of sales and without flags has the same flags: they go by the number of all sales."""
    for frame in (sp.scorecard(["Quokka Bay", "Emu Parade"]), sp.impact_summary(["Quokka Bay", "Emu Parade"])):
        ax = sp.plot_scorecard(frame, by="total_premium")
        assert [texts[1] for texts in rows(ax).values()] == ["thin", "caution"]
        assert "Thin: up to 10; caution: up to 30 sales. " in written(ax)
    without = frame.assign(n_sales=pd.array([26, pd.NA], dtype="Int64"))
    assert [texts[1] for texts in rows(sp.plot_scorecard(without, by="total_premium")).values()] == [
        "sales not known",
        "caution",
    ]


@pytest.mark.parametrize(("by", "flag"), [("premium_dollars", "thin"), ("median_price_all_sales", "caution")])
def test_a_frame_with_both_flags_shows_the_one_of_its_column(by, flag):
    """Drivers that were joined to a scorecard have evidence of their own, which says nothing about all sales."""
    top = sp.impacts(["Quokka Bay"]).groupby("area_name", observed=True).first()
    both = sp.scorecard(["Quokka Bay"]).join(top.assign(evidence="thin"))
    assert rows(sp.plot_scorecard(both, by=by))["Quokka Bay"][1] == flag


def test_a_yield_without_prices_is_refused_with_the_line_that_makes_one():
    """Gross yields need the prices of the user, and the error says how to give them."""
    with pytest.raises(
        ValueError, match=r"'unit_yield' is not a column .*prices.* Paste: sp\.plot_scorecard"
    ) as caught:
        sp.plot_scorecard(sp.scorecard(EIGHT[:2]), by="unit_yield")
    prices = pd.DataFrame({"unit_price": [1_000_000, 2_000_000]}, EIGHT[:2])
    line = str(caught.value).partition("Paste: ")[2]
    ax = eval(line, {"sp": sp, "suburbs": EIGHT[:2], "prices": prices})  # noqa: S307 - the line that the error proposes
    assert "Gross yields of units" in written(ax)


def test_the_source_says_which_values_are_the_users_own():
    """A yield rests on the user's own prices, and a user may add a column."""
    card = sp.scorecard(EIGHT[:2], prices=pd.DataFrame({"house_price": 1_000_000}, EIGHT[:2])).assign(my_score=[3, 1])
    source, prices = "retrieved 2026-04-28.", "The prices are the user's own, so they have no flags for few sales."
    assert f"{source} {prices}" in written(sp.plot_scorecard(card, by="house_gross_yield_pct"))
    assert prices not in written(sp.plot_scorecard(card, by="house_rent"))
    assert f"{source} my_score: the user's own." in written(sp.plot_scorecard(card, by="my_score"))
    unmarked = pd.DataFrame(card.to_dict()).rename_axis("area_name")
    assert "the user's own" not in written(sp.plot_scorecard(unmarked, by="my_score"))


def test_the_figure_grows_with_the_number_of_suburbs():
    """Rows of forty suburbs are as high as those of ten, and the type is as large. A single value has no scale."""
    card = sp.scorecard(RENTED[:40], max_lag="62D")
    few, many = (sp.plot_scorecard(part, by="house_rent") for part in (card.head(10), card))
    assert many.figure.get_figheight() > 2 * few.figure.get_figheight()
    assert many.get_yticklabels()[0].get_fontsize() == few.get_yticklabels()[0].get_fontsize()
    assert_all_in_view(many.figure)
    assert_all_in_view(sp.plot_scorecard(card.head(10), figsize=(4, 3)).figure)
    assert [*few.get_xticks()]
    assert [*sp.plot_scorecard(card.head(1)).get_xticks()] == []
    assert "No values" in written(sp.plot_scorecard(sp.scorecard(["Gannet Steps"])))


def test_the_accessor_draws_a_scorecard_too():
    """With the options of the function that draws. In given Axes, the title is matplotlib's own."""
    card, ax = sp.scorecard(EIGHT[:2]), Figure(layout="constrained").subplots()
    assert card.suburb.plot(ax=ax) is ax
    assert "Growth of house rents in Quokka Bay" in ax.get_title()
    assert "Unit rents in" in written(card.suburb.plot(by="unit_rent"))
    assert "My title" in written(card.suburb.plot(title="My title"))
