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
from tests.timeseries.irregular import NAMES, as_arguments, long_frame_of

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

BAY, WOYLIE, NOWHERE = "Quokka Bay", "Woylie", "Thorny Devil"
THREE = [BAY, WOYLIE, NOWHERE]

TEXT = pd.Series([""], dtype="str").dtype

kinds = st.sampled_from(KINDS)


def csv(frame, **how):
    """Return a frame as it comes back from a CSV file."""
    return pd.read_csv(io.StringIO(frame.to_csv()), **how)


def assert_same_values(found, expected):
    """Assert that two dictionaries of values are equal, numbers to 1e-9."""
    assert found.keys() == expected.keys()
    assert list(found.values()) == pytest.approx([expected[key] for key in found], rel=1e-9, abs=1e-9, nan_ok=True)


def not_zero(values):
    """Return the values other than zero: in a long frame, points of the other type add periods with a count of zero."""
    return {key: value for key, value in values.items() if value}


def commutes(rows, kind, function):
    """Assert that a function gives the same values in every layout, and that it keeps the layout and its suburbs."""
    long = long_frame_of(rows)
    tidy, wide = melted(long), pivoted(long)
    expected = values_of(function(long))
    of_tidy, of_wide, of_kind = function(tidy), function(wide), function(wide[kind])
    assert_same_values(values_of(of_tidy), expected)
    assert_same_values(values_of(of_wide), expected)
    own = {key: value for key, value in expected.items() if key[2] == kind}
    assert_same_values(not_zero(values_of(of_kind, kind)), not_zero(own))
    assert list(of_tidy.columns) == ["date", "area_name", "property_type", "rent"]
    assert isinstance(of_tidy.index, pd.RangeIndex)
    assert of_tidy["area_name"].dtype == TEXT
    pd.testing.assert_index_equal(of_wide.columns, wide.columns)
    pd.testing.assert_index_equal(of_kind.columns, wide[kind].columns)


@law(some=20, rows=irregular.rows_of_suburbs(), freq=irregular.freqs, chosen=irregular.options(), kind=kinds)
def test_resampling_commutes_with_the_change_of_layout(rows, freq, chosen, kind):
    """Resampling a tidy or wide frame gives the values, layout and suburbs that resampling the long frame gives."""
    commutes(rows, kind, lambda frame: sp.resample(frame, freq, **as_arguments(chosen)))


@law(rows=irregular.rows_of_suburbs(), over=overs, chosen=irregular.growth_options(), kind=kinds)
def test_growth_commutes_with_the_change_of_layout(rows, over, chosen, kind):
    """Growth of a tidy or wide frame has the values, layout and suburbs that growth of the long frame has."""
    commutes(rows, kind, lambda frame: sp.growth(frame, over, **as_arguments(chosen)))


def tables_of(frame):
    """Return the tables of cadence and quality, in the order of the categories."""
    tables = [sp.cadence(frame), sp.quality(frame, asof="2005-01-01")]
    return [table.sort_values("area_name", kind="stable").reset_index(drop=True) for table in tables]


@law(some=12, rows=irregular.rows_of_suburbs(), kind=kinds)
def test_cadence_and_quality_are_the_same_of_every_layout(rows, kind):
    """Cadence and quality do not depend on the layout. Of `wide["house"]` they name no property type."""
    long = long_frame_of(rows)
    expected = tables_of(long)
    for frame in (melted(long), pivoted(long)):
        for found, table in zip(tables_of(frame), expected, strict=True):
            pd.testing.assert_frame_equal(found, table)
    for found, table in zip(tables_of(pivoted(long)[kind]), expected, strict=True):
        assert found["property_type"].isna().all()
        own = table[table["property_type"] == kind].reset_index(drop=True)
        pd.testing.assert_frame_equal(found.drop(columns="property_type"), own.drop(columns="property_type"))


