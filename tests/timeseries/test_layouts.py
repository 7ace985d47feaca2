"""Layouts of rents: every function commutes with the change of layout, and what a file makes of a frame is read."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law, overs
from tests.support.layouts import KINDS, melted, pivoted, values_of
from tests.timeseries import irregular
from tests.timeseries.irregular import as_arguments, long_frame_of

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

BAY, WOYLIE, NOWHERE = "Quokka Bay", "Woylie", "Thorny Devil"
THREE = [BAY, WOYLIE, NOWHERE]

TEXT = pd.Series([""], dtype="str").dtype

kinds = st.sampled_from(KINDS)
without_count = irregular.options().filter(lambda chosen: chosen["how"] != "count")


def csv(frame, **how):
    """Return a frame as it comes back from a CSV file."""
    return pd.read_csv(io.StringIO(frame.to_csv()), **how)


@law(
    some=15,
    rows=irregular.rows_of_suburbs(),
    freq=irregular.freqs,
    chosen=without_count,
    over=overs,
    grown=irregular.growth_options(),
    kind=kinds,
)
def test_every_function_commutes_with_the_change_of_layout(rows, freq, chosen, over, grown, kind):
    """A tidy or wide frame, or one property type of it, gives the values that the long frame gives."""
    long = long_frame_of(rows)
    wide = pivoted(long)
    for function in (
        lambda frame: sp.resample(frame, freq, **as_arguments(chosen)),
        lambda frame: sp.growth(frame, over, **as_arguments(grown)),
    ):
        expected = values_of(function(long))
        of_wide = function(wide)
        pd.testing.assert_index_equal(of_wide.columns, wide.columns)
        for found in (function(melted(long)), of_wide):
            assert values_of(found) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        own = {key: value for key, value in expected.items() if key[2] == kind}
        assert values_of(function(wide[kind]), kind) == pytest.approx(own, rel=1e-9, abs=1e-9)


@law(some=10, rows=irregular.rows_of_suburbs(), kind=kinds)
def test_cadence_and_quality_are_the_same_of_every_layout(rows, kind):
    """Cadence and quality do not depend on the layout. Of `wide["house"]` they name no property type."""
    long = long_frame_of(rows)
    for function in (sp.cadence, lambda frame: sp.quality(frame, asof="2005-01-01")):
        of_long, of_tidy, of_wide, of_kind = (
            function(frame).sort_values("area_name", kind="stable", ignore_index=True)
            for frame in (long, melted(long), pivoted(long), pivoted(long)[kind])
        )
        pd.testing.assert_frame_equal(of_tidy, of_long)
        pd.testing.assert_frame_equal(of_wide, of_long)
        assert of_kind["property_type"].isna().all()
        own = of_long[of_long["property_type"] == kind].reset_index(drop=True)
        pd.testing.assert_frame_equal(of_kind.drop(columns="property_type"), own.drop(columns="property_type"))


@pytest.fixture
def rents(embedded):
    """Return the rents of three suburbs in each layout. One has no units, one no data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.NoDataWarning)
        found = {layout: sp.rent(THREE, layout=layout) for layout in ("long", "tidy", "wide")}
        return {**found, "houses": found["wide"]["house"]}


def both(frame, **options):
    """Return the growth and the quarters of a frame."""
    return sp.growth(frame, **options), sp.resample(frame, "QE", **options)


