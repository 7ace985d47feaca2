"""Tests which column or index level of a frame is taken for its suburbs, and the errors if there is none."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import names_asked

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"
RULE = ["suburb", "suburb_name", "sal_name", "locality"]
SPACED = ["Suburb Name", "suburb name", "SAL NAME", "SAL Name 2021"]
ABS = ["SAL_NAME21", "SAL_NAME_2021", "SAL_NAME_2026", "sal_name21", "Sal_Name_2021"]


@pytest.mark.parametrize("label", [*RULE, "Suburb", "SUBURB", "Locality", "SAL_NAME", *ABS, *SPACED, "area_name"])
def test_the_one_column_of_that_name(asked, label):
    """Suburbs are read from a column `area_name`, or from one with a common label or the ABS's own.

    Case does not matter, nor do spaces in place of underscores.
    """
    pd.DataFrame({"price": [1], label: [BAY]}).suburb.rent()
    assert names_asked(asked) == [BAY]


@pytest.mark.parametrize("label", ["Suburb", "area_name"])
def test_an_index_level_of_that_name(asked, label):
    """Suburbs may be in the index or in one of its levels, found by name as a column is."""
    index = pd.MultiIndex.from_tuples([(2020, BAY), (2021, STEPS)], names=["year", label])
    frame = pd.DataFrame({"price": [1, 2]}, index=index)
    frame.suburb.rent()
    frame.droplevel("year").suburb.rent()
    assert [list(names) for _, names, _ in asked] == [[BAY, STEPS]] * 2


@pytest.mark.parametrize("label", ["place", "suburb", ("a", "b"), 0])
def test_a_named_column(asked, label):
    """`column=` overrides the search by label; `column=None` does not."""
    frame = pd.DataFrame({"suburb": [BAY], "area_name": [HEIGHTS]})
    frame[label] = [STEPS]
    frame.suburb.rent(column=label)
    frame.suburb.rent(column=None)
    assert [list(names) for _, names, _ in asked] == [[STEPS], [HEIGHTS]]


def test_a_named_column_before_a_level(asked):
    """`column=` means an index level only if no column has that label. A number is a label, and never a position."""
    frame = pd.DataFrame({"a": [BAY]}, index=pd.MultiIndex.from_tuples([(STEPS, HEIGHTS)], names=["a", "b"]))
    frame.suburb.rent(column="a")
    frame.suburb.rent(column="b")
    frame.rename_axis(["year", 0]).suburb.rent(column=0)
    assert [list(names) for _, names, _ in asked] == [[BAY], [HEIGHTS], [HEIGHTS]]


def test_levels_of_columns(asked):
    """Where columns have levels, a column is named by its full label, or found if its lower labels are empty."""
    frame = pd.DataFrame([[BAY, STEPS]], columns=pd.MultiIndex.from_tuples([("Locality", ""), ("a", "b")]))
    frame.suburb.rent()
    frame.suburb.rent(column=("a", "b"))
    frame.rename(columns={"Locality": "suburb"}).suburb.rent()
    assert [list(names) for _, names, _ in asked] == [[BAY], [STEPS], [BAY]]


def doubled(label):
    """Return a frame with two columns of one label."""
    return pd.DataFrame([[BAY, STEPS]], columns=[label, label])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"place": [BAY], 0: [1], pd.NA: [1]}), "The frame has 'place', 0, <NA>.*column="),
        (pd.DataFrame(columns=["SAL_CODE_21A", "SAL_NAME_21A", "SAL_NAMES"]), "or SAL_NAME_2021"),
        (pd.DataFrame({"SAL_NAME_2021": [BAY], "SAL_NAME_2016": [STEPS]}), "'SAL_NAME_2021', 'SAL_NAME_2016'"),
        (pd.DataFrame({"Suburb": [BAY], "locality": [STEPS]}), "'Suburb', 'locality'.*column='Suburb'"),
        (doubled("area_name"), "rename one"),
        (
            pd.DataFrame([[BAY, 1]], columns=pd.MultiIndex.from_tuples([("a", "suburb"), ("locality", "x")])),
            "No column",
        ),
        (pd.DataFrame({"a": [1]}, index=pd.Index([None], name="locality")), "'locality' has no name in its 1 row"),
    ],
)
def test_no_suburb_column(asked, frame, message):
    """NoSuburbColumn is raised, before any call, if no column or several can hold suburbs, or all names are missing."""
    with pytest.raises(sp.errors.NoSuburbColumn, match=message):
        frame.suburb.rent()
    assert not asked


@pytest.mark.parametrize(
    ("frame", "column", "message"),
    [
        (pd.DataFrame({"suburb": [BAY]}), "place", "called 'place'. The frame has 'suburb'"),
        (doubled("a"), "a", "Several"),
    ],
)
def test_a_named_column_that_is_not_one(asked, frame, column, message):
    """A `column=` that does not exist, is ambiguous or has no names is an error, and no call is made."""
    with pytest.raises(sp.errors.NoSuburbColumn, match=message):
        frame.suburb.rent(column=column)
    assert not asked


def test_several_columns_called_suburb(asked):
    """If several columns are called `suburb`, ``df.suburb`` is a frame.

    Its methods raise NoSuburbColumn, unless `column=` names another column.
    """
    frame = doubled("suburb").assign(place=STEPS)
    with pytest.raises(sp.errors.NoSuburbColumn, match="Several"):
        frame.suburb.rent()
    assert not asked
    frame.suburb.rent(column="place")
    assert names_asked(asked) == [STEPS]


def test_a_column_below_suburb_comes_before_a_lookup():
    """Where columns have levels, ``df.suburb.rent`` is the column `rent` below `suburb` if there is one."""
    frame = pd.DataFrame([[1, BAY]], columns=pd.MultiIndex.from_tuples([("suburb", "rent"), ("suburb", "name")]))
    assert list(frame.suburb.rent) == [1]
    assert callable(frame.suburb.impacts)
    assert not hasattr(frame.suburb.copy(), "impacts")
