"""The chart of rents: the lines and their forms, the labels at their ends, and the notes that explain them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.dates import date2num
from matplotlib.text import Text

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS, MARKERS
from suburb_pandas.timeseries.layouts import tidy
from tests.support.chart_cases import RENTS
from tests.support.charts import EIGHT, assert_all_in_view, end_labels, written
from tests.support.common import of_this_call
from tests.support.recorded import call
from tests.support.recorded import written as recorded

pytestmark = pytest.mark.usefixtures("embedded")


def days(line):
    """Return the dates of a line as Timestamps, with None where it is broken."""
    return [None if day is pd.NaT else day for day in pd.DatetimeIndex(line.get_xdata())]


def steps(ax, number=0):
    """Map each step between two points, as (date, value) pairs, to the line that draws it in a colour of the chart."""
    found = {}
    for line in ax.lines:
        if to_hex(line.get_color()) == COLOURS[number] and line.get_linestyle() != "None":
            points = zip(days(line), line.get_ydata(), strict=True)
            drawn = [pair for pair in itertools.pairwise(points) if None not in (pair[0][0], pair[1][0])]
            assert not found.keys() & {*drawn}
            found |= dict.fromkeys(drawn, line)
    return found


def pairs(series):
    """Return the steps of a series of numbers, as (date, value) pairs."""
    known = series.dropna()
    return [*itertools.pairwise(zip(known.index, known, strict=True))]


def marks(ax, gid):
    """Return the points of all markers of a kind, as (date, value) pairs."""
    lines = [line for line in ax.lines if line.get_gid() == gid]
    return [pair for line in lines for pair in zip(days(line), line.get_ydata(), strict=True)]


def ends(ax):
    """Return the labels at the ends of the lines."""
    return [" ".join(label.get_text().split()) for label in end_labels(ax)]


def test_one_suburb_has_house_and_unit_in_one_panel():
    """Points are on their real dates with their real values, and the last value stands at the end of each line."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    words = written(ax)
    assert ax.figure.axes == [ax]
    assert ax.figure.get_suptitle() == "Rents in Quokka Bay"
    assert "Advertised median rent, AUD per week" in words
    assert "Source: made-up data of the embedded sandbox, retrieved 2026-04-28." in words
    assert ax.figure.alt.endswith("AUD per week. Last values: house 1,036, unit 799.")
    assert ends(ax) == ["house 1,036", "unit 799"]
    for number, kind in enumerate(("house", "unit")):
        assert [*sorted(steps(ax, number))] == pairs(frame[kind])
        label, (mark,) = end_labels(ax)[number], [line for line in ax.lines if line.get_label() == kind]
        assert label.get_color() == mark.get_color() == COLOURS[number]
        assert mark.get_marker() == MARKERS[number]
        assert label.xy == (date2num(frame.index[-1]), frame[kind].iloc[-1])
        assert len(mark.get_xdata()) == 4
        assert {*zip(days(mark), mark.get_ydata(), strict=True)} <= {*frame[kind].items()}
    assert "Markers only tell the lines apart." in words
    assert_all_in_view(ax.figure)


@pytest.mark.parametrize("name", ["Quokka Bay", "Cassava Grove", "Cider Gum"])
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_each_step_is_drawn_once_in_the_form_of_its_stretch(name):
    """Monthly stretches are thin, weekly ones thick, flat spells of 56 days dashed; a missing week breaks the line."""
    frame = sp.rent(name)
    ax, stretches, widths = sp.plot_rent(frame), sp.cadence(frame), {"monthly": set(), "weekly": set()}
    for number, kind in enumerate(("house", "unit")):
        drawn, series = steps(ax, number), frame[kind].dropna()
        eras = [(row.start, row.end, row.cadence) for row in stretches[stretches.property_type == kind].itertuples()]
        spells = series.groupby((series != series.shift()).cumsum())
        flat = [(dates[0], dates[-1]) for dates in spells.groups.values() if (dates[-1] - dates[0]).days >= 56]
        for step in pairs(series):
            (start, _), (end, _) = step
            if (end - start).days == 14:
                assert step not in drawn
                continue
            line = drawn.pop(step)
            (cadence,) = [cadence for first, last, cadence in eras if first <= start and end <= last]
            widths[cadence].add(line.get_linewidth())
            assert line.is_dashed() == any(first <= start and end <= last for first, last in flat)
            assert line.get_solid_capstyle() == line.get_dash_capstyle() == "butt"  # other ends cover a missing week
        assert not drawn
    assert max(widths["monthly"]) < min(widths["weekly"])
    assert ("Break" in written(ax)) == (name == "Cider Gum")


