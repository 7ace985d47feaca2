"""Workers: what stops all of them at once, and what is shown of a call that was lost."""

import itertools
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.http.wire import Wire
from suburb_pandas.purchasing.breaker import CircuitBreaker
from suburb_pandas.service.calls import Item
from suburb_pandas.service.urls import path_of
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.raw_server import KEY, only_call, said_by, shows

SLOW, FAST, *REST = RENTED[:12]
NO_DATA = b'{"data": null}'
EMPTY_WALLET = {"status": 402}
SURCHARGE = {"body": NO_DATA, "headers": {"X-Cost-Cents": "45"}}


@pytest.fixture
def two_workers(service, tmp_path, monkeypatch):
    """Return a client with two workers. `SLOW` is called first, and answered when the circuit breaker has tripped."""
    trip, exchange = CircuitBreaker.trip, Wire.exchange

    def exchange_after_slow(wire, path):
        if path != path_of(Item("rent", SLOW)):
            wait_for(lambda: service.most_at_once)
        return exchange(wire, path)

    monkeypatch.setattr(CircuitBreaker, "trip", lambda breaker, *why: (trip(breaker, *why), service.release()))
    monkeypatch.setattr(Wire, "exchange", exchange_after_slow)
    service.fail("latency", name=SLOW, times=None, seconds=10)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=2) as client:
        yield client


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
@pytest.mark.parametrize(
    ("answer", "error"), [(EMPTY_WALLET, sp.errors.PaymentRequired), (SURCHARGE, sp.errors.CapExceeded)]
)
def test_a_worker_whose_call_ends_after_the_stop_sends_no_other(service, two_workers, answer, error):
    """After an empty wallet or a price above the quote, the call under way ends and is stored. No other is sent."""
    service.answer(FAST, "rent", **answer)
    with pytest.raises(error):
        sp.rent([SLOW, FAST, *REST], client=two_workers)
    assert len(service.requests) == 2
    assert len(sp.rent(SLOW, client=two_workers, offline=True)) > 100


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
@pytest.mark.parametrize(
    ("answer", "error"), [(EMPTY_WALLET, sp.errors.PaymentRequired), (SURCHARGE, sp.errors.CapExceeded)]
)
def test_a_worker_that_is_stopped_by_its_own_answer_sends_no_other(service, tmp_path, answer, error):
    """The worker that gets the 402, or the charge above the quote, makes no further call itself."""
    service.answer(FAST, "rent", **answer)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        pytest.raises(error),
    ):
        sp.rent([FAST, *REST], client=client)
    assert len(service.requests) == 1


def test_a_call_that_has_begun_when_the_request_is_stopped_leaves_the_ledger_again(service, tmp_path, monkeypatch):
    """A call whose ledger row is written when the request stops is not sent, and its row and its claim are removed."""
    end, trip = CircuitBreaker.end, CircuitBreaker.trip
    tripped = threading.Event()

    def end_after_the_trip(breaker, result, price):
        if result.item == Item("rent", SLOW):  # the worker's next call has begun by now
            service.release()
            assert tripped.wait(20)
        end(breaker, result, price)

    monkeypatch.setattr(CircuitBreaker, "end", end_after_the_trip)
    monkeypatch.setattr(CircuitBreaker, "trip", lambda breaker, *why: (trip(breaker, *why), tripped.set()))
    service.fail("latency", name=FAST, seconds=10)
    service.answer(FAST, "rent", **EMPTY_WALLET)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=2) as client:
        with pytest.raises(sp.errors.PaymentRequired):
            sp.rent([REST[0], FAST, SLOW, *REST[1:]], client=client)
        ledger = sp.ledger(client=client)
    assert sorted(ledger["outcome"]) == ["billed", "billed", "not_billed"]
    assert len(service.requests) == 3
    with plain_sqlite(tmp_path / "s") as plain:
        assert plain.execute("select count(*) from claim").fetchone() == (0,)


@pytest.mark.parametrize("closes", [False, True], ids=["goes on", "is closed"])
def test_a_call_that_has_begun_does_not_wait_out_a_pause(service, tmp_path, monkeypatch, closes):
    """If a pause begins before a call has left, the call begins again after the pause, as others may have taken over.

    If the client is closed during the pause, the call is not sent.
    """
    end, during = CircuitBreaker.end, []

    def end_after_a_pause(breaker, result, price):
        if result.item == Item("rent", FAST):  # the worker's next call has begun by now
            breaker.pause(0.4)
        end(breaker, result, price)

    monkeypatch.setattr(CircuitBreaker, "end", end_after_a_pause)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        request = pool.submit(sp.rent, [SLOW, FAST, REST[0]], client=client)
        with plain_sqlite(wait_for(lambda: (tmp_path / "s").exists() and tmp_path / "s")) as plain:
            wait_for(lambda: len(service.requests) == 2)
            rows = "select outcome from call order by id"
            during = wait_for(lambda: (found := plain.execute(rows).fetchall()) == [("billed",)] * 2 and found)
        if closes:
            client.close()
            with pytest.raises(sp.errors.SettingsError, match="The client was closed"):
                request.result(20)
        else:
            assert request.result(20)["area_name"].nunique() == 3
    assert len(during) == 2
    assert len(service.requests) == (2 if closes else 3)