@law(some=10, rows=irregular.rows_of_suburbs(), freq=irregular.freqs, kind=kinds)
def test_the_rent_index_is_the_same_of_every_layout(rows, freq, kind):
    """The index of a region does not depend on the layout. Of `wide["house"]` its columns are called `rent`."""
    long = sp.resample(long_frame_of(rows), freq).dropna(how="all", subset=list(KINDS))
    weights = {name: number for number, name in enumerate(NAMES, 1)}
    for frame in (melted(long), pivoted(long)):
        found, expected = (sp.rent_index(each, None, weights) for each in (frame, long))
        pd.testing.assert_frame_equal(found, expected, check_index_type=False)
    own = long[["area_name", kind]].dropna()
    expected = sp.rent_index(own, None, weights).rename(columns=lambda label: label.replace(kind, "rent"))
    pd.testing.assert_frame_equal(sp.rent_index(pivoted(long)[kind], None, weights), expected)


@law(some=5, rows=irregular.rows_of_suburbs().filter(len), freq=irregular.freqs)
def test_a_csv_file_in_between_changes_nothing(rows, freq):
    """Frames that pandas reads from a CSV file, with its plain call, give the values of the frames written to it."""
    long = long_frame_of(rows).dropna(how="all", subset=list(KINDS))
    expected = [values_of(sp.resample(long, freq)), values_of(sp.growth(long, "3M"))]
    as_index = {"index_col": "date", "parse_dates": True}
    for frame, how in (
        (long, {}),
        (long, as_index),
        (melted(long), {}),
        (pivoted(long), {"header": [0, 1], "index_col": 0}),
    ):
        back = csv(frame, **how)
        for found, values in zip([sp.resample(back, freq), sp.growth(back, "3M")], expected, strict=True):
            by_date = found.set_index("date") if "property_type" not in found and "date" in found else found
            assert_same_values(values_of(by_date), values)


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
    wide, tidy = rents["wide"], rents["tidy"]
    for part in (wide[["unit"]], wide.iloc[:, [4, 0, 1]], wide.iloc[::-1], wide.swaplevel(axis=1), rents["houses"]):
        for found in both(part):
            pd.testing.assert_index_equal(found.columns, part.columns)
        pd.testing.assert_index_equal(sp.growth(part).index, part.index)
    pd.testing.assert_frame_equal(sp.growth(wide.swaplevel(axis=1)).swaplevel(axis=1), sp.growth(wide))
    pd.testing.assert_frame_equal(sp.resample(wide.reset_index(), "QE"), sp.resample(wide, "QE"))
    of_pivot = wide.rename_axis(columns=[None, "area_name"])
    pd.testing.assert_frame_equal(sp.resample(of_pivot, "QE"), sp.resample(wide, "QE"))
    pd.testing.assert_frame_equal(sp.growth(tidy.set_index("date")), sp.growth(tidy).set_index("date"))
    every_second = rents["long"].reset_index().iloc[::2]
    pd.testing.assert_index_equal(sp.growth(every_second).index, every_second.index)
    one = sp.rent(BAY, layout="tidy")
    pd.testing.assert_frame_equal(sp.growth(one.drop(columns="area_name")), sp.growth(one).drop(columns="area_name"))


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


def test_results_carry_the_marks_in_every_layout(rents):
    """The unit, the source and the operation are the same in every layout."""
    for layout in ("tidy", "wide", "houses"):
        assert rents[layout].attrs == rents["long"].attrs
        for function in (sp.growth, lambda frame: sp.resample(frame, "ME", how="count"), sp.cadence, sp.quality):
            assert function(rents[layout]).attrs == function(rents["long"]).attrs


@pytest.mark.parametrize("name", ["house", "Houses, AUD", None])
def test_a_series_gives_a_series_of_its_name(rents, name):
    """A Series with dates as its index, or with suburbs and dates, is one property type."""
    one, panel = sp.rent(BAY), rents["long"].set_index("area_name", append=True)
    series = one["house"].rename(name)
    for found, expected in zip(both(series), both(one), strict=True):
        pd.testing.assert_series_equal(found, expected["house"].rename(name))
        assert found.attrs == expected.attrs
    named = sp.quality(series, asof="2026-05-01")["property_type"].to_list()
    assert named == (["house"] if name == "house" else [pytest.approx(np.nan, nan_ok=True)])
    pd.testing.assert_series_equal(sp.growth(panel["unit"].rename(name)), sp.growth(panel)["unit"].rename(name))


