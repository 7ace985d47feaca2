"""Frames of the rent shape: which frames resample, cadence, quality and growth accept, and what they keep of them."""

import io
import json
import re
import warnings
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support import irregular
from tests.support.common import of_this_call
from tests.support.laws import law

BAY, WOYLIE = "Quokka Bay", "Woylie"
FUNCTIONS = [lambda frame: sp.resample(frame, "ME"), sp.cadence, sp.quality, sp.growth]


@pytest.fixture
def one(embedded):
    """Return the rents of one suburb."""
    return sp.rent(BAY)


@pytest.fixture
def many(embedded):
    """Return the rents of two suburbs. One of them has no units."""
    return sp.rent([WOYLIE, BAY])


def all_of(frame):
    """Return the results of resample, cadence, quality and growth for a frame."""
    return [
        sp.resample(frame, "QE", how="mean", detail=True),
        sp.cadence(frame),
        sp.quality(frame, asof="2026-05-01"),
        sp.growth(frame, "6M", smooth="91D"),
    ]


def assert_same(frames, others, **options):
    """Assert that two lists of frames are equal."""
    for frame, other in zip(frames, others, strict=True):
        pd.testing.assert_frame_equal(frame, other, **options)


REFUSED = {
    "no dates": (lambda one, _: one.reset_index(drop=True), "not DatetimeIndex. Make the dates its index, or "),
    "Australian dates": (
        lambda one, _: one.set_axis(one.index.strftime("%d/%m/%Y")),
        "frame.index holds no dates, or dates that are not written as '2026-04-30': '31/08/2017', '30/09/2017'",
    ),
    "times of day": (lambda one, _: one.set_axis(one.index + pd.Timedelta("1h")), "times of day"),
    "no date": (lambda one, _: one.set_axis([pd.NaT, *one.index[1:]]), "A date is missing"),
    "another column": (
        lambda _, many: many.assign(x=range(len(many)), y="same"),
        r"^Pass frame\[\['area_name', 'house', 'unit', 'y'\]\], without 'x':",
    ),
    "a column twice": (lambda one, _: one[["house", "house"]], "The frame has more than one column called 'house'"),
    "no type": (lambda _, many: many[["area_name"]], "Its columns are 'area_name'"),
    "text": (lambda one, _: one.assign(unit="many"), "'unit' is not one column of numbers"),
    "whether": (lambda one, _: one.assign(unit=one["unit"] > 0), "'unit' is not one column of numbers"),
    "dates for rents": (lambda one, _: one.assign(unit=one.index), "'unit' is not one column of numbers"),
    "numbers as text": (
        lambda one, _: one.assign(house=one["house"].astype(str)),
        "'house' is not one column of numbers",
    ),
    "no columns": (lambda one, _: one[[]], "Its columns are none"),
    "no name": (
        lambda _, many: many.assign(area_name=many["area_name"].where(many["unit"].notna())),
        "rows without an area_name",
    ),
    "two names": (
        lambda _, many: pd.concat([many, many["area_name"]], axis=1),
        "more than one column called 'area_name'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_not_of_the_rent_shape_is_refused(one, many, function, case):
    """A frame that does not have the rent shape is refused with an error that says how to fix it."""
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        function(make(one, many))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_no_frame_is_a_type_error(one, function):
    """Anything but a frame or a Series is refused."""
    with pytest.raises(TypeError, match="not list"):
        function([one])


@pytest.mark.parametrize("shape", ["one", "many"])
def test_a_frame_read_back_from_csv_is_as_good(one, many, shape):
    """A frame read from CSV gives the same numbers, although its names are text and its attrs are lost."""
    frame = {"one": one, "many": many}[shape]
    back = pd.read_csv(io.StringIO(frame.to_csv()), index_col="date", parse_dates=True)
    assert_same(all_of(back), all_of(frame), check_categorical=False, check_dtype=False)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_keep_their_unit(many, unit):
    """Dates in the result have the unit of the dates in the frame."""
    frame = many.set_axis(many.index.as_unit(unit))
    resampled, cadence, quality, _ = all_of(frame)
    assert {
        resampled.index.unit,
        resampled["house_last"].dt.unit,
        cadence["start"].dt.unit,
        quality["last"].dt.unit,
    } == {unit}


@pytest.mark.parametrize("dtype", ["Float64", "int64", "float32"])
def test_numbers_of_every_kind(one, dtype):
    """Rents may be nullable, integers or float32. Results are float64."""
    frame = one.dropna()
    assert_same(all_of(frame.astype(dtype)), all_of(frame))


def test_rows_in_any_order(many):
    """The order of a suburb's rows does not matter."""
    shuffled = pd.concat([many[many["area_name"] == name].sample(frac=1, random_state=1) for name in (WOYLIE, BAY)])
    resampled, cadence, quality, growth = all_of(shuffled)
    assert_same([resampled, cadence, quality], all_of(many)[:3])
    assert_same([growth.loc[growth["area_name"] == BAY].sort_index()], [all_of(many[many["area_name"] == BAY])[3]])


def test_one_type_alone_is_a_rent_frame(many):
    """A frame without units gives the same results for houses and none for units."""
    for frame, both in zip(all_of(many[["area_name", "house"]]), all_of(many), strict=True):
        if "property_type" in frame:
            expected = both[both["property_type"] == "house"].reset_index(drop=True)
        else:
            expected = both.loc[:, ~both.columns.str.startswith("unit")]
        pd.testing.assert_frame_equal(frame, expected)


def test_two_values_of_one_date_are_warned_of(one):
    """If a series has different values on one date, the last row counts and a warning names the date."""
    with pytest.warns(sp.errors.DataWarning, match=r"several values on one date \('2026-04-26'\)") as caught:
        found = sp.resample(pd.concat([one, one.tail(1) + 5]), "ME")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]
    assert (found.iloc[-1] == one.iloc[-1] + 5).all()
    pd.testing.assert_frame_equal(sp.resample(pd.concat([one, one]), "ME"), sp.resample(one, "ME"))


def test_suburbs_without_rows(many):
    """A category without rows gets no rows except in quality, where it has 0 points."""
    frame = many[many["area_name"] == BAY]
    resampled, cadence, quality, growth = all_of(frame)
    assert set(resampled["area_name"]) == set(cadence["area_name"]) == set(growth["area_name"]) == {BAY}
    assert quality[["area_name", "n_points"]].head(2).to_numpy().tolist() == [[WOYLIE, 0], [WOYLIE, 0]]
    assert list(resampled["area_name"].cat.categories) == [WOYLIE, BAY]


def test_nothing_given_is_nothing_found(one, many):
    """Frames without rows or without values give results with the usual columns and dtypes."""
    for frame in (one, many):
        for none in (frame[:0], frame.assign(house=np.nan, unit=np.nan)):
            for found, usual in zip(all_of(none), all_of(frame), strict=True):
                assert found.dtypes.equals(usual.dtypes)
            assert len(all_of(none)[0]) == len(all_of(none)[1]) == 0


QUALITY_UNITS = {
    **dict.fromkeys(["age_days", "unchanged_days", "longest_flat_days"], "days"),
    "n_points": "points",
    "share_flat_56d": "fraction",
    "max_step_pct": "per cent",
}


def dates_of(frame):
    """Return the first and the last date of a frame, as the marks of what is made from it name them."""
    return [str(date.date()) for date in (frame.index.min(), frame.index.max())]


def test_marks_are_carried_with_the_unit_and_the_operation(one, many):
    """Results keep the attrs of the frame, but have their own unit and name the call and the dates of its input."""
    for frame in (one, many):
        marks = dict(frame.attrs["suburb_pandas"])
        results = [
            (sp.resample(frame, "ME", how="mean"), "AUD per week", 'resample(freq="ME", how="mean")'),
            (sp.resample(frame, "QS-FEB"), "AUD per week", 'resample(freq="QS-FEB")'),
            (sp.resample(frame, "ME", how="count"), "points", 'resample(freq="ME", how="count")'),
            (sp.growth(frame), "fraction", 'growth(over="1Y")'),
            (sp.growth(frame, "3M", smooth=pd.Timedelta("91D")), "fraction", 'growth(over="3M", smooth="91D")'),
            (sp.cadence(frame), "points", "cadence()"),
            (sp.quality(frame), QUALITY_UNITS, 'quality(asof="2026-04-28")'),
            (sp.quality(frame, date(2025, 1, 31)), QUALITY_UNITS, 'quality(asof="2025-01-31")'),
        ]
        for found, unit, operation in results:
            expected = {**marks, "unit": unit, "operations": [operation], "input_dates": [dates_of(frame)]}
            assert found.attrs["suburb_pandas"] == expected
            assert expected["made_up"] is True
            json.dumps(found.attrs)
        assert frame.attrs["suburb_pandas"] == marks


def test_a_frame_without_attrs_gets_a_unit_and_the_operation(one):
    """The unit of a result is set even if the frame does not say its own: rents are in AUD per week."""
    one.attrs.clear()
    marks = {"unit": "fraction", "operations": ['growth(over="1Y")'], "input_dates": [dates_of(one)]}
    assert sp.growth(one).attrs == {"suburb_pandas": marks}
    assert sp.resample(one, "ME", how="count").attrs["suburb_pandas"]["unit"] == "points"
    assert sp.resample(one, "ME").attrs["suburb_pandas"]["unit"] == "AUD per week"
    assert one.attrs == {}


def test_with_details_each_column_of_numbers_has_its_unit(one):
    """With `detail`, the unit is a dictionary by column: rents, points, shares and days."""
    for found in (sp.resample(one, "ME", detail=True), sp.growth(one, detail=True)):
        units = found.attrs["suburb_pandas"]["unit"]
        assert sorted(units) == sorted(found.select_dtypes("number").columns)
        assert {units["house_base" if "house_base" in units else "house"]} == {"AUD per week"}
    assert units["house"] == "fraction"
    assert units["house_days"] == "days"


def test_operations_survive_slicing_and_concat(one):
    """Slices keep the operations, and so does a concat of frames with the same marks."""
    quarters = sp.resample(one, "QE")
    operations = ['resample(freq="QE")', 'growth(over="1Y")']
    grown = sp.growth(quarters)
    assert sp.growth(quarters.loc["2024":]).attrs["suburb_pandas"]["operations"] == operations
    assert pd.concat([grown.loc[:"2024"], grown.loc["2025":]]).attrs == grown.attrs
    assert grown[["house"]].attrs["suburb_pandas"]["operations"] == operations


@pytest.mark.parametrize("how", ["last", "mean"])
def test_operations_stay_few_and_short(one, many, how):
    """After ten operations, or where the attrs would become longer than 1 kB, three dots stand for the others."""
    for frame in (one, many):
        found, limit = frame, {"last": {"max_lag": "31D"}, "mean": {"min_coverage": 0.75}}[how]
        for number in range(15):
            found = sp.resample(found, "W-WED", how=how, fill="linear", max_gap="62D", partial="drop", **limit)
            operations = found.attrs["suburb_pandas"]["operations"]
            is_full = len(json.dumps(found.attrs)) + len(json.dumps(operations[0])) > 1000
            assert len(operations) == min(number + 1, 11) or (operations[-1] == "..." and is_full)
            assert operations.count("...") <= 1
            assert len(json.dumps(found.attrs)) < 1024
        assert operations[-1] == "..."
        for longer_unit in (sp.resample(found, "QE", detail=True), sp.quality(found), sp.rent_index(found)):
            assert longer_unit.attrs["suburb_pandas"]["operations"][-1] == "..."
            assert len(json.dumps(longer_unit.attrs)) < 1024
    for _ in range(12):
        frame = sp.resample(frame, "ME")
    assert frame.attrs["suburb_pandas"]["operations"] == ['resample(freq="ME")'] * 10 + ["..."]


def test_nothing_is_shared_with_the_frame_given(one):
    """Changing a result or its attrs does not change the frame that it was computed from."""
    before = one.copy()
    for found in (sp.resample(one, "ME"), sp.growth(one), sp.cadence(one), sp.quality(one)):
        found.attrs["suburb_pandas"]["source"] = "mine"
        found.iloc[:, -1] = found.iloc[::-1, -1].to_numpy()
    pd.testing.assert_frame_equal(one, before)
    assert one.attrs == before.attrs


WRONG = [0.0, -888.0, np.inf, -np.inf]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rents_that_are_not_above_zero_count_as_missing(function):
    """They are told with their dates and suburbs, and the result is the one of a frame in which they are missing."""
    dates = pd.DatetimeIndex(pd.date_range("2015-01-31", periods=60, freq="ME"), name="date")
    frame = pd.DataFrame({"area_name": "Quokka Bay", "house": np.linspace(400, 900, 60), "unit": 300.0}, dates)
    missing = frame.copy()
    for number, value in enumerate(WRONG):
        frame.iloc[7 + 13 * number, 1 + number % 2] = value
        missing.iloc[7 + 13 * number, 1 + number % 2] = np.nan
    with pytest.warns(sp.errors.DataWarning, match="taken for missing") as caught:
        found = function(frame)
    (warning,) = of_this_call(caught)
    assert str(warning.message) == (
        "Not above zero or not finite, so taken for missing: house of 0 on 2015-08-31 in 'Quokka Bay', house of inf on "
        "2017-10-31 in 'Quokka Bay', unit of -888 on 2016-09-30 in 'Quokka Bay', unit of -inf on 2018-11-30 in 'Quokka "
        "Bay'. If the frame holds changes, not rents, compute these after this step instead."
    )
    pd.testing.assert_frame_equal(found, function(missing))


@law(rows=irregular.suburb_rows(), where=st.lists(st.tuples(st.integers(0, 99), st.sampled_from(WRONG)), max_size=9))
def test_a_frame_with_such_rents_gives_what_it_gives_without_them(rows, where):
    """That holds wherever they are, for every function that takes rents."""
    frame = irregular.frame_of(rows)
    without = frame.copy()
    for number, value in where:
        row, column = divmod(number, 2)
        if row < len(frame):
            frame.iloc[row, column], without.iloc[row, column] = value, np.nan
    for function in [*FUNCTIONS, lambda given: sp.resample(given, "W", how="mean", fill="linear")]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.errors.DataWarning)
            pd.testing.assert_frame_equal(function(frame), function(without))


