"""Waits for items that other requests are buying, until they arrive or can be claimed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from suburb_pandas.client.context import RequestContext
from suburb_pandas.purchasing.breaker import CircuitBreaker
from suburb_pandas.service.calls import Item
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.store import OthersProgress

_FIRST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.25
_GRACE: Final = 1.0  # seconds for a silent reservation to write a heartbeat, once the store can be written

_log = logging.getLogger("suburb_pandas")


class Heartbeats:
    """The last heartbeats of other reservations, and when this process first saw each of them, by its own clock."""

    def __init__(self) -> None:
        self._since: dict[Heartbeat, float] = {}

    def silent(self, heartbeats: Iterable[Heartbeat]) -> tuple[Heartbeat, ...]:
        """Return the heartbeats that have not changed for longer than their lease."""
        now = time.monotonic()
        self._since = {beat: self._since.get(beat, now) for beat in heartbeats}
        return tuple(beat for beat, since in self._since.items() if now - since > beat.lease)


def wait_for(
    context: RequestContext,
    awaited: Mapping[Item, Heartbeat],
    *,
    breaker: CircuitBreaker,
    seen: Heartbeats,
    left: Callable[[], Mapping[Item, int]],
    take: Callable[[OthersProgress], None],
) -> tuple[Heartbeat, ...]:
    """Wait until every awaited item has arrived or can be claimed.

    Parameters
    ----------
    awaited
        The items, each with the last heartbeat of the reservation that is buying it.
    seen
        The heartbeats that this request has seen so far.
    left
        Returns the items that this request still wants, as :meth:`Store.reserve` takes them.
    take
        Called with the items that arrived or were lost, each time this request has looked.

    Returns
    -------
    tuple of Heartbeat
        The last heartbeats of reservations that fell silent. Their items can be claimed.
    """
    pause, challenged = _FIRST_PAUSE, False
    if awaited:
        _log.info("Waiting for %d responses that other requests are buying", len(awaited))
    while awaited and not breaker.tripped and not context.closed:
        wanted = left()
        progress = context.store.look(context.namespace, wanted, awaited)
        take(progress)
        silent = seen.silent(progress.awaited.values())
        if silent and not challenged:
            # A reservation that is silent because the store was locked can now write.
            context.store.wait_until_writable()
            breaker.wait(_GRACE)
            challenged = True
            continue
        if silent or set(wanted) - set(progress.arrived) - progress.lost - set(progress.awaited):
            return silent
        awaited = progress.awaited
        breaker.wait(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    return ()
