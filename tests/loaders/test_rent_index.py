"""The rent index of a region: like for like, against a slow reference, and by laws."""

from math import exp, isclose, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support import irregular
from tests.support.laws import law

NAMES, NEWCOMER = irregular.NAMES, "Cider Gum"
amounts = st.none() | st.just(0.0) | st.floats(50, 5000)
weights = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 100), min_size=len(NAMES))
groupings = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["north", "south"]), min_size=len(NAMES))


def panel_of(dates, values):
    """Return a frame of houses from {name: values by date}; a value of ... leaves out the row."""
    rows = [
        (day, name, value)
        for name, found in values.items()
        for day, value in zip(dates, found, strict=True)
        if value is not ...
    ]
    names = pd.Categorical([name for _, name, _ in rows], categories=[*NAMES, NEWCOMER])
    index = pd.DatetimeIndex([day for day, _, _ in rows], name="date")
    return pd.DataFrame({"area_name": names, "house": pd.Series([v for *_, v in rows], dtype="float64").array}, index)


def quarters(**values):
    """Return a frame of houses on consecutive quarters; a suburb's name is given without its spaces."""
    by_name = {name: values[name.replace(" ", "")] for name in NAMES if name.replace(" ", "") in values}
    return panel_of(pd.date_range("2020-03-31", periods=len(next(iter(by_name.values()))), freq="QE"), by_name)


@st.composite
def panels(draw, cells=amounts):
    """Draw consecutive dates of one frequency and each suburb's values; one suburb has a row on every date."""
    count = draw(st.integers(1, 8))
    freq = draw(irregular.freqs)
    dates = pd.date_range(draw(irregular.days), periods=count, freq=freq)
    first, *others = draw(st.permutations(NAMES))
    values = {first: draw(st.lists(cells, min_size=count, max_size=count))}
    for name in others[: draw(st.integers(0, len(others)))]:
        values[name] = draw(st.lists(cells | st.just(...), min_size=count, max_size=count))
    return dates, values


def is_usable(value):
    return value is not None and value is not ... and value > 0


def slow_index(dates, values, weight, base):
    """Return {date: (level, number, share)} for one group of suburbs, step by step."""
    everywhere = [name for name in values if any(value is not ... for value in values[name])]
    steps = []
    for n in range(len(dates)):
        pairs = {
            name: found[n - 1 : n + 1]
            for name, found in values.items()
            if n and all(map(is_usable, found[n - 1 : n + 1]))
        }
        total = sum(weight[name] for name in pairs)
        change = (
            sum(weight[name] * log(after / before) for name, (before, after) in pairs.items()) / total
            if pairs
            else None
        )
        steps.append((change, len(pairs), total / sum(weight[name] for name in everywhere) if everywhere else 0))
    filled = [n for n in range(len(dates)) if any(is_usable(found[n]) for found in values.values())]
    start = next((n for n in filled if base is None or dates[n] == base), None)
    level = dict.fromkeys(range(len(dates)))
    if start is not None:
        level[start] = 100.0
        for n in range(start + 1, len(dates)):
            level[n] = None if level[n - 1] is None or steps[n][0] is None else level[n - 1] * exp(steps[n][0])
        for n in range(start - 1, -1, -1):
            level[n] = None if level[n + 1] is None or steps[n + 1][0] is None else level[n + 1] / exp(steps[n + 1][0])
    return {
        day: (level[n], *steps[n][1:])
        for n, day in enumerate(dates)
        if any(found[n] is not ... for found in values.values())
    }


def assert_same(index, expected):
    """Assert that the index of one group equals {date: (level, number, share)}."""
    assert index.index.to_list() == list(expected)
    for (level, number, share), row in zip(expected.values(), index.itertuples(), strict=True):
        assert (level is None) == np.isnan(row.house)
        assert level is None or isclose(row.house, level, rel_tol=1e-9)
        assert row.house_n == number
        assert isclose(row.house_share, share, rel_tol=1e-9, abs_tol=1e-12)


@law(panel=panels(), weight=st.none() | weights, group=groupings, data=st.data())
def test_the_index_agrees_with_a_slow_reference(panel, weight, group, data):
    """Each step is the weighted mean of the changes in logarithms of those suburbs that have both values."""
    dates, values = panel
    base = data.draw(st.none() | st.sampled_from(list(dates)))
    index = sp.rent_index(panel_of(dates, values), by=group, weights=weight, base=base)
    for name in index["group"].cat.categories:
        members = {suburb: found for suburb, found in values.items() if group[suburb] == name}
        each = weight or dict.fromkeys(NAMES, 1.0)
        assert_same(index[index["group"] == name], slow_index(list(dates), members, each, base))


