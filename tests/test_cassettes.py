"""Cassettes in use: what is served goes in, and comes out again with no key, no network, no store and no spend."""

import os
import socket
import sqlite3
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pandas as pd
import pytest
import yaml
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas import cassette_yaml, session
from suburb_pandas.calls import Item, utc_now
from suburb_pandas.key_scan import holds_key
from tests.conftest import LIVE_KEY
from tests.processes import wait_for
from tests.recorded import MADE_UP, body_of, call, elsewhere, vcrpy_file, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.fixture
def path(tmp_path):
    """Give where a cassette goes."""
    return tmp_path / "study.yaml"


@pytest.fixture
def alone(monkeypatch):
    """Give a way to be in the place of a reader, who has neither client nor key nor store nor network."""

    def take_away():
        def refuse(*_, **__):
            raise AssertionError("this is not to be touched")

        monkeypatch.setattr(session, "_default", None)
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(sqlite3, "connect", refuse)
        monkeypatch.setattr("suburb_pandas.sandbox.serve", refuse)

    return take_away


def held(path):
    """Give what a cassette holds, as endpoint and name."""
    return [tuple(one.item) for one in cassette_yaml.read(path.read_bytes())]


def study():
    """Ask for a bit of everything."""
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
            "provenance": sp.provenance(rents),
        }


@pytest.mark.parametrize("key", [None, LIVE_KEY])
def test_a_reader_gets_the_same_frames(key, service, tmp_path, path, alone):
    """Values, dtypes, attrs and provenance, recorded without a key and with one, and as often as they are asked for."""
    paying = {"api_key": key, "base_url": service.url, "store": tmp_path / "s"} if key else {}
    with sp.connect(**paying), sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SyntheticDataWarning)
        recorded = study()
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error", sp.SyntheticDataWarning)
        for _ in range(2):
            for name, frame in study().items():
                assert_frame_equal(frame, recorded[name])
                assert frame.attrs == recorded[name].attrs


def test_replay_touches_neither_store_nor_ledger(live, service, path):
    """Not a byte of the store's file changes, no call is made, and the ledger says nothing new."""
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


def test_recording_what_was_bought_costs_nothing(live, service, path):
    """The store serves as usual, and what it serves goes into the cassette, once each; "all" buys nothing either."""
    sp.rent(NAMES)
    sent = len(service.requests)
    with sp.cassette(path):
        sp.rent(NAMES[:2])
        sp.rent(BAY)
        sp.rent(NAMES)
    assert held(path) == [("rent", name) for name in NAMES]
    with sp.cassette(path, "all"):
        sp.rent(HEIGHTS)
    assert held(path) == [("rent", HEIGHTS)]
    assert len(service.requests) == sent


def test_the_file_is_written_as_it_goes(live, path):
    """It is not there before the first call, and has each answer before the next is asked for."""
    with sp.cassette(path):
        assert not path.exists()
        for number, name in enumerate(NAMES, 1):
            sp.rent(name)
            assert len(held(path)) == number


def test_real_data_are_not_called_made_up_and_made_up_ones_never_pass_for_real(path, alone):
    """The source is read off the recording, whoever replays it; the mark of made-up data likewise."""
    made_up = call(WOYLIE, source="embedded", headers=MADE_UP)
    path.write_bytes(written(call(BAY), call(HEIGHTS, source="sandbox"), made_up))
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error")
        frames = {name: sp.rent(name) for name in NAMES}
        together = sp.rent(NAMES)
        assert session.current().source == "live"
    marks = {name: frame.attrs["suburb_pandas"] for name, frame in frames.items()}
    assert {name: (one["source"], one.get("made_up", False)) for name, one in marks.items()} == {
        BAY: ("live", False),
        HEIGHTS: ("sandbox", False),
        WOYLIE: ("embedded", True),
    }
    assert together.attrs["suburb_pandas"]["made_up"]
    assert sp.provenance(together)["source"].to_list() == ["live", "sandbox", "embedded"]


