"""Tests the suggestions for a text: their order, the differences that they ignore, and the index that finds them."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names.gazetteer import Gazetteer, Place, pack, unpack
from suburb_pandas.names.search import suggest
from tests.support.made_up import PLACES, countries

ALL = Gazetteer(PLACES, complete=True)
TEXTS = st.text(max_size=20) | st.sampled_from(
    ["q", "quo", "mt q", "st numbt", "quollbay", "quoll bay vic", "on sea", "qoull", "bay quoll"]
)


def suggested(text, state=None, limit=10, gazetteer=ALL):
    return [place.area_name for place in suggest(gazetteer, text, state, limit)]


def among(text, *names):
    return suggested(text, gazetteer=Gazetteer(map(Place, names)))


def test_the_order():
    """Equal names come first, then words that begin with the text, first words before later ones, and slips last.

    The text as typed comes before its abbreviations written out, a complete word before the beginning of a word, and
    another space before another letter.
    """
    names = ("Upper Quollz", "Upper Quoll", "Quollz", "Quoll", "Quoll Bay", "Woylie", "Qoull", "Quo Ll")
    assert among("quoll", *names) == ["Quoll", "Quoll Bay", "Quollz", "Upper Quoll", "Upper Quollz", "Quo Ll", "Qoull"]
    assert among("quollf", "Quoll Farm", "Quollfield Upper") == ["Quollfield Upper", "Quoll Farm"]
    assert among("pt quoll", "Port Quoll", "Point Quoll", "Pt Quollz") == ["Pt Quollz", "Port Quoll", "Point Quoll"]


def test_a_short_text_may_have_one_slip_and_a_longer_one_more():
    """A text may have one slip, and one more for every seven letters: a short text does not match any short name."""
    for text, found in {"emxs": ["Emus"], "exxs": [], "qxxll bay": ["Quoll Bay"], "qxxxl bay": []}.items():
        assert among(text, "Emus", "Quoll Bay") == found


FIRST = {
    "mt wongawonga": "Mount Wonga Wonga",
    "saint cor": "St Corella",
    "wonga": "Mount Wonga Wonga",
    "lantern bay 7241": "Lantern Bay (Tas.)",
    "lantren bay tas": "Lantern Bay (Tas.)",
    "magpie flat curlew shores nsw": "Magpie Flat (Curlew Shores - NSW)",
    "bibly hieghts": "Bilby Heights",
    "quokka bay vic": "Quokka Bay",
    "lantern bay jn. nsw": "Lantern Bay Junction",
    **dict.fromkeys(["heights bilby", "", "()", "\ud800", "zzzzzzzzzz", "x" * 10_000, " (" * 50]),
}


def test_people_find_what_they_mean():
    """A part of a name, an abbreviation, a slip or two, or a wrong state at the end still finds the suburb.

    A text that is empty, unlike any name or too long has no suggestions.
    """
    assert {text: next(iter(suggested(text)), None) for text in FIRST} == FIRST


def test_a_state_leaves_the_others_out():
    """Suburbs known to be in another state are left out; those whose state is not known come last.

    A postcode puts suburbs outside of its range last.
    """
    places = [Place("Quoll"), Place("Quoll (Tas.)", "TAS"), Place("Quoll (Vic.)", "VIC")]
    assert suggested("quoll", "TAS", gazetteer=Gazetteer(places)) == ["Quoll (Tas.)", "Quoll"]
    assert suggested("quoll 3031", gazetteer=Gazetteer(places))[-1] == "Quoll (Tas.)"


@given(countries(), TEXTS, st.sampled_from([None, "NSW", "VIC"]), st.integers(0, 4))
def test_a_limit_only_cuts_the_suggestions_off(places, text, state, limit):
    """The suggestions are distinct, and the first ones are the same under any limit, also after names were added."""
    half = unpack(pack(Gazetteer(places[: len(places) // 2])), complete=False, said_by="")
    every = suggested(text, state, 10**6, Gazetteer(places))
    assert len(set(every)) == len(every)
    assert suggested(text, state, limit, half.and_also(places)) == every[:limit]


@given(countries())
def test_what_is_unpacked_is_the_same(places):
    """A gazetteer that was packed and unpacked has the same places and the same index. A damaged one is not read."""
    whole = Gazetteer(places)
    packed = pack(whole)
    again = unpack(packed, complete=True, said_by="")
    assert ([*again.items()], again.index) == ([*whole.items()], whole.index)
    assert unpack(packed[:-1] + bytes([packed[-1] ^ 1]), complete=True, said_by="") is None


def test_what_is_learnt_of_a_listed_suburb_is_shown():
    """A location that was learnt after the index was built is suggested, too. A share stays with its own area."""
    listed = Place("Quoll", lga="Wader", lga_share=0.7, persons=5)
    learnt = Place("Quoll", "NSW", lga="Curlew", postcode="2031")
    gazetteer = Gazetteer([listed]).and_also([learnt])
    assert gazetteer.and_also([learnt]) is gazetteer
    assert suggest(gazetteer, "quo") == [learnt._replace(persons=5, partly=("Wader",))]
