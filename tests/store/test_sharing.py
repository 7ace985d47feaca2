"""Tests of a store that threads, forked processes and other users read while somebody writes to it."""

import gc
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import database, forks
from suburb_pandas.store.store import Store
from tests.support.common import RENTED, plain_sqlite, wait_for
from tests.support.processes import Worker, obey_modes
from tests.support.stored import put

NAMESPACE, ITEM = Namespace("live", "https://example.org"), Item("rent", "Quokka Bay")
BAY, OTHER, THIRD = RENTED[:3]


def own(path, told, seconds):
    """Write to a store for some seconds, close it now and then, and tell how many responses it has."""
    chance, stop, number, store = random.Random(5), time.monotonic() + seconds, 0, Store(path)
    while time.monotonic() < stop:
        put(store, NAMESPACE, {ITEM: os.urandom(9000)})
        number += 1
        told.write_text(str(number))
        if chance.random() < 0.3:
            store.close()
            time.sleep(chance.random() / 50)
    store.close()
    return number


def look_in(path, told):
    """Read a store that this user may not write, until told to end; return the number of responses at the end."""
    obey_modes()
    n_read = 0
    while (known := told.read_text()) != "end":
        try:
            with closing(Store(path)) as store:
                assert len(store.vintages(NAMESPACE, ITEM)) >= int(known or 0)
            n_read += 1
        except sp.errors.StoreError as error:
            assert "Another user is writing to the store" in str(error)  # noqa: PT017 - it need not be raised
    assert n_read
    return len(Store(path).vintages(NAMESPACE, ITEM))


@pytest.mark.skipif(
    not getattr(os, "geteuid", int)() and sys.platform != "linux", reason="root obeys modes on Linux only"
)
@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.long)])
def test_a_colleague_reads_what_the_owner_has_written(tmp_path, seconds, trial):
    """Who may only read a shared store sees all that its owner has written by then, whether it is open there or not."""
    path, told = tmp_path / "folder" / "s", tmp_path / "told"
    Store(path).close()
    for file in (told, path.with_name("s-wal")):  # which is there before the -shm, while the owner opens the store
        file.touch()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with ThreadPoolExecutor(1) as pool, pytest.raises(sp.errors.StoreError, match="Another user is writing"):
            pool.submit(lambda: [obey_modes(), Store(path)]).result()
        owner, colleague = Worker(own, path, told, seconds), Worker(look_in, path, told).go()
        written = owner.go().result(seconds + 60)
        told.write_text("end")
        assert colleague.result() == written
    finally:
        path.parent.chmod(0o700)
    trial("a user who may only read reads while the owner writes", "all that was written is seen", vintages=written)


def open_journals(path):
    """Return how often this process has the journal of a store open, as each connection has once."""
    return sum(os.path.realpath(file) == f"{path}-wal" for file in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
def test_many_threads_read_while_one_writes_and_leave_nothing_open(tmp_path):
    """Each thread sees all that was written before. Its connection is closed when it ends, or the store is closed."""
    store = Store(tmp_path / "s")

    def read(_):
        seen = 0
        while seen < 20:
            found = len(store.vintages(NAMESPACE, ITEM))
            assert found >= seen
            seen = found

    with ThreadPoolExecutor(4) as pool:
        readers = pool.map(read, range(4))
        for _ in range(20):
            put(store, NAMESPACE, {ITEM: b"{}"})
        list(readers)
    del readers, pool
    gc.collect()
    assert open_journals(store.path) == 1  # this thread's
    store.close()
    assert not open_journals(store.path)
    assert len(store.vintages(NAMESPACE, ITEM)) == 20


def in_a_child(function):
    """Run a function in a forked child. If it raises an error there, the test fails."""
    Worker(function, method="fork").go().result()


def test_a_forked_child_uses_a_store_if_no_transaction_was_under_way(live, service, tmp_path, monkeypatch, caplog):
    """The child of an idle process uses the same client, and its parent finds what it bought.

    If a thread stays in a transaction, a fork goes ahead, and any use of a store in the child is an error.
    """

    def fail():
        for look in (sp.ledger, lambda: sp.rent(BAY), lambda: Store(tmp_path / "new")):
            with pytest.raises(sp.errors.StoreError, match=r"forked while its parent.*get_context\(\"spawn\"\)"):
                look()

    monkeypatch.setattr(forks, "_LONGEST_WAIT", 0.1)
    monkeypatch.setattr(database, "_QUIET_WAIT", 0)
    with ThreadPoolExecutor(1) as pool, plain_sqlite(live.store.path) as other:
        sp.rent(BAY)
        in_a_child(lambda: sp.rent([BAY, THIRD]).size)
        other.execute("begin immediate")
        under_way = pool.submit(sp.rent, OTHER)
        wait_for(lambda: "has locked the store" in caplog.text)
        in_a_child(fail)
        other.execute("rollback")
        assert len(under_way.result())
        assert sp.rent([BAY, OTHER, THIRD], offline=True)["area_name"].nunique() == 3
    assert len(service.requests) == 3


def test_a_request_that_a_child_inherits_is_an_error_there(live, service):
    """A process that is forked in the middle of a request leaves it to its parent, and can ask again itself."""
    names = RENTED[:12]

    def fork_once(items, _):
        def fail():
            with pytest.raises(sp.errors.StoreError, match="forked in the middle of a request"):
                list(items)
            sp.rent(RENTED[20])

        yield next(items)
        in_a_child(fail)
        service.release()
        yield from items

    service.fail("latency", name=names[-1], seconds=60)  # so that the request goes on after the fork
    assert sp.rent(names, progress=fork_once)["area_name"].nunique() == 12
    assert len(sp.rent(RENTED[20], offline=True))
    assert set(service.served.values()) == {1}


def test_processes_forked_while_a_thread_writes_can_write(tmp_path):
    """A process can be forked at any moment of another thread's transactions, and uses the store itself."""
    store, stop = Store(tmp_path / "s"), threading.Event()

    def write():
        while not stop.is_set():
            store.write(lambda _: None)

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write) for _ in range(2)]
        try:
            for _ in range(10):
                in_a_child(lambda: put(Store(store.path), NAMESPACE, {ITEM: b"{}"}))
        finally:
            stop.set()
        for writer in writers:
            writer.result()
