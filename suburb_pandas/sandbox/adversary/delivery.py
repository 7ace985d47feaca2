"""Sends responses to the client: whole, slowly, in part, or not at all.

Decides which bytes of an outcome are sent, and whether the connection stays open. Building the bytes is left to
`answers`, waiting before the first byte to `script`, the sockets to `server`.
"""

import time
from collections.abc import Callable

from suburb_pandas.sandbox.adversary.faults import Fault
from suburb_pandas.sandbox.app import Outcome

Send = Callable[[bytes], object]

_PIECES = 20


def deliver(outcome: Outcome, send: Send, *, bodiless: bool = False) -> bool:
    """Send an outcome, and return True if the connection may serve another request.

    Parameters
    ----------
    outcome
        The response and its fault.
    send
        The function that writes bytes to the connection.
    bodiless
        True to send the headers only, as for HEAD.
    """
    head, body = outcome.answer.head(), b"" if bodiless else outcome.answer.body
    match outcome.fault:
        case Fault.DROPPED_BEFORE | Fault.DROPPED_AFTER_BILLING:
            return False
        case Fault.DROPPED_MID_BODY:
            send(head + body[: len(body) // 2])
            return False
        case Fault.DROPPED_AFTER_BODY:
            send(head + body)
            return False
        case Fault.SLOW_HEADERS:
            _drip(head, send, outcome.seconds)
            send(body)
        case Fault.SLOW_BODY:
            send(head)
            _drip(body, send, outcome.seconds)
        case _:
            # Not two writes: the second could wait for the client's delayed acknowledgement of the first.
            send(head + body)
    return True


def _drip(content: bytes, send: Send, seconds: float) -> None:
    """Send bytes in small pieces, spread over some seconds."""
    size = max(1, -(-len(content) // _PIECES))
    for start in range(0, len(content), size):
        time.sleep(seconds / _PIECES)
        send(content[start : start + size])
