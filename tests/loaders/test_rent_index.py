"""The rent index of a region: like for like, against a slow reference, by laws, and with values missing at random."""

from math import exp, isclose, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law
from tests.timeseries import irregular
from tests.timeseries.irregular import panel_of, quarters

NAMES = irregular.NAMES
BAY, WOYLIE, HEIGHTS, *_ = NAMES
amounts = st.none() | st.floats(50, 5000)
weights = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 100), min_size=len(NAMES))
groupings = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["north", "south"]), min_size=len(NAMES))


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


def slow_index(dates, values, weight, base):
    """Return {date: (level, number, share, bridged)} for one group of suburbs, by the formula of the docstring."""
    everywhere = sum(weight[name] for name, found in values.items() if any(value is not ... for value in found))
    logs = {
        name: [log(value) if isinstance(value, float) else None for value in found] for name, found in values.items()
    }
    index, rows = {}, {}  # by the number of the date; `index` has only the dates with an index
    for t in range(len(dates)):
        compared, previous = {}, max(index, default=None)
        for name, found in logs.items():
            s = max((n for n in range(t) if found[n] is not None), default=None)
            if found[t] is not None and s is not None:
                index_at_s = index[max(n for n in index if n <= s)]
                compared[name] = found[t] - (found[s] + index[previous] - index_at_s)
        total = sum(weight[name] for name in compared)
        if compared:
            index[t] = index[previous] + sum(weight[name] * gap for name, gap in compared.items()) / total
        elif not index and any(found[t] is not None for found in logs.values()):
            index[t] = 0.0
        bridged = sum(logs[name][previous] is None for name in compared)
        if any(found[t] is not ... for found in values.values()):
            rows[t] = len(compared), total / everywhere, bridged
    start = min(index, default=None) if base is None else dates.index(base)
    return {
        dates[t]: (100 * exp(index[t] - index[start]) if t in index and start in index else None, *row)
        for t, row in rows.items()
    }


def assert_same(index, expected):
    """Assert that the index of one group equals {date: (level, number, share, bridged)}."""
    assert index.index.to_list() == list(expected)
    for (level, number, share, bridged), row in zip(expected.values(), index.itertuples(), strict=True):
        assert (level is None) == np.isnan(row.house)
        assert level is None or isclose(row.house, level, rel_tol=1e-9)
        assert (row.house_n, row.house_bridged) == (number, bridged)
        assert isclose(row.house_share, share, rel_tol=1e-9, abs_tol=1e-12)


@law(panel=panels(), weight=st.none() | weights, group=groupings, data=st.data())
def test_the_index_agrees_with_a_slow_reference(panel, weight, group, data):
    """The index, the suburbs compared, their share, and those that were missing before are those of the formula."""
    dates, values = panel
    base = data.draw(st.none() | st.sampled_from(list(dates)))
    index = sp.rent_index(panel_of(dates, values), by=group, weights=weight, base=base)
    for name in index["group"].cat.categories:
        members = {suburb: found for suburb, found in values.items() if group[suburb] == name}
        each = weight or dict.fromkeys(NAMES, 1.0)
        assert_same(index[index["group"] == name], slow_index(list(dates), members, each, base))


# Laws


@law(panel=panels(), count=st.integers(1, 8))
def test_later_data_change_no_earlier_value(panel, count):
    """The index of a frame that ends earlier is the beginning of the index of the whole frame."""
    dates, values = panel
    frame = panel_of(dates, values)
    early = frame[frame.index <= dates[min(count, len(dates)) - 1]]
    assume(early.index.nunique() == min(count, len(dates)) > 2)  # fewer dates can be on a coarser calendar
    columns = ["house", "house_n", "house_bridged"]
    found = sp.rent_index(early)[columns]
    pd.testing.assert_frame_equal(found, sp.rent_index(frame)[columns].head(len(found)), rtol=1e-9)


# Examples


