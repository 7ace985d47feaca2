"""The loop that buys: how many calls are under way, what ends a request, and that nothing that arrives is lost."""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import DEFAULT, Mock
from urllib.parse import unquote

import pytest

import suburb_pandas as sp
from suburb_pandas.http.wire import Wire
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import BODY_LIMIT
from tests.support.common import RENTED, plain_sqlite, wait_for
from tests.support.raw_server import OK, whole
from tests.support.recorded import body_of

SIXTY, NAME = RENTED[:60], RENTED[0]


def assert_the_rest_is_bought_once(service, names, **options):
    """Buy what is missing of some suburbs, and assert that the service was asked once for each of them."""
    assert sp.rent(names, **options)["area_name"].nunique() == len(names)
    assert set(service.served.values()) == {1}


@pytest.mark.parametrize("workers", [1, 6])
def test_three_calls_until_the_first_data_then_as_many_as_there_are_workers(service, client_with, begin, workers):
    """At most ``max_workers`` calls are under way at once, and at most three before the first response with data."""
    service.fail("latency", name=NAME, seconds=1)
    service.fail("latency", times=None, seconds=60)
    client = client_with(max_workers=workers)
    request = begin(SIXTY, client=client)
    wait_for(lambda: service.most_at_once == workers < len(sp.ledger(client=client)))
    sent = sp.ledger(client=client)["at"]
    assert len(sent) == 1 + workers
    assert (sent - sent[0]).dt.total_seconds().ge(1).to_list() == [number >= min(3, workers) for number in sent.index]
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

url, store, is_daemon, *names = sys.argv[1:]
sp.connect(api_key="mib_live_x", base_url=url, store=store, max_workers=2, max_cents=10_000)

def buy():
    try:
        sp.rent(names)
    except BaseException as error:
        print(type(error).__name__, *set(getattr(error, "frame", {"area_name": ()})["area_name"]), sep="|", flush=True)

def tell():
    threading.main_thread().join()
    print("ended", flush=True)

threading.Thread(target=tell, daemon=True).start()
if is_daemon:
    threading.Thread(target=buy, daemon=True).start()
    sys.stdin.readline()
else:
    buy()
