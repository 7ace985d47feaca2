"""Works out the cost of a call, and the error, from the status and headers of its response.

The body of an error is quoted but not parsed, because the specification does not document it. Sending calls is left to
http, the ledger to store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from suburb_pandas import errors
from suburb_pandas.messages import charged, counted
from suburb_pandas.redaction import redacted
from suburb_pandas.sandbox import SANDBOX_NAMES
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import MADE_UP_HEADER, SANDBOX_SUBURBS, Item, Outcome, Response
from suburb_pandas.settings import Key

KEPT_HEADERS = (
    "content-type",
    "date",
    "x-cost-cents",
    "x-rate-card-version",
    "x-request-id",
    MADE_UP_HEADER,
)
"""The headers that are stored. Cookies and the wallet's balance are not, because a store may be passed on."""

_STORED_REFUSALS = frozenset({403, 404, 422})

_PRICE = re.compile(r"[ \t]*([0-9]{1,9})(?:\.0*)?[ \t]*")
GET_A_KEY = 'Run sp.connect(api_key="test") for nine real suburbs, free, or set your own key in SUBURB_API_KEY for all'

_NO_SUCH_STATUS = (
    "The service answered the call for {name!r} with status {status}, which is not in its specification. {cost} "
    "Try again later; if it fails again, tell the service."
)
_FAILED = errors.ServiceError, "The service failed on {name!r} ({status}). {cost} Try again later."

_ERRORS: dict[int, tuple[type[errors.SuburbError], str]] = {
    2: (errors.ServiceError, _NO_SUCH_STATUS),
    3: (
        errors.ServiceError,
        (
            "The service redirected the call for {name!r} ({status}), and the key was not sent to the new address. "
            "{cost} To check the base URL, run sp.show_settings()"
        ),
    ),
    4: (
        errors.Rejected,
        (
            "The service refused the call for {name!r} ({status}): {quoted}. {cost} Check the name; if it is right, "
            "ask the service."
        ),
    ),
    304: (errors.ServiceError, _NO_SUCH_STATUS),
    401: (
        errors.Unauthorized,
        (
            "The service did not accept the API key (401). {cost} Check the key, or run this for nine real suburbs, "
            'free: sp.connect(api_key="test")'
        ),
    ),
    402: (
        errors.PaymentRequired,
        (
            "The key's prepaid wallet cannot pay for {name!r} (402). {cost} Top it up with the service and try "
            "again: responses that arrived are stored."
        ),
    ),
    403: (
        errors.Forbidden,
        "This key does not cover {name!r} (403). {cost} Ask the service which suburbs the key covers.",
    ),
    404: (errors.UnknownSuburb, "The service knows no suburb called exactly {name!r} (404). {cost}"),
    429: (
        errors.RateLimited,
        (
            "The service received too many calls and refused the one for {name!r} (429). {cost} Wait {wait} and "
            "try again, or send fewer calls at once: add max_workers=2 to your sp.connect(...)"
        ),
    ),
}
"""The error of a status, or of all other statuses of its hundred, and its message."""

_MADE_UP_404 = "The embedded sandbox has made-up suburbs only, and none is called exactly {name!r} (404). {cost}"
_TEST_KEY_403 = (
    'The key "test" does not cover {name!r} (403). {cost} The key "test" covers {known}; your own key, set in '
    "SUBURB_API_KEY, covers all suburbs."
)


def settle(endpoint: str, status: int, headers: Mapping[str, str], price: int) -> tuple[Outcome, int]:
    """Return the outcome of an answered call of an endpoint, and its cents. ``price`` is its full price.

    The service's own ``X-Cost-Cents`` takes precedence. If it cannot be read, the outcome is unknown, at the full
    price. Without it, a 200 is billed at the full price; a refusal (4xx) and a 503 are not billed; any other status is
    unknown, at the full price. So is a redirect: the service's specification has none, and what it costs is not known.
    """
    cents, unreadable = charge(endpoint, headers)
    if unreadable is not None:
        return "unknown", price
    if cents is not None:
        return ("billed" if cents or status == HTTPStatus.OK else "not_billed"), cents
    if status == HTTPStatus.OK:
        return "billed", price
    if status // 100 == 4 or status == HTTPStatus.SERVICE_UNAVAILABLE:  # noqa: PLR2004 - 4xx, a refusal
        return "not_billed", 0
    return "unknown", price