def test_what_plain_vcrpy_recorded_is_replayed(path, alone):
    """From whatever host; of several answers the last counts, and a refusal only where there is no answer."""
    refused = elsewhere(HEIGHTS) | {"response": elsewhere()["response"] | {"status": {"code": 404, "message": "No"}}}
    late = elsewhere(headers={"Date": []}, body=body_of(BAY, 700.0).decode(), host="https://api.example.org")
    limited = elsewhere(BAY) | {"response": elsewhere()["response"] | {"status": {"code": 429, "message": "Slow"}}}
    path.write_bytes(vcrpy_file(limited, elsewhere(BAY), late, refused))
    alone()
    with sp.cassette(path, "none"):
        assert sp.rent(BAY)["house"].to_list() == [700.0]
        with pytest.raises(sp.UnknownSuburb, match=r"\(404\)\. Nothing was charged"):
            sp.rent(HEIGHTS)
        assert sp.vintages(BAY)["sha256"].nunique() == 2
        assert sp.vintages(BAY)["retrieved_at"].isna().to_list() == [False, True]


def test_new_episodes_asks_the_cassette_then_the_store_then_the_service(live, service, path):
    """What each of them has is not asked of the next, and the cassette is complete afterwards."""
    path.write_bytes(written(call(BAY, 111.0, at=utc_now())))
    stored = sp.rent([BAY, HEIGHTS])
    with sp.cassette(path, "new_episodes"):
        found = sp.rent(NAMES)
    assert found[found["area_name"] == BAY]["house"].to_list() == [111.0]
    assert_frame_equal(
        found[found["area_name"] == HEIGHTS][["house"]], stored[stored["area_name"] == HEIGHTS][["house"]]
    )
    assert sp.ledger()["area_name"].to_list()[2:] == [WOYLIE]
    assert held(path) == [("rent", name) for name in NAMES]


def test_new_episodes_with_refresh_buys_and_the_newer_answer_counts(live, service, path):
    """Although cassette and store have one; so it is in replay."""
    with sp.cassette(path):
        old = sp.rent(BAY)
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    with sp.cassette(path, "new_episodes"):
        assert_frame_equal(sp.rent(BAY), old)
        assert sp.rent(BAY, refresh=True)["house"].to_list() == [900.0]
        assert sp.rent(BAY)["house"].to_list() == [900.0]
    with sp.cassette(path):
        assert sp.rent(BAY)["house"].to_list() == [900.0]
        assert len(sp.vintages(BAY)) == 2
    assert sp.ledger()["cents"].to_list() == [30, 30]


def test_new_episodes_with_an_age_takes_the_younger_one(live, service, path):
    """Where the cassette's is too old and the store's is not, nothing is bought."""
    path.write_bytes(written(call(BAY, 111.0)))
    stored, sent = sp.rent(BAY), len(service.requests)
    with sp.cassette(path, "new_episodes"):
        assert sp.quote(BAY, max_age="1D").cents == 0
        assert_frame_equal(sp.rent(BAY, max_age="1D"), stored)
        assert_frame_equal(sp.rent(BAY, retrieved_by="2100-01-01"), stored)
        assert sp.quote(BAY, max_age="0D").cents == 30
    assert len(service.requests) == sent


def test_a_ledger_that_is_asked_for_in_replay_is_the_clients_own(service, path, monkeypatch, tmp_path):
    """A made-up cassette does not make a paying client take a temporary store for its own, nor the other way round."""
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
    """Of what was recorded elsewhere; here, a refusal of what has been served is not recorded at all."""
    answered, refused = call(BAY), call(BAY, status=404, body=b"")
    for calls, expected in (([answered, refused], sp.UnknownSuburb), ([refused, answered], None)):
        path.write_bytes(written(*calls))
        with sp.cassette(path), nullcontext() if expected is None else pytest.raises(expected):
            assert len(sp.rent(BAY)) == 1


