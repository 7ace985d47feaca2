"""Tests the warnings of rows that resolve: a part that nothing here can check, and texts that may be councils."""

from io import StringIO

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.geocoding.listed import load
from tests.support.common import of_this_call

FROM_ABS = "To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run sp.load_gazetteer"


def warning_of(queries):
    """Resolve queries, all of which have a name, and return the text of the one warning."""
    with pytest.warns(sp.SuburbWarning) as caught:
        assert sp.resolve(queries).notna().all()
    (warning,) = of_this_call(caught)
    return str(warning.message)


def replayed(ask, path):
    """Return what a function returned while a cassette recorded, after checking that a replay returns the same."""
    with sp.cassette(path):
        recorded = ask()
    with sp.cassette(path, "none"):
        assert ask() == recorded
    return recorded


def test_a_part_that_nothing_checks_is_reported(live):
    """One warning a request counts the rows, lists five of them, and shows the line that loads the files.

    Nothing is reported if all parts agree.
    """
    load("SAL_NAME_2021\nQuoll\nSt Wader (Vic.)\nSt Wader (NSW)")
    assert warning_of("St Wader VIC 3181") == (
        "In 1 of 1 row, a postcode could not be checked here and was ignored: 'St Wader VIC 3181'. "
        f"{FROM_ABS}('SAL_2021_AUST.xlsx', with_='POA_2021_AUST.xlsx')"
    )
    message = warning_of([*(f"{number} Wader St, Quoll NSW" for number in range(1, 8)), "quoll (emu)", "quoll (emu)"])
    assert message.startswith("In 9 of 9 rows, a state or region could not be checked here and was ignored: '1 Wader")
    assert f"'5 Wader St, Quoll NSW' and 3 more. {FROM_ABS}(" in message
    assert "with_='LGA_2021_AUST.xlsx'" in message
    assert sp.resolve(["St Wader VIC", "quoll"]).to_list() == ["St Wader (Vic.)", "Quoll"]


def test_what_the_loaded_files_lack_is_said(live):
    """If the files are loaded and lack the suburb, no line is shown. A postcode of post boxes is not reported."""
    load("SAL_NAME_2021,STATE_NAME_2021,POA_NAME_2021,LGA_NAME_2021\nQuoll,,,\nEmu,Victoria,3031,Wader\nBilby,,2031,")
    message = warning_of("quoll (wader) nsw 2031")
    assert message.endswith("'quoll (wader) nsw 2031'. The loaded files do not have it for these suburbs.")
    assert sp.resolve("Emu VIC 3001").to_list() == ["Emu"]
    assert "a region could not" in warning_of("Bilby (Wader)")


def test_a_longer_name_in_the_state_keeps_a_row_open(live):
    """``Numbat`` at a postcode of NSW may mean Numbat Beach, as long as nothing tells where Numbat is."""
    load("SAL_NAME_2021,STATE_NAME_2021\nNumbat,\nNumbat Beach,New South Wales")
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("Numbat", None, 2031)
    assert caught.value.candidates == ("Numbat", "Numbat Beach")
    assert str(caught.value).splitlines()[0] == (
        "'Numbat' [2031] can mean 2 suburbs, and none was chosen, because it is not known here "
        "where Numbat is. Nothing was charged. Use the exact name without a state, postcode or region:"
    )


COMPARED = """SAL_NAME_2021,STATE_NAME_2021,POA_NAME_2021,LGA_NAME_2021
Woylie,New South Wales,2000,Numbat
Wader,Victoria,3000,Bilby
Quoll,Victoria,3002,
Emu,,,
Emu Bay,New South Wales,,
"""
OUTCOMES = """query,area_name,problem,candidates
Woylie NSW 2001,Woylie,,
Woylie NSW 2002,Woylie,,
Quoll VIC 2001,,elsewhere,Quoll
Quoll 3002,Quoll,,
Quoll 3999,Quoll,,
Emu NSW,,ambiguous,Emu Bay; Emu
Emu VIC,Emu,,
Woylie (Bilby),,elsewhere,Woylie
"Woylie, Numbat",Woylie,,
"""


def test_a_replay_compares_as_the_recording_did(live, tmp_path):
    """A cassette carries a suburb at each postcode and in each region, and the longer names that keep a row open."""
    load(COMPARED)
    queries = pd.read_csv(StringIO(OUTCOMES))["query"]

    def outcome():
        with pytest.warns(sp.SuburbWarning):
            found = sp.resolve(queries, detail=True, errors="warn")
        return found[["area_name", "problem", "candidates"]].to_csv()

    assert replayed(outcome, tmp_path / "study.yaml") == OUTCOMES


# Councils

TABLE = ["Quoll", "Woylie", "Emu", "Bilby", "Dunnart"]


@pytest.fixture
def councils(live):
    """Load a complete list of suburbs with the names of their councils, in several spellings."""
    load("""SAL_NAME_2021,STATE_NAME_2021,LGA_NAME_2016
Quoll,New South Wales,Quoll
Woylie,New South Wales,Woylie (C)
Emu,New South Wales,City of Emu
Bilby,New South Wales,Bilby (C) (NSW)
Dunnart,New South Wales,Quoll
Zamia (NSW),New South Wales,Woylie (C)
Zamia (Tas.),Tasmania,Midlands (M)
""")


def test_texts_that_may_be_councils_are_warned_of(councils):
    """Texts may be councils by the name of their column, or if most of at least five are councils that are known here.

    They are resolved as suburbs all the same, and the warning shows how to list the suburbs of a council.
    """
    columns = [pd.Series(TABLE[:2], name=label) for label in ("LGA", "Lga Name 2016", "council_name")]
    for queries in (*columns, pd.Series(TABLE, name="area"), [f"{name} (C)" for name in TABLE]):
        assert warning_of(queries).startswith(
            "The texts seem to be names of councils, but each was read as the name of a suburb. To list the suburbs of "
            "a council, run sp.places(lga='Quoll"
        )


@pytest.mark.parametrize(
    "queries", [TABLE[:4], [*TABLE[:3], "Dunnart", "Zamia (NSW)", "Zamia (Tas.)"], pd.Series(TABLE, name="Suburb Name")]
)
def test_an_ordinary_list_of_suburbs_is_not_warned_of(councils, queries):
    """A few suburbs have the name of their council, and a column that is called after suburbs holds suburbs."""
    assert sp.resolve(queries).notna().all()
    assert sp.resolve(TABLE, postcode=[None, None, 2112, 2750, None], detail=True)["rule"].notna().all()


def test_a_replay_warns_as_the_recording_did(councils, tmp_path):
    """A cassette carries a suburb of each council that was read as a suburb, even if no suburb has its name."""

    def warned():
        with pytest.warns(sp.SuburbWarning) as caught:
            sp.resolve([*TABLE[:2], "Midlands", "Dunnart", "Bilby NSW"], errors="warn")
        return sum("names of councils" in str(one.message) for one in of_this_call(caught))

    assert replayed(warned, tmp_path / "study.yaml") == 1
