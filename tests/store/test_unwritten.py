"""Tests of answers that a store could not take: they are written as soon as there is room, and are not bought again."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response
from suburb_pandas.store.reservation import Reservation, ReservationTerms
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.processes import Worker

NAME, OTHER, STORED = "Quokka Bay", "Bilby Heights", RENTED[0]
FULL = "create trigger full before {} begin select raise(abort, 'disk full'); end"
NO_RESPONSE = FULL.format("insert on response")
NO_END = FULL.format("update on call when new.ended_at is not null")


@contextmanager
def full(path, trigger=NO_RESPONSE):
    """Have a store take no response for a while, or whatever else the trigger says."""
    with plain_sqlite(path) as plain:
        plain.execute(trigger)
        yield
        plain.execute("drop trigger full")


def could_not_take(suburbs, **options):
    """Buy suburbs with a store that is full, and return the error."""
    with pytest.raises(sp.errors.StoreError, match="disk full") as caught:
        sp.rent(suburbs, **options)
    return caught.value


def test_an_answer_that_the_store_could_not_take_is_not_bought_again(live, service):
    """Once there is room, the same request in the same session writes the answer and returns the same frame."""
    with full(live.store.path):
        error = could_not_take([NAME])
        assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert "run the same line again in this session" in str(error)
    frame = sp.rent([NAME])
    pd.testing.assert_frame_equal(frame, error.frame)
    assert len(service.requests) == 1
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents, row.http_status) == ("billed", 30, 200)
    assert row.request_id == sp.provenance(frame)["request_id"].item()


def test_the_later_calls_of_a_batch_are_kept_too(live, service):
    """A call that began in the commit that ended another one is kept, and written later, like any other."""
    live.settings = replace(live.settings, max_workers=1)
    with full(live.store.path, FULL.format("insert on response when (select count(*) from response) > 0")):
        error = could_not_take(RENTED[:4])
    assert list(error.frame["area_name"].unique()) == RENTED[:2]
    assert sp.quote(RENTED[:4]).calls == 2
    assert len(service.requests) == 2


def test_while_an_answer_waits_nothing_is_bought(live, service):
    """Until the answer is written, a purchase is an error that counts it. What is stored can be read, and quoted."""
    sp.rent(STORED)
    with full(live.store.path):
        could_not_take([NAME, OTHER])
        sent = len(service.requests)
        waiting = {1: "1 response is still in the memory", 2: "2 responses are still in the memory"}[sent - 1]
        for suburbs in (NAME, [STORED, RENTED[1]]):
            assert waiting in str(could_not_take(suburbs))
        assert len(sp.rent(STORED))
        assert len(sp.rent(STORED, offline=True))
        assert sp.quote([STORED, NAME]).calls == 1
        assert len(sp.ledger()) == sent
    assert len(service.requests) == sent
    assert len(sp.rent(RENTED[1]))
    assert len(service.requests) == sent + 1


def test_a_quote_finds_the_answer_that_has_room_by_then(live):
    """A quote writes what waits, so an answer that was paid for is not quoted again."""
    with full(live.store.path):
        could_not_take(NAME)
    assert sp.quote(NAME).calls == 0


def test_a_request_under_way_buys_nothing_while_an_answer_waits(tmp_path):
    """Requests that are under way send no further call, either, while the answer of another request waits."""
    store, items = Store(tmp_path / "s"), [Item("rent", name) for name in RENTED[:4]]
    terms = ReservationTerms(Namespace("live", "https://h"), {"rent": 30}, 5000, 30)
    one = store.reserve(terms, {items[0]: 0}).reservation
    other = store.reserve(terms, dict.fromkeys(items[1:], 0)).reservation
    lost, unknown = one.begin(items[0], lease=30), other.begin(items[1], lease=30)
    response = Response.of(b"{}", {}, "2026", 30, "live")
    with full(tmp_path / "s"):
        with pytest.raises(sp.errors.StoreError, match="disk full"):
            one.finish(lost, CallOutcome("billed", 30), lease=30, response=response)
        assert other.finish(unknown, CallOutcome("unknown", 30), lease=30, then=items[2]) is None
        with pytest.raises(sp.errors.StoreError, match="1 response is still in the memory"):
            other.begin(items[2], lease=30)
        with pytest.raises(sp.errors.StoreError, match="1 response is still in the memory"):
            store.reserve(terms, {Item("impacts", NAME): 0})
    assert other.begin(items[2], lease=30)
    assert [row.outcome for row in store.ledger()] == ["billed", "unknown", "sent"]


def test_the_end_of_a_refused_call_is_written_later_too(live, service):
    """A call that was refused for free is unknown in the ledger until its end can be written. Nothing is lost."""
    service.answer(NAME, "rent", status=404, body=b"{}")
    with full(live.store.path, NO_END):
        with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as client:
            assert could_not_take(NAME, client=client).frame is None
        assert sp.ledger()["cents"].to_list() == [30]
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents, row.http_status) == ("not_billed", 0, 404)


def test_a_refusal_that_was_charged_is_written_later_too(live, service):
    """A refusal that was paid for is stored once there is room, and the same request then raises it for free."""
    service.answer(NAME, "rent", status=404, body=b"{}", billed=True)
    with full(live.store.path):
        assert "its response is in .frame" not in str(could_not_take(NAME))
    with pytest.raises(sp.errors.UnknownSuburb, match="cost 30 cents and is stored"):
        sp.rent(NAME)
    assert len(service.requests) == 1


def test_what_waits_is_written_once(live, service):
    """Several requests at once write what waits once, and all of them find it."""
    with full(live.store.path):
        could_not_take([NAME])
    with ThreadPoolExecutor(8) as pool:
        frames = list(pool.map(lambda _: sp.rent(NAME), range(8)))
    assert all(frame.equals(frames[0]) for frame in frames)
    assert len(service.requests) == 1


def test_a_reader_does_not_wait_for_another_program_to_write_what_waits(live, service, monkeypatch):
    """If another program is writing, stored responses are read at once, and what waits is written later."""
    monkeypatch.setattr(settings, "BUSY_WAIT", 60)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as client:
        sp.rent(STORED, client=client)
        with full(live.store.path):
            could_not_take(NAME, client=client)
        with plain_sqlite(live.store.path) as other, ThreadPoolExecutor(1) as pool:
            other.execute("begin immediate")
            try:
                frame = pool.submit(sp.rent, STORED, client=client).result(timeout=10)
            finally:
                other.execute("rollback")
        assert len(frame)
        assert len(sp.rent(NAME, client=client, offline=True))


def test_closing_warns_of_what_could_not_be_written(live, service):
    """A client that is closed warns of the answers that its store could not take. The next client writes them."""
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": live.store.path}
    client = sp.Client(**options)
    with full(live.store.path):
        could_not_take(NAME, client=client)
        with pytest.warns(sp.SuburbWarning) as caught:
            client.close()
        client.close()
    assert len(caught) == 1
    assert f"rent of {NAME!r} (30 cents)" in str(caught[0].message)
    assert caught[0].filename == __file__
    with sp.Client(**options) as another:
        assert len(sp.rent(NAME, client=another))
    assert len(service.requests) == 1


def test_closing_writes_what_waits(live, service):
    """A client that is closed after there is room writes what waits, without a warning."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as client, full(live.store.path):
        could_not_take(NAME, client=client)
    with plain_sqlite(live.store.path) as plain:
        assert plain.execute("select count(*) from response").fetchone() == (1,)


