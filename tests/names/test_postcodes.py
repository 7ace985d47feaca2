"""Tests in which states a postcode can lie."""

import pytest

from suburb_pandas.names.postcodes import BORDERS, RANGES, states_at
from suburb_pandas.names.sal import STATES
from tests.support.made_up import PLACES


@pytest.mark.parametrize(
    ("postcode", "states"),
    [
        ("3182", {"VIC"}),
        ("2026", {"NSW"}),
        ("0872", {"NT", "SA", "WA"}),
        ("2406", {"NSW", "QLD"}),
        ("4383", {"NSW", "QLD"}),
        ("3644", {"NSW", "VIC"}),
        ("4825", {"NT", "QLD"}),
        ("2540", {"NSW", "ACT", "OT"}),
        ("2899", {"NSW", "OT"}),
        ("0250", {"ACT"}),
        ("2905", {"ACT"}),
        ("8500", {"VIC"}),
        ("9500", {"QLD"}),
        ("0500", {*STATES}),
    ],
)
def test_a_postcode_lies_in_its_range(postcode, states):
    """The range of a postcode says its state, but for the postcodes that cross a border."""
    assert states_at(postcode) == states


@pytest.mark.parametrize("postcode", [str(number) for number in range(2611, 2621)])
def test_around_canberra_nothing_is_certain(postcode):
    """The postcodes around the Australian Capital Territory reach into New South Wales."""
    assert states_at(postcode) == {"ACT", "NSW"}


def test_the_edge_of_a_range_says_nothing():
    """The first and the last postcode of each range are uncertain, unless they are listed as on a border."""
    for first, last, _ in RANGES:
        for postcode in (f"{first:04}", f"{last:04}"):
            assert states_at(postcode) == BORDERS.get(postcode, {*STATES})


def test_ranges_do_not_overlap():
    """Each postcode is in at most one range."""
    numbers = [number for first, last, _ in RANGES for number in range(first, last + 1)]
    assert len(numbers) == len({*numbers})


def test_the_made_up_suburbs_have_postcodes_of_their_states():
    """The embedded sandbox's postcodes follow the real ranges, so that what is tried on it holds for real ones."""
    assert [place for place in PLACES if place.state not in states_at(place.postcode)] == []
