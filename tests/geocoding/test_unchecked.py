"""Tests what ``resolve`` does with a state, a postcode or a region that nothing known here can check."""

import warnings

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BARE = ["Avalon", "Avalon Beach", "Quoll", "St Wader (Vic.)", "St Wader (NSW)"]
AVALON = pd.DataFrame({"suburb": ["Avalon"], "state": ["NSW"], "postcode": [2107]})


def load(*, complete=True, **columns):
    """Load a list of names with these columns, those of the ABS's allocation files."""
    sp.load_gazetteer(pd.DataFrame(columns), complete)


@pytest.fixture
def listed(live):
    """Load a complete list of bare names, without states, postcodes and councils."""
    load(SAL_NAME_2021=BARE)
    return live


def unchecked(queries, *given, **more):
    """Return the names that queries resolve to, and the text of the one warning."""
    with pytest.warns(sp.SuburbWarning) as caught:
        found = sp.resolve(queries, *given, **more)
    (warning,) = of_this_call(caught)
    assert warning.category is sp.SuburbWarning
    return found.to_list(), str(warning.message)


def test_a_state_and_a_postcode_that_nothing_checks_are_reported(listed):
    """One warning a request counts the rows, lists them with their parts, and shows the line that loads the files."""
    with pytest.warns(sp.SuburbWarning) as caught:
        assert AVALON.suburb.resolve(state="state", postcode="postcode").to_list() == ["Avalon"]
    (warning,) = of_this_call(caught)
    assert str(warning.message) == (
        "In 1 of 1 row, a state or postcode could not be checked here and was ignored: 'Avalon' in NSW with the "
        "postcode 2107. To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run "
        "sp.load_gazetteer('SAL_2021_AUST.xlsx', with_='POA_2021_AUST.xlsx')"
    )


@pytest.mark.parametrize(
    ("query", "kinds", "line"),
    [
        ("quoll nsw", "a state", "sp.load_gazetteer('SAL_2021_AUST.xlsx')"),
        ("St Wader VIC 3181", "a postcode", "sp.load_gazetteer('SAL_2021_AUST.xlsx', with_='POA_2021_AUST.xlsx')"),
        ("quoll (wader)", "a region", "sp.load_gazetteer('SAL_2021_AUST.xlsx', with_='LGA_2021_AUST.xlsx')"),
        (
            "quoll (wader) nsw 2031",
            "a state, postcode or region",
            "sp.load_gazetteer('SAL_2021_AUST.xlsx', with_=['LGA_2021_AUST.xlsx', 'POA_2021_AUST.xlsx'])",
        ),
    ],
)
def test_the_line_loads_the_file_that_knows_what_was_given(listed, query, kinds, line):
    """States are in the list of names, postcodes and councils in files of their own."""
    _, message = unchecked(query)
    assert message.startswith(f"In 1 of 1 row, {kinds} could not be checked")
    assert message.endswith(f"and run {line}")


def test_the_line_keeps_what_is_loaded(live):
    """A complete list replaces the loaded one, so the line loads the areas that are known now as well."""
    load(SAL_NAME_2021=["Quoll"], STATE_NAME_2021=["Victoria"], LGA_NAME_2021=["Wader"], SA4_NAME_2021=["Woylie"])
    _, message = unchecked("quoll vic 3031")
    files = ["LGA_2021_AUST.xlsx", "MB_2021_AUST.xlsx", "POA_2021_AUST.xlsx"]
    assert message.endswith(f"sp.load_gazetteer('SAL_2021_AUST.xlsx', with_={files})")


def test_five_rows_are_listed_and_the_others_counted(listed):
    """A row is counted as often as it occurs, and each query is listed once."""
    _, message = unchecked(
        [*(f"{number} Wader St, Quoll NSW" for number in range(1, 8)), "quoll", "1 Wader St, Quoll NSW"]
    )
    assert message.startswith("In 8 of 9 rows, a state could not be checked here and was ignored: '1 Wader St, Quoll")
    assert "'5 Wader St, Quoll NSW' and 2 more. To check it" in message


def test_what_the_loaded_files_lack_is_said(live):
    """If the files are loaded and lack the suburb, no line is shown, because loading them again would not help."""
    load(
        SAL_NAME_2021=["Quoll", "Emu"], STATE_NAME_2021=["", "Victoria"],
        POA_NAME_2021=["", "3031"], LGA_NAME_2021=["", "Wader"],
    )  # fmt: skip
    _, message = unchecked("quoll (wader) nsw 2031")
    assert message.endswith(
        "and was ignored: 'quoll (wader) nsw 2031'. The loaded files do not have it for these suburbs."
    )


def test_what_was_checked_or_shown_is_not_reported(listed):
    """Nothing is reported if all parts agree, if none was given, or with ``detail=True``, which shows them itself."""
    assert sp.resolve(["St Wader VIC", "quoll", "Avalon"]).to_list() == ["St Wader (Vic.)", "Quoll", "Avalon"]
    assert sp.resolve("quoll nsw", detail=True)["not_confirmed"].to_list() == ["state NSW"]


def test_a_row_whose_state_is_not_known_stays_open_beside_a_longer_name_in_that_state(live):
    """``Avalon`` in NSW may mean Avalon Beach, as long as nothing tells where Avalon is."""
    load(SAL_NAME_2021=["Avalon", "Avalon Beach"], STATE_NAME_2021=["", "New South Wales"])
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        AVALON.suburb.resolve(state="state", postcode="postcode")
    assert set(caught.value.candidates) == {"Avalon", "Avalon Beach"}
    first, *_ = str(caught.value).splitlines()
    assert first == (
        "'Avalon' in NSW with the postcode 2107 can mean 2 suburbs, and none was chosen, because it is not known here "
        "where Avalon is. Nothing was charged. Use the exact name without a state, postcode or region:"
    )
    assert sp.resolve(["Avalon", "Avalon Beach NSW"]).to_list() == ["Avalon", "Avalon Beach"]


