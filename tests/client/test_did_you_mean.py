"""Unknown names: a complete list refuses them before a call, and errors suggest similar names."""

import re
from string import ascii_lowercase

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.made_up import NAMES
from tests.support.recorded import body_of

WRONG = "kestrel hill vic"
RIGHT = "Kestrel Hill (Vic.)"


def load(names, *, complete=True):
    """Load a list of names."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": names}), complete)


@pytest.fixture
def listed(live):
    """Load a complete list of names for a client with a live key."""
    load(NAMES)


def unknown(request, match="."):
    """Return the error of a request for a name that is unknown."""
    with pytest.raises(sp.errors.UnknownSuburb, match=match) as caught:
        request()
    return caught.value


@pytest.mark.usefixtures("listed")
def test_nothing_is_sent_for_a_name_that_there_is_not(service, tmp_path):
    """A name that a complete list lacks raises UnknownSuburb at no cost, also while a cassette records.

    The message names the list, suggests a suburb, and shows the argument that sends the name anyway.
    """
    with sp.cassette(tmp_path / "study.yaml"):
        error = unknown(lambda: sp.impacts(WRONG), r"did you mean Kestrel Hill \(Vic\.\)\? .*check_names=False")
    assert f"according to the list of {len(NAMES)} names (SAL 2021) that was loaded on 20" in str(error)
    assert (error.suggestions[0], error.status_code, error.cents) == (RIGHT, None, 0)
    assert not service.requests


@pytest.mark.usefixtures("listed")
def test_many_are_bought_without_it(service):
    """In a batch, a name that does not exist is a failure, and the others are bought. A quote lists it as absent."""
    quote = sp.quote([WRONG, "Quokka Bay", "quoka bay"], "scorecard")
    assert (quote.calls, quote.cents) == (2, 40)
    assert quote.absent == quote.unresolved == (WRONG, "quoka bay")
    assert re.search(r"\n +absent +.*: no suburbs of that name", repr(quote))
    assert not re.search(r"\n +unresolved", repr(quote))
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([WRONG, "Quokka Bay", "quoka bay"], max_cents=30)
    suggested = {name: error.suggestions[0] for name, error in caught.value.failures.items()}
    assert suggested == {WRONG: RIGHT, "quoka bay": "Quokka Bay"}
    assert service.total_cents == 30


@pytest.mark.usefixtures("listed")
def test_a_list_never_has_the_last_word(service):
    """A list may be older than the service's, so `check_names=False` sends any name.

    A suburb for which the service returns data counts as known from then on.
    """
    service.answer("Quoll", "rent", body=body_of("Quoll"), headers={"X-Cost-Cents": "30"})
    unknown(lambda: sp.rent("Quoll"))
    assert sp.quote("Quoll", check_names=False).cents == 30
    assert len(sp.rent("Quoll", check_names=False)) == 1
    assert sp.quote("Quoll", refresh=True).unresolved == ()
    assert len(sp.rent("Quoll", refresh=True)) == 1
    assert unknown(lambda: sp.impacts("Quoll", check_names=False)).status_code == 404


def test_what_is_stored_needs_no_list(live, service):
    """A stored response is used even if a list loaded later lacks its suburb. Offline, names on no list are unknown."""
    sp.rent("Quokka Bay")
    load(["Woylie", "Zamia"])
    assert len(sp.rent("Quokka Bay"))
    assert len(sp.rent("Quokka Bay", offline=True))
    unknown(lambda: sp.rent("Bilby Heights", offline=True))
    with pytest.raises(sp.errors.NotStored) as caught:
        sp.rent(["Bilby Heights", "Zamia"], offline=True)
    assert caught.value.quote.cents == 30
    assert len(service.requests) == 1


def test_without_a_complete_list_a_name_is_sent_verbatim(live, service):
    """An incomplete list cannot rule out a name, so the name is sent as written. A quote lists it as unresolved.

    If the service answers 404, the error suggests similar names, alone and in a batch.
    """
    load(NAMES, complete=False)
    assert sp.quote([WRONG, RIGHT]).unresolved == (WRONG,)
    assert sp.quote([WRONG, RIGHT]).calls == 2
    error = unknown(
        lambda: sp.rent(WRONG),
        r"charged\. If your names .* \(did you mean Kestrel Hill \(Vic\.\)\?\): df.*\.suburb\.resolve\(\)$",
    )
    assert (error.status_code, error.suggestions[0]) == (404, RIGHT)
    (request,) = service.requests
    assert request.target == "/v1/suburbs/kestrel%20hill%20vic/market/median-rent-series"
    with pytest.raises(sp.errors.BatchIncomplete, match="did you mean") as caught:
        sp.rent([WRONG, "Quokka Bay"])
    assert caught.value.failures[WRONG].suggestions[0] == RIGHT


def test_without_any_list_the_error_says_how_to_load_one(live, service):
    """An error without suggestions says so."""
    unknown(lambda: sp.rent("Nowhere"), r"\(404\)")
    service.answer("Nowhere", "rent", status=404, headers={"X-Made-Up-Data": None})
    unknown(lambda: sp.rent("Nowhere"), r"sp\.load_gazetteer\(.*\); if your names are not exact, resolve")


def test_under_the_embedded_sandbox_a_real_suburb_costs_no_call(embedded):
    """The embedded sandbox refuses real suburbs without a call, and the error says how to get their data."""
    error = unknown(lambda: sp.rent("Bondi"), r'made-up suburbs only.*nothing was sent\. .*api_key="test"')
    assert error.suggestions == ()
    assert sp.ledger().empty
    unknown(lambda: sp.rent("Bondi", check_names=False), "404")


def test_a_404_never_suggests_the_very_name(live):
    """A loaded list may have a name that the service answers with 404. The error then suggests only other names."""
    load(["Quoll Bay", "Quoll Bat"], complete=False)
    assert unknown(lambda: sp.rent("Quoll Bay"), r"\(did you mean Quoll Bat\?\)").suggestions == ("Quoll Bat",)


@pytest.mark.usefixtures("listed")
def test_thousands_of_wrong_names_take_no_time():
    """Suggestions are searched for the first 500 wrong names of a request, because each search takes a moment."""
    names = [f"Quokka Bay {one}{other}" for one in ascii_lowercase for other in ascii_lowercase][:501]
    error = unknown(lambda: sp.rent(names), r"No suburb is called exactly .* and 491 more, according to")
    assert [bool(error.failures[name].suggestions) for name in names[499:]] == [True, False]


@pytest.mark.usefixtures("listed")
def test_if_no_name_is_a_suburbs_the_request_says_how_to_resolve_them(service):
    """A request of which no name exists is an error before any call, with the line to paste."""
    names = ["QUOKKA BAY", "lantern bay"]
    frame = pd.DataFrame({"suburb": names, "date": pd.Timestamp("2026-01-01")})
    line = r'df\["area_name"\] = df\.suburb\.resolve\(\)'
    for request in (lambda: sp.rent(names), frame.suburb.join_rent):
        error = unknown(request, rf"[Nn]othing was sent.*{line}")
        assert {*error.failures} == {*names}
        assert error.cents == 0
        assert error.suggestions
        assert error.frame is not None
    assert not service.requests
    with pytest.warns(sp.SuburbWarning, match=line):
        assert sp.rent(names, errors="warn").empty


@pytest.mark.usefixtures("embedded")
def test_five_similar_names_are_suggested_and_three_of_them_named():
    """The error names three suggestions and has up to five; text after a comma is ignored if nothing is like it all."""
    for wrong in ("Magpie Flat", "Magpie Flat, the one by the river"):
        assert len(unknown(lambda: sp.rent(wrong), r"did you mean Magpie .* and 2 more\?").suggestions) == 5  # noqa: B023
