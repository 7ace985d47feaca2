"""The labels at the ends of lines: where they stand, and what joins them to their lines."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.dates import date2num

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import COLOURS
from suburb_pandas.plotting.composition.end_labels import spread
from tests.support.chart_cases import RENTS
from tests.support.charts import assert_all_in_view, boxes, end_labels

pytestmark = pytest.mark.usefixtures("embedded")


def leaders(ax):
    """Return the leaders of Axes that are drawn."""
    lines = ax.findobj(lambda artist: artist.get_gid() == "leader")
    return [line for line in lines if len(line.get_xdata())]


def test_a_line_that_ended_early_says_when():
    """A line that ends more than two months before the others shows the month of its last point."""
    frame = sp.rent("Quokka Bay")
    frame.loc["2025-01-01":, "unit"] = np.nan
    assert end_labels(sp.plot_rent(frame))[1].get_text().endswith("(2024-12)")


def test_a_line_that_ended_early_is_labelled_at_its_end():
    """The label stands within the height of a line and a half of the last point, and nothing goes on to the right."""
    ax = sp.plot_rent(RENTS["stale"]())
    places = boxes(ax.figure)
    (label,) = [label for label in end_labels(ax) if "Cassava Grove" in label.get_text()]
    series = RENTS["stale"]().query("area_name == 'Cassava Grove'")["house"].dropna()
    x, y = ax.transData.transform((date2num(series.index[-1]), series.iloc[-1]))
    box = places[label]
    assert max(box.x0 - x, x - box.x1, 0) < 1.5 * box.height
    assert max(box.y0 - y, y - box.y1, 0) < 1.5 * box.height
    drawn = [pd.Series(line.get_xdata()) for line in ax.lines if to_hex(line.get_color()) == COLOURS[2]]
    assert pd.concat(drawn).max() == series.index[-1]


@pytest.mark.parametrize(("height", "number"), [(8, 1), (200, 0)], ids=["some room", "no room"])
def test_a_leader_cannot_be_taken_for_data(height, number):
    """Among data, a label is some lines away, with a short dotted grey leader; without room it has no leader."""
    frame = sp.rent("Quokka Bay")
    frame.loc["2020":, "unit"] = np.nan
    level = frame["unit"].dropna().iloc[-1]
    frame["house"] = level + height * np.where(np.arange(len(frame)) % 2, 1, -1)
    ax = sp.plot_rent(frame)
    ax.set_ylim(level - 100, level + 100)
    assert_all_in_view(ax.figure)
    assert len(leaders(ax)) == number
    for leader in leaders(ax):
        assert leader.get_linestyle() == ":"
        red, green, blue = (int(to_hex(leader.get_color())[place : place + 2], 16) for place in (1, 3, 5))
        assert red == green == blue
        assert leader.get_linewidth() < min(
            line.get_linewidth() for line in ax.lines if str(line.get_gid()).startswith("monthly")
        )
        assert np.ptp(leader.get_xdata()) < 0.05


def test_a_line_whose_end_is_out_of_view_has_no_label():
    """Its last value would stand beside another value."""
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    ax.set_xlim(pd.Timestamp("2020"), pd.Timestamp("2023"))
    assert [text for text in boxes(ax.figure) if text.get_gid() == "end"] == []
    ax.set_xlim(pd.Timestamp("2020"), pd.Timestamp("2030"))
    places = boxes(ax.figure)
    ends = [ax.transData.transform((date2num(np.datetime64("2026-04-26")), value)) for value in (1036, 799)]
    for label, (x, _) in zip(end_labels(ax), ends, strict=True):
        assert 0 < places[label].x0 - x < places[label].height


def test_labels_beside_their_lines_need_no_leader():
    """Lines that reach the right edge far from one another are labelled at their own height."""
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    assert leaders(ax) == []
    places = boxes(ax.figure)
    for label, value in zip(end_labels(ax), sp.rent("Quokka Bay").iloc[-1], strict=True):
        middle = (places[label].y0 + places[label].y1) / 2
        assert middle == pytest.approx(ax.transData.transform((0, value))[1], abs=3)
    plt.close("all")


@given(
    st.lists(st.tuples(st.floats(-50, 500), st.floats(1, 40)), min_size=1, max_size=8),
    st.floats(50, 600),
)
def test_labels_are_spread_without_overlap(labels, room):
    """Labels keep their order, stay inside if they fit, and do not move if they already fit without overlap."""
    wanted, heights = map(np.array, zip(*labels, strict=True))
    placed = spread(wanted, heights, room)
    order = np.argsort(wanted, kind="stable")
    low, high = (placed - heights / 2)[order], (placed + heights / 2)[order]
    assert (low[1:] >= high[:-1] - 1e-6).all()
    if heights.sum() <= room:
        assert low[0] >= -1e-6
        assert high[-1] <= room + 1e-6
    np.testing.assert_allclose(spread(placed, heights, room), placed, atol=1e-6)
    low, high = (wanted - heights / 2)[order], (wanted + heights / 2)[order]
    if (low[1:] >= high[:-1]).all() and low[0] >= 0 and high[-1] <= room:
        np.testing.assert_allclose(placed, wanted, atol=1e-6)
