"""The chart of rents of many suburbs: small panels, and some suburbs highlighted among all others."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import suburb_pandas as sp
from suburb_pandas.plotting.look import COLOURS
from tests.plotting.test_rent import ends, pairs, steps
from tests.support.charts import LONG, assert_all_in_view, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")

TWELVE = [*LONG, *RENTED[9::-1]]


def test_more_than_eight_suburbs_have_a_small_panel_each():
    """Panels are in the order of the frame, on the same scales, with the last values of both types in the heading."""
    rents = sp.rent(TWELVE)
    ax = sp.plot_rent(rents)
    axes = ax.figure.axes
    assert len({each.get_xlim() for each in axes}) == len({each.get_ylim() for each in axes}) == 1
    for each, name in zip(axes, TWELVE, strict=True):
        own = rents[rents["area_name"] == name]
        last = [f"{kind} {own[kind].dropna().iloc[-1]:,.0f}" for kind in ("house", "unit")]
        assert " ".join(each.get_title(loc="left").split()) == f"{name} {', '.join(last)}"
        for number, kind in enumerate(("house", "unit")):
            drawn = {*steps(each, number)}
            assert drawn <= {*pairs(own[kind])}
            assert len(drawn) > 20
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["house", "unit"]
    assert_all_in_view(ax.figure)
    assert [bool(each.yaxis.get_tick_params()["labelleft"]) for each in axes] == [True, False, False, False] * 3


@pytest.mark.parametrize(("width", "columns"), [(4, 2), (14, 7)])
def test_the_width_decides_on_the_columns(width, columns):
    """A small panel is about two inches wide; a single type has no legend, and its value behind the name."""
    ax = sp.plot_rent(sp.rent(TWELVE), property_type="unit", figsize=(width, 3))
    assert ax.get_gridspec().ncols == columns
    assert ax.figure.legends == []
    assert " ".join(ax.get_title(loc="left").split()) == f"{TWELVE[0]} 737"
    assert_all_in_view(ax.figure)


def test_a_suburb_without_points_keeps_its_place_among_small_panels():
    """Its panel says so and has no line across it."""
    frame = sp.rent([*RENTED[:8], "Woylie"])
    ax = sp.plot_rent(frame, property_type="unit", kind="index")
    (empty,) = [each for each in ax.figure.axes if [text.get_text() for text in each.texts] == ["No points"]]
    assert empty.get_title(loc="left").split() == ["Woylie"]
    assert [*empty.lines] == []
    assert "Without points: units in Woylie." in written(ax)


def test_highlighted_suburbs_are_in_colour_and_all_others_grey():
    """Whatever the number of suburbs, each type has a panel, in which up to eight have their colours and labels."""
    rents, chosen = sp.rent(TWELVE), TWELVE[4:6]
    axes = sp.plot_rent(rents, highlight=chosen).figure.axes
    for ax, kind in zip(axes, ("house", "unit"), strict=True):
        last = {name: rents.loc[rents["area_name"] == name, kind].iloc[-1] for name in chosen}
        assert ends(ax) == [f"{name} {value:,.0f}" for name, value in last.items()]
        for number, name in enumerate(chosen):
            assert {*steps(ax, number)} <= {*pairs(rents.loc[rents["area_name"] == name, kind])}
        greys = {to_hex(line.get_color()) for line in ax.lines} - {*COLOURS[:2]}
        assert greys == {"#a6a6a6"}
        assert sum(line.get_gid() == "change" for line in ax.lines) == len(TWELVE)
        order = [to_hex(line.get_color()) in COLOURS for line in ax.lines]
        assert order == sorted(order)
    assert_all_in_view(axes[0].figure)
    assert len(sp.plot_rent(rents, highlight=TWELVE[0], property_type="house").figure.axes) == 1


def test_what_cannot_be_drawn_says_how_to_choose():
    """The error comes before a figure is made, so no empty figure is left behind."""
    dates = pd.DatetimeIndex(["2024-01-31"], name="date")
    many = pd.concat([pd.DataFrame({"house": 1.0, "area_name": f"S{n}"}, dates) for n in range(61)])
    plt.close("all")
    with pytest.raises(ValueError, match=r"has 61 suburbs .* up to 60\. Choose some, as in frame") as caught:
        sp.plot_rent(many)
    frame = many
    assert len(eval(str(caught.value).partition("as in ")[2])) == 2  # noqa: S307 - the message is our own
    with pytest.raises(ValueError, match=r"names of this chart, not 'X'\. Choose some .* highlight=\['S0'"):
        sp.plot_rent(frame[:9], highlight="X")
    with pytest.raises(ValueError, match="highlight takes up to 8 names"):
        sp.plot_rent(frame[:9], highlight=[f"S{n}" for n in range(9)])
    assert plt.get_fignums() == []
    assert len(sp.plot_rent(frame[:60].assign(unit=np.nan)).figure.axes) == 60
