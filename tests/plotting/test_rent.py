"""The chart of rents: the lines and their forms, the labels at their ends, and the notes that explain them."""

from io import StringIO
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.lines import spread
from suburb_pandas.plotting.look import COLOURS, MARKERS
from tests.plotting.chart_cases import CASES
from tests.support.charts import EIGHT, assert_all_in_view, end_labels, written


def points(line):
    """Return the (date, value) pairs of a line, with NaT for the date where it is broken."""
    return [*zip(pd.DatetimeIndex(line.get_xdata()), line.get_ydata(), strict=True)]


def marks(ax, gid):
    """Return the points of all markers of a kind."""
    return [point for line in ax.lines if line.get_gid() == gid for point in points(line)]


def look(line):
    """Return the weight and the stroke of a line in words."""
    dash = max(line._unscaled_dash_pattern[1] or [9])
    stroke = "solid" if not line.is_dashed() else "dashed" if dash > 1 else "dotted"
    assert line.get_solid_capstyle() == "butt"  # another would cover a missing week
    return f"{'thick' if line.get_linewidth() > 1.5 else 'thin'} {stroke}"


def steps(ax, number=0):
    """Map each point at which a step in a colour of the chart ends to the look of that step, which is drawn once."""
    found = {}
    for line in ax.lines:
        if to_hex(line.get_color()) == COLOURS[number] and line.get_linestyle() != "None":
            ended = [end for (start, _), end in pairwise(points(line)) if pd.NaT not in (start, end[0])]
            assert not found.keys() & {*ended}
            found |= dict.fromkeys(ended, look(line))
    return found


def assert_drawn(ax, series):
    """Assert that Axes show values of these series only, in the order of the colours, and all series with points."""
    for number, own in enumerate(series):
        assert steps(ax, number).keys() <= {*own.dropna().items()}
        assert bool(steps(ax, number)) == own.notna().any()


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
    alt = ": Advertised median rent, AUD per week. Last values: Quokka Bay house 1,036, unit 799. Made-up data."
    assert ax.figure.alt.endswith(alt)
    assert ends(ax) == ["unit 799", "house 1,036"]
    for number, kind in enumerate(frame):
        assert sorted(steps(ax, number)) == [*frame[kind].dropna().items()][1:]
        label, (mark,) = end_labels(ax)[1 - number], [line for line in ax.lines if line.get_label() == kind]
        assert label.get_color() == mark.get_markerfacecolor() == COLOURS[number]
        assert mark.get_marker() == MARKERS[number]
        assert {*points(mark)} <= {*frame[kind].items()}
        assert len(points(mark)) == 4
        assert points(mark)[-1] == label.xy == (frame.index[-1], frame[kind].iloc[-1])
    assert [label.get_text() for label in sp.plot_rent(frame.loc["2026":]).get_xticklabels()] == ["Feb", "Mar", "Apr"]
    alone = sp.plot_rent(frame, property_type="unit")
    assert marks(alone, "mark") == points(mark)[-1:]  # there are no lines to tell apart
    assert "Markers" not in written(alone)
    assert steps(alone, 1)  # units have the colour that they have beside houses


MONTHS_AND_WEEKS = """\
date,house,look,mark
2023-08-31,400,,
2023-09-30,410,thin solid,
2023-10-31,410,thin dashed,
2023-11-30,410,thin dashed,
2023-12-31,420,thin solid,
2024-01-07,425,thick solid,
2024-01-14,430,thick solid,
2024-01-21,430,thick solid,
2024-02-04,440,,
2024-02-11,445,thick solid,
2024-02-18,450,thick solid,
2024-02-25,450,thick dashed,
2024-03-03,450,thick dashed,
2024-03-10,450,thick dashed,
2024-03-17,450,thick dashed,
2024-03-24,450,thick dashed,
2024-03-31,450,thick dashed,
2024-04-07,450,thick dashed,
2024-04-14,450,thick dashed,
2024-04-21,455,thick solid,
2024-06-30,460,,dot
"""
FORTNIGHTS = """\
date,house,look,mark
2024-01-07,425,,
2024-01-21,430,thick solid,
2024-02-04,440,thick solid,
"""
QUARTERS = """\
date,house,look,mark,house_filled,house_open,house_unchanged_days
2021-03-31,400,,dot,False,False,10
2021-06-30,410,thin solid,dot,False,False,10
2021-09-30,410,thin dashed,dot,False,False,56
2021-12-31,410,thin solid,dot,False,False,30
2022-06-30,420,,dot,False,False,10
2022-12-31,430,,dot,False,False,10
2023-03-31,440,thin solid,dot,False,False,10
2023-06-30,440,thin dotted,dot,True,False,
2023-09-30,450,thin dotted,dot,False,False,10
2023-12-31,460,thin solid,open,False,True,10
"""
QUARTERS_WITHOUT_DETAIL = """\
date,house,look,mark
2022-03-31,400,,dot
2022-06-30,400,thin solid,dot
2022-09-30,400,thin solid,dot
"""
YEARS = """\
date,house,look,mark
2018-12-31,400,,dot
2020-01-05,410,thin solid,dot
2020-12-31,420,thin solid,dot
2022-12-31,440,,dot
2023-12-31,450,thin solid,dot
"""


