"""The loop that buys: how many calls are under way, what ends a request, and that nothing that arrives is lost."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest.mock import Mock
from urllib.parse import unquote

import pytest

import suburb_pandas as sp
from suburb_pandas.http.wire import Wire
from suburb_pandas.service import ENDPOINTS
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.raw_server import OK, endless, only_call, whole
from tests.support.recorded import body_of

SIXTY, NAME = RENTED[:60], RENTED[0]


@pytest.fixture
def client_with(service, tmp_path):
    """Return a function that makes a client with some settings, by default for the sandbox of the test."""
    clients = []

    def make(**given):
        settings = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "store.sqlite", **given}
        clients.append(sp.Client(**settings))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.mark.parametrize("workers", [1, 6, 12])
def test_three_calls_until_the_first_data_then_as_many_as_there_are_workers(service, client_with, workers):
    """At most ``max_workers`` calls are under way at once, and at most three before the first response with data."""
    service.fail("latency", name=NAME, seconds=0.3)
    service.fail("latency", times=None, seconds=60)
    at_first = min(3, workers)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, SIXTY, client=client_with(max_workers=workers))
        wait_for(lambda: service.most_at_once == at_first)
        time.sleep(0.1)
        assert service.most_at_once == at_first
        wait_for(lambda: service.most_at_once == workers)
        time.sleep(0.1)
        service.release()
        assert request.result(30)["area_name"].nunique() == 60
    assert service.most_at_once == workers


def test_each_call_is_in_the_ledger_at_its_price_before_it_leaves(live, monkeypatch):
    """Another connection to the store sees the row of a call, with its price, before the call is sent."""
    seen, exchange = [], Wire.exchange

    def look(wire, path):
        with plain_sqlite(live.store.path) as other:
            sent = other.execute("select area_name, cents from call where outcome = 'sent'").fetchall()
        seen.append([cents for name, cents in sent if f"/{name}/" in unquote(path)])
        return exchange(wire, path)

    monkeypatch.setattr(Wire, "exchange", look)
    sp.rent(SIXTY)
    assert seen == [[30]] * 60


PROGRAM = """
import sys, threading
import suburb_pandas as sp

url, store, how, *names = sys.argv[1:]
client = sp.connect(api_key="mib_live_x", base_url=url, store=store, max_workers=2, max_cents=10_000)

def buy():
    try:
        sp.rent(names, client=client)
    except BaseException as error:
        print(type(error).__name__, *set(getattr(error, "frame", {"area_name": ()})["area_name"]), sep="|", flush=True)

thread = threading.Thread(target=buy, daemon=how == "daemon")
if how == "interrupt":
    buy()
else:
    thread.start()
    sys.stdin.readline()
    if how == "close":
        client.close()
        thread.join()