tiny_and_huge = st.sampled_from([5e-324, 1e-300, 1.0, 600.0, 1e308])


@law(values=st.lists(tiny_and_huge, min_size=2, max_size=30), annual=st.booleans())
def test_growth_is_never_infinite(values, annual):
    """Where a growth is too large for a number, it is missing, with its base."""
    dates = pd.date_range("2015-01-31", periods=len(values), freq="ME", name="date")
    grown = sp.growth(pd.DataFrame({"house": values}, dates), "1M", annualise=annual, detail=True)
    assert not np.isinf(grown["house"]).any()
    assert (grown["house"].isna() == grown["house_base_date"].isna()).all()
    assert (grown["house"].isna() == grown["house_base"].isna()).all()


@pytest.mark.parametrize("wrong", ["1899-12-31", "2261-04-05"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_dates_that_cannot_be_right_are_warned_of(function, wrong):
    """A date before 1900 or in the future is named in a warning, and used as it is."""
    dates = pd.DatetimeIndex(["1900-01-01", wrong, "2026-04-26"], name="date")
    with pytest.warns(sp.errors.DataWarning, match=f"before 1900 or after today, .*: '{wrong}'") as caught:
        function(pd.DataFrame({"house": [1.0, 2.0, 3.0]}, dates))
    assert len(of_this_call(caught)) == 1


def test_no_point_is_younger_than_its_response(one):
    """For a loaded frame of one suburb, a date after the day of retrieval is warned of, also if it is in the past.

    The day is that of eastern Australia, where it begins before the day in UTC.
    """
    for at, day, is_later in [
        ("2026-04-25T12:59:59+00:00", "2026-04-25", False),
        ("2026-04-25T12:59:59+00:00", "2026-04-26", True),
        ("2026-04-25T13:00:00+00:00", "2026-04-26", False),
        ("2026-04-25T13:00:00+00:00", "2026-04-27", True),
    ]:
        frame = one.rename(index={one.index[-1]: pd.Timestamp(day)})
        frame.attrs["suburb_pandas"]["retrieved_at"] = at
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sp.growth(frame)
        latest = pd.Timestamp(day) - pd.Timedelta(days=1)
        expected = f"after the day of retrieval, {latest:%Y-%m-%d} in Australia: '{day}'"
        assert [expected in str(each.message) for each in caught] == ([True] if is_later else [])


@pytest.mark.filterwarnings("error")
def test_labels_of_open_periods_are_not_warned_of(one):
    """A resampled frame may have a label in the future, because a period is labelled with its last day."""
    years = sp.resample(one, "YE-MAR")
    assert years.index[-1] == pd.Timestamp("2027-03-31")
    sp.growth(years)


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_a_grid_that_would_fill_the_memory_is_refused():
    """Over 50 million rows, an error says how many rows it would be, before any is made."""
    dates = pd.DatetimeIndex(np.array(["0005-01-02", "2026-04-26"] * 500, dtype="M8[s]"), name="date")
    names = [f"Made-up {number // 2}" for number in range(1000)]
    frame = pd.DataFrame({"area_name": names, "house": 1.0}, dates)
    message = r"freq='W-SUN' would make 52,7\d\d,\d\d\d rows, more than 50,000,000. Leave out the rows with wrong dates"
    with pytest.raises(ValueError, match=message):
        sp.resample(frame, "W-SUN")
    assert len(sp.resample(frame.iloc[:4], "W-SUN")) > 200_000


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_dates_beyond_what_a_unit_can_count_are_an_error():
    """A label that the unit of the dates cannot hold raises pandas' error instead of wrapping around to 1677."""
    last = pd.DataFrame({"house": [1.0]}, pd.DatetimeIndex(["2262-04-05"], name="date").as_unit("ns"))
    with pytest.raises((ValueError, OverflowError)):
        sp.resample(last, "ME")
    assert sp.resample(last.set_axis(last.index.as_unit("s")), "ME").index.year.to_list() == [2262]


def test_rents_put_on_a_calendar_at_once(embedded):
    """`rent(freq=...)` equals `resample` of `rent(...)`, for one suburb, for several, and for the wide layout."""
    options = {"how": "mean", "partial": "drop", "min_coverage": 0.75, "fill": "linear", "max_gap": "62D"}
    for suburbs in (BAY, [BAY, WOYLIE, "Thorny Devil"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.errors.NoDataWarning)
            rents, quarters = sp.rent(suburbs), sp.rent(suburbs, freq="QE", **options)
            wide = sp.rent(suburbs, freq="QE", **options, layout="wide")
        pd.testing.assert_frame_equal(quarters, sp.resample(rents, "QE", **options))
        operation = 'resample(freq="QE", how="mean", fill="linear", max_gap="62D", partial="drop", min_coverage=0.75)'
        expected = {**rents.attrs["suburb_pandas"], "operations": [operation], "input_dates": [dates_of(rents)]}
        assert quarters.attrs["suburb_pandas"] == wide.attrs["suburb_pandas"] == expected
        assert wide["house"].index.equals(pd.DatetimeIndex(sorted(set(quarters.index)), name="date"))
        assert wide[("house", BAY)].dropna().to_list() == sp.rent(BAY, freq="QE", **options)["house"].dropna().to_list()
    assert wide["house"]["Thorny Devil"].isna().all()
    assert sp.rent([BAY], freq="W", how="count").attrs["suburb_pandas"]["unit"] == "points"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "last"}, "how cannot be used without freq, as in freq='ME'"),
        ({"max_gap": "31D"}, "cannot be used without freq"),
        ({"partial": "keep"}, "cannot be used without freq"),
        ({"min_coverage": 0.5}, "min_coverage cannot be used without freq"),
        ({"max_lag": "9D"}, "max_lag cannot be used without freq"),
        ({"freq": "ME", "how": "mean", "max_lag": "9D"}, "max_lag applies to how='last' only"),
        ({"freq": "2W"}, "freq must be a calendar frequency"),
        ({"freq": "M"}, "'ME', 'QS', 'QE', 'YS' or 'YE', not 'M'\\."),
        ({"freq": "ME", "how": "sum"}, "how must be one of 'last', 'mean', 'median', 'count', not 'sum'"),
        ({"freq": "ME", "max_gap": "31D"}, "max_gap limits the gaps that are filled"),
        ({"freq": "ME", "how": "mean", "min_coverage": "half"}, "min_coverage must be a share"),
    ],
)
def test_a_calendar_that_is_none_is_refused_before_any_call(live, service, options, message):
    """Wrong options of resampling are refused before any call is paid for."""
    with pytest.raises(ValueError, match=message):
        sp.rent(BAY, **options)
    assert not service.requests


