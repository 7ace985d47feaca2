"""The chart of rents: the lines and their forms, the labels at their ends, and the notes that explain them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS, MARKERS
from tests.plotting.chart_cases import RENTS
from tests.support.charts import EIGHT, assert_all_in_view, end_labels, written


def points(line):
    """Return the (date, value) pairs of a line, with NaT for the date where it is broken."""
    return [*zip(pd.DatetimeIndex(line.get_xdata()), line.get_ydata(), strict=True)]


def marks(ax, gid):
    """Return the points of all markers of a kind."""
    return [point for line in ax.lines if line.get_gid() == gid for point in points(line)]


def steps(ax, number=0):
    """Map each step between two points to the line that draws it in a colour of the chart."""
    found = {}
    for line in ax.lines:
        if to_hex(line.get_color()) == COLOURS[number] and line.get_linestyle() != "None":
            drawn = [step for step in itertools.pairwise(points(line)) if pd.NaT not in (step[0][0], step[1][0])]
            assert not found.keys() & {*drawn}
            found |= dict.fromkeys(drawn, line)
    return found


def pairs(series):
    """Return the steps of a series of numbers, as (date, value) pairs."""
    return [*itertools.pairwise(series.dropna().items())]


def assert_drawn(ax, series):
    """Assert that Axes show steps of these series only, in the order of the colours, and all series with points."""
    for number, own in enumerate(series):
        assert {*steps(ax, number)} <= {*pairs(own)}
        assert bool(steps(ax, number)) == own.notna().any()


def dashed(drawn):
    """Return the dates at which dashed steps end."""
    return {end for (_, (end, _)), line in drawn.items() if line.is_dashed()}


def ends(ax):
    """Return the labels at the ends of the lines, from the lowest to the highest."""
    return [" ".join(label.get_text().split()) for label in end_labels(ax)]


def labels_of(frame, kind, decimals=0):
    """Return the labels that the ends of the lines of a long frame should have."""
    last = frame.dropna(subset=[kind]).groupby(frame.columns[0], observed=True)[kind].last().sort_values()
    return [f"{name} {value:,.{decimals}f}" for name, value in last.items()]


def test_one_suburb_has_house_and_unit_in_one_panel():
    """Points are on their real dates with their real values, and the last value stands at the end of each line."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    assert (ax.figure.axes, ax.figure.get_suptitle()) == ([ax], "Rents in Quokka Bay")
    assert "Markers only tell the lines apart. Source: made-up data of the embedded sandbox" in written(ax)
    assert ax.figure.alt.endswith(
        ": Advertised median rent, AUD per week. Last values: Quokka Bay house 1,036, unit 799. Made-up data."
    )
    assert ends(ax) == ["unit 799", "house 1,036"]
    for number, kind in enumerate(frame):
        assert [*sorted(steps(ax, number))] == pairs(frame[kind])
        label, (mark,) = end_labels(ax)[1 - number], [line for line in ax.lines if line.get_label() == kind]
        assert label.get_color() == mark.get_markerfacecolor() == COLOURS[number]
        assert mark.get_marker() == MARKERS[number]
        assert {*points(mark)} <= {*frame[kind].items()}
        assert len(points(mark)) == 4
        assert points(mark)[-1] == label.xy == (frame.index[-1], frame[kind].iloc[-1])


