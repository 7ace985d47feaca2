"""Tests that an open store stays one file under one name."""

import os
import sys

import pytest

import suburb_pandas as sp
from suburb_pandas.store.store import Store
from tests.support.processes import Worker, obey_modes

NAME, OTHER = "Quokka Bay", "Bilby Heights"
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
