"""The chart of many suburbs, of vintages, of an index and of growth: its panels, its measure, and what it refuses."""

from io import StringIO

import pandas as pd
import pytest
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS
from tests.plotting.test_rent import assert_drawn, ends, labels_of, steps
from tests.support.charts import EIGHT, LONG, written
from tests.support.common import RENTED

NINE = [*LONG, *RENTED[6::-1]]


def level(ax):
    """Return the value of the line across Axes."""
    (value,) = {value for line in ax.lines if line.get_gid() == "level" for value in line.get_ydata()}
    return value


def test_more_than_eight_suburbs_have_a_small_panel_each():
    """Panels are in the order of the frame, on the same scales, with the last values of both types in the heading.

    The width decides on their columns. A suburb without points keeps its panel, which says so.
    """
    rents = sp.rent(NINE)
    ax = sp.plot_rent(rents)
    axes = ax.figure.axes
    assert len({each.get_xlim() for each in axes}) == len({each.get_ylim() for each in axes}) == 1
    assert ax.get_ylim()[0] < rents[["house", "unit"]].min().min() < rents["house"].max() < ax.get_ylim()[1]
    for each, name in zip(axes, NINE, strict=True):
        own = rents[rents["area_name"] == name]
        house, unit = (f"{own[kind].iloc[-1]:,.0f}" for kind in ("house", "unit"))
        assert " ".join(each.get_title(loc="left").split()) == f"{name} house {house}, unit {unit}"
        assert_drawn(each, [own["house"], own["unit"]])
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["house", "unit"]
    assert [place for place, each in enumerate(axes) if each.yaxis.get_tick_params()["labelleft"]] == [0, 4, 8]
    ax = sp.plot_rent(sp.rent([*NINE, "Woylie"]), property_type="unit", kind="index", figsize=(14, 3))
    *_, empty = ax.figure.axes
    assert (ax.get_gridspec().ncols, ax.figure.legends, [*empty.lines]) == (7, [], [])
    assert [(text.get_text(), text.get_color()) for text in empty.texts] == [("No points", "#595959")]


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


def test_an_index_has_a_line_at_100_and_its_groups_are_drawn_as_suburbs_are():
    """Each group has a line in the panel of each type, also in a frame without attrs, as from a file.

    A part of an index does not say that it begins at 100.
    """
    groups = {name: f"group {number % 4}" for number, name in enumerate(EIGHT)}
    index = sp.rent_index(sp.rent(EIGHT, freq="QE", partial="drop"), by=groups)
    ax = sp.plot_rent(pd.read_csv(StringIO(index.to_csv())))
    assert ends(ax) == labels_of(index, "house", 1)
    assert (ax.figure.get_suptitle(), len(ax.figure.axes)) == ("Index of rents in 4 groups", 2)
    assert "like-for-like index, 100 at the first date of each series" in written(ax)
    assert level(ax) == 100
    assert "first date" not in written(sp.plot_rent(index[(index.index >= "2020") | (index["group"] == "group 0")]))


def test_growth_is_in_per_cent_round_a_line_at_zero():
    """The values are a hundred times the fractions, also those below zero. A fraction is never called AUD."""
    grown = sp.growth(sp.rent("Quokka Bay"), "6M", detail=True)
    grown["house"] -= 0.02
    ax = sp.plot_rent(grown, property_type="house")
    assert level(ax) == 0
    assert ends(ax) == [f"house {100 * grown['house'].iloc[-1]:.1f}".replace("-", "\N{MINUS SIGN}")]
    drawn = [value for _, value in sorted(steps(ax))]
    assert drawn == pytest.approx([*100 * grown["house"].dropna()[1:]])
    assert ax.figure.get_suptitle() == "Growth of house rents in Quokka Bay"
    assert "Growth over 6 months, per cent" in written(ax)
    assert "Computed: growth over 6 months." in written(ax)
    assert "AUD" not in written(ax)
    grown.attrs["suburb_pandas"].pop("operations")  # as in a frame of whose operations not all could be recorded
    assert "Growth of rents in Quokka Bay Growth, per cent" in written(sp.plot_rent(grown))


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
    frame = pd.read_csv(StringIO(text), index_col="date", parse_dates=True)
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
    ax = sp.plot_rent([old, new], property_type="house")
    assert ends(ax) == ["retrieved 2026-04-21 (1) 737", "retrieved 2026-04-28 (2) 739"]
    assert ax.figure.get_suptitle() == "House rents in Woylie"
    assert "embedded sandbox, retrieved 2026-04-21 to 2026-04-28." in written(ax)
    ax = sp.plot_rent({"before": old[:0], "after": new})
    assert ends(ax) == ["after 739"]
    assert "Without points: houses in before, units in before" in written(ax)
