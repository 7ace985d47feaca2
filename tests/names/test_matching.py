"""Tests how a query is matched to a suburb name, on hand-made gazetteers and on countries drawn at random."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import can_be_meant, contradicted, longer_names, rule, verdict
from suburb_pandas.names.readings import Query, readings
from tests.support.made_up import NAMES, PLACES, POSTCODES, countries, queries

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


@pytest.mark.parametrize(
    ("query", "number"),
    [
        (Query("lantern bay"), 2),
        (Query("magpie flat"), 7),
        (Query("magpie flat nsw"), 2),
        (Query("magpie flat (no such council - nsw)"), 2),
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


@pytest.mark.parametrize(
    ("query", "not_confirmed"),
    [
        (Query("quoll", "NSW"), (Says.NOTHING, Says.NOT_GIVEN, Says.NOT_GIVEN)),
        (Query("quoll nsw 2001"), (Says.NOTHING, Says.NOTHING, Says.NOT_GIVEN)),
        (Query("Quoll", None, "2001"), (Says.NOT_GIVEN, Says.NOTHING, Says.NOT_GIVEN)),
        (Query("quoll (Woylie)"), (Says.NOT_GIVEN, Says.NOT_GIVEN, Says.NOTHING)),
        (Query("quoll", region="Woylie"), (Says.NOT_GIVEN, Says.NOT_GIVEN, Says.NOTHING)),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_what_is_not_known_prevents_nothing(query, not_confirmed, complete):
    """A bare name is resolved although nothing is known of the state, the postcode or the region in the query."""
    found = verdict(Gazetteer([Place("Quoll")], complete=complete), query)
    assert found.area_name == "Quoll"
    assert found.fit.evidence == not_confirmed


@pytest.mark.parametrize("place", [Place("Quoll"), Place("Quoll", "NSW"), Place("Quoll", "NSW", postcode="2031")])
@pytest.mark.parametrize("query", [Query("quoll", "Narnia"), Query("quoll", None, "27"), Query("quoll", None, "n/a")])
def test_what_is_no_state_or_postcode_means_nothing(place, query):
    """A text that is no state, or no postcode, is not information that may be true: the row stays open."""
    found = verdict(Gazetteer([place], complete=True), query)
    assert (found.area_name, found.candidates) == (None, ())
    assert [one.area_name for one in contradicted(Gazetteer([place]), query)] == ["Quoll"]


def test_a_place_without_a_postcode_can_be_meant_too():
    """If one suburb has the postcode and that of another is not known, the query is ambiguous."""
    places = [Place("Quoll (NSW)", "NSW", postcode="2000"), Place("Quoll (Vic.)", "VIC")]
    found = verdict(Gazetteer(places, complete=True), Query("quoll", None, "2000"))
    assert found.is_ambiguous
    assert len(found.candidates) == 2


@pytest.mark.parametrize(
    ("query", "is_open"),
    [
        (Query("Quoll", "NSW"), True),
        (Query("quoll nsw 2031"), True),
        (Query("Quoll", None, "2031"), True),
        (Query("Quoll", None, "3000"), False),  # the first postcode of a range says nothing
        (Query("Quoll", "VIC"), False),
        (Query("Quoll", "NSW", "2032"), False),  # the longer name has another postcode
        (Query("Quoll"), False),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_a_longer_name_in_the_state_keeps_a_query_open(query, is_open, complete):
    """Where nothing is known of a suburb, a longer name that lies in the given state can be meant too."""
    places = [Place("Quoll"), Place("Quoll Bay", "NSW", postcode="2031"), Place("Quollbay", "NSW"), Place("Emu", "NSW")]
    found = verdict(Gazetteer([*places, Place("Emu Bay", "NSW", postcode="2032")], complete=complete), query)
    assert found.area_name == (None if is_open else "Quoll")
    assert sorted(candidates(found)) == (["Quoll", "Quoll Bay"] if is_open else [])


@pytest.mark.parametrize("quoll", [Place("Quoll", "NSW"), Place("Quoll", postcode="2031"), Place("Quoll", lga="Wader")])
def test_a_longer_name_matters_only_where_nothing_confirms_the_suburb(quoll):
    """A suburb whose state, postcode or region agrees is meant, although a longer name lies there too."""
    places = [quoll, Place("Quoll Bay", "NSW", "Wader", "2031")]
    query = Query("Quoll", "NSW", region="Wader" if quoll.lga else None)
    assert verdict(Gazetteer(places, complete=True), query).area_name == "Quoll"


def test_longer_names_are_those_in_the_given_state():
    """If the suburb lies in another state, the longer names in the given state are returned for suggestions."""
    places = [Place("Quoll", "VIC"), Place("Quoll Bay", "NSW"), Place("Quoll Point", "VIC"), Place("Quoll Hill")]
    assert longer_names(Gazetteer(places), Query("quoll nsw")) == [places[1]]
    in_council = [Place("Emu Hill"), Place("Emu (Hill Shire - NSW)", "NSW"), Place("Emu (Wader - NSW)", "NSW")]
    assert longer_names(Gazetteer(in_council), Query("emu hill nsw")) == []
    assert longer_names(Gazetteer(places), Query("quoll")) == []


POST_BOXES = [Place("Quoll", "NSW", postcode="2031"), Place("Emu", "NSW", postcode="2032"), Place("Wader (WA)", "WA")]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query("quoll nsw 2001"), "Quoll"),
        (Query("GPO Box 123, Quoll NSW 2001"), "Quoll"),
        (Query("Quoll", None, "2001"), "Quoll"),
        (Query("quoll nsw 2032"), None),
        (Query("quoll nsw 3001"), None),
    ],
)
def test_a_postcode_that_no_suburb_has_says_nothing_but_its_range(query, name):
    """A postcode for post boxes does not contradict a suburb of its range; that of another suburb does."""
    assert verdict(Gazetteer(POST_BOXES, complete=True), query).area_name == name
    listed = Gazetteer([place._replace(origin="list") for place in POST_BOXES])
    assert verdict(listed, query).area_name == name


def test_without_a_table_a_postcode_may_be_that_of_an_unknown_suburb():
    """If postcodes are known from look-ups alone, one that no known suburb has contradicts."""
    assert verdict(Gazetteer(POST_BOXES), Query("quoll nsw 2001")).area_name is None


ST_KILDA = [Place(f"St Kilda ({suffix})", state) for suffix, state in (("Qld", "QLD"), ("SA", "SA"), ("Vic.", "VIC"))]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query("St Kilda VIC 3182"), "St Kilda (Vic.)"),
        (Query("st kilda", "VIC", "3182"), "St Kilda (Vic.)"),
        (Query("St Kilda (Vic.)", None, "3182"), "St Kilda (Vic.)"),
        (Query("St Kilda VIC 5182"), None),
        (Query("St Kilda (Vic.)", None, "5182"), None),
        (Query("St Kilda SA 3182"), None),
        (Query("St Kilda 3182"), None),
        (Query("St Kilda 2000"), None),
    ],
)
def test_the_range_of_a_postcode_blocks_and_never_chooses(query, name):
    """Where no postcode is known, one outside of the suburb's state blocks it. It never chooses among several."""
    assert verdict(Gazetteer(ST_KILDA, complete=True), query).area_name == name