def test_a_stop_ends_a_pause_and_what_was_put_off_is_not_tried_again(service, two_workers, monkeypatch):
    """A request that is stopped while it waits for a Retry-After ends at once, without the retry."""
    pause = CircuitBreaker.pause
    monkeypatch.setattr(CircuitBreaker, "pause", lambda breaker, seconds: (pause(breaker, seconds), service.release()))
    service.answer(SLOW, "rent", **EMPTY_WALLET)
    service.answer(FAST, "rent", status=429, headers={"Retry-After": "60"})
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, [SLOW, FAST, *REST], client=two_workers)
        with pytest.raises(sp.errors.PaymentRequired):
            request.result(30)
    assert len(service.requests) == 2


def test_while_a_request_is_paused_a_worker_whose_call_ends_begins_no_other(service, two_workers, monkeypatch):
    """If the service puts one call off, the other worker's call ends, and its next call does not begin."""
    pause, calls = CircuitBreaker.pause, []

    def look_during_the_pause(breaker, seconds):
        pause(breaker, seconds)
        service.release()
        wait_for(lambda: "billed" in set(sp.ledger(client=two_workers)["outcome"]))
        calls.append(len(sp.ledger(client=two_workers)))
        breaker.trip()  # so that the test does not wait for the end of the pause

    monkeypatch.setattr(CircuitBreaker, "pause", look_during_the_pause)
    service.answer(FAST, "rent", status=429, headers={"Retry-After": "60"})
    with pytest.raises(sp.errors.BatchIncomplete):
        sp.rent([SLOW, FAST, *REST], client=two_workers)
    assert calls == [2]


def test_a_crash_of_one_worker_reaches_the_user_and_stops_the_others(service, two_workers, monkeypatch):
    """An unexpected exception in a worker is raised to the user. The call under way ends, and no other is sent."""
    exchange = Wire.exchange

    def crash(wire, path):
        if path == path_of(Item("rent", FAST)):
            wait_for(lambda: service.most_at_once)
            raise ZeroDivisionError
        return exchange(wire, path)

    monkeypatch.setattr(Wire, "exchange", crash)
    with pytest.raises(ZeroDivisionError):
        sp.rent([SLOW, FAST, *REST], client=two_workers)
    assert len(service.requests) == 1
    assert sorted(sp.ledger(client=two_workers)["outcome"]) == ["billed", "unknown"]
    assert len(sp.rent(SLOW, client=two_workers, offline=True)) > 100


def test_where_only_one_worker_can_be_started_its_call_ends_and_no_other_is_sent(service, two_workers, monkeypatch):
    """If the system allows no second worker, its RuntimeError is raised, and the first worker stops after its call."""
    start, numbers = threading.Thread.start, itertools.count()

    def start_one(thread):
        if thread.name == "suburb_pandas worker" and next(numbers):
            wait_for(lambda: service.most_at_once)
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_one)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            sp.rent([SLOW, FAST, *REST], client=two_workers)
    assert len(service.requests) == 1
    assert sp.rent([SLOW, FAST, *REST], client=two_workers)["area_name"].nunique() == 12
    assert set(service.served.values()) == {1}


@pytest.mark.parametrize("padding", ["", "x" * 170], ids=["whole key", "beginning of the key"])
def test_the_reason_for_a_lost_call_shows_no_key(serve, client_of, caplog, padding):
    """If a broken response repeats the API key, neither error nor log shows it, even if the key was cut off."""
    caplog.set_level(logging.DEBUG, "suburb_pandas")
    client = client_of(serve(lambda connection: connection.sendall(f"{padding} {KEY}\r\n\r\n".encode())).url)
    with pytest.raises(sp.errors.Unreachable, match="not shown, as it holds an API key") as caught:
        sp.rent(SLOW, client=client)
    assert only_call(client) == ("unknown", 30)
    for shown in (said_by(caught.value), caplog.text):
        assert not shows(KEY[:8], shown)
