"""SIGKILL at any moment of a batch, and the same batch again on the store that the dead process left.

A defect that shows in a share p of the kills is missed by n kills with (1 - p)^n. Every run kills sixteen batches of
one process: it misses a defect that shows in one kill of four once in 100 runs.
"""

import os
import random
import signal
import socket
import time
from collections import Counter

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import plain_sqlite, wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, ask_hastily, books, paying, sandbox

pytestmark = pytest.mark.filterwarnings("ignore:The outcome of earlier calls is unknown, and they are repeated now")

FORTY = NAMES[:40]
WORKERS = 4


@pytest.fixture(scope="module")
def good_day(tmp_path_factory):
    """Return the frame of a batch that nothing interrupts, and the seconds that it takes."""
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path_factory.mktemp("good") / "store", max_workers=WORKERS)
        batch, start = Worker(ask, settings, ("rent", FORTY)).go(), time.monotonic()
        (result,) = batch.result()
        return arrived(result), time.monotonic() - start


def kill_some(chance, settings, seconds, processes):
    """Start a batch in some processes, kill each at a random moment, and return the ledger after that."""
    workers = [Worker(ask, settings, ("rent", FORTY)) for _ in range(processes)]
    moments = sorted(chance.uniform(0, 1.2 * seconds) for _ in workers)
    start = time.monotonic()
    for worker in workers:
        worker.go()
    for worker, moment in zip(workers, moments, strict=True):
        time.sleep(max(0, start + moment - time.monotonic()))
        worker.kill()
    return books(settings)


def when_killed(ledger):
    """Return how far the batch was when it was killed: "before" any call, "during" or "after" the purchase."""
    if ledger.empty:
        return "before"
    return "after" if (ledger["outcome"] == "billed").sum() == len(FORTY) else "during"


def check_books(service, settings, killed, dead_workers):
    """Check that no response billed before the kill was bought again, and that only calls cut off are unknown.

    Return the number of calls by outcome.
    """
    served, ledger = service.served(), books(settings)
    rows = Counter(ledger["outcome"])
    assert set(rows) <= {"billed", "unknown"}
    assert rows["unknown"] <= dead_workers
    assert 0 <= rows.total() - served.total() <= rows["unknown"]
    assert rows["billed"] == len(FORTY) == ledger.loc[ledger["outcome"] == "billed", "area_name"].nunique()
    later = set(ledger["area_name"][len(killed) :])
    assert not later & set(killed.loc[killed["outcome"] == "billed", "area_name"])
    with plain_sqlite(settings["store"]) as plain:
        assert plain.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert plain.execute("select count(*) from claim").fetchone() == (0,)
    return rows


def run_again(settings):
    """Request the same batch, and return its frame and the seconds that it took."""
    start = time.monotonic()
    with sp.Client(**settings) as client:
        return sp.rent(FORTY, client=client), time.monotonic() - start


@pytest.mark.parametrize(("processes", "runs"), [
    (1, 16),
    (3, 3),
    pytest.param(1, 200, marks=pytest.mark.long),
    pytest.param(3, 60, marks=pytest.mark.long),
])  # fmt: skip
def test_a_batch_killed_at_any_moment_is_finished_by_the_next_run(tmp_path, good_day, processes, runs, trial):
    """After SIGKILL at any moment, the next run buys no billed response again and does not wait for a dead process."""
    expected, seconds = good_day
    chance, moments, unknown, slowest = random.Random(20260428 + processes), Counter(), 0, 0.0
    for run in range(runs):
        with sandbox(latency_ms=4) as service:
            settings = paying(service, tmp_path / f"{run}", max_workers=WORKERS)
            killed = kill_some(chance, settings, seconds, processes)
            frame, took = run_again(settings)
            pd.testing.assert_frame_equal(frame, expected)
            rows = check_books(service, settings, killed, WORKERS * processes)
        moments[when_killed(killed)] += 1
        unknown, slowest = unknown + rows["unknown"], max(slowest, took)
    assert slowest < seconds + 25
    trial(
        f"a batch of 40 calls is killed (SIGKILL) at a random moment in each of {processes} processes, and run again",
        "no billed response is bought again; "
        f"at most {WORKERS * processes} calls a run are unknown; the frame is complete",
        runs=runs,
        killed_during_the_purchase=moments["during"],
        unknown_calls=unknown,
    )


