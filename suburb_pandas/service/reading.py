"""Reads responses: decodes each one by its endpoint, and decides whether it can be trusted.

Purchasing, loaders and tracing have responses decoded here, so that they agree. How to decode is left to the module of
each endpoint, and the error for a refusal to statuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from suburb_pandas.errors import ContractViolation, SuburbError
from suburb_pandas.messages import counted
from suburb_pandas.service import ENDPOINTS, statuses
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.envelope import Missing


class Reading(NamedTuple):
    """A response that was read: its payload, or the ``problem``: why it cannot be read, or a refusal's error.

    The payload of a series is packed.
    """

    response: Response
    payload: Any = None
    problem: SuburbError | None = None

    @property
    def has_data(self) -> bool:
        """True if the response can be read and has data. The response to a look-up always has, even an empty list."""
        return self.problem is None and not isinstance(self.payload, Missing)

    @property
    def names_suburb(self) -> bool:
        """True if the response names its suburb, and the decoder has checked that it is the one asked for."""
        return bool(getattr(self.payload, "area_name", ""))

    @property
    def is_about_another(self) -> bool:
        """True if the response is about another suburb than the one that was asked for."""
        return getattr(self.problem, "is_about_another", False)


def read(item: Item, response: Response) -> Reading:
    """Decode a response, and check that it can be trusted. The body of a refusal is not decoded."""
    if response.is_refusal:
        return Reading(response, problem=_stored_refusal(item, response))
    try:
        payload = ENDPOINTS[item.endpoint].decode(response.content, item.area_name)
    except ContractViolation as problem:
        problem.args = (f"{problem} {_what_to_do(item, response)}",)
        problem.request_id, problem.is_stored = response.request_id, True
        problem = problem.with_traceback(None)  # a traceback would keep this frame's variables alive
        return Reading(response, problem=problem)
    return Reading(response, payload)


def _stored_refusal(item: Item, response: Response) -> SuburbError:
    """Return the error of a refusal that was charged and stored."""
    day = f" of {response.retrieved_at[:10]}" if response.retrieved_at else ""
    cost = f"That response{day} cost {counted(response.cents, 'cent')} and is stored, so nothing was sent"
    problem = statuses.error(item, response, f"{cost}; to ask again, run {_line_to_buy_again(item)}.")
    problem.is_stored = True
    return problem


def _line_to_buy_again(item: Item) -> str:
    """Return the line of code that buys a response again."""
    loader = "find" if ENDPOINTS[item.endpoint].takes_a_query else item.endpoint
    return f"sp.{loader}({item.area_name!r}, {f'state={item.state!r}, ' if item.state else ''}refresh=True)"


def line_to_read(endpoint: str, names: Sequence[str]) -> str:
    """Return the line of code that shows the stored bodies of responses."""
    what = names[0] if len(names) == 1 else list(names)
    return f"sp.vintages({what!r}, {'' if endpoint == 'rent' else f'{endpoint!r}, '}bodies=True)"


def _what_to_do(item: Item, response: Response) -> str:
    bought = f"was bought for {counted(response.cents, 'cent')} and " if response.cents else ""
    buy = f"buy the data again, run {_line_to_buy_again(item)}"
    # sp.vintages takes no state, so it does not find a look-up with a state.
    how = f"To {buy}" if item.state else f"To read it, run {line_to_read(item.endpoint, [item.area_name])}; to {buy}"
    return f"It {bought}is stored, so asking again is free. {how}"