@pytest.mark.parametrize("make", [melted, LAYOUTS["panel, date first"], LAYOUTS["dates as a column"]])
def test_columns_that_are_the_same_for_a_suburb_come_back(rents, make):
    """Regions stand beside the suburbs of a result. Other columns are refused by name, with the repair first."""
    plain = make(rents["long"])
    suburbs = plain.reset_index()["area_name"].astype("str")
    frame = plain.assign(region=suburbs.map({BAY: "West"}).to_numpy())
    for found, expected in zip(both(frame), both(plain), strict=True):
        names = found.reset_index()["area_name"].astype("str")
        assert found["region"].fillna("").to_list() == ["West" if name == BAY else "" for name in names]
        pd.testing.assert_frame_equal(found.drop(columns="region"), expected)
    with pytest.raises(ValueError, match=r"^Pass frame\[\[.*'region'.*\]\], without 'rank':"):
        sp.growth(frame.assign(rank=range(len(frame))))
    lists = sp.growth(plain.assign(tags=[["inner"]] * len(plain)))["tags"]
    assert lists.to_list() == [["inner"]] * len(lists)


def test_property_types_in_a_level_are_types(rents):
    """A Series of dates and property types, as `stack` makes it, is a tidy one, with or without suburbs."""
    one, panel = sp.rent(BAY), LAYOUTS["panel, date first"](rents["long"])
    for frame, plain in ((one, one), (panel, rents["long"])):
        for stacked in (frame.stack(), frame.rename_axis(columns="property_type").stack()):  # noqa: PD013
            assert sp.cadence(stacked)["n_points"].to_list() == sp.cadence(plain)["n_points"].to_list()
            assert sp.growth(stacked).index.names == stacked.index.names
            quarters = sp.resample(stacked, "QE").unstack()  # noqa: PD010
            assert sorted(quarters["house"].dropna()) == sorted(sp.resample(plain, "QE")["house"].dropna())


def test_labels_of_suburbs_may_be_numbers(rents):
    """Postcodes as the columns of a wide frame come back with their values."""
    houses = rents["houses"].set_axis(pd.Index([2000, 2010, 2020], name="area_name"), axis=1)
    for found, expected in zip(both(houses), both(rents["houses"]), strict=True):
        assert found.columns.to_list() == [2000, 2010, 2020]
        np.testing.assert_array_equal(found, expected)


def test_an_index_goes_by_a_column_and_is_resampled_by_group(rents):
    """`by` may be a column that the user added. A group of an index is in the place of a suburb."""
    coasts = {BAY: "west", WOYLIE: "north", NOWHERE: "north"}
    quarters = (sp.resample(rents[layout], "QE") for layout in ("tidy", "long"))
    tidy, long = (sp.rent_index(each.assign(coast=each["area_name"].map(coasts)), "coast") for each in quarters)
    pd.testing.assert_frame_equal(tidy, long)
    yearly = sp.resample(long, "YE")
    assert list(yearly.columns) == ["group", "house", "unit"]
    west = long.loc[long["group"] == "west", "house"]
    assert yearly.loc[yearly["group"] == "west", "house"].iloc[-1] == west.iloc[-1]


@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_nothing_given_is_nothing_found_in_every_layout(rents, layout):
    """Frames of no suburbs, of no dates and of no values give results with the usual columns and no rows."""
    none, usual = sp.rent([], layout=layout), rents[layout]
    for function in (sp.growth, lambda frame: sp.resample(frame, "ME"), sp.cadence):
        assert len(function(none)) == 0
        assert function(usual.iloc[:0]).columns.equals(function(usual).columns)
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
    "an index not read": (lambda f: csv(f["wide"], header=[0, 1]), "Read both, with read_csv or read_excel: "),
    "a name not written": (lambda f: csv(f["houses"]), r"pass frame\.rename_axis\(columns='area_name'\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_are_in_no_layout_are_refused(rents, case):
    """The error says what is wrong and what to do, before anything is computed."""
    make, message = REFUSED[case]
    for function in (sp.growth, sp.quality):
        with pytest.raises(TypeError if case == "no frame" else ValueError, match=message):
            function(make(rents))


@pytest.mark.parametrize("layout", ["tidy", "wide", "series"])
def test_details_need_the_long_layout(rents, layout):
    """A layout without room for more columns is refused."""
    for function in (sp.growth, lambda frame, **options: sp.resample(frame, "QE", **options)):
        with pytest.raises(ValueError, match="needs the long layout, which a loader returns unless"):
            function(sp.rent(BAY)["house"] if layout == "series" else rents[layout], detail=True)
