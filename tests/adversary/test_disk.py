"""Stores on a full or read-only disk, locked by another program, or damaged.

Nothing is bought that cannot be stored, and nothing that was bought is lost.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings as package_settings
from tests.support.common import plain_sqlite, replace_connect
from tests.support.processes import NAMES, Worker, ask, books, obey_modes, paying, sandbox

BOUGHT, WANTED = NAMES[:3], NAMES[3]
MEBIBYTE = 2**20


@pytest.fixture
def service():
    """Run a sandbox in another process."""
    with sandbox() as running:
        yield running


@contextmanager
def mounted(where, mebibytes):
    """Mount a small disk in memory, or skip the test if that is not allowed."""
    where.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "none", str(where)]
    if not shutil.which("mount") or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root on Linux only")
    try:
        yield where
    finally:
        subprocess.run(["umount", "--lazy", str(where)], check=True)  # noqa: S607 - root's own


@pytest.fixture
def disk(tmp_path):
    """Mount a disk of 40 MiB, with room for two responses of the largest size but not for three."""
    with mounted(tmp_path / "disk", 40) as where:
        yield where


def fill(folder, *, leaving=0):
    """Fill a disk except for some bytes."""
    with (folder / "ballast").open("wb", buffering=0) as ballast:
        with suppress(OSError):
            while True:
                ballast.write(bytes(MEBIBYTE))
        ballast.truncate(max(0, ballast.tell() - leaving))


def requests_of(service):
    """Return the number of requests that reached the service."""
    return len(service.tally()["requests"])


def refused(service, settings, suburbs=WANTED):
    """Request suburbs, check that the store raises an error and that nothing is sent, and return the error."""
    before = requests_of(service)
    with sp.Client(**settings) as client, pytest.raises(sp.errors.StoreError, match=str(settings["store"])) as caught:
        sp.rent(suburbs, client=client)
    assert requests_of(service) == before
    return caught.value


def bought(service, store, **settings):
    """Buy three suburbs in another process, which closes its store, and return the frame."""
    (frame,) = Worker(ask, paying(service, store, **settings), ("rent", BOUGHT)).go().result()
    return frame


def test_without_room_for_the_largest_answers_nothing_is_sent(service, disk):
    """A purchase needs room for max_workers x 16 MiB; on a small disk, fewer workers can still buy."""
    error = refused(service, paying(service, disk / "store", max_workers=3))
    assert "max_workers" in str(error) or "MiB" in str(error)
    refused(service, paying(service, disk / "store", max_workers=3), [WANTED, NAMES[4]])
    with sp.Client(**paying(service, disk / "store", max_workers=2)) as client:
        assert len(sp.rent(WANTED, client=client)) > 100


def test_on_a_disk_that_is_all_but_full_what_is_stored_can_be_read(service, disk):
    """On a disk that is almost full nothing is bought, but stored responses and the ledger can be read."""
    settings = paying(service, disk / "store", max_workers=2)
    frame = bought(service, disk / "store", max_workers=2)
    fill(disk, leaving=MEBIBYTE)
    with sp.Client(**settings) as client:
        pd.testing.assert_frame_equal(sp.rent(BOUGHT, client=client), frame)
        assert len(sp.ledger(client=client)) == 3
    refused(service, settings)
    (disk / "ballast").unlink()
    with sp.Client(**settings) as client:
        assert sp.rent([*BOUGHT, WANTED], client=client)["area_name"].nunique() == 4
    assert set(service.served().values()) == {1}


@pytest.mark.parametrize("leaving", [0, 12_288, 65_536])
def test_a_disk_that_fills_up_while_calls_are_under_way_loses_no_answer(service, disk, leaving):
    """A batch stops if the disk fills up; the error's frame has every response. With room, none is lost."""
    settings = paying(service, disk / "store", max_workers=2)
    bought(service, disk / "store", max_workers=2)
    service.fail("latency", times=None, seconds=0.7)
    filler = threading.Timer(0.3, fill, [disk], {"leaving": leaving})
    filler.start()
    with sp.Client(**settings) as client:
        with pytest.raises(sp.errors.StoreError) as caught:
            sp.rent(NAMES[3:40], client=client)
        filler.join()
        served = {name for _, name in service.served()} - set(BOUGHT)
        assert 1 <= len(served) < 10
        (disk / "ballast").unlink()
        check_that_nothing_was_lost(service, client, caught.value, served)


@pytest.fixture
def limit_pages(monkeypatch):
    """Return a function that sets how many pages any database may have, from its next connection on."""

    def limit(pages):
        def connect_with_limit(*arguments, **options):
            connection = sqlite3.connect(*arguments, **options)
            connection.execute(f"pragma max_page_count = {pages}")
            return connection

        replace_connect(monkeypatch, connect_with_limit)

    return limit


