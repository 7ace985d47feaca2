"""Tests the picker's advice if it finds no suburb, or cannot load a chosen one, for each source."""

import re

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.notebook.advice import why_not, why_nothing
from suburb_pandas.service.sources import SANDBOX_SUBURBS
from tests.support.common import LIVE_KEY
from tests.support.made_up import NAMES
from tests.support.recorded import body_of

ABSENT = "http://127.0.0.1:9"
"""A base URL where nobody listens: advice makes no call."""

LOAD = 'sp.load_gazetteer("SAL_2021_AUST.xlsx")'
FREE = 'sp.connect(api_key="test")'
OWN_KEY = (
    "With your own key you can load every suburb: set it in the environment as SUBURB_API_KEY, never in a notebook."
)


@pytest.fixture(params=["none", "embedded", "sandbox", "live", "live, some names", "live, all names"])
def source(request, tmp_path):
    """Make the default client: without a key, with each kind of key, and with lists of names."""
    key = {"none": None, "embedded": "embedded", "sandbox": "test"}.get(request.param, LIVE_KEY)
    url = None if request.param in {"none", "embedded"} else ABSENT
    sp.connect(api_key=key, base_url=url, store=tmp_path / "store.sqlite")
    if "," in request.param:
        names = NAMES if "all" in request.param else NAMES[:4]
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": names}), complete="all" in request.param)
    return request.param


def of(advice):
    """Return the texts and the lines of code of advice."""
    return [one.text for one in advice], [one.code for one in advice if one.code]


WHY_NOTHING = {
    "none": (["There is no API key, so only made-up suburbs are known, such as Quokka Bay."], [FREE, LOAD]),
    "embedded": (
        ["This is the embedded sandbox, so only made-up suburbs are known, such as Quokka Bay."],
        [FREE, LOAD],
    ),
    "sandbox": ([], [LOAD]),
    "live": (["No list of suburb names is loaded, so no names are known here."], [LOAD]),
    "live, some names": (["Only 4 names are known here, and none is like \u201cCooya\u201d."], [LOAD]),
    "live, all names": ([], []),
}
"""For each source, the first sentence for a text that nothing is like, and the lines of code that follow."""


def test_each_source_says_why_nothing_is_found_and_what_to_do(source):
    """A text that is like no known name gets the reason, and the next steps with the lines to copy."""
    texts, codes = of(why_nothing(" Cooya "))
    first, lines = WHY_NOTHING[source]
    assert (texts[: len(first)], codes) == (first, lines)
    nine = [text for text in texts if all(name in text for name in SANDBOX_SUBURBS)]
    assert len(nine) == (source in {"none", "embedded", "sandbox"})
    if source in {"none", "embedded", "sandbox"}:
        assert texts[-1] == (
            "For all suburbs, set your own key in the environment as SUBURB_API_KEY, never in a notebook; then load "
            "the ABS's list of names, free at abs.gov.au."
        )
    else:
        assert texts[-1] == "The button Look up asks the service about \u201cCooya\u201d for 1 cent."
    if source == "live, all names":
        assert re.fullmatch(
            rf"The list of {len(NAMES)} names \(SAL 2021\) that was loaded on \d{{4}}-\d\d-\d\d has no suburb like "
            "\u201cCooya\u201d; check the spelling.",
            texts[0],
        )


def test_advice_is_at_most_three_short_sentences_and_free(source):
    """Each piece of advice is one sentence, there are at most three, and nothing is asked or recorded."""
    for text in ("Cooya", "x" * 500, "a\x00b", "<b>", "1 x"):
        for advice in (why_nothing(text), why_not([text, "Bondi", *SANDBOX_SUBURBS, "Cooya", "Nowhere", "Quoka Bay"])):
            assert len(advice) <= 3
            for one in advice:
                ends = re.sub(r"(Vic|abs|gov)\.", "", one.text)
                assert re.fullmatch(r"[^.?]+[.?]", ends), one.text
                assert "=" not in one.text
    assert why_nothing("  ") == why_not([]) == []
    assert sp.ledger().empty


WHY_NOT = {
    "none": [
        "Bondi is not one of the made-up suburbs, and no others can be loaded here.",
        "Nine real suburbs, Bondi among them, are free with the key \u201ctest\u201d.",
        OWN_KEY,
    ],
    "sandbox": [],
    "live": [],
    "live, some names": [],
}


def test_a_real_suburb_without_a_key_says_how_to_get_it(source):
    """Without a key, Bondi gets advice instead of an offer. Where the key or the list allows it, nothing is said."""
    texts, _ = of(why_not(["Quokka Bay", "Bondi"]))
    if source == "live, all names":
        (only,) = texts
        assert re.fullmatch(r"The list of .* has no suburb called Bondi; check the spelling\.", only)
    else:
        assert texts == WHY_NOT["none" if source == "embedded" else source]


