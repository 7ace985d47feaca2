"""Buys the responses of a quote. It is the only path by which money is spent.

Before anything is claimed, the cost of the quote is compared with the cap of the request. The budget of the month is
checked by the store, in the transaction that claims the items and holds their prices. The loop runs on a thread of its
own, where Ctrl-C interrupts no commit; this module passes its results on to the user's thread. Decoding stored
responses is left to loaders.
"""

from __future__ import annotations

import _thread
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from queue import Empty
from typing import Final

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.purchasing import explanations
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.purchasing.loop import ItemEnded, Loop, LoopEnded
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service.calls import Call, Item, age_seconds
from suburb_pandas.service.reading import Reading

_HOUR: Final = 3600  # seconds
_DAY: Final = 24  # hours
_POLL_SECONDS: Final = 0.25
_GRACE_SECONDS: Final = 1.0


Watch = Callable[[Iterable[Item], int], Iterable[Item]]
"""Wraps the iterator of ended items and takes their final number, as a progress bar does."""

Take = Callable[[Item, Reading], None]
"""Called with the item and the reading of its response, when a response arrives."""


def buy(context: RequestContext, quote: Quote, take: Take, *, max_cents: int | None, watch: Watch) -> PurchaseResult:
    """Buy the responses of a quote, which has at least one call.

    After Ctrl-C, the calls under way end and are stored, and no other is sent. ``max_cents`` is the most that this
    request may cost; if it is None, the client's own cap is.
    """
    error = explanations.why_nothing_is_sent(context, quote) or explanations.over_cap(quote, max_cents)
    result = PurchaseResult(error=error)
    if error is None:
        _warn_of_repeats(quote)
        loop = Loop(context, quote, result)
        try:
            # Started by a second thread: `threading` waits for a new thread to run, and Ctrl-C during that wait would
            # become a RuntimeError.
            _thread.start_new_thread(_start, (loop, threading.current_thread()))
            ended = _ended_items(loop, take)
            for _ in watch(ended, quote.calls):
                pass
            for _ in ended:  # a progress bar that stops early stops no purchase
                pass
        except BaseException:
            loop.stop()
            raise
        _explain_what_was_not_asked(quote, loop)
    return result


def _warn_of_repeats(quote: Quote) -> None:
    """Warn of the calls of unknown outcome that this request repeats: they may have been charged."""
    calls = [call for call in quote.unknown_calls if call.cents]
    if calls:
        which = listed(
            [f"{call.item.area_name!r} ({counted(call.cents, 'cent')}, {_age(call)})" for call in calls], str
        )
        warn(
            f"The outcome of earlier calls is unknown, and they are repeated now: {which}. They may have been charged, "
            "so the same response may be paid for twice; compare sp.ledger() with your account with the service.",
            errors.SuburbWarning,
        )


def _age(call: Call) -> str:
    """Say when a call was sent."""
    hours = age_seconds(call.at) / _HOUR
    if hours < 1:
        return "sent less than an hour ago"
    return f"sent {counted(int(hours), 'hour')} ago" if hours < _DAY else f"sent on {call.at[:10]}"


def _start(loop: Loop, caller: threading.Thread) -> None:
    """Run the loop on a thread that Python waits for at exit."""
    try:
        threading.Thread(target=_run, args=(loop, caller), name="suburb_pandas", daemon=False).start()
    except Exception as problem:  # noqa: BLE001 - the system allows no more threads, or has no memory
        loop.events.put(LoopEnded(problem))


def _run(loop: Loop, caller: threading.Thread) -> None:
    loop.run()
    loop.linger()
    if not threading.main_thread().is_alive():
        caller.join(_GRACE_SECONDS)  # the program ends with this thread, and a daemon thread has an error to handle


def _ended_items(loop: Loop, take: Take) -> Iterator[Item]:
    """Yield each item after it has ended and its response, if any, was passed on, until the purchase is over."""
    process = os.getpid()
    while True:
        try:
            event = loop.events.get(timeout=_POLL_SECONDS)  # without a timeout, Windows cannot interrupt it
        except Empty:
            if os.getpid() != process:
                raise errors.StoreError(
                    "This process was forked in the middle of a request, which its parent goes on with. This process "
                    "sent nothing; try again here."
                ) from None
            continue
        if isinstance(event, ItemEnded):
            if event.reading is not None:
                take(event.item, event.reading)
            yield event.item
        elif event.problem is not None:
            raise event.problem
        else:
            return


def _explain_what_was_not_asked(quote: Quote, loop: Loop) -> None:
    """Set the errors of items that were never asked for, and report a price that is too high or cannot be read."""
    result, mispriced, not_ended = loop.result, loop.progress.mispriced, loop.tries
    if result.error is not None:
        return
    if mispriced is not None and not_ended:
        result.error = explanations.mispriced(quote, mispriced, result.calls, not_ended)
    elif mispriced is not None:
        warn(explanations.price_of(quote, mispriced), errors.SuburbWarning)
    elif not_ended:
        result.reason = loop.progress.reason
        result.not_asked = frozenset(not_ended.keys() - result.failures.keys())
        for item in result.not_asked:
            result.failures[item] = explanations.not_asked(item, result.reason)
