"""Tests of a store that threads, forked processes and other users read while somebody writes to it."""

import gc
import os
import random
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import database, forks, responses
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.processes import Worker, obey_modes
from tests.support.stored import put

NAMESPACE, ITEM = Namespace("live", "https://example.org"), Item("rent", "Quokka Bay")
BAY, OTHER = "Quokka Bay", "Bilby Heights"


def own(path, told, seconds):
    """Write to a store for some seconds, close it now and then, and tell how many calls it has."""
    chance, stop, store, number = random.Random(5), time.monotonic() + seconds, Store(path), 0
    while time.monotonic() < stop:
        put(store, NAMESPACE, {ITEM: os.urandom(9000)})
        number += 1
        told.write_text(f"{number:6}")
        if chance.random() < 0.3:
            store.close()
            time.sleep(chance.random() / 50)
    store.close()
    return number


def look_in(path, told, seconds):
    """Read a store that this user may not write; return the number of calls at the end, and of reads that failed."""
    obey_modes()
    stop, failed, found = time.monotonic() + seconds, 0, []
    while time.monotonic() < stop:
        known = int(told.read_text() or 0)
        try:
            with closing(Store(path)) as store:
                store.vintages(NAMESPACE, ITEM)
                found = store.read(responses.ledger)
        except sp.errors.StoreError as error:
            assert "Another user is writing to the store" in str(error)  # noqa: PT017 - it need not be raised
            failed += 1
        else:
            assert len(found) >= known
    return len(found), failed


@pytest.mark.skipif(
    not getattr(os, "geteuid", int)() and sys.platform != "linux", reason="root obeys modes on Linux only"
)
@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.long)])
def test_a_colleague_reads_what_the_owner_has_written(tmp_path, seconds, trial):
    """Who may only read a shared store sees all that its owner has written by then, whether it is open there or not."""
    path, told = tmp_path / "folder" / "s", tmp_path / "told"
    put(Store(path), NAMESPACE, {ITEM: b"{}"})
    told.touch()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        owner, colleagues = Worker(own, path, told, seconds), [Worker(look_in, path, told, seconds + 1) for _ in "ab"]
        results = [colleague.go() for colleague in colleagues]
        written = owner.go().result(seconds + 60)
        for found, failed in (result.result(seconds + 60) for result in results):
            assert found == written + 1
            assert failed < written
    finally:
        path.parent.chmod(0o700)
    trial("a user who may only read reads while the owner writes", "all that was written is seen", vintages=written)


def open_journals(path):
    """Return how often this process has the journal of a store open, as each connection has once."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("only Linux lists the open files of a process")
    return sum(f"{path}-wal" == str(file.readlink()) for file in folder.iterdir() if file.is_symlink())


def test_many_threads_read_while_one_writes_and_leave_nothing_open(tmp_path):
    """Each thread sees all that was written before. Its connection is closed when it ends, or the store is closed."""
    store, stop = Store(tmp_path / "s"), threading.Event()

    def read():
        seen = 0
        while not stop.is_set():
            found = len(store.vintages(NAMESPACE, ITEM))
            assert found >= seen
            seen = found

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(8) as pool:
            readers = [pool.submit(read) for _ in range(8)]
            for _ in range(30):
                put(store, NAMESPACE, {ITEM: b"{}"})
            stop.set()
            for reader in readers:
                reader.result()
        del readers, reader, pool
        gc.collect()
        assert open_journals(store.path) == 1  # this thread's
        store.close()
        assert not open_journals(store.path)
        assert len(store.vintages(NAMESPACE, ITEM)) == 30
        store.close()
    assert not [one for one in caught if issubclass(one.category, ResourceWarning)]


def exit_code_of(function, *arguments):
    """Run a function in a forked child, and return the child's exit code."""
    child = get_context("fork").Process(target=function, args=arguments)
    child.start()
    child.join(30)
    return child.exitcode


def buy_another():
    """Read what is stored, and buy a suburb."""
    assert len(sp.rent(BAY, offline=True))
    assert len(sp.rent(OTHER))


def test_the_forked_child_of_an_idle_parent_reads_and_buys(live, service):
    """A child of a process whose store is idle uses the same client, and its parent finds what it bought."""
    sp.rent(BAY)
    assert exit_code_of(buy_another) == 0
    assert len(sp.rent([BAY, OTHER], offline=True))
    assert len(service.requests) == 2


def fail_to_read(path):
    """Check that no store can be used."""
    for look in (sp.ledger, lambda: sp.rent(BAY), lambda: Store(path.with_name("new"))):
        with pytest.raises(sp.errors.StoreError, match=r"forked while its parent.*get_context\(\"spawn\"\)"):
            look()


def test_the_forked_child_of_a_transaction_uses_no_store(service, tmp_path, monkeypatch, caplog):
    """If a thread stays in a transaction, a fork goes ahead, and any use of a store in the child is an error."""
    monkeypatch.setattr(forks, "_LONGEST_WAIT", 0.1)
    monkeypatch.setattr(database, "_QUIET_WAIT", 0)
    with sp.connect(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s"), ThreadPoolExecutor(1) as pool:
        sp.rent(BAY)
        with plain_sqlite(tmp_path / "s") as other:
            other.execute("begin immediate")
            under_way = pool.submit(sp.rent, OTHER)
            wait_for(lambda: "has locked the store" in caplog.text)
            assert exit_code_of(fail_to_read, tmp_path / "s") == 0
            other.execute("rollback")
        assert len(under_way.result())
    assert len(service.requests) == 2


def test_a_request_that_a_child_inherits_is_an_error_there(live, service):
    """A process that is forked in the middle of a request leaves it to its parent, and can ask again itself."""
    names, parent, children = RENTED[:12], os.getpid(), []

    def fork_once(items, _):
        for item in items:
            if not children:
                children.append(os.fork())
            yield item

    service.fail("latency", name=names[-1], seconds=1)  # so that the request goes on after the fork
    try:
        frame = sp.rent(names, progress=fork_once)
    except sp.errors.StoreError as error:
        if os.getpid() == parent:
            raise
        os._exit(0 if "forked in the middle of a request" in str(error) and len(sp.rent(names)) else 1)
    finally:
        if os.getpid() != parent:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    assert frame["area_name"].nunique() == 12
    assert set(service.served.values()) == {1}


def commit_one(path):
    """Write to a store."""
    put(Store(path), NAMESPACE, {ITEM: b"{}"})


def test_processes_forked_while_a_thread_writes_can_write(tmp_path):
    """A process can be forked at any moment of another thread's transactions, and uses the store itself."""
    store, stop = Store(tmp_path / "s"), threading.Event()

    def write():
        while not stop.is_set():
            store.write(lambda _: None)

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write) for _ in range(2)]
        codes = [exit_code_of(commit_one, store.path) for _ in range(10)]
        stop.set()
        for writer in writers:
            writer.result()
    assert codes == [0] * 10
    store.close()
