"""Collects the responses of a request, decoded as they arrive: payloads, suburbs without data, and broken responses.

Payloads that an endpoint packs are then kept packed in the store, so that they need not be decoded again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.errors import ContractViolation
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item, PackedPayload, Response, StoredResponse
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.series_columns import FORMAT

_AT_ONCE: Final = 500  # bodies in memory


@dataclass(frozen=True, slots=True)
class EndpointAnswers:
    """The responses of one endpoint: the payload of each suburb that has one, and why the others have none."""

    payloads: dict[str, Any] = field(default_factory=dict, repr=False)
    without_data: dict[str, Missing] = field(default_factory=dict)


class Answers:
    """The responses of a request.

    ``vintages`` has the facts about each response, ``broken`` the error of each that breaks the specification, and
    ``candidates`` the payload of each look-up.
    """

    def __init__(self) -> None:
        self.vintages: dict[Item, Vintage] = {}
        self.broken: dict[Item, ContractViolation] = {}
        self.candidates: dict[Item, Any] = {}
        self._by_endpoint: dict[str, EndpointAnswers] = {}
        self._packed: dict[int, PackedPayload] = {}

    @property
    def is_made_up(self) -> bool:
        """True if any response is of made-up data."""
        return any(vintage.made_up for vintage in self.vintages.values())

    @property
    def sources(self) -> list[str]:
        """The sources of the responses."""
        return sorted({vintage.source for vintage in self.vintages.values()})

    def of(self, endpoint: str) -> EndpointAnswers:
        """Return the responses of an endpoint."""
        return self._by_endpoint.setdefault(endpoint, EndpointAnswers())

    def take_stored(self, context: RequestContext, stored: Mapping[Item, StoredResponse]) -> None:
        """Take responses that were bought before."""
        rest: dict[Item, StoredResponse] = {}
        source = context.namespace.source
        for item, where in stored.items():
            packed = where.packed
            if packed is None or packed.format != FORMAT:
                rest[item] = where
                continue
            self.of(item.endpoint).payloads[item.area_name] = packed
            self.vintages[item] = Vintage(
                where.retrieved_at, source, where.cents, where.sha256, where.request_id, packed.made_up
            )
        left = iter(rest.items())
        while some := dict(islice(left, _AT_ONCE)):
            for item, response in context.responses.read(some).items():
                self.take(item, response)

    def take(self, item: Item, response: Response) -> None:
        """Decode a response and take it."""
        endpoint = ENDPOINTS[item.endpoint]
        self.vintages[item] = vintage = Vintage.of(response)
        try:
            payload = endpoint.decode(response.body, item.area_name)
        except ContractViolation as problem:
            problem.request_id = response.request_id
            self.broken[item] = problem.with_traceback(None)  # a traceback would keep this frame's variables alive
            return
        if endpoint.takes_a_query:
            self.candidates[item] = payload
        elif isinstance(payload, Missing):
            self.of(item.endpoint).without_data[item.area_name] = payload
        else:
            packed = endpoint.pack(payload, made_up=vintage.made_up)
            self.of(item.endpoint).payloads[item.area_name] = payload if packed is None else packed
            if packed is not None and response.call:
                self._packed[response.call] = packed

    def keep_packed(self, context: RequestContext) -> None:
        """Keep the packed payloads in the store, for those that had to be decoded."""
        context.keep_packed(self._packed)
        self._packed = {}
