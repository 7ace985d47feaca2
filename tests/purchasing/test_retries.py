"""Retries: a call that certainly cost nothing is tried again; one that may have cost something is not."""

import time

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.purchasing.worker import CallResult, CircuitBreaker
from suburb_pandas.sandbox import serve
from suburb_pandas.service.calls import Item, utc_now
from tests.support.common import LIVE_KEY, RENTED
from tests.support.recorded import body_of

NAME = "Quokka Bay"


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("fault", ["rate_limited", "unavailable"])
def test_what_the_service_puts_off_is_tried_again(live, service, fault):
    """A 429 or 503 costs nothing and is tried again. The fourth try may succeed, and each try is in the ledger."""
    service.fail(fault, times=3)
    assert len(sp.rent(NAME)) > 100
    assert sp.ledger()["outcome"].to_list() == ["not_billed"] * 3 + ["billed"]
    assert sp.ledger()["cents"].sum() == 30


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("fault", "kind"), [("rate_limited", sp.errors.RateLimited), ("unavailable", sp.errors.ServiceError)]
)
def test_four_tries_are_all(live, service, fault, kind):
    """A call that the service puts off four times raises an error, at no cost."""
    service.fail(fault, times=None)
    with pytest.raises(kind, match="Nothing was charged") as caught:
        sp.rent(NAME)
    assert (caught.value.cents, caught.value.retryable) == (0, True)
    assert len(service.requests) == 4


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_that_was_charged_is_not_tried_again(live, service, status):
    """A 429 or 503 that charges something in ``X-Cost-Cents`` is not tried again."""
    service.answer(NAME, "rent", status=status, headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.SuburbError, match="The service charged 30 cents"):
        sp.rent(NAME)
    assert len(service.requests) == 1


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("fault", ["server_error", "bad_gateway", "gateway_timeout", "dropped_before"])
def test_what_may_have_cost_something_is_sent_once_a_request(live, service, fault):
    """A call that fails after sending has an unknown outcome. Only a later request repeats it, as its quote says."""
    service.fail(fault)
    with pytest.raises(sp.SuburbError, match="may have charged 30 cents"):
        sp.rent(NAME)
    assert len(service.requests) == 1
    assert sp.quote([NAME, "Bilby Heights"]).unknown == (NAME,)
    assert len(sp.rent(NAME)) > 100
    assert sp.quote([NAME]).unknown == ()
    assert sp.ledger()["outcome"].to_list() == ["unknown", "billed"]


def test_retry_after_is_waited_for_by_all_workers_together(live, service, monkeypatch):
    """During a pause that the service asks for, no worker begins a call, unless it had passed the circuit breaker."""
    service.fail("rate_limited_retry_after")
    service.fail("latency", times=None, seconds=60)
    pause, paused = CircuitBreaker.pause, []

    def pause_and_release(breaker, seconds):
        paused.append(utc_now())
        pause(breaker, seconds)
        service.release()

    monkeypatch.setattr(CircuitBreaker, "pause", pause_and_release)
    start = time.monotonic()
    sp.rent(RENTED[:30])
    assert time.monotonic() - start >= 1
    since = (sp.ledger()["at"] - pd.Timestamp(paused[0]).tz_localize(None)).dt.total_seconds()
    assert ((since > 0) & (since < 1)).sum() <= 7  # at most one for each of the other workers
    assert (since >= 1).sum() >= 15


@pytest.mark.parametrize(("header", "seconds"), [("3600", 60), ("59", 59), (None, 0.6)])
def test_retry_after_is_honoured_within_reason(live, service, monkeypatch, header, seconds):
    """A service that asks for an hour is asked again after a minute. Without a Retry-After, a short backoff applies."""
    pauses = []
    monkeypatch.setattr(CircuitBreaker, "pause", lambda _, seconds: pauses.append(seconds))
    service.answer(NAME, "rent", status=429, headers={"Retry-After": header}, times=1)
    sp.rent(NAME)
    assert len(pauses) == 1
    assert 0 < pauses[0] <= seconds


def test_a_rate_limit_slows_a_batch_down_and_fails_none_of_it(tmp_path):
    """Forty suburbs from a service that allows twenty calls a second all arrive, each paid for once."""
    with serve(rate_limit=20) as service:
        options = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s"}
        with sp.Client(**options) as client:
            assert sp.rent(RENTED[:40], client=client)["area_name"].nunique() == 40
        assert set(service.served.values()) == {1}


@pytest.mark.usefixtures("hasty")
def test_without_a_network_a_batch_gives_up_soon(live, service):
    """Without a network, a batch stops before all suburbs were tried. Nothing is sent or charged."""
    service.close()
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(RENTED[:60])
    assert caught.value.cents == 0
    assert set(map(type, caught.value.failures.values())) == {sp.errors.Unreachable}
    assert len(sp.ledger()) < 60


