"""A request of one or of many suburbs, from names to decoded answers, and what becomes of those that failed.

For one suburb its error is raised. Of many all are tried, what arrived is kept, and one error or warning names the
rest. Buying is purchase's, decoding wire's, and what a frame looks like is left to frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypedDict, TypeVar

import pandas as pd

from . import frames, purchase, wire
from .client import Client, current
from .errors import BatchIncomplete, ContractViolation, NoData, NoDataWarning, SuburbError, SuburbWarning
from .messages import listed, warn
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


@dataclass(frozen=True, slots=True)
class Found(Generic[Payload]):
    """What a request brought, decoded: the payload of each suburb that has one, and what went wrong."""

    endpoint: str
    wanted: Wanted
    haul: purchase.Haul
    source: str
    on_error: OnError
    payloads: dict[str, Payload]
    without_data: dict[str, wire.Missing]
    failures: dict[str, SuburbError]

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
            if self.without_data:
                warn(f"The service has no {self.endpoint} data for {listed(self.without_data)}.", NoDataWarning)
        finally:  # also where warnings are errors, as this error has the frame
            self._raise_or_warn(frame)
        return frame

    def _raise_or_warn(self, frame: pd.DataFrame) -> None:
        error = self.haul.stopped or (_incomplete(self.failures, self.wanted) if self.failures else None)
        if error is None:
            return
        error.frame, error.failures = frame, self.failures
        if self.on_error == "warn" and self.haul.stopped is None:
            warn(str(error), SuburbWarning)
        else:
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
    client = client or current()
    client.say_if_made_up()
    quote = purchase.plan(client, endpoint, asked.names, refresh=refresh)
    haul = purchase.fetch(client, quote, max_cents=cap, watch=bar(endpoint, show=progress))
    found: Found[Payload] = Found(endpoint, asked, haul, client.source, errors, {}, {}, dict(haul.failures))
    for name in asked.names:
        if name in haul.responses:
            _decode_one(found, decode, name)
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
    if found.haul.stopped is not None and name not in found.haul.responses:
        raise found.haul.stopped
    if name in found.failures:
        raise found.failures[name]
    if name in found.without_data:
        raise _no_data(found, name, found.without_data[name])


def _no_data(found: Found[Payload], name: str, missing: wire.Missing) -> NoData:
    response, cents = found.haul.responses[name], found.haul.cents.get(name, 0)
    why = f" ({missing.message})" if missing.message else ""
    return NoData(
        f"The service has no {found.endpoint} data for {name!r}{why}. It charged {cents} cents; the answer is kept, so "
        "that asking again costs nothing, and refresh=True asks anew.",
        reason=missing.reason,
        status_code=200,
        request_id=response.headers.get("x-request-id"),
        cents=cents,
    )


def _incomplete(failures: Mapping[str, SuburbError], wanted: Wanted) -> BatchIncomplete:
    """Say which suburbs failed, and show the first one's own message."""
    kinds = [f"{name!r} ({type(error).__name__})" for name, error in failures.items()]
    cents = sum(error.cents for error in failures.values())
    error = BatchIncomplete(
        f"{len(failures)} of {len(wanted.names)} suburbs failed: {listed(kinds, show=str)}. "
        f"{f'They cost up to {cents} cents' if cents else 'They cost nothing'}. What arrived is in .frame and is kept, "
        f"so running the same again buys only the rest. The first said: {next(iter(failures.values()))}",
        cents=cents,
    )
    error.retryable = any(failure.retryable for failure in failures.values())
    return error
