"""Waiting for items that another request is buying, and calls of an unknown outcome that a request repeats."""

from contextlib import nullcontext
from dataclasses import replace
from threading import Event

import pytest

import suburb_pandas as sp
from tests.support.common import plain_sqlite, wait_for
from tests.support.raw_server import whole
from tests.support.recorded import body_of

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
    assert "Another request asked for 'Bilby Heights'" in str(errors[1].failures[IS_LOST])
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


def test_a_suspended_request_does_not_repeat_what_another_one_bought_meanwhile(serve, client_with, begin, waits):
    """If a call is put off after another request has bought the same, its response is used, and nothing is sent."""
    refused, put_off, late = events = Event(), Event(), Event()
    calls = iter(
        [
            (refused, whole(b"{}", status="404 Not Found")),  # of the holder, which buys Bilby Heights
            (put_off, whole(b"{}", status="429 Too Many Requests")),  # of the suspended request, for Quokka Bay
            (None, whole(body_of(ARRIVES))),  # of another request
            (late, whole(body_of(IS_LOST))),  # of the suspended request, which goes on
        ]
    )

    def handle(connection):
        moment, answer = next(calls)
        assert moment is None or moment.wait(30)
        answer(connection)

    server = serve(handle)
    client = client_with(base_url=server.url, timeout=60)
    try:
        holder = begin(IS_LOST, client=client)
        wait_for(lambda: len(server.received) == 1)
        suspended = begin([ARRIVES, IS_LOST], client=client)
        waits()
        wait_for(lambda: len(server.received) == 2)
        with plain_sqlite(client.store.path) as plain:
            plain.execute("update plan set beats = 0 where id = 2")
        wait_for(lambda: sp.quote(ARRIVES, client=client).unknown)
        for expected in (pytest.raises(sp.errors.Unreachable), nullcontext()):
            with pytest.warns(sp.SuburbWarning, match="repeated now"), expected:
                sp.rent(ARRIVES, client=client)
        refused.set()
        assert isinstance(holder.exception(30), sp.errors.UnknownSuburb)
        wait_for(lambda: len(server.received) == 4)
        put_off.set()
        wait_for(lambda: "not_billed" in set(sp.ledger(client=client)["outcome"][1:]))
        late.set()
        assert len(suspended.result(30)) == 2
    finally:
        for event in events:
            event.set()
    assert len(server.received) == 4
