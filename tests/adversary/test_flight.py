"""Single flight: processes and threads that request the same response at the same time buy it once."""

import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, ask_one, books, paying, race, sandbox

FIFTY = NAMES[:50]
BOTH = (("rent", FIFTY), ("impacts", FIFTY))
ONCE = Counter((endpoint, name) for endpoint, names in BOTH for name in names)
COST = 50 * 30 + 50 * 10
BOUGHT_ONCE = "each response is bought once; the frames are equal"
FRESH = ["forkserver", "spawn"]
"""Start methods whose processes inherit no client. In every run one of them starts the crowds of test_crowd.py."""


@pytest.fixture
def service():
    """Run a sandbox in another process, slow enough for requests to overlap."""
    with sandbox(latency_ms=5) as running:
        yield running


def assert_all_equal(results):
    """Check that every process or thread got the same two frames, in whichever order it requested them."""
    pairs = [list(map(arrived, pair)) for pair in results]
    rents, impacts = zip(*(sorted(pair, key=lambda frame: "label" in frame) for pair in pairs), strict=True)
    for frames in (rents, impacts):
        assert frames[0]["area_name"].nunique() == 50
        for frame in frames[1:]:
            pd.testing.assert_frame_equal(frame, frames[0])


def in_order(number):
    """Return both lookups. Every second process or thread requests the impacts first."""
    return BOTH if number % 2 else BOTH[::-1]


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("method", ["fork", *(pytest.param(one, marks=pytest.mark.long) for one in FRESH)])
def test_eight_processes_buy_a_hundred_responses_once(tmp_path, method, times, trial):
    """Eight processes that request 50 suburbs from 2 endpoints make 100 calls and reserve their price once."""
    calls = 0
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=COST)
            assert_all_equal(race([(ask, settings, *in_order(process)) for process in range(8)], method))
            assert service.served() == ONCE
            assert service.tally()["cents"] == COST
            calls += service.tally()["calls"]
    trial(
        "8 processes (fork, spawn, fork server) want the same 100 responses at once, before the store exists",
        BOUGHT_ONCE,
        races=times,
        calls=calls,
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

            def take_part(thread, clients=clients, start=start):
                start.wait()
                return [ask_one(clients[thread], *lookup) for lookup in in_order(thread)]

            assert_all_equal(pool.map(take_part, range(8)))
            assert service.served() == ONCE
            for client in clients:
                client.close()
    trial(
        "8 threads want the same 100 responses at once, with one client or one each",
        BOUGHT_ONCE,
        races=times,
        calls=times * ONCE.total(),
    )


def test_a_client_goes_on_in_forked_processes(service, tmp_path):
    """Forked processes can use their parent's client at the same time, each with connections of its own."""
    with sp.Client(**paying(service, tmp_path / "store")) as client:
        sp.rent(FIFTY[:5], client=client)
        frames = list(map(arrived, race([(ask_one, client, "rent", FIFTY)] * 8, "fork")))
        pd.testing.assert_frame_equal(sp.rent(FIFTY, client=client), frames[0])
        assert service.served() == Counter(("rent", name) for name in FIFTY)
        assert set(sp.ledger(client=client)["outcome"]) == {"billed"}
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0])


def fork_in_the_middle(settings):
    """Fork four processes while a thread buys, and return the frames of all."""
    with sp.Client(**settings) as client, ThreadPoolExecutor(1) as pool:
        batch = pool.submit(sp.rent, FIFTY, client=client)
        workers = []
        for calls in (1, 10, 25, 40):
            wait_for(lambda calls=calls: batch.done() or len(sp.ledger(client=client)) >= calls)
            workers.append(Worker(ask_one, client, "rent", FIFTY, method="fork").go())
        return [batch.result(), *(arrived(worker.result()) for worker in workers)]


@pytest.mark.parametrize("times", [1, pytest.param(30, marks=pytest.mark.long)])
def test_a_process_forked_in_the_middle_of_a_batch_waits_for_what_its_parent_buys(tmp_path, times, trial):
    """A process forked during a batch waits for the responses that its parent buys, and buys none of them itself."""
    for number in range(times):
        with sandbox(latency_ms=20) as service:
            settings = paying(service, tmp_path / f"{number}", max_workers=4)
            frames = Worker(fork_in_the_middle, settings, daemon=False).go().result()
            assert service.served() == Counter(("rent", name) for name in FIFTY)
        for frame in frames:
            pd.testing.assert_frame_equal(frame, frames[0])
    trial("a process forks four times in the middle of a batch of 50 calls", BOUGHT_ONCE, batches=times)


def ask_from(folder, settings, *lookups):
    """Make requests with `folder` as the working directory."""
    os.chdir(folder)
    return ask(settings, *lookups)


