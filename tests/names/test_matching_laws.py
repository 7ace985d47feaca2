"""Tests the laws of matching on countries drawn at random: nothing is guessed, and nothing contradicting resolves."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
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
