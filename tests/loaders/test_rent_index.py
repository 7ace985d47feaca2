"""The rent index of a region: like for like, against a slow reference, by laws, and by council and dwellings."""

from math import log

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
COLUMNS = ["house", "house_n", "house_share", "house_bridged"]
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
    """Return the index of one group of suburbs, by the formula of the docstring."""
    everywhere = sum(weight[name] for name, found in values.items() if any(value is not ... for value in found))
    level, start, offsets, before, rows = None, None, {}, set(), {}
    for t, date in enumerate(dates):
        logs = {name: log(found[t]) for name, found in values.items() if isinstance(found[t], float)}
        compared = logs.keys() & offsets
        total = sum(weight[name] for name in compared)
        if compared:
            level = sum(weight[name] * (logs[name] - offsets[name]) for name in compared) / total
        elif level is None and logs:
            level = 0.0
        offsets |= {name: amount - level for name, amount in logs.items()}  # from the index to the suburb
        has_index = bool(compared) or len(offsets) == len(logs) > 0
        if any(found[t] is not ... for found in values.values()):
            rows[date] = (level if has_index else np.nan, len(compared), total / everywhere, len(compared - before))
        if has_index:
            before = {*logs}
            start = level if date == base or (base is None and start is None) else start
    found = pd.DataFrame.from_dict(rows, "index", columns=COLUMNS)
    return found.assign(house=100 * np.exp(found["house"] - (np.nan if start is None else start)))


@law(panel=panels(), weight=st.none() | weights, group=groupings, data=st.data())
def test_the_index_agrees_with_a_slow_reference(panel, weight, group, data):
    """The index, the suburbs compared, their share, and those that were missing before are those of the formula."""
    dates, values = panel
    base = data.draw(st.none() | st.sampled_from(list(dates)))
    index = sp.rent_index(panel_of(dates, values), by=group, weights=weight, base=base)
    for name, found in index.groupby("group", observed=False):
        members = {suburb: each for suburb, each in values.items() if group[suburb] == name}
        expected = slow_index(dates, members, weight or dict.fromkeys(NAMES, 1.0), base)
        pd.testing.assert_frame_equal(found[COLUMNS], expected, rtol=1e-9, check_index_type=False, check_names=False)


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


def test_a_property_type_that_begins_later_is_100_on_its_own_first_date(embedded):
    """Houses and units each begin at 100, on their first date with a value. Without weights, one suburb is its index.

    Monthly and weekly points are not on one calendar; weekly ones alone are.
    """
    raw = sp.rent(BAY)
    with pytest.raises(ValueError, match=r"not those of one calendar, .* sp\.resample\(frame, 'QE'\)"):
        sp.rent_index(raw)
    weekly = raw[raw.index >= "2024"].copy()
    weekly.iloc[0, 1] = np.nan
    for rents in (weekly, sp.rent(BAY, freq="QE")):
        expected = 100 * rents / rents.bfill().iloc[0]
        pd.testing.assert_frame_equal(sp.rent_index(rents)[["house", "unit"]], expected, check_freq=False)


def test_a_group_is_given_by_a_series_a_dict_a_column_or_a_place(embedded):
    """All four give the same index. An ordered categorical keeps its order.

    The group comes first, then the levels, then the suburbs compared, their share, and how many were missing.
    """
    rents = sp.rent([BAY, WOYLIE, "Lantern Bay (NSW)"], freq="QE")
    states = sp.places(rents["area_name"].unique())["state"]
    expected = sp.rent_index(rents, by="state")
    assert expected["group"].cat.categories.to_list() == ["WA", "NSW"]
    of_units = [column.replace("house", "unit") for column in COLUMNS[1:]]
    assert list(expected) == ["group", "house", "unit", *COLUMNS[1:], *of_units]
    pd.testing.assert_frame_equal(sp.rent_index(rents[:0], by="state"), expected[:0], check_categorical=False)
    for by in (states, states.to_dict()):
        pd.testing.assert_frame_equal(sp.rent_index(rents, by=by), expected)
    joined = rents.assign(region=rents["area_name"].map(states).astype("object"))
    pd.testing.assert_frame_equal(sp.rent_index(joined, by="region"), expected)
    ordered = states.astype(pd.CategoricalDtype(["NSW", "NT", "WA"], ordered=True))
    index = sp.rent_index(rents, by=ordered)
    assert index["group"].dtype == ordered.dtype
    assert list(index["group"].unique()) == ["NSW", "WA"]


