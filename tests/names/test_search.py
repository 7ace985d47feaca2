"""Tests the suggestions for a text: their order, and the differences that they ignore."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.readings import Query
from suburb_pandas.names.search import count, suggest
from tests.support.made_up import NAMES, PLACES, countries

ALL = Gazetteer(PLACES, complete=True)


def suggested(text, state=None, limit=10, gazetteer=ALL):
    return [place.area_name for place in suggest(gazetteer, text, state, limit)]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_suggests_itself_first(name):
    """A full name is its own first suggestion, also in capitals and without its spaces."""
    assert suggested(name)[0] == suggested(name.upper())[0] == suggested(name.replace(" ", ""))[0] == name


def test_the_order():
    """Equal names come first, then words that begin with the text, first words before later ones, and slips last.

    A complete word comes before the beginning of a word, and another space before another letter.
    """
    names = ("Upper Quollx", "Upper Quoll", "Quollx", "Quoll", "Quoll Bay", "Woylie", "Qoull", "Quo Ll")
    found = suggested("quoll", gazetteer=Gazetteer([Place(name) for name in names]))
    assert found == ["Quoll", "Quoll Bay", "Quollx", "Upper Quoll", "Upper Quollx", "Quo Ll", "Qoull"]


def test_a_space_that_is_missing_is_a_slip():
    """A name that begins with the text only if a space is left out comes after the words that begin with it."""
    places = Gazetteer([Place("Quoll Farm"), Place("Quollfield Upper")])
    assert suggested("quollf", gazetteer=places) == ["Quollfield Upper", "Quoll Farm"]


def test_a_complete_word_comes_before_a_longer_one():
    """A text that is a whole word suggests the names with that word before the names with a longer word."""
    assert suggested("st", gazetteer=Gazetteer([Place("Stow"), Place("St Numbat")])) == ["St Numbat", "Stow"]


def test_a_short_text_may_have_one_slip_and_a_longer_one_more():
    """A text may have one slip, and one more for every seven letters: a short text does not match any short name."""
    places = Gazetteer([Place("Emus"), Place("Quoll Bay")])
    assert suggested("emxs", gazetteer=places) == ["Emus"]
    assert suggested("exxs", gazetteer=places) == []
    assert suggested("qxxll bay", gazetteer=places) == ["Quoll Bay"]
    assert suggested("qxxxl bay", gazetteer=places) == []
    assert suggested("manly", gazetteer=Gazetteer([Place("Daly"), Place("Manly")])) == ["Manly"]


def test_a_place_that_is_known_to_be_in_the_state_comes_before_one_whose_state_is_not_known():
    """A state given beside the text leaves out other states, and puts places without a known state last."""
    places = [Place("Quoll"), Place("Quoll (Tas.)", "TAS"), Place("Quoll (Vic.)", "VIC")]
    assert suggested("quoll", "TAS", gazetteer=Gazetteer(places)) == ["Quoll (Tas.)", "Quoll"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("mt wonga", "Mount Wonga Wonga"),
        ("mtwonga", "Mount Wonga Wonga"),
        ("saint cor", "St Corella"),
        ("oshann", "O'Shannassy's Mill"),
        ("heron on", "Heron-on-the-Water"),
        ("HERON-ON", "Heron-on-the-Water"),
        ("wonga", "Mount Wonga Wonga"),
        ("lantern bay tas", "Lantern Bay (Tas.)"),
        ("lantern bay 7241", "Lantern Bay (Tas.)"),
        ("lantern bay (t", "Lantern Bay (Tas.)"),
        ("lantren bay tas", "Lantern Bay (Tas.)"),
        ("lantern bay (tsa.)", "Lantern Bay (Tas.)"),
        ("magpie flat (curlew", "Magpie Flat (Curlew Shores - NSW)"),
        ("magpie flat curlew shores nsw", "Magpie Flat (Curlew Shores - NSW)"),
        ("bibly hieghts", "Bilby Heights"),
        ("quokka bay vic", "Quokka Bay"),
        ("Lantern Bay Jct", "Lantern Bay Junction"),
        ("lantern bay jn. nsw", "Lantern Bay Junction"),
        ("bilby hts", "Bilby Heights"),
        ("emu pde", "Emu Parade"),
    ],
)
def test_people_find_what_they_mean(text, first):
    """A part of a name, an abbreviation, a slip or two, or a wrong state at the end still finds the suburb."""
    assert suggested(text)[0] == first


def test_an_abbreviation_suggests_each_word_that_it_can_stand_for_after_the_names_that_have_it():
    """An abbreviation is read as typed first, then as each of its words; nothing resolves by it."""
    places = Gazetteer([Place("Port Quoll"), Place("Point Quoll"), Place("Pt Quoll"), Place("Wader Island")])
    assert suggested("pt quoll", gazetteer=places) == ["Pt Quoll", "Port Quoll", "Point Quoll"]
    assert suggested("wader is", gazetteer=places) == ["Wader Island"]
    assert verdict(places, Query("Wader Is")).area_name is None


def test_a_state_leaves_the_others_out():
    """A state leaves out the suburbs that are known to be in another state."""
    assert suggested("magpie flat", "NSW", limit=2) == [
        "Magpie Flat (Curlew Shores - NSW)",
        "Magpie Flat (Ironbark Ranges - NSW)",
    ]
    assert "Magpie Flat (WA)" not in suggested("magpie flat", "NSW")
    assert suggested("quoll", "NSW", gazetteer=Gazetteer([Place("Quoll"), Place("Quollx", "VIC")])) == ["Quoll"]


@pytest.mark.parametrize("text", ["", "  ", "()", "-", "'", "\ud800", "zzzzzzzzzz", "x" * 10_000, " (" * 50])
def test_nothing_like_it_is_nothing(text):
    """A text that is empty, unlike any name or too long has no suggestions."""
    assert suggested(text) == []


def test_there_are_no_more_than_asked_for():
    """A limit is never exceeded, and may be 0."""
    assert [len(suggested("m", limit=limit)) for limit in (0, 1, 5)] == [0, 1, 5]


@given(countries(), st.text(max_size=20) | st.sampled_from(["quo", "mt q", "st numbt", "quoll bay vic"]))
def test_each_suggestion_is_a_place_and_comes_once(places, text):
    """For any text, the suggestions are distinct places of the gazetteer."""
    found = suggested(text, gazetteer=Gazetteer(places))
    assert len(set(found)) == len(found)
    assert set(found) <= {place.area_name for place in places}


@given(
    countries(),
    st.text(max_size=20)
    | st.sampled_from(["q", "quo", "mt q", "bay", "st numbt", "quoll bay vic", "qoull", "quoll-b", "pt", "quoll hts"]),
    st.sampled_from([None, "NSW", "VIC"]),
    st.integers(0, 4),
)
def test_a_limit_only_cuts_the_suggestions_off_and_all_are_counted(places, text, state, limit):
    """The first suggestions are the same under any limit, and the count is the number of all."""
    half = Gazetteer(places[: len(places) // 2])
    assert len(half.indexes) <= 1  # reading it builds the index, so that the names added below get a second one
    for gazetteer in (Gazetteer(places), half.and_also(places)):
        every = suggested(text, state, 10**6, gazetteer)
        assert suggested(text, state, limit, gazetteer) == every[:limit]
        if state is None:
            assert count(gazetteer, text) == len(every)


def test_it_is_a_frame_of_what_is_known(embedded):
    """``suggest`` returns the columns of ``find``, marks made-up suburbs as such, and makes no call."""
    found = sp.suggest("lantern bay", state="Tasmania", limit=1)
    assert found.to_dict("records") == [
        {
            "area_name": "Lantern Bay (Tas.)",
            "state": "TAS",
            "lga": "Muttonbird Straits",
            "postcode": "7241",
            "sa2": "Lantern Bay",
            "sa3": "Muttonbird",
            "sa4": "Eastern Sassafras",
        }
    ]
    assert found.attrs["suburb_pandas"] == {"endpoint": "gazetteer", "source": "embedded", "made_up": True}
    assert list(sp.suggest("zzzzzzzz").columns) == list(found.columns)
    assert sp.ledger().empty


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"text": "x", "state": "Narnia"}, ValueError),
        ({"text": "x", "limit": -1}, ValueError),
        ({"text": "x", "limit": 1.5}, TypeError),
        ({"text": None}, TypeError),
    ],
)
def test_what_cannot_be_asked(embedded, arguments, error):
    """An unknown state, a negative or fractional limit, and a text that is no text are refused."""
    with pytest.raises(error):
        sp.suggest(**arguments)
