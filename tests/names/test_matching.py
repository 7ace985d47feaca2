"""Tests how a query is matched to a suburb name, on hand-made gazetteers."""

import pytest

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import RANGES, Says, states_at
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import rule, verdict
from suburb_pandas.names.written import Query
from tests.support.made_up import NAMES, PLACES

ALL = Gazetteer(PLACES, complete=True)


def judged(gazetteer, query):
    """Return the verdict on a text, or on a text with its state, postcode and region."""
    return verdict(gazetteer, Query(query) if isinstance(query, str) else Query(*query))


def meant(gazetteer, cases):
    """Return the name that each query means."""
    return {query: judged(gazetteer, query).area_name for query in cases}


def candidates(gazetteer, query):
    """Return the problem of a query, and its candidates."""
    found = judged(gazetteer, query)
    return found.problem, [place.area_name for place in found.candidates]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_itself(name):
    """An exact name resolves to itself, also in capitals, with outer spaces or with typographic apostrophes."""
    assert verdict(ALL, Query(name)).area_name == name
    assert verdict(ALL, Query(f" {name.upper()}  ".replace("'", "\u2019"))).area_name == name


RESOLVED = {
    "mt wonga wonga": "Mount Wonga Wonga",
    "heron on the water": "Heron-on-the-Water",
    "destrange": "D'Estrange",
    "Lantern Bay, New South Wales": "Lantern Bay (NSW)",
    "lantern bay 7241": "Lantern Bay (Tas.)",
    ("magpie flat", "NSW", "2536"): "Magpie Flat (Curlew Shores - NSW)",
    "magpie flat (curlew shores - nsw)": "Magpie Flat (Curlew Shores - NSW)",
    ("magpie flat nsw", None, None, "curlew shores shire"): "Magpie Flat (Curlew Shores - NSW)",
    "Magpie Flat NSW (Curlew Shores Council)": "Magpie Flat (Curlew Shores - NSW)",
    "Lantern Bay, Curlew Shores": "Lantern Bay (NSW)",
    ("lantern bay", None, None, "Eastern Sassafras"): "Lantern Bay (Tas.)",
    "lantern bay, Sydney": "Lantern Bay (NSW)",
    ("quokka bay", None, None, "the seaside"): "Quokka Bay",
}


def test_a_query_that_means_one_name():
    """A base resolves if only one suburb of the country, or of the given state, postcode or region, has it."""
    assert meant(ALL, RESOLVED) == RESOLVED


UNRESOLVED = {
    "lantern bay": "ambiguous",
    "magpie flat nsw": "ambiguous",
    "magpie flat (no such council - nsw)": "ambiguous",
    ("lantern bay", None, None, "the seaside"): "ambiguous",
    "lantern by": "unknown",
    "Lantern": "unknown",
    "quokkabay": "unknown",
    "": "unknown",
    "quokka bay, the seaside": "unknown",
    "lantern bay vic": "elsewhere",
    ("lantern bay nsw", "TAS"): "elsewhere",
    ("Lantern Bay (NSW)", "TAS"): "elsewhere",
    ("quokka bay", None, "27"): "elsewhere",
    ("quokka bay", "Narnia"): "elsewhere",
    ("Quokka Bay 6171", None, "6172"): "elsewhere",
    ("Quokka Bay", None, None, "Curlew Shores"): "elsewhere",
    ("quokka bay", None, None, "Sydney"): "elsewhere",
    "magpie flat (Sydney)": "elsewhere",
    ("Magpie Flat (Curlew Shores)", None, None, "Marri Coast"): "elsewhere",
}


def test_a_query_that_means_no_name():
    """A misspelt name or a missing space is unknown. A wrong or invalid state, postcode or region contradicts.

    A capital stands for its whole state, unless the suburb's own name has a council. If several suburbs fit, none is
    chosen.
    """
    assert {query: judged(ALL, query).problem for query in UNRESOLVED} == UNRESOLVED
    assert {*meant(ALL, UNRESOLVED).values()} == {None}


@pytest.mark.parametrize("complete", [True, False])
def test_what_is_not_known_prevents_nothing(complete):
    """A bare name is resolved although nothing is known of the state, the postcode or the region in the query.

    A region may be an SA3, whatever the suburb's council is called.
    """
    few = Gazetteer([Place("Quoll", lga="Wader"), Place("Emu", lga="Woylie", sa3="Woylie")], complete=complete)
    for query in ("quoll nsw 2001 (Woylie)", ("quoll", "NSW", "2001", "Woylie")):
        assert judged(few, query).area_name == "Quoll"
        assert judged(few, query).fit.evidence == (Says.NOTHING, Says.NOTHING, Says.NOTHING)


IS_OPEN = {
    ("Quoll", "NSW"): True,
    "quoll nsw 2031": True,
    ("Quoll", None, "2031"): True,
    ("Quoll", None, "3000"): False,  # no postcode of the longer name's state
    ("Quoll", "VIC"): False,
    ("Quoll", "NSW", "2032"): False,  # the longer name has another postcode
    "Quoll": False,
}