@pytest.mark.parametrize("name", ["Cassava Grove", "Cider Gum"])
def test_each_step_is_drawn_once_in_the_form_of_its_stretch(name):
    """Monthly stretches are thin, weekly ones thick, flat spells of 56 days dashed; a missing week breaks the line."""
    frame = sp.rent(name)
    ax, stretches = sp.plot_rent(frame), sp.cadence(frame).set_index(["property_type", "cadence"])["start"]
    for number, kind in enumerate(frame):
        drawn, series = steps(ax, number), frame[kind].dropna()
        assert [*sorted(drawn)] == [step for step in pairs(series) if (step[1][0] - step[0][0]).days != 14]
        thick = {step for step, line in drawn.items() if line.get_linewidth() > 1.5}
        assert thick == {step for step in drawn if step[0][0] >= stretches[kind, "weekly"]}
        run = (series != series.shift()).cumsum()
        length = series.index.to_series().groupby(run).transform(lambda dates: dates.max() - dates.min())
        assert dashed(drawn) == {*series.index[(length >= pd.Timedelta("56D")) & (run == run.shift())]}
        assert {line.get_solid_capstyle() for line in drawn.values()} == {"butt"}  # others would cover a missing week
    assert "Thin line: monthly points. Thick line: weekly points. Dashed: unchanged for 56 days or more." in written(ax)
    assert ("Break" in written(ax)) == (name == "Cider Gum")


def test_the_labels_of_periods_do_not_make_a_value_unchanged():
    """Two equal quarters are dashed only if ``detail=True`` says that the points were unchanged for 56 days or more.

    Also a saved frame, which does not say that it was resampled, has labels of quarters without dates of points.
    """
    quarters = sp.rent("Quokka Bay", freq="QE")
    unmarked = quarters.copy()
    unmarked.attrs.clear()
    assert (quarters.tail(2).diff().iloc[-1] == 0).all()
    for frame in (quarters, unmarked):
        ax = sp.plot_rent(frame)
        assert dashed(steps(ax)) == set()
        assert "Dashed" not in written(ax)
    months = sp.resample(sp.rent("Cassava Grove"), "ME", detail=True)
    assert dashed(steps(sp.plot_rent(months), 1)) == {*months.index[months["unit_unchanged_days"] >= 56]}


def test_a_missing_point_is_a_gap_and_a_point_alone_is_a_dot():
    """A missing quarter breaks the line; each quarter is a dot, also one between two gaps. A year may be missing."""
    frame = sp.rent("Quokka Bay", freq="QE", partial="drop")[["house"]]
    frame.loc[["2020-03-31", "2020-09-30"]] = np.nan
    ax = sp.plot_rent(frame)
    whole = [step for step in pairs(frame["house"]) if (step[1][0] - step[0][0]).days < 100]
    assert [*sorted(steps(ax))] == whole
    assert len(whole) == len(frame) - 1 - 4
    assert marks(ax, "dot") == [*frame["house"].dropna().items()]
    assert "Thin line with dots: quarterly points. Each dot is a point. Break: no points for longer" in written(ax)
    years = sp.rent("Quokka Bay", freq="YE")[["house"]]
    assert [*sorted(steps(sp.plot_rent(years)))] == pairs(years["house"])
    assert len(steps(sp.plot_rent(years[years.index.year != 2020]))) == len(years) - 3


def test_filled_stretches_are_dotted_and_values_of_open_periods_hollow():
    """A frame with the columns of detail shows which steps lead to or from a filled value, and which period is open."""
    rents = sp.rent("Quokka Bay")
    frame = sp.resample(rents[rents.index.year != 2020], "QE", fill="ffill", detail=True)
    ax = sp.plot_rent(frame)
    dotted = {step for step, line in steps(ax).items() if line.is_dashed() and "filled" in line.get_gid()}
    assert dotted == {*pairs(frame["house"]["2019-12-31":"2021-03-31"])}
    dots = {line.get_gid().split()[1]: line._unscaled_dash_pattern[1] for line in ax.lines if line.is_dashed()}
    assert max(dots["filled"]) < min(dots["flat"])
    assert marks(ax, "open") == [(frame.index[-1], frame[kind].iloc[-1]) for kind in ("house", "unit")]
    assert {line.get_markerfacecolor() for line in ax.lines if line.get_gid() == "open"} == {"#ffffff"}
    assert not {*marks(ax, "mark")} & {*marks(ax, "open")}
    assert "Dotted: filled, not observed. Hollow: the period is still open." in written(ax)
    assert "The last period was still open" in written(ax)
    assert "The last period was still open" not in written(sp.plot_rent(frame[:"2025"]))