def test_an_answer_never_ends_another_call(live):
    """If the store has another call with that number, as after it was replaced, the answer is reported as lost."""
    with full(live.store.path), plain_sqlite(live.store.path) as plain:
        could_not_take(NAME)
        plain.execute("update call set area_name = 'Woylie'")
    with plain_sqlite(live.store.path) as plain:
        with pytest.warns(
            sp.SuburbWarning, match="These responses are lost.*no longer lists their calls.*Quokka Bay.*costs 30 cents"
        ):
            assert sp.ledger()["outcome"].to_list() == ["unknown"]
        assert plain.execute("select count(*) from response").fetchone() == (0,)


def test_an_answer_outlasts_a_journal_that_was_removed(live, service):
    """If the journal is removed during a call, the answer is written after the client was closed and made anew."""
    service.fail("latency", seconds=60)

    def remove_and_go_on():
        wait_for(lambda: service.most_at_once)
        live.store.path.with_name("store.sqlite-wal").unlink()
        service.release()

    with ThreadPoolExecutor(1) as other:
        removed = other.submit(remove_and_go_on)
        with pytest.raises(sp.errors.StoreError, match=r"-wal was removed.*had ended \(billed, 30 cents\)"):
            sp.rent(NAME)
        removed.result()
    with pytest.warns(sp.SuburbWarning, match=NAME):
        live.close()
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store) as client:
        assert len(sp.rent(NAME, client=client))
    assert len(service.requests) == 1


