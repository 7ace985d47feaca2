"""Unknown names: a complete list refuses them before a call, and errors suggest similar names."""

import re

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.client import known_names
from tests.support.made_up import NAMES
from tests.support.recorded import body_of

WRONG = "kestrel hill vic"
RIGHT = "Kestrel Hill (Vic.)"


@pytest.fixture
def listed(live, tmp_path):
    """Return a client with a live key that has loaded a complete list of names."""
    path = tmp_path / "names.txt"
    path.write_text("\n".join(NAMES), encoding="utf-8")
    sp.load_gazetteer(path, complete=True)
    return live


@pytest.mark.parametrize("load", [sp.rent, sp.impacts])
def test_nothing_is_sent_for_a_name_that_there_is_not(listed, service, load):
    """A name that a complete list lacks raises UnknownSuburb at no cost.

    The message names the list, suggests a suburb, and shows the argument that sends the name anyway.
    """
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"did you mean Kestrel Hill \(Vic\.\)\? .*check_names=False"
    ) as caught:
        load(WRONG)
    assert f"according to the list of {len(NAMES)} names that was loaded on 20" in str(caught.value)
    assert caught.value.suggestions[0] == RIGHT
    assert caught.value.status_code is None
    assert caught.value.cents == 0
    assert not service.requests


def test_many_are_bought_without_it(listed, service):
    """In a batch, a name that does not exist is a failure, and the others are bought. A quote lists it as absent."""
    quote = sp.quote([WRONG, "Quokka Bay", "quoka bay"], "scorecard")
    assert (quote.calls, quote.cents) == (2, 40)
    assert quote.absent == quote.unresolved == (WRONG, "quoka bay")
    assert re.search(r"\n +absent +.*: no suburbs of that name", repr(quote))
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([WRONG, "Quokka Bay", "quoka bay"], max_cents=30)
    assert set(caught.value.failures) == {WRONG, "quoka bay"}
    assert caught.value.failures["quoka bay"].suggestions[0] == "Quokka Bay"
    assert service.total_cents == 30
    with pytest.warns(sp.SuburbWarning, match="UnknownSuburb"):
        card = sp.scorecard([WRONG, "Quokka Bay"])
    assert card["status"].to_list() == ["UnknownSuburb", "ok"]
    assert service.total_cents == 40


def test_while_a_cassette_records_nothing_is_sent_for_an_absent_name_either(listed, service, tmp_path):
    """With a key that pays, a name that a complete list lacks is not asked for, with or without a cassette."""
    with sp.cassette(tmp_path / "study.yaml"), pytest.raises(sp.errors.UnknownSuburb, match="did you mean"):
        sp.rent(WRONG)
    assert not service.requests


def test_a_list_never_has_the_last_word(listed, service):
    """A list may be older than the service's, so `check_names=False` sends any name.

    A suburb for which the service returns data counts as known from then on.
    """
    service.answer("Quoll", "rent", body=body_of("Quoll"), headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.rent("Quoll")
    assert sp.quote("Quoll", check_names=False).cents == 30
    assert len(sp.rent("Quoll", check_names=False)) == 1
    assert sp.quote("Quoll", refresh=True).unresolved == ()
    assert len(sp.rent("Quoll", refresh=True)) == 1
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.impacts("Quoll", check_names=False)
    assert caught.value.status_code == 404


def test_what_is_stored_needs_no_list(live, service, tmp_path):
    """A stored response is used even if a list loaded later lacks its suburb. Offline, names on no list are unknown."""
    sp.rent("Quokka Bay")
    path = tmp_path / "names.txt"
    path.write_text("Woylie\nZamia", encoding="utf-8")
    sp.load_gazetteer(path, complete=True)
    assert len(sp.rent("Quokka Bay"))
    assert len(sp.rent("Quokka Bay", offline=True))
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.rent("Bilby Heights", offline=True)
    with pytest.raises(sp.errors.NotStored) as caught:
        sp.rent(["Bilby Heights", "Zamia"], offline=True)
    assert caught.value.quote.cents == 30
    assert len(service.requests) == 1


def test_without_a_complete_list_a_name_is_sent_verbatim(live, service, tmp_path):
    """An incomplete list cannot rule out a name, so the name is sent as written. A quote lists it as unresolved."""
    path = tmp_path / "names.txt"
    path.write_text("\n".join(NAMES), encoding="utf-8")
    sp.load_gazetteer(path)
    assert sp.quote([WRONG, RIGHT]).unresolved == (WRONG,)
    assert sp.quote([WRONG, RIGHT]).calls == 2
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.rent(WRONG)
    assert [request.target for request in service.requests] == [
        "/v1/suburbs/kestrel%20hill%20vic/market/median-rent-series"
    ]


def test_a_404_gets_the_same_help(live, service):
    """If the service answers 404, the error suggests similar names from the gazetteer."""
    sp.find("kestrel hill", state="VIC")
    with pytest.raises(
        sp.errors.UnknownSuburb,
        match=r"\(did you mean Kestrel Hill \(Vic\.\)\?\): df.*\.suburb\.resolve\(\)$",
    ) as caught:
        sp.rent(WRONG)
    assert caught.value.status_code == 404
    assert caught.value.suggestions[0] == RIGHT
    with pytest.raises(sp.errors.BatchIncomplete, match="did you mean") as caught:
        sp.rent([WRONG, "Quokka Bay"])
    assert caught.value.failures[WRONG].suggestions[0] == RIGHT


def test_under_the_embedded_sandbox_a_real_suburb_costs_no_call(embedded):
    """The embedded sandbox refuses real suburbs without a call, and the error says how to get their data."""
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r'made-up suburbs only.*nothing was sent\. .*api_key="test"'
    ) as caught:
        sp.rent("Bondi")
    assert caught.value.suggestions == ()
    assert sp.ledger().empty
    with pytest.raises(sp.errors.UnknownSuburb, match="404"):
        sp.rent("Bondi", check_names=False)


