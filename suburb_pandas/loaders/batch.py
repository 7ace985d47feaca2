"""A request of one or of many suburbs, from names to decoded answers, and what becomes of those that failed.

For one suburb its error is raised. Of many all are tried, what arrived is kept, and one error or warning names the
rest. Buying is purchase's, decoding wire's, and what a frame looks like is left to frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Unpack

import pandas as pd

from suburb_pandas.client import did_you_mean, provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import current
from suburb_pandas.errors import (
    BatchIncomplete,
    DataWarning,
    NoData,
    NoDataWarning,
    NotStored,
    StaleDataWarning,
    StoreError,
    SuburbError,
    SuburbWarning,
    UnknownSuburb,
)
from suburb_pandas.frames.schema import UNITS, mark
from suburb_pandas.frames.suburbs import SuburbSelection, select_suburbs
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.options import Moment, OnError, Options, reuse
from suburb_pandas.loaders.progress import Watch, bar
from suburb_pandas.messages import charged, counted, listed, warn
from suburb_pandas.purchasing import purchase, replay
from suburb_pandas.purchasing.quote import Quote, plan, price
from suburb_pandas.redaction import line
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import GEOCODE, NEEDS, Item, age_seconds
from suburb_pandas.settings import whole_number
from suburb_pandas.timeseries.dates import Length

_DAY = 86_400
_STALE = 30 * _DAY
_LONGEST_PROBLEM = 800


@dataclass(slots=True)
class BatchResult:
    """What a request brought, and what went wrong. ``items`` is all that was asked for, suburb by suburb."""

    lookup: str
    selection: SuburbSelection
    client: Client
    on_error: OnError
    items: Sequence[Item] = field(repr=False)
    answers: Answers = field(repr=False)
    result: purchase.PurchaseResult = field(repr=False)

    @property
    def source(self) -> str:
        """Where it came from."""
        return ", ".join(self.answers.sources) or self.client.source

    @property
    def failures(self) -> dict[str, SuburbError]:
        """Give the error of each suburb that failed; the first one, where several of its answers did."""
        found: dict[str, SuburbError] = {}
        for item in self.items:
            if item in self.result.failures:
                found.setdefault(item.area_name, self.result.failures[item])
        return found

    def statuses(self) -> list[str]:
        """Say what became of each suburb: ``ok``, ``no data`` where an answer has none, or the name of the error."""
        found = dict.fromkeys(self.selection.names, "ok")
        without_data = [*self.answers.rent.without_data, *self.answers.impacts.without_data]
        found |= dict.fromkeys(without_data, "no data")
        if self.result.stopped is not None:
            not_there = [item.area_name for item in self.items if item not in self.answers.vintages]
            found |= dict.fromkeys(not_there, type(self.result.stopped).__name__)
        found |= {name: type(error).__name__ for name, error in self.failures.items()}
        return list(found.values())

    def finish(
        self,
        frame: pd.DataFrame,
        totals: Mapping[str, Any] | None = None,
        *,
        unit: str | None = None,
        raises: bool = True,
    ) -> pd.DataFrame:
        """Mark the frame, then say what is missing from it: by warnings, and by the error that carries it.

        With ``raises=False`` suburbs that failed are a warning. What ended the whole request is raised all the same.
        """
        fields: dict[str, Any] = dict(totals or {})
        if self.answers.is_made_up:
            fields["made_up"] = True
        vintages = self.answers.vintages
        provenance_log.remember(frame, {item: vintages[item] for item in self.items if item in vintages})
        fields |= self._marks_of_one()
        mark(frame, self.lookup, self.source, unit or UNITS.get(self.lookup), **fields)
        try:
            self._warn_of_data()
        finally:  # also where warnings are errors, as this error has the frame
            self._raise_or_warn(frame, raises=raises)
        return frame

    def _marks_of_one(self) -> dict[str, str]:
        """Give what to say of a single suburb's frame, where one response is behind it."""
        if not self.selection.one or len(NEEDS[self.lookup]) > 1:
            return {}
        (item,) = self.items
        vintage = self.answers.vintages[item]
        state = {"state": item.state} if item.state else {}
        return {"area_name": item.subject, **state, "retrieved_at": vintage.retrieved_at, "sha256": vintage.sha256}

    def _warn_of_data(self) -> None:
        rents = self.answers.rent.payloads
        mended = [name for name in self.selection.names if name in rents and rents[name].mended]
        if mended:
            warn(
                f"The service sent points out of order, or a date twice, for {listed(mended)}. They were sorted, "
                "and of a date that came twice the last point was kept.",
                DataWarning,
            )
        for endpoint in NEEDS[self.lookup]:
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


def load(lookup: str, suburbs: object, **options: Unpack[Options]) -> BatchResult:
    """Buy or find the responses of a request, and decode them. For one suburb, what went wrong is raised here."""
    found = gather(lookup, suburbs, **options)
    if found.selection.one:
        _raise_for_one(found)
    return found