@pytest.mark.parametrize("spare", [0, 3, 40])
def test_a_database_that_may_not_grow_loses_no_answer(service, tmp_path, limit_pages, spare):
    """A batch stops if SQLite finds no more room; the error's frame has every response. With room, none is lost."""
    settings = paying(service, tmp_path / "store", max_workers=4)
    bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as plain:
        ((pages,),) = plain.execute("pragma page_count")
    limit_pages(pages + spare)
    with sp.Client(**settings) as client:
        with pytest.raises(sp.errors.StoreError, match="full") as caught:
            sp.rent(NAMES[3:40], client=client)
        served = {name for _, name in service.served()} - set(BOUGHT)
        assert 1 <= len(served) < 20
        limit_pages(2**30)
        client.store.database.close_idle()  # those connections still have the limit
        check_that_nothing_was_lost(service, client, caught.value, served)


def check_that_nothing_was_lost(service, client, error, served):
    """Check that an error's frame has what was served, that it can be read with room again, and was bought once."""
    arrived = list(error.frame["area_name"].unique())
    assert set(arrived) == served
    again = sp.rent(arrived, client=client)
    pd.testing.assert_frame_equal(again, error.frame, check_categorical=False)
    assert set(service.served().values()) == {1}
    assert set(sp.ledger(client=client)["outcome"]) == {"billed"}
    assert len(sp.ledger(client=client)) == service.tally()["calls"]


def test_a_database_that_takes_no_response_gives_the_answer_to_the_caller(service, tmp_path):
    """If responses cannot be written, the batch stops, and the ones that were paid for are in the error's ``frame``."""
    settings = paying(service, tmp_path / "store", max_workers=4)
    bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as plain:
        plain.execute("create trigger full before insert on response begin select raise(abort, 'disk full'); end")
    with sp.Client(**settings) as client:
        with pytest.raises(sp.errors.StoreError, match="disk full") as caught:
            sp.rent(WANTED, client=client)
        assert len(caught.value.frame) > 100
        assert caught.value.cents == 30
        sent = requests_of(service)
        with pytest.raises(sp.errors.StoreError, match=r"1 response is still in the memory .*disk full"):
            sp.rent(NAMES[4:60], client=client)
        assert requests_of(service) == sent
        with plain_sqlite(tmp_path / "store") as plain:
            plain.execute("drop trigger full")
    assert set(books(settings)["outcome"]) == {"billed"}


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_on_a_read_only_disk_what_is_stored_can_be_read(service, disk, end):
    """A store on a read-only disk can be read, even if its last user was killed; a purchase is an error."""
    settings = paying(service, disk / "store", max_workers=2)
    frame = bought(service, disk / "store", max_workers=2) if end == "closed" else bought_and_killed(settings)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)  # noqa: S607 - root's own
    before = requests_of(service)
    with sp.Client(**settings) as client:
        pd.testing.assert_frame_equal(sp.rent(BOUGHT, client=client), frame)
        assert sp.rent(BOUGHT[0], client=client).attrs["suburb_pandas"]["area_name"] == BOUGHT[0]
        assert set(sp.ledger(client=client)["outcome"]) == {"billed"}
    assert requests_of(service) == before
    refused(service, settings)
    refused(service, settings, [*BOUGHT, WANTED])


IS_ROOT = not getattr(os, "geteuid", int)()


@pytest.mark.skipif(IS_ROOT and sys.platform != "linux", reason="root can give up its rights on Linux only")
@pytest.mark.parametrize(("folder", "file"), [(0o500, 0o600), (0o700, 0o400), (0o500, 0o400)])
def test_a_store_that_the_modes_make_read_only_can_be_read(service, tmp_path, folder, file):
    """If the folder or the file may not be written, stored responses can be read; a purchase is an error."""
    (tmp_path / "disk").mkdir()
    settings = paying(service, tmp_path / "disk" / "store")
    frame = bought(service, settings["store"])
    before = requests_of(service)
    settings["store"].chmod(file)
    settings["store"].parent.chmod(folder)
    stored, outcomes, error = Worker(read_as_modes_allow, settings).go().result()
    settings["store"].parent.chmod(0o700)
    pd.testing.assert_frame_equal(stored, frame)
    assert outcomes == {"billed"}
    assert "read-only" in error
    assert requests_of(service) == before


def read_as_modes_allow(settings):
    """Do without root's right to ignore modes; return a stored frame, the ledger's outcomes, and a purchase's error."""
    obey_modes()
    with sp.Client(**settings) as client:
        frame = sp.rent(BOUGHT, client=client)
        with pytest.raises(sp.errors.StoreError) as caught:
            sp.rent(WANTED, client=client)
        return frame, set(sp.ledger(client=client)["outcome"]), str(caught.value)


def bought_and_killed(settings):
    """Buy in a process that is killed with its store open, so that the responses are in the write-ahead log."""
    pickled = settings["store"].parent.with_suffix(".frame")
    Worker(buy_and_die, settings, pickled).go().wait_for_its_death()
    assert settings["store"].with_name("store-wal").stat().st_size
    return pd.read_pickle(pickled)  # noqa: S301 - written by this test


