"""A button that says what its press would cost, and stands for just that.

A press and a change of what is offered may meet on their way between browser and kernel, which may have several threads
for them. So each offer has a button of its own, and each button is good for one press.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from ipywidgets import Button, HBox

_KEPT: Final = 2  # so that a late press is heard, and not an error of the kernel's


@dataclass(eq=False, slots=True)
class Offer:
    """Something to be had for at most so many cents; ``subject`` says what."""

    subject: tuple[str, ...]
    cents: int
    is_taken: bool = False


class OfferButton(HBox):  # type: ignore[misc] # ipywidgets has no types
    """The button of the offer that stands.

    Parameters
    ----------
    take
        What is called with an offer when its button is pressed for the first time.
    """

    def __init__(self, take: Callable[[Offer], None]) -> None:
        super().__init__()
        self.add_class("suburb-offer")
        self.offer: Offer | None = None
        self._take, self._lock = take, Lock()
        self._buttons: list[Button] = []

    def show(self, label: str, offer: Offer | None) -> None:
        """Make an offer, by a new button unless it stands already; None where there is nothing to be had."""
        if self._buttons and self._buttons[-1].description == label and _is_same(offer, self.offer):
            return
        button = Button(description=label, disabled=offer is None, layout={"width": "auto"})
        button.on_click(lambda _: self._press(offer))
        self.offer, self.children = offer, [button]
        self._buttons.append(button)
        for old in self._buttons[:-_KEPT]:
            old.close()
        del self._buttons[:-_KEPT]

    def _press(self, offer: Offer | None) -> None:
        with self._lock:
            if offer is None or offer.is_taken:
                return
            offer.is_taken = True
        self._take(offer)


def _is_same(one: Offer | None, other: Offer | None) -> bool:
    """Whether both are the same, and a press of either would be heard."""
    if one is None or other is None:
        return one is other
    return (one.subject, one.cents, one.is_taken) == (other.subject, other.cents, other.is_taken)
