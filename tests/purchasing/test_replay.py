"""Replayed cassettes: the same frames without a key, a network, a store or any cost."""

import socket
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.client import session
from suburb_pandas.service.calls import Item
from tests.support.common import LIVE_KEY, replace_connect
from tests.support.recorded import MADE_UP, body_of, call, elsewhere, vcrpy_file, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.fixture
def path(tmp_path):
    """Return the path of a cassette."""
    return tmp_path / "study.yaml"


@pytest.fixture
def alone(monkeypatch):
    """Return a function that removes the client and the key, and fails the test if a store or a network is used."""

    def remove():
        def refuse(*_, **__):
            raise AssertionError("a replay must not use this")

        session.forget_default()
        monkeypatch.setattr(socket.socket, "connect", refuse)
        replace_connect(monkeypatch, refuse)
        monkeypatch.setattr("suburb_pandas.sandbox.serve", refuse)

    return remove


def study():
    """Return one result of each function that a cassette can answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        rents = sp.rent([*NAMES, "Thorny Devil"])
        return {
            "rents": rents,
            "quarters": sp.rent(NAMES, freq="QE", how="mean", layout="wide"),
            "drivers": sp.impacts(NAMES),
            "one": sp.rent(BAY),
            "one's drivers": sp.impacts(BAY),
            "summary": sp.impact_summary(NAMES),
            "card": sp.scorecard([*NAMES, "No Such Suburb"], at="2026-03-31"),
            "found": sp.find("kestrel hill", state="Vic."),
            "resolved": sp.resolve(["quokka bay", "kestrel hill vic"]).to_frame(),
            "joined": pd.DataFrame({"suburb": [BAY], "date": pd.to_datetime(["2024-05-14"])}).suburb.join_rent(),
            "card joined": pd.DataFrame({"suburb": [BAY, "Thorny Devil"]}).suburb.join_scorecard(),
            "places joined": pd.DataFrame({"suburb": [BAY, BAY]}).suburb.join_places(),
            "provenance": sp.provenance(rents),
        }


@pytest.mark.parametrize("key", [None, LIVE_KEY])
def test_a_reader_gets_the_same_frames(key, service, tmp_path, path, alone):
    """Each replay gives the same values, dtypes, attrs and provenance as the recording, whether paid or free."""
    paying = {"api_key": key, "base_url": service.url, "store": tmp_path / "s"} if key else {}
    with sp.connect(**paying), sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.SyntheticDataWarning)
        recorded = study()
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error", sp.errors.SyntheticDataWarning)
        for _ in range(2):
            for name, frame in study().items():
                assert_frame_equal(frame, recorded[name])
                assert frame.attrs == recorded[name].attrs


def test_replay_touches_neither_store_nor_ledger(live, service, path):
    """Replay makes no call, changes no byte of the store's file, and adds nothing to the ledger."""
    with sp.cassette(path):
        sp.rent(NAMES)
    sent, before = len(service.requests), sp.ledger()
    bytes_before = live.store.path.read_bytes()
    with sp.cassette(path, "none"):
        sp.rent(NAMES, refresh=True)
        sp.rent(BAY, max_age="1s")
        sp.rent(BAY, offline=True)
    assert len(service.requests) == sent
    assert live.store.path.read_bytes() == bytes_before
    assert_frame_equal(sp.ledger(), before)


def test_real_data_are_not_called_made_up_and_made_up_ones_never_pass_for_real(path, alone):
    """The source and the made-up mark of a replayed frame come from the recording, whichever client replays it."""
    made_up = call(WOYLIE, source="embedded", headers=MADE_UP)
    path.write_bytes(written(call(BAY), call(HEIGHTS, source="sandbox"), made_up))
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error")
        frames = {name: sp.rent(name) for name in NAMES}
        together = sp.rent(NAMES)
        assert session.request_context().source == "live"
    marks = {name: frame.attrs["suburb_pandas"] for name, frame in frames.items()}
    assert {name: (one["source"], one.get("made_up", False)) for name, one in marks.items()} == {
        BAY: ("live", False),
        HEIGHTS: ("sandbox", False),
        WOYLIE: ("embedded", True),
    }
    assert together.attrs["suburb_pandas"]["made_up"]
    assert sp.provenance(together)["source"].to_list() == ["live", "sandbox", "embedded"]


@pytest.mark.parametrize("key", ["embedded", "test", LIVE_KEY])
@pytest.mark.parametrize("source", ["embedded", "sandbox", "live"])
def test_the_source_of_a_replay_is_the_cassettes_whatever_the_key(path, source, key):
    """A cassette of one source is replayed as of that source, so that no key makes made-up data pass for real."""
    path.write_bytes(written(call(WOYLIE, source=source, headers=MADE_UP if source == "embedded" else {})))
    with sp.connect(api_key=key, store=":memory:"), sp.cassette(path, "none"):
        assert session.request_context().source == source


