"""Tests the alerts of the picker: each error of the package as sentences for a person, from real failures."""

import re
import sqlite3
from types import SimpleNamespace

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import errors, settings
from suburb_pandas.notebook.sentences import in_sentences, noted
from suburb_pandas.settings import Key
from tests.support.common import LIVE_KEY, plain_sqlite, replace_connect
from tests.support.made_up import NAMES

BAY, HEIGHTS, HILL, WOYLIE = "Quokka Bay", "Bilby Heights", "Kestrel Hill (Vic.)", "Woylie"
LINE = re.compile(r"(sp|client)\.set_limits\(max_cents=\d+, budget_cents=\d+\)")
CLASSES = [name for name in dir(errors) if name not in {"Forbidden", "Rejected"}]  # which are English words, too
PYTHON = re.compile(rf"\w+=|\.frame|`|df\[|\bsp\.|(?<!\w)'|'(?!\w)|\b({'|'.join(CLASSES)})\b|None|True|False")

pytestmark = pytest.mark.usefixtures("hasty")


def assert_plain(text):
    """Check that an alert is at most three sentences without code, except for the line that raises a limit."""
    plain = LINE.sub("the line", text)
    assert not PYTHON.search(plain), text
    sentences = re.split(r"(?<=[.?]) ", plain)
    assert len(sentences) <= 3, text
    for sentence in sentences:
        assert re.fullmatch(r"[A-Z0-9].*[^.?;, ][.?]", sentence), text
    assert LIVE_KEY not in text


def alert(suburbs=(BAY, HEIGHTS), load=sp.rent, **options):
    """Return the alert of a request that fails."""
    names = suburbs if isinstance(suburbs, str) else list(suburbs)
    with pytest.raises(sp.SuburbError) as caught:
        load(names, **options)
    text = in_sentences(caught.value)
    assert_plain(text)
    return text


FAULTS = {
    "server_error": "The service failed on Bilby Heights (status 500). That call may have cost up to 30 cents. Press "
    "Load again later, which may charge a second time; if it fails again, tell the service, and quote the request id "
    "{id}; the data that arrived are stored and shown below.",
    "redirect": "The service redirected the request for Bilby Heights (status 302). Nothing was charged for that. "
    "Check the address of the service; the data that arrived are stored and shown below.",
    "dropped_mid_body": "The data for Bilby Heights did not arrive: no complete response came back. That call may have "
    "cost up to 30 cents. Press Load again, which may charge a second time; the data that arrived are stored and shown "
    "below.",
    "malformed_json": "The response for Bilby Heights does not follow the service's specification. That call cost 30 "
    "cents. Tell the service, and quote the request id {id}; the response is stored, and Load does not buy it again; "
    "the data that arrived are stored and shown below.",
}
"""The alert for each fault of the service at one of two suburbs."""


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_the_service_is_three_sentences(live, service, fault):
    """An alert says what happened, names the cost and the button to press, and quotes the id that support asks for."""
    service.fail(fault, name=HEIGHTS, times=None)
    text = alert()
    request_id = re.search(r"request id (\S+?)[;:]", text)
    assert text == FAULTS[fault].format(id=request_id and request_id[1])
    assert (request_id is not None) == ("{id}" in FAULTS[fault])


STATUSES = {
    402: "The prepaid wallet of the key cannot pay for Quokka Bay. Nothing was charged for that. Top it up with the "
    "service, and press Load again.",
    403: "The key does not cover Quokka Bay. Nothing was charged for that. Choose another suburb, or use a key that "
    "covers it.",
    404: "There is no Quokka Bay here, because the embedded sandbox has made-up suburbs only. Nothing was charged for "
    "that. Choose a name from the suggestions, or connect with a key.",
    422: "The service refused the request for Quokka Bay (status 422). Nothing was charged for that. Check the "
    "spelling, or ask the service, and quote the request id {id}.",
    429: "The service received too many requests, and refused Quokka Bay for now. Nothing was charged for that. Wait a "
    "little, and press Load again.",
    503: "The service failed on Quokka Bay (status 503). Nothing was charged for that. Press Load again later; if it "
    "fails again, tell the service, and quote the request id {id}.",
}


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_says_what_to_do(live, service, status):
    """A refusal says what is wrong with the suburb, the key or the wallet, and what helps."""
    service.answer(BAY, "rent", status=status)
    text = alert([BAY])
    request_id = re.search(r"request id (\S+)\.$", text)
    assert text == STATUSES[status].format(id=request_id and request_id[1])


