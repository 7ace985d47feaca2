"""Cassettes whose recording is killed, and that many processes record into."""

import random
import time

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, Worker, ask_one, books, paying, race, sandbox

SOME = NAMES[:24]
WORKERS = 4

pytestmark = pytest.mark.filterwarnings(
    "ignore::suburb_pandas.errors.DataWarning",  # one suburb's points are out of order
    "ignore:The outcome of earlier calls is unknown, and they are repeated now",
)


def record(settings, path, mode, suburbs):
    """Request rents while a cassette records, and return the frame or the error."""
    with sp.Client(**settings) as client, sp.cassette(path, mode):
        return ask_one(client, "rent", suburbs)


def held(path):
    """Load a cassette, and return the suburbs whose rents it has."""
    with sp.cassette(path, "new_episodes") as cassette:
        return set(cassette.asked("rent"))


@pytest.fixture(scope="module")
def slow_service():
    """Run a slow sandbox in another process."""
    with sandbox(latency_ms=24) as service:
        yield service


@pytest.fixture(scope="module")
def good_day(slow_service, tmp_path_factory):
    """Return the frame of a recording that nothing interrupts, and the seconds that it takes."""
    folder = tmp_path_factory.mktemp("good")
    settings = paying(slow_service, folder / "s", max_workers=WORKERS)
    batch = Worker(record, settings, folder / "c.yaml", "once", SOME)
    start = time.monotonic()
    frame = batch.go().result()
    return frame, time.monotonic() - start


@pytest.mark.parametrize("runs", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_recording_that_is_killed_is_completed_for_free(tmp_path, slow_service, good_day, runs, trial):
    """A cassette whose recording was killed loads, and the next run adds the responses already stored, for free.

    Ten kills miss a defect that shows in one kill of three once in 57 runs.
    """
    expected, seconds = good_day
    chance, cut_off, free = random.Random(11), 0, 0
    for run in range(runs):
        path, settings = tmp_path / f"{run}.yaml", paying(slow_service, tmp_path / f"{run}", max_workers=WORKERS)
        worker = Worker(record, settings, path, chance.choice(["once", "new_episodes", "all"]), SOME).go()
        time.sleep(chance.uniform(0, 1.1 * seconds))
        worker.end()
        ledger = books(settings)
        stored = set(ledger.loc[ledger["outcome"] == "billed", "area_name"])
        there = held(path)
        assert there <= stored
        assert expected.equals(record(settings, path, "new_episodes", SOME))
        assert not stored & set(books(settings)["area_name"][len(ledger) :])
        assert held(path) == set(SOME)
        with sp.cassette(path, "none"):
            assert expected.equals(sp.rent(SOME))
        cut_off, free = cut_off + (0 < len(there) < len(SOME)), free + len(stored - there)
    trial(
        "the recording of a cassette is killed (SIGKILL) at a random moment, and completed",
        "nothing that was stored is bought again; the cassette replays all of it",
        runs=runs,
        killed_during_the_recording=cut_off,
        stored_responses_added_for_free=free,
    )


@pytest.mark.parametrize("step", [4, pytest.param(10, marks=pytest.mark.long)], ids=["some", "many"])
@pytest.mark.parametrize("mode", ["new_episodes", "all"])
def test_processes_that_record_into_one_file_lose_nothing(tmp_path, mode, step):
    """Four processes that record into one file with one store buy each suburb once, and the file has all of them."""
    batches = [NAMES[start : start + 5 * step // 2] for start in range(0, 4 * step, step)]
    path = tmp_path / "study.yaml"
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path / "s", max_workers=2)
        frames = race([(record, settings, path, mode, batch) for batch in batches])
        assert all(isinstance(frame, pd.DataFrame) for frame in frames)
        assert set(service.served().values()) == {1}
    assert held(path) == {name for batch in batches for name in batch}
