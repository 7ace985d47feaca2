"""Tests names as tables have them: in other words, with notes, several in a cell, none at all, and as codes."""

from itertools import product

import pandas as pd
import pytest

import suburb_pandas as sp

PLACES = {
    "Quoll East": "New South Wales",
    "Quoll Upper": "New South Wales",
    "Upper Quoll": "New South Wales",
    "North Wader": "Victoria",
    "Wader": "Victoria",
    "Dunnart": "Queensland",
    "Emu City": "Victoria",
    "Numbat Point": "New South Wales",
    "Numbat Port": "Victoria",
    "Bilby Junction": "Queensland",
    "Seventeen Mile": "Queensland",
    "O'Quoll": "South Australia",
    "Woylie-on-Sea": "Tasmania",
    "Zamia (Vic.)": "Victoria",
    "Zamia (Tas.)": "Tasmania",
    "Na": "Victoria",
}
ZAMIAS = "Zamia (Tas.); Zamia (Vic.)"


def load(*, complete=True, **columns):
    names = {"SAL_NAME_2021": [*PLACES], "STATE_NAME_2021": [*PLACES.values()]}
    sp.load_gazetteer(pd.DataFrame(names | columns), complete)


@pytest.fixture
def listed(live):
    """Load a complete list of made-up names with their states."""
    load()
    return live


def outcomes(queries):
    """Return what each query resolves to and by which rule, or its problem and its candidates."""
    with pytest.warns(sp.SuburbWarning, match="not resolved"):
        found = sp.resolve([*queries, "zzzzzz"], detail=True, errors="warn").fillna("")
    columns = found[["area_name", "rule", "problem", "candidates"]].itertuples()
    return {query: " | ".join(filter(None, cells)) for query, *cells in columns if query != "zzzzzz"}


OTHER_WORDS = {
    "East Quoll": "unknown | Quoll East",
    "E. Quoll": "unknown | Quoll East",
    "Wader Nth": "unknown | North Wader",
    "east quoll vic": "unknown",
    "Upper Quoll": "Upper Quoll | exact",
    "quoll upper": "Quoll Upper | base",
    "Dunnart CBD": "unknown | Dunnart",
    "Emu CBD": "unknown | Emu City",
    "Wader (N)": "unknown | North Wader",
    "Dunnart (CBD)": "unknown | Dunnart",
    "Upper (Quoll)": "Upper Quoll | base",
    "1 Hay St N. Wader": "ambiguous | North Wader; Wader",
    "1 Hay St N. Wader NSW": "elsewhere | Wader",
    "1 Hay St QLD, Wader": "elsewhere | Wader",
    "Wader (Queensland.)": "elsewhere | Wader",
    "Total (NSW)": "unknown",
    "Dunnart (Total)": "unknown",
    "Dunnart (Bilby & Emu)": "unknown",
    "Greater Quoll": "unknown",
    "Rest of Vic.": "unknown",
}
SHORTENED = {
    "Nth Wader": "North Wader | abbreviation",
    "quoll e nsw": "Quoll East | abbreviation",
    "bilby jn": "Bilby Junction | abbreviation",
    "17 Mile QLD": "Seventeen Mile | abbreviation",
    "O Quoll": "O'Quoll | abbreviation",
    "Pt " * 18 + "Wader": "unknown",
    "Numbat Pt": "ambiguous | Numbat Point; Numbat Port",
    "numbat pt vic": "Numbat Port | abbreviation",
    "numbat pt wa": "elsewhere | Numbat Point; Numbat Port",
    "nth wader nsw": "elsewhere | North Wader",
}
AROUND = {
    "Dunnart\u2020 #": "Dunnart | base",
    "Dunnart\xb9": "Dunnart | base",
    "Dunnart^ (a)": "Dunnart | base",
    "Dunnart (City)": "Dunnart | base",
    "Dunnart (QLD) - Council": "Dunnart | base",
    "Zamia (Vic.) VIC 3182": "Zamia (Vic.) | base_state",
}
SEVERAL = {
    "Dunnart\u2013Wader": "several | Dunnart; Wader",
    "Dunnart & Wader": "several | Dunnart; Wader",
    "dunnart and wader": "several | Dunnart; Wader",
    "Zamia (VIC)/Wader": "several | Zamia (Vic.); Wader",
    "Numbat Pt/Wader": "several | Numbat Point; Numbat Port; Wader",
    "Zamia/Wader": f"several | {ZAMIAS}; Wader",
    "East Quoll / Bilby Jn": "several | Quoll East; Bilby Junction",
    "Woylie-on-Sea-Dunnart": "several | Woylie-on-Sea; Dunnart",
    "Woylie-on-Sea": "Woylie-on-Sea | exact",
    "woylie on sea": "Woylie-on-Sea | base",
    "Dunnart/Wader/Nowhere": "unknown",
    "Dunnart/dunnart": "unknown",
    "Dunnart - Zamia - WA": "unknown",
}


