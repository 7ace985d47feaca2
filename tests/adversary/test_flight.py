"""Single flight: processes and threads that request the same response at the same time buy it once."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, ask_one, paying, race, sandbox

FIFTY = NAMES[:50]
BOTH = (("rent", FIFTY), ("impacts", FIFTY))
ONCE = Counter((endpoint, name) for endpoint, names in BOTH for name in names)
COST = 50 * 30 + 50 * 10
BOUGHT_ONCE = "each response is bought once; the frames are equal"


def assert_all_equal(frames):
    """Check that all requests got the same frame."""
    for frame in frames:
        pd.testing.assert_frame_equal(arrived(frame), arrived(frames[0]))


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("method", [
    "fork",
    pytest.param("forkserver", marks=pytest.mark.long),
    pytest.param("spawn", marks=pytest.mark.long),
])  # fmt: skip
def test_eight_processes_buy_a_hundred_responses_once(tmp_path, method, times, trial):
    """Eight processes that request 50 suburbs from 2 endpoints, in either order, need the budget of 100 calls."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=COST)
            pairs = race([(ask, settings, *BOTH[:: (-1) ** process]) for process in range(8)], method)
            for frames in zip(*(pair[:: (-1) ** process] for process, pair in enumerate(pairs)), strict=True):
                assert_all_equal(frames)
            assert service.served() == ONCE
    trial(
        "8 processes (fork, spawn, fork server) want the same 100 responses at once, before the store exists",
        BOUGHT_ONCE,
        races=times,
        calls=times * ONCE.total(),
    )


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("shared", [True, False], ids=["one client", "a client each"])
def test_eight_threads_buy_a_hundred_responses_once(tmp_path, shared, times, trial):
    """Eight threads that request the same 100 responses make 100 calls, with one client for all or one each."""
    for number in range(times):
        with sandbox(latency_ms=5) as service, ThreadPoolExecutor(8) as pool:
            settings = paying(service, tmp_path / f"{number}", budget_cents=COST)
            clients = [sp.Client(**settings)] * 8 if shared else [sp.Client(**settings) for _ in range(8)]
            start = threading.Barrier(8)

            def take_part(client, start=start):
                start.wait()
                return [ask_one(client, *lookup) for lookup in BOTH]

            for frames in zip(*pool.map(take_part, clients), strict=True):
                assert_all_equal(frames)
            assert service.served() == ONCE
            for client in clients:
                client.close()
    trial(
        "8 threads want the same 100 responses at once, with one client or one each",
        BOUGHT_ONCE,
        races=times,
        calls=times * ONCE.total(),
    )


def fork_in_the_middle(settings):
    """Fork four processes while a thread buys, and return the frames of all."""
    with sp.Client(**settings) as client, ThreadPoolExecutor(1) as pool:
        batch = pool.submit(sp.rent, FIFTY, client=client)
        workers = []
        for calls in (1, 10, 25, 40):
            wait_for(lambda calls=calls: batch.done() or len(sp.ledger(client=client)) >= calls)
            workers.append(Worker(ask_one, client, "rent", FIFTY, method="fork").go())
        return [batch.result(), *(worker.result() for worker in workers)]


@pytest.mark.parametrize("times", [1, pytest.param(30, marks=pytest.mark.long)])
def test_a_process_forked_in_the_middle_of_a_batch_waits_for_what_its_parent_buys(tmp_path, times, trial):
    """A process forked during a batch waits for the responses that its parent buys, and buys none of them itself."""
    for number in range(times):
        with sandbox(latency_ms=20) as service:
            settings = paying(service, tmp_path / f"{number}", max_workers=4)
            assert_all_equal(Worker(fork_in_the_middle, settings, daemon=False).go().result())
            assert service.served() == Counter(("rent", name) for name in FIFTY)
    trial("a process forks four times in the middle of a batch of 50 calls", BOUGHT_ONCE, batches=times)