def test_the_range_of_a_postcode_orders_the_candidates():
    """The suburbs whose state fits the postcode come first, and all of them stay candidates."""
    whole = Gazetteer(ST_KILDA, complete=True)
    for postcode, first in (("3182", "St Kilda (Vic.)"), ("5110", "St Kilda (SA)"), ("4671", "St Kilda (Qld)")):
        found = candidates(verdict(whole, Query("st kilda", None, postcode)))
        assert found[0] == first
        assert len(found) == 3
    assert verdict(whole, Query("st kilda 7000")).is_ambiguous  # the first postcode of a range says nothing


def test_a_known_postcode_narrows():
    """A postcode that is known chooses the suburb that has it, if those of the others are known and different."""
    places = [
        place._replace(postcode=postcode) for place, postcode in zip(ST_KILDA, ("4671", "5110", "3182"), strict=True)
    ]
    whole = Gazetteer(places, complete=True)
    assert verdict(whole, Query("st kilda 3182")).area_name == "St Kilda (Vic.)"
    assert rule(whole, verdict(whole, Query("st kilda 3182")).fit) == "postcode"
    of_another = whole.and_also([Place("Quoll", "VIC", postcode="3183")])
    assert verdict(of_another, Query("st kilda vic 3183")).area_name is None
    in_part = Gazetteer([*places[:2], places[2]._replace(partly=("3183",))], complete=True)
    assert verdict(in_part, Query("st kilda 3183")).area_name == "St Kilda (Vic.)"