@pytest.mark.parametrize("expected", [OTHER_WORDS, SHORTENED, AROUND, SEVERAL])
def test_a_text_in_other_words(listed, service, tmp_path, expected):
    """An abbreviation resolves if it has one meaning. A turned compass word and several suburbs are for a person.

    Notes, marks and words for councils are ignored, and so is the way in which a state is joined to a name. A replay
    says the same.
    """
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            assert outcomes(expected) == expected
    assert not service.requests


def test_without_a_complete_list_an_abbreviation_is_looked_up(live, service):
    """If a name may be missing, an abbreviation does not resolve: its expansions are candidates of the open row."""
    load(complete=False)
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve("Bilby Jn")
    assert caught.value.suggestions[0] == "Bilby Junction"
    assert len(service.requests) == 1


@pytest.mark.parametrize("complete", [True, False])
def test_several_suburbs_in_one_cell_are_said_to_be_several(live, service, complete):
    """The error says how to give each suburb a row of its own. No look-up is bought for such a row."""
    load(complete=complete)
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


NOTHING = ["n.a.", "na", "NP", "-", "..", "Unknown", "", None]


def test_a_text_that_stands_for_no_name_is_missing(listed, service):
    """In a Series such texts are skipped with a warning that lists the rows. In a list they are refused, unsent.

    A text that is exactly a listed name is never missing.
    """
    texts = pd.Series(["Wader", *NOTHING, "Na"], name="suburb")
    for ask in (lambda: sp.resolve(texts).dropna(), lambda: texts.to_frame().suburb.places().index):
        with pytest.warns(sp.errors.SkippedRowsWarning, match="8 of 10 rows .*: rows 1, 2, 3, 4, 5, 6, 7, 8"):
            assert ask().to_list() == ["Wader", "Na"]
    for ask, text in product((sp.resolve, sp.rent), NOTHING):
        with pytest.raises(sp.errors.InvalidName):
            ask(["Wader", text])
    assert not service.requests


CODES = {"Quokka Bay": "10490", "Woylie": "10491"}


@pytest.mark.parametrize(
    ("label", "codes"),
    [
        ("SAL_CODE_2021", ["SAL10490", "SAL10491"]),
        ("SAL_CODE21", [10490, 10491]),
        ("sal code 2021", ["10490", 10491.0]),
    ],
)
def test_codes_of_the_abs_are_names(live, tmp_path, label, codes):
    """A frame with the ABS's codes alone finds its suburbs. A cassette and the store keep the codes."""
    columns = {"SAL_NAME_2021": [*CODES], "SAL_CODE_2021": [*CODES.values()], "STATE_NAME_2021": "Western Australia"}
    sp.load_gazetteer(pd.DataFrame(columns), True)
    frame = pd.DataFrame({label: codes})
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            assert frame.suburb.resolve().to_list() == [*CODES]
            assert frame.suburb.places()["sal_code"].to_dict() == {name: f"SAL{code}" for name, code in CODES.items()}
            assert frame.suburb.join_places("state")["state"].to_list() == ["WA", "WA"]
            assert list(frame.suburb.rent()["area_name"].unique()) == [*CODES]
    with sp.connect(api_key=live.settings.api_key, store=live.store.path):
        assert frame.suburb.resolve().to_list() == [*CODES]


def test_a_code_needs_a_list_and_gives_way_to_names(live, service):
    """Without a list with codes, a column of codes is refused. A column of names takes precedence; a new code stays."""
    codes = pd.DataFrame({"SAL_CODE_2021": ["SAL99999"]})
    with pytest.raises(sp.errors.NoSuburbColumn, match=r"no list with codes .* sp\.load_gazetteer\('SAL_2021_AUST"):
        codes.suburb.resolve()
    load(SAL_CODE_2021=range(10001, 10001 + len(PLACES)))
    assert codes.assign(SAL_NAME_2021="Wader").suburb.resolve().to_list() == ["Wader"]
    with pytest.raises(sp.errors.UnknownSuburb, match="'SAL99999' matches no suburb"):
        codes.suburb.resolve()
    assert not service.requests
