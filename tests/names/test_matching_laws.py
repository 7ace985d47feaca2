"""Tests the laws of matching on countries drawn at random: nothing is guessed, and nothing contradicting resolves."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.written import Query, readings
from tests.support.made_up import POSTCODES, countries, queries


@given(countries(), queries())
def test_what_is_resolved_is_the_only_one_that_can_be_meant(places, query):
    """In any country, a resolved name is the only one with the base, the state and the postcodes of the query.

    A postcode that no suburb has does not count.
    """
    text, state, postcode = query
    found = verdict(Gazetteer(places, complete=True), Query(text, state, postcode)).area_name
    if found is None or found == text:
        return
    of_no_suburb = {*POSTCODES} - {place.postcode for place in places}
    fitting = {
        place.area_name
        for place in places
        for reading in readings(text)
        if sal.base_of(place.area_name) == reading.base
        and state in {None, reading.state or state}
        and (reading.state or state) in {None, place.state}
        and {reading.postcode, postcode} <= {None, place.postcode, *of_no_suburb}
        and {*reading.regions} <= {sal.fold(place.lga)}
    }
    assert fitting == {found}


@given(st.data(), countries(), queries())
def test_to_know_more_never_changes_what_is_meant(data, places, query):
    """A query that an incomplete gazetteer resolves has the same result with the complete one: nothing is guessed."""
    some = data.draw(st.lists(st.sampled_from(places), unique=True))
    found = verdict(Gazetteer(some), Query(*query)).area_name
    if found is not None:
        assert verdict(Gazetteer(places, complete=True), Query(*query)).area_name == found


@st.composite
def known_in_part(draw, places):
    """Draw what a gazetteer knows of the places of a country: states, postcodes and councils, or none of them."""
    known = st.booleans()
    return [
        place._replace(
            state=place.state if place.area_name.endswith(")") or draw(known) else None,
            postcode=place.postcode if draw(known) else None,
            lga=place.lga if draw(known) else None,
        )
        for place in places
    ]


@given(st.data(), countries(), queries())
def test_a_true_state_or_postcode_never_harms(data, places, query):
    """A true state or postcode beside a query never changes a resolved name.

    It opens it only if nothing is known of where the suburb is, and a longer name lies there.
    """
    known = Gazetteer(data.draw(known_in_part(places)), complete=data.draw(st.booleans()))
    text, state, postcode = query
    found = verdict(known, Query(text, state, postcode)).area_name
    if found is None:
        return
    truth = next(place for place in places if place.area_name == found)
    for true in (Query(text, state or truth.state, postcode), Query(text, state, postcode or truth.postcode)):
        now = verdict(known, true)
        assert (now.area_name or now.fit.place.area_name) == found
        if now.area_name is None:
            assert known[found][1:4] == (None, known[found].lga, None)
            assert all(sal.base_of(one.area_name).startswith(sal.base_of(found)) for one in now.candidates)


@given(st.data(), countries(), queries(), st.sampled_from(sorted(sal.STATES)), st.sampled_from(POSTCODES))
def test_a_false_state_or_postcode_never_leads_elsewhere(data, places, query, state, postcode):
    """A resolved suburb lies in the state and at the postcode of the query, as far as these are known."""
    known = Gazetteer(data.draw(known_in_part(places)), complete=True)
    found = verdict(known, Query(query[0], state, postcode))
    if found.area_name is not None:
        place = known[found.area_name]
        is_for_no_suburb = ("postcode", postcode) not in known.suburb_in
        assert place.state in {None, state}
        assert place.postcode in {None, postcode} or is_for_no_suburb
        assert found.fit.evidence.state is (Says.NOTHING if place.state is None else Says.CONFIRMS)
        is_unknown = place.postcode is None or is_for_no_suburb
        assert found.fit.evidence.postcode is (Says.NOTHING if is_unknown else Says.CONFIRMS)