LAYOUTS = {
    "panel, date first": lambda long: long.set_index("area_name", append=True),
    "panel, suburb first": lambda long: long.set_index("area_name", append=True).swaplevel(),
    "panel of other names": lambda long: long.set_index("area_name", append=True).rename_axis(["time", "entity"]),
    "panel without names": lambda long: long.set_index("area_name", append=True).swaplevel().rename_axis([None, None]),
    "another name of the suburbs": lambda long: long.rename(columns={"area_name": "SAL_NAME_2021"}),
    "suburbs as the index": lambda long: long.reset_index().set_index("area_name").rename_axis("Suburb"),
    "dates as a column": lambda long: long.reset_index(),
    "dates as the last column": lambda long: long.reset_index()[["area_name", "house", "unit", "date"]],
}
"""Layouts of a long frame in which every column, also those of details, has its place."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_result_has_the_layout_of_the_rents(rents, layout):
    """Suburbs and dates come back where they were, in columns or levels, under their own names."""
    make, long = LAYOUTS[layout], rents["long"]
    frame = make(long)
    for found, of_long in zip(both(frame, detail=True), both(long, detail=True), strict=True):
        expected = make(of_long)
        pd.testing.assert_frame_equal(found.reindex(columns=expected.columns), expected)
        assert list(found.columns)[: frame.shape[1]] == list(frame.columns)
    pd.testing.assert_frame_equal(sp.cadence(frame), sp.cadence(long))


def test_parts_of_wide_and_tidy_frames_come_back_as_such(rents):
    """Columns that were left out or reordered stay so, and so do the dates of each row and the suburbs without data."""
    wide, tidy, every_second = rents["wide"], rents["tidy"], rents["long"].reset_index().iloc[::2]
    for part in (wide[["unit"]], wide.iloc[:, [4, 0, 1]], wide.iloc[::-1], rents["houses"], every_second):
        pd.testing.assert_index_equal(sp.growth(part).index, part.index)
        for found in both(part):
            pd.testing.assert_index_equal(found.columns, part.columns)
    of_pivot = wide.rename_axis(columns=[None, "Suburb"])
    for other in (wide.swaplevel(axis=1), wide.reset_index(), of_pivot):
        np.testing.assert_array_equal(sp.resample(other, "QE"), sp.resample(wide, "QE"))
    one = tidy[tidy["area_name"] == BAY]
    for make in (lambda frame: frame.set_index("date"), lambda frame: frame.drop(columns="area_name")):
        pd.testing.assert_frame_equal(sp.growth(make(one)), make(sp.growth(one)))


def test_a_tidy_frame_of_a_loader(rents):
    """Its columns, dtypes and order are those of the documentation, for one suburb, too."""
    tidy, one = rents["tidy"], sp.rent(BAY, layout="tidy")
    assert tidy.dtypes.astype("str").to_dict() == {
        "date": str(rents["long"].index.dtype),
        "area_name": TEXT.name,
        "property_type": TEXT.name,
        "rent": "float64",
    }
    assert values_of(tidy) == values_of(rents["long"])
    order = [(THREE.index(name), kind, day) for day, name, kind in values_of(tidy)]
    assert order == sorted(order)
    pd.testing.assert_frame_equal(one, tidy[tidy["area_name"] == BAY])


def test_a_panel_of_a_loader(embedded):
    """`layout="panel"` has suburb and date as its index, also for one suburb and on a calendar."""
    found = sp.rent(THREE[:2], layout="panel")
    assert found.index.names == ["area_name", "date"]
    pd.testing.assert_frame_equal(found.reset_index("area_name"), sp.rent(THREE[:2]))
    text = found.reset_index().astype({"date": "str"}).set_index(["area_name", "date"])
    pd.testing.assert_frame_equal(sp.cadence(text), sp.cadence(found), check_dtype=False)
    assert list(sp.rent(BAY, layout="panel", freq="QE").loc[BAY].index) == list(sp.rent(BAY, freq="QE").index)


@pytest.mark.parametrize("name", ["house", "Houses, AUD", None])
def test_a_series_gives_a_series_of_its_name(rents, name):
    """A Series with dates as its index, or with suburbs and dates, is one property type."""
    long = rents["long"]
    for frame in (sp.rent(BAY), long.set_index("area_name", append=True)):
        series = frame["house"].rename(name)
        for found, expected in zip(both(series), both(frame), strict=True):
            pd.testing.assert_series_equal(found, expected["house"].rename(name))
            assert found.attrs == expected.attrs
        named = sp.cadence(series)["property_type"]
        assert named.eq("house").all() if name == "house" else named.isna().all()


@pytest.mark.parametrize("make", [melted, LAYOUTS["panel, date first"], LAYOUTS["dates as a column"]])
def test_columns_that_are_the_same_for_a_suburb_come_back(rents, make):
    """Groups stand beside the suburbs of a result. Other columns are refused by name, with the repair first."""
    plain = make(rents["long"])
    suburbs = plain.reset_index()["area_name"].astype("str")
    frame = plain.assign(group=suburbs.map({BAY: "West"}).to_numpy())
    for found, expected in zip(both(frame), both(plain), strict=True):
        names = found.reset_index()["area_name"].astype("str")
        assert found["group"].fillna("").to_list() == ["West" if name == BAY else "" for name in names]
        pd.testing.assert_frame_equal(found.drop(columns="group"), expected)
    with pytest.raises(ValueError, match=r"^Pass frame\[\[.*'group'.*\]\], without 'rank':"):
        sp.growth(frame.assign(rank=range(len(frame))))
    named = rents["long"].assign(mine="x").set_index("mine", append=True)
    assert {*sp.growth(named).index.get_level_values("mine")} == {"x"}
    lists = sp.growth(plain.assign(tags=[["inner"]] * len(plain)))["tags"]
    assert lists.to_list() == [["inner"]] * len(lists)


def test_property_types_in_a_level_are_types(rents):
    """A Series of dates and property types, as `stack` makes it, is a tidy one, with or without suburbs."""
    for frame in (sp.rent(BAY), LAYOUTS["panel, date first"](rents["long"])):
        for stacked in (frame.stack(), frame.rename_axis(columns="property_type").stack()):  # noqa: PD013
            grown = sp.growth(stacked)
            assert grown.index.names == stacked.index.names
            expected = sp.growth(frame).stack().dropna()  # noqa: PD013
            assert sorted(grown) == sorted(expected)


def test_labels_of_suburbs_may_be_numbers(rents):
    """Postcodes as the columns of a wide frame come back with their values."""
    houses = rents["houses"].set_axis(pd.Index([2000, 2010, 2020], name="area_name"), axis=1)
    for found, expected in zip(both(houses), both(rents["houses"]), strict=True):
        assert found.columns.to_list() == [2000, 2010, 2020]
        np.testing.assert_array_equal(found, expected)


def test_an_index_is_resampled_by_group(rents):
    """A group of an index is in the place of a suburb."""
    coasts = {BAY: "west", WOYLIE: "north", NOWHERE: "north"}
    index = sp.rent_index(sp.resample(rents["tidy"], "QE"), coasts)
    yearly = sp.resample(index, "YE")
    assert list(yearly.columns) == ["group", "house", "unit"]
    ends = [frame.loc[frame["group"] == "west", "house"].iloc[-1] for frame in (index, yearly)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_nothing_given_is_nothing_found_in_every_layout(rents, layout):
    """Frames without rows give results with the usual columns and dtypes, and no rows."""
    usual = rents[layout]
    none = usual.iloc[:0]
    for found, expected in zip([*both(none), sp.cadence(none)], [*both(usual), sp.cadence(usual)], strict=True):
        assert found.dtypes.astype("str").equals(expected.dtypes.astype("str"))
        assert found.empty
    n_points = sp.quality(sp.rent([BAY], layout=layout, end="1990"))["n_points"].to_list()
    assert n_points == ([] if layout == "tidy" else [0, 0])


REFUSED = {
    "no frame": (lambda f: [f["long"]], "not list"),
    "no rents": (lambda f: f["long"][["area_name"]], r"long \(.*tidy \(.*wide \(.* Its columns are 'area_name'\."),
    "no dates": (lambda f: f["tidy"].drop(columns="date"), "Its index is RangeIndex, not DatetimeIndex"),
    "numbers for dates": (lambda f: f["tidy"].assign(date=20260430), r"\['date'\] holds no dates, .*20260430"),
    "a time for a date": (lambda f: f["tidy"].assign(date="2026-04-26 12:00"), "not written as '2026-04-30'"),
    "a time of day": (lambda f: f["long"].set_axis(f["long"].index + pd.Timedelta("1h")), "times of day"),
    "a missing date": (lambda f: f["tidy"].assign(date=f["tidy"]["date"].shift()), "A date is missing"),
    "no name": (lambda f: f["tidy"].assign(area_name=None), "rows without an area_name"),
    "no name in wide": (lambda f: f["houses"].rename(columns={BAY: None}), "A column has no area_name"),
    "a level of numbers": (
        lambda _: sp.rent(BAY).assign(mine=lambda own: range(len(own))).set_index("mine", append=True),
        "without 'mine'",
    ),
    "no names at all": (lambda f: f["long"]["house"], "^Pass the frame that this Series is from: "),
    "text for rents": (lambda f: f["tidy"].assign(rent="much"), "'rent' is not one column of numbers"),
    "text in wide": (lambda f: f["wide"].astype("str"), "is not one column of numbers"),
    "another type": (lambda f: f["tidy"].replace({"property_type": {"unit": "flat"}}), "'house' or 'unit', not 'flat'"),
    "other levels": (lambda f: f["wide"].rename_axis(columns=["a", "b"]), "its columns are called 'a', 'b'"),
    "a suburb twice": (lambda f: pd.concat([f["wide"], f["wide"]], axis=1), "more than one column called"),
    "a heading not read": (lambda f: csv(f["wide"], index_col=0), "Read both, with read_csv or read_excel: "),
    "a heading not read, nor its name": (lambda f: csv(f["wide"], index_col=0).rename_axis(None), "Read both"),
    "an index not read": (lambda f: csv(f["wide"], header=[0, 1]), "Read both, with read_csv or read_excel: "),
    "a name not written": (lambda f: csv(f["houses"]), r"pass frame\.rename_axis\(columns='area_name'\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_are_in_no_layout_are_refused(rents, case):
    """The error says what is wrong and what to do, before anything is computed."""
    make, message = REFUSED[case]
    with pytest.raises(TypeError if case == "no frame" else ValueError, match=message):
        sp.growth(make(rents))


def test_details_need_the_long_layout(rents):
    """A layout without room for more columns is refused."""
    for frame in (rents["tidy"], rents["wide"], sp.rent(BAY)["house"]):
        for function in (sp.growth, lambda frame, **options: sp.resample(frame, "QE", **options)):
            with pytest.raises(ValueError, match="needs the long layout, which a loader returns unless"):
                function(frame, detail=True)