GAP = "Break: no points for longer than usual."
FLAT = "Dashed: unchanged for 56 days or more."
WEEKLY = f"Thin line: monthly points. Thick line: weekly points. Each dot is a point. {FLAT} {GAP} The"
QUARTERLY = "Thin line with dots: quarterly points. Each dot is a point."


@pytest.mark.parametrize(
    ("table", "notes"),
    [
        (MONTHS_AND_WEEKS, WEEKLY),
        (FORTNIGHTS, "Thick line: fortnightly points. The source"),
        (QUARTERS, f"{QUARTERLY} {FLAT} Dotted: filled, not observed. Hollow: the period is still open. {GAP}"),
        (QUARTERS_WITHOUT_DETAIL, f"{QUARTERLY} The source"),
        (YEARS, f"Each dot is a point. {GAP} The source"),
    ],
    ids=["weeks", "fortnights", "detail", "quarters", "years"],
)
def test_each_step_is_drawn_once_in_the_form_of_its_stretch(table, notes):
    """Monthly stretches are thin, weekly ones thick, flat spells of 56 days dashed; a missing point breaks the line.

    Steps to or from a filled value are dotted, and the value of an open period is hollow. Quarters and years are dots,
    as is a point without a line. Two equal quarters are dashed only if ``detail=True`` says that the points were
    unchanged: the labels of periods do not make a value unchanged. The table is as a file has it.
    """
    frame = pd.read_csv(StringIO(table), index_col="date", parse_dates=True)
    ax = sp.plot_rent(frame)
    assert steps(ax) == {(row.Index, row.house): row.look for row in frame.dropna(subset="look").itertuples()}
    hollow = marks(ax, "open")
    assert hollow == [*frame.loc[frame["mark"] == "open", "house"].items()]
    assert marks(ax, "dot") == [*frame["house"][frame["mark"].notna()].items()]
    assert not {*marks(ax, "mark")} & {*hollow}
    assert {line.get_markerfacecolor() for line in ax.lines if line.get_gid() == "open"} == {"#ffffff"}
    assert notes in written(ax)


def test_a_period_that_was_open_at_the_retrieval_is_told():
    """A part of the frame without that period does not say so."""
    quarters = sp.rent("Quokka Bay", freq="QE")
    for frame, is_open in ((quarters, True), (quarters[:"2025"], False)):
        shown = written(sp.plot_rent(frame))
        assert ("The last period was still open when the data were retrieved." in shown) == is_open
        assert "Dashed" not in shown


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


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(1, 20)), min_size=1, max_size=8).map(sorted))
def test_labels_are_moved_apart_no_further_than_needed(labels):
    """Labels keep their order and never overlap. If they fit, none is out of view; if there is room, none moves."""
    wanted, heights = np.array(labels).T
    places, apart = spread(wanted, heights, 100), wanted + 20 * np.arange(1, len(labels) + 1)
    low, high = places - heights / 2, places + heights / 2
    assert (low[1:] - high[:-1] >= -1e-9).all()
    if heights.sum() <= 100:
        assert (low[0] >= -1e-9, high[-1] <= 100 + 1e-9) == (True, True)
    assert spread(apart, heights, 300) == pytest.approx(apart)


def test_a_line_that_ended_early_says_when_and_has_no_leader():
    """The last month stands in its label, at the right of the panel; a leader across the panel would look like data."""
    ax = sp.plot_rent(CASES["rents, stale"][1]().assign(house=905.0), property_type="house")
    assert ends(ax) == ["Quokka Bay 905", "Lantern Bay (NSW) 905 (2022-05)", "Cassava Grove 905 (2013-12)"]
    assert [label.arrow_patch is None for label in end_labels(ax)] == [False, True, True]
    assert {round(label.get_position()[0]) for label in end_labels(ax)} == {1}
    assert_all_in_view(ax.figure)


def test_an_empty_chart_says_so_and_has_no_ticks():
    """Its measure and its source are written all the same."""
    ax = sp.plot_rent(sp.rent([]))
    assert [*ax.get_xticks(), *ax.get_yticks()] == []
    assert [text for text in ("No points", "AUD per week", "Source: ") if text not in written(ax)] == []
    assert "Last values" not in ax.figure.alt
    houses, units = sp.plot_rent(sp.rent(EIGHT[:2]).assign(unit=float("nan"))).figure.axes
    assert [ax.yaxis.get_tick_params()["labelleft"] for ax in (houses, units)] == [True, False]


def test_one_property_type_is_drawn_alone_also_in_axes_of_a_figure():
    """Other columns may stand beside it; ``wide["house"]`` does not say its type."""
    rents, (figure, (left, right)) = sp.rent(EIGHT[:3]), plt.subplots(1, 2, figsize=(14, 5), layout="constrained")
    sp.plot_rent(rents.rename(columns={"area_name": "Suburb"}).assign(lga="Swan"), property_type="unit", ax=left)
    assert (left.get_title(), left.get_ylabel()) == ("Unit rents in 3 suburbs", "Advertised median rent, AUD per week")
    assert ends(left) == labels_of(rents, "unit")
    sp.plot_rent(sp.rent([*EIGHT[:2], "Gannet Steps"], layout="wide")["house"], ax=right)
    assert right.get_title() == "Rents in Quokka Bay and Lantern Bay (NSW)"
    assert "Without data: Gannet Steps." in written(right)
    assert_all_in_view(figure)
