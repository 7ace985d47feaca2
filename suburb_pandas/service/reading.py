"""Reads responses: decodes each one by its endpoint, and decides whether it can be trusted.

Every part of the package that needs the contents of a response reads it here, so that all of them agree. Decoding is
left to the module of each endpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suburb_pandas.errors import ContractViolation
from suburb_pandas.messages import counted
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.envelope import Missing, violation


@dataclass(frozen=True, slots=True)
class Reading:
    """The payload of a response, or the ``problem`` that makes the response unreadable."""

    payload: Any = None
    problem: ContractViolation | None = None

    @property
    def is_about_another(self) -> bool:
        """True if the response is about another suburb than the one that was asked for."""
        return self.problem is not None and self.problem.is_about_another


def read(item: Item, response: Response) -> Reading:
    """Decode a response, and check that it can be trusted."""
    endpoint = ENDPOINTS[item.endpoint]
    try:
        payload = endpoint.decode(response.body, item.area_name)
        names_nothing = isinstance(payload, Missing) or (endpoint.takes_a_query and not payload)
        if response.had_surplus and names_nothing:
            raise violation(item.area_name, "$.data", "it names no suburb, and its connection carried another response")
    except ContractViolation as problem:
        problem.args = (f"{problem} {_what_to_do(item, response)}",)
        problem.request_id = response.request_id
        return Reading(problem=problem.with_traceback(None))  # a traceback would keep this frame's variables alive
    return Reading(payload)


def line_to_buy_again(endpoint: str, names: Sequence[str], state: str | None = None) -> str:
    """Return the line of code that buys responses of an endpoint again."""
    loader = "find" if ENDPOINTS[endpoint].takes_a_query else endpoint
    what = names[0] if len(names) == 1 else list(names)
    return f"sp.{loader}({what!r}, {f'state={state!r}, ' if state else ''}refresh=True)"


def _what_to_do(item: Item, response: Response) -> str:
    bought = f"was bought for {counted(response.cents, 'cent')} and " if response.cents else ""
    line = line_to_buy_again(item.endpoint, [item.area_name], item.state)
    return f"It {bought}is stored, so asking again is free. To buy the data again, run {line}"