def test_a_price_above_the_quote_stops_the_request_at_once(service, tmp_path):
    """A charge above the quoted price stops the request, after at most one such charge for each worker.

    The responses are kept, and the next quote has the new price.
    """
    for name in RENTED[:30]:
        service.answer(name, "rent", body=b'{"data": null}', headers={"X-Cost-Cents": "45"})
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s", "max_workers": 4}
    with sp.Client(**options) as client:
        with (
            pytest.warns(sp.errors.NoDataWarning),
            pytest.raises(sp.errors.CapExceeded, match=r"charged 45 cents .* 30 cents had been quoted") as caught,
        ):
            sp.rent(RENTED[:30], client=client)
        assert 1 <= len(service.requests) <= 4
        assert sp.ledger(client=client)["cents"].sum() == 45 * len(service.requests)
        assert caught.value.frame is not None
        assert sp.quote(RENTED[:30], client=client).prices == {"rent": 45}


def test_after_a_rise_in_prices_the_message_says_what_the_rest_costs_and_how_to_go_on(live, service):
    """The message has the cost of the calls that are left at the new price, and the line that allows them."""
    for name in RENTED[:12]:
        service.answer(name, "rent", body=body_of(name), headers={"X-Cost-Cents": "300"})
    sp.set_limits(max_cents=400)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(RENTED[:12])
    left = 12 - len(service.requests)
    line = f"sp.set_limits(max_cents={300 * left}, budget_cents=5000)"
    assert (
        f"the {left} calls left would cost {300 * left} cents; before you run the same line again, run {line}"
        in str(caught.value)
    )
    eval(line, {"sp": sp})  # noqa: S307 - our own line
    assert sp.quote(RENTED[:12]).cents == 300 * left
    sp.rent(RENTED[:12])
    assert len(service.requests) == 12


def test_a_price_above_the_quote_is_told_also_where_nothing_is_left_to_stop(live, service):
    """If the last call of a request costs more than quoted, a warning says so and the response is used."""
    service.answer(NAME, "impacts", body=b'{"data": null}', headers={"X-Cost-Cents": "11"})
    with (
        pytest.warns(
            sp.SuburbWarning, match=r"charged 11 cents .* quoted\. The next quote uses 11 cents for such a call\.$"
        ),
        pytest.raises(sp.errors.NoData),
    ):
        sp.impacts(NAME)
    assert sp.quote("Lantern Bay (NSW)", "impacts").cents == 11


def test_the_brake_comes_on_after_five_silent_calls_in_a_row():
    """The circuit breaker trips after five calls in a row without a usable response. A usable one resets the count."""
    breaker, silent, answered = (
        CircuitBreaker(),
        CallResult(Item("rent", NAME), fruitless=True),
        CallResult(Item("rent", NAME)),
    )
    for bought in (silent, silent, silent, silent, answered, silent, silent, silent, silent):
        breaker.end(bought, 30)
    assert not breaker.tripped
    breaker.end(silent, 30)
    assert breaker.tripped
    assert not breaker.wait(0)


@pytest.mark.usefixtures("hasty")
def test_a_service_that_puts_everything_off_stops_the_batch(live, service):
    """After five suburbs that used all their tries, the rest is not asked for. Nothing is charged."""
    service.fail("unavailable", times=None)
    with pytest.raises(
        sp.errors.BatchIncomplete, match="were not asked for, because the service seems to be down"
    ) as caught:
        sp.rent(RENTED[:60])
    assert caught.value.cents == 0
    assert len(service.requests) < 60
    assert len(caught.value.failures) == 60


@pytest.mark.parametrize("header", ["Mon, 01 Jan 99999999999 00:00:00 GMT", "9" * 5000, "-1", "soon"])
def test_an_odd_retry_after_is_no_more_than_that(live, service, monkeypatch, header):
    """A Retry-After that cannot be read is ignored, and the ledger row of its call is still complete."""
    pauses = []
    monkeypatch.setattr(CircuitBreaker, "pause", lambda _, seconds: pauses.append(seconds))
    service.answer(NAME, "rent", status=429, headers={"Retry-After": header}, times=1)
    sp.rent(NAME)
    assert 0 < pauses[0] <= 60
    assert sp.ledger()["outcome"].to_list() == ["not_billed", "billed"]


@pytest.mark.parametrize(("header", "cents"), [("30", 30), ("000", 0), ("20.0", 20), ("20, 21", 21)])
def test_the_cost_is_read_as_it_is_written(live, service, header, cents):
    """``X-Cost-Cents`` may have zeros before and after the number, and of several values the largest counts."""
    service.answer(NAME, "rent", body=b'{"data": null}', headers={"X-Cost-Cents": header})
    with pytest.raises(sp.errors.NoData):
        sp.rent(NAME)
    assert sp.ledger()["cents"].to_list() == [cents]
