"""Owns the result of a request: it marks the frame, warns of missing data, and raises the error if a suburb failed.

A request for one suburb raises the error of that suburb. A request for many keeps everything that arrived, and raises
one error or issues one warning that lists the suburbs that failed. Running the request is left to batch, buying to
purchasing, and building frames to loaders.frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
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
from suburb_pandas.frames.marks import Unit, mark
from suburb_pandas.frames.schema import is_of_drivers
from suburb_pandas.frames.suburbs import SuburbSelection
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.options import OnError
from suburb_pandas.loaders.vintages import warn_of_revisions
from suburb_pandas.messages import charged, counted, joined, listed, warn
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.redaction import redacted
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.reading import line_to_read

_LONGEST_POINT: Final = 80


@dataclass(slots=True)
class BatchResult:
    """The responses and failures of a request.

    ``lookup`` is an endpoint, or a composite such as ``scorecard``. ``items`` is everything that the request asked for,
    suburb by suburb. ``quote`` is its plan, and ``result`` the outcome of its calls.
    """

    lookup: str
    selection: SuburbSelection
    context: RequestContext
    on_error: OnError
    items: Sequence[Item]
    quote: Quote
    answers: Answers
    result: PurchaseResult

    @property
    def source(self) -> str:
        """The sources of the responses; if there are no responses, the source of the client."""
        sources = {reading.response.source for reading in self.answers.readings.values()}
        return ", ".join(sorted(sources)) or self.context.source

    @property
    def failures(self) -> dict[str, SuburbError]:
        """The error of each suburb that failed; its first error, if several of its calls failed."""
        errors: dict[str, SuburbError] = {}
        for item in self.items:
            if item in self.result.failures:
                errors.setdefault(item.area_name, self.result.failures[item])
        return errors

    def without_data(self) -> list[Item]:
        """Return the items of which the service has no data."""
        received = self.answers.received()
        return [item for item in self.items if item in received and not received[item].has_data]

    def statuses(self) -> dict[str, str]:
        """Return the status of each suburb: ``ok``, ``no data`` if an endpoint has none, or the class of its error."""
        statuses = dict.fromkeys(self.selection.names, "ok")
        statuses |= {item.area_name: "no data" for item in self.without_data()}
        if self.result.error is not None:
            missing = [item.area_name for item in self.items if item not in self.answers.readings]
            statuses |= dict.fromkeys(missing, type(self.result.error).__name__)
        return statuses | {name: type(error).__name__ for name, error in self.failures.items()}

    def raise_for_one(self) -> None:
        """Raise the error of a request for a single suburb or query, if it failed or has no data."""
        if not self.selection.one:
            return
        (item,), without_data = self.items, self.without_data()
        if self.result.error is not None and (without_data or item not in self.answers.readings):
            raise self.result.error
        if item in self.result.failures:
            raise self.result.failures[item]
        if without_data:
            raise _no_data_error(self, item)

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
        if any(reading.response.made_up for reading in self.answers.readings.values()):
            fields["made_up"] = True
        received = self.answers.received()
        provenance_log.remember(frame, {item: received[item] for item in self.items if item in received})
        fields |= self._attrs_of_one()
        mark(frame, self.lookup, self.source, unit or ENDPOINTS[self.lookup].unit, **fields)
        try:
            warn_of_revisions(self.context, self.answers, self.quote.before)
            for message, category in self._doubts(frame):
                warn(message, category)
        finally:  # also if a warning filter made a warning an error, because only the request's error has the frame
            self._raise_or_warn(frame, raises=raises)
        return frame

    def _attrs_of_one(self) -> dict[str, str]:
        """Return the attrs of a frame made from the response of a single suburb; none for any other frame."""
        if not self.selection.one or len(self.items) > 1:
            return {}
        (item,) = self.items
        response = self.answers.readings[item].response
        state = {"state": item.state} if item.state else {}
        return {"area_name": item.area_name, **state, "retrieved_at": response.retrieved_at, "sha256": response.sha256}

    def _doubts(self, frame: pd.DataFrame) -> Iterator[tuple[str, type[SuburbWarning]]]:
        """Yield the warnings of points that were sorted or left out, of impossible values, and of missing data."""
        for endpoint in endpoints_of(self.lookup):
            for message in self._doubts_of(endpoint):
                yield message, DataWarning
            if items := [item for item in self.without_data() if item.endpoint == endpoint]:
                yield _no_data(self, items, "; to ask again, load only such suburbs with refresh=True"), NoDataWarning
        impacts = self.answers.payloads("impacts") if is_of_drivers(frame) else {}
        if empty := [name for name in self.selection.names if name in impacts and not impacts[name].drivers]:
            what = f"The service lists no drivers for {listed(empty)}"
            yield f"{what}. An amenity that is not listed has no known premium.", NoDataWarning

    def _doubts_of(self, endpoint: str) -> Iterator[str]:
        """Yield a message about all points of an endpoint that were sorted, one of those left out, and so on."""
        noun, answers, payloads = ENDPOINTS[endpoint].noun, self.answers, self.answers.payloads(endpoint)
        items = [item for item in self.items if item.endpoint == endpoint]
        if mended := [item.area_name for item in items if getattr(payloads.get(item.area_name), "mended", False)]:
            yield (
                f"The service sent points out of order, or a date twice, for {listed(mended)}. The points were sorted, "
                "and where a date came twice, its last point was kept."
            )
        if unreadable := [(item.area_name, point) for item in items for point in answers.unreadable.get(item, ())]:
            points = [f"{name!r} {redacted(point, self.context.secret, _LONGEST_POINT)}" for name, point in unreadable]
            yield (
                f"The service sent {noun} with {counted(len(points), 'point')} that cannot be read. Left out: "
                f"{listed(points, str)}. To see what was sent, run "
                f"{line_to_read(endpoint, list(dict(unreadable)))}"
            )
        if impossible := [
            f"{value} in {item.area_name!r}" for item in items for value in answers.impossible.get(item, ())
        ]:
            yield (
                f"The service sent {noun} that cannot be true: {listed(impossible, str)}. The values are loaded as "
                "they came."
            )

    def _raise_or_warn(self, frame: pd.DataFrame, *, raises: bool) -> None:
        """Raise an error or issue a warning about the suburbs that failed, and say how much arrived."""
        ended_by, failures = self.result.error, self.failures
        if ended_by is None and not failures:
            return
        may_warn = ended_by is None or isinstance(ended_by, NotStored)
        if (may_warn and self.on_error == "warn") or (ended_by is None and not raises):
            warn(self._what_happened("the frame", "the first error"), SuburbWarning)
            return
        error = self._error(failures)
        error.frame, error.failures = frame, failures
        raise error

    def _error(self, failures: Mapping[str, SuburbError]) -> SuburbError:
        """Return the error of a request for many suburbs."""
        message = self._what_happened("the error's .frame", ".failures has each error, the first of which is")
        if self.result.error is not None:
            error = copy(self.result.error)
            error.args = (message,)
            return error
        if set(self.quote.absent) >= set(self.selection.names):
            return did_you_mean.none_exists(self.context, failures)
        errors = self.result.failures.values()
        error = BatchIncomplete(message, cents=sum(each.cents for each in errors))
        error.retryable = any(each.retryable for each in errors)
        return error

    def _what_happened(self, where: str, first: str) -> str:
        """Say which suburbs failed, how much arrived, and the cost in all; then quote the first error.

        ``where`` is the place of the data that arrived, and ``first`` are the words before the first error.
        """
        result, failures = self.result, self.failures
        if not (failures or self.answers.readings or result.cents):
            return str(result.error)
        phrases, not_asked = [_arrived(self, where), *_costs(self)], {item.area_name for item in result.not_asked}
        if failures:
            total = counted(len(self.selection.names), "suburb")
            who = listed(failures.items(), lambda failure: f"{failure[0]!r}: {type(failure[1]).__name__}")
            phrases = [f"{len(failures)} of {total} failed ({who})", *phrases]
        if not_asked:
            were = "was" if len(not_asked) == 1 else "were"
            phrases[0] += f", of which {len(not_asked)} {were} not asked for in full, because {result.reason}"
        account = "; ".join(phrases)
        if result.error is not None:
            return f"{account}; the request ended early: {result.error}"
        asked = [error for name, error in failures.items() if name not in not_asked]
        return f"{account}; {first}: {[*asked, *failures.values()][0]}"


def _arrived(batch: BatchResult, where: str) -> str:
    """Say how many responses of a request arrived."""
    arrived = [item for item in batch.answers.readings if item not in batch.result.failures]
    is_stored = arrived and not isinstance(batch.result.error, StoreError) and not batch.context.replayed
    kept = f"in {where}{', and stored' if is_stored else ''}"
    return f"{len(arrived)} of {counted(len(batch.items), 'response')} arrived ({kept})"


def _costs(batch: BatchResult) -> Iterator[str]:
    """Yield the cost of the responses of a request, and the most that its failed calls may have cost, in words."""
    failures = batch.result.failures
    if cents := sum(charge for item, charge in batch.result.cents.items() if item not in failures):
        yield f"the responses cost {counted(cents, 'cent')}"
    charged_errors = [failure for failure in failures.values() if failure.cents]
    if charged_errors:
        yield f"the calls that failed cost up to {counted(sum(error.cents for error in charged_errors), 'cent')}"
    if any(error.retryable for error in charged_errors):
        yield "retrying them may cost as much again"


def _no_data(batch: BatchResult, items: Sequence[Item], how: str, why: str = "") -> str:
    """Return the message about suburbs without data: the service's reason, the cost, and the day of storing (UTC).

    Without the day, an outage would be believed for ever. A cassette of another tool may lack it. ``how`` says how to
    ask again, which is left out in a replay, and ``why`` is the reason.
    """
    names, cents = listed(item.area_name for item in items), sum(batch.result.cents.get(item, 0) for item in items)
    days = sorted({batch.answers.readings[item].response.retrieved_at[:10] for item in items} - {""})
    stored = "The response was stored" if len(items) == 1 else "The responses were stored"
    when = f"on {joined(days)}" if days else "before"
    how = "" if batch.context.replayed else how
    what = f"The service has no {items[0].endpoint.replace('_', ' ')} data for {names}{why}."
    return f"{what} {charged(cents)} {stored} {when}{how}."


def _no_data_error(batch: BatchResult, item: Item) -> NoData:
    """Return the error of a single suburb without data."""
    reading = batch.answers.readings[item]
    reason, said = (
        text and redacted(text, batch.context.secret) for text in (reading.payload.reason, reading.payload.message)
    )
    why = f": {said.rstrip('.')}" if said else ""
    return NoData(
        _no_data(batch, [item], ", so asking again is free; refresh=True buys another", why),
        reason=reason,
        status_code=200,
        request_id=reading.response.request_id,
        cents=batch.result.cents.get(item, 0),
        area_name=item.area_name,
    )
