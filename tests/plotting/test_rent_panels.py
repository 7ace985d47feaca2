"""The chart of many suburbs, of vintages, of an index and of growth: its panels, its measure, and what it refuses."""

import io

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.plotting.look import COLOURS
from tests.plotting.test_rent import assert_drawn, ends, labels_of, steps
from tests.support.charts import EIGHT, LONG, written
from tests.support.common import RENTED

NINE = [*LONG, *RENTED[6::-1]]


def level(ax):
    """Return the value of the line across Axes."""
    (value,) = {value for line in ax.lines if line.get_gid() == "level" for value in line.get_ydata()}
    return value


def heading(ax):
    """Return the heading of a panel on one line."""
    return " ".join(ax.get_title(loc="left").split())


@pytest.fixture
def index():
    """Return an index of four groups of suburbs."""
    groups = {name: f"group {number % 4}" for number, name in enumerate(EIGHT)}
    return sp.rent_index(sp.rent(EIGHT, freq="QE", partial="drop"), by=groups)


def test_more_than_eight_suburbs_have_a_small_panel_each():
    """Panels are in the order of the frame, on the same scales, with the last values of both types in the heading."""
    rents = sp.rent(NINE)
    ax = sp.plot_rent(rents)
    axes = ax.figure.axes
    assert len({each.get_xlim() for each in axes}) == len({each.get_ylim() for each in axes}) == 1
    assert ax.get_ylim()[0] < rents[["house", "unit"]].min().min() < rents["house"].max() < ax.get_ylim()[1]
    for each, name in zip(axes, NINE, strict=True):
        own = rents[rents["area_name"] == name]
        assert heading(each) == f"{name} house {own['house'].iloc[-1]:,.0f}, unit {own['unit'].iloc[-1]:,.0f}"
        assert_drawn(each, [own["house"], own["unit"]])
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["house", "unit"]
    assert sp.plot_rent(rents, property_type="unit").figure.legends == []
    assert [place for place, each in enumerate(axes) if each.yaxis.get_tick_params()["labelleft"]] == [0, 4, 8]


def test_the_width_decides_on_the_columns():
    """A small panel is about two inches wide. One of a suburb without points keeps its place, and says so."""
    rents = sp.rent([*NINE, "Woylie"])
    ax = sp.plot_rent(rents, property_type="unit", kind="index", figsize=(14, 3))
    assert ax.get_gridspec().ncols == 7
    empty = ax.figure.axes[-1]
    assert (empty.axison, empty.xaxis.get_tick_params()["labelbottom"]) == (True, True)
    assert ([text.get_text() for text in empty.texts], heading(empty), [*empty.lines]) == (["No points"], "Woylie", [])


def test_highlighted_suburbs_are_in_colour_and_all_others_grey():
    """Whatever the number of suburbs, each type has a panel, in which up to eight have their colours and labels."""
    rents, chosen = sp.rent(NINE), pd.Index(NINE[4:6])
    axes = sp.plot_rent(rents, highlight=chosen).figure.axes
    for ax, kind in zip(axes, ("house", "unit"), strict=True):
        assert ends(ax) == labels_of(rents[rents["area_name"].isin(chosen)], kind)
        assert_drawn(ax, [rents.loc[rents["area_name"] == name, kind] for name in chosen])
        colours = [to_hex(line.get_color()) for line in ax.lines if line.get_linestyle() != "None"]
        assert {*colours} == {"#a6a6a6", *COLOURS[:2]}
        assert colours == sorted(colours, key=COLOURS.__contains__)


def test_what_cannot_be_drawn_says_how_to_choose():
    """The error comes before a figure is made, so no empty figure is left behind."""
    frame = sp.rent(RENTED[:61]).groupby("area_name", observed=True).tail(1)
    with pytest.raises(ValueError, match=r"has 61 suburbs .* up to 60\. Choose some before: sp\.plot_rent\("):
        sp.plot_rent(frame)
    for highlight, wrong in (([RENTED[0], "X"], "'X'"), (RENTED[:9], "9")):
        with pytest.raises(
            ValueError, match=rf"8 names of this chart, not {wrong}\. Choose .* highlight=\['{RENTED[0]}'"
        ):
            sp.plot_rent(frame[:9], highlight=highlight)
    with pytest.raises(
        NoSuburbColumn, match="Several columns or index levels can hold the suburbs: 'suburb', 'locality'"
    ):
        sp.plot_rent(frame.rename(columns={"area_name": "suburb"}).assign(locality="X"))
    assert plt.get_fignums() == []
    assert len(sp.plot_rent(frame[:60], highlight=RENTED[0], property_type="house").figure.axes) == 1