def test_the_median_moves_when_a_suburb_enters_and_the_index_does_not():
    """No rent changes, but a dear suburb enters: the median jumps, the index stays at 100."""
    frame = quarters({BAY: [400, 400, 400], WOYLIE: [500, 500, 500], HEIGHTS: [None, 900, 900]})
    assert frame.groupby("date")["house"].median().to_list() == [450, 500, 500]
    index = sp.rent_index(frame)
    assert index["house"].to_list() == [100, 100, 100]


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
    """Levels come first, then the suburbs compared, their share, and how many were missing; a group precedes all."""
    rents = sp.rent(["Quokka Bay", "Woylie", "Lantern Bay (NSW)"], freq="QE")
    index = sp.rent_index(rents, by="state")
    of_kind = {"n": "int64", "share": "float64", "bridged": "int64"}
    dtypes = {"group": "category", "house": "float64", "unit": "float64"}
    dtypes |= {f"{kind}_{name}": dtype for kind in ("house", "unit") for name, dtype in of_kind.items()}
    assert {column: str(dtype) for column, dtype in index.dtypes.items()} == dtypes
    assert list(index) == list(dtypes)
    assert index["group"].cat.categories.to_list() == ["WA", "NSW"]
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
    pd.testing.assert_frame_equal(rents.suburb.rent_index("state"), expected)


def test_an_index_says_what_it_is(embedded):
    """Its attrs have the operations and the unit of each column."""
    rents = sp.rent(["Quokka Bay", "Woylie"], freq="QE", how="mean")
    index = sp.rent_index(rents, weights=pd.Series({"Quokka Bay": 1, "Woylie": 2}), base="2024-12-31")
    marks = index.attrs["suburb_pandas"]
    operations = ['resample(freq="QE", how="mean")', 'rent_index(weights=<Series of 2>, base="2024-12-31")']
    assert marks["operations"] == operations
    assert marks["unit"]["house"] == "index"
    assert {marks["unit"][f"{kind}_{name}"] for kind in ("house", "unit") for name in ("n", "bridged")} == {"suburbs"}
    assert {marks["unit"][f"{kind}_share"] for kind in ("house", "unit")} == {"fraction"}
    with pytest.raises(ValueError, match="holds an index, not rents: pass the rents that it was computed from"):
        sp.rent_index(index)


def test_raw_rents_are_refused(embedded):
    """Monthly and weekly points are not on one calendar; weekly ones alone are."""
    rents = sp.rent(["Quokka Bay", "Woylie"])
    with pytest.raises(ValueError, match=r"not those of one calendar, .* sp\.resample\(frame, 'QE'\)"):
        sp.rent_index(rents)
    weekly = rents[rents.index >= "2024"]
    assert sp.rent_index(weekly)["house"].iloc[0] == 100


FRAME = quarters({BAY: [400, 440], WOYLIE: [500, 400]})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": {"Woylie": 1}}, ValueError, "no weight above zero for 'Quokka Bay'. Pass a Series"),
        ({"weights": {"Woylie": 0, "Quokka Bay": -1}}, ValueError, "no weight above zero for 'Quokka Bay', 'Woylie'"),
        ({"weights": {"Woylie": float("inf"), "Quokka Bay": 1}}, ValueError, "no weight above zero for 'Woylie'"),
        ({"weights": "dwelling"}, ValueError, "weights must be one of 'dwellings', 'persons' of "),
        ({"weights": [1, 2]}, TypeError, "weights must be one of 'dwellings', .* dict by area_name, not list"),
        ({"weights": pd.Series([1, 2], ["Woylie", "Woylie"])}, ValueError, "several values for 'Woylie'"),
        ({"by": {"Woylie": "a"}}, ValueError, "by has no group for 'Quokka Bay'"),
        ({"by": "region"}, ValueError, "by must be a column of the frame, one of 'state', .*, not 'region'"),
        ({"by": "house"}, ValueError, "by has several values for 'Quokka Bay', 'Woylie'"),
        (
            {"base": "2020-04-30"},
            ValueError,
            r"base must be one of the dates of the frame \(2020-03-31, 2020-06-30\), not",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_errors_that_name_the_suburbs(arguments, error, message):
    """The message names the suburbs without a group or a weight, or the dates that can be the base."""
    with pytest.raises(error, match=message):
        sp.rent_index(FRAME, **arguments)


def test_frames_that_hold_no_rents_are_refused(embedded):
    """Drivers have no dates, and one suburb's frame has no names to go by."""
    with pytest.raises(ValueError, match="not a frame of rents"):
        sp.rent_index(sp.impacts("Quokka Bay"))
    for arguments in ({"by": "state"}, {"weights": {"Quokka Bay": 1}}):
        with pytest.raises(ValueError, match=r"no column area_name, so (by|weights)= cannot be matched"):
            sp.rent_index(sp.rent("Quokka Bay", freq="QE"), **arguments)