def test_an_open_row_shows_the_line_that_loads_the_states(live):
    """If no states are loaded, the error for a row that may mean a longer name says how to load them."""
    load(SAL_NAME_2021=["Quoll", "Quoll Bay (NSW)", "Quoll Bay (Vic.)"])
    with pytest.raises(
        sp.errors.AmbiguousSuburb, match=r"or load the states with sp\.load_gazetteer\('SAL_2021_AUST\.xlsx'\):\n"
    ) as caught:
        sp.resolve("Quoll", "NSW")
    assert caught.value.candidates == ("Quoll Bay (NSW)", "Quoll")


def test_an_open_row_is_looked_up_where_names_may_be_missing(live, service):
    """Without a complete list, the service is asked about a row that may mean a longer name, and it can settle it."""
    load(complete=False, SAL_NAME_2021=["Quokka Bay", "Quokka Bay Upper"], STATE_NAME_2021=["", "Western Australia"])
    assert sp.quote("Quokka Bay", "resolve", state="WA").calls == 1
    assert sp.resolve("Quokka Bay", "WA").to_list() == ["Quokka Bay"]
    assert len(service.requests) == 1


def test_where_the_state_contradicts_a_longer_name_in_it_is_suggested_first(live):
    """With states loaded, ``Avalon`` in NSW is in Victoria, and Avalon Beach is the first suggestion."""
    load(SAL_NAME_2021=["Avalon", "Avalon Beach"], STATE_NAME_2021=["Victoria", "New South Wales"])
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"Avalon is in VIC.* or use the exact name: did you mean Avalon Beach\?"
    ):
        AVALON.suburb.resolve(state="state", postcode="postcode")
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve("Avalon NSW")
    assert caught.value.suggestions == ("Avalon Beach", "Avalon")


def test_the_real_names_in_other_states_are_not_suggested(live, sal_names):
    """A misspelt Paddington in New South Wales is not the one in Queensland."""
    load(SAL_NAME_2021=sal_names)
    for arguments in (("Paddingtn", "NSW"), ("Paddingtn NSW",)):
        with pytest.raises(sp.errors.UnknownSuburb) as caught:
            sp.resolve(*arguments)
        assert caught.value.suggestions[0] == "Paddington (NSW)"
        assert "Paddington (Qld)" not in caught.value.suggestions


def test_the_line_for_all_candidates_lists_them_also_if_they_lie_elsewhere(embedded):
    """The line below a cut list of suburbs in other states does not leave these states out."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r"run sp\.suggest\('magpie flat'\)$"):
        sp.resolve(["magpie flat", "zip"], ["ACT", None])


POSTCODES = {
    "SAL_NAME_2021": ["Sydney", "Haymarket", "Melbourne", "Quoll"],
    "STATE_NAME_2021": ["New South Wales", "New South Wales", "Victoria", "Victoria"],
    "POA_NAME_2021": ["2000", "2000", "3000", "3002"],
}


def test_a_postcode_of_post_boxes_does_not_contradict(live):
    """A postcode that the table has for no suburb says no more than its range, and is not reported."""
    load(**POSTCODES)
    queries = ["Sydney NSW 2001", "GPO Box 123, Sydney NSW 2001", "Melbourne VIC 3001"]
    assert sp.resolve(queries).to_list() == ["Sydney", "Sydney", "Melbourne"]
    assert sp.resolve("Sydney", postcode=2001, detail=True)["not_confirmed"].to_list() == ["postcode 2001"]
    for wrong in ("Melbourne VIC 3002", "Melbourne VIC 2001"):
        with pytest.raises(sp.errors.UnknownSuburb, match="Melbourne is in VIC"):
            sp.resolve(wrong)


@pytest.mark.parametrize(
    "query",
    ["Sydney NSW 2001", "Melbourne VIC 3002", "Melbourne VIC 2001", "Sydney NSW 2002", "Quoll 3002", "Quoll 3999"],
)
def test_a_replay_compares_postcodes_as_the_recording_did(live, tmp_path, query):
    """A cassette carries a suburb at each postcode that did not confirm, so it contradicts in a replay, too."""

    def outcome():
        return sp.resolve(query, detail=True, errors="warn").fillna("-").to_dict("records")

    load(**POSTCODES)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "1 of 1 row was not resolved", sp.SuburbWarning)
        with sp.cassette(tmp_path / "study.yaml"):
            recorded = outcome()
        with sp.cassette(tmp_path / "study.yaml", "none"):
            assert outcome() == recorded


def test_a_replay_leaves_the_same_rows_open(live, tmp_path, service):
    """A cassette carries the longer names that kept a row open, from the list or from a stored look-up."""
    load(
        SAL_NAME_2021=["Avalon", "Avalon Beach", "Kestrel Hill Lower", "Kestrel Hill"],
        STATE_NAME_2021=["", "New South Wales", "", ""],
    )
    sp.find("kestrel hill", "Vic.")  # tells where Kestrel Hill Lower is

    def candidates(query, state):
        with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
            sp.resolve(query, state)
        return caught.value.candidates

    asked = [("Avalon", "NSW"), ("Kestrel Hill", "VIC")]
    with sp.cassette(tmp_path / "study.yaml"):
        recorded = [candidates(*one) for one in asked]
    assert [len(names) for names in recorded] == [2, 2]
    with sp.cassette(tmp_path / "study.yaml", "none"):
        assert [candidates(*one) for one in asked] == recorded
