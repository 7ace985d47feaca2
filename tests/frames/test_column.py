"""Tests which column or index level of a frame is taken for its suburbs, and the errors if there is none."""

import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"
LABELS = (
    *("area_name", "suburb", "suburb_name", "sal_name", "locality", "SUBURB", "Locality"),
    *("SAL_NAME21", "SAL_NAME_2026", "Sal_Name_2021", "Suburb Name", "SAL Name 2021"),
)


@pytest.fixture
def found(asked):
    """Return a function that returns the names that each request was made for."""
    return lambda: [list(names) for _, names, _ in asked]


def doubled(label):
    """Return a frame with two columns of one label."""
    return pd.DataFrame([[BAY, STEPS]], columns=[label] * 2)


@pytest.mark.parametrize("label", LABELS)
def test_the_one_column_or_level_of_that_name(found, label):
    """Suburbs are read from a column `area_name`, or from one with a common label or the ABS's own.

    Case does not matter, nor do spaces in place of underscores. An index, or one of its levels, is as good as a column.
    """
    frame = pd.DataFrame({"price": [1, 2], "year": [2020, 2021], label: [BAY, STEPS]})
    for each in (frame, frame.set_index(["year", label]), frame.set_index(label)):
        each.suburb.rent()
    assert found() == [[BAY, STEPS]] * 3


def test_a_named_column(found):
    """`column=` overrides the search by label, in which `area_name` comes first; `column=None` does not.

    It means an index level only if no column has that label. A number is a label, and never a position.
    """
    index = pd.MultiIndex.from_tuples([(BAY, HEIGHTS)], names=["a", 0])
    frame = pd.DataFrame({"suburb": [BAY], "area_name": [HEIGHTS], "a": [STEPS]}, index)
    frame["a", "b"] = STEPS
    for label in ("suburb", "a", ("a", "b"), 0, None):
        frame.suburb.rent(column=label)
    pd.DataFrame(index=pd.Index([BAY], name=1)).suburb.rent(column=1)
    assert found() == [[BAY], [STEPS], [STEPS], [HEIGHTS], [HEIGHTS], [BAY]]


def test_levels_of_columns(found):
    """Where columns have levels, a column is named by its full label, or found if its lower labels are empty.

    If several columns are called `suburb`, ``df.suburb`` is a frame, whose methods need a `column=`.
    """
    frame = pd.DataFrame([[BAY, STEPS]], columns=pd.MultiIndex.from_tuples([("Locality", ""), ("a", "b")]))
    frame.suburb.rent()
    frame.suburb.rent(column=("a", "b"))
    frame.rename(columns={"Locality": "suburb"}).suburb.rent()
    doubled("suburb").assign(place=HEIGHTS).suburb.rent(column="place")
    assert found() == [[BAY], [STEPS], [BAY], [HEIGHTS]]


@pytest.mark.parametrize(
    ("frame", "column", "message"),
    [
        (pd.DataFrame({"place": [BAY], 0: [1], pd.NA: [1]}), None, "The frame has 'place', 0, <NA>.*column="),
        (pd.DataFrame(), None, r"or SAL_NAME_2021 .* The frame has none\."),
        (pd.DataFrame(columns=["SAL_CODE_21A", "SAL_NAME_21A", "SAL_NAMES"]), None, "No column"),
        (pd.DataFrame(columns=["Suburb", "SAL_NAME_2016"]), None, "'Suburb', 'SAL_NAME_2016'.*column='Suburb'"),
        (pd.DataFrame(columns=pd.MultiIndex.from_tuples([("a", "suburb"), ("locality", "x")])), None, "No column"),
        (pd.DataFrame({"a": [1]}, pd.Index([None], name="locality")), None, "'locality' has no name in its 1 row"),
        (pd.DataFrame({"suburb": [BAY]}), "place", "called 'place'. The frame has 'suburb'"),
        (pd.DataFrame({"suburb": [BAY]}), ["suburb"], "Pass the label of a column, .* not list"),
        (doubled("area_name"), None, "rename one"),
        (doubled("a"), "a", "Several"),
        (doubled("suburb"), None, "Several"),
    ],
)
def test_no_suburb_column(asked, frame, column, message):
    """NoSuburbColumn is raised, before any call, if no column or several can hold suburbs, or all names are missing.

    So it is for a `column=` that does not exist, is ambiguous or is no label.
    """
    with pytest.raises(sp.errors.NoSuburbColumn, match=message):
        frame.suburb.rent(column=column)
    assert not asked


def test_a_column_below_suburb_comes_before_a_lookup():
    """Where columns have levels, ``df.suburb.rent`` is the column `rent` below `suburb` if there is one."""
    frame = pd.DataFrame([[1, BAY]], columns=pd.MultiIndex.from_tuples([("suburb", "rent"), ("suburb", "name")]))
    assert list(frame.suburb.rent) == [1]
    assert callable(frame.suburb.impacts)


def test_queries_come_before_the_names_that_they_were_resolved_to(embedded):
    """`resolve` reads the column of queries, and `area_name` only if there is no other."""
    frame = pd.DataFrame({"area_name": [HEIGHTS], "suburb": ["quokka bay"]})
    assert frame.suburb.resolve().to_list() == sp.resolve(frame["suburb"], state="").to_list() == [BAY]
    assert frame[["area_name"]].suburb.resolve().to_list() == [HEIGHTS]
