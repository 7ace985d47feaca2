"""Defines a button that shows a price, and buys at that price or not at all.

The offer may change while a press travels from the browser to the kernel, and the kernel may handle both on several
threads. So a press names the offer that it takes and the label that the user saw, and an offer can be taken only once.
The price of an offer, and the purchase, are left to picker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Final

from suburb_pandas.notebook.widgets import Button

_NUMBERS: Final = count(1)


@dataclass(frozen=True, slots=True)
class Offer:
    """A purchase for at most ``cents``. ``subject`` is an endpoint, followed by its suburbs or its query.

    ``unknown`` are the names for which the page warns that an earlier call may have been charged.
    """

    subject: tuple[str, ...]
    cents: int
    unknown: tuple[str, ...] = ()
    number: int = field(default_factory=lambda: next(_NUMBERS), compare=False)


class PricedButton(Button):
    """A button that shows an offer.

    Parameters
    ----------
    name
        The name of the button in the browser, where its CSS class is ``suburb-offers-<name>``.
    take
        Called with the offer that a press takes, or with None if that offer is no longer valid.
    """

    description: str
    disabled: bool

    def __init__(self, name: str, take: Callable[[Offer | None], None]) -> None:
        super().__init__(layout={"width": "auto"})
        self.add_class(f"suburb-offers-{name}")
        self.offer: Offer | None = None
        self._taken: set[int] = set()
        self._take, self._lock = take, Lock()
        self.on_click(lambda _: self.press(self.number, self.description))

    def _handle_button_msg(self, *_: object) -> None:
        """Refuse the browser's own click message, which names neither an offer nor the label that the user saw."""
        self._take(None)

    @property
    def number(self) -> int:
        """The number of the offer, 0 without one."""
        return self.offer.number if self.offer else 0

    def show(self, label: str, offer: Offer | None) -> None:
        """Show a label and an offer. An equal offer not yet taken keeps its number; None disables the button."""
        if offer is None or offer != self.offer or self.offer.number in self._taken:
            self.offer = offer
        self.description, self.disabled = label, offer is None

    def say(self, label: str) -> None:
        """Show a label without an offer. The button keeps the focus."""
        self.offer, self.description = None, label

    def press(self, number: int, seen: str) -> None:
        """Take the offer with this number, if it is still valid and the user saw its present label.

        A second press for the same offer is ignored, and so is a press of a button without an offer.
        """
        with self._lock:
            offer = self.offer
            if offer is None or number == 0 or number in self._taken:
                return
            self._taken.add(number)
        self._take(offer if offer.number == number and seen == self.description else None)