"""


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("interrupt", "KeyboardInterrupt"),
        ("close", "SettingsError"),
        ("thread", "BatchIncomplete"),
        ("daemon", "BatchIncomplete"),
    ],
)
def test_a_request_that_is_ended_sends_nothing_more_and_stores_what_is_under_way(service, client_with, how, error):
    """After Ctrl-C, ``close()`` or the end of the main thread, no call begins, and those under way are stored.

    The error has what arrived in its frame, and the next run buys the rest.
    """
    hundred = RENTED[:100]
    service.fail("latency", name=hundred[9], seconds=60)
    service.fail("latency", name=hundred[10], seconds=60)
    client = client_with(max_cents=10_000)
    command = [sys.executable, "-c", PROGRAM, service.url, str(client.settings.store), how, *hundred]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(service.requests) == 9)
    wait_for(lambda: len(sp.ledger(client=client)) == 11)
    run.send_signal(signal.SIGINT) if how == "interrupt" else print(file=run.stdin, flush=True)
    time.sleep(0.5)
    service.release()
    out, err = run.communicate(timeout=20)
    assert run.returncode == 0, err
    said, *arrived = out.strip().split("|")
    assert (said, len(service.requests)) == (error, 11)
    assert set(arrived) == (set() if how == "interrupt" else set(hundred[:11]))
    assert sp.ledger(client=client)["outcome"].to_list() == ["billed"] * 11
    assert sp.rent(hundred, client=client)["area_name"].nunique() == 100
    assert set(service.served.values()) == {1}


def test_a_call_whose_headers_never_end_is_given_up_and_the_others_are_made(serve, client_with):
    """It ends after one and a half times the timeout, as unknown at its full price, and holds no worker back."""

    def handle(connection):
        name = next(name for name in RENTED[:3] if name.replace(" ", "%20").encode() in server.received[-1])
        (drip if name == NAME else whole(body_of(name)))(connection)

    drip = endless(b"a", OK + b"X-A: ", pause=0.05)
    server, start = serve(handle), time.monotonic()
    client = client_with(base_url=server.url, timeout=0.3, max_workers=1)
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(RENTED[:3], client=client)
    assert 0.45 < time.monotonic() - start < 5
    (failure,) = caught.value.failures.values()
    assert (failure.area_name, failure.cents) == (NAME, 30)
    assert "no answer within 0.3 s" in str(failure)
    assert sorted(sp.ledger(client=client)["outcome"]) == ["billed", "billed", "unknown"]


def late(status, price, body):
    """Return a handler whose headers take a second, beyond a timeout of 0.3 s."""

    def handle(connection):
        connection.sendall(status)
        for _ in range(20):
            connection.sendall(b"X-A: b\r\n")
            time.sleep(0.05)
        connection.sendall(b"X-Cost-Cents: %b\r\nContent-Length: %d\r\n\r\n" % (price, len(body)) + body)

    return handle


@pytest.mark.parametrize(("price", "counted"), [(b"30", 30), (b"0", 30), (b"300", 300)])
def test_an_answer_that_comes_after_its_call_was_given_up_is_stored(serve, client_with, price, counted):
    """The ledger keeps the call as unknown, at its full price or what it cost if that is more. A rerun pays nothing."""
    server = serve(late(OK, price, body_of(NAME)))
    client = client_with(base_url=server.url, timeout=0.3)
    with pytest.raises(sp.errors.Unreachable, match=r"no answer within 0\.3 s.*may have charged 30 cents"):
        sp.rent(NAME, client=client)
    wait_for(lambda: len(sp.vintages(NAME, client=client)))
    assert len(sp.rent(NAME, client=client)) == 1
    assert len(server.received) == 1
    assert only_call(client) == ("unknown", counted)


def test_a_refusal_that_comes_after_its_call_was_given_up_is_no_response(serve, client_with):
    """A late refusal is not stored, even if it was charged. The ledger keeps the call as unknown, at that price."""
    server = serve(late(b"HTTP/1.1 404 Not Found\r\n", b"45", b"{}"))
    client = client_with(base_url=server.url, timeout=0.3)
    with pytest.raises(sp.errors.Unreachable, match=r"no answer within 0\.3 s"):
        sp.rent(NAME, client=client)
    wait_for(lambda: only_call(client) == ("unknown", 45))
    assert sp.quote(NAME, client=client).stored == 0


def test_answers_are_stored_if_the_next_worker_cannot_be_made(live, service, monkeypatch):
    """What was paid for is stored before the error of the next call reaches the caller."""
    opened, make = iter(range(3)), Wire.__init__

    def make_some(wire, *args):
        if next(opened, None) is None:
            raise MemoryError
        make(wire, *args)

    with monkeypatch.context() as broken:
        broken.setattr(Wire, "__init__", make_some)
        with pytest.raises(MemoryError):
            sp.rent(SIXTY)
    assert sp.ledger()["outcome"].to_list() == ["billed"] * 3
    assert sp.rent(SIXTY)["area_name"].nunique() == 60
    assert set(service.served.values()) == {1}


@pytest.mark.parametrize("problem", [ZeroDivisionError, MemoryError, RecursionError])
def test_whatever_reading_a_response_raises_loses_none(live, service, monkeypatch, problem):
    """The exception reaches the caller after the responses were stored, and nothing is bought again."""
    with monkeypatch.context() as broken:
        broken.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=Mock(side_effect=problem)))
        with pytest.raises(problem):
            sp.rent(SIXTY)
    asked = len(service.requests)
    assert asked <= 3
    assert sp.quote(SIXTY).stored == asked
    assert sp.rent(SIXTY)["area_name"].nunique() == 60
    assert set(service.served.values()) == {1}


@pytest.mark.parametrize("problem", [None, MemoryError, ValueError("made up")], ids=["full", "memory", "value"])
def test_whatever_committing_a_response_raises_leaves_it_with_the_caller(live, service, monkeypatch, problem):
    """The StoreError has the responses that were paid for in its frame. In the same session none is bought again."""
    with monkeypatch.context() as broken, plain_sqlite(live.store.path) as plain:
        if problem is None:
            plain.execute("create trigger full before insert on response begin select raise(abort, 'full'); end")
        else:
            broken.setattr("zlib.compress", Mock(side_effect=problem))
        with pytest.raises(sp.errors.StoreError, match=r"could not be written.*\.frame") as caught:
            sp.rent(SIXTY)
        plain.execute("drop trigger if exists full")
    asked = len(service.requests)
    assert 0 < asked == caught.value.frame["area_name"].nunique() <= 3
    assert caught.value.cents == 30 * asked
    assert sp.rent(SIXTY)["area_name"].nunique() == 60
    assert set(service.served.values()) == {1}
    assert sp.ledger()["cents"].sum() == service.total_cents == 60 * 30


def test_a_store_that_is_removed_in_a_batch_stops_it_without_a_loss(service, client_with):
    """If the store is removed during a batch, no further call is sent. The error's frame has every response so far."""
    client = client_with(max_workers=1)
    service.fail("latency", name=RENTED[3], seconds=60)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, SIXTY, client=client)
        wait_for(lambda: len(service.requests) == 3)
        wait_for(lambda: len(sp.ledger(client=client)) == 4)
        client.store.path.unlink()
        service.release()
        with pytest.raises(sp.errors.StoreError, match=r"removed or replaced.*\.frame") as caught:
            request.result(30)
    with pytest.warns(sp.SuburbWarning, match="could not be written"):
        client.close()
    assert caught.value.frame["area_name"].nunique() == len(service.requests) == 4


