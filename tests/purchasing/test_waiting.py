"""Waiting for items that another request is buying, and calls of an unknown outcome that a request repeats."""

from dataclasses import replace

import pytest

import suburb_pandas as sp
from tests.support.common import plain_sqlite, wait_for

ARRIVES, IS_LOST, IS_REFUSED = NAMES = ["Quokka Bay", "Bilby Heights", "Quokka Bai"]


@pytest.fixture
def waits(caplog):
    """Return a function that waits until a request waits for another one."""
    caplog.set_level("INFO", "suburb_pandas")
    return lambda: wait_for(lambda: "Waiting for" in caplog.text)


def test_a_request_shares_what_another_got_and_what_it_lost(live, service, begin, waits):
    """A request that waits for the calls of another one gets its responses and refusals for free, and its failures."""
    ended = []

    def watch(items, _):
        for item in items:
            ended.append(item)
            yield item

    service.fail("latency", times=3, seconds=60)
    service.answer(IS_LOST, "rent", status=500)
    service.answer(IS_REFUSED, "rent", status=404, billed=True)
    holder = begin(NAMES)
    wait_for(lambda: len(sp.ledger()) == 3)
    waiter = begin(NAMES, progress=watch)
    waits()
    service.release()
    errors = [request.exception(30) for request in (holder, waiter)]
    for error, kind in zip(errors, (sp.errors.ServiceError, sp.errors.Unreachable), strict=True):
        failures = {name: type(failure) for name, failure in error.failures.items()}
        assert failures == {IS_LOST: kind, IS_REFUSED: sp.errors.UnknownSuburb}
        assert set(error.frame["area_name"]) == {ARRIVES}
    assert [error.cents for error in errors] == [60, 0]
    assert "Another request was buying 'Bilby Heights'" in str(errors[1].failures[IS_LOST])
    assert len(ended) == len(service.requests) == 3


def test_a_request_with_a_slow_call_shows_that_it_is_alive(live, service, begin):
    """If a call takes longer than its lease, its request writes heartbeats, so that others go on waiting for it."""
    live.settings = replace(live.settings, lease=0.5)
    service.fail("latency", seconds=60)
    request = begin(ARRIVES)
    wait_for(lambda: len(sp.ledger()))
    with plain_sqlite(live.store.path) as plain:
        ((first,),) = plain.execute("select beats from plan")
        wait_for(lambda: plain.execute("select 1 from plan where beats > ?", [first]).fetchone())
    service.release()
    assert len(request.result(30)) > 100


def test_closing_a_client_ends_its_wait(live, service, client_with, begin, waits):
    """A request that waits for another client's call ends when its own client is closed, and that call goes on."""
    service.fail("latency", seconds=60)
    holder = begin(ARRIVES, client=client_with())
    wait_for(lambda: service.most_at_once)
    waiter = begin(ARRIVES)
    waits()
    live.close()
    with pytest.raises(sp.errors.SettingsError, match="closed"):
        waiter.result(30)
    service.release()
    assert len(holder.result(30)) > 100
    assert len(service.requests) == 1