def test_an_index_has_a_line_at_100_and_its_groups_are_drawn_as_suburbs_are(index):
    """Each group has a line in the panel of each type, also in a frame without attrs, as from a file."""
    for frame in (index, pd.read_csv(io.StringIO(index.to_csv()))):
        ax = sp.plot_rent(frame)
        assert ends(ax) == labels_of(index, "house", 1)
        assert (ax.figure.get_suptitle(), len(ax.figure.axes)) == ("Index of rents in 4 groups", 2)
        assert "like-for-like index, 100 at the first date of each series" in written(ax)
        assert level(ax) == 100
    is_late = index.index >= "2020"
    for part in (index[is_late], index[is_late | (index.iloc[:, 0] == "group 0")]):
        assert "first date" not in written(sp.plot_rent(part))


def test_growth_is_in_per_cent_round_a_line_at_zero():
    """The values are a hundred times the fractions, also those below zero. A fraction is never called AUD."""
    grown = sp.growth(sp.rent("Quokka Bay"), "6M", detail=True)
    grown["house"] -= 0.02
    ax = sp.plot_rent(grown, property_type="house")
    assert level(ax) == 0
    assert ends(ax) == [f"house {100 * grown['house'].iloc[-1]:.1f}".replace("-", "\N{MINUS SIGN}")]
    drawn = [step[1][1] for step in sorted(steps(ax))]
    assert drawn == pytest.approx([*100 * grown["house"].dropna()[1:]])
    assert ax.figure.get_suptitle() == "Growth of house rents in Quokka Bay"
    assert "Growth over 6 months, per cent" in written(ax)
    assert "AUD" not in written(ax)


def test_other_numbers_are_refused(index):
    """A chart has one unit: growth beside rents, and an index of an index are none."""
    rents = sp.rent("Woylie")
    mixed = sp.growth(rents[["house"]], detail=True).assign(unit=1.0)
    for frame, kind in ((mixed, None), (index, "index")):
        with pytest.raises(ValueError, match="not rents: pass the rents that it was computed from"):
            sp.plot_rent(frame, kind=kind)


def test_rents_as_an_index_are_100_at_the_first_date_that_all_series_have():
    """On a date between two points the base is on the line; beyond a gap there is none, and the date is a later one."""
    text = """\
date,area_name,house
2024-01-31,A,400
2024-02-29,A,458
2024-03-31,A,500
2024-02-10,B,300
2024-03-10,B,330
"""
    frame = pd.read_csv(io.StringIO(text), index_col="date", parse_dates=True)
    ax = sp.plot_rent(frame, kind="index")
    assert "Advertised median rent, index, 100 at 2024-02-10" in written(ax)
    assert ends(ax) == ["B 110.0", f"A {100 * 500 / (400 + 58 * 10 / 29):.1f}"]
    assert level(ax) == 100
    with pytest.raises(ValueError, match="no date on which all 2 series have a value"):
        sp.plot_rent(frame.drop(pd.Timestamp("2024-02-29")), kind="index")


def test_vintages_are_drawn_one_over_the_other():
    """Vintages share a panel for each type, and are labelled with their days of retrieval or the keys of a dict."""
    new = sp.rent("Woylie")
    old = new[:-1]
    old.attrs = {"suburb_pandas": new.attrs["suburb_pandas"] | {"retrieved_at": "2026-04-21T00:00:00+00:00"}}
    for given, labels in (
        ([old, new], ["retrieved 2026-04-21 (1) 737", "retrieved 2026-04-28 (2) 739"]),
        ({"before": old, "after": new}, ["before 737", "after 739"]),
    ):
        ax = sp.plot_rent(given, property_type="house")
        assert (ends(ax), ax.figure.get_suptitle()) == (labels, "House rents in Woylie")
        assert "embedded sandbox, retrieved 2026-04-21 to 2026-04-28." in written(ax)
    gone = written(sp.plot_rent({"before": old[:0], "after": new}))
    assert "Without points: houses in before, units in before" in gone
    with pytest.raises(ValueError, match="The list has no frame"):
        sp.plot_rent([])
    for wrong in ([old, sp.rent("Quokka Bay")], [old, sp.growth(old)]):
        with pytest.raises(ValueError, match="vintages of one suburb in one unit"):
            sp.plot_rent(wrong)
