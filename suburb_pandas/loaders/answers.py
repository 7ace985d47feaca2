"""Collects the contents of the responses of a request: payloads, suburbs without data, and broken responses.

Payloads that an endpoint packs are also stored in packed form, so that the next request need not decode them. A payload
with a point that cannot be read or cannot be true is not: its response is decoded each time, so that each request warns
of it. Running the request is left to batch, decoding a response to service.reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbError
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import BODIES_AT_ONCE, Item, PackedPayload, Response, clock
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import Reading, read
from suburb_pandas.service.series_columns import FORMAT
from suburb_pandas.store import responses
from suburb_pandas.timeseries.dates import day_in_australia
from suburb_pandas.timeseries.doubts import EARLIEST


@dataclass(frozen=True, slots=True)
class EndpointAnswers:
    """The decoded responses of one endpoint: payloads of suburbs with data, and the service's reason for the others."""

    payloads: dict[str, Any] = field(default_factory=dict, repr=False)
    without_data: dict[str, Missing] = field(default_factory=dict)


class Answers:
    """The decoded responses of a request.

    ``responses`` has the facts about each response, ``broken`` the error of each response that breaks the specification
    or refuses the call, and ``candidates`` the payload of each look-up. ``unreadable`` and ``impossible`` have a phrase
    for each point that was left out, and for each value that cannot be true.
    """

    def __init__(self) -> None:
        self.responses: dict[Item, Response] = {}
        self.broken: dict[Item, SuburbError] = {}
        self.candidates: dict[Item, Any] = {}
        self.unreadable: dict[Item, Sequence[str]] = {}
        self.impossible: dict[Item, Sequence[str]] = {}
        self._by_endpoint: dict[str, EndpointAnswers] = {}
        self._payloads: dict[Item, Any] = {}
        self._packed: dict[int, PackedPayload] = {}

    @property
    def is_made_up(self) -> bool:
        """True if any response holds made-up data."""
        return any(response.made_up for response in self.responses.values())

    @property
    def sources(self) -> list[str]:
        """The distinct sources of the responses, in alphabetical order."""
        return sorted({response.source for response in self.responses.values()})

    def of(self, endpoint: str) -> EndpointAnswers:
        """Return the decoded responses of an endpoint."""
        return self._by_endpoint.setdefault(endpoint, EndpointAnswers())

    def received(self) -> dict[Item, Reading]:
        """Return each readable response: its payload and the facts about it."""
        return {
            item: Reading(response, self._payloads[item])
            for item, response in self.responses.items()
            if item not in self.broken
        }

    def take_stored(self, context: RequestContext, stored: Mapping[Item, Response]) -> None:
        """Add stored responses: packed payloads as they are; other responses are read from the store and decoded."""
        unpacked: dict[Item, Response] = {}
        for item, response in stored.items():
            packed = response.packed
            if packed is None or packed.format != FORMAT:
                unpacked[item] = response
            else:
                self.of(item.endpoint).payloads[item.area_name] = self._payloads[item] = packed
                self.responses[item] = response
        remaining = iter(unpacked.items())
        while batch := dict(islice(remaining, BODIES_AT_ONCE)):
            for item, response in context.read(batch).items():
                self.take(item, read(item, response))

    def take(self, item: Item, reading: Reading) -> None:
        """Add the contents of a response: its payload, its error or its lack of data."""
        endpoint, payload = ENDPOINTS[item.endpoint], reading.payload
        self.responses[item] = response = reading.response.without_body()
        if reading.problem is not None:
            self.broken[item] = reading.problem
            return
        self._payloads[item] = payload
        if endpoint.takes_a_query:
            self.candidates[item] = payload
        elif isinstance(payload, Missing):
            self.of(item.endpoint).without_data[item.area_name] = payload
        else:
            packed = endpoint.pack(payload, made_up=response.made_up)
            kept = payload if packed is None else packed
            self.of(item.endpoint).payloads[item.area_name] = self._payloads[item] = kept
            is_doubtful = self._note_doubts(item, payload, response.retrieved_at)
            if packed is not None and response.call and not is_doubtful:
                self._packed[response.call] = packed

    def _note_doubts(self, item: Item, payload: Any, retrieved_at: str) -> bool:
        """Note what cannot be read in a payload, or cannot be true; return True if there is something."""
        endpoint = ENDPOINTS[item.endpoint]
        latest = day_in_australia(datetime.fromisoformat(retrieved_at) if retrieved_at else clock())
        if unreadable := endpoint.unreadable_in(payload):
            self.unreadable[item] = unreadable
        if impossible := endpoint.impossible_in(payload, EARLIEST, latest):
            self.impossible[item] = impossible
        return bool(unreadable or impossible)

    def keep_packed(self, context: RequestContext) -> None:
        """Store the packed payloads of the responses that had to be decoded, unless a cassette is in use.

        Its responses go before those of the store, and must not be packed in their place.
        """
        if self._packed and context.cassette is None:
            context.store.cache(responses.keep_packed, self._packed)
            self._packed = {}
