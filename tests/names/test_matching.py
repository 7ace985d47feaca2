"""Tests how a query is matched to a suburb name, on hand-made gazetteers."""

from functools import partial

import pytest

from suburb_pandas.names.evidence import states_at
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import rule, verdict
from suburb_pandas.names.written import Query
from tests.support.made_up import NAMES, PLACES

Whole = partial(Gazetteer, complete=True)
ALL = Whole(PLACES)


def query_of(given):
    """Return the query of a text, or of a text with its state, postcode and region."""
    return Query(given) if isinstance(given, str) else Query(*given)


def outcome(gazetteer, query, **looked_up):
    """Return the name that a query means, or the problem with the candidates."""
    found = verdict(gazetteer, query_of(query), **looked_up)
    return found.area_name or ": ".join([found.problem, ", ".join(place.area_name for place in found.candidates)])


RESOLVED = {
    "Lantern Bay (NSW)": ("Lantern Bay (NSW)", "exact"),
    "QUOKKA BAY WA 6171": ("Quokka Bay", "base"),
    ("quokka bay", None, None, "the seaside"): ("Quokka Bay", "base"),
    "emu pde": ("Emu Parade", "abbreviation"),
    "lantern bay nsw 2535": ("Lantern Bay (NSW)", "base_state"),
    "lantern bay, Sydney": ("Lantern Bay (NSW)", "council"),
    "lantern bay 7241": ("Lantern Bay (Tas.)", "postcode"),
    ("magpie flat", "NSW", "2536"): ("Magpie Flat (Curlew Shores - NSW)", "postcode"),
    "magpie flat (curlew shores - nsw)": ("Magpie Flat (Curlew Shores - NSW)", "council"),
    ("magpie flat nsw", None, None, "curlew shores shire"): ("Magpie Flat (Curlew Shores - NSW)", "council"),
}


def test_a_query_that_means_one_name():
    """A name is itself, also in capitals. A base resolves if only one suburb has it in the country or where it is said.

    The rule names the parts of a query that were needed to leave one suburb, not all parts that were given.
    """
    assert [outcome(ALL, name.upper()) for name in NAMES] == NAMES
    verdicts = {query: verdict(ALL, query_of(query)) for query in RESOLVED}
    assert {query: (found.area_name, rule(ALL, found.fit)) for query, found in verdicts.items()} == RESOLVED