def test_what_plain_vcrpy_recorded_is_replayed(path, alone):
    """A cassette that vcrpy recorded from any host is replayed. Of several responses to a call the last one counts."""
    refused = elsewhere(HEIGHTS) | {"response": elsewhere()["response"] | {"status": {"code": 404, "message": "No"}}}
    late = elsewhere(headers={"Date": []}, body=body_of(BAY, 700.0).decode(), host="https://api.example.org")
    limited = elsewhere(BAY) | {"response": elsewhere()["response"] | {"status": {"code": 429, "message": "Slow"}}}
    path.write_bytes(vcrpy_file(limited, elsewhere(BAY), late, refused))
    alone()
    with sp.cassette(path, "none"):
        assert sp.rent(BAY)["house"].to_list() == [700.0]
        with pytest.raises(sp.errors.UnknownSuburb, match=r"\(404\)\. Nothing was charged"):
            sp.rent(HEIGHTS)
        assert sp.vintages(BAY)["sha256"].nunique() == 2
        assert sp.vintages(BAY)["retrieved_at"].isna().to_list() == [False, True]


def test_a_ledger_that_is_asked_for_in_replay_is_the_clients_own(service, path, monkeypatch, tmp_path):
    """The ledger in replay is that of the client's own store, even if the cassette has another source."""
    path.write_bytes(written(call(BAY, source="embedded", headers=MADE_UP)))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for key, url in ((LIVE_KEY, service.url), ("embedded", None)):
        with sp.connect(api_key=key, base_url=url) as client:
            with sp.cassette(path, "none"):
                sp.rent(BAY)
                assert sp.ledger().empty
            assert client.store.path.is_relative_to(tmp_path / "suburb_pandas") is (key == LIVE_KEY)
        path.write_bytes(written(call(BAY)))


def test_the_last_call_of_an_item_counts_whatever_its_status(path):
    """The last recorded call of an item is valid, even if it is a refusal.

    That applies to files from other tools: this package does not record a refusal after a response.
    """
    answered, refused = call(BAY), call(BAY, status=404, body=b"")
    for calls, expected in (([answered, refused], sp.errors.UnknownSuburb), ([refused, answered], None)):
        path.write_bytes(written(*calls))
        with sp.cassette(path), nullcontext() if expected is None else pytest.raises(expected):
            assert len(sp.rent(BAY)) == 1


def test_each_suburb_of_a_scorecard_has_its_own_source(path):
    """If a cassette has real and made-up data, a scorecard names the source of each suburb."""
    of_impacts = Item("impacts", BAY), Item("impacts", HEIGHTS)
    no_data = b'{"data": null}'
    made_up = call(BAY, source="embedded"), call(BAY, body=no_data, source="embedded")._replace(item=of_impacts[0])
    real = call(HEIGHTS), call(HEIGHTS, body=no_data)._replace(item=of_impacts[1])
    path.write_bytes(written(*made_up, *real))
    with sp.cassette(path), pytest.warns(sp.errors.NoDataWarning):
        card = sp.scorecard([BAY, HEIGHTS])
    assert card["source"].to_list() == ["embedded", "live"]
    assert card.attrs["suburb_pandas"]["made_up"]
    assert card.attrs["suburb_pandas"]["source"] == "embedded, live"


def test_what_is_missing_is_said_with_what_is_there_and_how_to_record_it(live, service, path):
    """NotStored lists the cassette's responses, nearest names first, and how to record the rest and its price."""
    with sp.cassette(path):
        sp.rent([WOYLIE, BAY])
        sp.impacts(HEIGHTS)
    sent = len(service.requests)
    with sp.cassette(path):
        with pytest.raises(
            sp.errors.NotStored, match=r"study.yaml is replayed, and has no rents of 'Quoka Bay'"
        ) as caught:
            sp.rent("Quoka Bay")
        assert "; it holds rents of 'Quokka Bay', 'Woylie'. Nothing was sent." in str(caught.value)
        assert "record='new_episodes': stored responses are free, and the others cost at most 30 cents" in str(
            caught.value
        )
        assert caught.value.quote.to_buy == (Item("rent", "Quoka Bay"),)
        with pytest.raises(sp.errors.NotStored, match=r"no look-ups of 'springfield'; it holds no look-ups"):
            sp.find("springfield")
        with pytest.raises(sp.errors.NotStored) as caught:
            sp.rent([BAY, HEIGHTS])
        assert set(caught.value.frame["area_name"]) == {BAY}
        with pytest.warns(sp.SuburbWarning, match="has no rents of 'Bilby Heights'"):
            assert set(sp.rent([BAY, HEIGHTS], errors="warn")["area_name"]) == {BAY}
        with pytest.raises(sp.errors.NotStored, match=r"has no (rents|impacts) of .* and (rents|impacts) of "):
            sp.scorecard([WOYLIE, HEIGHTS])
    assert len(service.requests) == sent