@pytest.mark.parametrize("other", ["link", "here/../store", "relative"])
def test_one_store_by_two_names_is_one_store(service, tmp_path, other):
    """A store opened by a link or a relative path is the same store: its user waits for other users' calls."""
    (tmp_path / "here").mkdir()
    settings = paying(service, tmp_path / "store")
    ask(settings, ("rent", FIFTY[1]))
    (tmp_path / "link").symlink_to(tmp_path / "store")
    service.fail("latency", times=1, seconds=0.8)
    holder = Worker(ask, settings, ("rent", FIFTY[0])).go()
    wait_for(lambda: "sent" in set(books(settings)["outcome"]))
    there = {"link": tmp_path / "link", "relative": "../store"}.get(other, tmp_path / other)
    (result,) = Worker(ask_from, tmp_path / "here", {**settings, "store": there}, ("rent", FIFTY[0])).go().result()
    pd.testing.assert_frame_equal(arrived(holder.result()[0]), arrived(result))
    assert service.served()["rent", FIFTY[0]] == 1


def test_who_changes_folders_keeps_the_store(service, tmp_path, monkeypatch):
    """A relative store path is resolved when the client is made, so a later change of folder does not affect it."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with sp.Client(**paying(service, "store")) as client, ThreadPoolExecutor(1) as pool:
        sp.rent(FIFTY[0], client=client)
        monkeypatch.chdir(tmp_path / "elsewhere")
        service.fail("latency", times=1, seconds=0.8)
        batch = pool.submit(sp.rent, FIFTY[:9], client=client)
        wait_for(lambda: batch.done() or "sent" in set(books(paying(service, tmp_path / "store"))["outcome"]))
        (result,) = Worker(ask, paying(service, tmp_path / "store"), ("rent", FIFTY[:9])).go().result()
        pd.testing.assert_frame_equal(batch.result(), arrived(result))
    assert service.served() == Counter(("rent", name) for name in FIFTY[:9])
    assert not list((tmp_path / "elsewhere").iterdir())


def test_requests_in_opposite_orders_do_not_wait_in_a_circle(service, tmp_path):
    """Batches of the same suburbs in opposite orders cannot wait for each other in a circle."""
    orders = [FIFTY, FIFTY[::-1], FIFTY[25:] + FIFTY[:25], FIFTY[::2] + FIFTY[1::2]]
    settings = [paying(service, tmp_path / "store", max_workers=workers) for workers in (1, 1, 3, 8)]
    jobs = [(ask, one, ("rent", names)) for one, names in zip(settings, orders, strict=True)]
    for (result,), names in zip(race(jobs), orders, strict=True):
        assert list(arrived(result)["area_name"].unique()) == names
    assert service.served() == Counter(("rent", name) for name in FIFTY)


def test_what_two_loaders_share_is_bought_once(service, tmp_path):
    """Impacts and their summary share a response, which is bought once even if both are requested at once."""
    settings = paying(service, tmp_path / "store")
    jobs = [(ask, settings, (loader, FIFTY)) for loader in ("impacts", "impact_summary") * 3]
    frames = [arrived(result) for (result,) in race(jobs)]
    assert service.served() == Counter(("impacts", name) for name in FIFTY)
    for number, frame in enumerate(frames):
        pd.testing.assert_frame_equal(frame, frames[number % 2])


def test_one_suburb_wanted_by_many_is_one_call(service, tmp_path):
    """Eight processes that request the same suburbs one by one buy each of them once."""
    settings = paying(service, tmp_path / "store", budget_cents=600)
    lookups = [("rent", name) for name in FIFTY[:20]]
    first, *others = race([(ask, settings, *lookups)] * 8)
    assert service.served() == Counter(lookups)
    for other in others:
        for mine, theirs in zip(first, other, strict=True):
            pd.testing.assert_frame_equal(arrived(mine), arrived(theirs))


def test_a_second_client_that_comes_and_goes_gives_no_claim_away(service, tmp_path):
    """A process that opens and closes its store a second time keeps the claims of its first client."""
    service.fail("latency", times=1, seconds=0.8)
    settings = paying(service, tmp_path / "store")
    holder = Worker(hold_and_reopen, settings, FIFTY[0]).go()
    service.wait_until_called()
    (result,) = Worker(ask, settings, ("rent", FIFTY[0])).go().result()
    pd.testing.assert_frame_equal(holder.result(), arrived(result))
    assert service.served() == {("rent", FIFTY[0]): 1}


def hold_and_reopen(settings, name):
    """Make a call, and open and close the same store again and again until it ends."""
    with sp.Client(**settings) as client, ThreadPoolExecutor(1) as pool:
        call = pool.submit(sp.rent, name, client=client)
        while not call.done():
            books(settings)
        return call.result()
