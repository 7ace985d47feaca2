"""Tests of the store's file: if it cannot be used, that is a StoreError, nothing is sent, and nothing is lost."""

import errno
import os
import re
import shutil
import threading
from contextlib import contextmanager, suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.store import database, forks, names_table, responses
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, plain_sqlite

NAME, OTHER = "Quokka Bay", "Bilby Heights"
LEFTOVER = ".store.sqlite-new-left"
"""A name that a process gives a store while it creates the store, and leaves if it is killed."""


@pytest.fixture
def connected(service):
    """Return a function that connects to the service of the test with another store."""

    @contextmanager
    def connect(path, **options):
        with sp.connect(api_key=LIVE_KEY, base_url=service.url, store=path, **options) as client:
            yield client

    return connect


def error_of_buying(service, name=OTHER):
    """Buy a suburb, check that the store raises an error and that nothing is sent, and return the message."""
    sent = len(service.requests)
    with pytest.raises(sp.errors.StoreError) as caught:
        sp.rent(name)
    assert len(service.requests) == sent
    return str(caught.value)


def of_another_program(path):
    """Create a SQLite file that is no store."""
    with plain_sqlite(path) as plain:
        plain.execute("create table theirs (a)")
        plain.execute("pragma user_version = 1")


def of_a_later_version(path):
    """Create a store as a later version of the package would."""
    Store(path).close()
    with plain_sqlite(path) as plain:
        plain.execute("pragma user_version = 99")


def cut_short(path):
    """Create a store and cut its second half off."""
    Store(path).close()
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("create", "what", "way_out"),
    [
        (lambda path: path.touch(), "is empty, or another program's", "put back a copy of the store"),
        (lambda path: path.write_bytes(b"no database, " * 99), "is damaged", "Put back a copy"),
        (cut_short, "is damaged", "Put back a copy"),
        (of_another_program, "is empty, or another program's", "connect with another store="),
        (of_a_later_version, "another version of suburb_pandas (schema 99", "upgrade the package"),
    ],
)
def test_what_is_no_store_is_an_error_and_is_left_as_it_is(tmp_path, service, connected, create, what, way_out):
    """A file that is no store of this version is not changed. The error names it, and says how to go on."""
    path = tmp_path / "s"
    create(path)
    content = path.read_bytes()
    with connected(path):
        message = error_of_buying(service)
    assert str(path) in message
    assert what in message
    assert way_out in message
    assert path.read_bytes() == content


def test_a_folder_is_no_store_and_a_file_in_it_is_named(tmp_path, service, connected):
    """A folder as the store is refused, with a file in it to paste."""
    with connected(tmp_path):
        message = error_of_buying(service)
    assert message.startswith(f"The store {tmp_path} is a folder")
    assert f"SUBURB_STORE={tmp_path}/store.sqlite" in message
    (given,) = re.findall(r"store='([^']+)'", message)
    with connected(given):
        assert len(sp.rent(NAME))


def test_a_later_version_that_takes_a_store_over_ends_its_purchases(live, service):
    """A later version may migrate a store that is open here: stored responses can be read, and nothing is sent."""
    frame = sp.rent(NAME)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("pragma user_version = 99")
    pd.testing.assert_frame_equal(sp.rent(NAME), frame)
    assert "another version" in error_of_buying(service)


def test_a_store_that_is_replaced_or_removed_while_it_is_in_use_is_an_error(live, service):
    """If the file of an open store was replaced or removed, nothing more is bought, because it would be lost."""
    sp.rent(NAME)
    copy = live.store.path.with_name("copy")
    shutil.copy(live.store.path, copy)
    for change in (lambda: copy.replace(live.store.path), live.store.path.unlink):
        change()
        assert "was removed or replaced while it was in use" in error_of_buying(service)


def test_a_store_with_two_names_is_not_used(live, service, connected):
    """SQLite keeps a journal for each name, so a hard link is an error that says how to copy the store."""
    sp.rent(NAME)
    second = live.store.path.with_name("second")
    second.hardlink_to(live.store.path)
    live.store.close()
    message = error_of_buying(service)
    assert "has 2 names (hard links)" in message
    assert f'sqlite3 {live.store.path} ".backup copy.sqlite"' in message
    with connected(second):
        assert "2 names" in error_of_buying(service)
    second.unlink()
    with connected(live.store.path):
        assert len(sp.rent([NAME, OTHER]))


def test_a_name_that_a_killed_process_left_is_removed(tmp_path):
    """A process that is killed while it creates a store leaves a second name, which is removed."""
    path = tmp_path / "store.sqlite"
    Store(path).close()
    (tmp_path / LEFTOVER).hardlink_to(path)
    assert Store(path).read(responses.ledger) == []
    assert not (tmp_path / LEFTOVER).exists()