def test_an_upright_bar_marks_the_change_from_monthly_to_weekly_points():
    """The bar is on the last monthly point, and a chart of a single cadence has none."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    assert marks(ax, "change") == [(pd.Timestamp("2022-08-28"), frame.loc["2022-08-28", kind]) for kind in frame]
    assert "Thin line: monthly points. Thick line: weekly points. Upright bar: a change" in written(ax)
    weekly = sp.plot_rent(frame.loc["2023":])
    assert marks(weekly, "change") == []
    assert "All points are weekly. Dashed: unchanged for 56 days or more. Markers" in written(weekly)


def test_the_labels_of_periods_do_not_make_a_value_unchanged():
    """Two equal quarters are dashed only if ``detail=True`` says that the points were unchanged for 56 days or more.

    Also a saved frame, which does not say that it was resampled, has labels of quarters without dates of points.
    """
    quarters = sp.rent("Quokka Bay", freq="QE")
    unmarked = quarters.copy()
    unmarked.attrs.clear()
    assert (quarters.tail(2).diff().iloc[-1] == 0).all()
    for frame in (quarters, unmarked, sp.resample(sp.rent("Cassava Grove"), "ME")):
        ax = sp.plot_rent(frame)
        assert not any(line.is_dashed() for line in ax.lines)
        assert "Dashed" not in written(ax)
    cassava = sp.resample(sp.rent("Cassava Grove"), "ME", detail=True)
    drawn = steps(sp.plot_rent(cassava), 1)
    dashed = {end for (_, (end, _)), line in drawn.items() if line.is_dashed()}
    assert dashed == {*cassava.index[cassava["unit_unchanged_days"] >= 56]}


def test_a_missing_point_is_a_gap_and_a_point_alone_is_a_dot():
    """A missing quarter breaks the line; each quarter is a dot, also one between two gaps."""
    frame = sp.rent("Quokka Bay", freq="QE", partial="drop")[["house"]]
    frame.loc[["2020-03-31", "2020-09-30"]] = np.nan
    ax = sp.plot_rent(frame)
    whole = [step for step in pairs(frame["house"]) if (step[1][0] - step[0][0]).days < 100]
    assert [*sorted(steps(ax))] == whole
    assert len(whole) == len(frame) - 1 - 4
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert days(*dots) == [*frame["house"].dropna().index]
    for words in ("All points are quarterly.", "Each dot is a point.", "Break: no points for longer than usual."):
        assert words in written(ax)
    years = sp.rent("Quokka Bay", freq="YE")[["house"]]
    assert [*sorted(steps(sp.plot_rent(years)))] == pairs(years["house"])
    assert len(steps(sp.plot_rent(years[years.index.year != 2020]))) == len(years) - 3
    assert "Markers" not in written(ax)
    assert marks(ax, "mark") == [(frame.index[-1], frame["house"].iloc[-1])]


def test_filled_stretches_are_dotted_and_values_of_open_periods_hollow():
    """A frame with the columns of detail shows which steps lead to or from a filled value, and which period is open."""
    rents = sp.rent("Quokka Bay")
    frame = sp.resample(rents[rents.index.year != 2020], "QE", fill="ffill", detail=True)
    ax = sp.plot_rent(frame)
    dotted = {step for step, line in steps(ax).items() if line.get_gid().endswith("filled") and line.is_dashed()}
    assert dotted == {*pairs(frame["house"]["2019-12-31":"2021-03-31"])}
    assert marks(ax, "open") == [(frame.index[-1], frame[kind].iloc[-1]) for kind in ("house", "unit")]
    hollow = [line for line in ax.lines if line.get_gid() == "open"]
    assert {(line.get_markerfacecolor(), line.get_markeredgewidth()) for line in hollow} == {("#ffffff", 1.0)}
    assert not {*marks(ax, "mark")} & {*marks(ax, "open")}
    notes = "Dotted: filled, not observed. Hollow: the period is still open. Markers only tell the lines apart. "
    assert f"{notes}Computed: quarterly last values, filled with the last value." in written(ax)


def test_a_last_period_that_was_open_is_noted():
    """A label after the day of retrieval is that of an open period, unless hollow markers show it already."""
    note, points = "The last period was still open when the data were retrieved.", sp.rent(["Quokka Bay", "Woylie"])
    quarters, closed = sp.resample(points, "QE"), sp.resample(points, "QE", partial="drop")
    for frame in (quarters, sp.growth(quarters)):
        assert note in written(sp.plot_rent(frame))
    for frame in (sp.resample(points, "QE", detail=True), closed, points, quarters[quarters.index < "2026"]):
        assert note not in written(sp.plot_rent(frame))


def test_each_suburb_ends_in_its_name_and_value():
    """Several suburbs have a panel for each type. Labels are in the order of the values, and do not overlap."""
    frame = sp.rent(EIGHT)
    axes = sp.plot_rent(frame).figure.axes
    assert [ax.get_title(loc="left") for ax in axes] == ["Houses", "Units"]
    for ax, kind in zip(axes, ("house", "unit"), strict=True):
        last = frame.dropna(subset=[kind]).groupby("area_name", observed=True)[kind].last()
        assert {*ends(ax)} == {f"{name} {value:,.0f}" for name, value in last.items()}
        names = [next(label for label in end_labels(ax) if label.xy[1] == value) for value in last.sort_values()]
        ax.figure.draw_without_rendering()
        heights = [label.get_window_extent().y0 for label in names]
        assert heights == sorted(heights)
        for number, name in enumerate(EIGHT):
            drawn, own = {*steps(ax, number)}, frame.loc[frame["area_name"] == name, kind]
            assert drawn <= {*pairs(own)}
            assert bool(drawn) == own.notna().any()
    assert "Without points: units in Woylie." in written(axes[0])
    assert_all_in_view(axes[0].figure)


@pytest.mark.parametrize("case", ["stale", "long name", "months", "one value"])
@pytest.mark.parametrize("size", [(4, 3), (14, 9)], ids=str)
def test_no_text_is_cut_off_or_covers_anything(case, size):
    """A figure of our own is as high as its content needs, at any width."""
    figure = sp.plot_rent(RENTS[case](), figsize=size).figure
    assert figure.get_size_inches()[0] == size[0]
    assert figure.get_size_inches()[1] >= size[1]
    assert_all_in_view(figure)


def test_a_line_that_ended_early_says_when_and_has_no_leader():
    """The last month stands in its label, at the right of the panel; a leader across the panel would look like data."""
    ax = sp.plot_rent(RENTS["stale"](), property_type="house")
    assert ends(ax) == ["Quokka Bay 1,036", "Lantern Bay (NSW) 984 (2022-05)", "Cassava Grove 852 (2013-12)"]
    assert [label.arrow_patch for label in end_labels(ax)] == [None] * 3
    assert {round(label.get_position()[0]) for label in end_labels(ax)} == {1}


def test_labels_that_had_to_move_have_a_dotted_leader_and_follow_the_limits():
    """A leader joins a moved label to the end of its line. A label is hidden while the end is out of view."""
    ax = sp.plot_rent(sp.rent(EIGHT), property_type="house")
    ax.figure.draw_without_rendering()
    labels = end_labels(ax)
    boxes = [Text.get_window_extent(label) for label in labels]
    moves = [
        abs((box.y0 + box.y1) / 2 - ax.transData.transform(label.xy)[1])
        for box, label in zip(boxes, labels, strict=True)
    ]
    leaders = [label.arrow_patch for label in labels]
    assert [leader is not None for leader in leaders] == [move > 6 for move in moves]
    assert 0 < sum(leader is not None for leader in leaders) < len(leaders)
    for label, leader in zip(labels, leaders, strict=True):
        assert leader is None or (leader.get_linestyle(), to_hex(leader.get_edgecolor())) == (":", label.get_color())
    ax = sp.plot_rent(sp.rent("Quokka Bay"))
    ax.set_ylim(900, 1100)
    ax.figure.draw_without_rendering()
    house, unit = end_labels(ax)
    box, (_, y) = Text.get_window_extent(house), ax.transData.transform(house.xy)
    assert (box.y0 + box.y1) / 2 == pytest.approx(y, abs=3)
    assert house._check_xy(ax.figure.canvas.get_renderer())
    assert not unit._check_xy(ax.figure.canvas.get_renderer())


@pytest.mark.parametrize(
    ("frame", "dates", "values"),
    [
        (lambda: sp.rent([]), None, []),
        (lambda: sp.rent("Quokka Bay").tail(1)[["house"]], ["2026-04-26"], None),
    ],
    ids=["empty", "one point"],
)
def test_a_panel_without_a_range_has_no_invented_ticks(frame, dates, values):
    """An empty panel says so and has no ticks. A panel of one date has a tick for it."""
    ax = sp.plot_rent(frame())
    ax.figure.draw_without_rendering()
    shown = [
        [each.get_text() for each in labels if each.get_visible()]
        for labels in (ax.get_xticklabels(), ax.get_yticklabels())
    ]
    assert shown[0] == (dates or [])
    assert values is None or shown[1] == values
    assert ("No points" in written(ax)) == (dates is None)


@pytest.mark.parametrize("options", [{}, {"property_type": "unit"}, {"kind": "index"}], ids=str)
def test_every_layout_has_the_same_chart(options):
    """Long, tidy and wide frames of the same rents are drawn alike."""
    long = sp.rent(EIGHT[:3])
    looks = []
    for frame in (long, tidy(long), sp.rent(EIGHT[:3], layout="wide")):
        ax = sp.plot_rent(frame, **options)
        lines = [line.get_xydata() for each in ax.figure.axes for line in each.lines]
        looks.append((written(ax).replace("retrieval date not known", "retrieved 2026-04-28"), str(lines)))
    assert looks[0] == looks[1] == looks[2]


def test_one_property_type_is_drawn_alone():
    """A type that the frame lacks is refused with the one that it has; ``wide["house"]`` does not say its type."""
    rents = sp.rent(EIGHT[:3])
    ax = sp.plot_rent(rents, property_type="unit")
    assert ax.figure.axes == [ax]
    assert ax.figure.get_suptitle() == "Unit rents in 3 suburbs"
    assert ends(ax) == [f"{name} {rents.loc[rents['area_name'] == name, 'unit'].iloc[-1]:,.0f}" for name in EIGHT[:3]]
    wide = sp.rent([*EIGHT[:2], "Gannet Steps"], layout="wide")["house"]
    assert sp.plot_rent(wide).figure.get_suptitle() == "Rents in Quokka Bay and Lantern Bay (NSW)"
    assert "Without data: Gannet Steps." in written(sp.plot_rent(wide, property_type="house", title="Houses"))
    plt.close("all")
    with pytest.raises(ValueError, match=r"has no column 'unit'\. Draw the other: property_type='house'"):
        sp.plot_rent(rents.drop(columns="unit"), property_type="unit")
    with pytest.raises(ValueError, match="'house', 'unit' or None for both, not 'flat'"):
        sp.plot_rent(rents, property_type="flat")
    with pytest.raises(ValueError, match=r"must be 'index', .*, not 'levels'"):
        sp.plot_rent(rents, kind="levels")
    assert plt.get_fignums() == []


def test_the_user_has_the_last_word_on_title_size_and_axes():
    """``title`` replaces the title; in given Axes the title, labels and panels are matplotlib's own."""
    assert sp.plot_rent(sp.rent("Woylie"), title="My rents", figsize=(5, 7)).figure.get_suptitle() == "My rents"
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    assert sp.plot_rent(sp.rent("Quokka Bay"), ax=left, footnote=False) is left
    assert (left.get_title(), left.get_ylabel()) == ("Rents in Quokka Bay", "Advertised median rent, AUD per week")
    assert left.get_xlabel() == ""
    sp.plot_rent(sp.rent("Woylie"), ax=right, title="Other")
    assert (right.get_title(), "Source" in right.get_xlabel()) == ("Other", True)
    assert_all_in_view(figure)


