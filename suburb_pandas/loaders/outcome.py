"""Owns the result of a request: it marks the frame, warns of missing data, and raises the error if a suburb failed.

A request for one suburb raises the error of that suburb. A request for many keeps everything that arrived, and raises
one error or gives one warning that lists the suburbs that failed. Running the request is left to batch, buying to
purchasing, and building frames to loaders.frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import did_you_mean, provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import (
    BatchIncomplete,
    ContractViolation,
    DataWarning,
    NoData,
    NoDataWarning,
    NotStored,
    StoreError,
    SuburbError,
    SuburbWarning,
)
from suburb_pandas.frames.schema import Unit, is_of_drivers, mark
from suburb_pandas.frames.suburbs import SuburbSelection
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.options import OnError
from suburb_pandas.loaders.vintages import warn_of_revisions
from suburb_pandas.messages import charged, counted, listed, sentences, warn
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.redaction import redacted
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.impacts import Impacts
from suburb_pandas.service.reading import line_to_buy_again, line_to_read

_LONGEST_POINT: Final = 80


@dataclass(slots=True)
class BatchResult:
    """The responses and failures of a request.

    ``lookup`` is an endpoint, or a composite such as ``scorecard``. ``items`` is everything that the request asked for,
    suburb by suburb. ``result`` is the outcome of its calls, and ``before`` has the calls of the stored responses that
    they replace. ``absent`` are the names that a complete gazetteer does not have.
    """

    lookup: str
    selection: SuburbSelection
    context: RequestContext
    on_error: OnError
    items: Sequence[Item] = field(repr=False)
    answers: Answers = field(repr=False)
    result: PurchaseResult = field(repr=False)
    before: Mapping[Item, int] = field(default_factory=dict, repr=False)
    absent: Sequence[str] = ()

    @property
    def source(self) -> str:
        """The sources of the responses; if there are no responses, the source of the client."""
        return ", ".join(self.answers.sources) or self.context.source

    @property
    def failures(self) -> dict[str, SuburbError]:
        """The error of each suburb that failed; its first error, if several of its calls failed."""
        errors: dict[str, SuburbError] = {}
        for item in self.items:
            if item in self.result.failures:
                errors.setdefault(item.area_name, self.result.failures[item])
        return errors

    def payloads(self, endpoint: str) -> Mapping[str, Any]:
        """Return the payload of each suburb that has data of an endpoint."""
        return self.answers.of(endpoint).payloads

    def statuses(self) -> list[str]:
        """Return the status of each suburb: ``ok``, ``no data`` if an endpoint has none, or the class of its error."""
        statuses = dict.fromkeys(self.selection.names, "ok")
        for endpoint in endpoints_of(self.lookup):
            statuses |= dict.fromkeys(self.answers.of(endpoint).without_data, "no data")
        if self.result.stopped is not None:
            missing = [item.area_name for item in self.items if item not in self.answers.responses]
            statuses |= dict.fromkeys(missing, type(self.result.stopped).__name__)
        statuses |= {name: type(error).__name__ for name, error in self.failures.items()}
        return list(statuses.values())

    def raise_for_one(self) -> None:
        """Raise the error of a request for a single item, if it failed or has no data."""
        (item,) = self.items
        missing = self.answers.of(item.endpoint).without_data.get(item.area_name)
        if self.result.stopped is not None and (missing or item not in self.answers.responses):
            raise self.result.stopped
        if item in self.result.failures:
            raise self.result.failures[item]
        if missing:
            raise _no_data(self, item, missing)

    def finish(
        self,
        frame: pd.DataFrame,
        attrs: Mapping[str, Any] | None = None,
        *,
        unit: Unit | None = None,
        raises: bool = True,
    ) -> pd.DataFrame:
        """Mark a frame and return it, after warnings about its data; or raise the request's error with the frame.

        With ``raises=False``, failed suburbs only cause a warning. An error that ended the whole request is still
        raised.
        """
        fields: dict[str, Any] = dict(attrs or {})
        if self.answers.is_made_up:
            fields["made_up"] = True
        received = self.answers.received()
        provenance_log.remember(frame, {item: received[item] for item in self.items if item in received})
        fields |= self._attrs_of_one()
        needed = endpoints_of(self.lookup)
        own_unit = ENDPOINTS[self.lookup].unit if needed == (self.lookup,) else None
        mark(frame, self.lookup, self.source, unit or own_unit, **fields)
        try:
            self._warn_of_data(frame)
        finally:  # also if a warning filter turns a warning into an error, because only this error carries the frame
            self._raise_or_warn(frame, raises=raises)
        return frame

    def _attrs_of_one(self) -> dict[str, str]:
        """Return the attrs of a frame made from the response of a single suburb; none for any other frame."""
        if not self.selection.one or len(endpoints_of(self.lookup)) > 1:
            return {}
        (item,) = self.items
        response = self.answers.responses[item]
        state = {"state": item.state} if item.state else {}
        return {"area_name": item.area_name, **state, "retrieved_at": response.retrieved_at, "sha256": response.sha256}

    def _warn_of_data(self, frame: pd.DataFrame) -> None:
        """Warn of revisions, of points that were sorted or left out, of impossible values, and of no data."""
        warn_of_revisions(self.context, self.answers, self.before)
        for endpoint in endpoints_of(self.lookup):
            if ENDPOINTS[endpoint].shape == "series":
                payloads = self.payloads(endpoint)
                _warn_of_mended([name for name in self.selection.names if name in payloads and payloads[name].mended])
            self._warn_of_unreadable(endpoint)
            self._warn_of_impossible(endpoint)
        for endpoint in endpoints_of(self.lookup):
            without_data = self.answers.of(endpoint).without_data
            missing = [name for name in self.selection.names if name in without_data]
            if missing:
                cost = charged(sum(self.result.cents.get(Item(endpoint, name), 0) for name in missing))
                stored = self._stored_without_data(endpoint, missing)
                warn(f"The service has no {endpoint} data for {listed(missing)}. {cost}{stored}", NoDataWarning)
        if is_of_drivers(frame):
            _warn_of_no_drivers(self.payloads("impacts"), self.selection.names)

    def _stored_without_data(self, endpoint: str, missing: Sequence[str]) -> str:
        """Say which of these responses were stored before this request, since when, and how to ask again.

        Without this, the "no data" of an outage would be believed for ever.
        """
        stored = [item for name in missing if (item := Item(endpoint, name)) not in self.result.cents]
        if not stored:
            return ""
        which = f" for {listed(item.area_name for item in stored)}" if len(stored) < len(missing) else ""
        what, those = ("response{} was", "that suburb") if len(stored) == 1 else ("responses{} were", "those suburbs")
        again = "" if self.context.replayed else f"; to ask again, load only {those} with refresh=True"
        return f" The {what.format(which)} {_stored_on(self, stored)}{again}."

    def _warn_of_unreadable(self, endpoint: str) -> None:
        found = {item.area_name: phrases for item, phrases in self._of(endpoint, self.answers.unreadable)}
        points = [
            f"{name!r} {redacted(phrase, self.context.secret, _LONGEST_POINT)}"
            for name, phrases in found.items()
            for phrase in phrases
        ]
        if points:
            warn(
                f"{counted(len(points), 'point')} of the {ENDPOINTS[endpoint].noun} that the service sent cannot be "
                f"read and {'was' if len(points) == 1 else 'were'} left out: {listed(points, str)}. To see what was "
                f"sent, run {line_to_read(endpoint, list(found))}",
                DataWarning,
            )

    def _warn_of_impossible(self, endpoint: str) -> None:
        found = [
            f"{phrase} in {item.area_name!r}"
            for item, phrases in self._of(endpoint, self.answers.impossible)
            for phrase in phrases
        ]
        if found:
            warn(
                f"The service sent {ENDPOINTS[endpoint].noun} that cannot be true: {listed(found, str)}. The values "
                "are loaded as they came.",
                DataWarning,
            )

    def _of(self, endpoint: str, phrases: Mapping[Item, Sequence[str]]) -> list[tuple[Item, Sequence[str]]]:
        """Return the phrases about the responses of an endpoint, suburb by suburb in the order of the request."""
        items = self.items if phrases else ()  # most requests have none, and a request can be for all of Australia
        return [(item, phrases[item]) for item in items if item in phrases and item.endpoint == endpoint]

    def _raise_or_warn(self, frame: pd.DataFrame, *, raises: bool) -> None:
        """Raise an error or give a warning about the suburbs that failed, and say how much arrived."""
        stopped = self.result.stopped
        if stopped is None and not self.result.failures:
            return
        failures = self.failures
        was_completed, wants_warning = stopped is None, self.on_error == "warn"
        if (was_completed and not raises) or (wants_warning and (was_completed or isinstance(stopped, NotStored))):
            account = _account(self, "the frame")
            warn(
                _with_account(stopped, account) if stopped and not failures else _what_failed(self, account),
                SuburbWarning,
            )
            return
        none_exists = stopped is None and set(self.absent) >= set(self.selection.names)
        account = _account(self, "the error's .frame")
        if none_exists:
            error: SuburbError = did_you_mean.none_exists(self.context, failures)
        elif stopped is None:
            error = _incomplete(self, account)
        else:
            error = copy(stopped)
            if failures or self.answers.responses or self.result.cents:
                error.args = (_with_account(error, account),)
        error.frame, error.failures = frame, failures
        raise error


def _warn_of_mended(names: Sequence[str]) -> None:
    if names:
        warn(
            f"The service sent points out of order, or a date twice, for {listed(names)}. The points were sorted, and "
            "where a date came twice, its last point was kept.",
            DataWarning,
        )


def _warn_of_no_drivers(impacts: Mapping[str, Impacts], names: Sequence[str]) -> None:
    without = [name for name in names if name in impacts and not impacts[name].drivers]
    if without:
        warn(
            f"The service lists no drivers for {listed(without)}. An amenity that is not listed has no known premium.",
            NoDataWarning,
        )


def _no_data(batch: BatchResult, item: Item, missing: Missing) -> NoData:
    cents = batch.result.cents.get(item, 0)
    reason, message = (text and redacted(text, batch.context.secret) for text in (missing.reason, missing.message))
    why = f": {message.rstrip('.')}" if message else ""
    was = "is stored" if item in batch.result.cents else f"was {_stored_on(batch, [item])}"
    again = "" if batch.context.replayed else ", so asking again is free; refresh=True buys another"
    return NoData(
        f"The service has no {item.endpoint} data for {item.area_name!r}{why}. {charged(cents)} The response "
        f"{was}{again}.",
        reason=reason,
        status_code=200,
        request_id=batch.answers.responses[item].request_id,
        cents=cents,
        area_name=item.area_name,
    )


def _stored_on(batch: BatchResult, items: Sequence[Item]) -> str:
    """Say on which days, in UTC, responses were stored. A cassette of another tool may not have the time of one."""
    days = sorted({batch.answers.responses[item].retrieved_at[:10] for item in items} - {""})
    if not days:
        return "stored before"
    return f"stored on {days[0]}" if len(days) == 1 else f"stored from {days[0]} to {days[-1]}"


def _incomplete(batch: BatchResult, account: str) -> BatchIncomplete:
    failures = batch.result.failures.values()
    message = _what_failed(batch, f"{account.removesuffix('.')}; .failures has each error.")
    error = BatchIncomplete(message, cents=sum(failure.cents for failure in failures))
    error.retryable = any(failure.retryable for failure in failures)
    return error


def _what_failed(batch: BatchResult, account: str) -> str:
    """Say which suburbs failed and why the first one did, how much arrived, and how to go on after the first error.

    Rejected: quoting the whole first error, whose sentence on cost is about a single suburb.
    """
    not_asked = {item.area_name for item in batch.result.not_asked}
    failures = batch.failures
    first = next((error for name, error in failures.items() if name not in not_asked), next(iter(failures.values())))
    what, *more = sentences(str(first))
    if not_asked:
        in_full = " in full" if len(endpoints_of(batch.lookup)) > 1 else ""
        were = "was" if len(not_asked) == 1 else "were"
        reason = f", of which {len(not_asked)} {were} not asked for{in_full}, because {batch.result.reason}."
    elif len(failures) > 1:
        reason = f"; the first failed because {_as_clause(what)}"
    else:
        reason = f", because {_as_clause(what)}"
    failed = f"{len(failures)} of {counted(len(batch.selection.names), 'suburb')} failed ({_kinds(failures)})"
    how_to_go_on = _how_to_buy_again(batch) or " ".join(more[1:])
    return f"{failed}{reason} {account} {how_to_go_on}".rstrip()


def _kinds(failures: Mapping[str, SuburbError]) -> str:
    """Return the suburbs that failed, grouped by the class of error."""
    kinds: dict[str, list[str]] = {}
    for name, error in failures.items():
        kinds.setdefault(type(error).__name__, []).append(name)
    return "; ".join(f"{kind}: {listed(suburbs)}" for kind, suburbs in kinds.items())


def _as_clause(sentence: str) -> str:
    """Return a sentence as part of another one: without the capital of its first word, unless that is a name."""
    return sentence[0].lower() + sentence[1:] if sentence.startswith(("The ", "This ", "No ", "Another ")) else sentence


def _how_to_buy_again(batch: BatchResult) -> str:
    """Return how to read several unreadable responses, and how to buy them and stored refusals again.

    A single unreadable response is left out, because its error says it.
    """
    broken, parts = batch.answers.broken, []
    unreadable = [item for item in batch.items if isinstance(broken.get(item), ContractViolation)]
    refused = [item for item in batch.items if item in broken and not isinstance(broken[item], ContractViolation)]
    if refused:
        cents = sum(batch.answers.responses[item].cents for item in refused)
        bought = f"{counted(len(refused), 'refusal')} had been bought for {counted(cents, 'cent')} and stored"
        parts.append(f"{bought}; to ask again, run {_lines(line_to_buy_again, refused)}")
    if len(unreadable) > 1:
        read, buy = (_lines(line, unreadable) for line in (line_to_read, line_to_buy_again))
        parts.append(f"to read the unreadable responses, run {read}; to buy all of them again, run {buy}")
    joined = "; ".join(parts)
    return joined[:1].upper() + joined[1:]


def _lines(line: Callable[[str, Sequence[str]], str], items: Iterable[Item]) -> str:
    """Return the lines of code for some items, one for each endpoint."""
    names: dict[str, list[str]] = {}
    for item in items:
        names.setdefault(item.endpoint, []).append(item.area_name)
    return " and ".join(line(endpoint, suburbs) for endpoint, suburbs in names.items())


def _with_account(error: SuburbError, account: str) -> str:
    """Return the message of an error that ended a request, with the account of the request.

    The account stands where the cost stands, before the last sentence, which says what to do.
    """
    what, *more = sentences(str(error))
    if len(more) > 1:
        cost, *more = more
        if cost != charged(0):  # the sentence on cost is about the last call, the account about all of them
            account = f"{cost.removesuffix('.')}; {account}"
    return " ".join([what, account, *more])


def _account(batch: BatchResult, where: str) -> str:
    """Say how much of a request arrived, and what it cost in all."""
    result, names, needed = batch.result, batch.selection.names, endpoints_of(batch.lookup)
    arrived = Counter(item.area_name for item in batch.answers.responses if item not in result.failures)
    lacking = [name for name in arrived if all(name in batch.answers.of(one).without_data for one in needed)]
    complete = sum(number == len(needed) for number in arrived.values()) - len(lacking)
    partial = len(arrived) - complete - len(lacking)
    untried = len(set(names) - set(arrived) - set(batch.failures))
    total = len(names)
    cents = sum(charge for item, charge in result.cents.items() if item not in result.failures)
    failed_cents = sum(failure.cents for failure in result.failures.values())
    twice = any(failure.cents and failure.retryable for failure in result.failures.values())
    is_stored = arrived and not isinstance(result.stopped, StoreError) and not batch.context.replayed
    return (
        f"{complete} of {counted(total, 'suburb')} {'is' if complete == 1 else 'are'} in {where}"
        + (" and stored" if is_stored else "")
        + (f", {partial} more in part" if partial else "")
        + (f", {len(lacking)} {'has' if len(lacking) == 1 else 'have'} no data" if lacking else "")
        + (f", {untried} {'was' if untried == 1 else 'were'} not asked for" if untried else "")
        + (f"; the responses cost {counted(cents, 'cent')}" if cents else "")
        + (f"; the calls that failed cost up to {counted(failed_cents, 'cent')}" if failed_cents else "")
        + (", and retrying them may cost as much again" if twice else "")
        + "."
    )