def test_names_that_are_known_cost_no_look(live, service):
    """A request for stored responses does not read the gazetteer."""
    sp.rent("Quokka Bay")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_names, "gazetteer_of", None)
        assert len(sp.rent("Quokka Bay"))
        assert sp.quote("Quokka Bay").unresolved == ()


def test_a_404_never_suggests_the_very_name(live, service, tmp_path):
    """A loaded list may have a name that the service answers with 404. The error then suggests only other names."""
    path = tmp_path / "names.txt"
    path.write_text("Quoll Bay\nQuoll Bat", encoding="utf-8")
    sp.load_gazetteer(path)
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"\(did you mean Quoll Bat\?\): df.*\.suburb\.resolve\(\)$"
    ) as caught:
        sp.rent("Quoll Bay")
    assert caught.value.suggestions == ("Quoll Bat",)


def test_thousands_of_wrong_names_take_no_time(listed, service):
    """Suggestions are searched for the first 500 wrong names of a request, because each search takes a moment."""
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"No suburb is called exactly .* and 2990 more, according to"
    ) as caught:
        sp.rent([f"Quokka Bay {number}" for number in range(3000)])
    assert len(caught.value.failures) == 3000
    assert caught.value.failures["Quokka Bay 0"].suggestions
    assert not caught.value.failures["Quokka Bay 2999"].suggestions
    assert not service.requests


@pytest.mark.parametrize("names", [["QUOKKA BAY"], ["QUOKKA BAY", "lantern bay"]])
def test_if_no_name_is_a_suburbs_the_request_says_how_to_resolve_them(listed, service, names):
    """A request of which no name exists is an error before any call, with the line to paste."""
    frame = pd.DataFrame({"suburb": names})
    line = r'df\["area_name"\] = df\.suburb\.resolve\(\)'
    for request in (lambda: sp.rent(names), frame.suburb.rent, frame.suburb.impacts, frame.suburb.join_rent):
        frame["date"] = pd.Timestamp("2026-01-01")
        with pytest.raises(sp.errors.UnknownSuburb, match=rf"[Nn]othing was sent.*{line}") as caught:
            request()
        assert {*caught.value.failures} == {*names}
        assert caught.value.cents == 0
        assert caught.value.suggestions
        assert caught.value.frame is not None
    assert not service.requests
    with pytest.warns(sp.SuburbWarning, match=line):
        assert sp.rent(names, errors="warn").empty


@pytest.mark.usefixtures("embedded")
def test_five_similar_names_are_suggested_and_three_of_them_named():
    """The error names three suggestions and has up to five; text after a comma is ignored if nothing is like it all."""
    for wrong in ("Magpie Flat", "Magpie Flat, the one by the river"):
        with pytest.raises(sp.errors.UnknownSuburb, match=r"did you mean Magpie .* and 2 more\?") as caught:
            sp.rent(wrong)
        assert len(caught.value.suggestions) == 5