def test_a_refresh_that_is_refused_leaves_what_was_served(live, service, path):
    """As the store does: the answer from before is given where it is asked for."""
    with sp.cassette(path):
        before = sp.rent(BAY)
        service.answer(BAY, "rent", body=b"", status=404)
        with pytest.raises(sp.UnknownSuburb):
            sp.rent(BAY, refresh=True)
    with sp.cassette(path):
        assert_frame_equal(sp.rent(BAY), before)


def test_each_suburb_of_a_scorecard_has_its_own_source(path):
    """Where a cassette has made-up data beside real ones."""
    of_impacts = Item("impacts", BAY), Item("impacts", HEIGHTS)
    no_data = b'{"data": null}'
    made_up = call(BAY, source="embedded"), call(BAY, body=no_data, source="embedded")._replace(item=of_impacts[0])
    real = call(HEIGHTS), call(HEIGHTS, body=no_data)._replace(item=of_impacts[1])
    path.write_bytes(written(*made_up, *real))
    with sp.cassette(path), pytest.warns(sp.NoDataWarning):
        card = sp.scorecard([BAY, HEIGHTS])
    assert card["source"].to_list() == ["embedded", "live"]
    assert card.attrs["suburb_pandas"]["made_up"]
    assert card.attrs["suburb_pandas"]["source"] == "embedded, live"


def test_an_older_vintage_that_is_recorded_later_does_not_count_for_the_newest(live, service, path):
    """In replay ``retrieved_by`` gives the one, and without it there is the other, as when it was recorded."""
    sp.rent(BAY)
    first = sp.vintages(BAY)["retrieved_at"].iloc[0]
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    sp.rent(BAY, refresh=True)
    with sp.cassette(path):
        new, old = sp.rent(BAY), sp.rent(BAY, retrieved_by=first)
    with sp.cassette(path):
        assert_frame_equal(sp.rent(BAY), new)
        assert_frame_equal(sp.rent(BAY, retrieved_by=first), old)
        assert len(old) > len(new)
        with pytest.raises(sp.NotStored):
            sp.rent(BAY, retrieved_by="2020-01-01")


def test_what_will_be_refused_again_is_recorded_with_its_error(live, service, path):
    """A name that the service does not know, or may not show; not what a bad moment brought."""
    service.answer(BAY, "rent", body=b"", status=404)
    service.answer(HEIGHTS, "rent", body=b'{"detail": "no"}', status=422)
    service.answer(WOYLIE, "rent", body=b"", status=500)
    with sp.cassette(path), pytest.raises(sp.BatchIncomplete) as recorded:
        sp.rent(NAMES)
    assert sorted(held(path)) == [("rent", HEIGHTS), ("rent", BAY)]
    with sp.cassette(path), pytest.raises(sp.NotStored) as replayed:
        sp.rent(NAMES)
    for name in (BAY, HEIGHTS):
        assert type(replayed.value.failures[name]) is type(recorded.value.failures[name])
        assert replayed.value.failures[name].cents == 0
    with sp.cassette(path), pytest.raises(sp.Rejected, match=r'refused the call for .*\{"detail": "no"\}'):
        sp.rent(HEIGHTS)


def test_what_is_missing_is_said_with_what_is_there_and_how_to_record_it(live, service, path):
    """The nearest names come first; the price is the rate card's, and nothing is sent."""
    with sp.cassette(path):
        sp.rent([WOYLIE, BAY])
        sp.impacts(HEIGHTS)
    sent = len(service.requests)
    with sp.cassette(path):
        with pytest.raises(sp.NotStored, match=r"study.yaml is replayed, and has no rents of 'Quoka Bay'") as caught:
            sp.rent("Quoka Bay")
        assert "It holds rents of 'Quokka Bay', 'Woylie'." in str(caught.value)
        assert "record='new_episodes': what is stored is free, and the rest costs at most 30 cents" in str(caught.value)
        assert caught.value.quote.to_buy == (("rent", "Quoka Bay"),)
        with pytest.raises(sp.NotStored, match=r"no look-up of 'springfield'\. It holds no look-up"):
            sp.find("springfield")
        with pytest.raises(sp.NotStored) as caught:
            sp.rent([BAY, HEIGHTS])
        assert set(caught.value.frame["area_name"]) == {BAY}
        with pytest.warns(sp.SuburbWarning, match="has no rents of 'Bilby Heights'"):
            assert set(sp.rent([BAY, HEIGHTS], errors="warn")["area_name"]) == {BAY}
        with pytest.raises(sp.NotStored, match=r"has no (rents|impacts) of .* and (rents|impacts) of "):
            sp.scorecard([WOYLIE, HEIGHTS])
    assert len(service.requests) == sent


