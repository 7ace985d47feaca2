"""The charts of amenity price impacts: bars with columns of figures, and the heatmap."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS, contrast, diverging_colours
from tests.support.chart_cases import quietly
from tests.support.charts import EIGHT, assert_all_in_view, beside, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")

HEADINGS = ["Premium, AUD", "% of median", "% of sales", "Without", "With"]


def number(value, decimals=1):
    return f"{value:,.{decimals}f}".replace("-0.0", "0.0").replace("-", "\N{MINUS SIGN}")


def bars(ax):
    """Return the row, the length and the face of each bar of a panel, and check that bars begin at zero."""
    assert {bar.get_x() for bar in ax.patches} == {0}
    return [(bar.get_y() + bar.get_height() / 2, bar.get_width(), bar.get_facecolor()) for bar in ax.patches]


def cells(ax):
    """Map the row and column of each cell of a heatmap to its colour, and to its text."""
    boxes = {(box.get_y() + 0.5, box.get_x() + 0.5): box for box in ax.patches if not box.get_label()}
    texts = {
        text.get_position()[::-1]: text.get_text()
        for text in ax.texts
        if text.get_position()[1] >= 0 and not hasattr(text, "xy")
    }
    return {place: box.get_facecolor() for place, box in boxes.items()}, texts


def hatched(ax, reason):
    """Return the areas that are hatched for a reason, as rows from, columns from, rows to, columns to."""
    boxes = [box for box in ax.patches if box.get_label() == reason and box.get_hatch()]
    return [(box.get_y(), box.get_x(), box.get_y() + box.get_height(), box.get_x() + box.get_width()) for box in boxes]


def entries(figure):
    """Map the entries of a legend to their samples."""
    (legend,) = figure.legends
    return {text.get_text(): patch for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True)}


def test_drivers_are_bars_with_their_figures_beside_them():
    """The largest premium is on top; a negative one points to the left, in a colour of its own."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    rows = beside(ax)
    assert rows.pop(None) == HEADINGS
    low, high = ax.get_ylim()
    assert low > high
    for place, driver in enumerate(drivers.itertuples()):
        assert rows[place] == [
            driver.label,
            number(driver.premium_dollars, 0),
            number(driver.pct_of_median),
            number(driver.coverage_pct),
            str(driver.n_absent),
            str(driver.n_present),
        ]
    assert [bar[:2] for bar in bars(ax)] == [(place, premium) for place, premium in drivers.premium_dollars.items()]
    edges = [to_hex(bar.get_edgecolor()) for bar in ax.patches]
    assert edges == [COLOURS[premium < 0] for premium in drivers.premium_dollars]
    assert ax.collections[0].get_segments()[0][:, 0].tolist() == [0, 0]
    assert_all_in_view(ax.figure)


@pytest.mark.parametrize("look", ["default", "seaborn-v0_8-darkgrid", "ggplot", "dark_background", "grayscale"])
def test_a_bar_with_thin_evidence_is_an_outline(look):
    """A form that hangs on no colour shows it in every style: the bar has an edge and no face. The foot explains it."""
    drivers = sp.impacts("Quokka Bay")
    is_thin = drivers["n_absent"] <= 10
    with style.context(["default", look]):
        ax = sp.plot_impacts(drivers)
    assert [face[3] == 0 for *_, face in bars(ax)] == is_thin.to_list() != [False] * len(drivers)
    assert all(bar.get_linewidth() >= 1 and bar.get_edgecolor()[3] == 1 for bar in ax.patches)
    assert "Outlined bar: thin evidence: at most 10 sales are without the amenity." in written(ax)


def test_without_thin_evidence_no_bar_is_an_outline():
    """So too in a frame that was saved without the columns of evidence, which has three columns of figures."""
    drivers = sp.impacts("Quokka Bay")
    saved = drivers.drop(columns=["n_absent", "n_present", "evidence"])
    missing = drivers.assign(evidence=pd.array([pd.NA] * len(drivers), dtype="string"))
    for frame in (drivers[drivers["n_absent"] > 10], saved, missing):
        ax = sp.plot_impacts(frame)
        assert all(to_hex(face) in COLOURS for *_, face in bars(ax))
        assert "Outlined" not in written(ax)
    assert beside(sp.plot_impacts(saved))[None] == HEADINGS[:3]


