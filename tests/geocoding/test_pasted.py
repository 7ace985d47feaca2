"""Tests texts that a person pastes into the picker: their parts, the names of these, and why others stay open."""

import os

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.geocoding.pasted import MOST_NAMES, TooManyNamesError, settle, split
from tests.support.made_up import NAMES

BAY = "Quokka Bay"

PIECES = st.one_of(
    st.sampled_from([*NAMES, *map(str.lower, NAMES), "lantern bay", "magpie flat nsw", "Quoka Bay", "Bondi", "1/2 x"]),
    st.sampled_from(["NSW", "tas.", "Western Australia", "6171", "7241", "WA 6171"]),
    st.text(max_size=12),
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([",", ", ", ";", "\n", "\r\n", "\t", " \n "])), max_size=8).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" ,;\n\t, ", []),
        ("Quokka Bay", [BAY]),
        ("Quokka Bay, Bilby Heights; Woylie\nThorny Devil\tX", [BAY, "Bilby Heights", "Woylie", "Thorny Devil", "X"]),
        ("Quokka  Bay\r\nQuokka\xa0Bay\n", [BAY]),
        ("['Quokka Bay', \"Lantern Bay (NSW)\"]", [BAY, "Lantern Bay (NSW)"]),
        ("('Quokka Bay', \"O'Connor\")", [BAY, "O'Connor"]),
        ("\u201cQuokka Bay\u201d, O\u2019Connor (WA)", [BAY, "O\u2019Connor (WA)"]),
        ("Lantern Bay, Tas.", ["Lantern Bay, Tas."]),
        ("Quokka Bay, WA 6999\nWoylie", ["Quokka Bay, WA 6999", "Woylie"]),
        ("Quokka Bay\tWA\t6999\nWoylie\tWA\t6000", ["Quokka Bay, WA, 6999", "Woylie, WA, 6000"]),
        ('"Quokka Bay, Western Australia", Woylie', ["Quokka Bay, Western Australia", "Woylie"]),
        ("Quokka Bay, (WA), Australia; Woylie", ["Quokka Bay, (WA), Australia", "Woylie"]),
        ("NSW, Quokka Bay", ["NSW", BAY]),
        ("Quokka Bay, WA Woylie", [BAY, "WA Woylie"]),
    ],
)
def test_a_text_is_split_into_one_text_for_each_suburb(text, parts):
    """Commas, semicolons, tabs and line ends separate; a state or a postcode stays with the suburb before it."""
    assert split(text) == parts


def test_a_whole_sheet_that_is_pasted_by_accident_is_refused_at_once(embedded):
    """A text has at most a thousand names, each counted once; of a longer one nothing is taken, and it says why."""
    column = "\n".join(f"Place {number}" for number in range(MOST_NAMES))
    assert len(split(f"{column}\n{column}")) == MOST_NAMES
    for text in (f"{column}\nQuokka Bay", "Quokka Bay\n" * 100_000):
        with pytest.raises(TooManyNamesError):
            split(text)
        names, (only,) = settle(text)
        assert names == ()
        assert only.why == "too long: paste at most 1,000 names at once"
        assert (len(only.text) <= 41, only.can_be_taken) == (True, False)


def test_names_are_settled_and_the_others_say_why(embedded):
    """Names come in the order of the text, each once; a part that can mean several or none is listed."""
    found = settle("woylie, quokka bay wa, Quokka Bay, lantern bay, Lantern Bay, Vic., quoka bay, zzzzz, a\x00b")
    assert found.names == ("Woylie", BAY)
    assert [one.text for one in found.unsettled] == ["lantern bay", "Lantern Bay, Vic.", "quoka bay", "zzzzz", "a\x00b"]
    both = ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    assert [(one.candidates[:2], one.why) for one in found.unsettled] == [
        (both, "can mean several suburbs"),
        (both, "there is no such suburb in that place"),
        ((BAY,), "no suburb is called that"),
        ((), "no suburb is called that"),
        ((), "cannot be the name of a suburb"),
    ]
    assert not any(one.can_be_taken for one in found.unsettled)
    assert len(settle("magpie flat").unsettled[0].candidates) == 5
    assert sp.ledger().empty