def test_the_wait_that_the_service_asks_for_is_said_in_whole_seconds():
    """A wait is rounded up, so that a press after it is not too early."""
    for seconds, wait in ((1.0, "1 second"), (1.2, "2 seconds"), (0.0, "a little"), (None, "a little")):
        problem = errors.RateLimited("", area_name=BAY, retry_after=seconds)
        assert in_sentences(problem).endswith(f" Wait {wait}, and press the button again.")


def test_a_wrong_key_is_never_shown(service, tmp_path):
    """A key that the service does not accept is to be checked where it is set, and is not in the alert."""
    with sp.Client(api_key=LIVE_KEY[::-1], base_url=service.url, store=tmp_path / "s.sqlite") as client:
        text = alert([BAY], client=client)
    assert text == (
        "The service did not accept the key. Nothing was charged for that. Check the key in the environment, connect "
        "again, and press Load again."
    )


def test_the_free_key_says_which_suburbs_it_covers(service, tmp_path):
    """Under the key test, a suburb outside the nine says which these are."""
    with sp.Client(api_key="test", base_url=service.url, store=tmp_path / "s.sqlite") as client:
        text = alert([WOYLIE], client=client)
    assert text.startswith(
        "The key does not cover Woylie; it covers only Lantern Bay (NSW), Bilby Heights, Kestrel Hill (Vic.), "
    )


def test_suburbs_that_failed_are_grouped_by_the_reason(live, service):
    """Several failures of a request are one alert, with the cost of all, and the button for the rest."""
    service.fail("server_error", name=HEIGHTS, times=None)
    service.fail("server_error", name=HILL, times=None)
    assert alert([HEIGHTS, BAY, HILL]).startswith(
        "The service failed on Bilby Heights and Kestrel Hill (Vic.) (status 500). Those calls may have cost up "
        "to 60 cents. "
    )
    assert alert([HEIGHTS, "Quoka Bay", HILL, BAY]) == (
        "3 suburbs could not be loaded: Bilby Heights and Kestrel Hill (Vic.) (the service failed), Quoka Bay (no such "
        "suburb). Those calls may have cost up to 60 cents. Press Load again for the rest, which may charge a second "
        "time; the data that arrived are stored and shown below."
    )
    service.answer(BAY, "impacts", status=422)
    assert alert([BAY, "Quoka Bay"], sp.impacts) == (
        "2 suburbs could not be loaded: Quokka Bay (refused by the service), Quoka Bay (no such suburb). Nothing was "
        "charged for that. Remove them, and press Load again."
    )


def test_a_request_that_was_stopped_says_which_suburbs_were_not_asked_for(service, live):
    """After five calls without an answer the request stops; the suburbs that cost nothing are told apart."""
    service.fail("dropped_after_billing", times=None)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client:
        text = alert(NAMES[:12], client=client)
    assert re.fullmatch(
        r"12 suburbs could not be loaded: .* \(no complete response came back\), .* and 2 more \(not asked for, "
        r"because the service seems to be down: 5 calls in a row had no usable response\)\. Those calls may have cost "
        r"up to 150 cents\. Press Load again, which may charge a second time\.",
        text,
    )


def test_a_service_that_is_not_there_costs_nothing(service, live):
    """A call that was never sent asks for the network to be checked."""
    service.close()
    assert alert([BAY]) == (
        "The data for Quokka Bay did not arrive: the service could not be reached. Nothing was charged for that. Check "
        "the network, and press Load again."
    )
    assert alert("quokka b", sp.find).endswith("Check the network, and press the button again.")


