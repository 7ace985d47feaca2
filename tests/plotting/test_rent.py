"""The chart of rents: the artists of its lines, and the labels at their ends."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import COLOURS
from tests.support.charts import (
    EIGHT,
    assert_all_in_view,
    end_labels,
    strokes,
    texts,
    written,
)
from tests.support.common import of_this_call
from tests.support.recorded import call
from tests.support.recorded import written as recorded

pytestmark = pytest.mark.usefixtures("embedded")


def test_one_suburb_has_house_and_unit_in_one_panel():
    """Points are on their real dates, and the last value stands at the end of each line."""
    frame = sp.rent("Quokka Bay")
    ax = sp.plot_rent(frame)
    assert ax.get_title() == "Rents in Quokka Bay"
    assert "Advertised median rent, AUD per week" in written(ax)
    assert ax.figure.axes == [ax]
    assert [text.get_text() for text in end_labels(ax)] == ["house 1,036", "unit 799"]
    for kind, colour in zip(("house", "unit"), COLOURS, strict=False):
        assert {day for step in strokes(ax, colour) for day in step} == {*frame[kind].dropna().index}


@pytest.mark.parametrize("name", ["Quokka Bay", "Cider Gum", "Cassava Grove", "Swanmere Quay"])
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_each_step_is_drawn_once_in_the_look_of_its_stretch(name):
    """Monthly stretches are thin, weekly ones thick, flat spells of 56 days dashed; a missing week breaks the line."""
    frame = sp.rent(name)
    ax, stretches, widths = sp.plot_rent(frame), sp.cadence(frame), {"monthly": set(), "weekly": set()}
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
            widths[cadence].add(line.get_linewidth())
            assert line.is_dashed() == any(first <= start and end <= last for first, last in flat)
        assert not drawn
    assert max(widths["monthly"], default=0) < min(widths["weekly"])


def test_the_labels_of_periods_do_not_make_a_value_unchanged():
    """Two equal quarters are dashed only if ``detail=True`` says that the points were unchanged for 56 days or more.

    Also a saved frame, which does not say that it was resampled, has labels of quarters without dates of points.
    """
    quarters = sp.rent("Quokka Bay", freq="QE")
    unmarked = quarters.copy()
    unmarked.attrs.clear()
    with_detail = sp.resample(sp.rent("Quokka Bay"), "QE", detail=True)
    months = sp.resample(sp.rent("Cassava Grove"), "ME")
    assert (quarters.tail(2).diff().iloc[-1] == 0).all()
    for frame in (quarters, unmarked, with_detail.loc["2025-12":], months):
        ax = sp.plot_rent(frame)
        assert not any(line.is_dashed() for line in ax.lines)
        assert "Dashed" not in written(ax)
    cassava = sp.resample(sp.rent("Cassava Grove"), "ME", detail=True)
    drawn = strokes(sp.plot_rent(cassava), COLOURS[1])
    dashed = {end for (_, end), line in drawn.items() if line.is_dashed()}
    assert dashed == {*cassava.index[cassava["unit_unchanged_days"] >= 56]}


def test_a_last_period_that_was_open_is_noted():
    """A label after the day of retrieval is that of an open period, in rents and in growth; hollow markers show it too.

    No note stands below a chart of closed periods, of points, or of data whose retrieval date is not known.
    """
    note = "The last period was still open when the data were retrieved."
    points = sp.rent(["Quokka Bay", "Woylie"])
    quarters = sp.resample(points, "QE")
    for frame in (quarters, sp.growth(quarters), sp.rent("Quokka Bay", freq="QE")):
        assert note in written(sp.plot_rent(frame))
    hollow = written(sp.plot_rent(sp.resample(points, "QE", detail=True)))
    assert "Hollow: the period is still open." in hollow
    closed = sp.resample(points, "QE", partial="drop")
    unmarked = quarters.copy()
    unmarked.attrs.clear()
    assert note not in hollow + "".join(written(sp.plot_rent(frame)) for frame in (closed, sp.growth(closed)))
    assert note not in "".join(
        written(sp.plot_rent(frame)) for frame in (points, unmarked, quarters[quarters.index < "2026"])
    )


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
    assert "Break: points missing." in written(ax)


@pytest.mark.parametrize("names", [EIGHT[:2], EIGHT], ids=len)
def test_several_suburbs_have_a_panel_for_each_property_type(names):
    """Each line ends in its suburb's name and last value; the labels keep their order and do not overlap."""
    frame = sp.rent(names)
    axes = sp.plot_rent(frame).figure.axes
    assert [text.get_text() for text in texts(axes[0].figure) if text.get_gid() == "heading"] == ["Houses", "Units"]
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
        assert_all_in_view(axes[0].figure)