BOTH = "Lantern Bay (NSW), Lantern Bay (Tas.)"
IN_NSW = "Magpie Flat (Curlew Shores - NSW), Magpie Flat (Ironbark Ranges - NSW)"
UNRESOLVED = {
    "magpie flat nsw": f"ambiguous: {IN_NSW}",
    "magpie flat (no such council - nsw)": f"ambiguous: {IN_NSW}",
    ("lantern bay", None, None, "the seaside"): f"ambiguous: {BOTH}",
    "quokkabay": "unknown: ",
    "": "unknown: ",
    "quokka bay, the seaside": "unknown: ",
    "lantern bay vic": f"elsewhere: {BOTH}",
    ("Lantern Bay (NSW)", "TAS"): f"elsewhere: {BOTH}",
    ("quokka bay", None, "27"): "elsewhere: Quokka Bay",
    ("quokka bay", "Narnia"): "elsewhere: Quokka Bay",
    ("Quokka Bay 6171", None, "6172"): "elsewhere: Quokka Bay",
    ("Quokka Bay", None, None, "Curlew Shores"): "elsewhere: Quokka Bay",
    ("quokka bay", None, None, "Sydney"): "elsewhere: Quokka Bay",
}
QUOLL, EMU = Place("Quoll", "NSW", postcode="2031"), Place("Emu", "NSW", postcode="2032")
ST_NUMBAT = [Place(f"St Numbat ({suffix})", state) for suffix, state in (("Qld", "QLD"), ("SA", "SA"), ("Vic.", "VIC"))]
QLD, SA, VIC = (place._replace(postcode=one) for place, one in zip(ST_NUMBAT, ("4671", "5110", "3182"), strict=True))
STREETS = ("Grove Hill", "Hill", "North Quoll", "Quoll", "Bilby Grove", "Woylie", "Emu (Woylie - NSW)", "Tern East")
LONGER = [Place("Quoll Bay", "NSW", postcode="2031"), Place("Emu Bay", "NSW", postcode="2032"), Place("Quoll Hill")]
CASES = {
    "a misspelt name is unknown; a wrong or invalid state, postcode or region contradicts": (ALL, UNRESOLVED),
    "what is not known of the state, the postcode or the region prevents nothing; a region may be an SA3": (
        Gazetteer([Place("Quoll", lga="Wader"), Place("Emu", lga="Woylie", sa3="Woylie")]),
        dict.fromkeys(["quoll nsw 2001 (Woylie)", ("quoll", "NSW", "2001", "Woylie")], "Quoll"),
    ),
    "a postcode for post boxes does not contradict a suburb of its range; that of another suburb does": (
        Whole([QUOLL, EMU]),
        {
            "GPO Box 123, Quoll NSW 2001": "Quoll",
            ("Quoll", None, "2001"): "Quoll",
            "quoll nsw 2032": "elsewhere: Quoll",
            "quoll nsw 3001": "elsewhere: Quoll",
        },
    ),
    "a loaded table of postcodes shows which of them are for post boxes": (
        Gazetteer([QUOLL._replace(origin="list")]),
        {"quoll nsw 2001": "Quoll", "quoll nsw 3001": "elsewhere: Quoll"},
    ),
    "if postcodes are known from look-ups alone, one that no known suburb has contradicts": (
        Gazetteer([QUOLL]),
        {"quoll nsw 2001": "elsewhere: Quoll"},
    ),
    "where no postcode is known, one outside of the suburb's state blocks it, or orders several, and never chooses": (
        Whole(ST_NUMBAT),
        {
            "St Numbat VIC 3182": "St Numbat (Vic.)",
            "st numbat 5110": "ambiguous: St Numbat (SA), St Numbat (Qld), St Numbat (Vic.)",
            "st numbat 7000": "elsewhere: St Numbat (Qld), St Numbat (SA), St Numbat (Vic.)",
            ("St Numbat (Vic.)", None, "5182"): "elsewhere: St Numbat (SA), St Numbat (Vic.), St Numbat (Qld)",
        },
    ),
    "a known postcode chooses its suburb, if those of the others are known": (
        Whole([QLD, SA, VIC._replace(partly=("3184",)), Place("Quoll", "VIC", postcode="3183")]),
        {
            "st numbat 3182": "St Numbat (Vic.)",
            "st numbat 3184": "St Numbat (Vic.)",
            "st numbat vic 3183": "elsewhere: St Numbat (Vic.), St Numbat (Qld), St Numbat (SA)",
        },
    ),
    "a known postcode chooses no suburb, if that of another one is not known": (
        Whole([Place("Emu (NSW)", postcode="2406"), Place("Emu (Qld)", "QLD")]),
        {"emu 2406": "ambiguous: Emu (NSW), Emu (Qld)"},
    ),
    "where only postcodes are known of a suburb, a state in which none of them can lie contradicts": (
        Whole([Place("Quoll", postcode="3182", partly=("5031",)), Place("Emu", postcode="0872")]),
        {"quoll sa": "Quoll", "quoll nsw": "elsewhere: Quoll", "emu wa": "Emu", "emu vic": "elsewhere: Emu"},
    ),
    "of an address that can end in two suburbs, and of a text with a second suburb after a comma, none is chosen": (
        Whole(map(Place, STREETS)),
        {
            "12 Wader Street Grove Hill": "ambiguous: Grove Hill, Hill",
            "1 Hay St N Quoll, NSW": "ambiguous: North Quoll, Quoll",
            "1 Hay St East Tern": "unknown: Tern East",
            "Bilby Grove, Quoll": "several: Bilby Grove, Quoll",
            "12 Wader Street East Woylie": "Woylie",
            "Wader House, Quoll": "unknown: ",
            "Quoll, Woylie": "unknown: ",
            "Quoll, Perth": "unknown: ",
        },
    ),
    "a state that is given with several names holds for all of them; of a name that is ambiguous, all are shown": (
        Whole([Place("Emu (NSW)", "NSW"), Place("Emu (Vic.)", "VIC"), Place("Quoll")]),
        {
            ("emu & quoll", "VIC"): "several: Emu (Vic.), Quoll",
            "emu & quoll": "several: Emu (NSW), Emu (Vic.), Quoll",
        },
    ),
    "a bare name proves that no other suburb has its base, a state without a council that none has it in that state": (
        Gazetteer([Place("Mount Quoll"), VIC, Place("Emu (Woylie - Vic.)", "VIC")]),
        {
            "mt quoll": "Mount Quoll",
            "st numbat vic": "St Numbat (Vic.)",
            "st numbat victoria": "unknown: ",  # it may be a part of a longer name
            "emu vic": "ambiguous: Emu (Woylie - Vic.)",
        },
    ),
    "if the suburb lies in another state, the longer names in the given state are its first candidates": (
        Gazetteer([Place("Quoll", "VIC"), Place("Quoll Bay", "NSW"), Place("Quoll Point", "VIC"), Place("Quoll Hill")]),
        {"quoll nsw": "elsewhere: Quoll Bay, Quoll"},
    ),
    "where nothing is known of a suburb, a longer name that lies in the given state can be meant, too": (
        Gazetteer([Place("Quoll"), *LONGER]),
        {
            ("Quoll", "NSW"): "ambiguous: Quoll Bay, Quoll",
            ("Quoll", None, "2031"): "ambiguous: Quoll Bay, Quoll",
            ("Quoll", None, "3000"): "Quoll",  # no postcode of the longer name's state
            ("Quoll", "VIC"): "Quoll",
            ("Quoll", "NSW", "2032"): "Quoll",  # the longer name has another postcode
        },
    ),
    "where the state of a suburb is known, no longer name is meant": (Whole([QUOLL, *LONGER]), {"quoll nsw": "Quoll"}),
    "where its council is known and confirmed, no longer name is meant": (
        Gazetteer([Place("Quoll", lga="Wader"), *LONGER]),
        {("Quoll", "NSW", None, "Wader"): "Quoll"},
    ),
    "a council in brackets makes no longer name": (
        Gazetteer([Place("Emu Hill", "VIC"), Place("Emu (Hill Shire - NSW)", "NSW")]),
        {"emu hill nsw": "elsewhere: Emu Hill"},
    ),
    "a capital stands for its whole state, unless the suburb's own name has a council": (
        Whole([Place("Emu (Woylie - NSW)", "NSW"), QUOLL]),
        {"emu (Sydney)": "elsewhere: Emu (Woylie - NSW)", "quoll (Sydney)": "Quoll"},
    ),
    "where names may be missing, an address without a comma, or an abbreviation, may mean one that is not known yet": (
        Gazetteer([Place("Hill"), Place("Port Quoll")]),
        {"12 Wader Street Grove Hill": "unknown: ", "12 Wader Street, Hill": "Hill", "pt quoll": "unknown: "},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_query_means(case):
    """A query means a suburb only if no other one fits, and never one for its similarity; each case says why."""
    gazetteer, expected = CASES[case]
    assert {query: outcome(gazetteer, query) for query in expected} == expected


RANGES = {
    "ACT": "0200 0299 2600 2610 2900 2920",
    "NT": "0800 0871 0873 0999",
    "NSW": "1000 2599 2621 2898 2921 2999",
    "VIC": "3000 3999 8000 8999",
    "QLD": "4000 4999 9000 9999",
    "SA": "5000 5999",
    "WA": "6000 6797 6800 6999",
    "TAS": "7000 7999",
    "ACT NSW": "2611 2620",
    "ACT NSW OT": "2540",
    "NSW OT": "2899",
    "NSW QLD": "2406 4375 4377 4380 4383 4385",
    "NSW VIC": "3500 3585 3586 3644 3691 3707",
    "NT QLD": "4825 4827",
    "NT SA WA": "0872",
    "OT WA": "6798 6799",
}
"""Postcodes at the ends of the ranges and on the borders, by the states in which they can lie."""


def test_a_postcode_lies_in_its_range():
    """The range of a postcode says its state, but for postcodes on a border."""
    expected = {postcode: {*states.split()} for states, some in RANGES.items() for postcode in some.split()}
    assert {postcode: states_at(postcode) for postcode in expected} == expected


def test_a_look_up_returns_all_names_of_a_base():
    """Without a complete list, a postcode decides only between the names that the service has just returned.

    A look-up also shows that a state's full name is no part of a longer name.
    """
    few, query = Gazetteer([Place("Quoll (NSW)", "NSW", postcode="2406"), VIC]), ("quoll", None, "2406")
    assert outcome(few, query, found={"Woylie"}) == "ambiguous: Quoll (NSW)"
    assert outcome(few, query, found={"Quoll (NSW)"}) == "Quoll (NSW)"
    assert outcome(few, "quoll", found={"Quoll (NSW)"}) == "ambiguous: Quoll (NSW)"
    assert outcome(few, "st numbat victoria", found=set()) == "St Numbat (Vic.)"
