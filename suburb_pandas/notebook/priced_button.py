"""A button that says what its press would cost, and that buys just that or nothing.

A press and a change of what is offered may meet on their way between browser and kernel, which may have several threads
for them. So a press says which offer it takes and what the button said, and each offer can be taken once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Final

from ipywidgets import Button

_NUMBERS: Final = count(1)


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to be had for at most so many cents; ``subject`` says what."""

    subject: tuple[str, ...]
    cents: int
    number: int = field(default_factory=lambda: next(_NUMBERS), compare=False)


class PricedButton(Button):  # type: ignore[misc] # ipywidgets has no types
    """The button of an offer.

    Parameters
    ----------
    name
        Its name in the browser, where its class is ``suburb-offers-`` and that.
    take
        What is called with the offer that a press takes, or with None if that is no longer there.
    """

    def __init__(self, name: str, take: Callable[[Offer | None], None]) -> None:
        super().__init__(layout={"width": "auto"})
        self.add_class(f"suburb-offers-{name}")
        self.offer: Offer | None = None
        self._taken: set[int] = set()
        self._take, self._lock = take, Lock()
        self.on_click(lambda _: self.press(self.number, self.description))

    def _handle_button_msg(self, *_: object) -> None:
        """Buy nothing for a browser's message that does not say which offer it takes, and what was seen."""
        self._take(None)

    @property
    def number(self) -> int:
        """The number of the offer, 0 for none."""
        return self.offer.number if self.offer else 0

    def show(self, label: str, offer: Offer | None) -> None:
        """Make an offer, unless it stands; None where there is nothing to be had."""
        if offer is None or offer != self.offer or self.offer.number in self._taken:
            self.offer = offer
        self.description, self.disabled = label, offer is None

    def say(self, label: str) -> None:
        """Say something else while nothing is offered. The button can still have the focus."""
        self.offer, self.description = None, label

    def press(self, number: int, seen: str) -> None:
        """Take the offer of that number, if it stands and the button said so.

        Pressed again it is not heard, nor is a press of a button that offered nothing.
        """
        with self._lock:
            offer = self.offer
            if offer is None or number == 0 or number in self._taken:
                return
            self._taken.add(number)
        self._take(offer if offer.number == number and seen == self.description else None)
