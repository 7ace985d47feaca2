"""Cassettes under SIGKILL, by many processes at once, and replayed by many threads: nothing lost, nothing wrong."""

import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
import requests
import vcr

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.names import sal
from suburb_pandas.service import endpoints as wire
from tests.support.processes import NAMES, Worker, ask_one, books, paying, race, sandbox

SOME = NAMES[:24]
WORKERS = 4

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.DataWarning")  # one of the suburbs is sent out of order

MATCHED = ["method", "path", "query"]


def record(settings, path, mode, suburbs):
    """Ask for rents while a cassette records, and give their frame, or the error."""
    with sp.Client(**settings) as client, sp.cassette(path, mode):
        return ask_one(client, "rent", suburbs)


def held(path):
    """Give the suburbs whose rents a cassette holds; it always loads."""
    with sp.cassette(path, "new_episodes") as cassette:
        return set(cassette.names("rent"))


@pytest.fixture(scope="module")
def slow_service():
    """Give a sandbox in another process, which takes its time."""
    with sandbox(latency_ms=8) as service:
        yield service


@pytest.fixture(scope="module")
def good_day(slow_service, tmp_path_factory):
    """Give the rents that nothing interrupts, and the seconds that recording them takes."""
    folder = tmp_path_factory.mktemp("good")
    settings = paying(slow_service, folder / "s", max_workers=WORKERS)
    batch = Worker(record, settings, folder / "c.yaml", "once", SOME)
    start = time.monotonic()
    frame = batch.go().result()
    return frame, time.monotonic() - start


@pytest.mark.parametrize("runs", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_recording_that_is_killed_is_completed_for_free(tmp_path, slow_service, good_day, runs):
    """At random moments: the file always loads, and the next run puts there what had been stored, unpaid."""
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
    print(f"{runs} recordings killed, {cut_off} in the middle; {free} stored answers were added for free")  # noqa: T201


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all"])
def test_processes_that_record_into_one_file_lose_nothing(tmp_path, mode):
    """Four at once, on one store: each suburb is bought once, and all of them are in the file."""
    path = tmp_path / "study.yaml"
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path / "s", max_workers=2)
        frames = race([(record, settings, path, mode, NAMES[start : start + 25]) for start in (0, 10, 20, 30)])
        assert all(isinstance(frame, pd.DataFrame) for frame in frames)
        assert set(service.served().values()) == {1}
    assert held(path) == set(NAMES[:55])


@pytest.fixture(scope="module")
def long_study(tmp_path_factory):
    """Give a cassette of 300 calls, and the frames of requests for five suburbs each, as the store gives them."""
    path, suburbs = tmp_path_factory.mktemp("study") / "study.yaml", NAMES[:150]
    fives = [tuple(suburbs[start : start + 5]) for start in range(0, 150, 5)]
    with sp.Client(api_key="embedded") as client:
        with sp.cassette(path):
            sp.rent(suburbs, client=client)
            sp.impacts(suburbs, client=client)
        return path, {(load, five): load(five, client=client) for load in (sp.rent, sp.impacts) for five in fives}


@pytest.fixture
def no_sockets(monkeypatch):
    """Have no socket be made at all."""

    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)


@pytest.mark.parametrize("runs", [2, pytest.param(20, marks=pytest.mark.long)])
def test_threads_replay_without_a_socket_and_without_a_slip(long_study, no_sockets, runs):
    """Eight of them, five hundred calls each, in an order of their own: none is lost, and none is wrong."""
    path, frames = long_study

    def replay(seed):
        for load, five in random.Random(seed).choices(list(frames), k=100):
            assert load(five).equals(frames[load, five])
        return 500

    for run in range(runs):
        with sp.cassette(path, "none"), ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(replay, range(8 * run, 8 * run + 8))) == 4000
    print(f"{runs} times 4000 replayed calls, none lost, none wrong")  # noqa: T201


@pytest.mark.long
def test_a_replayed_call_costs_less_than_a_millisecond(long_study):
    """After loading, of 300 calls, one by one and as a batch; plain vcrpy replays the same file beside it."""
    path, _ = long_study
    calls = vcr_yaml.read(path.read_bytes())
    urls = [wire.path(one.item.endpoint, sal.encode(one.item.area_name)) for one in calls]
    suburbs = [one.item.area_name for one in calls if one.item.endpoint == "rent"]

    def singly():
        for name in suburbs:
            sp.rent(name)
            sp.impacts(name)

    def as_batches():
        sp.rent(suburbs)
        sp.impacts(suburbs)

    def by_vcrpy(session):
        for url in urls:
            session.get(f"http://embedded.invalid{url}", timeout=5).raise_for_status()

    def best(function, *arguments):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            function(*arguments)
            times.append((time.perf_counter() - start) / len(calls) * 1000)
        return min(times)

    with sp.cassette(path, "none"):
        one, batch = best(singly), best(as_batches)
    player = vcr.VCR(record_mode="none", match_on=MATCHED)
    with player.use_cassette(str(path), allow_playback_repeats=True), requests.Session() as session:
        plain = best(by_vcrpy, session)
    print(f"ms a replayed call: {one:.2f} one by one, {batch:.2f} in batches, {plain:.2f} by vcrpy")  # noqa: T201
    assert batch < one < plain
    assert one < 1 or batch < 1
