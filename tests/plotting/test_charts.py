"""All charts: what everything that they may have to show looks like, in all sizes and looks."""

import itertools

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.plotting.composition.chart import charts_in
from tests.support.chart_cases import CASES, LOOKS, SIZES
from tests.support.charts import EIGHT, assert_all_in_view, boxes, texts, written

pytestmark = pytest.mark.usefixtures("embedded")

TOO_SMALL = "The labels are left out, because they need a larger figure."


def draw(case, size, **options):
    """Draw a case in a new figure of a size, and return the Axes."""
    function, frame = CASES[case]
    return function(frame(), ax=Figure(figsize=size).subplots(), **options)


def words(ax, gid):
    """Return the visible texts of a kind in the figure of Axes."""
    return [text.get_text() for text in texts(ax.figure) if text.get_gid() == gid]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("size", [(3, 2), (9, 4.5)], ids=str)
def test_no_text_is_cut_off_or_covers_anything(case, size):
    """From 3 by 2 inches on, no text is cut off, no two texts overlap, and no label crosses data."""
    assert_all_in_view(draw(case, size).figure)


@pytest.mark.parametrize("look", [look for look in LOOKS if look != "plain"])
@pytest.mark.parametrize("case", ["rents, one", "rents, five", "drivers, two"])
def test_no_text_is_cut_off_in_a_users_own_style(case, look):
    with style.context(["default", *LOOKS[look]]):
        assert_all_in_view(draw(case, (4.8, 3.6)).figure)


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("case", CASES)
def test_no_text_is_cut_off_in_any_size_and_style(case, look):
    """What holds for two sizes holds for all, in every style, at two resolutions."""
    for size, dpi in itertools.product(SIZES, (72, 200)):
        with style.context(["default", *LOOKS[look], {"figure.dpi": dpi}]):
            assert_all_in_view(draw(case, size).figure)


@pytest.mark.parametrize("case", ["rents, eight", "rents, stale", "drivers, eight", "drivers, two"])
@pytest.mark.parametrize("size", [(2.5, 1.6), (1.5, 1.2), (0.6, 0.5)], ids=str)
def test_a_very_small_figure_has_fewer_texts(case, size):
    """Below 3 by 2 inches, texts are left out until the others neither overlap nor are cut off."""
    ax = draw(case, size)
    assert_all_in_view(ax.figure)
    assert len(boxes(ax.figure)) < len(boxes(draw(case, (9, 4.5)).figure))


@pytest.mark.parametrize("case", CASES)
def test_the_words_of_every_chart_begin_at_its_left_edge(case):
    """Title, subtitle and foot are left-aligned with one another, and nothing stands further to the left."""
    ax = draw(case, (9, 5))
    places = boxes(ax.figure)
    (subtitle,), (foot,) = ([text for text in places if text.get_gid() == gid] for gid in ("subtitle", "foot"))
    left = places[ax.title].x0
    assert places[ax.title].y0 > places[subtitle].y1 > places[foot].y1
    assert [places[text].x0 for text in (subtitle, foot)] == pytest.approx([left, left], abs=1.5)
    assert min(box.x0 for box in places.values()) > left - 1.5
    assert "Source: made-up data of the embedded sandbox" in foot.get_text().replace("\n", " ")


@pytest.mark.parametrize("case", ["rents, one", "rents, eight", "drivers, one", "drivers, eight"])
def test_made_up_data_has_one_badge_in_the_upper_right_corner(case):
    """Nothing is written across the data: the badge stands at the height of the title."""
    ax = draw(case, (9, 6))
    places = boxes(ax.figure)
    ((text, badge),) = [(text, box) for text, box in places.items() if text.get_gid() == "badge"]
    assert text.get_text() == "made-up data"
    assert badge.y0 > ax.get_window_extent().y1
    assert badge.x1 > 0.97 * ax.figure.bbox.width
    assert abs(badge.y1 - places[ax.title].y1) < badge.height
    assert text.get_fontsize() < ax.title.get_fontsize()
    for panel, other in itertools.product(ax.figure.axes, places.values()):
        inside = panel.get_window_extent().padded(-2)
        assert not (other is badge and inside.overlaps(other))


def test_a_chart_of_other_data_has_no_badge():
    frame = sp.rent("Quokka Bay")
    frame.attrs["suburb_pandas"] |= {"source": "live", "made_up": False}
    assert words(sp.plot_rent(frame), "badge") == []


