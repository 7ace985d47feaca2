"""Tests that an open store stays one file under one name, and that its journal stays the one in use."""

import gc
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.store.store import Store
from tests.support.processes import Worker, obey_modes, race

NAME, OTHER = "Quokka Bay", "Bilby Heights"
ROW = (
    "insert into call (at, source, base_url, endpoint, area_name, outcome, cents) "
    "values ('2026', 's', 'u', 'rent', 'n', 'billed', 0)"
)
LEFTOVER = ".store.sqlite-new-left"
"""A name that a process gives a store while it creates the store, and leaves if it is killed."""


def error_of_buying(service):
    """Buy a suburb, check that the store raises an error and that nothing is sent, and return the message."""
    sent = len(service.requests)
    with pytest.raises(sp.errors.StoreError) as caught:
        sp.rent(OTHER)
    assert len(service.requests) == sent
    return str(caught.value)


def test_a_store_that_gets_a_second_name_is_not_bought_into(live, service):
    """A store that gets a second hard link while it is open is an error that says how to copy it; nothing is sent."""
    sp.rent(NAME)
    second = live.store.path.with_name("second")
    second.hardlink_to(live.store.path)
    message = error_of_buying(service)
    assert "2 names" in message
    assert f'sqlite3 {live.store.path} ".backup copy.sqlite"' in message
    second.unlink()
    assert len(sp.rent(OTHER))


def test_a_store_with_a_second_name_is_not_opened(tmp_path):
    """Opening a store with two hard links is an error, under either name."""
    Store(tmp_path / "store.sqlite").close()
    (tmp_path / "second").hardlink_to(tmp_path / "store.sqlite")
    for name in ("store.sqlite", "second"):
        with pytest.raises(sp.errors.StoreError, match="hard links"):
            Store(tmp_path / name)


def test_a_name_that_a_killed_process_left_is_removed(tmp_path):
    """A process that is killed while it creates a store leaves a second name, which is removed. Other files stay."""
    Store(tmp_path / "store.sqlite").close()
    (tmp_path / LEFTOVER).hardlink_to(tmp_path / "store.sqlite")
    (tmp_path / f"{LEFTOVER}-unfinished").write_bytes(b"")
    assert Store(tmp_path / "store.sqlite").ledger() == []
    assert not (tmp_path / LEFTOVER).exists()
    assert (tmp_path / f"{LEFTOVER}-unfinished").exists()


def test_a_second_name_counts_beside_one_that_a_killed_process_left(tmp_path):
    """A store that has the name of its creation and a second name is an error."""
    Store(tmp_path / "store.sqlite").close()
    for name in (LEFTOVER, "second"):
        (tmp_path / name).hardlink_to(tmp_path / "store.sqlite")
    with pytest.raises(sp.errors.StoreError, match="2 names"):
        Store(tmp_path / "store.sqlite")


def read_only_ledger(path):
    """Read the ledger of a store as the modes of its folder allow."""
    obey_modes()
    return Store(path).ledger()


@pytest.mark.skipif(
    not getattr(os, "geteuid", int)() and sys.platform != "linux", reason="root obeys modes on Linux only"
)
def test_a_name_that_cannot_be_removed_does_not_count(tmp_path):
    """In a folder that may not be written, the name that a killed process left stays, and the store can be read."""
    folder = tmp_path / "folder"
    Store(folder / "store.sqlite").close()
    (folder / LEFTOVER).hardlink_to(folder / "store.sqlite")
    folder.chmod(0o500)
    try:
        assert Worker(read_only_ledger, folder / "store.sqlite").go().result() == []
    finally:
        folder.chmod(0o700)


def remove(path):
    """Remove a file."""
    path.unlink()


def replace(path):
    """Replace a file by a copy of it."""
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