# Laws


@law(panel=panels(), factor=st.floats(0.01, 100), data=st.data())
def test_like_for_like_means_that_the_level_of_a_suburb_does_not_matter(panel, factor, data):
    """If all rents of one suburb are multiplied by the same number, the index stays what it was."""
    dates, values = panel
    name = data.draw(st.sampled_from(sorted(values)))
    scaled = [value * factor if isinstance(value, float) else value for value in values[name]]
    before, after = (sp.rent_index(panel_of(dates, each)) for each in (values, values | {name: scaled}))
    pd.testing.assert_frame_equal(before, after, rtol=1e-9)


@law(panel=panels(), factor=st.floats(0.5, 2), presence=st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_suburb_that_moves_like_the_others_changes_nothing(panel, factor, presence):
    """It may enter and leave at any time: where the index had a value, it keeps it."""
    dates, values = panel
    before = sp.rent_index(panel_of(dates, values))["house"]
    joining = [
        value * factor if is_here and not np.isnan(value) else ...
        for value, is_here in zip(before, presence, strict=False)
    ]
    after = sp.rent_index(panel_of(dates, values | {NEWCOMER: joining}))["house"]
    known = before.notna()
    np.testing.assert_allclose(after[known], before[known], rtol=1e-9)


@law(panel=panels(st.floats(50, 5000)), data=st.data())
def test_another_base_is_another_scale(panel, data):
    """With another base, all values are multiplied by the same number."""
    dates, values = panel
    assume(all(... not in found for found in values.values()))
    base = data.draw(st.sampled_from(list(dates)))
    first, other = (sp.rent_index(panel_of(dates, values), base=each)["house"] for each in (None, base))
    assert other[base] == 100
    np.testing.assert_allclose(other, first * (100 / first[base]), rtol=1e-9)


@law(panel=panels(), group=groupings)
def test_a_group_has_the_index_of_its_own_suburbs(panel, group):
    """The index of a group is the index of a frame that has only its suburbs."""
    dates, values = panel
    frame = panel_of(dates, values)
    index = sp.rent_index(frame, by=group)
    for name in index["group"].cat.categories:
        own = frame[frame["area_name"].map(group) == name]
        found = index[index["group"] == name].drop(columns="group")
        dense = own.index.nunique() == len(dates)
        assume(dense)  # with fewer dates the calendar of the part can be a coarser one
        pd.testing.assert_frame_equal(found, sp.rent_index(own), rtol=1e-9, check_index_type=False)


# Examples


def test_the_median_moves_when_a_suburb_enters_and_the_index_does_not():
    """No rent changes, but a dear suburb enters: the median jumps, the index stays at 100."""
    frame = quarters(QuokkaBay=[400, 400, 400], Woylie=[500, 500, 500], BilbyHeights=[None, 900, 900])
    assert frame.groupby("date")["house"].median().to_list() == [450, 500, 500]
    index = sp.rent_index(frame)
    assert index["house"].to_list() == [100, 100, 100]
    assert index["house_n"].to_list() == [0, 2, 3]
    assert index["house_share"].to_list() == [0, pytest.approx(2 / 3), 1]


def test_the_steps_are_weighted_and_chained():
    """Two suburbs at +10 and -20 per cent, the second with three times the weight; then the first alone."""
    frame = quarters(QuokkaBay=[400, 440, 484], Woylie=[500, 400, None])
    index = sp.rent_index(frame, weights=pd.Series({"Quokka Bay": 1, "Woylie": 3, "Elsewhere": -1}))
    step = 1.1**0.25 * 0.8**0.75
    assert index["house"].to_list() == pytest.approx([100, 100 * step, 100 * step * 1.1])
    assert index["house_share"].to_list() == [0, 1, 0.25]


def test_a_step_that_no_suburb_matches_breaks_the_chain():
    """The index is NaN from there on; with a base after the break, it is NaN before it."""
    frame = quarters(QuokkaBay=[400, 404, None, 420, 441], Woylie=[500, None, 510, None, None])
    broken = [np.nan] * 3
    assert sp.rent_index(frame)["house"].to_list() == pytest.approx([100, 101, *broken], nan_ok=True)
    later = sp.rent_index(frame, base="2021-03-31")["house"]
    assert later.to_list() == pytest.approx([*broken, 100 / 1.05, 100], nan_ok=True)
    alone = sp.rent_index(frame, base="2020-09-30")["house"]
    assert alone.to_list() == pytest.approx([np.nan, np.nan, 100, np.nan, np.nan], nan_ok=True)


def test_a_property_type_that_begins_later_is_100_on_its_own_first_date(embedded):
    """Houses and units each begin at 100, on their first date with a value."""
    rents = sp.rent("Quokka Bay", freq="QE")
    index = sp.rent_index(rents)
    for kind in ("house", "unit"):
        first = rents[kind].first_valid_index()
        assert index[kind].first_valid_index() == first
        np.testing.assert_allclose(index[kind], 100 * rents[kind] / rents[kind][first], rtol=1e-9)
    assert rents["house"].first_valid_index() != rents["unit"].first_valid_index()


def test_the_columns_and_their_dtypes(embedded):
    """Levels come first, then how many suburbs matched and their share; a group is a categorical first column."""
    rents = sp.rent(["Quokka Bay", "Woylie", "Lantern Bay (NSW)"], freq="QE")
    index = sp.rent_index(rents, by="state")
    dtypes = {"house": "float64", "unit": "float64", "house_n": "int64", "house_share": "float64"}
    dtypes = {"group": "category", **dtypes, "unit_n": "int64", "unit_share": "float64"}
    assert {column: str(dtype) for column, dtype in index.dtypes.items()} == dtypes
    assert list(index) == list(dtypes)
    assert index["group"].cat.categories.to_list() == ["WA", "NSW"]
    assert list(sp.rent_index(rents[["area_name", "house"]])) == ["house", "house_n", "house_share"]
    for _, group in index.groupby("group", observed=True):
        assert group.index.is_monotonic_increasing
    empty = sp.rent_index(rents[:0], by="state")
    assert empty.empty
    assert {column: str(dtype) for column, dtype in empty.dtypes.items()} == dtypes


def test_a_group_is_given_by_a_series_a_dict_a_column_or_a_place(embedded):
    """All four give the same index. An ordered categorical keeps its order."""
    rents = sp.rent(["Quokka Bay", "Woylie", "Lantern Bay (NSW)"], freq="QE")
    states = sp.places(rents["area_name"].unique())["state"]
    expected = sp.rent_index(rents, by="state")
    for by in (states, states.to_dict(), states.set_axis(states.index.astype("category"))):
        pd.testing.assert_frame_equal(sp.rent_index(rents, by=by), expected)
    joined = rents.assign(region=rents["area_name"].map(states).astype("object"), note="a column of the user's own")
    pd.testing.assert_frame_equal(sp.rent_index(joined, by="region"), expected)
    ordered = states.astype(pd.CategoricalDtype(["NSW", "NT", "WA"], ordered=True))
    index = sp.rent_index(rents, by=ordered)
    assert index["group"].dtype == ordered.dtype
    assert list(index["group"].unique()) == ["NSW", "WA"]
    pd.testing.assert_frame_equal(
        rents.suburb.rent_index("state", base="2024-12-31"), sp.rent_index(rents, "state", None, "2024-12-31")
    )


def test_places_are_those_of_the_client_that_is_given(tmp_path):
    """`client` says whose knowledge of places `by` refers to."""
    with sp.Client(api_key="embedded", store=tmp_path / "store.sqlite") as client:
        rents = sp.rent(["Quokka Bay", "Woylie"], freq="QE", client=client)
        index = sp.rent_index(rents, by="sa4", client=client)
    assert index["group"].cat.categories.to_list() == ["Marri Coast", "Inner Jarrah"]


def test_an_index_says_what_it_is_and_is_cited(embedded):
    """Its attrs have the operations and the unit of each column, and the citation names the responses behind it.

    It can be computed again unless it has weights, which are not in its attrs.
    """
    rents = sp.rent(["Quokka Bay", "Woylie"], freq="QE", how="mean")
    index = sp.rent_index(rents, weights=pd.Series({"Quokka Bay": 1, "Woylie": 2}), base="2024-12-31")
    marks = index.attrs["suburb_pandas"]
    operations = ['resample(freq="QE", how="mean")', 'rent_index(weights=<Series of 2>, base="2024-12-31")']
    assert marks["operations"] == operations
    assert marks["unit"]["house"] == "index"
    assert {marks["unit"][f"{kind}_n"] for kind in ("house", "unit")} == {"suburbs"}
    assert {marks["unit"][f"{kind}_share"] for kind in ("house", "unit")} == {"fraction"}
    cited = sp.cite(index)
    said = (
        f"computed with {', '.join(operations)} "
        f"(not reproduced, so other operations or changed values are possible) from data of the"
    )
    assert cited.startswith(f"Median rent series of 2 suburbs, {said}")
    assert "computed with resample" in sp.cite(sp.rent_index(rents, base="2024-12-31"))
    assert cited.rpartition(" ")[2] == sp.cite(rents).rpartition(" ")[2]
    with pytest.raises(ValueError, match=r"holds no rents: its unit is 'index'"):
        sp.rent_index(index)


def test_raw_rents_are_refused(embedded):
    """Monthly and weekly points are not on one calendar; weekly ones alone are."""
    rents = sp.rent(["Quokka Bay", "Woylie"])
    with pytest.raises(ValueError, match=r"not those of one calendar, .* sp\.resample\(frame, 'QE'\)"):
        sp.rent_index(rents)
    weekly = rents[rents.index >= "2024"]
    assert sp.rent_index(weekly)["house"].iloc[0] == 100


FRAME = quarters(QuokkaBay=[400, 440], Woylie=[500, 400])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": {"Woylie": 1}}, ValueError, "no weight above zero for 'Quokka Bay'. Give every suburb"),
        ({"weights": {"Woylie": 0, "Quokka Bay": -1}}, ValueError, "no weight above zero for 'Quokka Bay', 'Woylie'"),
        ({"weights": {"Woylie": float("inf"), "Quokka Bay": 1}}, ValueError, "no weight above zero for 'Woylie'"),
        ({"weights": {"Woylie": "much", "Quokka Bay": 1}}, ValueError, "no weight above zero for 'Woylie'"),
        ({"weights": {}}, ValueError, "no weight above zero for 'Quokka Bay', 'Woylie'"),
        ({"weights": [1, 2]}, TypeError, "weights must be a Series or dict by area_name, not list"),
        ({"weights": pd.Series([1, 2], ["Woylie", "Woylie"])}, ValueError, "several values for 'Woylie'"),
        ({"by": {"Woylie": "a"}}, ValueError, "by has no group for 'Quokka Bay'"),
        ({"by": "region"}, ValueError, "by must be a column of the frame, one of 'state', .*, not 'region'"),
        ({"by": "house"}, ValueError, "The column 'house' has several values for 'Quokka Bay', 'Woylie'"),
        ({"by": ["a", "b"]}, TypeError, "by must be a Series or dict by area_name, not list"),
        (
            {"base": "2020-04-30"},
            ValueError,
            r"base must be one of the dates of the frame \(2020-03-31, 2020-06-30\), not",
        ),
        ({"base": "last year"}, ValueError, "base must be an ISO 8601 date"),
    ],
)
def test_arguments_that_do_not_fit_are_errors_that_name_the_suburbs(arguments, error, message):
    """The message names the suburbs without a group or a weight, or the dates that can be the base."""
    with pytest.raises(error, match=message):
        sp.rent_index(FRAME, **arguments)


def test_frames_that_hold_no_rents_are_refused(embedded):
    """Growth is no level, drivers have no dates, and one suburb's frame has no names to go by."""
    with pytest.raises(ValueError, match=r"holds no rents: its unit is 'fraction'. Pass the rents themselves"):
        sp.rent_index(sp.growth(sp.rent("Quokka Bay", freq="ME")))
    with pytest.raises(ValueError, match="not a frame of rents"):
        sp.rent_index(sp.impacts("Quokka Bay"))
    with pytest.raises(TypeError, match="not list"):
        sp.rent_index([FRAME])
    for arguments in ({"by": "state"}, {"weights": {"Quokka Bay": 1}}):
        with pytest.raises(ValueError, match=r"no column area_name, so (by|weights)= cannot be matched"):
            sp.rent_index(sp.rent("Quokka Bay", freq="QE"), **arguments)
