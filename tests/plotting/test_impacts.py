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
from suburb_pandas.plotting.look import COLOURS, contrast, diverging_colours
from tests.support.chart_cases import quietly
from tests.support.charts import EIGHT, assert_all_in_view, beside, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")

HEADINGS = ["Premium, AUD", "% of median", "Sales without", "Sales with"]
NAMES = ["Quokka Bay", "Emu Parade", "Lantern Bay (NSW)"]
SALES = ["Quokka Bay: 26 sales (caution)", "Emu Parade: 1 sales (thin)", "Lantern Bay (NSW): 206 sales"]


def number(value, decimals=1):
    return f"{value:,.{decimals}f}".replace("-0.0", "0.0").replace("-", "\N{MINUS SIGN}")


def cells(ax):
    """Map the suburb and the driver of each cell of a heatmap to its text, its colour and that of its text."""
    suburbs, drivers = ([label.get_text() for label in axis.get_ticklabels()] for axis in (ax.yaxis, ax.xaxis))
    pairs = zip(ax.containers[0], filter(Annotation.get_text, ax.texts), strict=True)
    return {
        (" ".join(suburbs[round(box.get_y() + 0.5)].split()), drivers[round(box.get_x() + 0.5)]): (
            text.get_text(),
            box.get_facecolor(),
            text.get_color(),
        )
        for box, text in pairs
    }


def test_drivers_are_bars_with_their_figures_beside_them():
    """The largest premium is on top; a negative one points to the left, in a colour of its own."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    rows = beside(ax)
    assert rows.pop(None) == HEADINGS
    assert ax.yaxis_inverted()
    assert [*rows.values()] == [
        [
            each.label,
            number(each.premium_dollars, 0),
            number(each.pct_of_median),
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
    assert_all_in_view(ax.figure)


@pytest.mark.parametrize("look", ["default", "seaborn-v0_8-darkgrid", "ggplot", "dark_background", "grayscale"])
def test_a_bar_with_thin_evidence_is_an_outline(look):
    """A form that hangs on no colour shows it in every style: the bar has an edge and no face. The foot explains it."""
    drivers = sp.impacts("Quokka Bay")
    with style.context(["default", look]):
        ax = sp.plot_impacts(drivers)
    outlined = [bar.get_facecolor()[3] == 0 for bar in ax.patches]
    assert outlined == (drivers["n_absent"] <= 10).to_list() != [False] * len(drivers)
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
    assert f"Least: {number(low.premium_dollars, 0)}, {low.label} in {low.area_name}." in axes[0].figure.alt
    assert_all_in_view(axes[0].figure)


@pytest.mark.parametrize("kind", ["bars", "heatmap"])
def test_every_text_is_in_view_in_a_narrow_figure_and_in_given_axes(kind):
    """A narrow figure wraps names and leaves out columns. In given Axes, the title is matplotlib's own."""
    drivers = sp.impacts(EIGHT[2:5])
    narrow = sp.plot_impacts(drivers, kind=kind, figsize=(4, 3))
    assert beside(narrow)[None] == (HEADINGS[:2] if kind == "bars" else [])
    ax = Figure(figsize=(10, 9), layout="constrained").subplots()
    assert sp.plot_impacts(drivers, ax, kind=kind, title="Premiums", footnote=False) is ax
    assert ax.get_title() == "Premiums"
    assert "Source:" not in written(ax)
    assert_all_in_view(narrow.figure)
    assert_all_in_view(ax.figure)


def test_what_is_not_known_is_a_question_mark():
    """A saved frame may lack the columns of evidence."""
    saved = sp.impacts("Quokka Bay").drop(columns=["n_absent", "n_present", "evidence"])
    saved.loc[1, "pct_of_median"] = np.nan
    ax = sp.plot_impacts(saved)
    assert beside(ax)[1][2:] == ["?", "?", "?"]
    assert all(to_hex(bar.get_facecolor()) in COLOURS for bar in ax.patches)
    ax = sp.plot_impacts(saved, kind="heatmap")
    text, face, _ = cells(ax)["Quokka Bay", saved["label"][1]]
    assert (text, to_hex(face)) == ("?", "#ffffff")
    assert "Question mark: not known." in written(ax)