@pytest.mark.parametrize(
    ("store", "kept", "kind", "said"),
    [
        (":memory:", 0, sp.errors.StoreError, r"store cannot be found.*may charge a second time\."),
        ("store.sqlite", 1, sp.errors.SettingsError, "Nothing more was sent; make another"),
    ],
)
def test_a_client_that_is_closed_in_a_request(service, client_with, tmp_path, store, kept, kind, said):
    """What was paid for is stored, unless the store went with its client. It is in the error's frame in any case.

    The error says what was sent, and whether the same line charges again.
    """
    path = store if store == ":memory:" else tmp_path / store
    client = client_with(store=path, max_workers=1)
    service.fail("latency", seconds=60)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, SIXTY, client=client)
        wait_for(lambda: len(sp.ledger(client=client)) == 1)
        client.close()
        service.release()
        with pytest.raises(kind, match=said) as caught:
            request.result(30)
    assert caught.value.frame["area_name"].unique().tolist() == [NAME]
    assert sp.quote(NAME, client=client_with(store=path)).stored == kept


@pytest.mark.parametrize(("threads", "calls"), [(0, 0), (1, 0), (2, 12)])
def test_a_system_that_allows_few_threads(live, service, monkeypatch, threads, calls):
    """Without a thread for the loop and one for calls nothing is sent; with one for calls, all of them are made."""
    start, allowed = threading.Thread.start, iter(range(threads))

    def start_some(thread):
        if thread.name.startswith("suburb_pandas") and next(allowed, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_some)
        if calls:
            assert sp.rent(RENTED[:12])["area_name"].nunique() == 12
        else:
            with pytest.raises(RuntimeError, match="can't start new thread"):
                sp.rent(RENTED[:12])
    assert len(service.requests) == calls
    assert sp.rent(RENTED[:12])["area_name"].nunique() == 12
    assert set(service.served.values()) == {1}


@pytest.mark.parametrize("fault", [None, "server_error", "truncated_json"])
def test_no_thread_is_left_after_a_request(live, service, fault):
    """However a request ends, its threads end, and those of the server, because its connections are closed."""
    before = set(threading.enumerate())
    if fault:
        service.fail(fault, times=None)
        with pytest.raises(sp.errors.BatchIncomplete):
            sp.rent(SIXTY)
    else:
        sp.rent(SIXTY)
    wait_for(lambda: set(threading.enumerate()) <= before)


NO_DATA = b'{"data": null}'
EMPTY = {"status": 402}
PUT_OFF = {"status": 429, "headers": {"Retry-After": "60"}}
SURCHARGED = {"body": NO_DATA, "headers": {"X-Cost-Cents": "45"}}


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
@pytest.mark.parametrize(("first", "last"), [(EMPTY, {"body": NO_DATA}), (SURCHARGED, EMPTY), (PUT_OFF, EMPTY)])
def test_a_call_that_ends_after_a_stop_or_in_a_pause_is_written_and_nothing_else_is_sent(
    service, client_with, first, last
):
    """After an empty wallet, a price above the quote or a Retry-After, the call under way ends, and no other begins.

    If a request is stopped while it waits, it ends at once, and what was put off is not tried again.
    """
    slow, fast, *rest = RENTED[:12]
    service.fail("latency", name=slow, seconds=0.5)
    service.answer(fast, "rent", **first)
    service.answer(slow, "rent", **last)
    client, start = client_with(max_workers=2), time.monotonic()
    with pytest.raises((sp.errors.PaymentRequired, sp.errors.CapExceeded)):
        sp.rent([slow, fast, *rest], client=client)
    assert time.monotonic() - start < 20
    assert len(service.requests) == len(sp.ledger(client=client)) == 2
    assert "sent" not in set(sp.ledger(client=client)["outcome"])