@pytest.mark.parametrize("complete", [True, False])
def test_a_longer_name_in_the_state_keeps_a_query_open(complete):
    """Where nothing is known of a suburb, a longer name that lies in the given state can be meant too."""
    others = [Place("Quoll Bay", "NSW", postcode="2031"), Place("Emu Bay", "NSW", postcode="2032"), Place("Quollbay")]
    gazetteer = Gazetteer([Place("Quoll"), *others], complete=complete)
    assert {query: judged(gazetteer, query).area_name is None for query in IS_OPEN} == IS_OPEN
    assert candidates(gazetteer, ("Quoll", "NSW")) == ("ambiguous", ["Quoll Bay", "Quoll"])
    for known in (Place("Quoll", "NSW"), Place("Quoll", postcode="2031"), Place("Quoll", lga="Wader")):
        located = Gazetteer([known, *others], complete=complete)
        assert judged(located, ("Quoll", "NSW", None, known.lga)).area_name == "Quoll"


def test_longer_names_in_the_given_state_come_before_the_suburb_elsewhere():
    """If the suburb lies in another state, the longer names in the given state are its first candidates."""
    places = [Place("Quoll", "VIC"), Place("Quoll Bay", "NSW"), Place("Quoll Point", "VIC"), Place("Quoll Hill")]
    assert candidates(Gazetteer(places), "quoll nsw") == ("elsewhere", ["Quoll Bay", "Quoll"])
    in_council = [Place("Emu Hill", "VIC"), Place("Emu (Hill Shire - NSW)", "NSW"), Place("Emu (Wader - NSW)", "NSW")]
    assert candidates(Gazetteer(in_council), "emu hill nsw") == ("elsewhere", ["Emu Hill"])


OF_POST_BOXES = {
    "quoll nsw 2001": "Quoll",
    "GPO Box 123, Quoll NSW 2001": "Quoll",
    ("Quoll", None, "2001"): "Quoll",
    "quoll nsw 2032": None,
    "quoll nsw 3001": None,
}


def test_a_postcode_that_no_suburb_has_says_nothing_but_its_range():
    """A postcode for post boxes does not contradict a suburb of its range; that of another suburb does.

    If postcodes are known from look-ups alone, one that no known suburb has contradicts.
    """
    places = [Place("Quoll", "NSW", postcode="2031"), Place("Emu", "NSW", postcode="2032")]
    assert meant(Gazetteer(places, complete=True), OF_POST_BOXES) == OF_POST_BOXES
    assert meant(Gazetteer(place._replace(origin="list") for place in places), OF_POST_BOXES) == OF_POST_BOXES
    assert judged(Gazetteer(places), "quoll nsw 2001").area_name is None


ST_NUMBAT = [Place(f"St Numbat ({suffix})", state) for suffix, state in (("Qld", "QLD"), ("SA", "SA"), ("Vic.", "VIC"))]
AT_ST_NUMBAT = {
    "St Numbat VIC 3182": "St Numbat (Vic.)",
    ("St Numbat (Vic.)", None, "3182"): "St Numbat (Vic.)",
    "St Numbat VIC 5182": None,
    ("St Numbat (Vic.)", None, "5182"): None,
}


def test_the_range_of_a_postcode_blocks_and_orders_and_never_chooses():
    """Where no postcode is known, one outside of the suburb's state blocks it. Among several, it only orders them."""
    whole = Gazetteer(ST_NUMBAT, complete=True)
    assert meant(whole, AT_ST_NUMBAT) == AT_ST_NUMBAT
    problem, names = candidates(whole, "st numbat 5110")
    assert (problem, names[0], len(names)) == ("ambiguous", "St Numbat (SA)", 3)
    assert candidates(whole, "st numbat 7000")[0] == "elsewhere"


def test_a_known_postcode_narrows():
    """A postcode that is known chooses the suburb that has it, if those of the others are known and different.

    If the postcode of another suburb is not known, none is chosen.
    """
    qld, sa, vic = (
        place._replace(postcode=one) for place, one in zip(ST_NUMBAT, ("4671", "5110", "3182"), strict=True)
    )
    others = [Place("Quoll", "VIC", postcode="3183"), Place("Emu (NSW)", postcode="2406"), Place("Emu (Qld)", "QLD")]
    whole = Gazetteer([qld, sa, vic._replace(partly=("3184",)), *others], complete=True)
    expected = {"st numbat 3182": vic[0], "st numbat 3184": vic[0], "st numbat vic 3183": None, "emu 2406": None}
    assert meant(whole, expected) == expected


