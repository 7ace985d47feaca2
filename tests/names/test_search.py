"""Suggestions: their order, and what they overlook."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.search import suggest
from tests.support.made_up import NAMES, PLACES, countries

ALL = Gazetteer(PLACES, complete=True)


def suggested(text, state=None, limit=10, gazetteer=ALL):
    return [place.area_name for place in suggest(gazetteer, text, state, limit)]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_suggests_itself_first(name):
    """As it is, in capitals, and without its spaces."""
    assert suggested(name)[0] == suggested(name.upper())[0] == suggested(name.replace(" ", ""))[0] == name


def test_the_order():
    """First what is written in full, then what begins so, then what has a word that does, then what is misspelt."""
    places = [Place(name) for name in ("Upper Quoll", "Quollx", "Quoll", "Quoll Bay", "Woylie", "Qoull", "Quo Ll")]
    found = suggested("quoll", gazetteer=Gazetteer(places))
    assert found == ["Quoll", "Quo Ll", "Quollx", "Quoll Bay", "Upper Quoll", "Qoull"]


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
    ],
)
def test_people_find_what_they_mean(text, first):
    """Part of a name, a slip or two, a state or a postcode at the end, even a wrong one."""
    assert suggested(text)[0] == first


def test_a_state_leaves_the_others_out():
    """But for those of which nothing says that they are elsewhere."""
    assert suggested("magpie flat", "NSW", limit=2) == [
        "Magpie Flat (Curlew Shores - NSW)",
        "Magpie Flat (Ironbark Ranges - NSW)",
    ]
    assert "Magpie Flat (WA)" not in suggested("magpie flat", "NSW")
    assert suggested("quoll", "NSW", gazetteer=Gazetteer([Place("Quoll"), Place("Quollx", "VIC")])) == ["Quoll"]


@pytest.mark.parametrize("text", ["", "  ", "()", "-", "'", "\ud800", "zzzzzzzzzz", "x" * 10_000, " (" * 50])
def test_nothing_like_it_is_nothing(text):
    """Odd, empty and endless texts suggest nothing."""
    assert suggested(text) == []


def test_there_are_no_more_than_asked_for():
    """None at all, if that is asked for."""
    assert [len(suggested("m", limit=limit)) for limit in (0, 1, 5)] == [0, 1, 5]


@given(countries(), st.text(max_size=20) | st.sampled_from(["quo", "mt q", "st numbt", "quoll bay vic"]))
def test_each_suggestion_is_a_place_and_comes_once(places, text):
    """Whatever the text, suggestions are names that there are, none twice."""
    found = suggested(text, gazetteer=Gazetteer(places))
    assert len(set(found)) == len(found)
    assert set(found) <= {place.area_name for place in places}


def test_it_is_a_frame_of_what_is_known(embedded):
    """With the columns of find, marked as made up where it is; no call is made."""
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
    """A state that is none, and what is no text or no number."""
    with pytest.raises(error):
        sp.suggest(**arguments)
