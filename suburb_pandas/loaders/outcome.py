"""Owns the result of a request: it marks the frame, warns of missing data, and raises the error if a suburb failed.

A request for one suburb raises the error of that suburb. A request for many keeps everything that arrived, and raises
one error or gives one warning that lists the suburbs that failed. Running the request is left to batch, buying to
purchasing, and building frames to loaders.frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import did_you_mean, provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import (
    BatchIncomplete,
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
from suburb_pandas.messages import charged, counted, joined, listed, warn
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.redaction import redacted
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.impacts import Impacts
from suburb_pandas.service.reading import line_to_read

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
        mark(frame, self.lookup, self.source, unit or ENDPOINTS[self.lookup].unit, **fields)
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
            self._warn_of_mended(endpoint)
            self._warn_of_unreadable(endpoint)
            self._warn_of_impossible(endpoint)
        for endpoint in endpoints_of(self.lookup):
            self._warn_of_no_data(endpoint)
        if is_of_drivers(frame):
            _warn_of_no_drivers(self.payloads("impacts"), self.selection.names)

    def _warn_of_mended(self, endpoint: str) -> None:
        payloads = self.payloads(endpoint)
        names = [name for name in self.selection.names if getattr(payloads.get(name), "mended", False)]
        if names:
            warn(
                f"The service sent points out of order, or a date twice, for {listed(names)}. The points were sorted, "
                "and where a date came twice, its last point was kept.",
                DataWarning,
            )

    def _warn_of_unreadable(self, endpoint: str) -> None:
        found = self._phrases(endpoint, self.answers.unreadable)
        if found:
            points = [f"{name!r} {redacted(phrase, self.context.secret, _LONGEST_POINT)}" for name, phrase in found]
            warn(
                f"The service sent {ENDPOINTS[endpoint].noun} with {counted(len(found), 'point')} that cannot be read. "
                f"Left out: {listed(points, str)}. To see what was sent, run "
                f"{line_to_read(endpoint, list(dict.fromkeys(name for name, _ in found)))}",
                DataWarning,
            )

    def _warn_of_impossible(self, endpoint: str) -> None:
        found = [f"{phrase} in {name!r}" for name, phrase in self._phrases(endpoint, self.answers.impossible)]
        if found:
            warn(
                f"The service sent {ENDPOINTS[endpoint].noun} that cannot be true: {listed(found, str)}. The values "
                "are loaded as they came.",
                DataWarning,
            )

    def _phrases(self, endpoint: str, phrases: Mapping[Item, Sequence[str]]) -> list[tuple[str, str]]:
        """Return the phrases about the responses of an endpoint with their suburbs, in the order of the request."""
        items = self.items if phrases else ()  # most requests have none, and a request can be for all of Australia
        return [
            (item.area_name, phrase) for item in items if item.endpoint == endpoint for phrase in phrases.get(item, ())
        ]

    def _warn_of_no_data(self, endpoint: str) -> None:
        """Warn of suburbs without data. Say which responses were stored before, or an outage is believed for ever."""
        without_data = self.answers.of(endpoint).without_data
        items = [Item(endpoint, name) for name in self.selection.names if name in without_data]
        if not items:
            return
        stored = [item for item in items if item not in self.result.cents]
        how = "; to ask again, load only such suburbs with refresh=True"
        before = f" {_stored_before(self, stored, how)}" if stored else ""
        cost = charged(sum(self.result.cents.get(item, 0) for item in items))
        names = listed(item.area_name for item in items)
        warn(f"The service has no {endpoint} data for {names}. {cost}{before}", NoDataWarning)

    def _raise_or_warn(self, frame: pd.DataFrame, *, raises: bool) -> None:
        """Raise an error or give a warning about the suburbs that failed, and say how much arrived."""
        stopped, failures = self.result.stopped, self.failures
        if stopped is None and not failures:
            return
        may_warn = stopped is None or isinstance(stopped, NotStored)
        if (may_warn and self.on_error == "warn") or (stopped is None and not raises):
            warn(self._what_happened("the frame", "the first error"), SuburbWarning)
            return
        error = self._error(failures)
        error.frame, error.failures = frame, failures
        raise error

    def _error(self, failures: Mapping[str, SuburbError]) -> SuburbError:
        """Return the error of a request for many suburbs."""
        message = self._what_happened("the error's .frame", ".failures has each error, the first of which is")
        if self.result.stopped is not None:
            error = copy(self.result.stopped)
            error.args = (message,)
            return error
        if set(self.absent) >= set(self.selection.names):
            return did_you_mean.none_exists(self.context, failures)
        errors = self.result.failures.values()
        error = BatchIncomplete(message, cents=sum(each.cents for each in errors))
        error.retryable = any(each.retryable for each in errors)
        return error

    def _what_happened(self, where: str, first: str) -> str:
        """Say which suburbs failed, how much arrived, and what it cost in all; then quote the first error.

        ``where`` has what arrived, and ``first`` are the words before the first error.
        """
        result, failures = self.result, self.failures
        if not (failures or self.answers.responses or result.cents):
            return str(result.stopped)
        phrases, not_asked = [_arrived(self, where), *_costs(self)], {item.area_name for item in result.not_asked}
        if failures:
            total = counted(len(self.selection.names), "suburb")
            who = listed(failures.items(), lambda failure: f"{failure[0]!r}: {type(failure[1]).__name__}")
            phrases = [f"{len(failures)} of {total} failed ({who})", *phrases]
        if not_asked:
            were = "was" if len(not_asked) == 1 else "were"
            phrases[0] += f", of which {len(not_asked)} {were} not asked for in full, because {result.reason}"
        account = "; ".join(phrases)
        if result.stopped is not None:
            return f"{account}; the request ended early: {result.stopped}"
        asked = [error for name, error in failures.items() if name not in not_asked]
        return f"{account}; {first}: {[*asked, *failures.values()][0]}"


def _arrived(batch: BatchResult, where: str) -> str:
    """Say how many suburbs of a request arrived, in full or in part, and how many were not asked for."""
    result, names = batch.result, batch.selection.names
    arrived = {item.area_name for item in batch.answers.responses if item not in result.failures}
    statuses = dict(zip(names, batch.statuses(), strict=True))
    complete, without_data = ({name for name in names if statuses[name] == one} for one in ("ok", "no data"))
    is_stored = arrived and not isinstance(result.stopped, StoreError) and not batch.context.replayed
    others = {
        "in part": arrived - complete - without_data,
        "without data": without_data,
        "not asked for": {*names} - arrived - {*batch.failures},
    }
    also = [f", {len(suburbs)} {what}" for what, suburbs in others.items() if suburbs]
    kept = f"in {where}{', and stored' if is_stored else ''}"
    return f"{len(complete)} of {counted(len(names), 'suburb')} arrived ({kept}){''.join(also)}"


def _costs(batch: BatchResult) -> list[str]:
    """Say what the responses of a request cost, and what the calls that failed may have cost."""
    failures = batch.result.failures
    cents = sum(charge for item, charge in batch.result.cents.items() if item not in failures)
    failed_cents = sum(failure.cents for failure in failures.values())
    again = any(failure.cents and failure.retryable for failure in failures.values())
    costs = {
        f"the responses cost {counted(cents, 'cent')}": cents,
        f"the calls that failed cost up to {counted(failed_cents, 'cent')}": failed_cents,
        "retrying them may cost as much again": again,
    }
    return [text for text, is_true in costs.items() if is_true]


def _warn_of_no_drivers(impacts: Mapping[str, Impacts], names: Sequence[str]) -> None:
    without = [name for name in names if name in impacts and not impacts[name].drivers]
    if without:
        warn(
            f"The service lists no drivers for {listed(without)}. An amenity that is not listed has no known premium.",
            NoDataWarning,
        )


def _no_data(batch: BatchResult, item: Item, missing: Missing) -> NoData:
    """Return the error of a single suburb without data."""
    cents = batch.result.cents.get(item, 0)
    reason, message = (text and redacted(text, batch.context.secret) for text in (missing.reason, missing.message))
    why = f": {message.rstrip('.')}" if message else ""
    how = ", so asking again is free; refresh=True buys another"
    kept = f"The response is stored{how}." if item in batch.result.cents else _stored_before(batch, [item], how)
    return NoData(
        f"The service has no {item.endpoint} data for {item.area_name!r}{why}. {charged(cents)} {kept}",
        reason=reason,
        status_code=200,
        request_id=batch.answers.responses[item].request_id,
        cents=cents,
        area_name=item.area_name,
    )


def _stored_before(batch: BatchResult, items: Sequence[Item], how: str) -> str:
    """Say when responses were stored, in UTC, and how to ask again, which a replay cannot.

    A cassette of another tool may not have the time of each.
    """
    days = sorted({batch.answers.responses[item].retrieved_at[:10] for item in items} - {""})
    when = f"on {joined(days)}" if days else "before"
    names = listed(item.area_name for item in items)
    return f"The response for {names} was stored {when}{'' if batch.context.replayed else how}."
