"""Collects the decoded responses of a request, with the points that cannot be read and the values that cannot be true.

The packed payloads of series are also stored, so that the next request need not decode them. A payload with such a
point is not stored: its response is decoded each time, so that each request warns of it. Running the request is left to
batch, decoding a response to service.reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from msgspec.structs import replace

from suburb_pandas.client.context import RequestContext
from suburb_pandas.frames.dates import day_in_australia
from suburb_pandas.frames.points import EARLIEST
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import BODIES_AT_ONCE, Item, PackedPayload, Response, clock
from suburb_pandas.service.reading import Reading, read
from suburb_pandas.service.series import FORMAT
from suburb_pandas.store import responses


class Answers:
    """The decoded responses of a request.

    ``readings`` has each response without its body. The payload of a series is packed.
    ``unreadable`` and ``impossible`` have a phrase for each point that was left out, and for each value that cannot be
    true.
    """

    def __init__(self) -> None:
        self.readings: dict[Item, Reading] = {}
        self.unreadable: dict[Item, Sequence[str]] = {}
        self.impossible: dict[Item, Sequence[str]] = {}

    def received(self) -> dict[Item, Reading]:
        """Return each response that can be read; the others break the specification or are refusals."""
        return {item: reading for item, reading in self.readings.items() if reading.problem is None}

    def payloads(self, endpoint: str) -> dict[str, Any]:
        """Return the payload of each suburb that has data of an endpoint."""
        return {
            item.area_name: reading.payload
            for item, reading in self.readings.items()
            if item.endpoint == endpoint and reading.has_data
        }

    def take_stored(self, context: RequestContext, stored: Mapping[Item, Response]) -> None:
        """Add stored responses: packed payloads as they are; other responses are read from the store and decoded."""
        unpacked: dict[Item, Response] = {}
        for item, response in stored.items():
            if response.packed is None or response.packed.format != FORMAT:
                unpacked[item] = response
            else:
                self.readings[item] = Reading(response, response.packed)
        remaining = iter(unpacked.items())
        while batch := dict(islice(remaining, BODIES_AT_ONCE)):
            for item, response in context.read(batch).items():
                self.take(item, read(item, response))

    def take(self, item: Item, reading: Reading) -> None:
        """Add a response: its payload, with the points and values to warn of, or its error."""
        endpoint, payload, response = ENDPOINTS[item.endpoint], reading.payload, replace(reading.response, body=None)
        if reading.has_data:
            retrieved_at = datetime.fromisoformat(response.retrieved_at) if response.retrieved_at else clock()
            self.unreadable[item] = getattr(payload, "unreadable", ())
            self.impossible[item] = [*endpoint.impossible_values(payload, EARLIEST, day_in_australia(retrieved_at))]
            if isinstance(payload, PackedPayload):
                payload = replace(payload, made_up=response.made_up)
        self.readings[item] = Reading(response, payload, reading.problem)

    def keep_packed(self, context: RequestContext) -> None:
        """Store the packed payloads of the responses that had to be decoded, unless a cassette is in use.

        A response on a cassette can come before a stored one, under the number of the stored call. Its payload must not
        be stored with that call.
        """
        packed = {
            reading.response.call: reading.payload
            for item, reading in self.readings.items()
            if isinstance(reading.payload, PackedPayload)
            and reading.payload is not reading.response.packed
            and not (self.unreadable[item] or self.impossible[item])
        }
        if packed and context.cassette is None:
            context.store.try_to_write(responses.keep_packed, packed)
