"""The heatmap of impacts: its cells, their order, and what is not known."""

import numpy as np
import pytest
from coloraide import Color
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import contrast, diverging_colours
from tests.support.chart_cases import without_drivers
from tests.support.charts import EIGHT, assert_all_in_view, boxes, texts, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")


def cells(ax):
    """Return the text and the colour behind each cell, by row and column."""
    ax.figure.draw_without_rendering()
    found = {
        (int(y), int(x)): text
        for text in texts(ax.figure)
        if text.get_gid() == "cell" and text.get_transform() == ax.transData
        for x, y in [text.get_position()]
    }
    colours = {
        (round(box.get_y() + 0.5), round(box.get_x() + 0.5)): to_hex(box.get_facecolor())
        for box in ax.patches
        if box.get_gid() == "cell"
    }
    return {place: text.get_text() for place, text in found.items()}, colours


def headings(ax):
    """Return the headings of the columns, from left to right."""
    (first, *_) = ax.figure.axes
    heads = [text for text in texts(first.figure) if text.get_va() == "bottom" and "nearby" in text.get_text()]
    return [" ".join(text.get_text().split()) for text in sorted(heads, key=lambda text: text.get_position()[0])]


def test_each_premium_stands_in_the_cell_of_its_suburb_and_driver():
    """Rows are in the order of the frame, columns by how many suburbs list the driver, then by the mean premium."""
    drivers = sp.impacts(EIGHT)
    ax = sp.plot_impacts(drivers, kind="heatmap")
    by_label = drivers.groupby("label")["pct_of_median"].agg(["size", "mean"])
    labels = by_label.sort_values(["size", "mean"], ascending=False).index.to_list()
    assert headings(ax) == labels
    assert [" ".join(label.get_text().split()) for label in ax.get_yticklabels()] == EIGHT
    shown, colours = cells(ax)
    wanted = {
        (EIGHT.index(row.area_name), labels.index(row.label)): f"{row.pct_of_median:.1f}".replace("-0.0", "0.0")
        for row in drivers.itertuples()
    }
    assert {place: text.strip("*").replace("\N{MINUS SIGN}", "-") for place, text in shown.items()} == wanted
    assert colours.keys() == wanted.keys()
    assert_all_in_view(ax.figure)


def test_a_driver_that_is_not_listed_is_hatched_and_not_zero():
    """It has no number and no colour of the scale, and the legend and the foot say what the hatch means."""
    drivers = sp.impacts(EIGHT)
    ax = sp.plot_impacts(drivers, kind="heatmap")
    hatched = [box for box in ax.patches if box.get_gid() == "not listed"]
    assert len(hatched) == len(EIGHT) * drivers["label"].nunique() - len(drivers)
    shown, _ = cells(ax)
    assert all(box.get_hatch() and not box.get_fill() for box in hatched)
    assert not {(round(box.get_y() + 0.47), round(box.get_x() + 0.47)) for box in hatched} & shown.keys()
    assert "not listed" in [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]
    assert "which does not mean zero" in written(ax)


def test_thin_evidence_is_marked_in_the_cell():
    """An asterisk marks thin evidence, a question mark a missing figure. A coverage of 100 per cent has no mark."""
    drivers = (
        sp.impacts("Quokka Bay")
        .head(4)
        .assign(evidence=["ok", "thin", "caution", "ok"], coverage_pct=[50, 50, 50, 100.0])
    )
    drivers["pct_of_median"] = [3.0, -2.0, np.nan, 1.0]
    ax = sp.plot_impacts(drivers, kind="heatmap")
    shown, colours = cells(ax)
    assert {*shown.values()} == {"3.0", "\N{MINUS SIGN}2.0*", "?", "1.0"}
    assert len(colours) == 3
    for words in ("* thin evidence: at most 10 sales are without the amenity.", "Question mark: not known."):
        assert words in written(ax)


