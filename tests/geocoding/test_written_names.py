"""Tests names as tables have them: in other words, with notes, several in a cell, none at all, and as codes."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.geocoding.listed import load

PLACES = """SAL_NAME_2021,STATE_NAME_2021
Quoll East,New South Wales
Quoll Upper,New South Wales
Upper Quoll,New South Wales
North Wader,Victoria
Wader,Victoria
Dunnart,Queensland
Emu City,Victoria
Numbat Point,New South Wales
Numbat Port,Victoria
Bilby Junction,Queensland
Seventeen Mile,Queensland
O'Quoll,South Australia
Woylie-on-Sea,Tasmania
Zamia (Vic.),Victoria
Zamia (Tas.),Tasmania
Na,Victoria
"""

OTHER_WORDS = """
East Quoll = unknown | Quoll East
E. Quoll = unknown | Quoll East
Wader Nth = unknown | North Wader
east quoll vic = unknown
Upper Quoll = Upper Quoll | exact
quoll upper = Quoll Upper | base
Dunnart CBD = unknown | Dunnart
Emu CBD = unknown | Emu City
Wader (N) = unknown | North Wader
Dunnart (CBD) = unknown | Dunnart
Dunnart (Ck) = unknown | Dunnart
Upper (Quoll) = Upper Quoll | base
1 Hay St N. Wader = ambiguous | North Wader; Wader
1 Hay St N. Wader NSW = elsewhere | Wader
1 Hay St QLD, Wader = elsewhere | Wader
Wader (Queensland.) = elsewhere | Wader
Total (NSW) = unknown
Dunnart (Total) = unknown
Dunnart (Bilby & Emu) = unknown
Greater Quoll = unknown
Rest of Vic. = unknown"""

SHORTENED = """
Nth Wader = North Wader | abbreviation
quoll e nsw = Quoll East | abbreviation
bilby jn = Bilby Junction | abbreviation
17 Mile QLD = Seventeen Mile | abbreviation
O Quoll = O'Quoll | abbreviation
Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Pt Wader = unknown
Numbat Pt = ambiguous | Numbat Point; Numbat Port
numbat pt vic = Numbat Port | abbreviation
numbat pt wa = elsewhere | Numbat Point; Numbat Port
nth wader nsw = elsewhere | North Wader"""

AROUND = """
Dunnart\u2020 # = Dunnart | base
Dunnart\xb9 = Dunnart | base
Dunnart^ (a) = Dunnart | base
Dunnart (City) = Dunnart | base
Dunnart (QLD) - Council = Dunnart | base
Zamia (Vic.) VIC 3182 = Zamia (Vic.) | base_state"""

SEVERAL = """
Dunnart\u2013Wader = several | Dunnart; Wader
Dunnart & Wader = several | Dunnart; Wader
dunnart and wader = several | Dunnart; Wader
Zamia (VIC)/Wader = several | Zamia (Vic.); Wader
Numbat Pt/Wader = several | Numbat Point; Numbat Port; Wader
Zamia/Wader = several | Zamia (Tas.); Zamia (Vic.); Wader
East Quoll / Bilby Jn = several | Quoll East; Bilby Junction
Woylie-on-Sea-Dunnart = several | Woylie-on-Sea; Dunnart
Woylie-on-Sea = Woylie-on-Sea | exact
woylie on sea = Woylie-on-Sea | base
Dunnart/Wader/Nowhere = unknown
Dunnart/dunnart = unknown
Dunnart - Zamia - WA = unknown"""


@pytest.mark.parametrize("table", [OTHER_WORDS, SHORTENED, AROUND, SEVERAL])
def test_a_text_in_other_words(live, service, tmp_path, table):
    """An abbreviation resolves if it has one meaning. A turned compass word and several suburbs are for a person.

    Notes, marks and words for councils are ignored, and so is the way in which a state is joined to a name. A replay
    says the same.
    """
    load(PLACES)
    queries, outcomes = zip(*(line.split(" = ") for line in f"{table}\nzzzzzz = unknown".split("\n")[1:]), strict=True)
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record), pytest.warns(sp.SuburbWarning, match="not resolved"):
            found = sp.resolve(queries, detail=True, errors="warn").fillna("")
        columns = found[["area_name", "rule", "problem", "candidates"]].itertuples(index=False)
        assert [" | ".join(filter(None, cells)) for cells in columns] == [*outcomes]
    assert not service.requests


def test_several_suburbs_in_one_cell_are_said_to_be_several(live, service):
    """The error says how to give each suburb a row of its own. No look-up is bought for such a row.

    If the list may lack names, an abbreviation is looked up, and is not taken for a name of the list.
    """
    load(PLACES, complete=False)
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("Dunnart/Wader")
    assert caught.value.candidates == ("Dunnart", "Wader")
    assert str(caught.value) == (
        "'Dunnart/Wader' is about several suburbs: Dunnart and Wader. Nothing was charged. Give each suburb a row of "
        "its own: df.assign(suburb=df['suburb'].str.split('/')).explode('suburb')"
    )
    with pytest.raises(sp.errors.AmbiguousSuburb, match=r"\(1 several\)(.|\n)*str\.split\(' and '\)"):
        sp.resolve(["Dunnart", "Dunnart and Wader"])
    with pytest.raises(sp.errors.AmbiguousSuburb, match=r"str\.split\('/'\)"):
        sp.resolve("Dunnart, Qld / Wader, Vic.")
    assert not service.requests
    with pytest.raises(sp.errors.UnknownSuburb, match=r"charged 1 cent\. Did you mean Bilby Jun"):
        sp.resolve("Bilby Jn")


def test_a_text_that_stands_for_no_name_is_missing(live, service):
    """In a Series such texts are skipped with a warning that lists the rows. In a list they are refused, unsent.

    A text that is exactly a listed name is never missing.
    """
    load(PLACES)
    texts = pd.Series(["Wader", "n.a.", "na", "..", "Unknown", None, "Na"], name="suburb")
    for ask in (lambda: sp.resolve(texts).dropna(), lambda: texts.to_frame().suburb.places().index):
        with pytest.warns(sp.errors.SkippedRowsWarning, match="5 of 7 rows .*: rows 1, 2, 3, 4, 5"):
            assert ask().to_list() == ["Wader", "Na"]
    for ask in (sp.resolve, sp.rent):
        with pytest.raises(sp.errors.InvalidName):
            ask(["Wader", "n.a."])
    assert not service.requests


def test_codes_of_the_abs_are_names(live, tmp_path):
    """A frame with the ABS's codes alone finds its suburbs. A cassette and the store keep the codes."""
    codes, names = ["SAL10490", "SAL10491"], ["Quokka Bay", "Woylie"]
    load("SAL_NAME_2021,SAL_CODE_2021,STATE_NAME_2021\nQuokka Bay,10490,WA\nWoylie,10491,WA")
    frame = pd.DataFrame({"sal code 2021": [codes[0], 10491.0]})
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            assert frame.suburb.resolve().to_list() == names
            assert frame.suburb.places()["sal_code"].to_list() == codes
            assert frame.suburb.join_places("state")["state"].to_list() == ["WA", "WA"]
            assert list(frame.suburb.rent()["area_name"].unique()) == names
    with sp.connect(api_key=live.settings.api_key, store=live.store.path):
        assert frame.suburb.resolve().to_list() == names


def test_a_code_needs_a_list_and_gives_way_to_names(live, service):
    """Without a list with codes, a column of codes is refused. A column of names takes precedence; a new code stays."""
    codes = pd.DataFrame({"SAL_CODE_2021": ["SAL99999"]})
    with pytest.raises(sp.errors.NoSuburbColumn, match=r"no list with codes .* sp\.load_gazetteer\('SAL_2021_AUST"):
        codes.suburb.resolve()
    load("SAL_NAME_2021,SAL_CODE_2021\nWader,10001")
    assert codes.assign(SAL_NAME_2021="Wader").suburb.resolve().to_list() == ["Wader"]
    with pytest.raises(sp.errors.UnknownSuburb, match="'SAL99999' matches no suburb"):
        codes.suburb.resolve()
    assert not service.requests
