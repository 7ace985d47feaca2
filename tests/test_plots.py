"""The charts: what is drawn, by its artists and texts; and that nothing of it is cut off or overlaps."""

import itertools
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.dates import date2num, num2date
from matplotlib.figure import Figure
from matplotlib.text import Text

import suburb_pandas as sp
from suburb_pandas.canvas import COLOURS
from suburb_pandas.end_labels import spread
from tests.conftest import RENTED, of_this_call

pytestmark = pytest.mark.usefixtures("embedded")

LONG = sorted(RENTED, key=len)[-2:]
EIGHT = ["Quokka Bay", "Lantern Bay (NSW)", "Bilby Heights", *LONG, "Woylie", "Cassava Grove", "Cider Gum"]
MADE_UP = "made-up suburbs"
MARKUP = ["<b>no</b> pub", "no $x^2$ shop", "$", "no \"late\" 'shop' & <i>", "🍺 none", "nothing " * 12]


def texts(figure):
    """Give the texts that are on a figure; a tick outside the limits has one that is not."""
    ticks = [
        (tick, axis.get_view_interval())
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.get_major_ticks()
    ]
    hidden = [tick.label1 for tick, (low, high) in ticks if not min(low, high) <= tick.get_loc() <= max(low, high)]
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text not in hidden]


def written(ax):
    """Give all that is written on the figure of some Axes, on one line."""
    return " ".join(" ".join(text.get_text() for text in texts(ax.figure)).split())


def end_labels(ax):
    """Give the labels at the ends of the lines."""
    return [text for text in ax.texts if text.get_gid() == "end"]


def strokes(ax, colour):
    """Give the line by which each step between two dates is drawn in a colour."""
    found = {}
    for line in ax.lines:
        if line.get_color() == colour and line.get_gid() not in {"mark", "alone"}:
            days = [None if np.isnan(day) else pd.Timestamp(num2date(day).date()) for day in date2num(line.get_xdata())]
            steps = [step for step in itertools.pairwise(days) if None not in step]
            assert not found.keys() & {*steps}
            found |= dict.fromkeys(steps, line)
    return found


def assert_all_in_view(figure):
    """No text is cut off, and no label of a line lies over another one."""
    assert_labels_keep_apart(figure)
    page = figure.bbox.padded(2)
    for text in texts(figure):
        box = Text.get_window_extent(text)
        assert page.contains(box.x0, box.y0), text
        assert page.contains(box.x1, box.y1), text