@pytest.mark.parametrize("harm", [remove, replace])
@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_journal_that_is_removed_or_replaced_is_noticed_before_a_call_is_sent(live, service, harm, ending):
    """If a file of the journal is not the one in use, nothing is sent. After closing and connecting again, it is."""
    frame = sp.rent(NAME)
    path = live.store.path
    file = path.with_name(f"{path.name}{ending}")
    harm(file)
    message = error_of_buying(service)
    assert f"{file} was removed or replaced" in message
    assert error_of_buying(service) == message
    assert "close every program and every client" in message
    live.close()
    with sp.Client(api_key=live.settings.api_key, base_url=service.url, store=path) as client:
        assert sp.rent(NAME, client=client).equals(frame)
        assert len(sp.rent(OTHER, client=client))


def test_a_new_reader_does_not_mix_two_journals(tmp_path):
    """While one connection uses a journal that was removed, no other connection is opened beside it."""
    store = Store(tmp_path / "s")
    with store.database.reading():
        (tmp_path / "s-wal").unlink()
        with pytest.raises(sp.errors.StoreError, match="s-wal was removed"):
            store.ledger()
    store.close()
    assert Store(tmp_path / "s").ledger() == []


def test_another_client_of_the_session_does_not_mix_two_journals_either(tmp_path):
    """While one client uses a journal that was removed, the store is not opened beside it in the same session."""
    store = Store(tmp_path / "s")
    with store.database.reading():
        (tmp_path / "s-wal").unlink()
        with pytest.raises(sp.errors.StoreError, match="s-wal was removed"):
            Store(tmp_path / "s")
    store.close()
    assert Store(tmp_path / "s").ledger() == []


def take_free_inodes(folder):
    """Create files, so that the next one does not get the number of one that was just removed."""
    for _ in range(4):
        os.close(tempfile.mkstemp(dir=folder)[0])


def test_a_journal_may_be_removed_while_no_connection_is_open(tmp_path):
    """SQLite removes the journal when the last connection is closed. The store can then be used again."""
    store = Store(tmp_path / "s")
    for _ in range(2):
        store.database.close_idle()
        assert not (tmp_path / "s-wal").exists()
        take_free_inodes(tmp_path)
        store.wait_until_writable()
    store.database.close_idle()


def use(path, seconds, seed):
    """Open, read, write and close a store with several threads, and fork now and then; return the number of rounds."""
    chance, stop = random.Random(seed), time.monotonic() + seconds
    store, rounds = Store(path), 0

    def act(_):
        if chance.random() < 0.3:
            store.database.close_idle()
            take_free_inodes(path.parent)
        elif chance.random() < 0.5:
            store.ledger()
        else:
            store.database.commit(lambda connection: connection.execute("update call set cents = cents + 1"))

    while time.monotonic() < stop:
        rounds += 1
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(act, range(8)))
        if chance.random() < 0.1 and os.fork() == 0:
            os._exit(0 if Store(path).ledger() else 1)
        if chance.random() < 0.3:
            store.close()
            store = Store(path)
    return rounds


@pytest.mark.parametrize(
    ("processes", "seconds"), [(1, 0.5), *(pytest.param(number, 8, marks=pytest.mark.long) for number in (1, 2, 8))]
)
def test_no_use_of_a_store_is_taken_for_a_removal(tmp_path, processes, seconds, trial):
    """Processes and threads that open, read, write and close a store, and fork, never find its journal removed."""
    with Store(tmp_path / "s").database.writing() as connection:
        connection.execute(ROW)
    rounds = race([(use, tmp_path / "s", seconds, seed) for seed in range(processes)])
    assert all(rounds)
    tried = "up to 8 processes open, read, write and close a store, and fork"
    trial(tried, "none finds its journal removed", rounds=sum(rounds))


def test_a_store_that_the_garbage_collector_closes_holds_nobody_up(tmp_path):
    """A dropped store may be closed in the middle of opening another one, in the same thread."""
    path, until = tmp_path / "store", time.monotonic() + 0.7
    Store(path).close()
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()

    def open_and_drop():
        while time.monotonic() < until:
            store = Store(path)
            store.spent()
            cycle = {"store": store}
            cycle["itself"] = cycle
            del store, cycle

    threads = [threading.Thread(target=open_and_drop, daemon=True) for _ in range(4)]
    gc.set_threshold(20)
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads)
