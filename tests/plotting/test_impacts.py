"""The chart of amenity price impacts: its bars and the text beside them."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import COLOURS
from tests.support.charts import EIGHT, assert_all_in_view, texts, written

pytestmark = pytest.mark.usefixtures("embedded")


def cells(ax):
    """Return the figures beside the bars of Axes as rows of text, and the boxes of each column."""
    found = [text for text in ax.texts if text.get_gid() == "cell"]
    rows = {row: [text for text in found if text.get_position()[1] == row] for row in range(len(ax.patches))}
    ax.figure.draw_without_rendering()
    columns = [[text.get_window_extent() for text in column] for column in zip(*rows.values(), strict=True)]
    return [[text.get_text() for text in row] for row in rows.values()], columns


def full_bars(ax, drivers):
    """Return the bars of Axes whose evidence is not thin."""
    return [bar for bar, evidence in zip(ax.patches, drivers.evidence, strict=True) if evidence != "thin"]


def test_drivers_are_bars_in_dollars_the_largest_on_top():
    """A negative premium is a bar to the left of zero, in a colour of its own."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    assert [patch.get_width() for patch in ax.patches] == sorted(drivers.premium_dollars, reverse=True)
    assert min(patch.get_width() for patch in ax.patches) < 0
    heights = [ax.transData.transform((0, patch.get_y()))[1] for patch in ax.patches]
    assert heights == sorted(heights, reverse=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == drivers.label.to_list()
    (zero,) = [line for line in ax.lines if line.get_gid() == "zero"]
    assert {*zero.get_xdata()} == {0}
    colours = {(patch.get_width() < 0, to_hex(patch.get_facecolor())) for patch in full_bars(ax, drivers)}
    assert colours == {(False, COLOURS[0]), (True, COLOURS[1])}
    assert_all_in_view(ax.figure)


def test_the_figures_are_columns_of_text_beside_the_bars():
    """Premium, per cent of the median, coverage and numbers of sales are right-aligned columns with a heading each."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers)
    rows, columns = cells(ax)
    assert rows == [
        [
            f"{row.premium_dollars:,}".replace("-", "\N{MINUS SIGN}"),
            *(f"{share:.1f}".replace("-", "\N{MINUS SIGN}") for share in (row.pct_of_median, row.coverage_pct)),
            f"{row.n_absent} / {row.n_present}",
        ]
        for row in drivers.itertuples()
    ]
    for column in columns:
        assert np.ptp([box.x1 for box in column]) < 1
        assert min(box.x0 for box in column) > ax.get_window_extent().x1
    headings = {
        " ".join(text.get_text().split()): text.get_window_extent() for text in ax.texts if text.get_va() == "bottom"
    }
    assert [*headings] == ["Premium, AUD", "% of median", "% of sales", "Without / with"]
    for heading, column in zip(headings.values(), columns, strict=True):
        assert heading.x1 == pytest.approx(column[0].x1, abs=1)
        assert heading.y0 > column[0].y1
    names = [label.get_window_extent().x0 for label in ax.get_yticklabels()]
    assert np.ptp(names) < 1


def test_the_columns_of_several_suburbs_are_alike():
    """The columns stand below one another in all panels, and the highest panels have the headings."""
    axes = sp.plot_impacts(sp.impacts(["Quokka Bay", "Woylie", "Lantern Bay (NSW)"])).figure.axes
    edges = [[column[0].x1 for column in cells(ax)[1]] for ax in axes]
    assert edges[1] == pytest.approx(edges[0], abs=1)
    assert edges[2] == pytest.approx(edges[0], abs=1)
    names = [label.get_window_extent().x0 for ax in axes for label in ax.get_yticklabels()]
    assert np.ptp(names) < 1
    assert [any("median" in text.get_text() and text.get_visible() for text in ax.texts) for ax in axes] == [
        True,
        False,
        False,
    ]


def test_all_minus_signs_are_the_same_character():
    """Neither hyphens nor several kinds of minus signs stand before numbers."""
    for ax in (sp.plot_impacts(sp.impacts("Quokka Bay")), sp.plot_rent(sp.growth(sp.rent("Cassava Grove")))):
        ax.figure.draw_without_rendering()
        shown = written(ax)
        assert "\N{MINUS SIGN}" in shown
        assert not re.search(r"(^|\s)[-\N{EN DASH}\N{EM DASH}]\s?\d", shown)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Emu Parade", "1 recent sale (thin)."),
        ("Quokka Bay", "26 recent sales (caution)."),
        ("Lantern Bay (NSW)", "206 recent sales."),
    ],
)
def test_the_subtitle_says_on_how_many_sales_the_figures_stand(name, expected):
    """The number of sales stands above the bars, for one suburb and for several; the caveat stands at the foot."""
    for drivers in (sp.impacts(name), sp.impacts([name, "Woylie"])):
        shown = written(sp.plot_impacts(drivers))
        assert expected in shown
        assert "A premium compares the sales without the amenity with comparable suburbs that have it." in shown
        assert "It is not the effect of removing an amenity." in shown
    drivers.attrs.clear()
    assert "Number of recent sales not known." in written(sp.plot_impacts(drivers))


def test_a_driver_of_all_sales_is_a_bar_like_any_other():
    """If all 143 sales of a suburb are without an amenity, its bar is neither pale nor striped, and has no note."""
    ax = sp.plot_impacts(sp.impacts("Black Swan Rise"))
    assert "143 / 0" in cells(ax)[0][0]
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {COLOURS[0]}
    assert not any(bar.get_hatch() for bar in ax.patches)
    assert "bar:" not in written(ax)


def test_a_bar_with_thin_evidence_is_paler():
    """Up to 10 sales without the amenity make a bar pale. The foot says so, and the number stands beside the bar."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers)
    colours = [to_hex(bar.get_facecolor()) for bar in ax.patches]
    is_thin = drivers["n_absent"] <= 10
    assert is_thin.any()
    assert not is_thin.all()
    assert [colour in COLOURS for colour in colours] == (~is_thin).to_list()
    assert "Pale bar: thin evidence, because at most 10 sales are without the amenity." in written(ax)
    assert "Pale bar" not in written(sp.plot_impacts(drivers[~is_thin]))


def test_drivers_without_counts_are_drawn_too():
    """A frame that was saved without the columns of evidence has three columns of figures, and no pale bar."""
    drivers = sp.impacts("Quokka Bay").drop(columns=["n_absent", "n_present", "evidence"])
    ax = sp.plot_impacts(drivers)
    assert {len(row) for row in cells(ax)[0]} == {3}
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {*COLOURS[:2]}
    missing = sp.impacts("Quokka Bay").assign(evidence=pd.array([pd.NA] * len(drivers), dtype="string"))
    assert {to_hex(bar.get_facecolor()) for bar in sp.plot_impacts(missing).patches} == {*COLOURS[:2]}


def test_figures_that_are_missing_are_so_said_and_what_is_no_figure_is_an_error():
    """A missing figure is a question mark. A column without numbers is refused before a figure is made."""
    drivers = sp.impacts("Quokka Bay").astype({"premium_dollars": "Int64"})
    drivers.loc[1, ["premium_dollars", "coverage_pct", "n_absent"]] = pd.NA, np.nan, pd.NA
    ax = sp.plot_impacts(drivers)
    assert ["?", "3.5", "?", f"? / {drivers.n_present[1]}"] in cells(ax)[0]
    plt.close("all")
    with pytest.raises(ValueError, match="'premium_dollars' is not one column of numbers"):
        sp.plot_impacts(drivers.assign(premium_dollars="much"))
    assert plt.get_fignums() == []


def test_drivers_of_eight_suburbs_have_a_panel_each():
    """Panels keep the order of suburbs in the frame."""
    ax = sp.plot_impacts(sp.impacts(EIGHT))
    assert len(ax.figure.axes) == 8
    assert [text.get_text() for text in texts(ax.figure) if text.get_gid() == "heading"] == EIGHT
    assert_all_in_view(ax.figure)
