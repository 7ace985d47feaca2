"""Owns what a request brought and what failed, and how a frame, its warnings and its error say so.

For one suburb its own error is raised. Of many, everything that arrived is kept, and one error or warning names the
rest. Buying is left to batch and purchasing, frames to frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from suburb_pandas.client import provenance_log
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
from suburb_pandas.frames.schema import mark
from suburb_pandas.frames.suburbs import SuburbSelection
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.options import OnError
from suburb_pandas.messages import charged, counted, listed, warn
from suburb_pandas.purchasing.purchase import PurchaseResult
from suburb_pandas.redaction import line
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing


@dataclass(slots=True)
class BatchResult:
    """The responses and failures of a request. ``items`` is everything that it asked for, suburb by suburb."""

    lookup: str
    selection: SuburbSelection
    context: RequestContext
    on_error: OnError
    items: Sequence[Item] = field(repr=False)
    answers: Answers = field(repr=False)
    result: PurchaseResult = field(repr=False)

    @property
    def source(self) -> str:
        """The sources of the responses; of a request without any, the source of its client."""
        return ", ".join(self.answers.sources) or self.context.source

    @property
    def failures(self) -> dict[str, SuburbError]:
        """The error of each suburb that failed; its first error, if several of its calls failed."""
        found: dict[str, SuburbError] = {}
        for item in self.items:
            if item in self.result.failures:
                found.setdefault(item.area_name, self.result.failures[item])
        return found

    def payloads(self, endpoint: str) -> Mapping[str, Any]:
        """Return the payload of each suburb that has one."""
        return self.answers.of(endpoint).payloads

    def statuses(self) -> list[str]:
        """Return the status of each suburb: ``ok``, ``no data`` if an endpoint has none, or the name of its error."""
        found = dict.fromkeys(self.selection.names, "ok")
        for endpoint in endpoints_of(self.lookup):
            found |= dict.fromkeys(self.answers.of(endpoint).without_data, "no data")
        if self.result.stopped is not None:
            missing = [item.area_name for item in self.items if item not in self.answers.vintages]
            found |= dict.fromkeys(missing, type(self.result.stopped).__name__)
        found |= {name: type(error).__name__ for name, error in self.failures.items()}
        return list(found.values())

    def raise_for_one(self) -> None:
        """Raise the error of a request for one suburb, if it has one."""
        (item,) = self.items
        missing = self.answers.of(item.endpoint).without_data.get(item.area_name)
        if self.result.stopped is not None and (missing or item not in self.answers.vintages):
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
        unit: str | None = None,
        raises: bool = True,
    ) -> pd.DataFrame:
        """Mark a frame and return it, with warnings for missing data; or raise the request's error with the frame.

        With ``raises=False``, suburbs that failed are a warning. An error that ended the whole request is raised all
        the same.
        """
        fields: dict[str, Any] = dict(attrs or {})
        if self.answers.is_made_up:
            fields["made_up"] = True
        vintages = self.answers.vintages
        provenance_log.remember(frame, {item: vintages[item] for item in self.items if item in vintages})
        fields |= self._attrs_of_one()
        needed = endpoints_of(self.lookup)
        own_unit = ENDPOINTS[self.lookup].unit if needed == (self.lookup,) else None
        mark(frame, self.lookup, self.source, unit or own_unit, **fields)
        try:
            self._warn_of_data()
        finally:  # even if a warning is raised as an error, because this error carries the frame
            self._raise_or_warn(frame, raises=raises)
        return frame

    def _attrs_of_one(self) -> dict[str, str]:
        """Return the attrs of a frame with one suburb and one response behind it."""
        if not self.selection.one or len(endpoints_of(self.lookup)) > 1:
            return {}
        (item,) = self.items
        vintage = self.answers.vintages[item]
        state = {"state": item.state} if item.state else {}
        return {"area_name": item.area_name, **state, "retrieved_at": vintage.retrieved_at, "sha256": vintage.sha256}

    def _warn_of_data(self) -> None:
        """Warn of points that had to be mended, and of suburbs without data."""
        for endpoint in endpoints_of(self.lookup):
            if ENDPOINTS[endpoint].shape == "series":
                payloads = self.payloads(endpoint)
                _warn_of_mended([name for name in self.selection.names if name in payloads and payloads[name].mended])
        for endpoint in endpoints_of(self.lookup):
            without_data = self.answers.of(endpoint).without_data
            missing = [name for name in self.selection.names if name in without_data]
            if missing:
                cost = charged(sum(self.result.cents.get(Item(endpoint, name), 0) for name in missing))
                warn(f"The service has no {endpoint} data for {listed(missing)}. {cost}", NoDataWarning)

    def _raise_or_warn(self, frame: pd.DataFrame, *, raises: bool) -> None:
        stopped = self.result.stopped
        if stopped is None and not self.result.failures:
            return
        failures = self.failures
        failed_only, wants_warning = stopped is None, self.on_error == "warn"
        if (failed_only and not raises) or (wants_warning and (failed_only or isinstance(stopped, NotStored))):
            what = _what_failed(self) if failures else str(stopped)
            warn(f"{what} {_account(self, 'the frame')}", SuburbWarning)
            return
        error = copy(stopped) if stopped else _incomplete(self)
        if failures or self.answers.vintages or self.result.cents:
            error.args = (f"{error} {_account(self, 'its frame (.frame)')}",)
        error.frame, error.failures = frame, failures
        raise error


def _warn_of_mended(names: Sequence[str]) -> None:
    if names:
        warn(
            f"The service sent points out of order, or a date twice, for {listed(names)}. They were sorted, "
            "and of a date that came twice the last point was kept.",
            DataWarning,
        )


def _no_data(found: BatchResult, item: Item, missing: Missing) -> NoData:
    cents = found.result.cents.get(item, 0)
    reason, message = (text and line(text, found.context.secret) for text in (missing.reason, missing.message))
    why = f": {message.rstrip('.')}" if message else ""
    return NoData(
        f"The service has no {item.endpoint} data for {item.area_name!r}{why}. {charged(cents)} The answer is kept, so "
        "that asking again costs nothing; refresh=True asks anew.",
        reason=reason,
        status_code=200,
        request_id=found.answers.vintages[item].request_id,
        cents=cents,
    )


def _incomplete(found: BatchResult) -> BatchIncomplete:
    failures = found.result.failures.values()
    error = BatchIncomplete(_what_failed(found), cents=sum(failure.cents for failure in failures))
    error.retryable = any(failure.retryable for failure in failures)
    return error


def _what_failed(found: BatchResult) -> str:
    """Say which suburbs failed, by the kind of error, and quote the first one's message."""
    failures, not_asked = found.failures, found.result.not_asked
    kinds: dict[str, list[str]] = {}
    for name, error in failures.items():
        kinds.setdefault(type(error).__name__, []).append(name)
    named = "; ".join(f"{kind}: {listed(suburbs)}" for kind, suburbs in kinds.items())
    silent = len({item.area_name for item in not_asked})
    in_full = " in full" if len(endpoints_of(found.lookup)) > 1 else ""
    halted = f" {silent} of them were not asked for{in_full}, as the service seems to be down." if silent else ""
    return (
        f"{len(failures)} of {counted(len(found.selection.names), 'suburb')} failed ({named}).{halted} "
        f"The first said: {next(iter(failures.values()))}"
    )


def _account(found: BatchResult, where: str) -> str:
    """Say how much of a request arrived, and what it cost in all."""
    result, names, needed = found.result, found.selection.names, len(endpoints_of(found.lookup))
    answers = Counter(item.area_name for item in found.answers.vintages if item not in result.failures)
    whole = sum(number == needed for number in answers.values())
    partly = len(answers) - whole
    untried = len(set(names) - set(answers) - set(found.failures))
    total = len(names)
    cents = sum(charge for item, charge in result.cents.items() if item not in result.failures)
    more = sum(failure.cents for failure in result.failures.values())
    is_stored = answers and not isinstance(result.stopped, StoreError) and not found.context.replayed
    return (
        f"In all, {whole} of {counted(total, 'suburb')} {'is' if total == 1 else 'are'} in {where}"
        + (f", {partly} more in part" if partly else "")
        + (" and stored" if is_stored else "")
        + (f", {untried} {'was' if untried == 1 else 'were'} not asked for" if untried else "")
        + (f"; the calls that brought them cost {cents} cents" if cents else "")
        + (f"; the calls that failed cost up to {more} cents" if more else "")
        + "."
    )
