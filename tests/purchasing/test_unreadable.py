"""Answers that cannot be read or believed: what they may cost, what is kept of them, and what a later request does."""

import json
import re
import time
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.errors import ContractViolation
from suburb_pandas.purchasing.breaker import CircuitBreaker
from suburb_pandas.purchasing.call_result import CallResult
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import Reading
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.raw_server import whole
from tests.support.recorded import body_of

SIXTY_SIX = RENTED[:66]
UNREADABLE = ["truncated_json", "malformed_json", "wrong_type", "missing_field"]

ITEM = Item("rent", RENTED[0])
READINGS = {
    "+": Reading(payload="read"),
    "-": Reading(payload=Missing(None, None)),
    "?": Reading(problem=ContractViolation("unreadable")),
    "!": Reading(problem=ContractViolation("unreadable", is_about_another=True)),
}


@pytest.fixture
def one_worker(service, tmp_path):
    """Return a client with a live key that makes one call at a time."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client:
        yield client


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_service_that_answers_nothing_readable_costs_three_calls(live, service, fault):
    """Of sixty-six suburbs three are billed. The error says so, and what they cost; the next run costs three more."""
    service.fail(fault, times=None)
    for run in (1, 2):
        with pytest.raises(sp.errors.BatchIncomplete, match=r"the calls that failed cost up to 90 cents") as caught:
            sp.rent(SIXTY_SIX)
        assert "of which 63 were not asked for" in str(caught.value) or run == 2
        assert len(service.requests) == 3 * run
        assert service.total_cents == sp.ledger()["cents"].sum() == 90 * run
        assert Counter(type(error).__name__ for error in caught.value.failures.values()) == {
            "ContractViolation": 3 * run,
            "Unreachable": 66 - 3 * run,
        }


def test_until_the_first_readable_answer_three_calls_are_under_way(live, service):
    """However many workers there are, three calls leave, and the others wait for the first answers."""
    service.fail("latency", times=None, seconds=60)
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, SIXTY_SIX[:20])
        wait_for(lambda: service.most_at_once == 3)
        time.sleep(0.2)
        assert service.most_at_once == 3
        service.release()
        assert request.result(30)["area_name"].nunique() == 20


def test_no_call_leaves_after_the_third_unreadable_answer_in_a_row(one_worker, service):
    """A service that breaks in the middle of a batch costs three calls."""
    for name in SIXTY_SIX[20:]:
        service.fail("truncated_json", name=name)
    with pytest.raises(sp.errors.BatchIncomplete, match="3 responses in a row could not be read"):
        sp.rent(SIXTY_SIX, client=one_worker)
    assert len(service.requests) == len(sp.ledger(client=one_worker)) == 23


def test_unreadable_answers_between_readable_ones_stop_nothing(one_worker, service):
    """Where every third answer is broken, the whole batch is tried."""
    for name in SIXTY_SIX[::3]:
        service.fail("wrong_type", name=name)
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(SIXTY_SIX, client=one_worker)
    assert len(service.requests) == 66
    assert list(caught.value.failures) == SIXTY_SIX[::3]


@given(st.lists(st.sampled_from(["+", "?", "!", "--", 9 * "-"]), max_size=12), st.randoms(use_true_random=False))
def test_the_breaker_counts_in_the_order_of_arrival(runs, chance):
    """However late each answer is read, the breaker trips if and only if the order of arrival gives a reason."""
    breaker, kinds = CircuitBreaker(), "".join(runs)
    judged = [(breaker.arrived(), READINGS[kind]) for kind in kinds]
    chance.shuffle(judged)
    for number, reading in judged:
        breaker.end(CallResult(ITEM, number=number, reading=reading), 30)
    assert breaker.tripped == bool(re.search(r"[?!]{3}|!.*!|^[^+]{10}|[^+]{20}", kinds))
    assert bool(breaker.reason) == breaker.tripped


def test_an_unreadable_answer_is_kept_and_fails_at_no_new_cost(live, service):
    """The quote lists it with its cents, a later request fails for free, and the line in the error buys it again."""
    broken, *readable = RENTED[:4]
    service.fail("truncated_json", name=broken)
    with pytest.raises(sp.errors.BatchIncomplete) as first:
        sp.rent(RENTED[:4])
    quote = sp.quote(RENTED[:4])
    assert (quote.unreadable, quote.cents, quote.calls) == ({broken: 30}, 0, 0)
    assert f"unreadable  {broken!r}: bought for 30 cents and stored, but cannot" in repr(quote)
    with pytest.raises(sp.errors.ContractViolation, match="bought for 30 cents and is stored") as again:
        sp.rent(broken)
    assert (first.value.failures[broken].cents, again.value.cents) == (30, 0)
    assert len(service.requests) == 4
    assert str(again.value).endswith(
        f"To read it, run sp.vintages({broken!r}, bodies=True); to buy the data again, run sp.rent({broken!r}, "
        "refresh=True)"
    )
    assert len(sp.rent(broken, refresh=True)) > 100
    assert len(service.requests) == 5
    assert sp.quote(RENTED[:4]).unreadable == {}
    assert sp.rent(RENTED[:4])["area_name"].nunique() == 1 + len(readable)


def test_several_unreadable_answers_are_bought_again_by_one_line(live, service):
    """The error of a batch has the line that buys all unreadable answers again, for each endpoint."""
    for name in (RENTED[1], RENTED[3]):
        service.fail("wrong_type", name=name, times=2)
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(RENTED[:6])
    both = f"[{RENTED[1]!r}, {RENTED[3]!r}]"
    assert str(caught.value).endswith(
        f"To read the unreadable responses, run sp.vintages({both}, bodies=True); to buy all of them again, run "
        f"sp.rent({both}, refresh=True)"
    )


def test_a_broken_look_up_says_how_to_make_it_again(live, service):
    """The line for a look-up has its query and its state. The stored body of one without a state can be shown."""
    service.answer("quokka", "geocode", body=b"{}")
    with pytest.raises(sp.errors.ContractViolation) as caught:
        sp.find("quokka", state="WA")
    assert "sp.find('quokka', state='WA', refresh=True)" in str(caught.value)
    with pytest.raises(sp.errors.ContractViolation, match=r"run sp\.vintages\('quokka', 'geocode', bodies=True\); to"):
        sp.find("quokka")
    assert sp.vintages("quokka", "geocode", bodies=True)["body"].to_list() == ["{}"]


def test_a_newer_version_that_can_read_an_answer_uses_it(live, service, monkeypatch):
    """An answer that could not be read is decoded again by each later request, so that an upgrade makes use of it."""

    def refuse(*_):
        raise ContractViolation("unreadable", status_code=200)

    with monkeypatch.context() as older:
        older.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=refuse))
        with pytest.raises(sp.errors.ContractViolation):
            sp.rent(RENTED[0])
        assert sp.quote(RENTED[0]).unreadable == {RENTED[0]: 30}
    assert sp.quote(RENTED[0]).unreadable == {}
    assert len(sp.rent(RENTED[0])) > 100
    assert len(service.requests) == 1


def test_after_the_second_answer_about_another_suburb_nothing_is_trusted(one_worker, service):
    """Readable answers in between do not help: the second answer under a wrong name stops the request."""
    for name in SIXTY_SIX[10::10]:
        service.fail("wrong_name", name=name)
    with pytest.raises(sp.errors.BatchIncomplete, match="2 responses were about other suburbs") as caught:
        sp.rent(SIXTY_SIX, client=one_worker)
    assert len(service.requests) == 21
    assert [name for name, error in caught.value.failures.items() if error.cents] == [SIXTY_SIX[10], SIXTY_SIX[20]]


def test_an_answer_about_another_suburb_is_not_shown_at_a_sqlite_prompt(live, service):
    """The body stays in the store as evidence, but no view shows it under the name that was asked for."""
    service.fail("wrong_name", name=RENTED[0])
    with pytest.raises(sp.errors.ContractViolation, match="it is about"):
        sp.rent(RENTED[0])
    sp.rent(RENTED[1])
    with plain_sqlite(live.store.path) as plain:
        bodies = plain.execute("select body from response order by call_id").fetchall()
        assert json.loads(bodies[0][0])["data"]["area_name"] != RENTED[0]
        shown = dict(plain.execute("select area_name, json is not null from newest"))
    assert shown == {RENTED[0]: 0, RENTED[1]: 1}


def test_an_empty_answer_is_unreadable_and_breaks_nothing_else(live, service):
    """An answer without a body is kept like any other unreadable one, and names are still looked up and suggested."""
    service.answer(RENTED[0], "rent", body=b"")
    with pytest.raises(sp.errors.ContractViolation):
        sp.rent(RENTED[0])
    assert sp.quote(RENTED[:2]).unreadable == {RENTED[0]: 30}
    assert len(sp.find("quokka")) == 2
    assert len(sp.suggest("quokka"))


UNREAD_PRICES = ["1e3", "-30", "", "9" * 9, "9" * 10, "free", "30, many", "3001"]


@pytest.mark.parametrize("price", UNREAD_PRICES)
def test_a_price_that_cannot_be_read_stops_the_request(one_worker, service, price):
    """The call is unknown, at the price of the rate card, and the error shows the header. Nothing else is sent."""
    service.answer(SIXTY_SIX[1], "rent", status=404, headers={"X-Cost-Cents": price})
    with pytest.raises(sp.errors.ContractViolation, match="1 call was billed, for 30 cents") as caught:
        sp.rent(SIXTY_SIX, client=one_worker)
    assert f"X-Cost-Cents: {price!r}" in str(caught.value)
    assert caught.value.frame["area_name"].unique().tolist() == SIXTY_SIX[:1]
    with pytest.warns(sp.SuburbWarning, match="In 1 call, .* cannot be read or believed, as for .*may have cost more"):
        ledger = sp.ledger(client=one_worker)
    assert ledger[["outcome", "cents"]].to_numpy().tolist() == [["billed", 30], ["unknown", 30]]
    assert len(service.requests) == 2


def test_of_a_price_that_cannot_be_read_the_data_are_kept(live, service):
    """If nothing was left to ask for, the data are returned, with a warning that shows the header."""
    body = ENDPOINTS["rent"].sample
    service.answer("Lantern Bay (NSW)", "rent", body=body, headers={"X-Cost-Cents": "1e3"})
    with pytest.warns(sp.SuburbWarning, match=r"X-Cost-Cents: '1e3'.*unknown, at 30 cents"):
        frame = sp.rent("Lantern Bay (NSW)")
    assert len(frame) == 2
    assert sp.rent("Lantern Bay (NSW)").equals(frame)
    assert len(service.requests) == 1


def test_the_last_known_price_counts_if_it_is_higher(live, service):
    """A price that cannot be read counts as the rate card's, or as the last one that was charged."""
    service.answer(RENTED[0], "rent", body=b'{"data": null}', headers={"X-Cost-Cents": "45"})
    service.answer(RENTED[1], "rent", body=b'{"data": null}', headers={"X-Cost-Cents": "x"})
    for name in RENTED[:2]:
        with pytest.warns(sp.SuburbWarning), pytest.raises(sp.errors.NoData):
            sp.rent(name)
    with pytest.warns(sp.SuburbWarning):
        assert sp.ledger()["cents"].to_list() == [45, 45]