"""


@pytest.mark.parametrize("is_daemon", ["", "yes"])
def test_a_request_that_is_ended_sends_nothing_more_and_stores_what_is_under_way(service, client_with, is_daemon):
    """After Ctrl-C or the end of the main thread, no call begins, and those under way are stored.

    The error in a thread has what arrived in its frame, and the next run buys the rest.
    """
    hundred = RENTED[:100]
    for name in hundred[9:11]:
        service.fail("latency", name=name, seconds=60)
    client = client_with(max_cents=10_000)
    command = [sys.executable, "-c", PROGRAM, service.url, str(client.settings.store), is_daemon, *hundred]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        wait_for(lambda: len(service.requests) == 9 and len(sp.ledger(client=client)) == 11)
        print(file=run.stdin, flush=True) if is_daemon else run.send_signal(signal.SIGINT)
        said = list(iter(run.stdout.readline, "ended\n"))
        service.release()
        said += run.stdout
    ((kind, *arrived),) = (line.strip().split("|") for line in said)
    assert (kind, len(service.requests)) == ("BatchIncomplete" if is_daemon else "KeyboardInterrupt", 11)
    assert set(arrived) == set(hundred[:11] if is_daemon else ())
    assert sp.ledger(client=client)["outcome"].to_list() == ["billed"] * 11
    assert_the_rest_is_bought_once(service, hundred, client=client)


@pytest.mark.parametrize(
    ("status", "price", "counted"),
    [(OK, 30, 30), (OK, 0, 30), (OK, 300, 300), (b"HTTP/1.1 404 Not Found\r\n", 45, 45)],
)
def test_a_call_is_given_up_and_its_answer_comes_later(serve, client_with, status, price, counted):
    """The call ends after one and a half times the timeout, as unknown at its full price. The other calls are made.

    Late data are stored, so that a rerun pays nothing, and a higher price counts. A late refusal is not stored.
    """
    given_up, three, body = threading.Event(), RENTED[:3], body_of(NAME)

    def handle(connection):
        name = next(name for name in three if name.replace(" ", "%20").encode() in server.received[-1])
        (late if name == NAME else whole(body_of(name)))(connection)

    def late(connection):
        connection.sendall(status + b"X-A: ")
        while not given_up.wait(0.02):
            connection.sendall(b"a")
        connection.sendall(b"\r\nX-Cost-Cents: %d\r\nContent-Length: %d\r\n\r\n" % (price, len(body)) + body)

    server, start = serve(handle), time.monotonic()
    client = client_with(base_url=server.url, timeout=1.5, max_workers=1)
    with pytest.raises(
        sp.errors.BatchIncomplete, match=r"no answer within 1\.5 s.*may have charged 30 cents"
    ) as caught:
        sp.rent(three, client=client)
    assert time.monotonic() - start > 2.25
    assert {name: error.cents for name, error in caught.value.failures.items()} == {NAME: 30}
    given_up.set()
    if status == OK:
        wait_for(lambda: len(sp.vintages(NAME, client=client)))
        assert len(sp.rent(three, client=client)) == len(server.received) == 3
    wait_for(lambda: sp.ledger(client=client)["cents"].to_list() == [counted, 30, 30])
    assert sp.ledger(client=client)["outcome"].to_list() == ["unknown", "billed", "billed"]
    assert sp.quote(NAME, client=client).stored == (status == OK)


def break_reading(patch):
    """Have a response raise when it is read."""
    patch.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=Mock(side_effect=MemoryError)))


def break_storing(patch):
    """Have a response raise when it is stored."""
    patch.setattr("zlib.compress", Mock(side_effect=MemoryError))


def break_the_fourth_worker(patch):
    """Allow no more than three connections."""
    patch.setattr("suburb_pandas.http.wire.Wire", Mock(wraps=Wire, side_effect=[DEFAULT] * 3 + [MemoryError]))


@pytest.mark.parametrize("break_something", [break_reading, break_storing, break_the_fourth_worker])
def test_whatever_goes_wrong_no_answer_is_lost(live, service, monkeypatch, break_something):
    """What was paid for is stored before the exception reaches the caller, so that none is bought again.

    If it cannot be stored, it is in the frame of a StoreError, and the session stores it later.
    """
    with monkeypatch.context() as patch:
        break_something(patch)
        with pytest.raises((MemoryError, sp.errors.StoreError)) as caught:
            sp.rent(SIXTY)
    asked = len(service.requests)
    assert 0 < asked <= 3
    if break_something is break_storing:
        assert caught.match(r"could not be written.*\.frame")
        assert (caught.value.cents, caught.value.frame["area_name"].nunique()) == (30 * asked, asked)
    assert sp.quote(SIXTY).stored == asked
    assert_the_rest_is_bought_once(service, SIXTY)
    assert sp.ledger()["cents"].sum() == service.total_cents == 60 * 30


def test_calls_begin_only_while_the_disk_has_room_for_their_answers(live, service, monkeypatch):
    """The room is that of the largest answer for each worker. If it is gone in the middle, what was sent is kept."""
    needed = live.settings.max_workers * BODY_LIMIT
    free = iter([needed] * 2)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=next(free, needed - 1)))
        with pytest.raises(sp.errors.StoreError, match="free some space"):
            sp.rent(SIXTY)
    assert sp.quote(SIXTY).stored == len(service.requests) == 3


@pytest.mark.parametrize(
    ("store", "kept", "kind", "said"),
    [
        (":memory:", 0, sp.errors.StoreError, r"store cannot be found.*may charge a second time\."),
        ("store.sqlite", 1, sp.errors.SettingsError, "Nothing more was sent; make another"),
    ],
)
def test_a_client_that_is_closed_in_a_request(service, client_with, begin, tmp_path, store, kept, kind, said):
    """What was paid for is stored, unless the store went with its client. It is in the error's frame in any case.

    No other call begins. The error says what was sent, and whether the same line charges again.
    """
    path = store if store == ":memory:" else tmp_path / store
    client = client_with(store=path, max_workers=1)
    service.fail("latency", seconds=60)
    request = begin(SIXTY, client=client)
    wait_for(lambda: len(sp.ledger(client=client)) == 1)
    client.close()
    service.release()
    with pytest.raises(kind, match=said) as caught:
        request.result(30)
    assert caught.value.frame["area_name"].unique().tolist() == [NAME]
    assert (sp.quote(NAME, client=client_with(store=path)).stored, len(service.requests)) == (kept, 1)


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
            sp.rent(SIXTY[:12])
        else:
            with pytest.raises(RuntimeError, match="can't start new thread"):
                sp.rent(SIXTY[:12])
    assert len(service.requests) == calls
    assert_the_rest_is_bought_once(service, SIXTY[:12])


def test_no_thread_is_left_after_a_request(live, service):
    """However a request ends, its threads end, and those of the server, because its connections are closed.

    A service that answers nothing readable costs three calls, and the error says what they cost.
    """
    before = set(threading.enumerate())
    sp.rent(NAME)
    service.fail("truncated_json", times=None)
    with pytest.raises(sp.errors.BatchIncomplete, match=r"56 were not asked for.*cost up to 90 cents"):
        sp.rent(SIXTY)
    assert service.total_cents == sp.ledger()["cents"].sum() == 4 * 30
    wait_for(lambda: set(threading.enumerate()) <= before)


NO_DATA = b'{"data": null}'
EMPTY = {"status": 402}
PUT_OFF = {"status": 429, "headers": {"Retry-After": "60"}}
SURCHARGED = {"body": NO_DATA, "headers": {"X-Cost-Cents": "45"}}


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
@pytest.mark.parametrize(("first", "last"), [(EMPTY, {"body": NO_DATA}), (SURCHARGED, EMPTY), (PUT_OFF, EMPTY)])
def test_a_call_that_ends_after_a_stop_or_in_a_pause_is_written_and_nothing_else_is_sent(
    service, client_with, begin, first, last
):
    """After an empty wallet, a price above the quote or a Retry-After, the call under way ends, and no other begins.

    If a request is stopped while it waits, it ends at once, and what was put off is not tried again.
    """
    slow, fast, *rest = RENTED[:12]
    service.fail("latency", name=slow, seconds=60)
    service.answer(fast, "rent", **first)
    service.answer(slow, "rent", **last)
    client = client_with(max_workers=2)
    request = begin([slow, fast, *rest], client=client)
    wait_for(lambda: {"sent"} < set(sp.ledger(client=client)["outcome"]))
    service.release()
    with pytest.raises((sp.errors.PaymentRequired, sp.errors.CapExceeded)):
        request.result(30)
    assert len(service.requests) == len(sp.ledger(client=client)) == 2
    assert "sent" not in set(sp.ledger(client=client)["outcome"])
