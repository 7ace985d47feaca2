"""Stores on a disk that fills up or is read-only.

Nothing is bought that cannot be stored, and nothing that was bought is lost. A disk that is full from the start, and a
store that is locked, cut short or damaged, are tested in ``store``.
"""

import os
import random
import shutil
import signal
import subprocess
import threading
from collections import Counter
from contextlib import suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, Worker, ask, ask_one, books, paying

BOUGHT, WANTED = NAMES[:3], NAMES[3]
MEBIBYTE = 2**20


@pytest.fixture
def disk(tmp_path):
    """Mount a disk of 40 MiB, with room for two responses of the largest size, or skip the test if that fails."""
    where = tmp_path / "disk"
    where.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40m", "none", where]
    if not shutil.which("mount") or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root on Linux only")
    yield where
    subprocess.run(["umount", "--lazy", where], check=True)  # noqa: S607 - root's own


def fill(folder, *, leaving=0):
    """Fill a disk except for some bytes."""
    with (folder / "ballast").open("wb", buffering=0) as ballast:
        with suppress(OSError):
            while True:
                ballast.write(bytes(MEBIBYTE))
        ballast.truncate(max(0, ballast.tell() - leaving))


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
            arrived = [] if frame is None else frame.dropna(how="all", subset=["house", "unit"])["area_name"].unique()
            assert served == Counter(("rent", name) for name in arrived)
            again = sp.rent(arrived, client=client)
            assert not len(arrived) or frame.astype({"area_name": str}).equals(again.astype({"area_name": str}))
            assert sp.ledger(client=client)["outcome"].tolist() == ["billed"] * len(arrived)
        assert service.served() - before == served
    trial(
        "the disk of the store fills up at a random moment of a batch",
        "every response is in the frame of the error, stored when there is room, and not bought again",
        batches=moments,
        stopped_batches=stopped,
    )


def test_on_a_read_only_disk_what_a_killed_process_stored_can_be_read(service, disk):
    """A store on a read-only disk can be read, even if its last user was killed; a purchase is an error."""
    settings, pickled = paying(service, disk / "store", max_workers=2), disk.with_suffix(".frame")
    Worker(buy_and_die, settings, pickled).go().wait_for_its_death()
    assert settings["store"].with_name("store-wal").stat().st_size
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)  # noqa: S607 - root's own
    stored = pd.read_pickle(pickled)  # noqa: S301 - written by this test
    pd.testing.assert_frame_equal(*ask(settings, ("rent", BOUGHT)), stored)
    assert set(books(settings)["outcome"]) == {"billed"}
    (error,) = ask(settings, ("rent", [*BOUGHT, WANTED]))
    assert type(error) is sp.errors.StoreError
    with sp.Client(**settings) as client, pytest.raises(sp.errors.StoreError):
        client.vacuum()
    assert service.served().total() == len(service.tally()["requests"]) == 3


def buy_and_die(settings, pickled):
    """Buy, write the frame to a file, and kill this process, so that the responses are in the write-ahead log."""
    with sp.Client(**settings) as client:
        sp.rent(BOUGHT, client=client).to_pickle(pickled)
        os.kill(os.getpid(), signal.SIGKILL)