def test_a_known_postcode_tells_the_state():
    """Where only the postcode of a suburb is known, a state in which it cannot lie contradicts."""
    whole = Gazetteer([Place("Quoll", postcode="3182"), Place("Emu", postcode="0872")], complete=True)
    assert verdict(whole, Query("quoll vic")).area_name == "Quoll"
    assert verdict(whole, Query("quoll nsw")).area_name is None
    assert verdict(whole, Query("emu sa")).area_name == "Emu"
    assert verdict(whole, Query("emu vic")).area_name is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query("magpie flat", region="Curlew Shores"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("magpie flat nsw", region="curlew shores shire"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("Magpie Flat (Curlew Shores)"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("Magpie Flat NSW (Curlew Shores Council)"), "Magpie Flat (Curlew Shores - NSW)"),
        (Query("Lantern Bay, Curlew Shores"), "Lantern Bay (NSW)"),
        (Query("lantern bay", region="Muttonbird Straits"), "Lantern Bay (Tas.)"),
        (Query("lantern bay", region="Eastern Sassafras"), "Lantern Bay (Tas.)"),
        (Query("quokka bay", region="Marri Coast"), "Quokka Bay"),
        (Query("quokka bay", region="Curlew Shores"), None),
        (Query("Quokka Bay", region="Curlew Shores"), None),
        (Query("quokka bay (curlew shores)"), None),
        (Query("quokka bay", region="Perth"), "Quokka Bay"),
        (Query("quokka bay, greater perth"), "Quokka Bay"),
        (Query("quokka bay", region="Sydney"), None),
        (Query("lantern bay, Sydney"), "Lantern Bay (NSW)"),
        (Query("magpie flat (Sydney)"), None),
        (Query("quokka bay, the seaside"), None),
        (Query("quokka bay", region="the seaside"), "Quokka Bay"),
        (Query("lantern bay", region="the seaside"), None),
        (Query("Magpie Flat (Curlew Shores)", region="Marri Coast"), None),
    ],
)
def test_a_council_or_an_area_narrows(query, name):
    """A council or an ABS area confirms or contradicts where it is known. A capital or an unknown text does neither."""
    assert verdict(ALL, query).area_name == name


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("Lantern Bay (NSW)"), "exact"),
        (Query("Lantern Bay (NSW)", "NSW", "2535"), "exact"),
        (Query("quokka bay"), "base"),
        (Query("QUOKKA BAY WA 6171"), "base"),
        (Query("lantern bay", "NSW"), "base_state"),
        (Query("lantern bay nsw 2535"), "base_state"),
        (Query("lantern bay 2535"), "postcode"),
        (Query("magpie flat nsw 2536"), "postcode"),
        (Query("magpie flat (curlew shores - nsw)"), "council"),
        (Query("lantern bay", region="Curlew Shores"), "council"),
    ],
)
def test_the_rule_is_the_least_that_was_needed(query, expected):
    """The rule names the parts of a query that were needed to leave one suburb, not all parts that were given."""
    assert rule(ALL, verdict(ALL, query).fit) == expected


def test_an_address_is_not_read_where_names_may_be_missing():
    """Without a complete list and without a comma, an address may end in a suburb that is not known yet."""
    few, text = Gazetteer([Place("Hill")]), "12 Wader Street Grove Hill"
    assert verdict(few, Query(text)).area_name is None
    assert verdict(few, Query(text), found={"Hill"}).area_name is None
    assert verdict(Gazetteer([Place("Hill")], complete=True), Query(text)).area_name == "Hill"
    assert verdict(few, Query("12 Wader Street, Hill")).area_name == "Hill"


def test_two_suburbs_in_one_text_are_not_one():
    """A text with two suburbs means neither, even if one is called like a street, a council or a capital."""
    places = [Place("Ocean Grove"), Place("Quoll"), Place("Woylie"), Place("Emu (Woylie - NSW)", "NSW"), Place("Perth")]
    whole = Gazetteer(places, complete=True)
    assert verdict(whole, Query("Ocean Grove, Quoll")).is_ambiguous
    assert verdict(whole, Query("Quoll, Woylie")).area_name is None
    assert verdict(whole, Query("Quoll, Perth")).area_name is None
    assert verdict(whole, Query("Smith Grove, Quoll")).area_name == "Quoll"


def test_two_ends_of_an_address_are_ambiguous():
    """If an address can end in two suburbs, neither is chosen."""
    whole = Gazetteer([Place("Grove Hill"), Place("Hill"), Place("North Quoll"), Place("Quoll")], complete=True)
    assert verdict(whole, Query("12 Wader Street Grove Hill")).is_ambiguous
    assert verdict(whole, Query("12 Wader Street North Quoll")).is_ambiguous
    assert verdict(whole, Query("12 Wader Street, North Quoll")).area_name == "North Quoll"
    assert verdict(whole, Query("12 Wader Street, Quoll, Hill")).is_ambiguous
    assert verdict(whole, Query("Shop 2, Wader House, Hill")).area_name == "Hill"


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
            assert known.named(found)[1:4] == (None, known.named(found).lga, None)
            assert {*now.candidates} - {known.named(found)} <= {*longer_names(known, true)}


@given(st.data(), countries(), queries(), st.sampled_from(sorted(sal.STATES)), st.sampled_from(POSTCODES))
def test_a_false_state_or_postcode_never_leads_elsewhere(data, places, query, state, postcode):
    """A resolved suburb lies in the state and at the postcode of the query, as far as these are known."""
    known = Gazetteer(data.draw(known_in_part(places)), complete=True)
    found = verdict(known, Query(query[0], state, postcode))
    if found.area_name is not None:
        place = known.named(found.area_name)
        is_for_no_suburb = known.at_postcode(postcode) is None
        assert place.state in {None, state}
        assert place.postcode in {None, postcode} or is_for_no_suburb
        assert found.fit.evidence.state is (Says.NOTHING if place.state is None else Says.CONFIRMS)
        is_unknown = place.postcode is None or is_for_no_suburb
        assert found.fit.evidence.postcode is (Says.NOTHING if is_unknown else Says.CONFIRMS)