def assert_labels_keep_apart(figure):
    """No label of a line lies over another one."""
    figure.draw_without_rendering()
    for ax in figure.axes:
        boxes = [Text.get_window_extent(label) for label in end_labels(ax)]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_one_suburb_has_house_and_unit_in_one_panel():
    """On their real dates, with the last value at the end of each line."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    assert (ax.get_title(), ax.get_ylabel()) == ("Quokka Bay", "Advertised median rent, AUD per week")
    assert ax.figure.axes == [ax]
    assert [text.get_text() for text in end_labels(ax)] == ["house 1,036", "unit 799"]
    for kind, colour in zip(("house", "unit"), COLOURS, strict=False):
        assert {day for step in strokes(ax, colour) for day in step} == {*frame[kind].dropna().index}


@pytest.mark.parametrize("name", ["Quokka Bay", "Cider Gum", "Cassava Grove", "Swanmere Quay"])
@pytest.mark.filterwarnings("ignore::suburb_pandas.DataWarning")
def test_each_step_is_drawn_once_in_the_look_of_its_stretch(name):
    """Monthly thin, weekly thick, spells of 56 days or more dashed; and where a week is missing there is no line."""
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
    """Also in quarters, which are neither monthly nor weekly; and a point between two gaps is a dot."""
    frame = sp.rent("Quokka Bay", freq="QE")[["house"]]
    frame.loc["2020-03-31"] = np.nan
    frame.loc["2020-09-30"] = np.nan
    ax = sp.plot_rent(frame)
    drawn = strokes(ax, COLOURS[0])
    assert len(drawn) == len(frame) - 1 - 4
    (dot,) = [line for line in ax.lines if line.get_gid() == "alone"]
    assert dot.get_xdata().astype(str).tolist() == ["2020-06-30"]
    assert "break: points missing" in written(ax)


@pytest.mark.parametrize("names", [EIGHT[:2], EIGHT], ids=len)
def test_several_suburbs_have_a_panel_for_each_property_type(names):
    """With each suburb's name and last value at the end of its line, in order, and apart whatever size it gets."""
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
    """A quarter is no gap because months go on beside it; a hole of years is one."""
    months = pd.date_range("2015-01-31", "2020-12-31", freq="ME")
    frame = pd.DataFrame({"house": np.arange(72.0), "unit": np.arange(72.0)}, months.rename("date"))
    frame.loc[frame.index.month % 3 != 0, "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23
    assert "missing" not in written(ax)
    frame.loc["2016":"2018", "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23 - 13
    assert "break: points missing" in written(ax)


def test_a_line_ends_at_its_last_point():
    """Not a bit beyond it, where the line of a gap of one week would be hidden."""
    lines = [line for line in sp.plot_rent(sp.rent("Cider Gum")).lines if line.get_gid() != "mark"]
    assert {(line.get_solid_capstyle(), line.get_dash_capstyle()) for line in lines} == {("butt", "butt")}


def test_dates_that_come_twice_are_warned_of_once():
    """Though the frame is read suburb by suburb."""
    frame = sp.rent("Quokka Bay")
    again = pd.concat([frame, frame.tail(1) + 1])
    with pytest.warns(sp.DataWarning) as caught:
        ax = sp.plot_rent(again)
    assert len(of_this_call(caught)) == 1
    assert "house 1,037" in written(ax)


def test_more_than_eight_suburbs_are_an_error_that_says_how_to_choose():
    """It leaves no empty figure behind."""
    for frame, draw in ((sp.rent(RENTED[:9]), sp.plot_rent), (sp.impacts(RENTED[:9]), sp.plot_impacts)):
        with pytest.raises(ValueError, match=r"has \d+ suburbs, and a chart takes up to 8. Choose some, as in frame"):
            draw(frame)
    assert plt.get_fignums() == []


def test_a_type_without_points_is_named_and_an_empty_frame_says_so():
    """Nothing is left out in silence."""
    assert "Without points: unit" in written(sp.plot_rent(sp.rent("Woylie")))
    assert "Without points: Woylie" in written(sp.plot_rent(sp.rent(["Woylie", "Quokka Bay"])))
    assert "No points" in written(sp.plot_rent(sp.rent([])))
    assert "No drivers are listed" in written(sp.plot_impacts(sp.impacts("Sleepy Lizard")))
    drivers = sp.impacts(["Quokka Bay", "Sleepy Lizard"])
    assert "Without data: Sleepy Lizard." in written(sp.plot_impacts(drivers))
    rents = sp.rent(["Quokka Bay", "Woylie"])
    assert "Without data" not in written(sp.plot_rent(rents[rents["area_name"] == "Woylie"]))


def test_a_line_that_ended_early_says_when():
    """Beside its last value, if the others go on for two months or more."""
    frame = sp.rent("Quokka Bay")
    frame.loc["2025-01-01":, "unit"] = np.nan
    assert end_labels(sp.plot_rent(frame))[1].get_text().endswith("(2024-12)")


@pytest.mark.parametrize(
    "draw", [lambda: sp.plot_rent(sp.rent(EIGHT[:3])), lambda: sp.plot_impacts(sp.impacts(EIGHT[:3]))]
)
def test_made_up_suburbs_are_marked_in_every_panel(draw):
    """Also on Axes that somebody cuts out."""
    for ax in draw().figure.axes:
        assert MADE_UP in [text.get_text() for text in ax.texts]


def test_other_suburbs_are_not_marked_and_the_source_is_named():
    """With the date on which it was retrieved, as far as the frame or this process knows."""
    frame = sp.rent("Quokka Bay")
    assert "Source: embedded sandbox, made-up suburbs, retrieved 2026-04-28." in written(sp.plot_rent(frame))
    many = sp.rent(["Quokka Bay", "Woylie"])
    dates = sp.provenance(many)["retrieved_at"].dt.date.astype(str)
    for part in (many, many[many.index >= "2024"]):
        assert f"retrieved {' to '.join(sorted({*dates}))}." in written(sp.plot_rent(part))
    frame.attrs["suburb_pandas"] |= {"source": "live", "made_up": False}
    assert "Source: property data service, retrieved 2026-04-28." in written(sp.plot_rent(frame))
    assert MADE_UP not in [text.get_text() for text in texts(sp.plot_rent(frame).figure)]
    frame.attrs.clear()
    assert "Source: not said by this frame." in written(sp.plot_rent(frame))


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_axes_that_are_given_are_drawn_on_and_make_room(layout):
    """They are given back, and several panels share their place; what is written stays on the page."""
    many, drivers = sp.rent(EIGHT[3:5]), sp.impacts("Quokka Bay")
    for draw, frame, panels in (
        (sp.plot_rent, sp.rent("Quokka Bay"), 1),
        (sp.plot_rent, many, 2),
        (sp.plot_impacts, drivers, 1),
    ):
        figure, ax = plt.subplots(figsize=(9, 6), layout=layout)
        assert draw(frame, ax=ax) is ax
        assert len(figure.axes) == panels
        assert_all_in_view(figure)


def test_neighbours_in_a_grid_without_a_layout_do_not_overlap():
    """Each keeps to its own side of the space between them."""
    figure, axes = plt.subplots(2, 2, figsize=(12, 9))
    for number, ax in enumerate(axes.flat):
        (sp.plot_rent, sp.plot_impacts)[number % 2]((sp.rent, sp.impacts)[number % 2]("Quokka Bay"), ax=ax)
    boxes = [ax.get_tightbbox().padded(-2) for ax in axes.flat]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert_all_in_view(figure)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_part_of_a_figure_is_a_figure_too(layout):
    """What is written stays in that part."""
    figure = plt.figure(figsize=(13, 5), layout=layout)
    parts = figure.subfigures(1, 2)
    for part, suburbs in zip(parts, (EIGHT[:2], "Quokka Bay"), strict=True):
        sp.plot_rent(sp.rent(suburbs), ax=part.subplots())
    figure.draw_without_rendering()
    for part in parts:
        boxes = [Text.get_window_extent(text) for ax in part.axes for text in ax.texts if text.get_text() != MADE_UP]
        assert all(part.bbox.x0 - 2 <= box.x0 and box.x1 <= part.bbox.x1 + 2 for box in boxes)


def test_the_mark_of_made_up_suburbs_fits_whatever_the_axes_become():
    """It takes its size when it is drawn."""
    figure, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for ax in axes.flat:
        sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    figure.draw_without_rendering()
    for ax in axes.flat:
        (mark,) = [text for text in ax.texts if text.get_text() == MADE_UP]
        assert mark.get_window_extent().width <= ax.get_window_extent().width


def test_axes_put_by_hand_can_be_divided_too():
    """Their place is."""
    figure = Figure(figsize=(9, 7))
    ax = figure.add_axes((0.1, 0.15, 0.6, 0.75))
    sp.plot_rent(sp.rent(EIGHT[:2]), ax=ax)
    assert [one.get_title() for one in figure.axes] == ["Houses", "Units"]
    assert_all_in_view(figure)


def test_pyplot_is_not_touched_where_axes_are_given():
    """It is not even imported; and matplotlib is not before something is drawn."""
    code = """
import sys
import suburb_pandas as sp
assert "matplotlib" not in sys.modules
from matplotlib.figure import Figure
with sp.connect(api_key="embedded"):
    sp.plot_rent(sp.rent(["Quokka Bay", "Woylie"]), ax=Figure().subplots())
    sp.plot_impacts(sp.impacts("Quokka Bay"), ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drivers_are_bars_in_dollars_the_largest_on_top():
    """With the share of the median and the coverage beside each, and negative ones to the left of zero."""
    drivers = sp.impacts("Quokka Bay")
    ax = sp.plot_impacts(drivers.sample(frac=1, random_state=1))
    assert [patch.get_width() for patch in ax.patches] == sorted(drivers.premium_dollars, reverse=True)
    assert min(patch.get_width() for patch in ax.patches) < 0
    heights = [ax.transData.transform((0, patch.get_y()))[1] for patch in ax.patches]
    assert heights == sorted(heights, reverse=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == drivers.label.to_list()
    shown = written(ax)
    assert all(
        f"{row.premium_dollars:,}, {row.pct_of_median:g}% of median; {row.coverage_pct:g}% of sales" in shown
        for row in drivers.itertuples()
    )
    looks = {patch.get_width() < 0: patch.get_hatch() for patch in ax.patches}
    assert looks == {True: "////", False: None}
    assert_all_in_view(ax.figure)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Emu Parade", "1 recent sale (thin)."),
        ("Quokka Bay", "26 recent sales (caution)."),
        ("Lantern Bay (NSW)", "206 recent sales."),
    ],
)
def test_the_subtitle_says_on_how_many_sales_the_figures_stand(name, said):
    """And that they are an association; for one suburb, for one of many, and not where it is not known."""
    for drivers in (sp.impacts(name), sp.impacts([name, "Woylie"])):
        shown = written(sp.plot_impacts(drivers))
        assert said in shown
        assert "Association with comparable suburbs, not the effect of removing an amenity." in shown
    drivers.attrs.clear()
    assert "Number of sales not known" in written(sp.plot_impacts(drivers))


@pytest.mark.parametrize(("name", "coverage"), [("Black Swan Rise", 100), ("Copper Lantern", 0)])
def test_a_driver_of_all_sales_or_of_none_is_marked(name, coverage):
    """It rests on no contrast within the suburb."""
    drivers = sp.impacts(name)
    ax = sp.plot_impacts(drivers)
    told = [text.get_text() for text in ax.texts if "no contrast within the suburb" in text.get_text()]
    assert len(told) == (drivers.coverage_pct == coverage).sum() == 1
    assert f"{coverage}% of sales" in told[0]


def test_figures_that_are_missing_are_so_said_and_what_is_no_figure_is_an_error():
    """Before anything is drawn: no empty figure is left behind."""
    drivers = sp.impacts("Quokka Bay").astype({"premium_dollars": "Int64"})
    drivers.loc[1, ["premium_dollars", "coverage_pct"]] = pd.NA, np.nan
    assert "AUD ?, 3.5% of median; ?% of sales" in written(sp.plot_impacts(drivers))
    plt.close("all")
    with pytest.raises(ValueError, match="'premium_dollars' is not one column of numbers"):
        sp.plot_impacts(drivers.assign(premium_dollars="much"))
    assert plt.get_fignums() == []


def test_drivers_of_eight_suburbs_have_a_panel_each():
    """In the order of the frame."""
    ax = sp.plot_impacts(sp.impacts(EIGHT))
    assert [" ".join(one.get_title().split()) for one in ax.figure.axes] == EIGHT
    assert_all_in_view(ax.figure)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_what_the_service_writes_is_drawn_as_it_is():
    """Markup, quotes, mathematics, emoji and length do nothing; and nothing is cut off."""
    drivers = sp.impacts("Quokka Bay").assign(label=MARKUP)
    ax = sp.plot_impacts(drivers)
    assert_all_in_view(ax.figure)
    assert [" ".join(label.get_text().split()) for label in ax.get_yticklabels()] == [label.strip() for label in MARKUP]
    rents = sp.rent(["Quokka Bay", "Woylie"])
    rents["area_name"] = rents["area_name"].cat.rename_categories(["$x^ <b>", "🏠 $"])
    for frame in (rents, rents[rents.area_name == "$x^ <b>"]):
        ax = sp.plot_rent(frame)
        assert_all_in_view(ax.figure)
        assert "$x^ <b>" in written(ax)


def test_the_accessor_draws_whichever_it_is():
    """Rents or drivers; anything else is an error that says what a frame needs."""
    assert sp.rent("Quokka Bay").suburb.plot().get_ylabel().startswith("Advertised median rent")
    assert sp.impacts("Quokka Bay").suburb.plot().get_xlabel().startswith("Premium")
    _, ax = plt.subplots()
    assert sp.rent("Quokka Bay").suburb.plot(ax=ax) is ax
    with pytest.raises(ValueError, match="rent shape"):
        pd.DataFrame({"a": [1]}).suburb.plot()


def test_a_frame_of_another_kind_is_an_error_before_anything_is_drawn():
    """Growth is no rent, a Series no frame, and a frame of rents has no drivers."""
    rents = sp.rent("Quokka Bay")
    with pytest.raises(ValueError, match="holds no rents: its unit is 'fraction'"):
        sp.plot_rent(sp.growth(rents))
    with pytest.raises(TypeError, match="Series"):
        sp.plot_rent(rents["house"])
    with pytest.raises(ValueError, match="wide"):
        sp.plot_rent(sp.rent(EIGHT[:2], layout="wide"))
    with pytest.raises(ValueError, match="not a frame of drivers"):
        sp.plot_impacts(rents)
    with pytest.raises(TypeError, match="frame of drivers"):
        sp.plot_impacts([1])
    assert plt.get_fignums() == []


@pytest.mark.parametrize("colour", COLOURS)
def test_a_colour_can_be_seen_on_a_white_page_and_on_a_black_one(colour):
    """By the contrast of 3 to 1 that WCAG 2.2 asks of graphics (1.4.11)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    luminance = np.dot([0.2126, 0.7152, 0.0722], linear)
    assert 1.05 / (luminance + 0.05) >= 3
    assert (luminance + 0.05) / 0.05 >= 3


@given(
    st.lists(st.tuples(st.floats(-50, 500), st.floats(1, 40)), min_size=1, max_size=8),
    st.floats(50, 600),
)
def test_labels_are_spread_without_overlap(labels, room):
    """In the order that was wanted; inside if they fit; and those that were apart and inside stay where they were."""
    wanted, heights = map(np.array, zip(*labels, strict=True))
    placed = spread(wanted, heights, room)
    order = np.argsort(wanted, kind="stable")
    low, high = (placed - heights / 2)[order], (placed + heights / 2)[order]
    assert (low[1:] >= high[:-1] - 1e-6).all()
    if heights.sum() <= room:
        assert low[0] >= -1e-6
        assert high[-1] <= room + 1e-6
    np.testing.assert_allclose(spread(placed, heights, room), placed, atol=1e-6)
