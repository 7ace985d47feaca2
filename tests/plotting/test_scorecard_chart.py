"""The ranked chart of a scorecard: its order, its values and its flags."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from matplotlib import style
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS
from tests.support.charts import EIGHT, beside, written

BAY = "Lantern Bay (NSW)"


def rows(ax):
    """Return a row for each suburb, from the top: the value of its dot, its colour, whether it is hollow, and texts."""
    assert ax.yaxis_inverted()
    (drawn,), texts = ax.collections, [texts for place, texts in beside(ax).items() if place is not None]
    places, edges = drawn.get_offsets(), drawn.get_edgecolor()
    assert places[:, 1].tolist() == [*range(len(places))]
    hollow = (edges != drawn.get_facecolor()).any(axis=1)
    columns = {
        "value": places[:, 0],
        "colour": [*map(to_hex, edges)],
        "hollow": hollow,
        "texts": [row[1:] for row in texts],
    }
    return pd.DataFrame(columns, [name for name, *_ in texts])


def test_suburbs_are_ranked_with_the_largest_value_on_top():
    """A guide leads from the name to the dot and the value. Values below zero have a colour of their own, and a sign.

    Equal ones keep their order. Suburbs without a value are named at the foot; none is dropped silently.
    """
    growth = [2.0, -1.0, np.nan, 2.0, np.inf, -1.0, 0.0, 0.5]
    ax = sp.plot_scorecard(sp.scorecard(EIGHT).assign(house_growth_1y_pct=growth))
    names, found = [EIGHT[place] for place in (0, 3, 7, 6, 1, 5)], rows(ax)
    assert [*found.index] == names
    assert found["value"].to_list() == [2, 2, 0.5, 0, -1, -1]
    assert [text for (text,) in found["texts"]] == ["2.0", "2.0", "0.5", "0.0", *["\N{MINUS SIGN}1.0"] * 2]
    assert found["colour"].to_list() == [COLOURS[0]] * 4 + [COLOURS[1]] * 2
    assert [line.get_ydata()[0] for line in ax.yaxis.get_gridlines() if line.get_visible()] == [*range(6)]
    assert [sp.plot_scorecard(CARD, by="house_rent", figsize=(width, 3)).get_xticks().any() for width in (4, 9)] == [
        False,
        True,
    ]
    assert f"Without data: {EIGHT[2]}, {EIGHT[4]}." in written(ax)
    assert "Hollow" not in written(ax)
    ends = f"Largest: 2.0, {names[0]}. Least: \N{MINUS SIGN}1.0, {names[-1]}. Made-up data."
    assert ax.figure.alt == f"Growth of house rents in 6 suburbs: Growth over one year, per cent. {ends}"


CARD = pd.read_csv(
    StringIO("""\
Suburb,house_rent,total_premium,pct_of_median,house_gross_yield_pct,house_rent_date,unit_rent_date,\
house_unchanged_days,sales_flag,evidence,status
Moved,800,8,8,8,2026-02-23,2026-04-26,55,ok,thin,ok
Unmoved,700,7,7,7,2026-04-26,2026-04-26,56,ok,ok,ok
Old house,600,6,6,6,2026-01-31,2026-04-26,0,ok,ok,stale
Old unit,500,5,5,5,2026-04-26,2026-01-31,0,ok,ok,stale
Stale,400,4,4,4,,2026-04-26,0,ok,ok,stale
Failed,300,3,3,3,2026-04-26,2026-04-26,84,ok,ok,RateLimited
Few sales,200,2,2,2,2026-04-26,2026-04-26,0,caution,ok,ok
Unknown sales,100,1,1,1,2026-04-26,2026-04-26,0,,ok,ok
""")
)
"""A scorecard as a CSV file has it, with suburbs that are named after their flags."""

FAILED = {"Failed": "status: RateLimited"}
RENT = {
    "Unmoved": "unchanged 56 days",
    "Old house": "stale rent of 2026-01-31",
    "Stale": "status: stale",
    "Failed": "unchanged 84 days; status: RateLimited",
}


@pytest.mark.parametrize(
    ("by", "flags"),
    [
        ("house_rent", RENT),
        ("total_premium", FAILED | {"Few sales": "caution", "Unknown sales": "sales not known"}),
        ("house_gross_yield_pct", RENT),
        ("pct_of_median", FAILED | {"Moved": "thin"}),
    ],
)
def test_a_flag_is_written_beside_a_hollow_dot(by, flags):
    """Only flags that concern the column count. A CSV file makes text of the dates, and gives the same chart."""
    dates = dict.fromkeys(["house_rent_date", "unit_rent_date"], "M8[ns]")
    for card in (CARD, CARD.astype(dates)):
        ax = sp.plot_scorecard(card, by=by)
        hollow = rows(ax).query("hollow")["texts"]
        assert hollow.str[1].to_dict() == flags
        assert "Hollow: the suburb has a flag" in written(ax)
        assert ("caution: up to 30 sales" in written(ax)) == (by in {"total_premium", "pct_of_median"})


def test_the_foot_says_what_flags_mean_and_how_old_the_rents_are():
    """Flags of frames without them go by the number of all sales. All rents of a part of a scorecard can be stale."""
    ax = sp.plot_scorecard(sp.impact_summary(["Quokka Bay", "Emu Parade"]), by="total_premium")
    assert rows(ax)["texts"].str[1].to_list() == ["thin", "caution"]
    assert not rows(sp.plot_scorecard(sp.impact_summary(["Quokka Bay", "Emu Parade"]), by="n_sales"))["hollow"].any()
    assert "Thin: up to 10; caution: up to 30 sales. " in written(ax)
    assert (
        "Stale: the rent is more than 62 days older than the newest rent. Rents as at 2026-01-31 to 2026-04-26. "
    ) in written(sp.plot_scorecard(CARD, by="house_rent"))
    alone = CARD[CARD["Suburb"] == "Old house"].assign(unit_rent_date="2026-01-31")
    assert "status: stale" in written(sp.plot_scorecard(alone, by="house_rent"))


@pytest.mark.parametrize(("highlight", "bright"), [(BAY, [BAY]), (None, EIGHT), ([], [])])
def test_highlighted_suburbs_are_in_colour_and_the_rest_is_grey(highlight, bright):
    """Their names are bold, for print. A hollow dot has the colour of the page inside."""
    with style.context(["default", "dark_background"]):
        ax = sp.plot_scorecard(sp.scorecard(EIGHT).assign(house_unchanged_days=84.0), highlight=highlight)
    colours = rows(ax)["colour"]
    assert {*colours.index[colours.str[1:3] != colours.str[3:5]]} == {*bright}
    bold = [label.get_text() for label in ax.get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == (bright if highlight else [])
    assert {*map(to_hex, ax.collections[0].get_facecolor())} == {"#000000"}


def test_the_words_name_the_unit_and_the_users_own_values():
    """A yield rests on the user's own prices, and a user may add a column."""
    card = sp.scorecard(EIGHT[:3], prices=pd.DataFrame({"house_price": 1e6}, EIGHT[:3])).assign(my_score=[3, 1, 2])
    del card["source"]
    own = "retrieved 2026-04-28. The prices are the user's own, so they have no flags for few sales."
    for by, heading, words in (
        ("median_price_all_sales", ["AUD", "Flags"], "Median sale prices in 3 suburbs"),
        ("my_score", ["Value", "Flags"], "The values of my_score are the user's own."),
        ("house_gross_yield_pct", ["Per cent"], own),
    ):
        ax = sp.plot_scorecard(card, by=by)
        assert beside(ax)[None] == heading
        assert words in written(ax)