def test_several_suburbs_have_a_panel_for_each_type():
    """Each line ends in its name and value. Labels are in the order of the values, and do not overlap."""
    frame = sp.rent(EIGHT)
    axes = sp.plot_rent(frame).figure.axes
    assert [ax.get_title(loc="left") for ax in axes] == ["Houses", "Units"]
    assert_all_in_view(axes[0].figure)
    for ax, kind in zip(axes, ("house", "unit"), strict=True):
        assert ends(ax) == labels_of(frame, kind)
        assert_drawn(ax, [frame.loc[frame["area_name"] == name, kind] for name in EIGHT])
    assert "Without points: units in Woylie." in written(axes[0])


def test_a_line_that_ended_early_says_when_and_has_no_leader():
    """The last month stands in its label, at the right of the panel; a leader across the panel would look like data."""
    ax = sp.plot_rent(RENTS["stale"]().assign(house=lambda frame: frame["house"] * 0 + 905), property_type="house")
    assert ends(ax) == ["Quokka Bay 905", "Lantern Bay (NSW) 905 (2022-05)", "Cassava Grove 905 (2013-12)"]
    assert [label.arrow_patch is None for label in end_labels(ax)] == [False, True, True]
    assert {round(label.get_position()[0]) for label in end_labels(ax)} == {1}
    assert_all_in_view(ax.figure)


def test_an_empty_chart_says_so_and_has_no_ticks():
    """Its measure and its source are written in Axes of a figure, too."""
    for options in ({}, {"ax": plt.subplots()[1]}):
        ax = sp.plot_rent(sp.rent([]), **options)
        assert [*ax.get_xticks(), *ax.get_yticks()] == []
        assert [text for text in ("No points", "AUD per week", "Source: ") if text not in written(ax)] == []
    assert "Last values" not in sp.plot_rent(sp.rent([])).figure.alt


def test_a_line_alone_has_its_marker_at_its_end_only():
    """There are no lines to tell apart. Units have the colour that they have beside houses."""
    rents = sp.rent("Quokka Bay")
    ax = sp.plot_rent(rents, property_type="unit")
    assert marks(ax, "mark") == [(rents.index[-1], rents["unit"].iloc[-1])]
    assert "Markers" not in written(ax)
    assert steps(ax, 1)


def test_every_layout_has_the_same_chart():
    """Long, tidy and wide frames of the same rents are drawn alike, and columns on anything else are ignored."""
    long = sp.rent(EIGHT[:3])
    frames = [long.assign(lga="Swan"), *(sp.rent(EIGHT[:3], layout=layout) for layout in ("tidy", "wide"))]
    frames += [long.rename(columns={"area_name": "Suburb"}), long.set_index("area_name", append=True)]
    for frame in frames:
        axes = sp.plot_rent(frame).figure.axes
        assert [ends(ax) for ax in axes] == [labels_of(long, kind) for kind in ("house", "unit")]


def test_one_property_type_is_drawn_alone_also_in_axes_of_a_figure():
    """A type that the frame lacks is refused with the one that it has; ``wide["house"]`` does not say its type."""
    rents, (figure, (left, right)) = sp.rent(EIGHT[:3]), plt.subplots(1, 2, figsize=(14, 5), layout="constrained")
    assert sp.plot_rent(rents, property_type="unit", ax=left) is left
    assert (left.get_title(), left.get_ylabel()) == ("Unit rents in 3 suburbs", "Advertised median rent, AUD per week")
    assert ends(left) == labels_of(rents, "unit")
    wide = sp.rent([*EIGHT[:2], "Gannet Steps"], layout="wide")["house"]
    sp.plot_rent(wide, ax=right)
    assert right.get_title() == "Rents in Quokka Bay and Lantern Bay (NSW)"
    assert "Without data: Gannet Steps." in written(right)
    assert_all_in_view(figure)
    with pytest.raises(ValueError, match=r"has no column 'unit'\. Draw the other: property_type='house'"):
        sp.plot_rent(rents.drop(columns="unit"), property_type="unit")
