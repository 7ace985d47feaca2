"""The look-ups of the sandbox: which suburbs a text may mean, and which of them comes first."""

import pytest

from suburb_pandas.sandbox.country import BY_NAME, SUBURBS
from suburb_pandas.sandbox.geocode import MOST_CANDIDATES, candidates

FIRST = {
    "BILBY": "Bilby Heights",
    "lantern": "Lantern Bay (NSW)",
    "bilby hights": "Bilby Heights",
    "zamai": "Zamia",
    "Lantren Bay nsw": "Lantern Bay (NSW)",
    "slatbush prak": "Saltbush Park",
    "kestrel hill, Victoria": "Kestrel Hill (Vic.)",
    "magpie flat curlew shores": "Magpie Flat (Curlew Shores - NSW)",
    "magpie flat 6171": "Magpie Flat (WA)",
    "oshannassy": "O'Shannassy's Mill",
    "mt yabby": "Mount Yabby",
    "saint corella": "St Corella",
    "bore no. 12": "Bore No 12",
    "heron on the water": "Heron-on-the-Water",
}


def names(query, state=""):
    return [candidate["area_name"] for candidate in candidates(query, state)]


def test_people_find_the_suburb_that_they_mean():
    """A query may be part of a name, in any case, with one or two slips, a place, and other punctuation.

    The query of an exact name has that suburb as its first candidate.
    """
    assert {query: names(query)[0] for query in FIRST} == FIRST
    assert [names(suburb.name)[0] for suburb in SUBURBS] == [*BY_NAME]


def test_a_name_of_many_places_brings_all_of_them():
    """A base that several suburbs share returns all of them; a state, in any case, restricts them."""
    assert sum(name.startswith("Magpie Flat (") for name in names("magpie flat")) == 7
    assert {BY_NAME[name].state for name in names("magpie flat", "vic")} == {"VIC"}


@pytest.mark.parametrize(("query", "state"), [("Bondi", ""), ("  ", ""), ("'", ""), ("bilby", "XX"), ("bilby", "WA")])
def test_other_texts_bring_no_candidate(query, state):
    """Real places, blanks and names of another state have no candidates."""
    assert names(query, state) == []


def test_an_exact_name_ranks_before_longer_ones():
    """An exact base comes first, then names that begin with it. At most 20 are returned, even for a single letter."""
    assert names("zamia") == ["Zamia", "Zamia Heights"]
    assert names("lorikeet")[:2] == ["Lorikeet", "Lorikeet Lookout"]
    assert len(names("m")) == MOST_CANDIDATES == 20
