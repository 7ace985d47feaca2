"""What a request was answered, decoded as it comes: payloads, why there are none, and answers that cannot be read.

Rents become histories in columns, which the store then keeps beside the responses: from there they are not decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.errors import ContractViolation
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import Item, Response, StoredResponse
from suburb_pandas.service.protocols import ResponseSource
from suburb_pandas.service.rent_columns import History

_AT_ONCE: Final = 500  # bodies in memory

Payload = TypeVar("Payload", History, wire.Impacts, wire.Candidates)


@dataclass(frozen=True, slots=True)
class EndpointAnswers(Generic[Payload]):
    """What an endpoint said: the payload of each suburb that has one, and of the others why not."""

    payloads: dict[str, Payload] = field(default_factory=dict, repr=False)
    without_data: dict[str, wire.Missing] = field(default_factory=dict)


class Answers:
    """The answers of a request. ``vintages`` says which response each one is, ``broken`` what is wrong with some."""

    def __init__(self) -> None:
        self.vintages: dict[Item, Vintage] = {}
        self.broken: dict[Item, ContractViolation] = {}
        self.rent: EndpointAnswers[History] = EndpointAnswers()
        self.impacts: EndpointAnswers[wire.Impacts] = EndpointAnswers()
        self.geocode: EndpointAnswers[wire.Candidates] = EndpointAnswers()
        self._packed: dict[int, History] = {}

    @property
    def is_made_up(self) -> bool:
        """Whether any of the data are."""
        return any(vintage.made_up for vintage in self.vintages.values())

    @property
    def sources(self) -> list[str]:
        """Where they came from."""
        return sorted({vintage.source for vintage in self.vintages.values()})

    def of(self, endpoint: str) -> EndpointAnswers[Any]:
        """Give what an endpoint said."""
        every: dict[str, EndpointAnswers[Any]] = {"rent": self.rent, "impacts": self.impacts, "geocode": self.geocode}
        return every[endpoint]

    def take_kept(self, kept: ResponseSource, source: str, stored: Mapping[Item, StoredResponse]) -> None:
        """Take answers that were bought before."""
        rest: dict[Item, StoredResponse] = {}
        for item, where in stored.items():
            if where.history is None:
                rest[item] = where
                continue
            self.rent.payloads[item.area_name] = where.history
            self.vintages[item] = Vintage(
                where.retrieved_at, source, where.cents, where.sha256, where.request_id, where.history.made_up
            )
        left = iter(rest.items())
        while some := dict(islice(left, _AT_ONCE)):
            for item, response in kept.read(some).items():
                self.take(item, response)

    def take(self, item: Item, response: Response) -> None:
        """Take an answer as it came."""
        self.vintages[item] = vintage = Vintage.of(response)
        try:
            found = wire.DECODERS[item.endpoint](response.body, item.subject)
        except ContractViolation as problem:
            problem.request_id = response.request_id
            self.broken[item] = problem.with_traceback(None)  # which would hold on to this frame's variables
            return
        if isinstance(found, wire.Missing):
            self.of(item.endpoint).without_data[item.area_name] = found
        elif isinstance(found, wire.Rent):
            self.rent.payloads[item.area_name] = history = History.of(found, made_up=vintage.made_up)
            if response.call:
                self._packed[response.call] = history
        else:
            self.of(item.endpoint).payloads[item.area_name] = found

    def pack(self, kept: ResponseSource) -> None:
        """Have the rents that had to be decoded kept in columns."""
        if self._packed:
            kept.keep_histories(self._packed)
            self._packed = {}