@pytest.mark.parametrize("comes_first", [False, True])
def test_where_there_are_no_hard_links_a_store_is_created_all_the_same(tmp_path, monkeypatch, comes_first):
    """A file system without hard links holds a store too. If another process creates it first, that one is kept."""

    def refuse(*_, **__):
        if comes_first:
            (tmp_path / "first").rename(tmp_path / "s")
        raise PermissionError(errno.EPERM, "Operation not permitted")

    if comes_first:
        Store(tmp_path / "first").close()
    monkeypatch.setattr(os, "link", refuse)
    store = Store(tmp_path / "s")
    assert store.read(responses.ledger) == []
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_full_disk_is_an_error_and_loses_nothing(small_disk, service, connected):
    """Without room for the largest answers nothing is sent. On a full disk everything can be read, even vacuumed."""
    folder, _ = small_disk
    with connected(folder / "s"):
        assert "can take 128 MiB" in error_of_buying(service)
    with connected(folder / "s", max_workers=1) as client:
        frame = sp.rent(NAME)
        with suppress(OSError), (folder / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(bytes(4096)):
                pass
        assert "free some space" in error_of_buying(service)
        with pytest.raises(sp.errors.StoreError, match="full"):
            client.vacuum()
        assert sp.rent(NAME).equals(frame)
        assert len(sp.ledger()) == 1
        (folder / "ballast").unlink()
        client.vacuum()
        assert sp.rent([NAME, OTHER])["area_name"].nunique() == 2


def test_a_read_only_disk_can_be_read(small_disk, service, connected):
    """A read-only store serves its responses. A suburb that it does not hold is an error, and so is a vacuum."""
    folder, make_read_only = small_disk
    with connected(folder / "s", max_workers=1):
        frame = sp.rent(NAME)
    make_read_only()
    with connected(folder / "s", max_workers=1) as client:
        assert sp.rent(NAME).equals(frame)
        assert len(sp.ledger()) == 1
        assert sp.suggest("quokka")["area_name"].to_list() == [NAME]
        assert "is read-only" in error_of_buying(service)
        with pytest.raises(sp.errors.StoreError):
            client.vacuum()
        assert sp.rent(NAME).equals(frame)


def test_a_store_that_another_program_has_locked_is_waited_for_and_then_an_error(
    live, service, connected, monkeypatch, caplog
):
    """While another program locks the store, stored responses are read. A purchase waits, says so, and gives up."""
    sp.rent(NAME)
    monkeypatch.setattr(settings, "BUSY_WAIT", 1)
    monkeypatch.setattr(database, "_QUIET_WAIT", 0.2)
    with plain_sqlite(live.store.path) as other, connected(live.store.path):
        other.execute("begin immediate")
        assert len(sp.rent(NAME))
        message = error_of_buying(service)
        assert "locked by another program for more than 1 s" in message
        assert "End that program's transaction" in message
        assert [record.message for record in caplog.records if "has locked" in record.message] == [
            f"Another program has locked the store {live.store.path}; waiting for it up to 1 s"
        ]
        release = threading.Timer(0.4, other.execute, ["rollback"])
        release.start()
        assert len(sp.rent(OTHER))
        release.join()


def test_every_commit_survives_a_loss_of_power(tmp_path):
    """Whatever was written is on the disk when its transaction ends: SQLite syncs at each commit."""
    file = database.Database(tmp_path / "s", busy_wait=1)
    assert file.commit(lambda connection: connection.execute("pragma synchronous").fetchone()) == (2,)
    assert file.read(lambda connection: connection.execute("pragma journal_mode").fetchone()) == ("wal",)


def test_a_second_ctrl_c_leaves_no_transaction_open(tmp_path, monkeypatch):
    """Ctrl-C in a transaction, and again before its connection is closed, locks nobody out and is no later error."""
    store, close = Store(tmp_path / "s", busy_wait=1), forks.Connection.close

    def change(connection):
        connection.execute("insert into name_list values (1, '', '', '', null, 0, 0)")
        raise KeyboardInterrupt

    def strike(_):
        monkeypatch.setattr(forks.Connection, "close", close)
        raise KeyboardInterrupt

    monkeypatch.setattr(forks.Connection, "close", strike)
    with pytest.raises(KeyboardInterrupt):
        store.write(change)
    with plain_sqlite(store.path) as other:
        other.execute("begin immediate")
        other.execute("rollback")
    assert store.read(names_table.lists) == []
    store.close()
