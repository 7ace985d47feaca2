"""Tests the search index of names, and its packing: what is unpacked finds what was packed."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.index import build
from suburb_pandas.names.packed import pack, unpack
from suburb_pandas.names.search import suggest
from tests.support.made_up import NAMES, PLACES, countries

TEXTS = st.sampled_from(["q", "quo", "mt q", "st numbat", "quollbay", "quoll bay vic", "on sea", "qoull", "saint"])


def test_a_name_is_found_by_each_of_its_words():
    """The keys of a name begin at each of its words, with Mt and Saint as people write them, and without spaces."""
    index = build(["Mount Quoll", "St Numbat (Vic.)"])
    assert index.whole.keys == [
        "mount quoll", "mt quoll", "saint numbat", "saint numbat vic", "st numbat", "st numbat vic",
    ]  # fmt: skip
    assert index.later.keys == ["numbat", "numbat vic", "quoll", "vic"]
    assert [*index.unspaced.equal("mtquoll")] == [("mtquoll", 0)]
    assert [*index.unspaced.equal("quoll")] == []


@given(countries(), TEXTS)
def test_what_is_unpacked_finds_the_same(places, text):
    """A gazetteer that was packed and unpacked has the same places and suggests the same."""
    whole = Gazetteer(places, complete=True, said_by="a list")
    again = unpack(pack(whole), complete=True, said_by="a list")
    assert [*again] == [*whole]
    assert (again.complete, again.said_by) == (True, "a list")
    assert suggest(again, text) == suggest(whole, text)
    assert again.bases == whole.bases
    for base, place in zip(again.bases, whole, strict=True):
        assert again.with_base(base) == whole.with_base(base)
        assert again.named(place.area_name) == place


@given(st.lists(st.sampled_from(PLACES), unique=True), st.integers(0, 200), TEXTS | st.sampled_from(NAMES))
def test_names_that_are_learnt_later_are_found_too(places, at, text):
    """A gazetteer to which places were added suggests the same as one that had them from the start."""
    first, rest = places[:at], places[at:]
    added = unpack(pack(Gazetteer(first)), complete=False, said_by="").and_also(rest)
    assert {*suggest(added, text, limit=1000)} == {*suggest(Gazetteer(places), text, limit=1000)}
    assert suggest(added, text) == suggest(Gazetteer(places), text)


def test_what_is_learnt_of_a_listed_suburb_is_shown():
    """A location that was learnt after the index was built is part of what is suggested."""
    listed = unpack(pack(Gazetteer([Place("Quoll")])), complete=True, said_by="")
    assert suggest(listed.and_also([Place("Quoll", "NSW", postcode="2031")]), "quo") == [
        Place("Quoll", "NSW", postcode="2031")
    ]