def test_each_suburb_has_a_panel_in_the_order_of_the_frame():
    """The panels share a scale. Each heading has the suburb and its number of sales, with a flag if they are few."""
    names = ["Quokka Bay", "Emu Parade", "Lantern Bay (NSW)"]
    drivers = sp.impacts(names)
    axes = sp.plot_impacts(drivers).figure.axes
    headings = ["26 (caution)", "1 (thin)", "206"]
    for ax, name, heading in zip(axes, names, headings, strict=True):
        own = drivers[drivers["area_name"] == name]
        assert [length for _, length, _ in bars(ax)] == own["premium_dollars"].to_list()
        assert [names[0] for place, names in beside(ax).items() if place is not None] == own["label"].to_list()
        assert f"{name}. Recent sales: {heading}" in [text.get_text() for text in ax.texts]
        assert ax.get_xlim() == axes[0].get_xlim()
    shown = written(axes[0])
    assert "Thin: up to 10; caution: up to 30 sales." in shown
    assert "It is not the effect of removing an amenity." in shown
    low = drivers.loc[drivers["premium_dollars"].idxmin()]
    assert f"Least: {number(low.premium_dollars, 0)}, {low.label} in {low.area_name}." in axes[0].figure.alt
    assert_all_in_view(axes[0].figure)


@pytest.mark.parametrize("layout", ["constrained", "tight"])
def test_given_axes_hold_the_chart_and_a_layout_makes_room(layout):
    """The Axes are returned, with matplotlib's own title. The words can be chosen."""
    figure, ax = plt.subplots(figsize=(9, 5), layout=layout)
    assert sp.plot_impacts(sp.impacts("Quokka Bay"), ax, title="Premiums", footnote=False) is ax
    assert ax.get_title() == "Premiums"
    assert "Source:" not in written(ax)
    assert_all_in_view(figure)


def test_a_narrow_figure_has_two_columns_and_wraps_names():
    """``figsize`` sets the width; the height is what the content needs."""
    ax = sp.plot_impacts(sp.impacts(EIGHT[2:5]), figsize=(4, 3))
    assert beside(ax)[None] == HEADINGS[:2]
    assert "% of sales" not in written(ax)
    assert ax.figure.get_figwidth() == 4
    assert ax.figure.get_figheight() > 5
    assert_all_in_view(ax.figure)


def test_a_missing_figure_is_a_question_mark_and_text_is_an_error():
    """The error comes before a figure is made."""
    drivers = sp.impacts("Quokka Bay").astype({"premium_dollars": "Int64"})
    drivers.loc[1, ["premium_dollars", "coverage_pct", "n_absent"]] = pd.NA, np.nan, pd.NA
    ax = sp.plot_impacts(drivers)
    assert [drivers.label[1], "?", "3.5", "?", "?", str(drivers.n_present[1])] in [*beside(ax).values()]
    plt.close("all")
    for frame, error, message in (
        (drivers.assign(premium_dollars="much"), ValueError, "'premium_dollars' is not one column of numbers"),
        (sp.rent("Quokka Bay"), ValueError, "not a frame of drivers"),
        ([1], TypeError, "frame of drivers"),
    ):
        with pytest.raises(error, match=message):
            sp.plot_impacts(frame)
    with pytest.raises(ValueError, match="kind must be 'bars' or 'heatmap', not 'pie'"):
        sp.plot_impacts(drivers, kind="pie")
    assert plt.get_fignums() == []


def test_sixty_suburbs_can_be_drawn_and_for_more_the_error_says_how_to_choose():
    drivers = sp.impacts(RENTED[:61]).groupby("area_name", observed=True).head(1)
    with pytest.raises(ValueError, match=r"has 61 suburbs, but a chart shows up to 60\. Choose some; .* heatmap"):
        sp.plot_impacts(drivers)
    assert plt.get_fignums() == []
    sixty = drivers[drivers["area_name"].isin(RENTED[:60])]
    assert len(sp.plot_impacts(sixty).figure.axes) == 60
    assert len({row for row, _ in cells(sp.plot_impacts(sixty, kind="heatmap"))[0]}) == 60


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_what_the_service_writes_is_drawn_as_it_is():
    """Markup, quotes, mathtext, emoji and long labels are plain text, and nothing is cut off."""
    markup = ["<b>no</b> pub", "no $x^2$ shop", "$", "no \"late\" 'shop' & <i>", "🍺 none", "nothing " * 12]
    for kind in ("bars", "heatmap"):
        ax = sp.plot_impacts(sp.impacts("Quokka Bay").assign(label=markup), kind=kind)
        assert all(label.strip() in written(ax) for label in markup)
        assert_all_in_view(ax.figure)