def test_a_name_that_a_list_rules_out_comes_with_similar_ones(live):
    """Names that do not exist are said at no cost, one or many, with similar names."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
    assert alert(["Quoka Bay"]) == (
        "No suburb known here is called Quoka Bay; did you mean Quokka Bay? Nothing was charged for that. "
        "Choose a name from the suggestions."
    )
    assert alert(["Quoka Bay", "Xyzzy"]).startswith(
        "No suburb known here is called Quoka Bay or Xyzzy; did you mean Quokka Bay? "
    )


def test_a_real_suburb_without_a_key_is_not_said_to_be_no_suburb(embedded, live, service):
    """The embedded sandbox says that it has made-up suburbs only; the service, that it knows no such name."""
    assert alert(["Bondi"], client=embedded) == (
        "There is no Bondi here, because the embedded sandbox has made-up suburbs only. Nothing was charged for that. "
        "Choose a name from the suggestions, or connect with a key."
    )
    service.answer("Nowhere", "rent", status=404, headers={"X-Made-Up-Data": None})
    assert alert(["Nowhere"]).startswith("The service knows no suburb called Nowhere. Nothing was charged for that. ")


def test_no_data_is_free_to_ask_again(live):
    """The alert for a suburb without data says so, and names the cost of the call."""
    assert alert("Thorny Devil") == (
        "The service has no data for Thorny Devil. That call cost 30 cents. Choose another suburb: asking for this "
        "one again is free, but returns the same stored response."
    )


def test_over_a_limit_the_line_that_raises_it_is_said(live):
    """The alerts for cap and budget name the limit and the line, which works."""
    sp.set_limits(max_cents=40)
    assert alert() == (
        "This costs 60 cents, and the limit for one request is 40. Nothing was charged for that. To allow it, run "
        "sp.set_limits(max_cents=60, budget_cents=5000) in a cell, and press Load again."
    )
    sp.set_limits(max_cents=60, budget_cents=50)
    text = alert()
    assert text == (
        "This costs 60 cents, but the month's budget is 50 cents, of which 0 are spent. Nothing was charged for that. "
        "To allow it, run sp.set_limits(max_cents=60, budget_cents=60) in a cell, and press Load again."
    )
    eval(LINE.search(text)[0], {"sp": sp})  # noqa: S307 - our own line
    assert len(sp.rent([BAY, HEIGHTS]))


def test_a_price_that_has_risen_is_not_a_limit(live):
    """If a request would cost more than the button showed, the alert is about the price, not about a limit."""
    assert alert(max_cents=30) == (
        "The price has risen since it was shown. Nothing was charged for that. Look at the price before you press Load "
        "again."
    )


def test_a_call_that_cost_more_than_quoted_stops_the_request(service, live):
    """The alert names the cost of the request, and says that the data that arrived are below."""
    service.answer(BAY, "rent", body=b"{}", headers={"X-Cost-Cents": "90"})
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client:
        sp.rent([HILL], client=client)
        text = alert([HILL, BAY, HEIGHTS, WOYLIE], client=client)
    assert text == (
        "A call cost more than the price that was shown, so the request was stopped. The request cost 90 cents in all. "
        "Look at the price before you press Load again; the data that arrived are stored and shown below."
    )


def test_a_price_that_cannot_be_read_may_be_any(service, live):
    """The cost of a call with an unreadable price is not certain."""
    service.answer(BAY, "rent", body=b"{}", headers={"X-Cost-Cents": "many"})
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client:
        text = alert([BAY, HEIGHTS], client=client)
    assert text == (
        "The service sent a price that cannot be read, so the request was stopped. The request may have cost up to 30 "
        "cents in all. Look at the price before you press Load again."
    )


def test_an_empty_wallet_in_the_middle_shows_what_has_arrived(service, live):
    """An error that stops a batch shows the suburbs that came before it."""
    service.answer(HEIGHTS, "rent", status=402)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client:
        assert alert(client=client) == (
            "The prepaid wallet of the key cannot pay for Bilby Heights. Nothing was charged for that. Top it up with "
            "the service, and press Load again; the data that arrived are stored and shown below."
        )


def test_what_is_not_stored_or_not_on_a_cassette_is_named(live, tmp_path):
    """Where nothing may be bought, the missing suburbs are named."""
    assert alert(offline=True).startswith("The store has no data for Quokka Bay and Bilby Heights, and nothing can be ")
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent(BAY)
    with sp.cassette(path, "none"):
        assert alert() == (
            "The cassette has no data for Bilby Heights, and nothing can be bought here. Nothing was charged for that. "
            "Choose other suburbs, or run the picker outside the block of the cassette; the data that arrived are "
            "stored and shown below."
        )
    path.write_bytes(b"\xff")
    with pytest.raises(errors.CassetteError) as caught, sp.cassette(path, "none"):
        sp.rent(BAY)
    assert_plain(in_sentences(caught.value))


def test_a_locked_store_says_so(live, monkeypatch):
    """A store that another program has locked is a reason in plain words, and nothing was charged."""
    sp.rent(BAY)
    monkeypatch.setattr(settings, "BUSY_WAIT", 0.1)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=live.settings.base_url, store=live.store.path) as client,
        plain_sqlite(live.store.path) as other,
    ):
        sp.rent(BAY, client=client)
        other.execute("begin immediate")
        text = alert([BAY, HEIGHTS], client=client)
        other.execute("rollback")
    assert text == (
        "The store cannot be used: another program has locked it. Nothing was charged for that. "
        "Fix this, and press Load again; the data that arrived are shown below."
    )


def test_a_full_disk_says_so(live, monkeypatch):
    """Without room nothing is sent; if the disk fills up meanwhile, the session keeps the answer."""
    sp.rent(HEIGHTS)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
        assert alert([BAY]).startswith("The store cannot be used: its disk is almost full. Nothing ")

    def connect(*given, **more):
        connection = sqlite3.connect(*given, **more)
        connection.execute("pragma max_page_count = 1")  # it grows no more
        return connection

    path, url = live.store.path, live.settings.base_url
    live.close()
    with monkeypatch.context() as patch:
        replace_connect(patch, connect)
        client = sp.Client(api_key=LIVE_KEY, base_url=url, store=path)
        text = alert([BAY], client=client)
    with client, sp.Client(api_key=LIVE_KEY, base_url=url, store=path) as other:
        assert sp.quote([BAY], client=other).stored == 1  # another client has written what this session kept
    assert text == (
        "The store cannot be used: its disk is full. That call may have cost up to 30 cents. Fix this, and press Load "
        "again in this session, which keeps the response; the data that arrived are shown below."
    )


def test_nobody_watches_an_automatic_run(live, monkeypatch):
    """Where CI is set, the alert has the line that allows the request."""
    monkeypatch.setenv("CI", "true")
    assert alert([BAY]) == (
        "This costs 30 cents, and the environment variable CI is set, so nothing can be bought until you set a limit. "
        "Nothing was charged for that. To allow it, run sp.set_limits(max_cents=2000, budget_cents=5000) in a cell, "
        "and press Load again."
    )


def test_a_closed_client_says_so(service):
    """A client that was closed is a reason in plain words."""
    client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=":memory:")
    client.close()
    assert alert([BAY], client=client) == (
        "The settings of this session do not allow this request: the client was closed. Nothing was charged for that. "
        "Connect again with the right settings, and press the button again."
    )


@pytest.mark.parametrize("name", ["", "..", "a\x00b", "x" * 500])
def test_what_is_no_name_is_said(embedded, name):
    """A text that cannot be a name is not repeated."""
    assert alert([name]) == (
        "This text cannot be the name of a suburb. Nothing was charged for that. Choose a name from the suggestions."
    )


def test_a_text_that_can_mean_several_suburbs_says_which(embedded):
    """The candidates are in the alert."""
    assert alert("lantern bay", sp.resolve).startswith("Several suburbs match, such as Lantern Bay (NSW) and L")


@pytest.mark.parametrize("name", [name for name in dir(errors) if issubclass(getattr(errors, name), sp.SuburbError)])
def test_no_alert_holds_python(name):
    """Each class of errors has sentences without code, also if it has no fields, and however it is combined."""
    kind = getattr(errors, name)
    message = "df[\"area_name\"] = df.suburb.resolve(); see `.frame` and errors='warn'"
    for fields in ({}, {"cents": 30, "status_code": 500, "request_id": "7f", "area_name": BAY, "retry_after": 2.5}):
        problem = kind(message, **fields)
        assert_plain(in_sentences(problem))
        problem.frame = pd.DataFrame({"area_name": [BAY]})
        assert_plain(in_sentences(problem))
        whole = errors.BatchIncomplete(message)
        for failures in (
            {HEIGHTS: problem},
            {HEIGHTS: problem, WOYLIE: problem},
            {BAY: problem, HILL: errors.NoData("")},
        ):
            whole.failures = failures
            assert_plain(in_sentences(whole))


def test_any_other_error_is_told_as_it_is_without_the_key():
    """An unexpected error is quoted on one line, and never with the key."""
    then = " Look at sp.ledger() for charges, then try again."
    for error, happened in {
        ZeroDivisionError("division by zero"): ": division by zero.",
        RuntimeError("one.\n two. "): ": one. two.",
        KeyError(): ".",
        RuntimeError(f"the key is {LIVE_KEY}"): ": (not shown, as it holds an API key).",
    }.items():
        assert in_sentences(error, Key(LIVE_KEY)) == f"Something unexpected happened{happened}{then}"


def test_another_warning_is_noted_as_it_is():
    """A warning that names no argument is shown in the picker in its own words."""
    assert noted(errors.NoDataWarning("The service has no data.")) == "The service has no data."
