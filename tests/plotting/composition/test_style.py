"""The look of charts: sizes that follow from the figure and from the user's style sheet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib import rc_context, style
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.composition.style import SMALLEST_TYPE, line_widths, usual_scale, usual_sizes
from suburb_pandas.plotting.composition.ticks import Ticks, labels_of
from tests.support.charts import EIGHT, assert_all_in_view, boxes, end_labels, texts

pytestmark = pytest.mark.usefixtures("embedded")


def drawn(size, suburbs="Quokka Bay"):
    """Draw rents in a new figure of a size, and return the Axes."""
    _, ax = plt.subplots(figsize=size)
    return sp.plot_rent(sp.rent(suburbs), ax=ax)


def weekly_widths(ax):
    """Return the widths of the weekly lines of Axes, in points."""
    return {line.get_linewidth() for line in ax.lines if str(line.get_gid()).startswith("weekly")}


def test_type_and_lines_are_smaller_in_a_small_figure():
    small, large = drawn((3, 2)), drawn((9, 4.5))
    assert small.title.get_fontsize() < 0.7 * large.title.get_fontsize()
    assert end_labels(small)[0].get_fontsize() < 0.7 * end_labels(large)[0].get_fontsize()
    assert max(weekly_widths(small)) < max(weekly_widths(large))


def test_type_and_lines_follow_a_style_sheet():
    """Type sizes, fonts, line widths, colours of text and grid are those of the user where they set them."""
    usual = drawn((9, 4.5))
    theirs = {
        "font.size": 12,
        "font.family": "DejaVu Serif",
        "lines.linewidth": 3,
        "text.color": "navy",
        "grid.color": "#dddd99",
        "grid.linewidth": 2,
    }
    with rc_context(theirs):
        ax = drawn((9, 4.5))
    assert ax.title.get_fontsize() == pytest.approx(1.2 * usual.title.get_fontsize())
    assert end_labels(ax)[0].get_fontsize() == pytest.approx(1.2 * end_labels(usual)[0].get_fontsize())
    assert max(weekly_widths(ax)) == pytest.approx(2 * max(weekly_widths(usual)), rel=0.1)
    assert ax.title.get_color() == "navy"
    assert ax.title.get_fontname() == "DejaVu Serif"
    (grid,) = {(line.get_color(), line.get_linewidth()) for line in ax.get_ygridlines()}
    assert grid == ("#dddd99", 2)


def test_a_style_sheet_may_set_the_size_of_each_text():
    with rc_context({"axes.titlesize": 20, "legend.fontsize": 7, "ytick.labelsize": 8}):
        ax = drawn((9, 4.5))
    assert [ax.title.get_fontsize(), end_labels(ax)[0].get_fontsize(), ax.get_yticklabels()[0].get_fontsize()] == [
        pytest.approx(size, rel=0.01) for size in (20, 7, 8)
    ]


def test_a_new_figure_has_the_width_of_the_style_sheet():
    """The width is 9 inches unless the user sets another."""
    assert sp.plot_rent(sp.rent("Quokka Bay")).figure.get_figwidth() == 9
    with rc_context({"figure.figsize": (7, 3)}):
        assert tuple(sp.plot_rent(sp.rent("Quokka Bay")).figure.get_size_inches()) == (7, 4.6)


def test_there_is_no_frame_and_a_light_grid_of_few_lines():
    """Spines are off, horizontal grid lines lie behind the data, and an axis has at most seven ticks."""
    with style.context("seaborn-v0_8-ticks"):
        ax = drawn((9, 4.5))
        assert not any(spine.get_visible() for spine in ax.spines.values())
        assert all(line.get_visible() for line in ax.get_ygridlines())
        assert not any(line.get_visible() for line in ax.get_xgridlines())
        assert ax.get_axisbelow() is True
        assert 2 <= len(ax.get_yticks()) <= 7
        assert 2 <= len(ax.get_xticks()) <= 7


def test_labels_have_the_colours_of_their_series():
    ax = drawn((9, 4.5), EIGHT[:3])
    lines = {to_hex(line.get_color()) for line in ax.lines if str(line.get_gid()).startswith("weekly")}
    assert {to_hex(label.get_color()) for label in end_labels(ax)} == lines


@given(st.floats(1, 2000), st.integers(1, 8))
def test_more_lines_in_less_room_are_thinner(height, lines):
    """Lines that share a panel never become thicker with more lines or less height."""
    thick, thin = line_widths(height, lines, usual_sizes())
    assert thin < thick
    assert line_widths(height, lines + 1, usual_sizes())[0] <= thick
    assert line_widths(height / 2, lines, usual_sizes())[0] <= thick


@given(st.floats(1, 5000))
def test_type_is_never_smaller_than_the_smallest(width):
    sizes = usual_sizes().scaled(usual_scale(width))
    assert min(sizes.title, sizes.text, sizes.label, sizes.tick, sizes.note) >= SMALLEST_TYPE


@pytest.mark.parametrize("suburbs", [EIGHT[:3], EIGHT], ids=len)
def test_the_lines_of_several_suburbs_do_not_run_into_each_other(suburbs):
    """In a panel, the weekly lines together take less than a tenth of the height that they are spread over."""
    ax = drawn((9, 7.4), suburbs)
    ax.figure.draw_without_rendering()
    lasts = sp.rent(suburbs).groupby("area_name", observed=True)["house"].last()
    ends = [ax.transData.transform((0, last))[1] * 72 / ax.figure.dpi for last in lasts]
    assert len(suburbs) * max(weekly_widths(ax)) < np.ptp(ends) / 10


def test_titles_and_headings_are_bold_and_axes_have_no_labels():
    """The subtitle has the measure and its unit, so that no axis needs a rotated label."""
    ax = drawn((9, 7.4), EIGHT[:2])
    bold = [text.get_text() for text in texts(ax.figure) if text.get_fontweight() == "bold"]
    assert {*bold} == {ax.get_title(), "Houses", "Units"}
    assert [(each.get_xlabel(), each.get_ylabel()) for each in ax.figure.axes] == [("", ""), ("", "")]
    assert {text.get_rotation() for text in texts(ax.figure)} == {0}


def test_ticks_are_round():
    """The steps between ticks are 1, 2, 2.5 or 5 times a power of ten, in a figure of any height."""
    for height in (2, 3, 4.5, 8):
        ticks = drawn((9, height)).get_yticks()
        step = np.diff(ticks)[0]
        assert round(step / 10 ** np.floor(np.log10(step)), 6) in {1, 2, 2.5, 5}
        assert np.allclose(ticks / step, np.round(ticks / step))


@pytest.mark.parametrize("first", ["2018-01-04", "2021-04-27", "2022-10-11"])
@pytest.mark.parametrize("days", [150, 360, 700, 1822, 3650, 9000])
def test_a_narrow_axis_has_at_least_two_dates(first, days):
    """Dates of any range of time have two ticks or more, also in a panel that has room for three."""
    _, ax = plt.subplots()
    ax.plot(np.datetime64(first) + np.array([0, days]), [1, 2])
    ax.margins(x=0.01)
    Ticks(has_dates=True).choose(ax, 100, 60, 9)
    assert len(labels_of(ax.xaxis)) >= 2


def test_the_style_at_the_time_of_drawing_is_kept():
    """A chart that was drawn under a style sheet has its sizes, fonts and widths in every later picture."""
    with rc_context({"font.size": 14, "font.family": "DejaVu Serif", "lines.linewidth": 3}):
        ax = drawn((9, 4.5))
        widths = weekly_widths(ax)
        boxes(ax.figure)
        before = [text.get_fontsize() for text in texts(ax.figure)]
    ax.figure.set_dpi(130)
    assert_all_in_view(ax.figure)
    assert [text.get_fontsize() for text in texts(ax.figure)] == before
    for size in ((4, 3), (9, 4.5)):
        ax.figure.set_size_inches(*size)
        ax.figure.draw_without_rendering()
    assert max(weekly_widths(ax)) == pytest.approx(max(widths), rel=0.02)
