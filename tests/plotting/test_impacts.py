"""The chart of amenity price impacts: its bars and the text beside them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import suburb_pandas as sp
from tests.support.charts import EIGHT, assert_all_in_view, written

pytestmark = pytest.mark.usefixtures("embedded")


def test_drivers_are_bars_in_dollars_the_largest_on_top():
    """Premium, share of the median and coverage stand beside each bar; a negative premium is a hatched bar."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    assert [patch.get_width() for patch in ax.patches] == sorted(drivers.premium_dollars, reverse=True)
    assert min(patch.get_width() for patch in ax.patches) < 0
    heights = [ax.transData.transform((0, patch.get_y()))[1] for patch in ax.patches]
    assert heights == sorted(heights, reverse=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == drivers.label.to_list()
    shown = written(ax)
    assert all(
        f"{row.premium_dollars:,}, {row.pct_of_median:g}% of median; {row.coverage_pct:g}% of sales" in shown
        for row in drivers.itertuples()
    )
    looks = {patch.get_width() < 0: patch.get_hatch() for patch in ax.patches}
    assert looks == {True: "////", False: None}
    assert_all_in_view(ax.figure)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Emu Parade", "1 recent sale (thin)."),
        ("Quokka Bay", "26 recent sales (caution)."),
        ("Lantern Bay (NSW)", "206 recent sales."),
    ],
)
def test_the_subtitle_says_on_how_many_sales_the_figures_stand(name, expected):
    """The number of sales and the caveat on association stand below the title, for one suburb and for several."""
    for drivers in (sp.impacts(name), sp.impacts([name, "Woylie"])):
        shown = written(sp.plot_impacts(drivers))
        assert expected in shown
        assert "Association with comparable suburbs, not the effect of removing an amenity." in shown
    drivers.attrs.clear()
    assert "Number of sales not known" in written(sp.plot_impacts(drivers))


@pytest.mark.parametrize(("name", "coverage"), [("Black Swan Rise", 100), ("Copper Lantern", 0)])
def test_a_driver_of_all_sales_or_of_none_is_marked(name, coverage):
    """A coverage of 0 or 100 per cent is annotated: the suburb offers no contrast in this amenity."""
    drivers = sp.impacts(name)
    ax = sp.plot_impacts(drivers)
    annotated = [text.get_text() for text in ax.texts if "no contrast within the suburb" in text.get_text()]
    assert len(annotated) == (drivers.coverage_pct == coverage).sum() == 1
    assert f"{coverage}% of sales" in annotated[0]


def test_figures_that_are_missing_are_so_said_and_what_is_no_figure_is_an_error():
    """A missing figure is a question mark. A column without numbers is refused before a figure is made."""
    drivers = sp.impacts("Quokka Bay").astype({"premium_dollars": "Int64"})
    drivers.loc[1, ["premium_dollars", "coverage_pct"]] = pd.NA, np.nan
    assert "AUD ?, 3.5% of median; ?% of sales" in written(sp.plot_impacts(drivers))
    plt.close("all")
    with pytest.raises(ValueError, match="'premium_dollars' is not one column of numbers"):
        sp.plot_impacts(drivers.assign(premium_dollars="much"))
    assert plt.get_fignums() == []


def test_drivers_of_eight_suburbs_have_a_panel_each():
    """Panels keep the order of suburbs in the frame."""
    ax = sp.plot_impacts(sp.impacts(EIGHT))
    assert [" ".join(one.get_title().split()) for one in ax.figure.axes] == EIGHT
    assert_all_in_view(ax.figure)