def charge(endpoint: str, headers: Mapping[str, str]) -> tuple[int | None, str | None]:
    """Return the cents of ``X-Cost-Cents``, and the header if it cannot be read; None for what there is not."""
    header = headers.get("x-cost-cents")
    cents = None if header is None else _cents(endpoint, header)
    return cents, header if cents is None else None


def is_stored(status: int, cents: int, outcome: Outcome = "billed") -> bool:
    """Return True if a response is stored: a 200, or a refusal that was charged and that the same call gets again.

    A 401, 402, 408 or 429 is not about the suburb, so the same call can succeed later.
    """
    return status == HTTPStatus.OK or (status in _STORED_REFUSALS and outcome == "billed" and cents > 0)


def _cents(endpoint: str, header: str) -> int | None:
    """Read ``X-Cost-Cents``: of several values the largest; None if one of them is not a whole number of cents.

    A value has one to nine digits, and nothing but zeros after a decimal point. More than a hundred times the rate
    card's price is an error of the service. It counts as unreadable, because a price that is read enters the budget,
    later quotes and the line that raises the limits.
    """
    values = [_PRICE.fullmatch(value) for value in header.split(",")]
    cents = max(int(value[1]) for value in values if value) if all(values) else None
    return None if cents is None or cents > ENDPOINTS[endpoint].most_cents else cents


def error(
    item: Item,
    response: Response,
    cost: str = "Nothing was charged.",
    *,
    cents: int = 0,
    wait: float | None = None,
    secret: Key | None = None,
) -> errors.SuburbError:
    """Return the error for a response with a status other than 200.

    ``cost`` is the sentence on the cost. The body is quoted in one line, without the key.
    """
    status, request_id, made_up = response.status, response.request_id, response.made_up
    known = tuple(SANDBOX_NAMES if made_up else SANDBOX_SUBURBS)
    more: dict[str, Any] = {}
    kind, message = _ERRORS.get(status) or _ERRORS.get(status // 100) or _FAILED
    if kind is errors.Forbidden and response.source == "sandbox":
        message, more = _TEST_KEY_403, {"known": known}
    elif kind is errors.UnknownSuburb and made_up:
        message = _MADE_UP_404
    text = message.format(
        name=item.area_name,
        status=f"{status}, request id {request_id}" if request_id and kind is errors.ServiceError else status,
        quoted=redacted(response.content.decode("utf-8", "replace"), secret) or "it gave no reason",
        cost=cost,
        wait="a little" if wait is None else f"{wait:.0f} s",
        known=", ".join(known),
    )
    return kind(text, status_code=status, request_id=request_id, cents=cents, retry_after=wait, **more)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read ``Retry-After``, a number of seconds or a date, as seconds from now."""
    header = headers.get("retry-after", "").strip()
    if header.isascii() and header.isdigit():
        return float(header[:9])
    moment = _moment(header)
    return None if moment is None else max(0.0, (moment - datetime.now(UTC)).total_seconds())


def date(headers: Mapping[str, str]) -> str | None:
    """Return the ``Date`` header of a response as ISO 8601 in UTC; None if it is missing or cannot be read."""
    moment = _moment(headers.get("date", ""))
    return None if moment is None else moment.isoformat()


def _moment(header: str) -> datetime | None:
    """Parse an HTTP date, and return it in UTC; None if it cannot be parsed."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to import, and few calls need it

    try:
        return parsedate_to_datetime(header).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def cost_of(outcome: Outcome, cents: int) -> str:
    """Return the sentence on the cost of a call that has ended."""
    if outcome == "unknown" and cents:
        return (
            f"The call may have charged {counted(cents, 'cent')}; the ledger lists it as unknown, and running it "
            "again may cost the same again."
        )
    return charged(cents)
