"""Defines the progress of a request as the picker shows it: a bar with a name, and how many calls have ended.

The browser's side is left to progress.js, and the announcement of the end to the picker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import traitlets

from suburb_pandas.notebook.widgets import AnyWidget


class Progress(AnyWidget):
    """A progress bar that takes no room while no request is under way.

    Attributes
    ----------
    state : dict
        The ``name`` of the request, and how many of its ``total`` calls have ``ended``; empty without a request.
    """

    _esm = Path(__file__).parent / "progress.js"

    state: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.add_class("suburb-progress")

    def begin(self, name: str) -> None:
        """Show that a request has begun."""
        self.state = {"name": name, "ended": 0, "total": 0}

    def watch(self, items: Iterable[Any], total: int) -> Iterator[Any]:
        """Yield items, and show after each how many there were."""
        state = {**self.state, "total": total}
        self.state = state
        for ended, item in enumerate(items, start=1):
            self.state = {**state, "ended": ended}
            yield item

    def end(self) -> None:
        """Hide the bar."""
        self.state = {}
