"""All charts: what everything that they may have to show looks like, in all sizes and looks."""

import itertools
import pickle
from copy import deepcopy

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.dates import DateFormatter
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import suburb_pandas as sp
from suburb_pandas.plotting.composition.chart import charts_in
from tests.support.chart_cases import CASES, LOOKS, SIZES
from tests.support.charts import EIGHT, assert_all_in_view, boxes, end_labels, texts, written

pytestmark = pytest.mark.usefixtures("embedded")

DRIVER_CASES = ["drivers, one", "drivers, two", "drivers, negative", "drivers, no drivers"]

LARGE = {
    *("rents, five", "drivers, five", "drivers, eight", "map, state", "map, thin"),
    *("multiples, twelve", "multiples, forty", "growth, twelve", "heatmap, forty", "card, forty", "card, premiums"),
}
"""Cases that take long and show little that others do not show. With ``-m long`` they are drawn, too."""

TOO_SMALL = "The labels are left out, because they need a larger figure."
"""What a chart says in place of its subtitle if its labels do not fit."""


def draw(case, size, **options):
    """Draw a case in a new figure of a size, and return the Axes."""
    function, frame = CASES[case]
    return function(frame(), ax=Figure(figsize=size).subplots(), **options)


def words(ax, gid):
    """Return the visible texts of a kind in the figure of Axes."""
    return [text.get_text() for text in texts(ax.figure) if text.get_gid() == gid]


@pytest.mark.parametrize("case", [case for case in CASES if case not in LARGE])
def test_no_text_is_cut_off_or_covers_anything_in_a_small_figure(case):
    """In 3 by 2 inches, no text is cut off, no two texts overlap, and no label crosses data."""
    assert_all_in_view(draw(case, (3, 2)).figure)


@pytest.mark.parametrize(
    ("look", "case"),
    [(look, ["rents, five", "drivers, two"][number % 2]) for number, look in enumerate(LOOKS) if look != "plain"],
)
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


@pytest.mark.parametrize(
    ("case", "size"),
    [
        ("rents, stale", (2.5, 1.6)),
        ("rents, eight", (1.5, 1.2)),
        ("drivers, two", (1.5, 1.2)),
        ("drivers, one", (0.6, 0.5)),
    ],
)
def test_a_very_small_figure_has_fewer_texts(case, size):
    """Below 3 by 2 inches, texts are left out until the others neither overlap nor are cut off."""
    ax = draw(case, size)
    assert_all_in_view(ax.figure)
    assert len(boxes(ax.figure)) < len(boxes(draw(case, (9, 4.5)).figure))


@pytest.mark.parametrize("case", ["rents, one", "rents, eight", "rents, stale", "rents, no points", *DRIVER_CASES])
def test_the_words_of_every_chart_begin_at_its_left_edge(case):
    """Title, subtitle and foot are left-aligned with one another, and nothing stands further to the left."""
    ax = draw(case, (9, 5))
    places = boxes(ax.figure)
    assert_all_in_view(ax.figure)
    (subtitle,), (foot,) = ([text for text in places if text.get_gid() == gid] for gid in ("subtitle", "foot"))
    left = places[ax.title].x0
    assert places[ax.title].y0 > places[subtitle].y1 > places[foot].y1
    assert [places[text].x0 for text in (subtitle, foot)] == pytest.approx([left, left], abs=1.5)
    assert min(box.x0 for box in places.values()) > left - 1.5
    assert "Source: made-up data of the embedded sandbox" in foot.get_text().replace("\n", " ")


@pytest.mark.parametrize("case", ["rents, one", "rents, two", "drivers, two"])
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
    for panel in ax.figure.axes:
        assert not panel.get_window_extent().overlaps(badge)


def test_a_chart_of_other_data_has_no_badge():
    frame = sp.rent("Quokka Bay")
    frame.attrs["suburb_pandas"] |= {"source": "live", "made_up": False}
    assert words(sp.plot_rent(frame), "badge") == []


@pytest.mark.parametrize("case", ["rents, two", "drivers, two"])
def test_a_figure_has_one_foot(case):
    """Several panels have one foot, and it can be turned off; the badge of made-up data stays."""
    assert len(words(draw(case, (9, 9)), "foot")) == 1
    ax = draw(case, (9, 9), footnote=False)
    assert words(ax, "foot") == []
    assert words(ax, "badge") == ["made-up data"]