def test_thin_evidence_follows_from_the_sales_without_the_amenity():
    """A frame may have lost the column of flags."""
    drivers = sp.impacts("Quokka Bay")
    bars = sp.plot_impacts(drivers.drop(columns="evidence")).patches
    assert [bar.get_facecolor()[3] == 0 for bar in bars] == (drivers["n_absent"] <= 10).to_list()


def test_suburbs_may_have_another_label_and_rows_without_one_are_skipped():
    """Each suburb keeps its own panel and row; a driver without a label is a question mark."""
    drivers = sp.impacts(NAMES)
    usual = [bar.get_width() for ax in sp.plot_impacts(drivers).figure.axes for bar in ax.patches]
    for frame in (drivers.set_index("area_name"), drivers.rename(columns={"area_name": "Suburb"})):
        axes = sp.plot_impacts(frame).figure.axes
        assert [bar.get_width() for ax in axes for bar in ax.patches] == usual
        assert [heading in written(axes[0]) for heading in SALES] == [True] * 3
        assert len(sp.plot_impacts(frame, kind="heatmap").get_yticks()) == 3
    lost = drivers.astype({"area_name": "object", "label": "object"})
    lost.loc[0, "area_name"], lost.loc[1, "label"] = None, None
    with pytest.warns(SkippedRowsWarning, match="1 of .* rows has no suburb name and was skipped: row 0"):
        ax = sp.plot_impacts(lost)
    assert len(ax.patches) == len(drivers[drivers["area_name"] == NAMES[0]]) - 1
    assert "?" in [label.get_text() for label in ax.get_yticklabels()]


def test_other_frames_and_more_than_sixty_suburbs_are_refused():
    """The error comes before a figure is made."""
    drivers = sp.impacts(RENTED[:61]).groupby("area_name", observed=True).head(1)
    for frame, kind, message in (
        (drivers, "bars", r"has 61 suburbs, but a chart shows up to 60\. Choose some before: sp\.plot_impacts\("),
        (sp.rent("Quokka Bay"), "heatmap", "not a frame of drivers, .* it has no 'label'"),
        (drivers, "pie", "kind must be 'bars' or 'heatmap', not 'pie'"),
    ):
        with pytest.raises(ValueError, match=message):
            sp.plot_impacts(frame, kind=kind)
    assert plt.get_fignums() == []
    sixty = drivers[drivers["area_name"].isin(RENTED[:60])]
    assert len(sp.plot_impacts(sixty).figure.axes) == 60


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

    The colour has the sign and the size: blue above zero, almost the page at zero, brown below.
    """
    drivers = sp.impacts([*NAMES, "Cider Gum"])
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
        text, face, ink = found[next(each for each in suburbs if each.startswith(driver.area_name)), driver.label]
        assert text == number(value) + "*" * (driver.evidence == "thin")
        assert face == pytest.approx(diverging_colours("#ffffff")(0.5 + value / largest / 2), abs=0.04)
        assert (face[2] > face[0]) == (value > 0) or abs(value) < 0.3
        assert contrast(ink, face) > 4
    assert f"Largest: {number(largest)}, no bottle shop nearby in Cider Gum." in ax.figure.alt
    assert "* thin evidence, because at most 10 sales are without the amenity." in written(ax)


def test_a_cell_without_a_value_is_hatched():
    """A driver that is not listed does not mean zero. The cells with a value hide the hatching."""
    drivers = sp.impacts(NAMES)
    ax = sp.plot_impacts(drivers, kind="heatmap")
    (area,) = (patch for patch in ax.patches if patch.get_hatch())
    assert (area.get_y(), area.get_height()) == (-0.5, 3)
    assert ax.get_xlim() == (-0.5, drivers["label"].nunique() - 0.5)
    assert all(face[3] == 1 for _, face, _ in cells(ax).values())
    assert "which does not mean zero" in written(ax)
    assert "Hatched" not in written(sp.plot_impacts(drivers.head(2), kind="heatmap"))