def test_signs_and_marks_remain_where_numbers_do_not_fit():
    """In narrow cells, a negative premium still has its minus sign, so that the sign does not depend on colour."""
    drivers = sp.impacts(EIGHT)
    drivers = drivers.assign(label=[f"no amenity {number} nearby" for number in range(len(drivers))])
    ax = sp.plot_impacts(drivers, kind="heatmap", ax=Figure(figsize=(9, 6)).subplots())
    shown, _ = cells(ax)
    assert {*shown.values()} <= {"", "*", "\N{MINUS SIGN}", "\N{MINUS SIGN}*"}
    assert sum("\N{MINUS SIGN}" in text for text in shown.values()) == (drivers["pct_of_median"] < 0).sum()
    assert_all_in_view(ax.figure)


def test_forty_suburbs_fit_and_the_legend_has_a_unit():
    """The figure grows, the numbers stay, and round values explain the colours."""
    drivers = sp.impacts(RENTED[:40])
    ax = sp.plot_impacts(drivers, kind="heatmap")
    assert_all_in_view(ax.figure)
    assert len(cells(ax)[0]) == len(drivers)
    legend = [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]
    assert legend == ["\N{MINUS SIGN}2", "0", "2", "4", "6 per cent", "not listed"]
    assert {text.get_color() for text in texts(ax.figure) if text.get_gid() == "legend"} == {"black"}


@pytest.mark.parametrize("sheet", ["default", "dark_background"])
@pytest.mark.parametrize("deficiency", [None, "deutan", "protan", "tritan"])
def test_the_two_sides_of_zero_can_be_told_apart(deficiency, sheet):
    """Colours of opposite values differ by 10 in CIEDE2000 with every deficiency; larger values leave the page."""
    with style.context(["default", sheet]):
        page = to_hex(Figure().get_facecolor())
        colours, shares = diverging_colours(page), np.linspace(0.2, 1, 5)
    for share in shares:
        below, above = (Color(to_hex(colours(0.5 + sign * share / 2))) for sign in (-1, 1))
        if deficiency:
            below, above = (colour.filter(deficiency, method="machado") for colour in (below, above))
        assert below.delta_e(above, method="2000") >= 10
    for sign in (-1, 1):
        contrasts = [contrast(to_hex(colours(0.5 + sign * share / 2)), page) for share in (0, *shares)]
        assert contrasts == sorted(contrasts)
        assert contrasts[0] < 1.2


def test_a_figure_that_is_not_known_is_hatched_in_a_way_of_its_own():
    """In a small figure without numbers, it cannot be taken for a zero, nor for a driver that is not listed."""
    drivers = sp.impacts("Quokka Bay")
    drivers.loc[drivers.index[0], "pct_of_median"] = np.nan
    ax = sp.plot_impacts(drivers, kind="heatmap")
    (unknown,) = (box for box in ax.patches if box.get_gid() == "not known")
    legend = [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]
    assert unknown.get_hatch() != "////"
    assert "not known" in legend
    assert "not listed" not in legend


def test_a_heatmap_of_one_suburb_and_of_none():
    """One suburb is one row; without drivers the chart says so; another kind is refused."""
    ax = sp.plot_impacts(sp.impacts("Quokka Bay"), kind="heatmap")
    assert len(cells(ax)[0]) == len(sp.impacts("Quokka Bay"))
    assert "No drivers are listed" in written(sp.plot_impacts(without_drivers("Sleepy Lizard"), kind="heatmap"))
    boxes(ax.figure)
    some = sp.plot_impacts(without_drivers(["Quokka Bay", "Sleepy Lizard"]), kind="heatmap")
    assert "Without data: Sleepy Lizard." in written(some)
    with pytest.raises(ValueError, match="kind must be 'bars' or 'heatmap', not 'pie'"):
        sp.plot_impacts(sp.impacts("Quokka Bay"), kind="pie")