def test_a_known_postcode_tells_the_state():
    """Where only the postcodes of a suburb are known, a state in which none of them can lie contradicts."""
    places = [Place("Quoll", postcode="3182", partly=("5031",)), Place("Emu", postcode="0872")]
    expected = {"quoll sa": "Quoll", "quoll nsw": None, "emu sa": "Emu", "emu wa": "Emu", "emu vic": None}
    assert meant(Gazetteer(places, complete=True), expected) == expected


STATES_AT = {
    "3182": {"VIC"},
    "0872": {"NT", "SA", "WA"},
    "2406": {"NSW", "QLD"},
    "3644": {"NSW", "VIC"},
    "2540": {"NSW", "ACT", "OT"},
    "2620": {"ACT", "NSW"},
    "2905": {"ACT"},
    "0500": {*sal.STATES},
}


def test_a_postcode_lies_in_its_range():
    """The range of a postcode says its state, but for postcodes on a border.

    The postcodes of the made-up suburbs follow the ranges, too.
    """
    assert {postcode: states_at(postcode) for postcode in STATES_AT} == STATES_AT
    ends = [f"{end:04}" for first, last, _ in RANGES for end in (first, last)]
    assert all(state in states_at(f"{end:04}") for first, last, state in RANGES for end in (first, last))
    assert ends == sorted({*ends})
    assert all(place.state in states_at(place.postcode) for place in PLACES)


RULES = {
    "Lantern Bay (NSW)": "exact",
    ("Lantern Bay (NSW)", "NSW", "2535"): "exact",
    "QUOKKA BAY WA 6171": "base",
    "lantern bay nsw 2535": "base_state",
    "lantern bay 7241": "postcode",
    "magpie flat (curlew shores - nsw)": "council",
    ("lantern bay", None, None, "Curlew Shores"): "council",
}


def test_the_rule_is_the_least_that_was_needed():
    """The rule names the parts of a query that were needed to leave one suburb, not all parts that were given."""
    assert {query: rule(ALL, judged(ALL, query).fit) for query in RULES} == RULES


def test_an_address_is_not_read_where_names_may_be_missing():
    """Without a complete list and without a comma, an address may end in a suburb that is not known yet."""
    few, query = Gazetteer([Place("Hill")]), Query("12 Wader Street Grove Hill")
    assert {verdict(few, query, found=found).area_name for found in (None, {"Hill"})} == {None}
    assert judged(few, "12 Wader Street, Hill").area_name == "Hill"
    assert verdict(Gazetteer([Place("Hill")], complete=True), query).area_name == "Hill"


def test_a_text_that_may_mean_two_suburbs_means_neither():
    """If an address can end in two suburbs, or the text after a comma can be a second suburb, neither is chosen.

    The text after a comma may have the name of a council or a capital, too.
    """
    names = ("Grove Hill", "Hill", "North Quoll", "Quoll", "Bilby Grove", "Woylie", "Emu (Woylie - NSW)", "Perth")
    whole = Gazetteer(map(Place, (*names, "Tern East")), complete=True)
    for text in ("12 Wader Street Grove Hill", "12 Hay Street North Quoll", "1 Hay St N Quoll, NSW"):
        assert candidates(whole, text)[0] == "ambiguous"
    assert candidates(whole, "1 Hay St East Tern") == ("unknown", ["Tern East"])
    for text in ("1 Hay St, Quoll, Hill", "Bilby Grove, Quoll"):
        assert candidates(whole, text)[0] == "several"
    expected = {
        "12 Wader Street, North Quoll": "North Quoll",
        "12 Wader Street East Woylie": "Woylie",
        "Wader House, Quoll": None,
        "Quoll, Woylie": None,
        "Quoll, Perth": None,
    }
    assert meant(whole, expected) == expected


def test_a_bare_name_proves_that_there_is_no_other():
    """A bare name is resolved even if other names are not known, because no other suburb has its base.

    A name with a state but no council is likewise the only one of its base in that state, and a council proves that
    there are others. But without a complete list, a state's full name may be part of a longer name, so that a look-up
    is needed.
    """
    few = Gazetteer([Place("Mount Quoll"), Place("Quoll (Vic.)", "VIC"), Place("Emu (Woylie - Vic.)", "VIC")])
    expected = {"mt quoll": "Mount Quoll", "quoll vic": "Quoll (Vic.)", "quoll victoria": None, "emu vic": None}
    assert meant(few, expected) == expected
    assert verdict(few, Query("quoll victoria"), found=set()).area_name == "Quoll (Vic.)"


def test_a_postcode_proves_little_of_a_few_names():
    """Without a complete list, a postcode decides only between the names that the service has just returned."""
    few, query = Gazetteer([Place("Quoll (NSW)", "NSW", postcode="2406")]), Query("quoll", None, "2406")
    expected = {None: None, frozenset({"Woylie"}): None, frozenset({"Quoll (NSW)"}): "Quoll (NSW)"}
    assert {found: verdict(few, query, found=found).area_name for found in expected} == expected
