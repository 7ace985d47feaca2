"""How an answer's bytes reach the client: whole, late, in pieces, or not at all.

Owns the wire of an outcome and whether the connection survives it. What the bytes are is `answers`.
"""

import time
from collections.abc import Callable

from suburb_pandas.sandbox.adversary.faults import Fault
from suburb_pandas.sandbox.app import Outcome

Send = Callable[[bytes], object]

_PIECES = 20


def deliver(outcome: Outcome, send: Send, *, bodiless: bool = False) -> bool:
    """Send an outcome; True if the connection may serve another request after it.

    Parameters
    ----------
    outcome
        The answer and its fault.
    send
        What takes the bytes.
    bodiless
        Send the headers only, as HEAD asks.
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
            # One write: of two, the second may wait for the client's delayed acknowledgement of the first.
            send(head + body)
    return True


def _drip(content: bytes, send: Send, seconds: float) -> None:
    """Send in small pieces, spread over some seconds."""
    size = max(1, -(-len(content) // _PIECES))
    for start in range(0, len(content), size):
        time.sleep(seconds / _PIECES)
        send(content[start : start + size])