def test_dates_that_come_twice_are_warned_of_once():
    """Duplicate dates raise one warning, and the last value is drawn."""
    frame = sp.rent("Quokka Bay")
    with pytest.warns(sp.errors.DataWarning) as caught:
        ax = sp.plot_rent(pd.concat([frame, frame.tail(1) + 1]))
    assert len(of_this_call(caught)) == 1
    assert "house 1,037" in ends(ax)


@pytest.mark.parametrize("detail", [False, True])
def test_a_fraction_is_never_called_aud(detail):
    """Growth is in per cent. Counts, and growth beside rents, are refused. Without marks, no unit is written."""
    rents = sp.rent("Quokka Bay")
    ax = sp.plot_rent(sp.growth(rents, detail=detail))
    assert "Growth over one year, per cent" in written(ax)
    assert "AUD" not in written(ax)
    with pytest.raises(ValueError, match="holds counts of points, not rents: pandas' own"):
        sp.plot_rent(sp.resample(rents, "QE", how="count", detail=detail))
    with pytest.raises(ValueError, match="holds growth, not rents"):
        sp.plot_rent(sp.growth(rents[["house"]], detail=True)[["house"]].assign(unit=1.0))
    rents.attrs.clear()
    assert "AUD" not in written(sp.plot_rent(rents))


