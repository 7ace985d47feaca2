"""Tests texts that a person pastes into the picker: their parts, the names of these, and why others stay open."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.geocoding.pasted import MOST_NAMES, settle, split
from suburb_pandas.names import sal
from suburb_pandas.names.written import is_no_name
from tests.support.made_up import NAMES

PIECES = st.one_of(
    st.sampled_from([*NAMES, *map(str.lower, NAMES), "lantern bay", "magpie flat nsw", "Quoka Bay", "Bondi", "1/2 x"]),
    st.sampled_from(["NSW", "tas.", "Western Australia", "6171", "7241", "WA 6171"]),
    st.text(max_size=12),
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([",", ", ", ";", "\n", "\r\n", "\t", " \n "])), max_size=8).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)
SPLIT = {
    " ,;\n\t, ": "",
    "Quokka Bay, Bilby Heights; Woylie\nX\tQuokka\xa0Bay\r\n": "Quokka Bay + Bilby Heights + Woylie + X",
    "['Quokka Bay', \"Lantern Bay (NSW)\"]": "Quokka Bay + Lantern Bay (NSW)",
    "(Quokka Bay, O'Connor)": "Quokka Bay + O'Connor",
    "\u201cQuokka Bay\u201d, O\u2019Connor (WA)": "Quokka Bay + O\u2019Connor (WA)",
    "1. Quokka Bay\n2) Woylie\n\u2022 Emu": "Quokka Bay + Woylie + Emu",
    "Quokka Bay, WA 6999\nWoylie": "Quokka Bay, WA 6999 + Woylie",
    "Quokka Bay\tWA\t6999\nWoylie\tWA\t6000": "Quokka Bay, WA, 6999 + Woylie, WA, 6000",
    "Quokka Bay, (WA), Australia; Woylie": "Quokka Bay, (WA), Australia + Woylie",
    "NSW, Quokka Bay, WA Woylie": "NSW + Quokka Bay + WA Woylie",
}


def test_a_text_is_split_into_one_text_for_each_suburb():
    """Commas, semicolons, tabs and line ends separate; a state or a postcode stays with the suburb before it."""
    assert {text: " + ".join(split(text)) for text in SPLIT} == SPLIT


def test_a_whole_sheet_that_is_pasted_by_accident_is_refused_at_once(embedded):
    """A text has at most a thousand names, each counted once; of a longer one nothing is taken, and it says why."""
    column = "\n".join(f"Place {number}" for number in range(MOST_NAMES))
    assert len(split(f"{column}\n{column}")) == MOST_NAMES
    for text in (f"{column}\nQuokka Bay", "Quokka Bay\n" * 100_000):
        why = "too long: paste at most 1,000 names at once"
        assert settle(text)[:2] == ((), ((f"{text[:40]}\u2026", (), why, False),))


WHY = {
    "lantern bay": "Lantern Bay (NSW); Lantern Bay (Tas.) can mean several suburbs",
    "Lantern Bay, Vic.": "Lantern Bay (NSW); Lantern Bay (Tas.) there is no such suburb in that place",
    "Lantern Bay, Tas., 6171": "Lantern Bay (Tas.); Lantern Bay (NSW) the postcode does not fit Lantern Bay (Tas.)",
    "quoka bay": "Quokka Bay no suburb is called that",
    "Bay Quokka/Woylie": " no suburb is called that",
    "Quokka Bay & Woylie": "Quokka Bay; Woylie names several suburbs",
    "a\x00b": " cannot be the name of a suburb",
}


def test_names_are_settled_and_the_others_say_why(embedded):
    """Names come in the order of the text, each once; a part that can mean several or none is listed."""
    found = settle(f"woylie, quokka bay wa, Quokka Bay, {', '.join(WHY)}")
    assert found.names == ("Woylie", "Quokka Bay")
    assert {one.text: f"{'; '.join(one.candidates[:2])} {one.why}" for one in found.unsettled} == WHY
    assert not any(one.can_be_taken for one in found.unsettled)
    assert len(settle("magpie flat").unsettled[0].candidates) == 5


def test_the_first_row_of_a_table_is_left_out_if_it_names_columns(embedded):
    """A row of column words is no suburb, and the rest of the table is read as without it."""
    rows = "Quokka Bay\tWA\t6171\nWoylie\tWA\t6069"
    for head in ("Suburb\tState\tPostcode", "SAL_NAME, state, POSTCODE ", "suburb name"):
        assert settle(f"{head}\r\n{rows}")[:2] == settle(rows)[:2]
    assert settle(f"Suburb\tState\n{rows}").left_out == "Suburb, State"
    assert settle(f"Suburb\tRent\n{rows}").left_out == settle("Suburb").left_out == ""


def test_without_a_list_a_name_can_be_taken_as_it_is_written_but_is_not(live, service):
    """With a live key and no list, a valid name is offered as written, unless its base is known to have states.

    Names from stored look-ups settle a text.
    """
    sp.find("lantern bay", "Tas.")
    found = settle("Quokka Bay, Quokka Bay WA, Lantern Bay (Qld), lantern bay tas, Woylie, WA, a\x00b, lantern bay")
    assert found.names == ("Lantern Bay (Tas.)",)
    assert [one.can_be_taken for one in found.unsettled] == [True] * 3 + [False] * 3
    assert found.unsettled[0].why == "not among the names known here"
    assert found.unsettled[-1].why == "can mean several suburbs, of which only one is known here"
    assert len(service.requests) == 1


@pytest.mark.parametrize("step", [1, 2])
def test_each_part_is_settled_as_resolve_does_without_a_look_up_or_listed(live, service, step):
    """Whatever is settled is a known name, the one that ``sp.resolve`` returns; every other part is listed.

    This holds for a complete list and for a part of the names.
    """
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES[::step]}), complete=step == 1)

    @given(TEXTS)
    def check(text):
        found, parts = settle(text), [part for part in split(text) if not is_no_name(part)]
        unsettled = [one.text for one in found.unsettled]
        assert [part for part in parts if part in unsettled] == unsettled
        settled = sp.resolve([part for part in parts if part not in unsettled], detail=True)["area_name"]
        assert found.names == tuple(dict.fromkeys(settled))
        assert {*found.names} <= {*NAMES[::step]}
        for one in found.unsettled:
            with pytest.raises(sp.SuburbError):
                sp.resolve(one.text, offline=True)
            assert {*one.candidates} <= {*NAMES[::step], *sal.SPECIAL}
            assert (one.why != "", len(one.candidates) <= 5) == (True, True)

    check()
    assert not service.requests


def test_a_replay_settles_the_same(live, tmp_path):
    """A cassette carries the names that a text meant, from a look-up or a list, and leaves the same parts unsettled.

    A text that often stands for a missing name is a name if the list has it.
    """
    sp.find("quokka bay")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": [*NAMES[1:], "Na"]}))
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            found = settle("quokka bay, Lantern Bay, Tas., quokka bay vic, Na, n.a., magpie flat, quoka bay")
        assert found.names == ("Quokka Bay", "Lantern Bay (Tas.)", "Na")
        assert [one.text for one in found.unsettled] == ["quokka bay vic", "magpie flat", "quoka bay"]
