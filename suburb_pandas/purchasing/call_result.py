"""Defines the result of a call, which a worker passes to the circuit breaker and to the purchase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from suburb_pandas import errors
from suburb_pandas.service.calls import Item, Outcome, Response
from suburb_pandas.service.reading import Reading


class NextCall(NamedTuple):
    """The item that a worker asks for next, and the number of its call if its ledger row is already written."""

    item: Item
    call: int | None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call: its response, its error, and the cents that it cost or may have cost.

    ``response`` and ``error`` are both set if a response arrived that could not be stored or recorded. Neither is set
    if another request took over the item. ``number`` is the position of the answer in the order of arrival, and
    ``reading`` its contents. ``outcome`` is None if no call was made. ``fruitless`` is True if the call brought no data
    and counts against the service: it was put off, was charged, or has an unknown outcome. ``unread_price`` is the
    price that the service sent, if it cannot be read. ``again`` is the number of seconds to wait before a retry, None
    if there will be none. ``then`` is the next call, if it began in the commit that ended this one.
    """

    item: Item
    response: Response | None = None
    number: int | None = None
    reading: Reading | None = None
    error: errors.SuburbError | None = None
    outcome: Outcome | None = None
    cents: int = 0
    fruitless: bool = False
    unread_price: str | None = None
    again: float | None = None
    then: NextCall | None = None