def test_vintages_are_drawn_one_over_the_other(tmp_path):
    """Vintages share a panel for each type, and are labelled with their days of retrieval or the keys of a dict."""
    path = tmp_path / "study.yaml"
    path.write_bytes(recorded(*(call("Woylie", 500.0 + day, at=f"2026-01-0{day}T00:00:00+00:00") for day in (1, 2))))
    with sp.cassette(path):
        vintages = [sp.rent("Woylie", retrieved_by="2026-01-01"), sp.rent("Woylie")]
    values = [frame["house"].iloc[-1] for frame in vintages]
    for given, labels in (
        (vintages, ["retrieved 2026-01-01", "retrieved 2026-01-02"]),
        (dict(zip(("before", "after"), vintages, strict=True)), ["before", "after"]),
    ):
        ax = sp.plot_rent(given, property_type="house")
        assert ends(ax) == [f"{label} {value:,.0f}" for label, value in zip(labels, values, strict=True)]
        assert [label.xy[1] for label in end_labels(ax)] == values
        assert ax.figure.get_suptitle() == "House rents in Woylie"
        assert "Source: the property data service, retrieved 2026-01-01 to 2026-01-02." in written(ax)
        assert "made-up" not in written(ax)
    for wrong in (vintages[:1], vintages * 5, [], [vintages[0], sp.rent("Quokka Bay")]):
        with pytest.raises(ValueError, match="compares two to 8 vintages of one suburb"):
            sp.plot_rent(wrong)
    with pytest.raises(TypeError, match="Pass a frame of rents"):
        sp.plot_rent(["Woylie", "Quokka Bay"])
