"""Tests the laws of suggestions, and of the index that finds them. ``results.txt`` shows their order."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names.gazetteer import Gazetteer, Place, pack, unpack
from suburb_pandas.names.search import suggest
from tests.support.made_up import countries

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["q", "quo", "mt q", "st numbt", "quollbay", "quoll bay vic", "on sea", "qoull", "bay quoll"]
)


def suggested(text, state, limit, gazetteer):
    return [place.area_name for place in suggest(gazetteer, text, state, limit)]


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
