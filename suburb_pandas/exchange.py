"""What one HTTP exchange brings, whoever carries it out: an answer, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back: the body's bytes as they came, and the headers by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NoAnswerError(Exception):
    """No whole answer came. ``sent`` is False only where it is certain that the service never saw the call."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.why = why
        self.sent = sent