def test_a_price_that_is_sent_twice_is_the_larger_one(serve, client_of):
    """The larger of two prices is charged, in whatever order they come."""
    client = client_of(serve(whole(b'{"data": null}', "X-Cost-Cents: 60", "x-cost-cents: 30")).url)
    with pytest.warns(sp.SuburbWarning, match="charged 60 cents"), pytest.raises(sp.errors.NoData):
        sp.rent("Quokka Bay", client=client)
    assert sp.ledger(client=client)["cents"].to_list() == [60]


@pytest.mark.parametrize(
    ("price", "cents", "message"),
    [("500", 500, r"may have charged 500 cents .* 30 cents had been quoted\.$"), ("1e9", 30, "X-Cost-Cents: '1e9'")],
)
def test_the_price_of_an_answer_that_broke_off_counts(serve, client_of, price, cents, message):
    """The price that arrived before an answer broke off is the most that the call may have cost."""
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nX-Cost-Cents: {price}\r\n\r\nhalf".encode()
    client = client_of(serve(lambda connection: connection.sendall(head)).url)
    with pytest.warns(sp.SuburbWarning, match=message), pytest.raises(sp.errors.Unreachable) as caught:
        sp.rent("Quokka Bay", client=client)
    assert caught.value.cents == cents
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        assert sp.ledger(client=client)[["outcome", "cents"]].to_numpy().tolist() == [["unknown", cents]]


