"""The charts of amenity price impacts: bars with columns of figures, and the heatmap."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import suburb_pandas as sp
from suburb_pandas.errors import SkippedRowsWarning
from suburb_pandas.plotting.look import COLOURS, contrast, diverging_colours, format_number
from tests.plotting.chart_cases import quietly
from tests.support.charts import assert_all_in_view, beside, written
from tests.support.common import RENTED

HEADINGS = ["Premium, AUD", "% of median", "Sales without", "Sales with"]
NAMES = ["Quokka Bay", "Emu Parade", "Lantern Bay (NSW)"]
SALES = ["Quokka Bay: 26 sales (caution)", "Emu Parade: 1 sales (thin)", "Lantern Bay (NSW): 206 sales"]


def cells(ax):
    """Map the row and the column of each cell of a heatmap to its text, its colour and that of its text."""
    return {
        (round(box.get_y() + 0.5), round(box.get_x() + 0.5)): (text.get_text(), box.get_facecolor(), text.get_color())
        for box, text in zip(ax.containers[0], filter(Annotation.get_text, ax.texts), strict=True)
    }


def test_drivers_are_bars_with_their_figures_beside_them():
    """The largest premium is on top; a negative one points to the left, in a colour of its own.

    A narrow chart has the first two columns of figures only.
    """
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    rows = beside(ax)
    assert rows.pop(None) == HEADINGS
    assert ax.yaxis_inverted()
    assert [*rows.values()] == [
        [
            each.label,
            format_number(each.premium_dollars),
            format_number(each.pct_of_median, 1),
            f"{each.n_absent}",
            f"{each.n_present}",
        ]
        for each in drivers.itertuples()
    ]
    places = [(bar.get_x(), bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in ax.patches]
    assert places == [(0, place, premium) for place, premium in drivers["premium_dollars"].items()]
    edges = [to_hex(bar.get_edgecolor()) for bar in ax.patches]
    assert edges == [COLOURS[premium < 0] for premium in drivers["premium_dollars"]]
    assert ax.collections[0].get_segments()[0][:, 0].tolist() == [0, 0]
    assert beside(sp.plot_impacts(drivers, figsize=(4, 3)))[None] == HEADINGS[:2]


def test_a_bar_with_thin_evidence_is_an_outline():
    """It has an edge and no face in every style, and the foot explains it. The column of flags may be missing."""
    drivers = sp.impacts("Quokka Bay")
    is_thin = (drivers["n_absent"] <= 10).to_list()
    assert {*is_thin} == {True, False}
    for frame in (drivers, drivers.drop(columns="evidence")):
        with style.context(["default", "ggplot"]):
            ax = sp.plot_impacts(frame)
        assert [bar.get_facecolor()[3] == 0 for bar in ax.patches] == is_thin
        assert all(bar.get_linewidth() >= 1 and bar.get_edgecolor()[3] == 1 for bar in ax.patches)
        assert "Outlined bar: thin evidence, because at most 10 sales are without the amenity." in written(ax)


def test_each_suburb_has_a_panel_in_the_order_of_the_frame():
    """The panels share a scale. Each heading has the suburb and its number of sales, with a flag if they are few."""
    drivers = sp.impacts(NAMES)
    axes = sp.plot_impacts(drivers).figure.axes
    for ax, name, heading in zip(axes, NAMES, SALES, strict=True):
        own = drivers[drivers["area_name"] == name]
        assert [bar.get_width() for bar in ax.patches] == own["premium_dollars"].to_list()
        assert [label.get_text() for label in ax.get_yticklabels()] == own["label"].to_list()
        assert heading in [text.get_text() for text in ax.texts]
        assert ax.get_xlim() == axes[0].get_xlim()
    shown = written(axes[0])
    assert "Thin: up to 10; caution: up to 30 sales." in shown
    assert "It is not the effect of removing an amenity." in shown
    low = drivers.loc[drivers["premium_dollars"].idxmin()]
    assert f"Least: {format_number(low.premium_dollars)}, {low.label} in {low.area_name}." in axes[0].figure.alt


def test_every_text_is_in_view_in_a_narrow_figure_and_in_given_axes():
    """A narrow figure wraps names."""
    given = Figure(figsize=(10, 9), layout="constrained").subplots()
    for options in ({"figsize": (4, 3)}, {"figsize": (4, 3), "kind": "heatmap"}, {"ax": given}):
        assert_all_in_view(sp.plot_impacts(sp.impacts(NAMES), **options).figure)


def test_what_is_not_known_is_a_question_mark():
    """A saved frame may lack the columns of evidence."""
    saved = sp.impacts("Quokka Bay").drop(columns=["n_absent", "n_present", "evidence"])
    saved.loc[1, "pct_of_median"] = np.nan
    ax = sp.plot_impacts(saved)
    assert beside(ax)[1][2:] == ["?", "?", "?"]
    assert all(to_hex(bar.get_facecolor()) in COLOURS for bar in ax.patches)
    ax = sp.plot_impacts(saved, kind="heatmap")
    text, face, _ = cells(ax)[0, len(saved) - 1]
    assert (text, to_hex(face)) == ("?", "#ffffff")
    assert "Question mark: not known." in written(ax)


def test_suburbs_may_have_another_label_and_rows_without_one_are_skipped():
    """Each suburb keeps its own panel; a driver without a label is a question mark."""
    drivers = sp.impacts(NAMES)
    for frame in (drivers.set_index("area_name"), drivers.rename(columns={"area_name": "Suburb"})):
        bars = [bar for ax in sp.plot_impacts(frame).figure.axes for bar in ax.patches]
        assert [bar.get_width() for bar in bars] == drivers["premium_dollars"].to_list()
    lost = drivers.astype(object)
    lost.loc[0, "area_name"], lost.loc[1, "label"] = None, None
    with pytest.warns(SkippedRowsWarning, match="1 of .* rows has no suburb name and was skipped: row 0"):
        ax = sp.plot_impacts(lost)
    assert len(ax.patches) == len(drivers[drivers["area_name"] == NAMES[0]]) - 1
    assert "?" in [label.get_text() for label in ax.get_yticklabels()]


def test_more_than_sixty_suburbs_and_other_kinds_are_refused():
    """The error comes before a figure is made."""
    drivers = sp.impacts(RENTED[:61]).groupby("area_name", observed=True).head(1)
    with pytest.raises(ValueError, match=r"has 61 suburbs, but a chart shows up to 60\. Choose .*: sp\.plot_impacts\("):
        sp.plot_impacts(drivers)
    with pytest.raises(ValueError, match="kind must be 'bars' or 'heatmap', not 'pie'"):
        sp.plot_impacts(drivers, kind="pie")
    assert plt.get_fignums() == []
    sixty = drivers[drivers["area_name"] != RENTED[60]]
    assert len(sp.plot_impacts(sixty, kind="heatmap").get_yticks()) == 60


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
@pytest.mark.parametrize("kind", ["bars", "heatmap"])
def test_what_the_service_writes_is_drawn_as_it_is(kind):
    """Markup, quotes, mathtext, emoji and long labels are plain text. Suburbs without drivers are named."""
    markup = ["<b>no</b> pub", "no $x^2$ shop", '🍺 none & "late"', "nothing " * 9]
    ax = sp.plot_impacts(sp.impacts("Quokka Bay").head(4).assign(label=markup), kind=kind)
    assert all(label.strip() in written(ax) for label in markup)
    for names, words in (
        ("Sleepy Lizard", "No drivers are listed"),
        (["Woylie", "Sleepy Lizard"], "Without data: Sleepy Lizard."),
    ):
        assert words in written(sp.plot_impacts(quietly(sp.impacts, names), kind=kind))


def test_each_premium_is_in_the_cell_of_its_suburb_and_driver():
    """Rows are in the order of the frame, columns by how many suburbs list the driver, then by the largest premium.

    The colour has the sign and the size: blue above zero, almost the page at zero, brown below. A cell without a value
    is hatched: a driver that is not listed does not mean zero.
    """
    names = [*NAMES, "Cider Gum"]
    drivers = sp.impacts(names)
    ax = sp.plot_impacts(drivers, kind="heatmap")
    by_label = drivers.groupby("label")["pct_of_median"].agg(["size", "max"])
    labels = by_label.sort_values(["size", "max"], ascending=False).index.to_list()
    assert [label.get_text() for label in ax.get_xticklabels()] == labels
    suburbs = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    assert suburbs == [*SALES, "Cider Gum: 177 sales"]
    found, largest = cells(ax), drivers["pct_of_median"].abs().max()
    assert len(found) == len(drivers)
    for driver in drivers.itertuples():
        value = driver.pct_of_median
        text, face, ink = found[names.index(driver.area_name), labels.index(driver.label)]
        assert text == format_number(value, 1) + "*" * (driver.evidence == "thin")
        assert face == pytest.approx(diverging_colours("#ffffff")(0.5 + value / largest / 2), abs=0.04)
        assert contrast(ink, face) > 4
    assert f"Largest: {format_number(largest, 1)}, no bottle shop nearby in Cider Gum." in ax.figure.alt
    assert "* thin evidence, because at most 10 sales are without the amenity." in written(ax)
    (area,) = (patch for patch in ax.patches if patch.get_hatch())
    assert (area.get_y(), area.get_height()) == (-0.5, 4)
    assert ax.get_xlim() == (-0.5, len(labels) - 0.5)
    assert "which does not mean zero" in written(ax)
    assert "Hatched" not in written(sp.plot_impacts(drivers.head(2), kind="heatmap"))