def gather(
    lookup: str,
    suburbs: object,
    *,
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    retrieved_by: Moment | None = None,
    errors: OnError = "raise",
    check_names: bool = True,
    progress: bool | Watch | None = None,
    client: Client | None = None,
) -> BatchResult:
    """Buy or find the responses of a request, and decode them."""
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors is 'raise' or 'warn', not {errors!r}.")
    if offline and refresh:
        raise ValueError("offline buys nothing, so it does not go with refresh.")
    will_do = reuse(refresh=refresh, max_age=max_age, retrieved_by=retrieved_by)
    cap = None if max_cents is None else whole_number("max_cents", max_cents)
    asked = suburbs if isinstance(suburbs, SuburbSelection) else select_suburbs(suburbs)
    client = current(client)
    client.say_if_made_up()
    items = [Item(endpoint, name) for name in asked.names for endpoint in NEEDS[lookup]]
    quote = plan(client, items, will_do, check_names=check_names, histories=True)
    kept, answers = client.kept, Answers()
    answers.take_kept(kept, client.namespace.source, quote.reused)
    if client.replayed:
        result = replay.replayed(client.replayed, quote, will_do.by)
    elif will_do.by:
        result = purchase.nothing(quote, "retrieved_by", f"nothing had come by {will_do.by[:16].replace('T', ' ')} UTC")
    elif offline:
        result = purchase.nothing(quote, "offline=True", "offline=True buys nothing")
    else:
        if max_age is None:
            _warn_if_stale(client, quote)
        result = purchase.fetch(client, quote, answers.take, max_cents=cap, watch=bar(lookup, show=progress))
    answers.pack(kept)
    found = BatchResult(lookup, asked, client, errors, items, answers, result)
    _explain(found, client, quote)
    return found


def _explain(found: BatchResult, client: Client, quote: Quote) -> None:
    """Say what is wrong with answers that cannot be read, and for names that there are not what may be meant."""
    failures = found.result.failures
    for item, problem in found.answers.broken.items():
        problem.args = (line(str(problem), client.secret, _LONGEST_PROBLEM),)  # it may quote the service
        problem.cents = found.result.cents.get(item, 0)
        failures[item] = problem
    for item, error in failures.items():
        if isinstance(error, UnknownSuburb) and item.endpoint != GEOCODE:
            did_you_mean.add_to(client, error, item.area_name)
    if quote.absent:
        absent = did_you_mean.no_such(client, quote.absent)
        failures |= {item: absent[item.area_name] for item in found.items if item.area_name in absent}


def _warn_if_stale(client: Client, quote: Quote) -> None:
    """Say how old what is stored has become. Made-up data do not age."""
    times = [stored.at for stored in quote.reused.values()] if client.source != "embedded" else []
    if not times or (oldest := age_seconds(min(times))) <= _STALE:
        return
    stale = [item for item, stored in quote.reused.items() if age_seconds(stored.at) > _STALE]
    calls = Counter(item.endpoint for item in stale)
    cents = sum(number * price(client, endpoint) for endpoint, number in calls.items())
    warn(
        f"More than {_STALE // _DAY} days old, the oldest {oldest // _DAY:.0f}, and used all the same: "
        f"{counted(len(stale), 'stored response')}, of {listed(dict.fromkeys(item.subject for item in stale))}. "
        f'To buy again what is older costs {counted(cents, "cent")}: max_age="{_STALE // _DAY}D".',
        StaleDataWarning,
    )


def _raise_for_one(found: BatchResult) -> None:
    (item,) = found.items
    missing = found.answers.of(item.endpoint).without_data.get(item.area_name)
    if found.result.stopped is not None and (missing or item not in found.answers.vintages):
        raise found.result.stopped
    if item in found.result.failures:
        raise found.result.failures[item]
    if missing:
        raise _no_data(found, item, missing)


def _no_data(found: BatchResult, item: Item, missing: wire.Missing) -> NoData:
    cents = found.result.cents.get(item, 0)
    reason, message = (said and line(said, found.client.secret) for said in (missing.reason, missing.message))
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
    """Say which suburbs failed, by the kind of error, and show the first one's own message."""
    failures, not_asked = found.failures, found.result.not_asked
    kinds: dict[str, list[str]] = {}
    for name, error in failures.items():
        kinds.setdefault(type(error).__name__, []).append(name)
    named = "; ".join(f"{kind}: {listed(suburbs)}" for kind, suburbs in kinds.items())
    silent = len({item.area_name for item in not_asked})
    in_full = " in full" if len(NEEDS[found.lookup]) > 1 else ""
    halted = f" {silent} of them were not asked for{in_full}, as the service seems to be down." if silent else ""
    return (
        f"{len(failures)} of {counted(len(found.selection.names), 'suburb')} failed ({named}).{halted} "
        f"The first said: {next(iter(failures.values()))}"
    )


def _account(found: BatchResult, where: str) -> str:
    """Say what a request of many brought, and what all of it cost."""
    result, names, needed = found.result, found.selection.names, len(NEEDS[found.lookup])
    answers = Counter(item.area_name for item in found.answers.vintages if item not in result.failures)
    whole = sum(number == needed for number in answers.values())
    partly = len(answers) - whole
    untried = len(set(names) - set(answers) - set(found.failures))
    total = len(names)
    cents = sum(charge for item, charge in result.cents.items() if item not in result.failures)
    more = sum(failure.cents for failure in result.failures.values())
    return (
        f"In all, {whole} of {counted(total, 'suburb')} {'is' if total == 1 else 'are'} in {where}"
        + (f", {partly} more in part" if partly else "")
        + (
            " and stored"
            if answers and not isinstance(result.stopped, StoreError) and not found.client.replayed
            else ""
        )
        + (f", {untried} {'was' if untried == 1 else 'were'} not asked for" if untried else "")
        + (f"; the calls that brought them cost {cents} cents" if cents else "")
        + (f"; the calls that failed cost up to {more} cents" if more else "")
        + "."
    )