def test_a_charged_refusal_does_not_change_the_price_of_an_answer(live, service):
    """The next quote goes by the last answer, not by what a refusal cost."""
    service.answer(RENTED[0], "rent", body=b'{"data": null}', headers={"X-Cost-Cents": "45"})
    service.answer(RENTED[1], "rent", status=404, headers={"X-Cost-Cents": "5"})
    with pytest.warns(sp.SuburbWarning), pytest.raises(sp.errors.NoData):
        sp.rent(RENTED[0])
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.rent(RENTED[1])
    assert sp.quote(RENTED[2]).cents == 45


def test_while_a_cassette_records_a_wrong_price_stops_as_soon(live, service, tmp_path):
    """However long recording takes, no call leaves between an answer and the look at its price."""
    for name in SIXTY_SIX[:20]:
        service.answer(name, "rent", body=body_of(name), headers={"X-Cost-Cents": "300"})
    wrong = pytest.raises(
        sp.errors.CapExceeded, match=r"The service charged 300 cents for .*, although 30 cents had been quoted\."
    )
    with sp.cassette(tmp_path / "c.yaml"), wrong:
        sp.rent(SIXTY_SIX[:20])
    assert len(service.requests) in {1, 2, 3}, "the calls under way before the first readable answer are at most three"
    assert sp.ledger()["cents"].to_list() == [300] * len(service.requests)


def test_both_answers_of_a_scorecard_are_bought_again_by_the_lines_in_its_message(live, service):
    """If rents and impacts of one suburb are unreadable, the message has a line for each."""
    service.fail("truncated_json", name=RENTED[0], times=2)
    with pytest.warns(sp.SuburbWarning) as caught:
        sp.scorecard(RENTED[0])
    for line in ("rent", "impacts"):
        assert f"sp.{line}({RENTED[0]!r}, refresh=True)" in str(caught[-1].message)


def test_a_service_that_is_down_from_the_start_is_called_five_times(live, service, hasty):
    """Until the first readable answer, no more calls are under way than may be silent in a row."""
    service.fail("dropped_after_billing", times=None)
    with pytest.raises(sp.errors.BatchIncomplete, match="5 calls in a row had no usable response"):
        sp.rent(SIXTY_SIX)
    assert len(service.requests) == 5
    assert sp.ledger()["cents"].sum() == 150
