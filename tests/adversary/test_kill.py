"""SIGKILL at any moment of a batch, and the same batch again on the store that the dead process left.

A defect that shows in a share p of the kills is missed by n kills with (1 - p)^n. Every run kills ten batches of one
process: it misses a defect that shows in one kill of three once in 57 runs.
"""

import os
import random
import time
from collections import Counter

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, books, paying, sandbox

pytestmark = pytest.mark.filterwarnings("ignore:The outcome of earlier calls is unknown, and they are repeated now")

FORTY = NAMES[:40]
WORKERS = 4
AT_ONCE = 35
"""Seconds for a request that waits for no lease. A lease lasts 40 s."""


def kill_some(chance, settings, seconds, processes):
    """Start a batch in some processes, kill each at a random moment, and return True if one was still buying."""
    workers = [Worker(ask, settings, ("rent", FORTY)) for _ in range(processes)]
    moments = sorted(chance.uniform(0, 1.2 * seconds) for _ in workers)
    start = time.monotonic()
    for worker in workers:
        worker.go()
    for worker, moment in zip(workers, moments, strict=True):
        time.sleep(max(0, start + moment - time.monotonic()))
        worker.kill()
    outcomes = books(settings)["outcome"].tolist()
    return bool(outcomes) and outcomes.count("billed") < len(FORTY)


def run_again(service, settings, expected, dead_workers):
    """Make the same request, and return the number of unknown calls. No billed response was bought again."""
    (frame,) = Worker(ask, settings, ("rent", FORTY)).go().result(AT_ONCE)
    pd.testing.assert_frame_equal(frame, expected)
    ledger = books(settings)
    rows = Counter(ledger["outcome"])
    assert rows["billed"] == len(FORTY) == ledger.loc[ledger["outcome"] == "billed", "area_name"].nunique()
    assert rows.total() - rows["billed"] == rows["unknown"] <= dead_workers
    assert 0 <= rows.total() - service.served().total() <= rows["unknown"]
    return rows["unknown"]


@pytest.mark.parametrize(("processes", "runs"), [
    (1, 10),
    (3, 3),
    pytest.param(1, 200, marks=pytest.mark.long),
    pytest.param(3, 60, marks=pytest.mark.long),
])  # fmt: skip
def test_a_batch_killed_at_any_moment_is_finished_by_the_next_run(tmp_path, good_day, processes, runs, trial):
    """After SIGKILL at any moment, the next run buys no billed response again and does not wait for a dead process."""
    expected, seconds = good_day
    chance, during, unknown = random.Random(20260428 + processes), 0, 0
    for run in range(runs):
        with sandbox(latency_ms=4) as service:
            settings = paying(service, tmp_path / f"{run}", max_workers=WORKERS)
            during += kill_some(chance, settings, seconds, processes)
            unknown += run_again(service, settings, expected, WORKERS * processes)
    where = "" if processes == 1 else f" in each of {processes} processes"
    trial(
        f"a batch of 40 calls is killed (SIGKILL) at a random moment{where}, and run again",
        "no billed response is bought again; "
        f"at most {WORKERS * processes} calls a run are unknown; the frame is complete",
        runs=runs,
        killed_during_the_purchase=during,
        unknown_calls=unknown,
    )


@pytest.mark.parametrize("kills", [6, pytest.param(80, marks=pytest.mark.long)])
def test_a_batch_killed_again_and_again_on_one_store_ends_all_the_same(tmp_path, good_day, kills, trial):
    """Repeated kills do not slow a store down, and each run continues where the one before was killed."""
    expected, seconds = good_day
    chance = random.Random(7)
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path / "store", max_workers=WORKERS)
        for _ in range(kills):
            kill_some(chance, settings, seconds / 4, 1)
        unknown = run_again(service, settings, expected, WORKERS * kills)
    held = f"no billed response is bought again; at most {WORKERS} calls a kill are unknown; the last run completes it"
    trial("one batch is killed again and again", held, kills=kills, unknown_calls=unknown)


def test_what_a_killed_batch_held_and_never_sent_can_be_spent(service, tmp_path):
    """Of a killed batch, the budget counts the call that was under way, but not the calls that were never sent."""
    service.fail("latency", times=1, seconds=60)
    settings = paying(service, tmp_path / "store", max_workers=1, budget_cents=300)
    dead = Worker(ask, settings, ("rent", FORTY[:8])).go()
    service.wait_until_called()
    dead.kill()
    nine, one_more = ask(settings, ("rent", FORTY[10:19]), ("rent", FORTY[20]))
    assert arrived(nine)["area_name"].nunique() == 9
    assert type(one_more) is sp.errors.BudgetExceeded
    assert Counter(books(settings)["outcome"]) == {"unknown": 1, "billed": 9}


def test_a_request_that_waits_for_a_killed_process_learns_so_at_once(service, tmp_path):
    """The error says that the call's outcome is unknown."""
    service.fail("latency", times=1, seconds=60)
    settings = paying(service, tmp_path / "store", timeout=60)
    holder = Worker(ask, settings, ("rent", FORTY[0])).go()
    service.wait_until_called()
    waiters = [Worker(ask, settings, ("rent", [FORTY[0], name])).go() for name in FORTY[1:4]]
    wait_for(lambda: service.served().total() == 3)  # each has bought its own suburb, and waits for the first one
    assert not any(waiter.has_ended for waiter in waiters)
    holder.kill()
    for waiter in waiters:
        (error,) = waiter.result(AT_ONCE)
        assert "no response has arrived" in str(error.failures[FORTY[0]])
    assert sorted(books(settings)["outcome"]) == ["billed"] * 3 + ["unknown"]


def ask_in_a_container(settings, *lookups):
    """Make requests in a process whose number belongs to another process outside."""
    os.unshare(os.CLONE_NEWPID)
    if not os.fork():
        ask(settings, *lookups)
        os._exit(0)
    os.wait()


@pytest.mark.skipif(
    not hasattr(os, "unshare") or os.geteuid() != 0, reason="root can make containers, from Python 3.12 on"
)
def test_a_store_that_a_container_is_using_is_refused_for_as_long(service, tmp_path):
    """While another container, as another computer, buys into a store, this one can read but not buy."""
    settings = paying(service, tmp_path / "store", timeout=60)
    (stored,) = ask(settings, ("rent", FORTY[1]))
    service.fail("latency", name=FORTY[0], seconds=60)
    holder = Worker(ask_in_a_container, settings, ("rent", FORTY[0])).go()
    wait_for(lambda: "sent" in set(books(settings)["outcome"]))
    again, refused = ask(settings, ("rent", FORTY[1]), ("rent", FORTY[2]))
    pd.testing.assert_frame_equal(again, stored)
    assert type(refused) is sp.errors.StoreError
    service.release()
    holder.result()
    assert len(arrived(*ask(settings, ("rent", FORTY[2])))) > 100
    assert service.served()["rent", FORTY[2]] == 1