def test_what_arrived_of_a_batch_is_on_the_calendar_too(embedded):
    """The frame that an error carries is resampled as requested."""
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([BAY, "Nowhere at All"], freq="YE")
    assert set(caught.value.frame.index.month) == {12}


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ("1y", "over must be a number of days .*'1Y', '6M' or '91D', not '1y'."),
        ("Y", "over must be"),
        ("0D", "over must be"),
        ("1.5Y", "over must be"),
    ],
)
def test_a_span_that_cannot_be_read_is_refused(one, over, message):
    """A span of growth is a whole number of days, weeks, months or years, with the unit in capital letters."""
    with pytest.raises(ValueError, match=message):
        sp.growth(one, over)


@pytest.mark.parametrize(
    "length", ["3M", "1Y", "31", 31, "-1D", "1.5D", "9999999999D", pd.Timedelta("36h"), pd.Timedelta("-1D")]
)
def test_a_length_that_cannot_be_read_is_refused(one, length):
    """Windows and gaps are whole days or weeks. Other lengths that pandas can parse are refused."""
    with pytest.raises(ValueError, match="smooth must be a number of days or weeks"):
        sp.growth(one, smooth=length)
    with pytest.raises(ValueError, match="max_gap must be a number of days or weeks"):
        sp.resample(one, "ME", fill="ffill", max_gap=length)


