"""Rents in any layout, of one type, as small multiples, as an index and as growth."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import suburb_pandas as sp
from suburb_pandas.plotting.composition.ticks import labels_of
from suburb_pandas.timeseries.layouts import tidy
from tests.support.charts import EIGHT, assert_all_in_view, boxes, end_labels, texts, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")


def drawn(ax):
    """Return the values that Axes draw as lines, by date."""
    lines = [line for line in ax.lines if str(line.get_gid()).startswith(("monthly", "weekly", "irregular"))]
    days, values = (np.concatenate([getattr(line, get)() for line in lines]) for get in ("get_xdata", "get_ydata"))
    return pd.Series(values, days).dropna().groupby(level=0).first()


def said(ax, gid):
    """Return the visible texts of a kind in the figure of Axes."""
    return [text.get_text() for text in texts(ax.figure) if text.get_gid() == gid]


def look(ax):
    """Return everything that tells two charts of the same data apart: their words and their lines."""
    return written(ax).replace("retrieval date not known", "retrieved 2026-04-28"), [
        (str(line.get_gid()), line.get_xydata()[:3].tolist()) for each in ax.figure.axes for line in each.lines
    ]


@pytest.mark.parametrize("options", [{}, {"property_type": "unit"}, {"kind": "index"}], ids=str)
def test_every_layout_has_the_same_chart(options):
    """Long, tidy and wide frames of the same rents are drawn alike."""
    long = sp.rent(EIGHT[:3])
    wanted = look(sp.plot_rent(long, **options))
    for frame in (tidy(long), sp.rent(EIGHT[:3], layout="wide")):
        words, lines = look(sp.plot_rent(frame, **options))
        assert words == wanted[0]
        assert str(lines) == str(wanted[1])


def test_one_type_of_a_wide_frame_is_drawn_without_a_heading():
    """``wide["house"]`` does not say of which type it is, so the chart does not either, unless it is told."""
    wide = sp.rent([*EIGHT[:2], "Gannet Steps"], layout="wide")
    ax = sp.plot_rent(wide["house"])
    assert ax.figure.axes == [ax]
    assert said(ax, "heading") == []
    assert "Without data: Gannet Steps." in written(ax)
    assert ax.get_title() == "Rents in Quokka Bay and Lantern Bay (NSW)"
    told = sp.plot_rent(wide["house"], property_type="house")
    assert told.get_title() == "House rents in Quokka Bay and Lantern Bay (NSW)"


def test_one_property_type_is_drawn_alone():
    """Up to eight suburbs share a panel; a type that the frame lacks is refused with the one that it has."""
    rents = sp.rent(EIGHT[:3])
    ax = sp.plot_rent(rents, property_type="unit")
    assert ax.figure.axes == [ax]
    assert ax.get_title() == "Unit rents in 3 suburbs"
    last = rents.dropna(subset="unit").groupby("area_name", observed=True)["unit"].last()
    shown = {" ".join(text.get_text().split()) for text in end_labels(ax)}
    assert shown == {f"{name} {value:,.0f}" for name, value in last.items()}
    alone = sp.plot_rent(sp.rent("Quokka Bay"), property_type="house")
    assert [text.get_text() for text in end_labels(alone)] == ["house 1,036"]
    plt.close("all")
    with pytest.raises(ValueError, match=r"has no column 'unit'\. Draw the other: property_type='house'"):
        sp.plot_rent(rents.drop(columns="unit"), property_type="unit")
    with pytest.raises(ValueError, match="'house', 'unit' or None for both, not 'flat'"):
        sp.plot_rent(rents, property_type="flat")
    with pytest.raises(ValueError, match=r"must be 'index', .*, not 'levels'"):
        sp.plot_rent(rents, kind="levels")
    assert plt.get_fignums() == []


def test_more_than_eight_suburbs_have_a_small_panel_each():
    """Panels are in the order of the frame, on the same scales, and the last value stands beside the name."""
    rents = sp.rent(RENTED[11::-1])
    ax = sp.plot_rent(rents, property_type="house")
    axes = ax.figure.axes
    assert said(ax, "heading") == RENTED[11::-1]
    last = rents.dropna(subset="house").groupby("area_name", observed=True)["house"].last()
    assert said(ax, "remark") == [f"{value:,.0f}" for value in last]
    assert len({each.get_xlim() for each in axes}) == len({each.get_ylim() for each in axes}) == 1
    for each, name in zip(axes, RENTED[11::-1], strict=True):
        own = rents.loc[rents["area_name"] == name, "house"].dropna()
        assert drawn(each).to_list() == own.to_list()
    assert_all_in_view(ax.figure)


def test_small_panels_are_a_grid_with_one_scale_on_its_left():
    """Only the first panel of a row has labels of values; all panels are equally large, and aligned."""
    ax = sp.plot_rent(sp.rent(RENTED[:12]), property_type="house")
    ax.figure.draw_without_rendering()
    places = {each: each.get_window_extent() for each in ax.figure.axes}
    lefts, bottoms = ({round(getattr(place, side)) for place in places.values()} for side in ("x0", "y0"))
    assert len(lefts) * len(bottoms) == 12
    assert len({(round(place.width), round(place.height)) for place in places.values()}) == 1
    for each, place in places.items():
        assert bool(labels_of(each.yaxis)) == (round(place.x0) == min(lefts))
        assert bool(labels_of(each.xaxis)) == (round(place.y0) == min(bottoms))


def test_a_suburb_without_points_keeps_its_place_among_small_panels():
    """Its panel says so, and has neither grid nor zero line; suburbs without any data are named at the foot."""
    names = [*RENTED[:8], "Woylie", "Sleepy Lizard"]
    for frame in (sp.rent([*names, "Gannet Steps"]), sp.rent([*names, "Gannet Steps"], layout="wide")):
        ax = sp.plot_rent(frame, property_type="unit", kind="index")
        empty = ax.figure.axes[said(ax, "heading").index("Woylie")]
        assert said(ax, "message") == ["No points"]
        assert [*empty.lines] == []
    nothing = [name for name in sp.rent(RENTED[:40], layout="wide")["house"].columns if name != "Woylie"][:9]
    rents = sp.rent(nothing).assign(unit=np.nan)
    ax = sp.plot_rent(rents, property_type="unit")
    boxes(ax.figure)
    assert said(ax, "message") == ["No points"] * 9
    assert [label.get_text() for label in ax.get_yticklabels() if label.get_visible()] == []


def test_an_index_is_100_at_the_first_date_that_all_series_have():
    """The date is the latest first date here; every value is in per cent of that on the line on this date."""
    rents = sp.rent(EIGHT[:4])
    ax = sp.plot_rent(rents, property_type="house", kind="index")
    starts = rents["house"].dropna().reset_index().groupby(rents.dropna(subset="house")["area_name"].to_numpy())["date"]
    base = starts.min().max()
    assert f"Advertised median rent, index, 100 at {base.date()}" in written(ax)
    (line,) = [line for line in ax.lines if line.get_gid() == "zero"]
    assert {*line.get_ydata()} == {100}
    ends = {" ".join(text.get_text().split()).rpartition(" ")[::2] for text in end_labels(ax)}
    for name, index in ends:
        own = rents.loc[rents["area_name"] == name, "house"].dropna()
        assert float(index) == pytest.approx(100 * own.iloc[-1] / own[base], abs=0.051)


def test_an_index_uses_the_line_between_points_but_no_guess():
    """On a date between two points the base is on the line; beyond a gap there is none, and the date is a later one."""
    days = pd.to_datetime(["2024-01-31", "2024-02-29", "2024-03-31"])
    a = pd.DataFrame({"house": [400.0, 458.0, 500.0]}, index=days)
    b = pd.DataFrame({"house": [300.0, 330.0]}, index=pd.to_datetime(["2024-02-10", "2024-03-10"]))
    frame = pd.concat([a.assign(area_name="A"), b.assign(area_name="B")]).rename_axis("date")
    ax = sp.plot_rent(frame, kind="index")
    assert "100 at 2024-02-10" in written(ax)
    ends = {text.get_text() for text in end_labels(ax)}
    assert ends == {f"A {100 * 500 / (400 + 58 * 10 / 29):.1f}", "B 110.0"}
    apart = frame[~((frame["area_name"] == "A") & (frame.index == "2024-02-29"))]
    assert "100 at 2024-03-31" not in written(ax)
    with pytest.raises(ValueError, match="no date on which all 2 series have a value"):
        sp.plot_rent(apart, kind="index")


def test_an_index_without_a_common_date_names_the_suburb_that_prevents_it():
    """The error gives the dates of that suburb and the line that leaves it out; with it, the others are drawn."""
    rents = sp.rent(EIGHT[:4])
    rents = rents[(rents["area_name"] != EIGHT[1]) | (rents.index < "2021-03")]
    rents = rents[(rents["area_name"] == EIGHT[1]) | (rents.index > "2022-06")]
    with pytest.raises(
        ValueError, match=r"no date on which all 8 series .* 'Lantern Bay \(NSW\)' \(houses\)"
    ) as caught:
        sp.plot_rent(rents, kind="index")
    assert plt.get_fignums() == []
    line = str(caught.value).partition("Leave it out: ")[2].removesuffix(".")
    frame = rents
    assert "index, 100 at 2022-" in written(sp.plot_rent(eval(line), kind="index"))  # noqa: S307 - our own message
    assert len(frame) > len(eval(line))  # noqa: S307 - as above
    one = sp.rent("Quokka Bay")
    one.loc[:"2023", "unit"] = one.loc["2024":, "house"] = np.nan
    with pytest.raises(ValueError, match=r"sp.plot_rent\(frame, kind='index', property_type='(house|unit)'\)"):
        sp.plot_rent(one, kind="index")


def test_growth_is_drawn_in_per_cent_round_a_zero_line():
    """The subtitle has the span of the operation; the values are a hundred times the fractions."""
    rents = sp.rent("Quokka Bay")
    grown = sp.growth(rents, "6M")
    ax = sp.plot_rent(grown)
    assert ax.get_title() == "Growth of rents in Quokka Bay"
    assert "Growth over 6 months, per cent" in said(ax, "subtitle")
    assert [line for line in ax.lines if line.get_gid() == "zero"]
    assert {text.get_text() for text in end_labels(ax)} == {
        f"{kind} {100 * grown[kind].iloc[-1]:.1f}" for kind in ("house", "unit")
    }
    assert said(sp.plot_rent(sp.growth(rents, "5Y", annualise=True)), "subtitle") == [
        "Growth over 5 years, per cent a year"
    ]
    assert said(sp.plot_rent(sp.growth(rents, detail=True)), "subtitle") == ["Growth over 1 year, per cent"]
    many = sp.growth(sp.rent(RENTED[:10]))
    assert len(sp.plot_rent(many, property_type="house").figure.axes) == 10
    with pytest.raises(ValueError, match="kind='index' takes rents, but this frame holds growth"):
        sp.plot_rent(grown, kind="index")
    with pytest.raises(ValueError, match="hold rents, and others hold growth"):
        sp.plot_rent([rents, grown])
