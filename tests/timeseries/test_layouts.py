"""Layouts of rents: every function commutes with the change of layout, and what a file makes of a frame is read."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.timeseries import layouts
from tests.support import irregular
from tests.support.irregular import NAMES, as_arguments, long_frame_of
from tests.support.laws import law, overs
from tests.support.layouts import KINDS, melted, pivoted, values_of

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


@law(some=10, rows=irregular.rows_of_suburbs(), freq=irregular.freqs, kind=kinds, grouped=st.booleans())
def test_the_rent_index_is_the_same_of_every_layout(rows, freq, kind, grouped):
    """The index of a region does not depend on the layout. Of `wide["house"]` its columns are called `rent`."""
    long = sp.resample(long_frame_of(rows), freq).dropna(how="all", subset=list(KINDS))
    by = {name: name[0] in "QW" for name in NAMES} if grouped else None
    weights = {name: number for number, name in enumerate(NAMES, 1)}
    for frame in (melted(long), pivoted(long)):
        found, expected = (sp.rent_index(each, by, weights) for each in (frame, long))
        if by is not None:  # the order of the groups is that of their first rows
            found, expected = (
                each.astype({"group": "bool"}).sort_values(["group", "date"]) for each in (found, expected)
            )
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


PANELS = {
    "date first": lambda long: long.set_index("area_name", append=True),
    "suburb first": lambda long: long.set_index("area_name", append=True).swaplevel(),
    "other names": lambda long: long.set_index("area_name", append=True).rename_axis(["time", "entity"]),
    "no names": lambda long: long.set_index("area_name", append=True).swaplevel().rename_axis([None, None]),
    "dates as text": lambda long: long.set_axis(long.index.map(str)).set_index("area_name", append=True),
}


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_comes_back_as_a_panel(rents, panel):
    """Suburb and date may be the levels of the index in either order, whatever they are called if one holds dates."""
    to_panel, long = PANELS[panel], rents["long"]
    frame = to_panel(long)
    for function in (sp.growth, lambda each: sp.resample(each, "QE", detail=True)):
        found, expected = function(frame), function(long)
        assert found.index.names == frame.index.names
        again = expected.set_index("area_name", append=True).reindex(columns=found.columns)
        is_first = found.index.get_level_values(0).dtype != expected["area_name"].dtype
        again = (again if is_first else again.swaplevel()).rename_axis(found.index.names)
        pd.testing.assert_frame_equal(found, again)
    for function in (sp.cadence, lambda each: sp.rent_index(sp.resample(each, "QE"))):
        pd.testing.assert_frame_equal(function(frame), function(long))


def test_a_loader_returns_a_panel(rents):
    """`layout="panel"` has suburb and date as its index, also for one suburb and on a calendar."""
    found = sp.rent(THREE[:2], layout="panel")
    assert found.index.names == ["area_name", "date"]
    assert list(found.columns) == list(KINDS)
    pd.testing.assert_frame_equal(found.reset_index("area_name"), sp.rent(THREE[:2]))
    assert found.attrs == sp.rent(THREE[:2]).attrs
    assert list(sp.rent(BAY, layout="panel", freq="QE").loc[BAY].index) == list(sp.rent(BAY, freq="QE").index)


@pytest.mark.parametrize("name", ["house", "rent", "Houses, AUD", None, ("house", BAY)])
def test_a_series_gives_a_series_of_its_name(rents, name):
    """A Series with dates as its index is one property type of one suburb."""
    one = sp.rent(BAY)
    series = one["house"].rename(name)
    for function in (sp.growth, lambda each: sp.resample(each, "QE", how="mean")):
        pd.testing.assert_series_equal(function(series), function(one)["house"].rename(name))
        assert function(series).attrs == function(one).attrs
    named = {"house": "house"}.get(name)
    assert sp.quality(series, asof="2026-05-01")["property_type"].to_list() == [
        named or pytest.approx(np.nan, nan_ok=True)
    ]


def test_a_series_of_a_panel_gives_a_series(rents):
    panel = rents["long"].set_index("area_name", append=True)
    pd.testing.assert_series_equal(sp.growth(panel["unit"]), sp.growth(panel)["unit"])
    yearly = sp.resample(panel["unit"], "YE")
    pd.testing.assert_series_equal(yearly, sp.resample(panel[["unit"]], "YE")["unit"])


def test_a_series_of_several_suburbs_without_their_names_is_refused(rents):
    for function in (sp.growth, sp.cadence):
        with pytest.raises(ValueError, match=r"^Pass the frame that this Series is from: "):
            function(rents["long"]["house"])


BESIDE = {
    "long": lambda long: long,
    "tidy": melted,
    "panel": lambda long: long.set_index("area_name", append=True),
    "a column of dates": lambda long: long.reset_index(),
}


@pytest.mark.parametrize("layout", BESIDE)
def test_columns_that_are_the_same_for_a_suburb_come_back(rents, layout):
    """Regions stand beside the suburbs of a result. Other columns are refused by name, with the repair first."""
    with_regions = rents["long"].assign(region=rents["long"]["area_name"].map({BAY: "West", WOYLIE: None}), order=1)
    make = BESIDE[layout]
    if layout == "tidy":
        frame = make(rents["long"]).merge(pd.DataFrame({"area_name": [BAY], "region": ["West"]}), how="left")
    else:
        frame = make(with_regions)
    for function in (sp.growth, lambda each: sp.resample(each, "QE")):
        found = function(frame)
        names = found.reset_index()["area_name"].astype("str")
        assert found["region"].fillna("").to_list() == ["West" if name == BAY else "" for name in names]
        plain = found.drop(columns=["region", "order"], errors="ignore")
        pd.testing.assert_frame_equal(function(make(rents["long"])), plain)
    with pytest.raises(ValueError, match=r"^Pass frame\[\[.*'region'.*\]\], without 'rank':"):
        sp.growth(frame.assign(rank=range(len(frame))))


def test_the_column_of_suburbs_is_found_by_its_name(rents):
    """It may have any name that `df.suburb` finds, and keeps it."""
    renamed = rents["long"].rename(columns={"area_name": "SAL_NAME_2021"})
    for function in (sp.growth, lambda each: sp.resample(each, "QE", detail=True)):
        expected = function(rents["long"]).rename(columns={"area_name": "SAL_NAME_2021"})
        pd.testing.assert_frame_equal(function(renamed), expected)


@pytest.mark.parametrize("name", ["area_name", "Suburb"])
def test_suburbs_may_be_the_index_beside_a_column_of_dates(rents, name):
    """The rows of several suburbs are never taken for those of one because the suburbs are in the index."""
    frame = rents["long"].reset_index().set_index("area_name").rename_axis(name)
    for function in (sp.growth, lambda each: sp.resample(each, "QE", detail=True)):
        expected = function(rents["long"]).reset_index().set_index("area_name").rename_axis(name)
        pd.testing.assert_frame_equal(function(frame), expected)


def test_a_wide_frame_may_have_its_dates_as_a_column(rents):
    pd.testing.assert_frame_equal(sp.resample(rents["wide"].reset_index(), "QE"), sp.resample(rents["wide"], "QE"))


def test_an_index_of_groups_is_resampled_by_group(rents):
    index = sp.rent_index(sp.resample(rents["long"], "QE"), {BAY: "West", WOYLIE: "North", NOWHERE: "North"})
    yearly = sp.resample(index, "YE")
    assert list(yearly.columns) == ["group", "house", "unit"]
    west = index[index["group"] == "West"]
    assert yearly.loc[yearly["group"] == "West", "house"].iloc[-1] == west["house"].iloc[-1]


def test_every_layout_of_a_loader_becomes_the_same_long_frame(rents):
    """The tidy and the wide frame of a loader become its long frame, attrs included; the wide one keeps categories."""
    used = rents["long"].assign(area_name=rents["long"]["area_name"].cat.remove_unused_categories())
    for layout, expected in (("tidy", used), ("wide", rents["long"])):
        found = layouts.as_long(rents[layout])
        pd.testing.assert_frame_equal(found, expected)
        assert found.attrs == rents["long"].attrs


def test_a_tidy_frame_of_a_loader(rents):
    """Its columns, dtypes, order and index are those of the documentation, for one suburb, too."""
    tidy = rents["tidy"]
    assert isinstance(tidy.index, pd.RangeIndex)
    assert tidy.dtypes.astype("str").to_dict() == {
        "date": str(rents["long"].index.dtype),
        "area_name": TEXT.name,
        "property_type": TEXT.name,
        "rent": "float64",
    }
    assert list(tidy["area_name"].unique()) == [BAY, WOYLIE]
    assert values_of(tidy) == values_of(rents["long"])
    order = [(THREE.index(name), kind, day) for day, name, kind in values_of(tidy)]
    assert order == sorted(order)
    one = sp.rent(BAY, layout="tidy")
    pd.testing.assert_frame_equal(one, tidy[tidy["area_name"] == BAY])
    assert one.attrs == sp.rent(BAY).attrs
    none = sp.rent([], layout="tidy")
    assert list(none.columns) == list(tidy.columns)
    assert len(none) == 0


def test_a_tidy_frame_of_a_few_suburbs_knows_no_others(embedded):
    """Cut down to a few suburbs, a tidy frame or one computed from it groups by these suburbs only, in their order."""
    names = [WOYLIE, "Cider Gum", BAY]
    for frame in (sp.rent(names, layout="tidy"), sp.rent(names, freq="QE", layout="tidy")):
        few = frame[frame["area_name"].isin([WOYLIE, BAY])]
        for found in (few, sp.resample(few, "QE"), sp.growth(few)):
            assert list(found.groupby("area_name", sort=False).groups) == [WOYLIE, BAY]


def test_a_tidy_frame_joins_a_frame_with_text(embedded):
    """The ``merge_asof`` of pandas takes a tidy frame ``by`` a column of names as files have it, which is text."""
    tidy = sp.rent([WOYLIE, BAY], layout="tidy")
    houses = tidy[tidy["property_type"] == "house"].sort_values("date")
    leases = pd.DataFrame({"area_name": [BAY, WOYLIE], "date": pd.to_datetime(["2024-03-05", "2024-03-06"])})
    found = pd.merge_asof(leases, houses, on="date", by="area_name")["rent"]
    assert found.to_list() == leases.suburb.join_rent(tolerance=None)["house_rent"].to_list()


@pytest.mark.parametrize("layout", ["long", "wide", "houses"])
def test_suburbs_without_data_stay(rents, layout):
    """A suburb without values keeps its category in a long result, and its columns of NaN in a wide one."""
    for found in (sp.resample(rents[layout], "QE"), sp.growth(rents[layout])):
        if layout == "long":
            assert list(found["area_name"].cat.categories) == THREE
        else:
            assert found.columns.equals(rents[layout].columns)
            own = found[NOWHERE] if layout == "houses" else found.xs(NOWHERE, axis=1, level="area_name")
            assert own.isna().to_numpy().all()
    quality = sp.quality(rents[layout], asof="2026-05-01")
    assert (quality.loc[quality["area_name"] == NOWHERE, "n_points"] == 0).any()


@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_nothing_given_is_nothing_found_in_every_layout(embedded, layout):
    """Frames of no suburbs, and of no dates, give results with the usual columns and no rows."""
    none, usual = sp.rent([], layout=layout), sp.rent([BAY], layout=layout)
    selected = sp.rent([BAY], layout=layout, end="1990")
    for function in (sp.growth, lambda frame: sp.resample(frame, "ME"), sp.cadence):
        for frame in (none, selected, usual.iloc[:0]):
            found = function(frame)
            assert len(found) == 0
            assert list(found.columns) == list(function(usual).columns) or (layout == "wide" and frame is none)
    assert len(sp.quality(none)) == 0
    assert sp.quality(selected)["n_points"].to_list() == ([] if layout == "tidy" else [0, 0])


def test_the_index_may_go_by_a_column_of_a_tidy_frame(rents):
    """`by` may be a column that the user added to a tidy frame, as to a long one."""
    tidy, long = (sp.resample(rents[layout], "QE") for layout in ("tidy", "long"))
    coasts = {BAY: "west", WOYLIE: "north"}
    found, expected = (
        sp.rent_index(frame.assign(coast=frame["area_name"].map(coasts)), "coast") for frame in (tidy, long)
    )
    pd.testing.assert_frame_equal(found, expected)
    assert set(found["group"]) == set(coasts.values())


def test_results_carry_the_marks_in_every_layout(rents):
    """The unit, the source and the operation are the same in every layout. A tidy column stays `rent`."""
    for layout in ("tidy", "wide", "houses"):
        for function in (sp.growth, lambda frame: sp.resample(frame, "ME", how="count"), sp.cadence, sp.quality):
            found = function(rents[layout])
            assert found.attrs == function(rents["long"]).attrs
    assert sp.growth(rents["tidy"]).attrs["suburb_pandas"]["unit"] == "fraction"
    assert rents["tidy"].attrs == rents["long"].attrs


def test_growth_of_a_wide_frame_keeps_its_rows(rents):
    """Growth has the dates of a wide frame, in their order, also those on which there is no growth."""
    for wide in (rents["wide"], rents["houses"].iloc[::-1]):
        pd.testing.assert_index_equal(sp.growth(wide).index, wide.index)


def test_dates_as_a_column_come_back_as_a_column(rents):
    """A long frame whose dates are a column is returned with that column, and growth keeps its rows."""
    frame = rents["long"].reset_index().set_axis(np.arange(len(rents["long"])) * 2)
    resampled, grown = sp.resample(frame, "QE", detail=True), sp.growth(frame)
    expected = sp.resample(rents["long"], "QE", detail=True)
    pd.testing.assert_frame_equal(resampled, expected.reset_index())
    pd.testing.assert_frame_equal(grown, sp.growth(rents["long"]).reset_index().set_index(frame.index))
    moved = frame[["area_name", "house", "date", "unit"]]
    assert list(sp.growth(moved).columns) == list(moved.columns)
    one = sp.rent(BAY)
    pd.testing.assert_frame_equal(sp.growth(one.reset_index()), sp.growth(one).reset_index())


def test_a_tidy_frame_may_have_its_dates_as_the_index(rents):
    """A tidy frame that is indexed by date is returned as one."""
    found = sp.growth(rents["tidy"].set_index("date"))
    pd.testing.assert_frame_equal(found, sp.growth(rents["tidy"]).set_index("date"))


def test_a_tidy_frame_of_one_suburb_needs_no_name(rents):
    """Without `area_name`, the rows of a tidy frame are those of one suburb."""
    one = sp.rent(BAY, layout="tidy")
    pd.testing.assert_frame_equal(sp.growth(one.drop(columns="area_name")), sp.growth(one).drop(columns="area_name"))


def test_parts_of_wide_frames_keep_their_columns(rents):
    """Columns that were left out or reordered stay so."""
    for part in (rents["wide"][["unit"]], rents["wide"].iloc[:, [4, 0, 1]], rents["wide"].swaplevel(axis=1)):
        assert sp.growth(part).columns.equals(part.columns)
    swapped = sp.growth(rents["wide"].swaplevel(axis=1)).swaplevel(axis=1)
    pd.testing.assert_frame_equal(swapped, sp.growth(rents["wide"]))


def test_a_type_that_is_not_named_is_not_guessed(rents):
    """The rents of `wide["house"]` are called `rent`, because the frame does not say of which type they are."""
    quarters = sp.resample(rents["houses"], "QE")
    assert list(sp.rent_index(quarters).columns) == ["rent", "rent_n", "rent_share", "rent_bridged"]
    assert sp.cadence(quarters)["property_type"].isna().all()
    assert sp.quality(quarters, asof="2026-05-01")["property_type"].isna().all()


@pytest.mark.parametrize("layout", ["tidy", "wide", "houses", "series"])
def test_details_need_the_long_layout(rents, layout):
    """A layout without room for more columns is refused."""
    frame = {**rents, "series": sp.rent(BAY)["house"]}[layout]
    for function in (sp.growth, lambda given, **options: sp.resample(given, "QE", **options)):
        with pytest.raises(ValueError, match="needs the long layout, which a loader returns unless"):
            function(frame, detail=True)


def test_the_columns_of_a_wide_frame_from_csv_have_to_be_named(rents):
    """A CSV file loses the name of the columns of `wide["house"]`. The line in the error puts it back."""
    for how in ({}, {"index_col": "date", "parse_dates": True}):
        back = csv(rents["houses"], **how)
        for function in (sp.growth, sp.cadence, sp.quality, lambda frame: sp.resample(frame, "QE")):
            with pytest.raises(ValueError, match=r"pass frame\.rename_axis\(columns='area_name'\)"):
                function(back)
        found = sp.growth(back.rename_axis(columns="area_name"))
        pd.testing.assert_frame_equal(
            found, sp.growth(rents["houses"]), check_column_type=False, check_index_type=False
        )


@pytest.mark.parametrize("how", [{}, {"index_col": 0}, {"header": [0, 1]}])
def test_a_wide_frame_of_which_one_heading_was_read_is_refused_with_the_way_to_read_both(rents, how):
    """The names of the suburbs, or the dates, are read as values unless pandas is told where they are."""
    with pytest.raises(sp.errors.ProvenanceError, match=r"Read both, with read_csv or read_excel: .*index_col=0"):
        sp.cite(csv(rents["wide"], **how))
    for function in (sp.growth, sp.cadence, sp.quality, lambda frame: sp.resample(frame, "QE")):
        with pytest.raises(ValueError, match=r"Read both, with read_csv or read_excel: .*header=\[0, 1\], index_col=0"):
            function(csv(rents["wide"], **how))


REFUSED = {
    "another column in tidy": (lambda f: f["tidy"].assign(x=f["tidy"].index), r"Pass frame\[\['date', 'area_name', 'p"),
    "another type": (lambda f: f["tidy"].replace({"property_type": {"unit": "flat"}}), "'house' or 'unit', not 'flat'"),
    "no type": (lambda f: f["tidy"].assign(property_type=None), "property_type must be 'house' or 'unit', not None"),
    "text for rents": (lambda f: f["tidy"].assign(rent="much"), "'rent' is not one column of numbers"),
    "no dates in tidy": (lambda f: f["tidy"].drop(columns="date"), "Its index is RangeIndex, not DatetimeIndex"),
    "numbers for dates": (lambda f: f["tidy"].assign(date=20260430), r"\['date'\] holds no dates, .*20260430"),
    "a month for a date": (lambda f: f["tidy"].assign(date="2026-04"), "not written as '2026-04-30': '2026-04'"),
    "a time of day": (lambda f: f["tidy"].assign(date="2026-04-26 12:00"), "not written as '2026-04-30'"),
    "a missing date": (lambda f: f["tidy"].assign(date=f["tidy"]["date"].shift()), "A date is missing"),
    "no name": (lambda f: f["tidy"].assign(area_name=None), "rows without an area_name"),
    "wide with text": (lambda f: f["wide"].astype("str"), "is not one column of numbers"),
    "wide of another type": (lambda f: f["wide"].rename(columns={"unit": "flat"}), "'house' or 'unit', not 'flat'"),
    "wide of other levels": (lambda f: f["wide"].rename_axis(columns=["a", "b"]), "its columns are called 'a', 'b'"),
    "wide without dates": (lambda f: f["wide"].reset_index(drop=True), "not DatetimeIndex"),
    "a suburb twice": (lambda f: pd.concat([f["wide"], f["wide"]], axis=1), "more than one column called"),
    "a wide frame without a name": (lambda f: f["houses"].rename(columns={BAY: None}), "A column has no area_name"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_are_in_no_layout_are_refused(rents, case):
    """The error says what is wrong and what to do, before anything is computed."""
    make, message = REFUSED[case]
    for function in (sp.growth, sp.cadence, sp.quality, lambda frame: sp.resample(frame, "ME")):
        with pytest.raises(ValueError, match=message):
            function(make(rents))


def test_the_error_for_another_frame_names_every_layout():
    """A frame that holds no rents is refused with the names of the layouts."""
    with pytest.raises(ValueError, match=r"long \(.*tidy \(.*wide \(.* Its columns are 'x'\."):
        sp.growth(pd.DataFrame({"x": ["a"]}, pd.DatetimeIndex(["2026-04-26"])))


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_the_unit_of_dates_is_kept_in_every_layout(rents, unit):
    """Dates in the result have the unit of the dates in the frame."""
    tidy = rents["tidy"].assign(date=rents["tidy"]["date"].dt.as_unit(unit))
    wide = rents["wide"].set_axis(rents["wide"].index.as_unit(unit))
    assert (
        sp.resample(tidy, "QE")["date"].dt.unit
        == sp.resample(wide, "QE").index.unit
        == sp.growth(wide).index.unit
        == unit
    )


@pytest.mark.parametrize("dtype", ["Float64", "float32"])
def test_wide_frames_of_every_kind_of_number(rents, dtype):
    """Rents in a wide frame may be nullable or float32."""
    found = sp.resample(rents["wide"].astype(dtype), "QE")
    pd.testing.assert_frame_equal(found, sp.resample(rents["wide"], "QE"))


def test_a_tidy_frame_becomes_an_arrow_table_without_loss(rents):
    """Arrow keeps every column and every value of a tidy frame, which has no index to lose."""
    arrow = pytest.importorskip("pyarrow")
    table = arrow.Table.from_pandas(rents["tidy"])
    assert table.column_names == ["date", "area_name", "property_type", "rent"]
    pd.testing.assert_frame_equal(sp.growth(table.to_pandas()), sp.growth(rents["tidy"]))


def test_a_tidy_frame_becomes_a_polars_frame_without_loss(rents):
    """Polars, which drops the index of a pandas frame, keeps every column and every value of a tidy one."""
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.from_pandas(rents["tidy"])
    assert frame.columns == ["date", "area_name", "property_type", "rent"]
    assert frame["rent"].to_list() == rents["tidy"]["rent"].to_list()
    assert values_of(sp.growth(frame.to_pandas())) == values_of(sp.growth(rents["tidy"]))
