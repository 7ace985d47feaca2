"""The sandbox of made-up suburbs, with failures that the notebook about money asks for."""

from collections import Counter
from dataclasses import dataclass, replace
from threading import Event
from typing import Never

from suburb_pandas.sandbox.answers import Answer, error
from suburb_pandas.sandbox.service import Request, Service

BUSY, LOST_BEFORE, LOST_AFTER, HELD = "busy", "lost before the charge", "lost after the charge", "held back"


@dataclass(frozen=True)
class Lost(Answer):
    """A response of which nothing arrives, because the connection breaks."""

    def pieces(self) -> Never:
        """Break the connection."""
        raise ConnectionAbortedError


class FailingService(Service):
    """A service that fails when a suburb in `failures` is asked for next, and counts the cents that it bills.

    ``published`` has the body of a newer response of a suburb. ``released`` lets the response that is held back go.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failures, self.published, self.billed, self.released = {}, {}, Counter(), Event()

    def respond(self, request: Request) -> Answer:
        """Return the response to a request, or fail."""
        failure = self.failures.pop(request.name, None)
        if failure == BUSY:
            return error(request.target, 503, "Too busy")
        if failure == LOST_BEFORE:
            return Lost(500, {}, b"")
        if failure == HELD:
            self.released.wait(60)
        response = super().respond(request)
        return Lost(500, {}, b"") if failure == LOST_AFTER else response

    def metered(self, request: Request, response: Answer) -> Answer:
        """Charge for a response, and count the charge."""
        if request.name in self.published:
            response = replace(response, body=self.published[request.name])
        charged = super().metered(request, response)
        self.billed[request.endpoint, request.name] += int(charged.headers.get("X-Cost-Cents", 0))
        return charged