@pytest.mark.parametrize("case", ["rents, two", "drivers, eight"])
def test_a_figure_has_one_foot(case):
    """Several panels have one foot, and it can be turned off; the badge of made-up data stays."""
    assert len(words(draw(case, (9, 9)), "foot")) == 1
    ax = draw(case, (9, 9), footnote=False)
    assert words(ax, "foot") == []
    assert words(ax, "badge") == ["made-up data"]


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_several_charts_in_a_figure_share_its_foot(layout):
    """The foot stands below the lowest row of charts, spans it, and has each sentence once."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 9), layout=layout)
    sp.plot_rent(sp.rent("Quokka Bay"), ax=axes[0, 0])
    sp.plot_impacts(sp.impacts("Quokka Bay"), ax=axes[0, 1])
    sp.plot_rent(sp.rent("Woylie"), ax=axes[1, 0])
    sp.plot_rent(sp.rent("Lantern Bay (NSW)"), ax=axes[1, 1])
    places = boxes(figure)
    assert_all_in_view(figure)
    ((foot, box),) = [(text, box) for text, box in places.items() if text.get_gid() == "foot"]
    assert foot.get_text().count("Source:") == 1
    assert "A premium is an association" in foot.get_text()
    assert box.y1 < min(ax.get_window_extent().y0 for ax in axes.flat)
    assert box.x0 < axes[1, 0].get_window_extent().x0
    bottoms = [ax.get_window_extent().y0 for ax in axes[1]]
    assert bottoms[0] == pytest.approx(bottoms[1], abs=2)


def test_axes_with_another_drawing_in_the_same_figure_keep_it():
    """A chart keeps to its own place beside Axes that hold something else."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.plot([1, 2, 3])
    left.set_title("Another drawing")
    sp.plot_rent(sp.rent("Quokka Bay"), ax=right)
    places = boxes(figure)
    assert left.get_tightbbox().x1 <= min(box.x0 for text, box in places.items() if text in right.texts)


def test_a_chart_is_arranged_anew_when_the_figure_changes():
    """In a figure that became smaller, type is smaller, and a legend stands in for the labels of lines."""
    ax = sp.plot_rent(sp.rent(EIGHT))
    before = ax.title.get_fontsize()
    assert words(ax, "key") == []
    ax.figure.set_size_inches(3.5, 2.5)
    assert_all_in_view(ax.figure)
    assert ax.title.get_fontsize() < 0.7 * before
    assert {*words(ax, "key")} == {*EIGHT}
    assert not any(words(ax, "end"))


def test_the_title_can_be_changed():
    """`ax.set_title` changes the words of the title, which keeps its place and is wrapped."""
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    left = boxes(ax.figure)[ax.title].x0
    ax.set_title("A title of one's own that is " + "very " * 20 + "long")
    assert_all_in_view(ax.figure)
    assert ax.get_title().count("\n") == 1
    assert boxes(ax.figure)[ax.title].x0 == pytest.approx(left, abs=1.5)


def test_nothing_is_lost_while_a_figure_is_very_small():
    """A figure that becomes large again has all of its words again."""
    ax = sp.plot_rent(sp.rent(EIGHT[:2]))
    ax.figure.draw_without_rendering()
    size, before = ax.figure.get_size_inches(), written(ax)
    ax.figure.set_size_inches(0.5, 0.4)
    assert len(boxes(ax.figure)) < 3
    ax.figure.set_size_inches(*size)
    ax.figure.draw_without_rendering()
    assert written(ax) == before


def test_a_limit_can_be_changed():
    """Labels follow their lines when the limits of the Axes change."""
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    before = [box.y0 for text, box in boxes(ax.figure).items() if text.get_gid() == "end"]
    ax.set_ylim(0, 3000)
    after = [box.y0 for text, box in boxes(ax.figure).items() if text.get_gid() == "end"]
    assert all(new < old for new, old in zip(after, before, strict=True))


def test_a_second_chart_in_the_same_axes_replaces_the_first():
    """Drawing again, as in a loop or in a widget, leaves nothing of the chart before."""
    figure, ax = plt.subplots()
    sp.plot_rent(sp.rent(EIGHT[:2]), ax=ax)
    sp.plot_impacts(sp.impacts("Woylie"), ax=ax)
    assert figure.axes == [ax]
    assert ax.get_title() == "Amenity price impacts in Woylie"
    assert "Lantern Bay" not in written(ax)
    assert len(charts_in(figure)) == 1
    assert_all_in_view(figure)


def test_cleared_axes_are_free_for_something_else():
    """After ``ax.clear()``, nothing of a chart is left, and the Axes are back in their place in the grid."""
    figure, ax = plt.subplots()
    before = ax.get_position().bounds
    sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    figure.draw_without_rendering()
    ax.clear()
    figure.draw_without_rendering()
    assert ax.get_position().bounds == before
    assert charts_in(figure) == []


def test_a_saved_picture_holds_the_whole_chart(tmp_path):
    """Cut to its content, as notebooks do, and as vector graphics, a chart keeps all its words."""
    ax = sp.plot_rent(sp.rent(EIGHT[:2]))
    for dpi in (50, 100):
        ax.figure.savefig(tmp_path / f"{dpi}.png", dpi=dpi, bbox_inches="tight", pad_inches=0)
    small, large = (plt.imread(tmp_path / f"{dpi}.png") for dpi in (50, 100))
    assert np.array(large.shape[:2]) == pytest.approx(2 * np.array(small.shape[:2]), rel=0.03)
    width, height = ax.figure.get_size_inches()
    assert large.shape[:2] == pytest.approx((100 * height, 100 * width), rel=0.03)
    for kind in ("svg", "pdf"):
        ax.figure.savefig(tmp_path / f"chart.{kind}", bbox_inches="tight")
    assert_all_in_view(ax.figure)