def test_types_on_dates_of_their_own_lack_nothing():
    """Quarterly houses beside monthly units have no gaps; three years without a quarter are a gap."""
    months = pd.date_range("2015-01-31", "2020-12-31", freq="ME")
    frame = pd.DataFrame({"house": np.arange(72.0) + 1, "unit": np.arange(72.0) + 1}, months.rename("date"))
    frame.loc[frame.index.month % 3 != 0, "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23
    assert "Dots: quarterly points." in written(ax)
    assert "Break" not in written(ax)
    frame.loc["2016":"2018", "house"] = np.nan
    ax = sp.plot_rent(frame)
    assert len(strokes(ax, COLOURS[0])) == 23 - 13
    assert "Break: points missing." in written(ax)


def test_fortnightly_points_look_like_weekly_ones_and_quarterly_like_monthly_ones():
    """A thick line has weekly or fortnightly points, a thin one monthly or quarterly ones, and quarters have dots."""
    quarters = pd.date_range("2012-03-31", periods=9, freq="QE")
    months = pd.date_range("2014-04-30", periods=24, freq="ME")
    fortnights = pd.date_range("2016-04-14", periods=24, freq="14D")
    dates = quarters.append(months).append(fortnights).rename("date")
    ax = sp.plot_rent(pd.DataFrame({"house": 500.0 + np.arange(len(dates))}, dates))
    looks = {line.get_gid(): (line.get_linewidth(), line.get_marker()) for line in ax.lines}
    thin, thick = looks["monthly plain"][0], looks["fortnightly plain"][0]
    assert thin < thick
    assert looks["quarterly plain"] == (thin, ".")
    words = "Thin line: quarterly and monthly points; thick line: fortnightly points; an upright bar marks the change."
    assert f"{words} Dots: quarterly points." in written(ax)


def test_a_line_ends_at_its_last_point():
    """Lines end exactly at their last point, so that a gap of one week stays visible."""
    ax = sp.plot_rent(sp.rent("Cider Gum"))
    lines = [line for line in ax.lines if str(line.get_gid()).startswith(("weekly", "monthly"))]
    assert {(line.get_solid_capstyle(), line.get_dash_capstyle()) for line in lines} == {("butt", "butt")}


def test_dates_that_come_twice_are_warned_of_once():
    """Duplicate dates raise one warning, although the frame is read again for each suburb."""
    frame = sp.rent("Quokka Bay")
    again = pd.concat([frame, frame.tail(1) + 1])
    with pytest.warns(sp.errors.DataWarning) as caught:
        ax = sp.plot_rent(again)
    assert len(of_this_call(caught)) == 1
    assert "house 1,037" in written(ax)


def test_an_upright_bar_marks_the_change_from_monthly_to_weekly_points():
    """It is as high as a few widths of the line in the smallest figure, and the foot explains it."""
    for size in ((3, 2), (9, 4.5)):
        ax = sp.plot_rent(sp.rent("Quokka Bay"), ax=plt.figure(figsize=size).add_subplot())
        marks = [line for line in ax.lines if line.get_gid() == "changeover"]
        assert [(line.get_marker(), line.get_linestyle()) for line in marks] == [("|", "None")] * 2
        (changeover,) = {day.astype("M8[D]").item().isoformat() for line in marks for day in line.get_xdata()}
        assert changeover == "2022-08-28"
        widths = [line.get_linewidth() for line in ax.lines if str(line.get_gid()).startswith("weekly")]
        assert min(line.get_markersize() for line in marks) >= 3 * max(widths)
        assert "an upright bar marks the change" in written(ax)
    weekly = sp.plot_rent(sp.rent("Quokka Bay").loc["2023":])
    assert not [line for line in weekly.lines if line.get_gid() == "changeover"]
    assert "All points are weekly." in written(weekly)
    frame = sp.rent("Quokka Bay")
    frame.loc["2022-08-01":, "unit"] = np.nan
    frame.loc[:"2023", "house"] = np.nan
    apart = sp.plot_rent(frame)
    assert "Thin line: monthly points; thick line: weekly points." in written(apart)


@pytest.mark.parametrize(
    ("frame", "dates", "values"),
    [
        (lambda: sp.rent([]), [], []),
        (lambda: sp.rent("Quokka Bay").tail(1)[["house"]], ["2026-04-26"], ["1,036"]),
        (lambda: sp.rent("Quokka Bay").assign(house=600.0, unit=np.nan), None, ["600"]),
    ],
    ids=["empty", "one point", "one value"],
)
def test_a_panel_without_a_range_has_no_invented_ticks(frame, dates, values):
    """An empty panel has no ticks. A panel of one value or of one date has a tick for it."""
    ax = sp.plot_rent(frame())
    ax.figure.draw_without_rendering()
    assert [label.get_text() for label in ax.get_yticklabels()] == values
    if dates is not None:
        assert [label.get_text() for label in ax.get_xticklabels()] == dates


def test_filled_stretches_are_dotted_and_values_of_open_periods_hollow():
    """A frame with the columns of detail shows which steps lead to or from a filled value, and which period is open."""
    rents = sp.rent("Quokka Bay")
    frame = sp.resample(rents[rents.index.year != 2020], "QE", fill="ffill", detail=True)
    assert frame.index[frame.house_filled].year.tolist() == [2020] * 4
    ax = sp.plot_rent(frame)
    dotted = {
        step for step, line in strokes(ax, COLOURS[0]).items() if line.get_gid().endswith("filled") and line.is_dashed()
    }
    assert dotted == {*itertools.pairwise(pd.date_range("2019-12-31", "2021-03-31", freq="QE"))}
    hollow = [line for line in ax.lines if line.get_gid() == "open"]
    assert [pd.Timestamp(day) for line in hollow for day in line.get_xdata()] == [frame.index[-1]] * 2
    assert {line.get_markerfacecolor() for line in hollow} == {"#ffffff"}
    assert all(line.get_markeredgewidth() > 0 for line in hollow)
    shown = written(ax)
    assert "Dotted: filled, not observed." in shown
    assert "Hollow: the period is still open." in shown
    assert 'Computed with resample(freq="QE", fill="ffill", detail=True).' in shown


@pytest.mark.parametrize(
    ("freq", "words"),
    [
        ("QE", "All points are quarterly."),
        ("QS-FEB", "All points are quarterly."),
        ("YE-JUN", "All points are yearly."),
        ("ME", "All points are monthly."),
    ],
)
@pytest.mark.parametrize("names", ["Quokka Bay", ["Quokka Bay", "Woylie"]], ids=type)
def test_a_chart_names_the_calendar_of_its_points(names, freq, words):
    """Points by quarter or by year are called so. Points at every second quarter are neither monthly nor weekly."""
    frame = sp.rent(names, freq=freq, partial="drop")
    chart = written(sp.plot_rent(frame))
    assert words in chart
    assert "Dots" not in chart
    if freq == "QE":
        assert "Dots: irregular points." in written(sp.plot_rent(frame[frame.index.month.isin([3, 6, 9])].iloc[::2]))


def test_operations_stand_below_the_chart():
    """Without the columns of detail, the operations are named, but no stretch is dotted and no marker hollow."""
    shown = written(sp.plot_rent(sp.rent("Quokka Bay", freq="QE", how="mean")))
    assert 'Computed with resample(freq="QE", how="mean").' in shown
    assert "Dotted" not in shown
    assert "Hollow" not in shown
    assert "Computed" not in written(sp.plot_rent(sp.rent("Quokka Bay")))


@pytest.mark.parametrize("detail", [False, True])
def test_a_fraction_is_never_called_aud(detail):
    """Growth is in per cent. Counts, and growth beside rents, are refused. Without marks, no unit is written."""
    assert "AUD" not in written(sp.plot_rent(sp.growth(sp.rent("Quokka Bay"), detail=detail)))
    with pytest.raises(ValueError, match="holds counts of points, not rents"):
        sp.plot_rent(sp.resample(sp.rent("Quokka Bay"), "QE", how="count", detail=detail))
    rents = sp.rent("Quokka Bay")
    house = sp.growth(rents[["house"]], detail=True)[["house"]]
    with pytest.raises(ValueError, match="holds growth, not rents"):
        sp.plot_rent(house.assign(unit=1.0))
    without_marks = pd.concat([sp.growth(rents, "1Y"), sp.growth(rents, "3M").iloc[:0]])
    assert not without_marks.attrs
    with pytest.warns(sp.errors.DataWarning, match="If the frame holds changes, not rents"):
        assert "AUD" not in written(sp.plot_rent(without_marks))


def test_vintages_are_drawn_one_over_the_other(live, service):
    """Two vintages of a suburb share a panel for each property type, labelled with their retrieval or their keys."""
    old = sp.rent("Quokka Bay")
    points = [{"date": str(day.date()), "value": 900.0 + day.day} for day in old.index[-50:]]
    data = {"area_name": "Quokka Bay", "area_level": "suburb", "house": points, "unit": points}
    service.answer("Quokka Bay", "rent", body=json.dumps({"data": data}).encode())
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        new = sp.rent("Quokka Bay", refresh=True)
    ax = sp.plot_rent({"before": old, "after": new})
    assert ax.get_title() == "Rents in Quokka Bay"
    assert {line.get_label() for line in ax.lines} >= {"before", "after"}
    for frame, label in ((old, "before"), (new, "after")):
        drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_label() == label])
        assert set(frame["house"].dropna()) >= set(drawn[~np.isnan(drawn)])
    shown = written(sp.plot_rent([old, new]))
    assert "vintage 1" in shown or shown.count("retrieved 2") > 2  # the times, if they differ by a second
    assert "made-up data of the property data service, retrieved 20" in shown


def test_vintages_are_labelled_with_the_day_on_which_they_were_retrieved(tmp_path):
    """Frames of different days need no labels; a chart compares two to eight frames, of one suburb."""
    path = tmp_path / "study.yaml"
    path.write_bytes(recorded(*(call("Woylie", 500.0 + day, at=f"2026-01-0{day}T00:00:00+00:00") for day in (1, 2))))
    with sp.cassette(path):
        vintages = [sp.rent("Woylie", retrieved_by="2026-01-01"), sp.rent("Woylie")]
    shown = written(sp.plot_rent(vintages))
    assert "retrieved 2026-01-01" in shown
    assert "retrieved 2026-01-02" in shown
    assert "Source: the property data service, retrieved 2026-01-01 to 2026-01-02." in shown
    for wrong in (vintages[:1], vintages * 5, []):
        with pytest.raises(ValueError, match="compares two to 8 vintages of one suburb"):
            sp.plot_rent(wrong)
    with pytest.raises(TypeError, match="Vintages must be frames of rents"):
        sp.plot_rent(["Woylie", "Quokka Bay"])