@pytest.mark.parametrize("length", ["91D", "13W", "91 D", pd.Timedelta("91D"), np.timedelta64(13, "W")])
def test_lengths_of_every_kind(one, length):
    """A length may be text in days or weeks, or a timedelta of pandas or numpy."""
    pd.testing.assert_frame_equal(sp.growth(one, smooth=length), sp.growth(one, smooth="91D"))


@pytest.mark.parametrize("asof", ["05/12/2025", "2025", "2025-13-01", 2025, pd.NaT, "today"])
def test_a_day_that_cannot_be_read_is_refused(one, asof):
    """`asof` is an ISO 8601 date, a date or a Timestamp; any other value is refused."""
    with pytest.raises(ValueError, match="asof must be an ISO 8601 date"):
        sp.quality(one, asof)


OF_RENTS = [lambda frame: sp.resample(frame, "YE"), sp.growth, sp.cadence, sp.quality, sp.rent_index]


@pytest.mark.parametrize("function", OF_RENTS, ids=["resample", "growth", "cadence", "quality", "rent_index"])
@pytest.mark.parametrize("options", [{}, {"layout": "tidy"}, {"layout": "wide"}, {"freq": "QE"}], ids=str)
def test_growth_and_counts_are_not_taken_for_rents(embedded, function, options):
    """No function takes growth or counts of points for rents, in any layout; each says so in the same sentence."""
    rents = sp.rent([BAY, WOYLIE], **options)
    others = {"growth": sp.growth(rents), "counts of points": sp.resample(rents, "QE", how="count")}
    if options.get("layout") is None:
        others["growth"] = sp.growth(rents, detail=True)[["area_name", "house", "unit"]]
    for what, frame in others.items():
        expected = f"This frame holds {what}, not rents: pass the rents that it was computed from."
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
            function(frame)


