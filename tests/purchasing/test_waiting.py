"""Waiting: what a request makes of items that another request is buying."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.notebook.sentences import in_sentences
from suburb_pandas.purchasing.breaker import CircuitBreaker
from suburb_pandas.service.calls import CallOutcome, Item, Response, utc_now
from suburb_pandas.store.reservation import ReservationTerms
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, plain_sqlite, wait_for
from tests.support.recorded import body_of

ARRIVES, IS_LOST = "Quokka Bay", "Bilby Heights"
PRICE = 30


@pytest.fixture
def waits(caplog):
    """Return a function that waits until a request waits for another one."""
    caplog.set_level("INFO", "suburb_pandas")
    return lambda: wait_for(lambda: "responses that other requests are buying" in caplog.text)


def test_a_request_shares_what_another_got_and_what_it_lost(live, service, waits):
    """A request that waits for two calls of another one gets the response of the one, and the failure of the other."""
    ended = []

    def watch(items, _):
        for item in items:
            ended.append(item)
            yield item

    service.fail("latency", times=2, seconds=30)
    service.answer(IS_LOST, "rent", status=500)
    with ThreadPoolExecutor(2) as pool:
        holder = pool.submit(sp.rent, [ARRIVES, IS_LOST], client=live)
        wait_for(lambda: len(sp.ledger()) == 2)
        waiter = pool.submit(sp.rent, [ARRIVES, IS_LOST], client=live, progress=watch)
        waits()
        service.release()
        errors = [request.exception() for request in (holder, waiter)]
    for error, kind in zip(errors, (sp.errors.ServiceError, sp.errors.Unreachable), strict=True):
        assert {name: type(failure) for name, failure in error.failures.items()} == {IS_LOST: kind}
        assert set(error.frame["area_name"]) == {ARRIVES}
    assert [error.cents for error in errors] == [PRICE, 0]
    assert "Another request was buying 'Bilby Heights'" in str(errors[1].failures[IS_LOST])
    assert in_sentences(errors[1]) == (
        "The data for Bilby Heights did not arrive: another request was buying it, and lost the response. The call of "
        "the other request may have been charged; sp.ledger() shows what it may have cost. Press Load again, which may "
        "charge a second time; the data that arrived are stored and shown below."
    )
    assert len(ended) == 2
    assert len(service.requests) == 2


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


def test_a_holder_that_could_not_write_has_time_to_before_it_is_overtaken(live, service, waits, monkeypatch):
    """A holder that is silent because another program locked the store is not overtaken as soon as the lock is gone."""
    item = Item("rent", ARRIVES)
    holder = live.store.reserve(ReservationTerms(live.namespace, {"rent": PRICE}, 5000, 0.5), {item: 0}).reservation
    call = holder.begin(item, lease=0.5)
    wait_until_writable, wait = Store.wait_until_writable, CircuitBreaker.wait
    writable = threading.Event()

    def free_the_store_soon(store):
        other.execute("begin immediate")
        threading.Timer(0.2, other.execute, ["rollback"]).start()
        wait_until_writable(store)
        assert not other.in_transaction
        writable.set()

    def write_meanwhile(breaker, seconds):
        if writable.is_set():
            writable.clear()
            response = Response.of(body_of(ARRIVES, 111.0), {}, utc_now(), PRICE, "live")
            holder.finish(call, CallOutcome("billed", PRICE, 200), lease=0.5, response=response)
        return wait(breaker, seconds)

    monkeypatch.setattr(Store, "wait_until_writable", free_the_store_soon)
    monkeypatch.setattr(CircuitBreaker, "wait", write_meanwhile)
    with ThreadPoolExecutor(1) as pool, plain_sqlite(live.store.path) as other:
        request = pool.submit(sp.rent, ARRIVES, client=live)
        waits()
        assert request.result(30)["house"].to_list() == [111.0]
    holder.end()
    assert service.requests == ()