def find_offline(client):
    """Request the stored rents of a suburb, and return True if there are none."""
    with pytest.raises(sp.errors.NotStored):
        sp.rent(NAME, offline=True, client=client)


def test_a_forked_child_leaves_what_waits_to_its_parent(live, service):
    """A forked child does not write what its parent could not write. The parent does."""
    with full(live.store.path):
        could_not_take(NAME)
    child = get_context("fork").Process(target=find_offline, args=(live,))
    child.start()
    child.join(20)
    assert child.exitcode == 0
    assert len(sp.rent(NAME))
    assert len(service.requests) == 1


PROGRAM = """
import sqlite3, sys
import suburb_pandas as sp
url, store, trigger, *names = sys.argv[1:]
client = sp.connect(api_key="mib_live_any", base_url=url, store=store)
sqlite3.connect(client.store.path, isolation_level=None).execute(trigger)
try:
    sp.rent(names)
except sp.errors.StoreError as error:
    print(*error.frame["area_name"].unique(), sep=",")
"""


def test_a_process_that_ends_warns_of_what_it_could_not_write(service, tmp_path):
    """A program that ends before there is room lists each answer that is lost, with its cents, in one warning."""
    arguments = [service.url, tmp_path / "s", NO_RESPONSE, NAME, OTHER]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.count("SuburbWarning") == 1
    names = done.stdout.strip().split(",")
    assert len(names) == len(service.requests)
    for name in names:
        assert f"rent of {name!r} (30 cents)" in done.stderr
    assert f"costs {30 * len(names)} cents" in done.stderr


def end_with_an_answer(client, log, has_room):
    """Buy with a store that is full, and end. The process writes its warnings to a file."""
    sys.stderr = log.open("w", buffering=1)
    with plain_sqlite(client.store.path) as plain:
        plain.execute(NO_RESPONSE)
        could_not_take(NAME, client=client)
        if has_room:
            plain.execute("drop trigger full")


@pytest.mark.parametrize("has_room", [True, False])
def test_a_forked_process_writes_what_waits_when_it_ends_or_warns(live, tmp_path, has_room):
    """A process of multiprocessing that has its parent's client writes its own answers at its end, or warns of them."""
    with full(live.store.path):
        could_not_take(OTHER)  # so that the parent waits to write at its own exit
    assert len(sp.rent(OTHER))
    Worker(end_with_an_answer, live, tmp_path / "log", has_room, method="fork").go().result()
    assert (f"rent of {NAME!r} (30 cents)" in (tmp_path / "log").read_text()) != has_room
    with plain_sqlite(live.store.path) as plain:
        assert plain.execute("select count(*) from response").fetchone() == (1 + has_room,)


def test_each_temporary_store_names_what_is_lost_with_it(service):
    """A temporary store that is closed while an answer waits says that the answer is lost, also the second time."""
    for number in (1, 2):
        client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=":memory:")
        with full(client.store.path):
            could_not_take(NAME, client=client)
            with pytest.warns(sp.SuburbWarning, match=rf"lost.*was temporary.*{NAME}.*30 cents"):
                client.close()
        assert len(service.requests) == number


def test_a_store_that_is_locked_until_the_end_of_a_request_takes_its_answer_then(live, service, monkeypatch):
    """If the store can be written when a request ends, its answer is written before others see that it ended."""
    ended = []
    end = Reservation.end

    def end_with_room(reservation):
        with plain_sqlite(live.store.path) as plain:
            plain.execute("drop trigger full")
            end(reservation)
            ended.extend(plain.execute("select outcome from call"))

    with plain_sqlite(live.store.path) as plain:
        plain.execute(NO_RESPONSE)
    monkeypatch.setattr(Reservation, "end", end_with_room)
    could_not_take(NAME)
    assert ended == [("billed",)]
    assert len(service.requests) == 1