def test_a_quote_in_replay_says_what_is_there(live, path):
    """What the cassette holds is free; the rest is not to be had, and has its price."""
    with sp.cassette(path):
        sp.rent(BAY)
    with sp.cassette(path):
        quote = sp.quote(NAMES)
    assert (quote.stored, quote.calls, quote.cents, quote.source) == (1, 2, 60, "live")


def test_names_in_replay_are_those_of_the_cassette(live, path, tmp_path):
    """Resolving goes by its look-ups and by the names in its answers; a look-up that it lacks is said."""
    with sp.cassette(path):
        sp.rent([BAY, "Kestrel Hill (Vic.)"])
        recorded = sp.resolve(["lantern bay", "woylie"], state=["Tas.", "WA"])
    session._default = None
    with sp.cassette(path):
        assert sp.resolve(["LANTERN  BAY", "woylie"], state=["TAS", "wa"]).to_list() == recorded.to_list()
        assert sp.resolve(["quokka bay", "kestrel hill, vic"]).to_list() == [BAY, "Kestrel Hill (Vic.)"]
        assert sp.suggest("kest")["area_name"].to_list()[0] == "Kestrel Hill (Vic.)"
        assert sp.places(BAY)["origin"].to_list() == ["response"]
        with pytest.raises(sp.NotStored, match="has no look-up of 'numbat'"):
            sp.resolve("numbat")


def test_the_picker_is_answered_too(live, service, path, without_charts):
    """It says what is there, and loads it; the code is the same."""
    with sp.cassette(path):
        sp.rent([BAY])
    sent = len(service.requests)
    with sp.cassette(path):
        picker = sp.SuburbPicker([BAY])
        assert "stored, free" in picker._load.description
        picker._load.click()
        assert (picker.error, len(picker.frame) > 100) == (None, True)
    assert len(service.requests) == sent


def test_a_key_is_never_written(live, service, path):
    """An answer with the key in it is kept in the store and refused here, with an error that does not show it."""
    service.answer(HEIGHTS, "rent", body=b'{"data": null, "message": "' + LIVE_KEY.upper().encode() + b'"}')
    with sp.cassette(path):
        sp.rent(BAY)
        with pytest.raises(sp.CassetteError, match="What came for 'Bilby Heights' holds an API key") as caught:
            sp.rent(HEIGHTS)
        assert caught.value.cents == 30
    assert not holds_key(str(caught.value), [LIVE_KEY])
    assert held(path) == [("rent", BAY)]
    assert sp.ledger()["outcome"].to_list() == ["billed", "billed"]
    assert len(sp.vintages(HEIGHTS)) == 1


@pytest.mark.parametrize("where", ["headers", "query"])
def test_a_key_in_a_header_or_in_what_was_asked_is_not_written_either(where, live, service, path):
    """Neither a request id that echoes it, nor a text that somebody pasted into the wrong place."""
    service.answer(BAY, "rent", body=body_of(BAY), headers={"X-Request-Id": LIVE_KEY})
    with sp.cassette(path), pytest.raises(sp.CassetteError, match="holds an API key") as caught:
        sp.find(f"bay {LIVE_KEY}") if where == "query" else sp.rent(BAY)
    assert not holds_key(str(caught.value), [LIVE_KEY])
    assert not path.exists()


