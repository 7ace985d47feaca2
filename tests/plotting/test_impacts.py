"""The charts of amenity price impacts: bars with columns of figures, and the heatmap."""

from functools import partial

import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Annotation

import suburb_pandas as sp
from suburb_pandas.errors import SkippedRowsWarning
from suburb_pandas.plotting.look import COLOURS, contrast, diverging_colours, format_number
from tests.plotting.chart_cases import quietly
from tests.support.charts import beside, written

HEADINGS = ["Premium, AUD", "% of median", "Sales without", "Sales with"]
NAMES = ["Quokka Bay", "Emu Parade", "Lantern Bay (NSW)"]
SALES = ["Quokka Bay: 26 sales (caution)", "Emu Parade: 1 sales (thin)", "Lantern Bay (NSW): 206 sales"]


def cells(ax):
    """Map the suburb and the driver of each cell of a heatmap to its text, its colour and that of its text."""
    suburbs, drivers = ([label.get_text() for label in axis.get_ticklabels()] for axis in (ax.yaxis, ax.xaxis))
    return {
        (suburbs[round(box.get_y() + 0.5)].partition(":")[0], drivers[round(box.get_x() + 0.5)]): (
            text.get_text(),
            box.get_facecolor(),
            text.get_color(),
        )
        for box, text in zip(ax.containers[0], filter(Annotation.get_text, ax.texts), strict=True)
    }


def test_drivers_are_bars_with_their_figures_beside_them():
    """The largest premium is on top; a negative one points to the left, in a colour of its own.

    A bar with thin evidence is an outline, as the foot explains. The column of flags may be missing. A narrow chart has
    the first two columns of figures only.
    """
    drivers = sp.impacts("Quokka Bay")
    premiums, shares = drivers["premium_dollars"], drivers["pct_of_median"]
    ax = sp.plot_impacts(drivers.drop(columns="evidence").sample(frac=1, random_state=1))
    rows = beside(ax)
    assert rows.pop(None) == HEADINGS
    assert ax.yaxis_inverted()
    counts = (drivers[label].astype(str) for label in ("n_absent", "n_present"))
    figures = [premiums.map(format_number), shares.map(partial(format_number, decimals=1)), *counts]
    assert [*rows.values()] == [[*row] for row in zip(drivers["label"], *figures, strict=True)]
    bars = [(bar.get_x(), bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in ax.patches]
    assert bars == [(0, place, premium) for place, premium in premiums.items()]
    is_thin = (drivers["n_absent"] <= 10).to_list()
    assert {*is_thin} == {True, False}
    for bar, premium, is_outline in zip(ax.patches, premiums, is_thin, strict=True):
        assert to_hex(bar.get_edgecolor()) == COLOURS[premium < 0]
        assert (bar.get_facecolor()[3] == 0, bar.get_linewidth() > 1) == (is_outline, True)
    assert "Outlined bar: thin evidence, because at most 10 sales are without the amenity." in written(ax)
    assert ax.collections[0].get_segments()[0][:, 0].tolist() == [0, 0]
    ax = sp.plot_impacts(drivers.assign(evidence="ok"), figsize=(4, 3))
    assert beside(ax)[None] == HEADINGS[:2]
    assert all(bar.get_facecolor()[3] for bar in ax.patches)


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


def test_what_is_not_known_is_a_question_mark():
    """A saved frame may lack labels and the columns of evidence, and call the suburbs otherwise.

    Each suburb keeps its own panel. A row without a suburb is skipped.
    """
    saved = sp.impacts(NAMES).drop(columns=["n_absent", "n_present", "evidence"]).astype(object)
    saved = saved.rename(columns={"area_name": "Suburb"})
    saved.loc[1, ["label", "pct_of_median"]] = None
    saved.loc[len(saved) - 1, "Suburb"] = None
    with pytest.warns(SkippedRowsWarning, match="1 of .* rows has no suburb name and was skipped"):
        axes = sp.plot_impacts(saved).figure.axes
    assert beside(axes[0])[1] == ["?", format_number(saved["premium_dollars"][1]), "?", "?", "?"]
    bars = [bar for ax in axes for bar in ax.patches]
    assert [bar.get_width() for bar in bars] == saved["premium_dollars"].to_list()[:-1]
    assert {to_hex(bar.get_facecolor()) for bar in bars} <= {*COLOURS}
    ax = sp.plot_impacts(saved.set_index("Suburb").loc["Quokka Bay"], kind="heatmap")
    text, face, _ = cells(ax)["Quokka Bay", "?"]
    assert (text, to_hex(face)) == ("?", "#ffffff")
    assert "Question mark: not known." in written(ax)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
@pytest.mark.parametrize("kind", ["bars", "heatmap"])
def test_what_the_service_writes_is_drawn_as_it_is(kind):
    """Markup, quotes, mathtext, emoji and long labels are plain text. Suburbs without drivers are named."""
    markup = ["<b>no</b> pub", "no $x^2$ shop", '🍺 none & "late"', "nothing " * 9]
    drivers = quietly(sp.impacts, ["Quokka Bay", "Sleepy Lizard"])
    shown = written(sp.plot_impacts(drivers.head(4).assign(label=markup), kind=kind))
    assert [label for label in markup if label.strip() not in shown] == []
    assert "Without data: Sleepy Lizard." in written(sp.plot_impacts(drivers, kind=kind))
    assert "No drivers are listed" in written(sp.plot_impacts(drivers[:0], kind=kind))


def test_each_premium_is_in_the_cell_of_its_suburb_and_driver():
    """Rows are in the order of the frame, columns by how many suburbs list the driver, then by the largest premium.

    The colour has the sign and the size: blue above zero, almost the page at zero, brown below. A cell without a value
    is hatched: a driver that is not listed does not mean zero.
    """
    drivers = sp.impacts([*NAMES, "Cider Gum"])
    ax = sp.plot_impacts(drivers, kind="heatmap")
    by_label = drivers.groupby("label")["pct_of_median"].agg(["size", "max"])
    labels = by_label.sort_values(["size", "max"], ascending=False).index.to_list()
    assert [label.get_text() for label in ax.get_xticklabels()] == labels
    assert [label.get_text() for label in ax.get_yticklabels()] == [*SALES, "Cider Gum: 177 sales"]
    found, largest = cells(ax), drivers["pct_of_median"].abs().max()
    assert len(found) == len(drivers)
    for driver in drivers.itertuples():
        text, face, ink = found[driver.area_name, driver.label]
        value = driver.pct_of_median
        assert text == format_number(value, 1) + "*" * (driver.evidence == "thin")
        assert face == pytest.approx(diverging_colours("#ffffff")(0.5 + value / largest / 2), abs=0.04)
        assert contrast(ink, face) > 4
    assert f"Largest: {format_number(largest, 1)}, no bottle shop nearby in Cider Gum." in ax.figure.alt
    (area,) = (patch for patch in ax.patches if patch.get_hatch())
    box = area.get_patch_transform().transform_path(area.get_path()).get_extents()
    assert (box.y0, box.height, *ax.get_xlim()) == (-0.5, 4, -0.5, len(labels) - 0.5)
    assert "which does not mean zero" in written(ax)
    assert "* thin evidence, because at most 10 sales are without the amenity." in written(ax)
    assert "Hatched" not in written(sp.plot_impacts(drivers.head(2), kind="heatmap"))
