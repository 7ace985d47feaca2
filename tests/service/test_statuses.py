"""The meaning of a status and its headers: the cost of the call, and the error with its message."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

import suburb_pandas as sp
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import MADE_UP_HEADER, SANDBOX_SUBURBS, Item, Response

PRICE = 30


def error(status, headers=(), *, outcome="not_billed", cents=0, quoted=b"", source="live"):
    """Return the error of a call for a made-up suburb."""
    headers = dict(headers)
    response = Response.of(quoted, headers, "", cents, source, status=status)
    cost, wait = statuses.cost_of(outcome, cents), statuses.retry_after(headers)
    return statuses.error(Item("rent", "Quokka Bay"), response, cost, cents=cents, wait=wait)


SETTLED = """
200 = billed 30
200 0 = billed 0
200 30,60.00,0 = billed 60
200 3000 = billed 3000
200 012 = billed 12
300 = not_billed 0
304 = unknown 30
404 0 = not_billed 0
500 = unknown 30
500 0 = not_billed 0
500 30 = billed 30
503 = not_billed 0
"""


def test_the_cost_follows_from_the_header_and_else_from_the_status():
    """`X-Cost-Cents` decides. Without it only a 200 is billed, and a 5xx other than 503 may have been.

    A cost may be repeated, and may have leading zeros, or nothing but zeros after a decimal point; the largest counts.
    """
    for line in SETTLED.strip().splitlines():
        asked, _, expected = line.partition(" = ")
        status, has_cost, cost = asked.partition(" ")
        outcome, cents = statuses.settle("rent", int(status), {"x-cost-cents": cost} if has_cost else {}, PRICE)
        assert f"{outcome} {cents}" == expected, line


@pytest.mark.parametrize("cost", ["", "-1", "1.5", "\u0663", "1000000000", "30, x", "3001"])
def test_a_cost_that_cannot_be_read_leaves_the_outcome_unknown(cost):
    """A cost that is no number of cents, or over 100 times the rate card, is shown as it came; the quote counts."""
    for status in (200, 503):
        assert statuses.settle("rent", status, {"x-cost-cents": cost}, PRICE) == ("unknown", PRICE)


ERRORS = """
204 ServiceError with status 204, which is not in its specification. Nothing was charged. Try
302 ServiceError redirected the call for 'Quokka Bay' (302), and the key was not sent to the new address. Nothing was
304 ServiceError with status 304, which is not in its specification
400 Rejected refused the call for 'Quokka Bay' (400): it gave no reason. Nothing was charged.
401 Unauthorized did not accept the API key (401). Nothing was charged
402 PaymentRequired cannot pay for 'Quokka Bay' (402). Nothing was charged
403 Forbidden This key does not cover 'Quokka Bay' (403). Nothing was charged
404 UnknownSuburb no suburb called exactly 'Quokka Bay' (404). Nothing was charged
429 RateLimited refused the one for 'Quokka Bay' (429). Nothing was charged. Wait a little and try again
500 ServiceError The service failed on 'Quokka Bay' (500). Nothing was charged
"""


def test_each_status_has_its_error_and_message():
    """A message says what happened, and what it cost."""
    for status, kind, message in (line.split(" ", 2) for line in ERRORS.strip().splitlines()):
        found = error(int(status))
        assert (type(found), message in str(found)) == (getattr(sp.errors, kind), True)
        facts = found.status_code, found.cents, found.request_id, found.retry_after
        assert facts == (int(status), 0, None, None)


def test_a_refusal_is_in_the_words_of_the_service_and_of_the_key():
    """A 4xx repeats the beginning of the body. The error of the key ``test`` lists the suburbs that it covers.

    Where suburbs are made up, the error says so.
    """
    assert "(422): q is required. Nothing was charged." in str(error(422, quoted=b"q is required"))
    refused = error(403, source="sandbox")
    assert refused.known == tuple(SANDBOX_SUBURBS)
    assert 'The key "test" covers Belmont North, Bondi, St Kilda (Vic.), Fortitude Valley, Subiaco' in str(refused)
    assert "Unley, Sandy Bay, Kambah, Nightcliff; your own key" in str(refused)
    assert " ".join(SANDBOX_SUBURBS.values()) == "NSW NSW VIC QLD WA SA TAS ACT NT"
    assert "has made-up suburbs only" in str(error(404, {MADE_UP_HEADER: ""}))


def test_a_failure_says_what_it_cost_or_may_have_cost():
    """The message tells a charge from one that is not certain. Only a failure names its request id, for support."""
    headers = {"x-request-id": "r-17"}
    unknown, billed = error(500, headers, outcome="unknown", cents=30), error(500, outcome="billed", cents=30)
    assert "(500, request id r-17). The call may have charged 30 cents; the ledger lists it as unknown, and" in str(
        unknown
    )
    assert "The service charged 30 cents." in str(billed)
    assert "Nothing was charged." in str(error(500, outcome="unknown"))
    assert "r-17" not in str(error(404, headers))
    assert (unknown.cents, error(404, headers).request_id) == (30, "r-17")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("1" * 12, 111_111_111),
        *((header, None) for header in ("", "soon", "-1", "1.5", "\u0667", "Fri, 99 Jan 2021 00:00:00 GMT")),
    ],
)
def test_retry_after_in_seconds(header, seconds):
    """`Retry-After` is a whole number of seconds, at most nine digits of it. Any other text is ignored."""
    assert statuses.retry_after({"retry-after": header}) == seconds
    assert f"Wait {'a little' if seconds is None else f'{seconds} s'} and" in str(error(429, {"retry-after": header}))


def test_retry_after_as_a_date():
    """`Retry-After` may be a date; a date that is past means no wait."""
    now = datetime.now(UTC)
    later, past = (format_datetime(now + timedelta(seconds=one)).replace("+0000", "GMT") for one in (1000, -1000))
    assert 900 < statuses.retry_after({"retry-after": later}) <= 1000
    assert statuses.retry_after({"retry-after": past}) == 0
    assert statuses.date({"date": "Tue, 28 Apr 2026 10:00:00 GMT"}) == "2026-04-28T10:00:00+00:00"


def test_a_charged_refusal_is_stored_if_the_same_call_gets_it_again():
    """A 200 is stored, and a charged refusal about the suburb; a refusal that can pass is not."""
    tried = 200, 401, 402, 403, 404, 408, 422, 429, 500
    assert [status for status in tried if statuses.is_stored(status, 1)] == [200, 403, 404, 422]
    assert [status for status in tried if statuses.is_stored(status, 0)] == [200]
