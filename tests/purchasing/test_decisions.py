"""The rules by which a request goes on or stops, as plain functions of plain data."""

import random
import re
from http import HTTPStatus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suburb_pandas.purchasing.decisions import Progress, calls_to_begin, end_of, update
from suburb_pandas.service.calls import Call, Exchange, Item, Namespace, Terms, utc_now
from tests.support.recorded import body_of

NAME = "Quokka Bay"
TERMS = Terms(Namespace("live", "http://127.0.0.1"), {"rent": 30}, budget=5000, lease=40, retry_wait=0.6)
CALL = Call(1, Item("rent", NAME), utc_now(), "sent", 30)
LOST, UNSENT = Exchange(why="the connection was reset"), Exchange(why="no connection could be made", sent=False)


def answer(status=HTTPStatus.OK, body=b"{}", **headers):
    """Return an exchange whose answer is complete. Underscores in names of headers stand for hyphens."""
    return Exchange(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def ended(exchange, tries=1):
    """Return what follows from an exchange."""
    return end_of(TERMS, CALL, exchange, tries)


@pytest.mark.parametrize("price", [None, "0", "30", "many"])
def test_only_a_call_that_cost_nothing_is_tried_again(price):
    """A call that may have cost something is never repeated, whatever its status, and no call is made five times."""
    headers = {} if price is None else {"x_cost_cents": price}
    for exchange in (LOST, UNSENT, *(answer(status, **headers) for status in range(100, 600))):
        first, *others = (ended(exchange, tries) for tries in (1, 2, 3, 4))
        assert [one.again for one in others] == [first.again, first.again, False]
        assert not first.again or (first.call.outcome, first.call.cents, first.error.cents) == ("not_billed", 0, 0)


KINDS = {
    "+": answer(body=body_of(NAME)),
    "-": answer(body=b'{"data": null}'),
    "?": answer(body=b'{"data": '),
    "!": answer(body=body_of("Woylie")),
    "x": answer(500),
    "c": answer(404, x_cost_cents="30"),
    "f": answer(404),
}
"""Answers with data, without data, unreadable and about another suburb; charged failures; and a free refusal."""

RUNS = st.lists(st.sampled_from([*KINDS, "????", 9 * "-", 9 * "x", 9 * "+"]), max_size=25).map("".join)


def without(kinds, text):
    """Return a sequence of answers without some kinds."""
    return text.translate(dict.fromkeys(map(ord, kinds)))


@settings(max_examples=300)
@example("+" + 25 * "-", 1, random.Random(0))
@given(RUNS, st.integers(1, 16), st.randoms(use_true_random=False))
def test_no_sequence_of_answers_lets_more_calls_begin_than_the_limits_allow(answers, workers, chance):
    """Answers count in the order of their arrival, whatever they are, and however many calls are under way at once.

    Before the first data, at most three calls are under way, and each limit is the most that begins. Later, the calls
    that were under way at the first failure can fail, too, except that no more than twenty in a row are without data.
    """
    progress, arrived, under_way, left = Progress(), "", [], list(answers)
    while under_way or (left and calls_to_begin(progress, 0)):
        while left and len(under_way) < workers and calls_to_begin(progress, len(under_way)):
            under_way.append(left.pop(0))
            assert len(under_way) <= 3 or "+" in arrived
        arrived += (kind := under_way.pop(chance.randrange(len(under_way))))
        update(progress, ended(KINDS[kind]), 30)
    readings, failures = without("xcf", arrived), without("-", arrived)
    is_due = re.search(r"[?!]{3}|!.*!|^[^+]{10}|[^+]{20}", readings) or re.search("[?!xc]{5}", failures)
    assert progress.stopped is bool(progress.reason) is bool(is_due)
    at_first = arrived.partition("+")[0]
    assert not re.search(r"[?!]{4}|.{11}", without("xcf", at_first))
    assert not re.search("[?!xc]{6}", without("-", at_first))
    assert not re.search(r"[^+]{21}", readings)
    assert max(map(len, re.findall("[?!xc]+", failures)), default=0) <= max(5, workers)
