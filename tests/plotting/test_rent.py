"""The chart of rents: the forms of its lines, and the places of the labels at their ends."""

from datetime import date
from io import StringIO
from itertools import pairwise
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.lines import spread
from suburb_pandas.plotting.look import COLOURS
from suburb_pandas.plotting.words import operations_note
from suburb_pandas.timeseries.resample import Fill, How
from tests.support.charts import written
from tests.timeseries import slow_time


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


@pytest.mark.parametrize("cadence", slow_time.STEPS)
def test_the_notes_name_each_cadence(cadence):
    """Below a chart stands how the points of each regular cadence are drawn."""
    days = [date(2024, 3, 31)]
    while len(days) < 5:
        days.append(slow_time.regular_step_on(days[-1], cadence))
    frame = pd.DataFrame({"house": range(500, 505)}, pd.DatetimeIndex(days))
    assert f"{cadence} points." in written(sp.plot_rent(frame))


OPTIONS = [*(("how", how) for how in get_args(How)), *(("fill", fill) for fill in get_args(Fill))]


@pytest.mark.parametrize(("option", "value"), OPTIONS)
def test_the_notes_have_words_for_each_option_of_resample(embedded, option, value):
    """What was computed stands below a chart in words, not as the value of an argument."""
    note = operations_note(sp.resample(sp.rent("Quokka Bay"), "QE", **{option: value}))
    assert note.startswith("Computed: quarterly ")
    assert not note.endswith(f" {value}.")


def steps(ax):
    """Map each point at which a step of the first series ends to the look of that step, which is drawn once."""
    found = {}
    for line in ax.lines:
        if to_hex(line.get_color()) == COLOURS[0] and line.get_linestyle() != "None":
            ended = [end for (start, _), end in pairwise(points(line)) if pd.NaT not in (start, end[0])]
            assert not found.keys() & {*ended}
            found |= dict.fromkeys(ended, look(line))
    return found


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
