"""A request of one or of many suburbs, from names to decoded answers, and what becomes of those that failed.

For one suburb its error is raised. Of many all are tried, what arrived is kept, and one error or warning names the
rest. Buying is purchase's, decoding wire's, and what a frame looks like is left to frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd

from . import purchase, quotes, served, wire
from .calls import Item, Response, age_seconds
from .client import Client, current
from .errors import (
    BatchIncomplete,
    ContractViolation,
    DataWarning,
    NoData,
    NoDataWarning,
    NotStored,
    StaleDataWarning,
    StoreError,
    SuburbError,
    SuburbWarning,
)
from .messages import charged, counted, listed, warn
from .options import Age, Moment, OnError, reuse
from .progress import bar
from .quotes import Quote
from .settings import whole_number
from .shapes import mark
from .wanted import Wanted, wanted

_DAY = 86_400
_STALE = 30 * _DAY

Value = TypeVar("Value")
Payload = TypeVar("Payload", wire.Rent, wire.Impacts)


@dataclass(slots=True)
class Found(Generic[Payload]):
    """What a request brought, decoded: the payload of each suburb that has one, and what went wrong."""

    endpoint: str
    wanted: Wanted
    source: str
    store_path: Path
    on_error: OnError
    responses: dict[str, Response] = field(repr=False)
    cents: dict[str, int]
    stopped: SuburbError | None
    not_asked: int
    payloads: dict[str, Payload] = field(default_factory=dict, repr=False)
    without_data: dict[str, wire.Missing] = field(default_factory=dict)
    failures: dict[str, SuburbError] = field(default_factory=dict, repr=False)
    mended: list[str] = field(default_factory=list)

    def finish(self, frame: pd.DataFrame, **fields: Any) -> pd.DataFrame:
        """Mark the frame, then say what is missing from it: by warnings, and by the error that carries it."""
        if any(wire.MADE_UP_HEADER in response.headers for response in self.responses.values()):
            fields["made_up"] = True
        if self.wanted.one:
            (name,) = self.wanted.names
            response = self.responses[name]
            fields |= {"area_name": name, "retrieved_at": response.retrieved_at, "sha256": response.sha256}
        mark(frame, self.endpoint, self.source, **fields)
        in_order = {name: self.responses[name] for name in self.wanted.names if name in self.responses}
        served.remember(frame, self.endpoint, self.source, self.store_path, in_order)
        try:
            self._warn_of_data()
        finally:  # also where warnings are errors, as this error has the frame
            self._raise_or_warn(frame)
        return frame

    def _warn_of_data(self) -> None:
        if self.mended:
            warn(
                f"The service sent points out of order, or a date twice, for {listed(self.mended)}. They were sorted, "
                "and of a date that came twice the last point was kept.",
                DataWarning,
            )
        if self.without_data:
            cost = charged(sum(self.cents.get(name, 0) for name in self.without_data))
            warn(f"The service has no {self.endpoint} data for {listed(self.without_data)}. {cost}", NoDataWarning)

    def _raise_or_warn(self, frame: pd.DataFrame) -> None:
        if self.stopped is None and not self.failures:
            return
        if self.on_error == "warn" and (self.stopped is None or isinstance(self.stopped, NotStored)):
            what = _what_failed(self) if self.failures else str(self.stopped)
            warn(f"{what} {_account(self, 'the frame')}", SuburbWarning)
            return
        error = copy(self.stopped) if self.stopped else _incomplete(self)
        if self.failures or self.responses or self.cents:
            error.args = (f"{error} {_account(self, 'its frame (.frame)')}",)
        error.frame, error.failures = frame, self.failures
        raise error


def load(
    endpoint: str,
    decode: Callable[[bytes, str], Payload | wire.Missing],
    suburbs: object,
    *,
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Age | None = None,
    offline: bool = False,
    retrieved_by: Moment | None = None,
    errors: OnError = "raise",
    progress: bool | None = None,
    client: Client | None = None,
) -> Found[Payload]:
    """Buy or find the responses of a request, and decode them. For one suburb, what went wrong is raised here."""
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors is 'raise' or 'warn', not {errors!r}.")
    if offline and refresh:
        raise ValueError("offline buys nothing, so it does not go with refresh.")
    will_do = reuse(refresh=refresh, max_age=max_age, retrieved_by=retrieved_by)
    cap = None if max_cents is None else whole_number("max_cents", max_cents)
    asked = wanted(suburbs)
    client = current(client)
    store_path = client.store.path
    client.say_if_made_up()
    quote = quotes.plan(client, (Item(endpoint, name) for name in asked.names), will_do)
    if will_do.by:
        haul = purchase.stored_only(
            client, quote, "retrieved_by", f"nothing had come by {will_do.by[:16].replace('T', ' ')} UTC"
        )
    elif offline:
        haul = purchase.stored_only(client, quote, "offline=True", "offline=True buys nothing")
    else:
        if max_age is None:
            _warn_if_stale(client, quote)
        haul = purchase.fetch(client, quote, max_cents=cap, watch=bar(endpoint, show=progress))
    by_name = _by_name(haul.responses), _by_name(haul.cents)
    found: Found[Payload] = Found(
        endpoint, asked, client.source, store_path, errors, *by_name, haul.stopped, haul.not_asked
    )
    failures = _by_name(haul.failures)
    for name in asked.names:
        if name in found.responses:
            _decode_one(found, decode, name)
        elif name in failures:
            found.failures[name] = failures[name]
    if asked.one:
        _raise_for_one(found)
    return found


def _warn_if_stale(client: Client, quote: Quote) -> None:
    """Say how old what is stored has become. Made-up data do not age."""
    ages = {item: age_seconds(stored.at) for item, stored in quote.kept.items()} if client.source != "embedded" else {}
    stale = [item for item, age in ages.items() if age > _STALE]
    if stale:
        cents = sum(quote.prices[item.endpoint] for item in stale)
        warn(
            f"More than {_STALE // _DAY} days old, the oldest {max(ages.values()) // _DAY:.0f}, and used all the same: "
            f"{counted(len(stale), 'stored response')}, of {listed(item.area_name for item in stale)}. "
            f'To buy again what is older costs {cents} cents: max_age="{_STALE // _DAY}D".',
            StaleDataWarning,
        )


def _by_name(found: Mapping[Item, Value]) -> dict[str, Value]:
    return {item.area_name: value for item, value in found.items()}


def _decode_one(found: Found[Payload], decode: Callable[[bytes, str], Payload | wire.Missing], name: str) -> None:
    response = found.responses[name]
    try:
        payload = decode(response.body, name)
    except ContractViolation as problem:
        problem.cents = found.cents.get(name, 0)
        problem.request_id = response.headers.get("x-request-id")
        found.failures[name] = problem.with_traceback(None)  # which would hold on to this frame's variables
        return
    if isinstance(payload, wire.Missing):
        found.without_data[name] = payload
    else:
        found.payloads[name] = payload


def _raise_for_one(found: Found[Payload]) -> None:
    (name,) = found.wanted.names
    if found.stopped is not None and name not in found.payloads:
        raise found.stopped
    if name in found.failures:
        raise found.failures[name]
    if name in found.without_data:
        raise _no_data(found, name, found.without_data[name])


def _no_data(found: Found[Payload], name: str, missing: wire.Missing) -> NoData:
    response, cents = found.responses[name], found.cents.get(name, 0)
    why = f": {missing.message.rstrip('.')}" if missing.message else ""
    return NoData(
        f"The service has no {found.endpoint} data for {name!r}{why}. {charged(cents)} The answer is kept, so that "
        "asking again costs nothing; refresh=True asks anew.",
        reason=missing.reason,
        status_code=200,
        request_id=response.headers.get("x-request-id"),
        cents=cents,
    )


def _incomplete(found: Found[Payload]) -> BatchIncomplete:
    failures = found.failures.values()
    error = BatchIncomplete(_what_failed(found), cents=sum(failure.cents for failure in failures))
    error.retryable = any(failure.retryable for failure in failures)
    return error


def _what_failed(found: Found[Payload]) -> str:
    """Say which suburbs failed, by the kind of error, and show the first one's own message."""
    kinds: dict[str, list[str]] = {}
    for name, error in found.failures.items():
        kinds.setdefault(type(error).__name__, []).append(name)
    named = "; ".join(f"{kind}: {listed(suburbs)}" for kind, suburbs in kinds.items())
    first = next(iter(found.failures.values()))
    halted = (
        f" {found.not_asked} of them were not asked for, as the service seems to be down." if found.not_asked else ""
    )
    return (
        f"{len(found.failures)} of {counted(len(found.wanted.names), 'suburb')} failed ({named}).{halted} "
        f"The first said: {first}"
    )


def _account(found: Found[Payload], where: str) -> str:
    """Say what a request of many brought, and what all of it cost."""
    arrived, total = len(found.payloads) + len(found.without_data), len(found.wanted.names)
    untried = total - arrived - len(found.failures)
    cents = sum(charge for name, charge in found.cents.items() if name not in found.failures)
    more = sum(failure.cents for failure in found.failures.values())
    return (
        f"In all, {arrived} of {counted(total, 'suburb')} {'is' if total == 1 else 'are'} in {where}"
        + (" and stored" if arrived and not isinstance(found.stopped, StoreError) else "")
        + (f", {untried} {'was' if untried == 1 else 'were'} not asked for" if untried else "")
        + (f"; the calls that brought them cost {cents} cents" if cents else "")
        + (f"; the calls that failed cost up to {more} cents" if more else "")
        + "."
    )