def test_without_drivers_the_charts_say_so():
    """A suburb that has none beside others is named at the foot."""
    none, some = (quietly(sp.impacts, names) for names in ("Sleepy Lizard", ["Quokka Bay", "Sleepy Lizard"]))
    for kind in ("bars", "heatmap"):
        assert "No drivers are listed" in written(sp.plot_impacts(none, kind=kind))
        assert "Without data: Sleepy Lizard." in written(sp.plot_impacts(some, kind=kind))


def test_each_premium_is_in_the_cell_of_its_suburb_and_driver():
    """Rows are in the order of the frame, columns by how many suburbs list the driver, then by the mean premium."""
    drivers = sp.impacts(EIGHT)
    ax = sp.plot_impacts(drivers, kind="heatmap")
    by_label = drivers.groupby("label")["pct_of_median"].agg(["size", "mean"])
    labels = by_label.sort_values(["size", "mean"], ascending=False).index.to_list()
    heads = [text for text in ax.texts if "nearby" in text.get_text()]
    headings = {text.get_position()[0]: " ".join(text.get_text().split()).replace("- ", "-") for text in heads}
    assert headings == dict(enumerate(labels))
    sales = drivers.assign(sales=drivers["n_absent"] + drivers["n_present"]).groupby("area_name")["sales"].first()
    assert beside(ax) == {None: ["Recent sales"]} | {row: [name, str(sales[name])] for row, name in enumerate(EIGHT)}
    colours, texts = cells(ax)
    assert len(colours) == len(texts) == len(drivers)
    largest = drivers["pct_of_median"].abs().max()
    for driver in drivers.itertuples():
        place = EIGHT.index(driver.area_name), labels.index(driver.label)
        value = driver.pct_of_median
        assert texts[place] == number(value) + "*" * (driver.evidence == "thin")
        assert colours[place] == pytest.approx(diverging_colours("#ffffff")(0.5 + value / largest / 2), abs=0.04)
        assert (colours[place][2] > colours[place][0]) == (value > 0) or abs(value) < 0.3  # blue above zero
    assert f"Largest: {number(largest)}, no bottle shop nearby in Cider Gum." in ax.figure.alt
    assert "* thin evidence: at most 10 sales are without the amenity." in written(ax)
    assert_all_in_view(ax.figure)


def test_the_legend_has_the_colours_of_the_least_and_the_largest_cell():
    """And that of zero, which is almost the page."""
    ax = sp.plot_impacts(sp.impacts(EIGHT), kind="heatmap")
    samples = {name: to_hex(patch.get_facecolor()) for name, patch in entries(ax.figure).items()}
    assert [*samples] == ["\N{MINUS SIGN}1.7 %", "0.0 %", "6.4 %", "not listed"]
    colours, texts = cells(ax)
    for value in ("\N{MINUS SIGN}1.7", "6.4"):
        assert {to_hex(colours[place]) for place, text in texts.items() if text == value} == {samples[f"{value} %"]}
    assert contrast(samples["0.0 %"], "white") < 1.1


def test_a_cell_without_a_value_is_hatched_by_its_reason():
    """A driver that is not listed does not mean zero, and a figure that is not known is not the same."""
    drivers = sp.impacts(EIGHT[:3])
    ax = sp.plot_impacts(drivers, kind="heatmap")
    assert hatched(ax, "not listed") == [(-0.5, -0.5, 2.5, drivers["label"].nunique() - 0.5)]
    assert all(face[3] == 1 for face in cells(ax)[0].values())  # the cells with a value hide the hatch
    assert "which does not mean zero" in written(ax)
    one = sp.impacts("Quokka Bay").head(3).assign(pct_of_median=[3.0, np.nan, -1.0])
    ax = sp.plot_impacts(one, kind="heatmap")
    ((row, column, *_),) = hatched(ax, "not known")
    assert cells(ax)[1][row + 0.5, column + 0.5] == "?"
    hatches = {name: patch.get_hatch() for name, patch in entries(ax.figure).items()}
    assert hatches.pop("not known") not in {
        None,
        entries(sp.plot_impacts(drivers, kind="heatmap").figure)["not listed"].get_hatch(),
    }
    assert {*hatches.values()} == {None}


@pytest.mark.parametrize(("look", "size"), [("default", (4, 3)), ("dark_background", (9, 5))])
def test_a_heatmap_with_long_names_fits(look, size):
    """In narrow cells, headings and numbers are turned."""
    drivers = sp.impacts(EIGHT)
    with style.context(["default", look]):
        ax = sp.plot_impacts(drivers, kind="heatmap", figsize=size)
    assert len(cells(ax)[1]) == len(drivers)
    assert {text.get_rotation() for text in ax.texts if "nearby" in text.get_text()} == {90 if size[0] < 5 else 0}
    assert_all_in_view(ax.figure)