def test_only_headers_that_may_be_published_are_written(live, service, path):
    """Neither cookies nor what is left in the wallet."""
    service.answer(BAY, "rent", body=body_of(BAY), headers={"Set-Cookie": "a=b", "X-Remaining-Cents": "12345"})
    with sp.cassette(path):
        sp.rent(BAY)
    (one,) = yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]
    assert {name.lower() for name in one["response"]["headers"]} <= set(cassette_yaml.wire.KEPT_HEADERS)
    assert "12345" not in path.read_text(encoding="utf-8")
    assert one["request"]["headers"] == {}


def test_what_the_embedded_sandbox_answered_has_no_real_host(live, embedded, path):
    """By its mark, whichever key and address it had; the port that it happened to have is not there either."""
    with sp.cassette(path):
        sp.rent(BAY, client=live)
        sp.rent(HEIGHTS)
    uris = [one["request"]["uri"] for one in yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]]
    assert [uri.split("/v1/")[0] for uri in uris] == ["http://embedded.invalid"] * 2
    with sp.cassette(path):
        assert sp.rent(BAY).attrs["suburb_pandas"]["source"] == "live"
        assert sp.rent(HEIGHTS).attrs["suburb_pandas"]["source"] == "embedded"


def test_a_cassette_that_cannot_be_written_stops_the_request_and_loses_nothing(live, service, tmp_path):
    """What was under way is stored; the rest is not sent; the error has what arrived."""
    one_by_one = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1)
    with one_by_one, sp.cassette(tmp_path / "folder" / "study.yaml"):
        (tmp_path / "folder").write_bytes(b"")  # which is no folder now
        with pytest.raises(sp.CassetteError, match="cannot be written") as caught:
            sp.rent(NAMES, client=one_by_one)
        assert set(caught.value.frame["area_name"]) == {BAY}
        assert sp.ledger(client=one_by_one)["outcome"].to_list() == ["billed"]
    assert len(sp.rent(BAY, client=sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s"))) > 100
    assert len(service.requests) == 1


def test_one_is_in_use_at_a_time_and_none_after_its_block(embedded, path, tmp_path):
    """Also where the block ends in an error; a thread of another function finds it in use."""
    other = sp.cassette(tmp_path / "other.yaml")
    with sp.cassette(path), pytest.raises(sp.CassetteError, match=r"study.yaml is in use\. Its block has to end"):
        other.__enter__()
    with pytest.raises(ZeroDivisionError), sp.cassette(path):
        raise ZeroDivisionError
    sp.rent(BAY)
    assert not path.exists()
    with sp.cassette(path) as cassette:
        assert repr(cassette) == f"<Cassette {path}: records; 0 answers so far>"


def test_how_to_record_is_one_of_four_ways(path):
    """Anything else is said at once; and to replay what is not there is an error of its own."""
    with (
        pytest.raises(ValueError, match="'once', 'none', 'new_episodes', 'all', not 'never'"),
        sp.cassette(path, "never"),
    ):
        pass
    with pytest.raises(sp.CassetteError, match=r"study.yaml cannot be read: there is none"), sp.cassette(path, "none"):
        pass


def test_every_client_and_thread_is_answered_by_it(live, embedded, service, path):
    """Eight threads, with the default client, another one, and one that is closed."""
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


def test_a_request_keeps_to_the_cassette_that_it_began_with(live, service, path):
    """Its block may end meanwhile: what it still buys is recorded all the same, and paid once."""
    service.fail("latency", times=None, seconds=60)
    with sp.cassette(path), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(sp.rent, [BAY])
        wait_for(lambda: service.most_at_once == 1)
        session.cassettes._in_use = None
        service.release()
        assert len(waiting.result()) > 100
    assert held(path) == [("rent", BAY)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_forked_off_records_into_the_same(embedded, path):
    """As multiprocessing does it on Linux."""
    with sp.cassette(path):
        sp.rent(BAY)
        child = os.fork()
        if child == 0:
            try:
                sp.rent(HEIGHTS)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        sp.rent(WOYLIE)
    assert held(path) == [("rent", name) for name in NAMES]