@pytest.mark.parametrize("layout", [None, "constrained"])
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
    assert "A premium compares the sales without the amenity" in " ".join(foot.get_text().split())
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
    assert words(ax, "legend") == []
    ax.figure.set_size_inches(3.5, 2.5)
    assert_all_in_view(ax.figure)
    assert ax.title.get_fontsize() < 0.7 * before
    assert {*words(ax, "legend")} == {*EIGHT}
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


def test_a_second_chart_replaces_all_panels_of_the_first():
    """Axes of a chart, of one that lost a panel, or that were cleared, hold one chart afterwards."""
    for change in (
        lambda ax: ax.figure.axes[1].remove(),
        lambda ax: ax.clear(),
        lambda ax: ax.set_title("Another"),
    ):
        first = sp.plot_rent(sp.rent(EIGHT[:2]))
        change(first)
        sp.plot_rent(sp.rent(EIGHT[2:4]), ax=first)
        assert len(first.figure.axes) == 2
        assert_all_in_view(first.figure)
    with pytest.raises(ValueError, match="These Axes are a panel of another chart"):
        sp.plot_rent(sp.rent("Woylie"), ax=first.figure.axes[1])


def test_a_panel_can_be_removed():
    """The rest of the figure can still be drawn."""
    for number in (0, 1):
        figure = sp.plot_rent(sp.rent(EIGHT[:2])).figure
        figure.axes[number].remove()
        figure.draw_without_rendering()
        assert len(figure.axes) == 1


def test_a_figure_can_be_pickled_and_copied():
    """The copy is arranged on its own, and looks the same."""
    figure = sp.plot_rent(sp.rent(EIGHT[:2])).figure
    figure.draw_without_rendering()
    widths = [line.get_linewidth() for line in figure.axes[0].lines]
    for copy in (pickle.loads(pickle.dumps(figure)), deepcopy(figure)):  # noqa: S301 - of this test's own making
        assert written(copy.axes[0]) == written(figure.axes[0])
        copy.set_size_inches(4, 3)
        assert_all_in_view(copy)
        assert [line.get_linewidth() for line in figure.axes[0].lines] == widths