def buy_and_die(settings, pickled):
    """Buy, write the frame to a file, and kill this process."""
    with sp.Client(**settings) as client:
        sp.rent(BOUGHT, client=client).to_pickle(pickled)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_store_that_another_program_has_locked_is_an_error_in_time(service, tmp_path, monkeypatch):
    """A store that stays locked can be read; a purchase is an error after the busy timeout, and nothing is sent."""
    monkeypatch.setattr(package_settings, "BUSY_WAIT", 0.5)
    settings = paying(service, tmp_path / "store")
    frame = bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as other:
        other.execute("begin immediate")
        with sp.Client(**settings) as client:
            pd.testing.assert_frame_equal(sp.rent(BOUGHT, client=client), frame)
        start = time.monotonic()
        refused(service, settings)
        assert time.monotonic() - start < 25
        refused(service, settings, [WANTED, NAMES[4]])
        other.execute("rollback")
    with sp.Client(**settings) as client:
        assert len(sp.rent(WANTED, client=client)) > 100


def test_a_lock_that_goes_away_in_time_is_waited_for(service, tmp_path):
    """A purchase waits for another program's short transaction, and then succeeds."""
    bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as other:
        other.execute("begin immediate")
        release = threading.Timer(1, other.execute, ["rollback"])
        release.start()
        with sp.Client(**paying(service, tmp_path / "store")) as client:
            assert len(sp.rent([WANTED, NAMES[4]], client=client)) > 100
        release.join()
    assert set(service.served().values()) == {1}


def cut_to(share):
    """Return a function that cuts a file to a share of its bytes, or to a number of them."""
    return lambda path: os.truncate(path, int(path.stat().st_size * share) if share < 1 else share)


def overwrite_the_middle(path):
    """Overwrite the middle third of a file with noise."""
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = os.urandom(third)
    path.write_bytes(content)


DAMAGE = {"half of it": cut_to(0.5), "its first 100 bytes": cut_to(100), "nothing": cut_to(0)}


@pytest.mark.parametrize("left", [*DAMAGE])
def test_a_store_cut_short_is_an_error_that_says_how_to_go_on(service, tmp_path, left):
    """A store that was cut short raises an error with the remedy; nothing is sent, and the file is not changed."""
    store = tmp_path / "store"
    bought(service, store)
    DAMAGE[left](store)
    content = store.read_bytes()
    for suburbs in (WANTED, BOUGHT[0], BOUGHT, [*BOUGHT, WANTED]):
        error = refused(service, paying(service, store), suburbs)
        assert "put back a copy" in str(error).lower()
    assert store.read_bytes() == content
    with sp.Client(**paying(service, store)) as client, pytest.raises(sp.errors.StoreError, match=str(store)):
        sp.ledger(client=client)


def test_a_store_with_noise_in_its_middle_never_gives_a_wrong_frame(service, tmp_path):
    """From a damaged store a suburb is read exactly as it was bought, or is an error; none is bought again unasked."""
    store = tmp_path / "store"
    frame = bought(service, store)
    overwrite_the_middle(store)
    before = requests_of(service)
    with sp.Client(**paying(service, store)) as client:
        for name in BOUGHT:
            try:
                found = sp.rent([name], client=client)
            except sp.SuburbError:
                continue
            same = frame[frame["area_name"] == name].reset_index()
            pd.testing.assert_frame_equal(found.reset_index(), same, check_categorical=False)
    assert requests_of(service) == before


def test_a_digit_that_has_rotted_is_an_error_of_the_store(service, tmp_path):
    """A changed digit, which SQLite does not notice, is found by the response's digest and raises an error.

    While the same rents are cached in columns, they are read from there.
    """
    store = tmp_path / "store"
    frame = bought(service, store)
    content = store.read_bytes()
    year = content.index(b'"2019-0')
    store.write_bytes(content[: year + 4] + b"8" + content[year + 5 :])
    with plain_sqlite(store) as plain:
        assert plain.execute("pragma integrity_check").fetchall() == [("ok",)]
    with sp.Client(**paying(service, store)) as client:
        pd.testing.assert_frame_equal(sp.rent(BOUGHT, client=client), frame)
    with plain_sqlite(store) as plain:
        plain.execute("delete from history")
    refused(service, paying(service, store), BOUGHT)


def test_a_store_in_a_missing_folder_is_made(service, tmp_path):
    """The folder of a store is created if it is missing, and so are the folders above it."""
    store = tmp_path / "not" / "there" / "yet" / "store"
    with sp.Client(**paying(service, store)) as client:
        assert len(sp.rent(WANTED, client=client)) > 100
    assert store.is_file()


def test_a_store_below_a_file_is_an_error(service, tmp_path):
    """If the folder of a store cannot be created, a purchase is an error and nothing is sent."""
    (tmp_path / "file").write_text("")
    refused(service, paying(service, tmp_path / "file" / "store"))
