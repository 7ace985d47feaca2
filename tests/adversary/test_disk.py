"""Stores on a full or read-only disk, locked by another program, or damaged.

Nothing is bought that cannot be stored, and nothing that was bought is lost.
"""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings as package_settings
from tests.support.common import plain_sqlite
from tests.support.processes import NAMES, Worker, ask, ask_one, books, paying, sandbox

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
    (error,) = ask(settings, ("rent", suburbs))
    assert type(error) is sp.errors.StoreError
    assert str(settings["store"]) in str(error)
    assert requests_of(service) == before
    return error


def bought(service, store, **settings):
    """Buy three suburbs in another process, which closes its store, and return the frame."""
    (frame,) = Worker(ask, paying(service, store, **settings), ("rent", BOUGHT)).go().result()
    return frame


def test_on_a_disk_that_is_all_but_full_what_is_stored_can_be_read(service, disk):
    """Without room for max_workers x 16 MiB nothing is bought, but stored responses and the ledger can be read."""
    assert "max_workers" in str(refused(service, paying(service, disk / "store", max_workers=3)))
    settings = paying(service, disk / "store", max_workers=2)
    frame = bought(service, disk / "store", max_workers=2)
    fill(disk, leaving=MEBIBYTE)
    pd.testing.assert_frame_equal(*ask(settings, ("rent", BOUGHT)), frame)
    assert len(books(settings)) == 3
    refused(service, settings)
    (disk / "ballast").unlink()
    assert len(*ask(settings, ("rent", [*BOUGHT, WANTED]))) > len(frame)
    assert set(service.served().values()) == {1}


@pytest.mark.parametrize("moments", [4, pytest.param(60, marks=pytest.mark.long)])
def test_a_disk_that_fills_up_at_any_moment_loses_no_answer(service, disk, moments, trial):
    """A batch stops if the disk fills up; the error's frame has every response. With room, none is bought again."""
    chance, stopped = random.Random(moments), 0
    service.fail("latency", times=None, seconds=0.1)
    for number in range(moments):
        settings, names = paying(service, disk / f"{number}", max_workers=2), NAMES[4 + number : 20 + number]
        filler = threading.Timer(
            chance.uniform(0, 0.7), fill, [disk], {"leaving": chance.choice([0, 12_288, 65_536, 2**23])}
        )
        before = service.served()
        filler.start()
        with sp.Client(**settings) as client:
            frame = ask_one(client, "rent", names)
            filler.join()
            (disk / "ballast").unlink()
            served = service.served() - before
            if isinstance(frame, sp.errors.StoreError):
                frame, stopped = frame.frame, stopped + 1
            arrived = list(arrived_in(frame))
            assert served == Counter(("rent", name) for name in arrived)
            again = sp.rent(arrived, client=client)
            assert not arrived or frame.astype({"area_name": str}).equals(again.astype({"area_name": str}))
            assert sp.ledger(client=client)["outcome"].tolist() == ["billed"] * len(arrived)
        assert service.served() - before == served
    trial(
        "the disk of the store fills up at a random moment of a batch",
        "every response is in the frame of the error, stored when there is room, and not bought again",
        batches=moments,
        stopped_batches=stopped,
    )


def arrived_in(frame):
    """Return the suburbs that a frame has rents of."""
    return [] if frame is None else frame.dropna(how="all", subset=["house", "unit"])["area_name"].unique()


def test_a_database_that_takes_no_response_gives_the_answer_to_the_caller(service, tmp_path):
    """If responses cannot be written, the batch stops, and the ones that were paid for are in the error's ``frame``."""
    settings = paying(service, tmp_path / "store", max_workers=4)
    bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as plain:
        plain.execute("create trigger full before insert on response begin select raise(abort, 'disk full'); end")
        with sp.Client(**settings) as client:
            with pytest.raises(sp.errors.StoreError, match="disk full") as caught:
                sp.rent(WANTED, client=client)
            assert (len(caught.value.frame) > 100, caught.value.cents) == (True, 30)
            with pytest.warns(sp.SuburbWarning, match="30 cents and stay in the memory"):
                refused(service, settings, NAMES[4:60])
            plain.execute("drop trigger full")
            assert sp.rent(WANTED, client=client).equals(caught.value.frame)
    assert set(books(settings)["outcome"]) == {"billed"}


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_on_a_read_only_disk_what_is_stored_can_be_read(service, disk, end):
    """A store on a read-only disk can be read, even if its last user was killed; a purchase is an error."""
    settings = paying(service, disk / "store", max_workers=2)
    frame = bought(service, disk / "store", max_workers=2) if end == "closed" else bought_and_killed(settings)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)  # noqa: S607 - root's own
    before = requests_of(service)
    pd.testing.assert_frame_equal(*ask(settings, ("rent", BOUGHT)), frame)
    assert set(books(settings)["outcome"]) == {"billed"}
    assert requests_of(service) == before
    refused(service, settings, [*BOUGHT, WANTED])


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
    settings, start = paying(service, tmp_path / "store"), time.monotonic()
    frame = bought(service, tmp_path / "store")
    with plain_sqlite(tmp_path / "store") as other:
        other.execute("begin immediate")
        pd.testing.assert_frame_equal(*ask(settings, ("rent", BOUGHT)), frame)
        refused(service, settings, [WANTED, NAMES[4]])
    assert time.monotonic() - start < 25


@pytest.mark.parametrize("left", [20_000, 100, 0])
def test_a_store_cut_short_is_an_error_that_says_how_to_go_on(service, tmp_path, left):
    """A store that was cut short raises an error with the remedy; nothing is sent, and the file is not changed."""
    store = tmp_path / "store"
    bought(service, store)
    os.truncate(store, left)
    content = store.read_bytes()
    for suburbs in (WANTED, BOUGHT, [*BOUGHT, WANTED]):
        assert "put back a copy" in str(refused(service, paying(service, store), suburbs)).lower()
    assert store.read_bytes() == content


def test_a_byte_that_has_rotted_is_an_error_of_the_store(service, tmp_path):
    """A changed byte, which SQLite does not notice, is found by the response's digest and raises an error.

    While the same rents are cached in columns, they are read from there.
    """
    store = tmp_path / "store"
    frame = bought(service, store)
    with plain_sqlite(store) as plain:
        ((body,),) = plain.execute("select body from response limit 1")
    content = bytearray(store.read_bytes())
    content[content.index(body[:64]) + 63] ^= 1
    store.write_bytes(content)
    with plain_sqlite(store) as plain:
        assert plain.execute("pragma integrity_check").fetchall() == [("ok",)]
        pd.testing.assert_frame_equal(ask(paying(service, store), ("rent", BOUGHT))[0], frame)
        plain.execute("delete from history")
    refused(service, paying(service, store), BOUGHT)
