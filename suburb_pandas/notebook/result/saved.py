"""Keeps the last result of the suburb picker in the notebook's file: its line of code and its table.

A widget needs its kernel. So the picker is displayed with a second output of text and HTML, which is updated after each
load. Where the picker runs, it shows all this itself, and controls.css hides the second output in JupyterLab, Notebook
7 and Voila. Other hosts may show both.

Rejected: updating the output of the widget itself. JupyterLab would draw the widget again, and the focus would be lost.
nbviewer shows no text for an output that has a widget.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final
from uuid import uuid4

import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.display import display

_CLASS: Final = "suburb-saved"
_NOTHING: Final = "Nothing was loaded in this picker."
_BEGINNING: Final = f'<div class="{_CLASS}">'


class SavedOutput:
    """The output that replaces a picker in a saved notebook. It is the same wherever the picker is displayed."""

    def __init__(self) -> None:
        self._display_id = uuid4().hex
        self._is_shown = False
        self._data: dict[str, str] | None = None

    def show(self, widget: Mapping[str, Any], name: str) -> None:
        """Display a widget by its MIME bundle and, in a notebook, this output below it. Only this output has text.

        Before anything was loaded, the text is the ``name`` of the picker. A terminal gets the MIME bundle alone.
        Outside of IPython nothing is displayed.
        """
        shell = get_ipython()
        if hasattr(shell, "kernel"):
            self._is_shown = True
            _display({kind: data for kind, data in widget.items() if kind != "text/plain"})
            _display(self._data or _nothing(name), display_id=self._display_id)
        elif shell is not None:
            _display(widget)

    def update(self, code: str, frame: pd.DataFrame) -> None:
        """Update this output with the loaded frame and its line of code, wherever it is displayed."""
        from suburb_pandas.notebook.result import table  # noqa: PLC0415 - matplotlib is slow to import

        text, rows = table.as_text(frame), table.as_html(frame)
        self._data = _bundle(f"{code}\n\n{text}", f"{_code(code)}\n{rows}")
        if self._is_shown:
            _display(self._data, display_id=self._display_id, update=True)


def is_saved_output(output: Mapping[str, Any]) -> bool:
    """Return True if an output of a notebook is the saved output of a picker. It depends on clicks, not on its cell."""
    return "".join(output.get("data", {}).get("text/html", "")).startswith(_BEGINNING)


def _display(bundle: Mapping[str, Any], **options: Any) -> None:
    """Display a MIME bundle as it is, in the notebook or the terminal that this process runs in."""
    display(dict(bundle), raw=True, **options)  # type: ignore[no-untyped-call]  # IPython has no types for it


def _nothing(name: str) -> dict[str, str]:
    """Return the data of the output before anything was loaded."""
    return _bundle(f"{name}\n\n{_NOTHING}", f"{_code(name)}\n<p>{_NOTHING}</p>")


def _code(line: str) -> str:
    return f"<pre><code>{escape(line)}</code></pre>"


def _bundle(text: str, html: str) -> dict[str, str]:
    return {"text/plain": text, "text/html": f"{_BEGINNING}\n{html}\n</div>"}
