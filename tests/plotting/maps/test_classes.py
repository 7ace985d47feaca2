"""The classes of a map: round limits, zero between two signs, and a name that says what is in a class."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.plotting.composition.colours import ABOVE, BELOW
from suburb_pandas.plotting.maps.classes import classes_of

NUMBERS = st.one_of(
    st.floats(-1e7, 1e7).map(lambda value: round(value, 3)),
    st.integers(-30, 30).map(float),
    st.integers(-50, 50).map(lambda value: value / 10),
)
VALUES = st.lists(NUMBERS, min_size=1, max_size=60).map(np.array)


def number(text):
    """Read a number as a legend writes it."""
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def ends(name):
    """Return the limits that the name of a class states: from the lower one up to the other one."""
    if name.startswith("under "):
        return -np.inf, number(name.removeprefix("under "))
    if name.endswith(" or more"):
        return number(name.removesuffix(" or more")), np.inf
    low, high = map(number, name.split(" to "))
    return low, high


@given(VALUES)
def test_each_value_is_in_the_class_whose_name_includes_it(values):
    """A class holds the values from its lower limit up to, but without, its upper one, as its name states them."""
    classes = classes_of(values)
    if len(classes.names) > 1:
        for value, found in zip(values, classes.number_of(values), strict=True):
            low, high = ends(classes.names[found])
            assert low <= value < high


@given(VALUES)
def test_classes_are_few_and_each_has_a_name_and_a_colour_of_its_own(values):
    classes = classes_of(values)
    assert 1 <= len(classes.names) <= 8
    assert len(set(classes.names)) == len(set(classes.colours("white"))) == len(classes.names)
    assert set(classes.number_of(values)) <= set(range(len(classes.names)))


@given(VALUES)
def test_no_class_holds_values_of_both_signs(values):
    """Zero is a limit, and the classes below it are counted as such."""
    classes = classes_of(values)
    found = classes.number_of(values)
    assert ((found < classes.below_zero) == (values < 0)).all()


@given(st.floats(0.01, 1e4), st.sampled_from([-1, 1]))
def test_one_outlier_does_not_put_all_others_into_one_class(scale, sign):
    """The limits follow the bulk of the values; an extreme one joins the class of its neighbours."""
    bulk = scale * np.arange(1, 101)
    classes = classes_of(np.append(bulk, sign * 1e9))
    assert len(set(classes.number_of(bulk))) >= 4


@given(st.floats(0.01, 1e4), st.sampled_from([-1, 1]))
def test_zero_is_a_limit_however_few_values_lie_beyond_it(scale, sign):
    """One value below zero among a hundred above has a class below zero, and the other way round."""
    values = sign * scale * np.append(np.arange(5, 105), -0.3)
    classes = classes_of(values)
    assert ((classes.number_of(values) < classes.below_zero) == (values < 0)).all()


def test_a_limit_that_is_no_exact_binary_fraction_belongs_to_the_class_above_it():
    tenths = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    classes = classes_of(tenths)
    assert [classes.names[number] for number in classes.number_of(tenths)][2] == "0.3 to 0.4"


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([450, 450], ["450"]),
        ([3.25], ["3.25"]),
        ([630, 1292, 800, 1100], ["under 700", "700 to 800"]),
        ([-1.6, 23.3, 9, 12], ["under 0", "0 to 5"]),
        ([1, 2, 3], ["under 2", "2 to 3", "3 or more"]),
        ([0.1, 0.2, 0.3], ["under 0.15"]),
    ],
)
def test_limits_are_round(values, names):
    assert classes_of(np.array(values, "float64")).names[: len(names)] == names


def test_colours_grow_stronger_away_from_zero_on_either_side():
    """The scale is symmetric: classes equally far from zero have colours of the same strength."""
    classes = classes_of(np.array([-20.0, -8, -3, 2, 7, 12, 19]))
    colours = classes.colours("white")
    assert classes.below_zero == len(colours) / 2
    assert colours[0] == BELOW[-1]
    assert colours[-1] == ABOVE[-1]
    assert {colours[classes.below_zero - 1], colours[classes.below_zero]} == {ABOVE[0], BELOW[0]}


def test_names_of_classes_have_no_hyphens_that_could_be_minus_signs():
    names = classes_of(np.array([-20.0, -8, -3, 2, 7, 12, 19])).names
    assert any("\N{MINUS SIGN}" in name for name in names)
    assert not any(re.search(r"[-\N{EN DASH}]", name) for name in names)
