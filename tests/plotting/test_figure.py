"""All charts: the figures that they make, the Axes that they are given, and the words around the data."""

import pickle
import subprocess
import sys

import pytest
from matplotlib import pyplot as plt
from matplotlib import rc_context, style
from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.plotting.chart_cases import CASES, GIVEN, IN_AXES, LOOKS, SIZES, draw
from tests.support.charts import MADE_UP, assert_all_in_view, boxes, texts, title, written

SOURCE = "Source: made-up data of the embedded sandbox, "

CROWDED = ["drivers, eight", "heatmap, eighteen drivers", "card, flagged", "map, far apart", "multiples, some without"]
"""Cases of many suburbs, names, notes or numbers."""


def words(ax, gid):
    """Return the visible texts of a kind in the figure of Axes."""
    return [" ".join(text.get_text().split()) for text in texts(ax.figure) if text.get_gid() == gid]


def assert_in_order(figure):
    """Assert that type has three sizes, that only the title is large and bold, and that words keep 7 points of edge."""
    assert {round(text.get_fontsize(), 1) for text in texts(figure)} <= {13, 9, 7.8}
    large = [(text.get_text(), text.get_weight()) for text in texts(figure) if text.get_fontsize() == 13]
    assert large == [(figure.get_suptitle(), "bold")]
    around = {text.get_text(): box for text, box in boxes(figure).items() if text in figure.texts}
    edges = figure.bbox.x1 - around.pop(MADE_UP).x1, *(box.x0 for box in around.values())
    assert edges == pytest.approx([7 * figure.dpi / 72] * 4, abs=1)


@pytest.mark.parametrize("case", [*GIVEN, *CROWDED])
def test_no_text_is_cut_off_or_covers_another(case):
    """A figure of the package is as large as its content needs, also if it is asked for at 4 by 3 inches.

    It has the badge of made-up data, its source, and a text alternative, which a notebook saves beside the picture for
    people who do not see the chart: it names the chart and its data.
    """
    ax = draw(case, figsize=(4, 3))
    assert_all_in_view(ax.figure)
    assert_in_order(ax.figure)
    assert words(ax, "badge") == [MADE_UP]
    assert SOURCE in words(ax, "foot")[0]
    _, metadata = ax.figure._repr_mimebundle_()
    assert metadata == {f"image/{form}": {"alt": ax.figure.alt} for form in ("png", "svg+xml")}
    assert ax.figure.alt.startswith(title(ax))
    assert ax.figure.alt.endswith(". Made-up data.")


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("case", CASES)
def test_no_text_is_cut_off_in_any_size_and_look(case, look):
    """A chart can be read in each style, and in a narrow or a wide figure."""
    for size in SIZES:
        with style.context(["default", *LOOKS[look]]):
            assert_all_in_view(draw(case, figsize=size).figure)
            plt.close("all")


@pytest.mark.parametrize("case", IN_AXES)
def test_given_axes_have_room_and_nothing_else_of_their_figure_is_changed(case):
    """Beside other Axes, the words are matplotlib's own title and labels, for which its layouts keep room.

    The figure keeps its size, title, colour and layout, and the other Axes what is drawn in them.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 7), layout=IN_AXES[case], facecolor="ivory")
    left.set_title("Another drawing")
    figure.suptitle("A title")
    before, layout = figure.get_facecolor(), figure.get_layout_engine()
    assert draw(case, ax=right) is right
    assert_all_in_view(figure)
    assert (*figure.get_size_inches(), figure.get_facecolor(), figure.get_layout_engine()) == (14, 7, before, layout)
    assert ([text.get_text() for text in figure.texts], left.get_title()) == (["A title"], "Another drawing")
    assert words(right, "badge") == [MADE_UP]
    assert SOURCE in written(right)
    (note,) = [ax.xaxis.label for ax in figure.axes if SOURCE in " ".join(ax.get_xlabel().split())]
    assert note.get_fontsize() == pytest.approx(7.8)
    titles = [text for text in texts(figure) if text.get_text() in {right.get_title(), right.get_title("left")}]
    above = [*titles, *filter(None, [right.get_legend()])]
    assert min(each.get_window_extent().y0 for each in above) >= right.bbox.y1


def test_several_panels_divide_the_room_of_given_axes():
    """Axes of a grid, in a part of a figure, or placed by hand hold several panels, which keep to their place."""
    part = plt.figure(figsize=(12, 8)).subfigures(1, 2)[1]
    for ax in (part.subplots(), Figure().add_axes((0.5, 0.1, 0.4, 0.8)), plt.subplots(1, 2)[1][1]):
        before = ax.get_position()
        panels = [each for each in draw("rents, two", ax=ax).figure.axes if each.lines]
        assert [panel.get_title("left").splitlines()[-1] for panel in panels] == ["Houses", "Units"]
        assert [panels[0].get_position().y1, *panels[1].get_position().p0] == pytest.approx([before.y1, *before.p0])
        assert panels[0].get_xlim() == panels[1].get_xlim()
        assert words(ax, "foot") == ax.figure.legends == []


def test_a_figure_can_be_pickled_and_saved(tmp_path):
    """Cut to its content, as notebooks do, a picture keeps its words."""
    figure, path = draw("rents, two").figure, tmp_path / "chart.svg"
    copy = pickle.loads(pickle.dumps(figure))  # noqa: S301 - of this test's own making
    with rc_context({"svg.fonttype": "none"}):
        copy.savefig(path, bbox_inches="tight")
    saved = path.read_text()
    assert [text for text in texts(figure) if text.get_text().splitlines()[0] not in saved] == []
    assert copy.alt == figure.alt


def test_pyplot_is_not_touched_where_axes_are_given():
    """With Axes given, pyplot is never imported; matplotlib itself is imported only when a chart is drawn."""
    code = """
import sys
import suburb_pandas as sp
assert "matplotlib" not in sys.modules
from matplotlib.figure import Figure
with sp.connect(api_key="embedded"):
    sp.plot_rent(sp.rent(["Quokka Bay", "Woylie"]), ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_markup_is_drawn_as_it_is():
    """Markup, mathtext and emoji in names are drawn as plain text."""
    ax = sp.plot_rent(sp.rent(["Quokka Bay"]).assign(area_name="$x^$ <b> 🏠"))
    ax.figure.draw_without_rendering()
    assert "Rents in $x^$ <b> 🏠" in written(ax)