def test_an_index_and_a_frame_without_marks_are_resampled(embedded):
    """An index has levels, as rents have. A frame of other origin does not say what it holds, so it counts as rents."""
    index = sp.rent_index(sp.rent([BAY, WOYLIE], freq="QE"))[["house", "unit"]]
    without_marks = sp.rent(BAY)
    without_marks.attrs.clear()
    for frame in (index, without_marks):
        yearly = sp.resample(frame, "YE")
        assert yearly["house"].iloc[-1] == frame["house"].dropna().iloc[-1]
        assert sp.growth(yearly)["house"].notna().any()


@pytest.mark.parametrize("source", ["live", "sandbox", "embedded, live", None])
def test_quality_of_real_data_is_by_today_unless_said_otherwise(one, source):
    """Without `asof`, the age of a series of real data is counted to today (UTC)."""
    marks = dict(one.attrs["suburb_pandas"]) if source and "embedded" in source else {}
    one.attrs["suburb_pandas"] = marks | ({"source": source} if source else {})
    last, ages = pd.Timestamp("2026-04-26", tz="UTC"), sp.quality(one)["age_days"]
    after = (pd.Timestamp.now("UTC") - last).days
    assert ages.to_list() in ([after] * 2, [after - 1] * 2)  # midnight UTC may pass between the two lines


def test_made_up_data_does_not_grow_old(one, many):
    """Without `asof`, the age of made-up data is counted to its retrieval, which the sandbox dates itself."""
    for frame in (one, many, sp.resample(many, "ME", partial="drop"), sp.rent([BAY], layout="wide")):
        table = sp.quality(frame)
        day = sp.provenance(frame)["retrieved_at"].max().normalize()
        assert (table["last"] + pd.to_timedelta(table["age_days"], "D")).dropna().eq(day).all()
        assert table["age_days"].count() >= 1
