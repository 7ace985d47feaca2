"""The chart of rents: the artists of its lines, and the labels at their ends."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.plotting.annotations import COLOURS
from suburb_pandas.plotting.end_labels import spread
from tests.support.charts import (
    EIGHT,
    assert_all_in_view,
    assert_labels_keep_apart,
    end_labels,
    strokes,
    written,
)
from tests.support.common import of_this_call

pytestmark = pytest.mark.usefixtures("embedded")


def test_one_suburb_has_house_and_unit_in_one_panel():
    """Points are on their real dates, and the last value stands at the end of each line."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    assert (ax.get_title(), ax.get_ylabel()) == ("Quokka Bay", "Advertised median rent, AUD per week")
    assert ax.figure.axes == [ax]
    assert [text.get_text() for text in end_labels(ax)] == ["house 1,036", "unit 799"]
    for kind, colour in zip(("house", "unit"), COLOURS, strict=False):
        assert {day for step in strokes(ax, colour) for day in step} == {*frame[kind].dropna().index}


@pytest.mark.parametrize("name", ["Quokka Bay", "Cider Gum", "Cassava Grove", "Swanmere Quay"])
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_each_step_is_drawn_once_in_the_look_of_its_stretch(name):
    """Monthly stretches are thin, weekly ones thick, flat spells of 56 days dashed; a missing week breaks the line."""
    frame = sp.rent(name)
    ax, stretches = sp.plot_rent(frame), sp.cadence(frame)
    for kind, colour in zip(("house", "unit"), COLOURS, strict=False):
        drawn, series = strokes(ax, colour), frame[kind].dropna()
        eras = [(row.start, row.end, row.cadence) for row in stretches[stretches.property_type == kind].itertuples()]
        spells = series.groupby((series != series.shift()).cumsum())
        flat = [(dates[0], dates[-1]) for dates in spells.groups.values() if (dates[-1] - dates[0]).days >= 56]
        for start, end in itertools.pairwise(series.index):
            if (end - start).days == 14:
                assert (start, end) not in drawn
                continue
            line = drawn.pop((start, end))
            (cadence,) = [cadence for first, last, cadence in eras if first <= start and end <= last]
            assert line.get_linewidth() == {"monthly": 1.0, "weekly": 2.4}[cadence]
            assert line.is_dashed() == any(first <= start and end <= last for first, last in flat)
        assert not drawn


def test_a_missing_point_is_a_gap_whatever_the_calendar():
    """A missing point breaks the line in quarterly series too, and a point between two gaps is a dot."""
    frame = sp.rent("Quokka Bay", freq="QE")[["house"]]
    frame.loc["2020-03-31"] = np.nan
    frame.loc["2020-09-30"] = np.nan
    ax = sp.plot_rent(frame)
    drawn = strokes(ax, COLOURS[0])
    assert len(drawn) == len(frame) - 1 - 4
    (dot,) = [line for line in ax.lines if line.get_gid() == "alone"]
    assert dot.get_xdata().astype(str).tolist() == ["2020-06-30"]
    assert "break: longer than usual without a point" in written(ax)


@pytest.mark.parametrize("names", [EIGHT[:2], EIGHT], ids=len)
def test_several_suburbs_have_a_panel_for_each_property_type(names):
    """Each line ends in its suburb's name and last value; the labels keep their order and do not overlap."""
    frame = sp.rent(names)
    axes = sp.plot_rent(frame).figure.axes
    assert [ax.get_title() for ax in axes] == ["Houses", "Units"]
    for ax, kind in zip(axes, ("house", "unit"), strict=True):
        last = frame.dropna(subset=[kind]).groupby("area_name", observed=True)[kind].last()
        shown = {" ".join(text.get_text().split()): text for text in end_labels(ax)}
        assert shown.keys() == {f"{name} {value:,.0f}" for name, value in last.items()}
        heights = [shown[f"{name} {value:,.0f}"].get_position()[1] for name, value in last.sort_values().items()]
        assert heights == sorted(heights)
    assert_all_in_view(axes[0].figure)
    axes[0].set_ylim(0, 5000)
    for size in ((6, 5), (14, 4.5)):
        axes[0].figure.set_size_inches(*size)
        assert_labels_keep_apart(axes[0].figure)


def test_types_on_dates_of_their_own_lack_nothing():
    """Quarterly houses beside monthly units have no gaps; three years without a quarter are a gap."""
    months = pd.date_range("2015-01-31", "2020-12-31", freq="ME")
    frame = pd.DataFrame({"house": np.arange(72.0), "unit": np.arange(72.0)}, months.rename("date"))
    frame.loc[frame.index.month % 3 != 0, "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23
    assert "break" not in written(ax)
    frame.loc["2016":"2018", "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23 - 13
    assert "break: longer than usual without a point" in written(ax)


def test_a_line_ends_at_its_last_point():
    """Lines end exactly at their last point, so that a gap of one week stays visible."""
    lines = [line for line in sp.plot_rent(sp.rent("Cider Gum")).lines if line.get_gid() != "mark"]
    assert {(line.get_solid_capstyle(), line.get_dash_capstyle()) for line in lines} == {("butt", "butt")}


def test_dates_that_come_twice_are_warned_of_once():
    """Duplicate dates raise one warning, although the frame is read again for each suburb."""
    frame = sp.rent("Quokka Bay")
    again = pd.concat([frame, frame.tail(1) + 1])
    with pytest.warns(sp.errors.DataWarning) as caught:
        ax = sp.plot_rent(again)
    assert len(of_this_call(caught)) == 1
    assert "house 1,037" in written(ax)


def test_a_line_that_ended_early_says_when():
    """A line that ends more than two months before the others shows the month of its last point."""
    frame = sp.rent("Quokka Bay")
    frame.loc["2025-01-01":, "unit"] = np.nan
    assert end_labels(sp.plot_rent(frame))[1].get_text().endswith("(2024-12)")


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
