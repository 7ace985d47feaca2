"""Tests the warnings of rows that resolve: a part that nothing here can check, and texts that may be councils."""

import warnings

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BARE = ["Numbat", "Numbat Beach", "Quoll", "St Wader (Vic.)", "St Wader (NSW)"]
FROM_ABS = "To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run sp.load_gazetteer"


def load(names, *, complete=True, **columns):
    """Load a list of names with these columns, those of the ABS's allocation files."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": names, **columns}), complete)


def warning_of(ask):
    """Return the text of the one warning of a request that resolves everything."""
    with pytest.warns(sp.SuburbWarning) as caught:
        assert ask().notna().all()
    (warning,) = of_this_call(caught)
    return str(warning.message)


def replayed(ask, path):
    """Return what a function returned while a cassette recorded, after checking that a replay returns the same."""
    with sp.cassette(path):
        recorded = ask()
    with sp.cassette(path, "none"):
        assert ask() == recorded
    return recorded


UNCHECKED = {
    "St Wader VIC 3181": "In 1 of 1 row, a postcode could not be checked here and was ignored: 'St Wader VIC 3181'. "
    f"{FROM_ABS}('SAL_2021_AUST.xlsx', with_='POA_2021_AUST.xlsx')",
    "quoll (emu) nsw": "In 1 of 1 row, a state or region could not be checked here and was ignored: 'quoll (emu) nsw'. "
    f"{FROM_ABS}('SAL_2021_AUST.xlsx', with_='LGA_2021_AUST.xlsx')",
}


def test_a_part_that_nothing_checks_is_reported(live):
    """One warning a request counts the rows, lists five of them, and shows the line that loads the files.

    Nothing is reported if all parts agree, or with ``detail=True``, which shows them itself.
    """
    load(BARE)
    assert {query: warning_of(lambda query=query: sp.resolve(query)) for query in UNCHECKED} == UNCHECKED
    rows = [*(f"{number} Wader St, Quoll NSW" for number in range(1, 8)), "quoll", "1 Wader St, Quoll NSW"]
    message = warning_of(lambda: sp.resolve(rows))
    assert message.startswith("In 8 of 9 rows, a state could not be checked here and was ignored: '1 Wader St, Quoll")
    assert "'5 Wader St, Quoll NSW' and 2 more. To check it" in message
    assert sp.resolve(["St Wader VIC", "quoll"]).to_list() == ["St Wader (Vic.)", "Quoll"]
    assert sp.resolve("quoll nsw", detail=True)["not_confirmed"].to_list() == ["state NSW"]


def test_what_the_loaded_files_lack_is_said(live):
    """If the files are loaded and lack the suburb, no line is shown. A postcode of post boxes is not reported."""
    columns = {"STATE_NAME_2021": ["", "Victoria"], "POA_NAME_2021": ["", "3031"], "LGA_NAME_2021": ["", "Wader"]}
    load(["Quoll", "Emu"], **columns)
    message = warning_of(lambda: sp.resolve("quoll (wader) nsw 2031"))
    assert message.endswith("'quoll (wader) nsw 2031'. The loaded files do not have it for these suburbs.")
    assert sp.resolve("Emu VIC 3001").to_list() == ["Emu"]


def test_a_longer_name_in_the_state_keeps_a_row_open(live):
    """``Numbat`` at a postcode of NSW may mean Numbat Beach, as long as nothing tells where Numbat is."""
    load(BARE[:2], STATE_NAME_2021=["", "New South Wales"])
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("Numbat", None, 2031)
    assert caught.value.candidates == ("Numbat", "Numbat Beach")
    assert str(caught.value).splitlines()[0] == (
        "'Numbat' [2031] can mean 2 suburbs, and none was chosen, because it is not known here "
        "where Numbat is. Nothing was charged. Use the exact name without a state, postcode or region:"
    )


QUERIES = ["Woylie NSW 2001", "Woylie NSW 2002", "Quoll VIC 2001", "Quoll 3002", "Quoll 3999", "Emu NSW", "Emu VIC"]
QUERIES += ["Woylie (Bilby)", "Woylie, Numbat"]


def test_a_replay_compares_as_the_recording_did(live, tmp_path):
    """A cassette carries a suburb at each postcode and in each region, and the longer names that keep a row open."""
    states = ["New South Wales", "Victoria", "Victoria", "", "New South Wales"]
    postcodes = ["2000", "3000", "3002", "", ""]
    names, councils = ["Woylie", "Wader", "Quoll", "Emu", "Emu Bay"], ["Numbat", "Bilby", "", "", ""]
    load(names, STATE_NAME_2021=states, POA_NAME_2021=postcodes, LGA_NAME_2021=councils)

    def outcome():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuburbWarning)
            found = sp.resolve(QUERIES, detail=True, errors="warn")
        return found[["area_name", "problem", "candidates"]].fillna("").agg(" ".join, axis=1).to_list()

    assert replayed(outcome, tmp_path / "study.yaml") == [
        "Woylie  ",
        "Woylie  ",
        " elsewhere Quoll",
        "Quoll  ",
        "Quoll  ",
        " ambiguous Emu Bay; Emu",
        "Emu  ",
        " elsewhere Woylie",
        "Woylie  ",
    ]


# Councils

NAMES = ["Quoll", "Woylie", "Emu", "Bilby", "Dunnart", "Zamia (NSW)", "Zamia (Tas.)"]
COUNCILS = ["Quoll", "Woylie (C)", "City of Emu", "Bilby (C) (NSW)", "Quoll", "Woylie (C)", "Midlands (M)"]
TABLE = NAMES[:5]


@pytest.fixture
def councils(live):
    """Load a complete list of suburbs with the names of their councils, in several spellings."""
    load(NAMES, STATE_NAME_2021=["New South Wales"] * 6 + ["Tasmania"], LGA_NAME_2016=COUNCILS)


def test_texts_that_may_be_councils_are_warned_of(councils):
    """Texts may be councils by the name of their column, or if most of at least five are councils that are known here.

    They are resolved as suburbs all the same, and the warning shows how to list the suburbs of a council.
    """
    columns = [pd.Series(TABLE[:2], name=label) for label in ("LGA", "Lga Name 2016", "council_name")]
    for queries in (*columns, pd.Series(TABLE, name="area"), [f"{name} (C)" for name in TABLE]):
        assert warning_of(lambda queries=queries: sp.resolve(queries)).startswith(
            "The texts seem to be names of councils, but each was read as the name of a suburb. To list the suburbs of "
            "a council, run sp.places(lga='Quoll"
        )


@pytest.mark.parametrize("queries", [TABLE[:4], [*TABLE[:3], *NAMES[4:]], pd.Series(TABLE, name="Suburb Name")])
def test_an_ordinary_list_of_suburbs_is_not_warned_of(councils, queries):
    """A few suburbs have the name of their council, and a column that is called after suburbs holds suburbs."""
    assert sp.resolve(queries).notna().all()
    assert sp.resolve(TABLE, postcode=[None, None, 2112, 2750, None], detail=True)["rule"].notna().all()


def test_a_replay_warns_as_the_recording_did(councils, tmp_path):
    """A cassette carries a suburb of each council that was read as a suburb, even if no suburb has its name."""

    def warned():
        with pytest.warns(sp.SuburbWarning) as caught:
            sp.resolve(["Quoll", "Emu", "Midlands", "Dunnart", "Bilby NSW"], errors="warn")
        return [str(one.message) for one in of_this_call(caught) if "names of councils" in str(one.message)]

    assert len(replayed(warned, tmp_path / "study.yaml")) == 1


@pytest.mark.parametrize("council", ["Woylie", "WOYLIE (c)", "Woylie (RC) (NSW)"])
def test_a_council_is_read_without_its_kind(councils, council):
    """The brackets that the ABS put behind its councils until 2020 do not matter, in a file or in an argument."""
    assert sp.places(lga=council).index.to_list() == ["Woylie", "Zamia (NSW)"]
    assert sp.resolve("zamia", region=council).to_list() == ["Zamia (NSW)"]
    assert sp.resolve(f"Zamia, {council}").to_list() == ["Zamia (NSW)"]
