"""The result of one call, as a worker hands it to the circuit breaker and to the purchase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from suburb_pandas import errors
from suburb_pandas.service.calls import Item, Response


class NextCall(NamedTuple):
    """The item that a worker asks for next, and the number of its call if that has begun."""

    item: Item
    call: int | None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The end of one call: its response, its error, and the cents that it cost or may have cost.

    Both are set if a response arrived that could not be stored; neither, if another request took over the item.
    ``silent`` is True if no usable answer arrived. ``again`` is the number of seconds after which another try is free
    to be made, None if there is to be none. ``then`` is the call that began in the commit that ended this one.
    """

    item: Item
    response: Response | None = None
    error: errors.SuburbError | None = None
    cents: int = 0
    silent: bool = False
    again: float | None = None
    then: NextCall | None = None