def test_without_a_list_a_name_can_be_taken_as_it_is_written_but_is_not(live, service):
    """With a live key and no list few names are known, so a valid name is offered as written, without a call."""
    found = settle("Quokka Bay, Quokka Bay WA, Woylie, WA, 'x', a\x00b")
    assert found.names == ()
    assert [(one.text, one.can_be_taken) for one in found.unsettled] == [
        (BAY, True),
        ("Quokka Bay WA", True),
        ("Woylie, WA", False),
        ("x", True),
        ("a\x00b", False),
    ]
    assert {one.why for one in found.unsettled[:-1]} == {"not among the names known here"}
    assert not service.requests


def test_what_a_look_up_has_shown_is_used(live, service):
    """Names from stored responses settle a text, and a bare name is not offered where its suburbs have states."""
    sp.find("lantern bay")
    found = settle("lantern bay tas; lantern bay; Lantern Bay (Qld)")
    assert found.names == ("Lantern Bay (Tas.)",)
    assert [(one.text, one.can_be_taken) for one in found.unsettled] == [
        ("lantern bay", False),
        ("Lantern Bay (Qld)", True),
    ]
    sp.find("magpie flat", state="WA")
    (only,) = settle("magpie flat").unsettled
    assert only[1:3] == (("Magpie Flat (WA)",), "can mean several suburbs, of which only one is known here")
    assert len(service.requests) == 2


def assert_law(text, known):
    """Check that each part of a text is settled as `resolve` does, or listed."""
    found = settle(text)
    parts = split(text)
    unsettled = [one.text for one in found.unsettled]
    settled = [part for part in parts if part not in unsettled]
    assert [part for part in parts if part in unsettled] == unsettled
    assert found.names == tuple(dict.fromkeys(sp.resolve(settled, detail=True)["area_name"]))
    assert set(found.names) <= set(known)
    for one in found.unsettled:
        with pytest.raises(sp.SuburbError):
            sp.resolve(one.text, offline=True)
        assert set(one.candidates) <= set(known)
        assert (one.why != "", len(one.candidates) <= 5) == (True, True)


def test_each_part_is_settled_as_resolve_does_or_listed(embedded):
    """Whatever is settled is a known name, the one that ``sp.resolve`` returns; every other part is listed."""
    given(text=TEXTS)(lambda text: assert_law(text, NAMES))()


def test_with_an_incomplete_list_each_part_is_settled_as_resolve_does_without_a_look_up(live, service):
    """The law holds for a live key and a part of the names, too, and nothing is asked."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES[::2]}), complete=False)
    given(text=TEXTS)(lambda text: assert_law(text, NAMES[::2]))()
    assert not service.requests


def test_with_the_real_names_each_is_settled_as_itself(sal_names, tmp_path):
    """A thousand real names are settled at once, and a base with several suburbs is listed with some of them."""
    with sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=tmp_path / "store.sqlite"):
        sp.load_gazetteer(os.environ["SUBURB_SAL_NAMES"])
        some = sal_names[::16]
        assert settle("\n".join(some)) == (tuple(some), ())
        found = settle("Bondi, Manly (NSW), Unley, springfield, Bondi, Vic.")
        assert found.names == ("Bondi", "Manly (NSW)", "Unley")
        assert [one.why for one in found.unsettled] == [
            "can mean several suburbs",
            "there is no such suburb in that place",
        ]
        assert len(found.unsettled[0].candidates) == 5
        assert sp.ledger().empty


def test_a_replay_settles_the_same(live, tmp_path):
    """A cassette carries the names that a text meant, and a replay leaves the same parts unsettled."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
    text, path = "quokka bay, Lantern Bay, Tas., lantern bay, bibly heights, Bondi", tmp_path / "study.yaml"
    with sp.cassette(path):
        recorded = settle(text)
    with sp.cassette(path, "none"):
        replayed = settle(text)
    assert replayed.names == recorded.names
    assert [(one.text, one.why) for one in replayed.unsettled] == [(one.text, one.why) for one in recorded.unsettled]
    assert recorded.names == (BAY, "Lantern Bay (Tas.)")


def test_the_look_up_from_which_a_name_is_known_is_recorded(live, tmp_path):
    """A name that only a stored look-up has shown is recorded together with that look-up, and a replay settles it."""
    sp.find("quokka bay")
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        recorded = settle("quokka bay")
    with sp.cassette(path, "none"):
        assert settle("quokka bay") == recorded == ((BAY,), ())


def test_a_look_up_that_rules_a_suburb_out_is_recorded(live, tmp_path):
    """A replay settles no name that the recording did not settle."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
    sp.find("quokka bay")
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            assert settle("quokka bay vic").names == ()
