"""Tests of answers that a store could not take: they are written as soon as there is room, and are not bought twice."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from tests.support.adversary import serve
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for

NAME, OTHER, STORED = "Quokka Bay", "Bilby Heights", RENTED[0]
NO_RESPONSE = "create trigger full before insert on response begin select raise(abort, 'disk full'); end"
NO_END = NO_RESPONSE.replace("insert on response", "update on call when new.ended_at is not null")


@contextmanager
def full(path, trigger=NO_RESPONSE):
    """Have a store take no response for a while, or whatever else the trigger says."""
    with plain_sqlite(path) as plain:
        plain.execute(trigger)
        yield
        plain.execute("drop trigger full")


def could_not_take(suburbs, match="disk full", **options):
    """Buy suburbs with a store that is full, and return the error."""
    with pytest.raises(sp.errors.StoreError, match=match) as caught:
        sp.rent(suburbs, **options)
    return caught.value


def test_an_answer_that_the_store_could_not_take_is_not_bought_again(live, service):
    """Once there is room, the same request in the same session writes the answer and returns the same frame."""
    with full(live.store.path):
        error = could_not_take([NAME])
        assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert "try again in this session" in str(error)
    assert error.cents == 30
    assert sp.quote(NAME).calls == 0
    frame = sp.rent([NAME])
    pd.testing.assert_frame_equal(frame, error.frame)
    assert len(service.requests) == 1
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents, row.http_status) == ("billed", 30, 200)
    assert row.request_id == sp.provenance(frame)["request_id"].item()


def test_while_an_answer_waits_nothing_is_bought(live, service):
    """Until the answer is written, a purchase is an error. What is stored can be read, and quoted."""
    sp.rent(STORED)
    with full(live.store.path):
        could_not_take([NAME, OTHER])
        sent = len(service.requests)
        could_not_take([STORED, RENTED[1]])
        assert len(sp.rent(STORED))
        assert sp.quote([STORED, RENTED[1]]).calls == 1
        assert len(sp.ledger()) == sent
    assert len(service.requests) == sent
    assert len(sp.rent(RENTED[1]))
    assert len(service.requests) == sent + 1


def test_what_a_request_left_can_be_bought_as_soon_as_its_store_can_be_written(service, tmp_path, monkeypatch):
    """If a locked store stops a request, the same line goes on at once when the lock is gone."""
    monkeypatch.setattr(settings, "BUSY_WAIT", 0.3)
    service.fail("latency", seconds=60)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        plain_sqlite(client.store.path) as plain,
        ThreadPoolExecutor(1) as pool,
    ):
        request = pool.submit(sp.rent, RENTED[:9], client=client)
        wait_for(lambda: len(sp.ledger(client=client)) == 1)
        plain.execute("begin immediate")
        service.release()
        assert isinstance(request.exception(), sp.errors.StoreError)
        plain.execute("rollback")
        start = time.monotonic()
        assert sp.rent(RENTED[:9], client=client)["area_name"].nunique() == 9
        assert time.monotonic() - start < 10
    assert set(service.served.values()) == {1}


def test_any_client_on_the_file_writes_what_waits_where_it_belongs(live, service):
    """A client of another service writes the answer with its next transaction, and it stays with the first service."""
    with full(live.store.path):
        could_not_take(NAME)
    with serve() as second, sp.Client(api_key=LIVE_KEY, base_url=second.url, store=live.store.path) as client:
        assert sp.ledger(client=client)["outcome"].to_list() == ["billed"]
        assert sp.quote(NAME, client=client).calls == 1
    assert len(sp.rent(NAME, offline=True))


def test_refusals_are_written_later_too(live, service):
    """A call that was refused is unknown until its end can be written. If it was charged, it is not made again."""
    service.answer(NAME, "rent", status=404, body=b"{}")
    service.answer(OTHER, "rent", status=404, body=b"{}", billed=True)
    for name in (NAME, OTHER):
        with full(live.store.path, NO_END):
            assert could_not_take(name).frame is None
            assert sp.ledger()["outcome"].to_list()[-1] == "unknown"
        assert len(sp.ledger())  # writes what waits
    assert sp.ledger()["outcome"].to_list() == ["not_billed", "billed"]
    with pytest.raises(sp.errors.UnknownSuburb, match="cost 30 cents and is stored"):
        sp.rent(OTHER)
    assert len(service.requests) == 2


def test_what_waits_is_written_once(live, service):
    """Several requests at once write what waits once, and all of them find it."""
    with full(live.store.path):
        could_not_take([NAME])
    with ThreadPoolExecutor(8) as pool:
        frames = list(pool.map(lambda _: sp.rent(NAME), range(8)))
    assert all(frame.equals(frames[0]) for frame in frames)
    assert len(service.requests) == 1


def test_closing_warns_of_what_could_not_be_written(live, service):
    """A client that is closed warns of the answers that its store could not take. The next client writes them."""
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": live.store.path}
    client = sp.Client(**options)
    with full(live.store.path):
        could_not_take(NAME, client=client)
        with pytest.warns(
            sp.SuburbWarning, match=f"rent of {NAME!r}. They cost 30 cents and stay in the memory"
        ) as caught:
            client.close()
    assert [one.filename for one in caught] == [__file__]
    with sp.Client(**options) as another:
        assert len(sp.rent(NAME, client=another))
    assert len(service.requests) == 1


def find_offline(client):
    """Request the stored rents of a suburb, and check that there are none."""
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


def test_a_program_that_ends_warns_of_what_it_could_not_write(service, tmp_path):
    """A program that ends before there is room lists each answer that is lost, with their cents, in one warning."""
    arguments = [service.url, tmp_path / "s", NO_RESPONSE, NAME, OTHER]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.count("SuburbWarning") == 1
    names = done.stdout.strip().split(",")
    assert len(names) == len(service.requests)
    assert all(f"rent of {name!r}" in done.stderr for name in names)
    assert f"They cost {30 * len(names)} cents" in done.stderr


def test_an_answer_stays_in_memory_if_the_store_is_replaced(live, service, tmp_path):
    """A new file at the place of the store does not have the call, so its answer is kept until the file is back."""
    with full(live.store.path):
        could_not_take(NAME)
    live.store.path.rename(tmp_path / "away")
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as other:
        assert len(sp.rent(OTHER, client=other))
        with pytest.warns(sp.SuburbWarning, match=f"rent of {NAME!r}. They cost 30 cents"):
            other.close()
    (tmp_path / "away").replace(live.store.path)
    assert len(sp.rent(NAME))
    assert service.served == {("rent", NAME): 1, ("rent", OTHER): 1}