def test_what_the_user_changes_afterwards_is_kept():
    """Ticks, formats and lines of the user stay as they are when the chart is arranged anew."""
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    ax.set_yticks([0, 500, 1000])
    ax.xaxis.set_major_formatter(DateFormatter("year %Y"))
    (line,) = ax.plot(sp.rent("Woylie")["house"], linewidth=5, marker="o", markersize=9)
    ax.figure.set_size_inches(5, 4)
    ax.figure.draw_without_rendering()
    assert ax.get_yticks().tolist() == [0, 500, 1000]
    assert all(label.get_text().startswith("year ") for label in ax.get_xticklabels())
    assert (line.get_linewidth(), line.get_markersize()) == (5, 9)


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_a_saved_picture_is_what_the_screen_shows(layout, tmp_path):
    """A picture in a file and the one on the canvas are alike, also beside Axes with something else."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout=layout)
    right.plot([1, 2, 3])
    right.set_ylabel("Another drawing")
    sp.plot_rent(sp.rent("Quokka Bay"), ax=left)
    for _ in range(3):
        figure.canvas.draw()
    shown = np.asarray(figure.canvas.buffer_rgba()).astype(int)
    figure.savefig(tmp_path / "chart.png", dpi=figure.dpi)
    saved = (255 * plt.imread(tmp_path / "chart.png")).round().astype(int)
    assert (np.abs(shown - saved).max(axis=2) > 60).mean() < 0.005


def test_labels_of_axes_and_of_the_figure_have_room():
    """Labels that the user adds to the axes, and a title of the whole figure, cover nothing."""
    figure, ax = plt.subplots(figsize=(9, 5))
    figure.suptitle("A figure")
    sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    ax.set_xlabel("Date")
    ax.set_ylabel("Rent")
    assert_all_in_view(figure)


def test_long_driver_labels_keep_their_words_and_the_badge():
    """A label of eighty letters is wrapped; where it does not fit, the chart says so and keeps its badge."""
    drivers = sp.impacts("Quokka Bay")
    for label, size in (("W" * 60, (3, 2)), ("W" * 60, (1.2, 1)), ("no amenity of a kind " * 4, (4, 3))):
        ax = sp.plot_impacts(drivers.assign(label=[label] * len(drivers)), ax=Figure(figsize=size).subplots())
        assert_all_in_view(ax.figure)
        assert "made-up data" in written(ax)


def test_long_names_of_suburbs_are_wrapped_in_the_legend():
    rents = sp.rent(EIGHT[:3])
    names = ["Upper " * 14, "W" * 60, "Short"]
    rents["area_name"] = rents["area_name"].cat.rename_categories(names)
    for size in ((3, 2), (1.5, 4), (2.5, 8)):
        ax = sp.plot_rent(rents, ax=Figure(figsize=size).subplots())
        assert_all_in_view(ax.figure)


def test_charts_of_a_grid_have_type_of_one_size():
    _, axes = plt.subplots(2, 3, figsize=(12, 7))
    for ax in axes.flat:
        sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    assert len({round(ax.title.get_fontsize(), 3) for ax in axes.flat}) == 1


def test_twin_axes_can_take_the_place_of_the_data():
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    twin = ax.twinx()
    twin.plot(sp.rent("Woylie")["house"])
    twin.set_axes_locator(ax.get_axes_locator())
    ax.figure.draw_without_rendering()
    assert twin.get_window_extent().bounds == ax.get_window_extent().bounds


def test_labels_follow_a_logarithmic_scale():
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    ax.set_ylim(100, 2000)
    ax.figure.draw_without_rendering()
    ax.set_yscale("log")
    ax.set_ylim(100, 2000)
    places = boxes(ax.figure)
    for label, value in zip(end_labels(ax), sp.rent("Quokka Bay").iloc[-1], strict=True):
        middle = (places[label].y0 + places[label].y1) / 2
        assert middle == pytest.approx(ax.transData.transform((1, value))[1], abs=3)


def test_the_same_title_in_another_colour_keeps_its_place():
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    before = boxes(ax.figure)[ax.title].bounds
    ax.set_title(ax.get_title(), color="red")
    assert boxes(ax.figure)[ax.title].bounds == pytest.approx(before)
    assert ax.title.get_color() == "red"


def test_a_hidden_chart_takes_no_part_in_the_foot():
    """If the lowest charts are hidden, the foot stands below the others."""
    figure, axes = plt.subplots(2, 1, figsize=(9, 9))
    for ax in axes:
        sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    axes[1].set_visible(False)
    figure.draw_without_rendering()
    assert len([text for text in axes[0].texts if text.get_gid() == "foot" and text.get_text()]) == 1


def test_a_chart_without_labels_says_so_wherever_it_stands():
    """A chart that is too small for its labels says so in place of its subtitle, with or without a foot."""
    figure, axes = plt.subplots(2, 1, figsize=(3, 4))
    drivers = sp.impacts(EIGHT)
    for ax in axes:
        sp.plot_impacts(drivers, ax=ax, footnote=False)
    figure.draw_without_rendering()
    assert [" ".join(text.split()) for text in words(axes[0], "subtitle")] == [TOO_SMALL] * 2


def test_panels_share_the_scale_of_their_dates_or_values():
    for ax in (sp.plot_rent(sp.rent(EIGHT[:2])), sp.plot_impacts(sp.impacts(EIGHT[:3]))):
        assert len({each.get_xlim() for each in ax.figure.axes}) == 1


def test_markers_and_the_legend_have_the_colours_of_the_lines():
    """Each line of a panel has markers of its own, and its name has its colour in the legend."""
    ax = sp.plot_rent(sp.rent(EIGHT), ax=Figure(figsize=(3.5, 2.5)).subplots())
    marks = [(line.get_marker(), to_hex(line.get_color())) for line in ax.lines if line.get_gid() == "mark"]
    assert len({marker for marker, _ in marks}) == len(marks) == 8
    names = [text for text in texts(ax.figure) if text.get_gid() == "legend"]
    samples = [line for line in ax.findobj(Line2D) if line.get_gid() == "legend"]
    assert [to_hex(name.get_color()) for name in names] == [colour for _, colour in marks]
    assert [(line.get_marker(), to_hex(line.get_color())) for line in samples] == marks


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
