import pytest

from suburb_pandas.sandbox.country import BY_NAME, STATES, SUBURBS
from suburb_pandas.sandbox.geocode import MOST_CANDIDATES, candidates


def names(query, state=None):
    return [candidate["area_name"] for candidate in candidates(query, state)]


def test_an_exact_name_comes_first():
    """The query of an exact name has that suburb as its first candidate."""
    assert [names(suburb.name)[0] for suburb in SUBURBS] == [suburb.name for suburb in SUBURBS]


def test_a_base_with_its_state_finds_the_suburb():
    """A base and a state find all suburbs of that base in the state, before any others."""
    for suburb in SUBURBS:
        same = {s.name for s in SUBURBS if (s.base, s.state) == (suburb.base, suburb.state)}
        assert set(names(suburb.base, suburb.state)[: len(same)]) == same


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("bilby", "Bilby Heights"),
        ("BILBY HEIGHTS", "Bilby Heights"),
        ("bilby hights", "Bilby Heights"),
        ("Lantren Bay nsw", "Lantern Bay (NSW)"),
        ("mangrov steps", "Mangrove Steps"),
        ("quoka", "Quokka Bay"),
        ("kestrel hill vic", "Kestrel Hill (Vic.)"),
        ("kestrel hill, Victoria", "Kestrel Hill (Vic.)"),
        ("magpie flat curlew shores", "Magpie Flat (Curlew Shores - NSW)"),
        ("magpie flat 6171", "Magpie Flat (WA)"),
        ("o'shannassys mill", "O'Shannassy's Mill"),
        ("oshannassy", "O'Shannassy's Mill"),
        ("mt yabby", "Mount Yabby"),
        ("saint corella", "St Corella"),
        ("bore no. 12", "Bore No 12"),
        ("nyarra willara", "Nyarra - Willara"),
        ("heron on the water", "Heron-on-the-Water"),
    ],
)
def test_people_find_what_they_mean(query, first):
    """A query may be part of a name, in any case, with one or two slips, a place, and other punctuation."""
    assert names(query)[0] == first


def test_a_name_of_many_places_brings_all_of_them():
    """A base that several suburbs share returns all of them."""
    assert len([name for name in names("magpie flat") if name.startswith("Magpie Flat (")]) == 7


@pytest.mark.parametrize("state", ["VIC", "vic", "Vic"])
def test_a_state_restricts_the_candidates(state):
    """A state restricts the candidates, in upper or lower case."""
    assert {BY_NAME[name].state for name in names("magpie flat", state)} == {"VIC"}


def test_an_empty_state_restricts_nothing():
    """An empty state is the same as none."""
    assert names("magpie flat", "") == names("magpie flat")


@pytest.mark.parametrize(
    ("query", "state"), [("Bondi", None), ("zzzz", None), ("  ", None), ("'", None), ("bilby", "XX"), ("bilby", "WA")]
)
def test_what_fits_nothing_brings_no_candidate(query, state):
    """Real places, nonsense, blanks and names of another state have no candidates."""
    assert names(query, state) == []


def test_an_exact_name_ranks_before_longer_ones():
    """An exact base comes first, followed by names that begin with it."""
    assert names("zamia") == ["Zamia", "Zamia Heights"]
    assert names("lorikeet")[:2] == ["Lorikeet", "Lorikeet Lookout"]


def test_there_are_never_too_many():
    """At most 20 candidates are returned, even for a single letter."""
    assert len(names("m")) == MOST_CANDIDATES


def test_a_candidate_says_where_it_lies():
    """A candidate has its areas, the state's name in full, and the postcode as text."""
    assert candidates("Spinifex Landing")[0] == {
        "area_name": "Spinifex Landing",
        "area_level": "suburb",
        "information": {
            "poa": "0839",
            "sa2": "Spinifex Landing",
            "sa3": "Spinifex",
            "sa4": "Top Pandanus",
            "lga": "Spinifex and Pandanus",
            "state": "Northern Territory",
        },
        "made_up": True,
    }
    assert candidates("Lantern Bay", "nsw")[0]["information"]["state"] == STATES["NSW"]