def test_a_quote_in_replay_says_what_is_there(live, path):
    """In replay, a quote counts recorded responses as stored, and the missing ones as calls at their price."""
    with sp.cassette(path):
        sp.rent(BAY)
    with sp.cassette(path):
        quote = sp.quote(NAMES)
    assert (quote.stored, quote.calls, quote.cents, quote.source) == (1, 2, 60, "live")
    assert repr(quote).endswith("to go on    nothing is bought while a cassette is replayed")


def test_names_in_replay_are_those_of_the_cassette(live, path, tmp_path):
    """In replay, names are resolved by the cassette's look-ups and responses. A missing look-up raises NotStored."""
    with sp.cassette(path):
        sp.rent([BAY, "Kestrel Hill (Vic.)"])
        recorded = sp.resolve(["lantern bay", "woylie"], state=["Tas.", "WA"])
    session.forget_default()
    with sp.cassette(path):
        assert sp.resolve(["LANTERN  BAY", "woylie"], state=["TAS", "wa"]).to_list() == recorded.to_list()
        assert sp.resolve(["quokka bay", "kestrel hill, vic"]).to_list() == [BAY, "Kestrel Hill (Vic.)"]
        assert sp.suggest("kest")["area_name"].to_list()[0] == "Kestrel Hill (Vic.)"
        assert sp.places(BAY)["origin"].to_list() == ["response"]
        with pytest.raises(sp.errors.NotStored, match="has no look-ups of 'numbat'"):
            sp.resolve("numbat")


def test_a_name_that_there_is_not_is_refused_in_replay_as_it_was(embedded, live, path):
    """A recorded 404 raises UnknownSuburb for every client. A name that was never asked for raises NotStored."""
    with sp.cassette(path), pytest.raises(sp.errors.UnknownSuburb):
        sp.rent("Nowhere", client=embedded)
    for client in (embedded, live):
        with sp.cassette(path), pytest.raises(sp.errors.UnknownSuburb, match=r"\(404\)\. Nothing was charged"):
            sp.rent("Nowhere", client=client)
        with sp.cassette(path), pytest.raises(sp.errors.NotStored):
            sp.rent("Elsewhere", client=client)


def test_a_cassette_of_refusals_alone_has_a_source_too(path):
    """Refusals have a source too, so no made-up suburb is suggested for a real name."""
    path.write_bytes(written(call("Quokka", status=404, body=b"")))
    with sp.cassette(path):
        with pytest.raises(sp.errors.UnknownSuburb) as caught:
            sp.rent("Quokka")
        assert caught.value.suggestions == ()
        with pytest.raises(sp.errors.NotStored, match="at most 30 cents"):
            sp.rent("Bondi")


def test_a_file_of_another_services_calls_is_replayed(path):
    """By default, a file that holds only calls of another service is replayed and not recorded into, as in vcrpy.

    A file to which not allow calls to be added is refused for recording.
    """
    other = elsewhere() | {"request": elsewhere()["request"] | {"uri": "https://example.org/weather"}}
    path.write_bytes(vcrpy_file(other))
    with sp.cassette(path) as cassette:
        assert cassette.replays
    path.write_bytes(b"{interactions: []}\n")
    with pytest.raises(sp.errors.CassetteError, match="not allow calls to be added"), sp.cassette(path, "new_episodes"):
        pass


def test_the_picker_is_answered_too(live, service, path, without_charts):
    """The picker shows and loads what a cassette holds, without a call."""
    with sp.cassette(path):
        sp.rent([BAY])
    sent = len(service.requests)
    with sp.cassette(path):
        picker = sp.SuburbPicker([BAY])
        assert "stored, free" in picker._load.description
        picker._load.click()
        assert (picker.error, len(picker.frame) > 100) == (None, True)
    assert len(service.requests) == sent


def test_every_client_and_thread_is_answered_by_it(live, embedded, service, path):
    """A cassette answers every thread and every client, even a closed one."""
    with sp.cassette(path):
        expected = {name: sp.rent(name, client=live) for name in NAMES}
    sent, closed = len(service.requests), sp.Client(api_key="test")
    closed.close()

    def ask(number):
        name = NAMES[number % 3]
        assert_frame_equal(sp.rent(name, client=(None, live, closed)[number % 7 % 3]), expected[name])

    with sp.cassette(path), ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(60)))
    assert len(service.requests) == sent
