"""Tests how a query is matched to a suburb name, on hand-made gazetteers and on countries drawn at random."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import can_be_meant, verdict
from suburb_pandas.names.sal import Query
from tests.support.made_up import NAMES, PLACES, countries, queries

ALL = Gazetteer(PLACES, complete=True)


def candidates(found):
    return [place.area_name for place in found.candidates]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_itself(name):
    """An exact name resolves to itself, also in capitals, with outer spaces or with typographic apostrophes."""
    assert verdict(ALL, Query(name)).area_name == name
    assert verdict(ALL, Query(f" {name.upper()}  ".replace("'", "\u2019"))).area_name == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query("mt wonga wonga"), "Mount Wonga Wonga"),
        (Query("Saint Corella"), "St Corella"),
        (Query("heron on the water"), "Heron-on-the-Water"),
        (Query("D'Estrange"), "D'Estrange"),
        (Query("destrange"), "D'Estrange"),
        (Query("lantern bay tas"), "Lantern Bay (Tas.)"),
        (Query("Lantern Bay, New South Wales"), "Lantern Bay (NSW)"),
        (Query("lantern bay", "TAS"), "Lantern Bay (Tas.)"),
        (Query("lantern bay tas", "TAS"), "Lantern Bay (Tas.)"),
        (Query("lantern bay 7241"), "Lantern Bay (Tas.)"),
        (Query("magpie flat", "NSW", "2536"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("magpie flat", None, "2536"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("magpie flat (curlew shores - nsw)"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("quokka bay wa 6171"), "Quokka Bay"),
        (Query("Lantern Bay (NSW)", "NSW"), "Lantern Bay (NSW)"),
    ],
)
def test_a_query_that_means_one_name(query, name):
    """A base resolves if only one suburb of the country, of the given state or of the given postcode has it."""
    assert verdict(ALL, query).area_name == name


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("text", ["quokka bay", "lantern bay", "no such place", "port victoria"])
def test_without_a_state_or_a_postcode_nothing_is_unconfirmed(text, complete):
    """A query of a text alone is resolved, ambiguous or unknown. There is nothing in it to be confirmed."""
    assert verdict(Gazetteer(PLACES, complete=complete), Query(text)).unconfirmed is False


@pytest.mark.parametrize(
    ("query", "number"),
    [
        (Query("lantern bay"), 2),
        (Query("magpie flat"), 7),
        (Query("magpie flat nsw"), 2),
        (Query("magpie flat", "VIC"), 2),
        (Query("boobook"), 4),
    ],
)
def test_a_query_that_means_several_names(query, number):
    """A query that fits several suburbs is ambiguous, and all of them are its candidates."""
    found = verdict(ALL, query)
    assert found.is_ambiguous
    assert len(found.candidates) == number


@pytest.mark.parametrize(
    "query",
    [
        Query("lantern by"),
        Query("Lantern"),
        Query("quokkabay"),
        Query("lantern bay vic"),
        Query("lantern bay nsw", "TAS"),
        Query("Lantern Bay (NSW)", "TAS"),
        Query("quokka bay", "NSW"),
        Query("quokka bay", None, "2000"),
        Query("magpie flat (no such council - nsw)"),
        Query("quokka bay", "Narnia"),
        Query("Quokka Bay 6171", None, "6172"),
        Query(""),
        Query("NSW"),
        Query("6171"),
    ],
)
def test_a_query_that_means_no_name(query):
    """A misspelt name, a missing space, or the wrong state or postcode means no suburb and has no candidates."""
    found = verdict(ALL, query)
    assert found.area_name is None
    assert not found.candidates


@pytest.mark.parametrize("query", [Query("quoll", "NSW"), Query("quoll nsw"), Query("Quoll", None, "2000")])
def test_what_is_not_known_confirms_nothing(query):
    """A match is unconfirmed if the query has a state or a postcode and the location of the suburb is not known."""
    found = verdict(Gazetteer([Place("Quoll")], complete=True), query)
    assert found.area_name is None
    assert found.unconfirmed
    assert candidates(found) == ["Quoll"]


def test_a_place_without_a_postcode_can_be_meant_too():
    """If one suburb has the postcode and that of another is not known, the query is ambiguous."""
    places = [Place("Quoll (NSW)", "NSW", postcode="2000"), Place("Quoll (Vic.)", "VIC")]
    found = verdict(Gazetteer(places, complete=True), Query("quoll", None, "2000"))
    assert found.is_ambiguous
    assert len(found.candidates) == 2


def test_a_suffix_proves_that_there_are_others():
    """The only known name is not chosen if its suffix says more than the query: that proves that others exist."""
    found = verdict(Gazetteer([Place("Quoll (Vic.)", "VIC")]), Query("quoll"), found={"Quoll (Vic.)"})
    assert found.is_ambiguous
    assert candidates(found) == ["Quoll (Vic.)"]
    council = Gazetteer([Place("Quoll (Woylie - Vic.)", "VIC")])
    assert verdict(council, Query("quoll", "VIC"), found={"Quoll (Woylie - Vic.)"}).is_ambiguous


def test_a_bare_name_proves_that_there_is_no_other():
    """A bare name is resolved even if other names are not known, because no other suburb has its base.

    A name with a state but no council is likewise the only one of its base in that state.
    """
    few = Gazetteer([Place("Mount Quoll"), Place("Quoll (Vic.)", "VIC")])
    assert verdict(few, Query("mt quoll")).area_name == "Mount Quoll"
    assert verdict(few, Query("quoll victoria"), found=set()).area_name == "Quoll (Vic.)"
    assert verdict(few, Query("quoll vic")).area_name == "Quoll (Vic.)"


def test_what_may_be_part_of_a_name_waits_for_the_service():
    """Without a complete list, a query that ends in a state's full name is resolved only after a look-up.

    "Quoll Victoria" could itself be a name that is not known yet.
    """
    few = Gazetteer([Place("Quoll (Vic.)", "VIC")])
    assert verdict(few, Query("quoll victoria")).area_name is None
    assert verdict(few, Query("quoll victoria"), found=set()).area_name == "Quoll (Vic.)"


def test_a_postcode_proves_little_of_a_few_names():
    """Without a complete list, a postcode decides only between the names that the service has just returned."""
    few = Gazetteer([Place("Quoll (NSW)", "NSW", postcode="2406")])
    query = Query("quoll", None, "2406")
    assert verdict(few, query).area_name is None
    assert verdict(few, query, found={"Woylie"}).area_name is None
    assert verdict(few, query, found={"Quoll (NSW)"}).area_name == "Quoll (NSW)"


@pytest.mark.parametrize(
    ("query", "can_be"),
    [
        (Query("quoll vic", "VIC", "3000"), True),
        (Query("Port Victoria", "SA"), True),
        (Query("quoll vic", "SA"), False),
        (Query("quoll 3000", None, "3001"), False),
        (Query("quoll", "Narnia"), False),
        (Query("quoll", None, "27"), False),
    ],
)
def test_what_cannot_mean_any_suburb(query, can_be):
    """A query means no suburb if its state or postcode is not valid, or contradicts the end of its text."""
    assert can_be_meant(query) == can_be


@given(countries(), queries())
def test_what_is_resolved_is_the_only_one_that_can_be_meant(places, query):
    """In any country, a resolved name is the only one with the base, the state and the postcode of the query."""
    text, state, postcode = query
    found = verdict(Gazetteer(places, complete=True), Query(text, state, postcode)).area_name
    if found is None or found == text:
        return
    readings = [
        (reading.base, reading.state or state, reading.postcode or postcode, reading.council)
        for reading in sal.readings(text)
    ]
    fitting = [
        place.area_name
        for place in places
        for base, in_state, at, council in readings
        if sal.fold(sal.parse(place.area_name).base) == base
        and state in {None, in_state}
        and postcode in {None, at}
        and in_state in {None, place.state}
        and at in {None, place.postcode}
        and council in {None, sal.fold(sal.parse(place.area_name).council or "")}
    ]
    assert fitting == [found]


@given(st.data(), countries(), queries())
def test_to_know_more_never_changes_what_is_meant(data, places, query):
    """A query that an incomplete gazetteer resolves has the same result with the complete one: nothing is guessed."""
    some = data.draw(st.lists(st.sampled_from(places), unique=True))
    found = verdict(Gazetteer(some), Query(*query)).area_name
    if found is not None:
        assert verdict(Gazetteer(places, complete=True), Query(*query)).area_name == found


@given(countries())
def test_a_base_and_its_state_resolve_where_they_are_unique(places):
    """A base with its state resolves if the state has the base once, and is ambiguous if the state has it twice."""
    whole = Gazetteer(places, complete=True)
    for place in places:
        base = sal.parse(place.area_name).base
        if base.endswith("Victoria"):
            continue  # "Victoria" can be read as the state
        there = [one for one in places if sal.parse(one.area_name).base == base and one.state == place.state]
        found = verdict(whole, Query(base, place.state))
        assert found.area_name == (place.area_name if len(there) == 1 else None)
        assert found.is_ambiguous == (len(there) > 1)