def test_an_index_says_what_it_is(embedded):
    """Its attrs have the operations and the unit of each column."""
    rents = sp.rent([BAY, WOYLIE], freq="QE", how="mean")
    index = sp.rent_index(rents, weights=pd.Series({BAY: 1, WOYLIE: 2}), base="2024-12-31")
    marks = index.attrs["suburb_pandas"]
    operations = ['resample(freq="QE", how="mean")', 'rent_index(weights=<Series of 2>, base="2024-12-31")']
    assert marks["operations"] == operations
    assert marks["suburbs"] == [BAY, WOYLIE]
    units = {"": "index", "_n": "suburbs", "_share": "fraction", "_bridged": "suburbs"}
    assert marks["unit"] == {f"{kind}{suffix}": unit for kind in ("house", "unit") for suffix, unit in units.items()}
    with pytest.raises(ValueError, match="holds an index, not rents: pass the rents that it was computed from"):
        sp.rent_index(index)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": {WOYLIE: 0, BAY: -1}}, ValueError, "no weight above zero for 'Quokka Bay', 'Woylie'. Pass a"),
        ({"weights": {WOYLIE: float("inf"), BAY: 1}}, ValueError, "no weight above zero for 'Woylie'"),
        ({"weights": "dwelling"}, ValueError, "weights must be one of 'dwellings', 'persons' of "),
        ({"weights": [1, 2]}, TypeError, "weights must be one of 'dwellings', .* dict by area_name, not list"),
        ({"weights": pd.Series([1, 2], [WOYLIE, WOYLIE])}, ValueError, "several values for 'Woylie'"),
        ({"by": {WOYLIE: "a"}}, ValueError, "by has no group for 'Quokka Bay'"),
        ({"by": "region"}, ValueError, "by must be a column of the frame, one of 'state', .*, not 'region'"),
        ({"by": "house"}, ValueError, "by has several values for 'Quokka Bay', 'Woylie'"),
        ({"base": "2020-04-30"}, ValueError, r"one of the dates of the frame \(2020-03-31, 2020-06-30\), not"),
    ],
)
def test_arguments_that_do_not_fit_are_errors_that_name_the_suburbs(arguments, error, message):
    """The message names the suburbs without a group or a weight, or the dates that can be the base."""
    with pytest.raises(error, match=message):
        sp.rent_index(quarters({BAY: [400, 440], WOYLIE: [500, 400]}), **arguments)


def test_one_suburb_has_no_name_to_go_by(embedded):
    """A frame of one suburb has no column of names, so no group and no weight can be matched to it."""
    for argument in ("by", "weights"):
        with pytest.raises(ValueError, match=rf"no column area_name, so {argument}= cannot be matched"):
            sp.rent_index(sp.rent(BAY, freq="QE"), **{argument: {BAY: 1}})


# Councils and dwellings


@pytest.fixture
def listed(live):
    """Load a made-up list of suburbs with their councils and counts."""
    places = {"SAL_NAME_2021": [BAY, WOYLIE, HEIGHTS], "LGA_NAME_2021": ["Wader", "Wader", "Curlew"]}
    sp.load_gazetteer(pd.DataFrame({**places, "Dwelling": [100, 300, 100], "Person": [250, 500, 300]}))


def test_a_loaded_list_gives_the_groups_and_the_weights(listed):
    """The shares are shares of dwellings: a suburb without a value is missed by its dwellings, not by its number."""
    frame = quarters({BAY: [400, 440, 440], WOYLIE: [500, 400, None], HEIGHTS: [600, 660, 660]})
    index = frame.suburb.rent_index(by="lga", weights="dwellings")
    curlew, wader = (index[index["group"] == group] for group in ("Curlew", "Wader"))
    level = 100 * 1.1**0.25 * 0.8**0.75
    assert wader["house"].to_list() == pytest.approx([100, level, level])
    assert wader["house_share"].to_list() == [0, 1, 0.25]
    assert curlew["house"].to_list() == pytest.approx([100, 110, 110])


@pytest.mark.parametrize("options", [{"by": "lga"}, {"weights": "dwellings"}])
def test_a_suburb_that_the_list_does_not_know_is_named(listed, service, options):
    """No suburb is left out in silence: the error names those that the loaded files lack."""
    rents = quarters({BAY: [400, 440], WOYLIE: [500, 400], "Zamia Heights": [500, 505]})
    message = r"is known here for 'Zamia Heights'\. No call was made, and nothing was charged\. Pass a Series or dict"
    with pytest.raises(ValueError, match=message):
        sp.rent_index(rents, **options)
    assert sp.rent_index(rents[rents["area_name"] != "Zamia Heights"], **options)["house_n"].max() == 2
    assert not service.requests


def test_a_count_of_zero_is_no_weight(live):
    """It is an error like one that is not known, which has the line that loads the missing field."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [BAY, WOYLIE], "Dwelling": [10, 0]}))
    frame = quarters({BAY: [400, 440], WOYLIE: [500, 400]})
    with pytest.raises(ValueError, match=r"^No number of dwellings above zero is known here for 'Woylie'"):
        sp.rent_index(frame, weights="dwellings")
    with pytest.raises(ValueError, match=r"To read it from the ABS's files, run sp\.load_gazetteer\(.*with_=.*\)$"):
        sp.rent_index(frame, weights="persons")
