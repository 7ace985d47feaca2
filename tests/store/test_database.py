"""Tests of the store's file: if it cannot be used, that is a StoreError, nothing is sent, and nothing is lost."""

import errno
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.store import database, forks, names_table
from suburb_pandas.store.store import Store
from tests.support.common import plain_sqlite, wait_for

NAME, OTHER = "Quokka Bay", "Bilby Heights"


@pytest.fixture
def refused(service):
    """Return a function that tries to buy a suburb, and checks that the store raises an error and nothing is sent."""

    def try_to_buy(match):
        sent = service.requests
        with pytest.raises(sp.errors.StoreError, match=match):
            sp.rent(OTHER)
        assert service.requests == sent

    return try_to_buy


@pytest.mark.parametrize(
    ("spoiled", "error"),
    [
        (lambda _: b"", "is empty, or another program's.*put back a copy of the store, or connect with another store="),
        (lambda _: b"no database, " * 99, "is damaged.*Put back a copy"),
        (lambda store: store[: len(store) // 2], "is damaged.*Put back a copy"),
        (lambda store: store.replace(b"response", b"somebody"), "is empty, or another program's"),
        (lambda store: store[:63] + b"c" + store[64:], r"another version of suburb_pandas \(schema 99.*upgrade the pa"),
    ],
)
def test_what_is_no_store_is_an_error_and_is_left_as_it_is(tmp_path, connect, refused, spoiled, error):
    """A file that is no store of this version is not changed. The error names it, and says how to go on."""
    path = tmp_path / "s"
    Store(path).close()
    content = spoiled(path.read_bytes())
    path.write_bytes(content)
    with connect(store=path):
        refused(f"{path} .*{error}")
    assert path.read_bytes() == content


def test_a_store_that_is_taken_over_replaced_or_removed_while_it_is_in_use_takes_nothing_more(live, refused):
    """A later version may migrate a store that is open here: stored responses can be read, and nothing is sent.

    If the file was replaced or removed, nothing more is bought, because it would be lost.
    """
    path, frame = live.store.path, sp.rent(NAME)
    copy = shutil.copy(path, path.with_name("copy"))
    with plain_sqlite(path) as plain:
        plain.execute("pragma user_version = 99")
    pd.testing.assert_frame_equal(sp.rent(NAME), frame)
    refused("another version")
    copy.replace(path)
    refused("was removed or replaced while it was in use")
    path.unlink()
    refused("was removed or replaced while it was in use")


def test_a_store_with_two_names_is_not_used(live, connect, refused):
    """SQLite keeps a journal for each name, so a hard link is an error that says how to copy the store.

    A symbolic link leads to the store itself.
    """
    sp.rent(NAME)
    path = live.store.path
    second = path.with_name("second")
    second.hardlink_to(path)
    live.store.close()
    refused(rf'has 2 names \(hard links\).*sqlite3 {path} "\.backup copy\.sqlite"')
    with connect(store=second):
        refused("2 names")
    second.unlink()
    second.symlink_to(path)
    with connect(store=second) as client:
        assert len(sp.rent([NAME, OTHER]))
        assert client.store.path == path


def test_where_there_are_no_hard_links_a_store_is_created_all_the_same(tmp_path, monkeypatch):
    """A file system without hard links holds a store too. If another process creates it first, that one is kept."""
    path, first = tmp_path / "new" / "folder" / "s", tmp_path / "first"

    def refuse(*_, **__):
        if first.exists():
            first.rename(path)
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    Store(path).close()
    inode = path.rename(first).stat().st_ino
    Store(path).close()
    assert [*path.parent.iterdir()] == [path]
    assert path.stat().st_ino == inode


def test_without_room_for_the_largest_answers_nothing_is_sent(live, refused, monkeypatch):
    """Before a purchase, the disk needs room for the largest answer to each of the simultaneous calls."""
    free = [2**27 - 1, 2**27]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free[0]))
    refused(f"The disk of the store {live.store.path} has 127 MiB left, .* can take 128 MiB.*; free some space")
    free.pop(0)
    assert len(sp.rent(OTHER))


def test_a_store_that_another_program_has_locked_is_waited_for_and_then_an_error(
    live, connect, refused, monkeypatch, caplog
):
    """While another program locks the store, what is stored is read, and what can wait is not written at once.

    A purchase waits, says so, and gives up.
    """
    path = live.store.path
    sp.rent(NAME)
    monkeypatch.setattr(database, "_QUIET_WAIT", 0.1)
    with plain_sqlite(path) as other, ThreadPoolExecutor(1) as pool:
        other.execute("begin immediate")
        monkeypatch.setattr(settings, "BUSY_WAIT", 0.5)
        with connect(store=path):
            assert len(sp.rent(NAME))
            live.store.try_to_write(lambda _: None)
            assert "has locked" not in caplog.text
            refused(r"locked by another program for more than 0\.5 s.*End that program's transaction")
        monkeypatch.setattr(settings, "BUSY_WAIT", 60)
        with connect(store=path):
            request = pool.submit(sp.rent, OTHER)
            wait_for(lambda: f"Another program has locked the store {path}; waiting for it up to 60 s" in caplog.text)
            other.execute("rollback")
            assert len(request.result())


def test_a_second_ctrl_c_leaves_no_transaction_open(tmp_path, monkeypatch):
    """Ctrl-C in a transaction, and again before its connection is closed, locks nobody out and is no later error."""
    store = Store(tmp_path / "s", busy_wait=1)

    def strike(*_):
        raise KeyboardInterrupt

    def change(file):
        file.execute("insert into name_list values (1, '', '', '', null, 0, 0)")
        strike()

    with monkeypatch.context() as patch:
        patch.setattr(forks.Connection, "close", strike)
        with pytest.raises(KeyboardInterrupt):
            store.write(change)
    with plain_sqlite(store.path) as other:
        other.execute("begin immediate")
    assert store.read(names_table.lists) == []
