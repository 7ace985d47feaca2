"""A request of one or of many suburbs, from names to decoded answers, and what becomes of those that failed.

For one suburb its error is raised. Of many all are tried, what arrived is kept, and one error or warning names the
rest. Buying is purchase's, decoding wire's, and what a frame looks like is left to frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypedDict, TypeVar

import pandas as pd

from . import frames, purchase, wire
from .client import Client, current
from .errors import (
    BatchIncomplete,
    ContractViolation,
    DataWarning,
    NoData,
    NoDataWarning,
    StoreError,
    SuburbError,
    SuburbWarning,
)
from .messages import charged, listed, warn
from .progress import bar
from .settings import whole_number
from .wanted import Wanted, wanted

OnError = Literal["raise", "warn"]


class Options(TypedDict, total=False):
    """What all loaders take."""

    max_cents: int | None
    refresh: bool
    errors: OnError
    progress: bool | None
    client: Client | None


Payload = TypeVar("Payload", wire.Rent, wire.Impacts)


@dataclass(slots=True)
class Found(Generic[Payload]):
    """What a request brought, decoded: the payload of each suburb that has one, and what went wrong."""

    endpoint: str
    wanted: Wanted
    source: str
    on_error: OnError
    haul: purchase.Haul = field(repr=False)
    payloads: dict[str, Payload] = field(default_factory=dict, repr=False)
    without_data: dict[str, wire.Missing] = field(default_factory=dict)
    failures: dict[str, SuburbError] = field(default_factory=dict, repr=False)
    mended: list[str] = field(default_factory=list)

    def finish(self, frame: pd.DataFrame, **fields: Any) -> pd.DataFrame:
        """Mark the frame, then say what is missing from it: by warnings, and by the error that carries it."""
        if any(wire.MADE_UP_HEADER in response.headers for response in self.haul.responses.values()):
            fields["made_up"] = True
        if self.wanted.one:
            (name,) = self.wanted.names
            response = self.haul.responses[name]
            fields |= {"area_name": name, "retrieved_at": response.retrieved_at, "sha256": response.sha256}
        frames.mark(frame, self.endpoint, self.source, **fields)
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
            cost = charged(sum(self.haul.cents.get(name, 0) for name in self.without_data))
            warn(f"The service has no {self.endpoint} data for {listed(self.without_data)}. {cost}", NoDataWarning)

    def _raise_or_warn(self, frame: pd.DataFrame) -> None:
        if self.haul.stopped is None and not self.failures:
            return
        if self.haul.stopped is None and self.on_error == "warn":
            warn(f"{_what_failed(self)} {_account(self, 'the frame')}", SuburbWarning)
            return
        error = self.haul.stopped or _incomplete(self)
        error.args = (f"{error} {_account(self, 'its frame (.frame)')}",)
        error.frame, error.failures = frame, self.failures
        raise error


def load(
    endpoint: str,
    decode: Callable[[bytes, str], Payload | wire.Missing],
    suburbs: object,
    *,
    max_cents: int | None,
    refresh: bool,
    errors: OnError,
    progress: bool | None,
    client: Client | None,
) -> Found[Payload]:
    """Buy or find the responses of a request, and decode them. For one suburb, what went wrong is raised here."""
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors is 'raise' or 'warn', not {errors!r}.")
    cap = None if max_cents is None else whole_number("max_cents", max_cents)
    asked = wanted(suburbs)
    client = current(client)
    client.say_if_made_up()
    quote = purchase.plan(client, endpoint, asked.names, refresh=refresh)
    haul = purchase.fetch(client, quote, max_cents=cap, watch=bar(endpoint, show=progress))
    found: Found[Payload] = Found(endpoint, asked, client.source, errors, haul)
    for name in asked.names:
        if name in haul.responses:
            _decode_one(found, decode, name)
        elif name in haul.failures:
            found.failures[name] = haul.failures[name]
    if asked.one:
        _raise_for_one(found)
    return found


def _decode_one(found: Found[Payload], decode: Callable[[bytes, str], Payload | wire.Missing], name: str) -> None:
    response = found.haul.responses[name]
    try:
        payload = decode(response.body, name)
    except ContractViolation as problem:
        problem.cents = found.haul.cents.get(name, 0)
        problem.request_id = response.headers.get("x-request-id")
        found.failures[name] = problem.with_traceback(None)  # which would hold on to this frame's variables
        return
    if isinstance(payload, wire.Missing):
        found.without_data[name] = payload
    else:
        found.payloads[name] = payload


def _raise_for_one(found: Found[Payload]) -> None:
    (name,) = found.wanted.names
    if found.haul.stopped is not None and name not in found.payloads:
        raise found.haul.stopped
    if name in found.failures:
        raise found.failures[name]
    if name in found.without_data:
        raise _no_data(found, name, found.without_data[name])


def _no_data(found: Found[Payload], name: str, missing: wire.Missing) -> NoData:
    response, cents = found.haul.responses[name], found.haul.cents.get(name, 0)
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
    return f"{len(found.failures)} of {len(found.wanted.names)} suburbs failed ({named}). The first said: {first}"


def _account(found: Found[Payload], where: str) -> str:
    """Say what a request of many brought, and what all of it cost."""
    arrived, total = len(found.payloads) + len(found.without_data), len(found.wanted.names)
    untried = total - arrived - len(found.failures)
    cents = sum(charge for name, charge in found.haul.cents.items() if name not in found.failures)
    more = sum(failure.cents for failure in found.failures.values())
    return (
        f"In all, {arrived} of {total} suburbs are in {where}"
        + ("" if isinstance(found.haul.stopped, StoreError) else " and stored")
        + (f", {untried} were not asked for" if untried else "")
        + (f"; the calls that brought them cost {cents} cents" if cents else "")
        + (f"; the calls that failed cost up to {more} cents" if more else "")
        + "."
    )
