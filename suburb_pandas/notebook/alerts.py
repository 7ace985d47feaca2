"""Defines the panes for errors and warnings in a picker's callbacks, which a notebook itself does not show.

The words for errors and warnings are left to sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import traitlets
from ipywidgets import HTML

from suburb_pandas.errors import SyntheticDataWarning
from suburb_pandas.messages import captured_warnings
from suburb_pandas.notebook import html
from suburb_pandas.notebook.sentences import in_sentences, noted
from suburb_pandas.notebook.widgets import VBox
from suburb_pandas.settings import Key

_INTERRUPTED: Final = (
    "Interrupted: no more calls will be sent. Calls under way may still be charged, and their responses are stored. "
    "Check the price, then press the button again for the rest."
)


class RefusedError(Exception):
    """A request that is refused. The message is for the page."""


class Alerts(VBox):
    """An alert, which a screen reader reads aloud at once, and notes below it.

    Parameters
    ----------
    secret
        Returns the key of the client, which no alert may show.

    Attributes
    ----------
    error : str or None
        The text of the alert.
    """

    error: traitlets.Unicode[str | None, str | bytes | None] = traitlets.Unicode(None, allow_none=True)

    def __init__(self, secret: Callable[[], Key | None]) -> None:
        self._secret = secret
        self._alert, self._notes = panes = [HTML(), HTML()]
        super().__init__(children=panes)

    @contextmanager
    def showing(self, *, clear: bool = True) -> Iterator[None]:
        """Show the errors and warnings of the block. The last error is cleared first if ``clear``."""
        if clear:
            self._show(None)
        with captured_warnings() as warned:
            try:
                yield
            except KeyboardInterrupt:
                self._show(_INTERRUPTED)
                raise
            except RefusedError as problem:
                self._show(str(problem))
            except Exception as problem:  # noqa: BLE001 - shown to the user
                self._show(in_sentences(problem, self._secret()))
        # The picker always says that data are made up.
        texts = [noted(warning) for warning in warned if not isinstance(warning, SyntheticDataWarning)]
        if texts:
            self._notes.value = html.notes(texts)

    def clear_notes(self) -> None:
        """Remove the warnings of the previous load."""
        self._notes.value = ""

    def _show(self, error: str | None) -> None:
        self._alert.value = html.alert(error)
        self.error = error