@pytest.mark.parametrize("kills", [8, pytest.param(80, marks=pytest.mark.long)])
def test_a_batch_killed_again_and_again_on_one_store_ends_all_the_same(tmp_path, good_day, kills, trial):
    """Repeated kills do not slow a store down, and each run continues where the one before was killed."""
    expected, seconds = good_day
    chance = random.Random(7)
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path / "store", max_workers=WORKERS)
        for _ in range(kills):
            killed = kill_some(chance, settings, seconds / 4, 1)
        frame, took = run_again(settings)
        pd.testing.assert_frame_equal(frame, expected)
        rows = check_books(service, settings, killed, WORKERS * kills)
    assert took < seconds + 25
    held = f"no billed response is bought again; at most {WORKERS} calls a kill are unknown; the last run completes it"
    trial("one batch is killed again and again", held, kills=kills, unknown_calls=rows["unknown"])


def test_what_a_killed_batch_held_and_never_sent_can_be_spent(tmp_path):
    """Of a killed batch, the budget counts the call that was under way, but not the calls that were never sent."""
    with sandbox() as service:
        service.fail("latency", times=1, seconds=60)
        settings = paying(service, tmp_path / "store", max_workers=1, budget_cents=300)
        dead = Worker(ask, settings, ("rent", FORTY[:8])).go()
        service.wait_until_called()
        dead.kill()
        with sp.Client(**settings) as client:
            assert sp.rent(FORTY[10:19], client=client)["area_name"].nunique() == 9
            assert Counter(sp.ledger(client=client)["outcome"]) == {"unknown": 1, "billed": 9}
            with pytest.raises(sp.errors.BudgetExceeded):
                sp.rent(FORTY[20], client=client)


def test_a_request_that_waits_for_a_killed_process_learns_so_at_once(tmp_path):
    """The error says that the call's outcome is unknown. The next request repeats the call, after a warning."""
    with sandbox() as service:
        service.fail("latency", times=1, seconds=60)
        settings = paying(service, tmp_path / "store", timeout=60)
        holder = Worker(ask, settings, ("rent", FORTY[0])).go()
        service.wait_until_called()
        waiters = [Worker(ask, settings, ("rent", FORTY[0])).go() for _ in range(3)]
        time.sleep(0.2)
        assert not any(waiter.has_ended for waiter in waiters)
        holder.signal(signal.SIGKILL)
        for waiter in waiters:
            (error,) = waiter.result(25)
            assert "sent, and its outcome is unknown" in str(error)
        assert books(settings)["outcome"].tolist() == ["unknown"]
        with pytest.warns(sp.SuburbWarning, match=rf"repeated now: .{FORTY[0]}. \(30 cents, sent less"):
            assert len(arrived(*ask(settings, ("rent", FORTY[0])))) > 100
        service.release()
        wait_for(lambda: service.served().total() == 2)


def ask_elsewhere(settings, *lookups):
    """Make requests as if from another computer that shares the store's disk."""
    socket.gethostname = lambda: "elsewhere"
    return ask_hastily(settings, *lookups)


def ask_in_a_container(settings, *lookups):
    """Make requests in a process whose number belongs to another process outside."""
    os.unshare(os.CLONE_NEWPID)
    if not os.fork():
        ask(settings, *lookups)
        os._exit(0)
    os.wait()


def bought_unless_refused(settings, lookup):
    """Make a request, and return its result in a list, which is empty if the store refused it."""
    return [result for result in ask(settings, lookup) if type(result) is not sp.errors.StoreError]


IN_A_CONTAINER = pytest.mark.skipif(
    not hasattr(os, "unshare") or os.geteuid() != 0, reason="root can make containers, from Python 3.12 on"
)


@pytest.mark.parametrize(
    ("from_there", "dies"),
    [(ask_elsewhere, False), (ask_elsewhere, True), pytest.param(ask_in_a_container, False, marks=IN_A_CONTAINER)],
)
def test_a_store_that_another_computer_is_using_is_refused_for_as_long(tmp_path, from_there, dies):
    """While another computer or container buys into a store, this one can read but not buy."""
    with sandbox() as service:
        settings = paying(service, tmp_path / "store", timeout=60)
        (stored,) = ask(settings, ("rent", FORTY[1]))
        service.fail("latency", name=FORTY[0], seconds=60)
        holder = Worker(from_there, settings, ("rent", FORTY[0])).go()
        wait_for(lambda: "sent" in set(books(settings)["outcome"]))
        again, refused = ask(settings, ("rent", FORTY[1]), ("rent", FORTY[2]))
        pd.testing.assert_frame_equal(again, stored)
        assert type(refused) is sp.errors.StoreError
        assert "keep a store for each" in str(refused)
        holder.kill() if dies else service.release()
        (result,) = wait_for(lambda: bought_unless_refused(settings, ("rent", FORTY[2])))
        assert len(arrived(result)) > 100
        assert service.served()["rent", FORTY[2]] == 1
