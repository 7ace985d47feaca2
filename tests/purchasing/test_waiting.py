"""Waiting: what a request makes of items that another request is buying, in this process or another one."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED, wait_for
from tests.support.processes import Worker, arrived, ask_hastily, ask_one
from tests.support.recorded import body_of

ARRIVES, IS_LOST, IS_REFUSED = NAMES = ["Quokka Bay", "Bilby Heights", "Quokka Bai"]


@pytest.fixture
def waits(caplog):
    """Return a function that waits until a request waits for another one."""
    caplog.set_level("INFO", "suburb_pandas")
    return lambda: wait_for(lambda: "responses that other requests are buying" in caplog.text)


def test_a_request_shares_what_another_got_and_what_it_lost(live, service, waits):
    """A request that waits for the calls of another one gets its responses and refusals for free, and its failures."""
    ended = []

    def watch(items, _):
        for item in items:
            ended.append(item)
            yield item

    service.fail("latency", times=3, seconds=30)
    service.answer(IS_LOST, "rent", status=500)
    service.answer(IS_REFUSED, "rent", status=404, billed=True)
    with ThreadPoolExecutor(2) as pool:
        holder = pool.submit(sp.rent, NAMES, client=live)
        wait_for(lambda: len(sp.ledger()) == 3)
        waiter = pool.submit(sp.rent, NAMES, client=live, progress=watch)
        waits()
        service.release()
        errors = [request.exception() for request in (holder, waiter)]
    for error, kind in zip(errors, (sp.errors.ServiceError, sp.errors.Unreachable), strict=True):
        failures = {name: type(failure) for name, failure in error.failures.items()}
        assert failures == {IS_LOST: kind, IS_REFUSED: sp.errors.UnknownSuburb}
        assert set(error.frame["area_name"]) == {ARRIVES}
    assert [error.cents for error in errors] == [60, 0]
    assert "Another request was buying 'Bilby Heights'" in str(errors[1].failures[IS_LOST])
    assert len(ended) == len(service.requests) == 3


def test_a_request_that_is_stopped_has_what_another_stored_before(live, service, waits):
    """A request sees what others have stored also while its own answers keep coming, whatever stops it later."""
    mine = RENTED[:30]
    service.fail("latency", name=ARRIVES, seconds=0.5)
    service.fail("latency", times=None, seconds=0.05)
    service.answer(mine[-1], "rent", body=body_of(mine[-1]), headers={"X-Cost-Cents": "45"})
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as other,
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path, max_workers=1) as slow,
        ThreadPoolExecutor(2) as pool,
    ):
        holder = pool.submit(sp.rent, ARRIVES, client=other)
        wait_for(lambda: service.most_at_once)
        waiter = pool.submit(sp.rent, [ARRIVES, *mine, "Woylie"], client=slow)
        waits()
        assert len(holder.result(10))
        error = waiter.exception()
    assert isinstance(error, sp.errors.CapExceeded)
    assert set(error.frame["area_name"]) == {ARRIVES, *mine}


def test_closing_a_client_ends_its_wait(live, service, waits):
    """A request that waits for another client's call ends when its own client is closed, and that call goes on."""
    service.fail("latency", seconds=30)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path) as other,
        ThreadPoolExecutor(2) as pool,
    ):
        holder = pool.submit(sp.rent, ARRIVES, client=other)
        wait_for(lambda: service.most_at_once)
        waiter = pool.submit(sp.rent, ARRIVES, client=live)
        waits()
        live.close()
        with pytest.raises(sp.errors.SettingsError, match="closed"):
            waiter.result(10)
        service.release()
        assert len(holder.result(30)) > 100
    assert len(service.requests) == 1


@pytest.mark.parametrize("fate", [None, signal.SIGKILL, signal.SIGSTOP], ids=["arrives", "dies", "is suspended"])
def test_what_another_process_buys_is_never_sent_twice(live, service, waits, fate):
    """What it gets costs nothing here. If it dies or is suspended, what it had not sent is bought here.

    What it had sent is an error here, which says that its outcome is unknown. A process that resumes pays for nothing
    that was bought meanwhile, and its late response is stored.
    """
    sent, *unsent = RENTED[:4]
    service.fail("latency", name=sent, seconds=60)
    settings = {"api_key": LIVE_KEY, "base_url": service.url, "store": live.store.path, "max_workers": 1}
    other = Worker(ask_hastily, settings, ("rent", [sent, *unsent])).go()
    wait_for(lambda: len(sp.ledger()) == 1)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(ask_one, live, "rent", [sent, *unsent])
        waits()
        if fate is not None:
            other.signal(fate)
            (lost,) = request.result(30).failures.values()
            assert (lost.area_name, lost.cents, type(lost)) == (sent, 0, sp.errors.Unreachable)
            assert "its outcome is unknown" in str(lost)
            assert set(request.result().frame["area_name"]) == set(unsent)
            assert sorted(sp.ledger()["outcome"]) == ["billed"] * 3 + ["unknown"]
        service.release()
        if fate is None:
            assert request.result(30)["area_name"].nunique() == 4
    if fate == signal.SIGKILL:
        with pytest.warns(sp.SuburbWarning, match=r"repeated now: 'Abalone Steps' .30 cents, sent less"):
            assert sp.rent(RENTED[:4])["area_name"].nunique() == 4
        assert service.served["rent", sent] == 2
    else:
        if fate is not None:
            other.signal(signal.SIGCONT)
        (theirs,) = other.result()
        assert arrived(theirs)["area_name"].nunique() == sp.rent(RENTED[:4])["area_name"].nunique() == 4
        assert set(service.served.values()) == {1}
        assert set(sp.ledger()["outcome"]) == {"billed"}
