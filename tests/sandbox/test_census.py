"""The made-up counts of the made-up suburbs."""

from suburb_pandas.sandbox.census import census
from suburb_pandas.sandbox.country import SUBURBS
from suburb_pandas.sandbox.geocode import candidates


def test_every_suburb_has_dwellings_and_persons():
    """Each suburb has some dwellings, and more persons than dwellings; they differ between suburbs."""
    counts = [census(suburb.name) for suburb in SUBURBS]
    assert all(0 < one.dwellings < one.persons for one in counts)
    assert len({one.dwellings for one in counts}) > len(counts) / 2


def test_the_counts_are_the_same_everywhere():
    """The counts depend on the name alone."""
    assert [tuple(census(name)) for name in ("Quokka Bay", "Lantern Bay (NSW)")] == [(4941, 12352), (188, 432)]


def test_no_response_has_the_counts():
    """Like the service's, the sandbox's responses have no dwellings. They are known as if from a list."""
    assert "dwellings" not in str(candidates("quokka bay"))
