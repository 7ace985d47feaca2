"""The meaning of a status and its headers: the cost of the call, and the error with its message."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

import suburb_pandas as sp
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import Item, Response

PRICE = 30


def error(status, headers=(), *, outcome="not_billed", cents=0, quoted="", name="Quokka Bay"):
    """Return the error of a call for a made-up suburb."""
    headers = dict(headers)
    response = Response.of(quoted.encode(), headers, "", cents, "live", status=status)
    wait = statuses.retry_after(headers)
    return statuses.error(Item("rent", name), response, statuses.cost_of(outcome, cents), cents=cents, wait=wait)


@pytest.mark.parametrize(
    ("status", "cost", "expected"),
    [
        (200, None, ("billed", PRICE)),
        (200, "0", ("billed", 0)),
        (300, None, ("not_billed", 0)),
        (304, None, ("unknown", PRICE)),
        (404, "0", ("not_billed", 0)),
        (500, None, ("unknown", PRICE)),
        (500, "0", ("not_billed", 0)),
        (500, "30", ("billed", 30)),
        (503, None, ("not_billed", 0)),
    ],
)
def test_the_cost_follows_from_the_header_and_else_from_the_status(status, cost, expected):
    """`X-Cost-Cents` decides. Without it only a 200 is billed, and a 5xx other than 503 may have been."""
    headers = {} if cost is None else {"x-cost-cents": cost}
    assert statuses.settle("rent", status, headers, PRICE) == expected


UNREAD = ["", "-1", "1.5", "free", "\u0663", "1000000000", "30, x", "3001"]


@pytest.mark.parametrize("status", [200, 503])
@pytest.mark.parametrize("cost", UNREAD)
def test_a_cost_that_cannot_be_read_leaves_the_outcome_unknown(cost, status):
    """A cost that is no number of cents, or over 100 times the rate card, is shown as it came; the quote counts."""
    headers = {"x-cost-cents": cost}
    assert statuses.settle("rent", status, headers, PRICE) == ("unknown", PRICE)


@pytest.mark.parametrize(
    ("cost", "cents"),
    [
        ("30,60.00,0", 60),
        ("3000", 3000),
        ("012", 12),
    ],
)
def test_of_several_costs_the_largest_counts(cost, cents):
    """A cost may be repeated, and may have leading zeros, or nothing but zeros after a decimal point."""
    assert statuses.settle("rent", 200, {"x-cost-cents": cost}, PRICE) == ("billed", cents)


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (
            302,
            sp.errors.ServiceError,
            "redirected the call for 'Quokka Bay' (302), and the key was not sent to the new address. Nothing was",
        ),
        (400, sp.errors.Rejected, "refused the call for 'Quokka Bay' (400): it gave no reason. Nothing was charged."),
        (401, sp.errors.Unauthorized, "did not accept the API key (401). Nothing was charged"),
        (402, sp.errors.PaymentRequired, "cannot pay for 'Quokka Bay' (402). Nothing was charged"),
        (403, sp.errors.Forbidden, "does not cover 'Quokka Bay' (403). Nothing was charged"),
        (404, sp.errors.UnknownSuburb, "no suburb called exactly 'Quokka Bay' (404). Nothing was charged"),
        (
            429,
            sp.errors.RateLimited,
            "refused the one for 'Quokka Bay' (429). Nothing was charged. Wait a little and try again",
        ),
        (500, sp.errors.ServiceError, "The service failed on 'Quokka Bay' (500). Nothing was charged"),
    ],
)
def test_each_status_has_its_error_and_message(status, kind, message):
    """A message says what happened, and what it cost."""
    found = error(status)
    assert type(found) is kind
    assert message in str(found)
    assert (found.status_code, found.cents, found.request_id, found.retry_after) == (status, 0, None, None)


def test_a_refusal_quotes_the_services_own_words():
    """A 4xx repeats the beginning of the body, which says what was wrong."""
    assert "(422): q is required. Nothing was charged." in str(error(422, quoted="q is required"))


@pytest.mark.parametrize(
    ("outcome", "cents", "message"),
    [
        ("unknown", 30, "The call may have charged 30 cents; the ledger lists it as unknown, and running it again may"),
        ("billed", 30, "The service charged 30 cents."),
    ],
)
def test_a_failure_says_what_it_cost_or_may_have_cost(outcome, cents, message):
    """The message tells a charge from one that is not certain."""
    found = error(500, outcome=outcome, cents=cents)
    assert message in str(found)
    assert found.cents == cents


def test_the_request_id_is_in_the_message_only_where_support_needs_it():
    """A failure of the service names its request id in the message; other errors have it as an attribute."""
    headers = {"x-request-id": "r-17"}
    assert "(500, request id r-17)" in str(error(500, headers))
    assert "r-17" not in str(error(404, headers))
    assert error(404, headers).request_id == "r-17"


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), (" 7 ", 7), ("0", 0), ("1" * 12, 111_111_111)])
def test_retry_after_in_seconds(header, seconds):
    """`Retry-After` is a whole number of seconds, at most nine digits of it."""
    assert statuses.retry_after({"retry-after": header}) == seconds
    assert f"Wait {seconds} s and" in str(error(429, {"retry-after": header}))


@pytest.mark.parametrize("header", ["", "soon", "-1", "1.5", "\u0667", "Fri, 99 Jan 2021 00:00:00 GMT"])
def test_a_retry_after_that_cannot_be_read_is_none(header):
    """Any other text is ignored."""
    assert statuses.retry_after({"retry-after": header}) is None


def test_retry_after_as_a_date():
    """`Retry-After` may be a date; a date that is past means no wait."""
    now = datetime.now(UTC)
    later, past = (format_datetime(now + timedelta(seconds=one)).replace("+0000", "GMT") for one in (1000, -1000))
    assert 900 < statuses.retry_after({"retry-after": later}) <= 1000
    assert statuses.retry_after({"retry-after": past}) == 0
    assert statuses.date({"date": "Tue, 28 Apr 2026 10:00:00 GMT"}) == "2026-04-28T10:00:00+00:00"