def test_similar_names_are_asked_about(source):
    """A name that is ruled out comes with similar names; where it may exist, nothing is said."""
    texts, _ = of(why_not(["Quoka Bay"]))
    if source == "sandbox":
        assert texts[0].startswith(
            "The key \u201ctest\u201d does not cover Quoka Bay; it covers nine suburbs: Belmont North, "
        )
        assert texts[1] == OWN_KEY
    elif source in {"live", "live, some names"}:
        assert texts == []
    else:
        assert texts[0].endswith("; did you mean Quokka Bay?")


def test_made_up_suburbs_and_those_with_data_are_not_advised_against(source):
    """A suburb that can be had gets no advice."""
    assert why_not(["Quokka Bay", "Lantern Bay (NSW)"]) == []


def test_a_client_that_is_given_is_in_the_lines(tmp_path):
    """For a picker with a client of its own, the lines to copy make and pass ``client``."""
    with sp.Client(api_key="embedded") as client:
        assert of(why_nothing("Cooya", client))[1] == [
            'client = sp.Client(api_key="test")',
            'sp.load_gazetteer("SAL_2021_AUST.xlsx", client=client)',
        ]


def test_a_key_is_enough_advice_where_a_list_is_loaded(tmp_path):
    """Under the free key with a full list, the spelling comes first, and the list is not advised again."""
    sp.connect(api_key="test", base_url=ABSENT, store=tmp_path / "store.sqlite")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": [*NAMES, "Bondi"]}), complete=True)
    texts, codes = of(why_nothing("Cooya"))
    assert (len(texts), codes) == (3, [])
    assert "check the spelling" in texts[0]
    assert len(why_not(["Cooya"])) == 1
    assert "does not cover Woylie; it covers nine suburbs: " in of(why_not(["Woylie"]))[0][0]
    assert texts[2] == "For all suburbs, set your own key in the environment as SUBURB_API_KEY, never in a notebook."


def test_what_look_ups_have_shown_is_counted_and_a_risen_price_is_said(live, service):
    """Without a list, the names from stored responses are counted, and Look up has the price of the last look-up."""
    service.answer("quoll", "geocode", body=b'{"data": []}', headers={"X-Cost-Cents": "3"})
    with pytest.warns(sp.SuburbWarning, match="3 cents"):
        sp.find("quoll")
    sp.rent("Quokka Bay")
    texts, _ = of(why_nothing("Cooya"))
    assert texts[0] == "No list of suburb names is loaded, so only 1 name is known here."
    assert texts[-1] == "The button Look up asks the service about \u201cCooya\u201d for 3 cents."


def test_in_replay_only_the_names_on_the_cassette_are_known(live, tmp_path):
    """While a cassette is replayed, the advice is about the cassette, whatever the key is."""
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent("Quokka Bay")
    with sp.cassette(path, "none"):
        assert of(why_nothing("Cooya"))[0] == [
            "A cassette is being replayed, so only the names on it are known.",
            "To use other suburbs, run the picker outside the `with sp.cassette(...)` block.",
        ]
        assert why_not(["Quokka Bay"]) == []
        assert of(why_not(["Quokka Bay", "Woylie"]))[0] == [
            "The cassette has no data for Woylie.",
            "To use other suburbs, run the picker outside the `with sp.cassette(...)` block.",
        ]


def test_advice_records_nothing(live, tmp_path):
    """Texts that were typed in vain are not written to a cassette that records."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        assert why_nothing("Cooya")
        assert why_not(["Cooya"])
        sp.rent("Quokka Bay")
    assert "ooya" not in path.read_text()


def test_a_text_that_cannot_be_looked_up_is_not_offered_for_a_look_up(live):
    """Look up is advised only for a text that the service can be asked about."""
    for text in ("a\x00b", "x" * 500):
        assert not any("Look up" in one.text for one in why_nothing(text))


def test_a_suburb_that_has_answered_under_the_free_key_is_not_advised_against(service, tmp_path):
    """The nine suburbs may change: a suburb whose data are stored counts as covered by the key."""
    service.answer("Woylie", "rent", body=body_of("Woylie"))
    with sp.connect(api_key="test", base_url=service.url, store=tmp_path / "store.sqlite"):
        assert of(why_not(["Woylie"]))[0][0].endswith("Sandy Bay, Kambah and Nightcliff.")
        assert len(sp.rent("Woylie")) == 1
        assert why_not(["Woylie"]) == []
