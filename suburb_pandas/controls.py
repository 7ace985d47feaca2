"""The controls of the suburb picker, as the kernel sees them. What they look like and do in a browser is controls.js.

They are a widget of their own because those of ipywidgets fall short: a Combobox leaves out what the browser does not
find similar, a Select loses its arrows to JupyterLab, and RadioButtons are no group to the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import traitlets
from anywidget import AnyWidget

_HERE = Path(__file__).parent


class Controls(AnyWidget):
    """A text box with suggestions below it, what is chosen as tags that can be removed, and which kind of data.

    Parameters
    ----------
    hear
        What is called with each message of the browser: ``search`` with its ``number``, ``pick``, ``remove``, ``kind``,
        or ``seen``, which is what a button said when it was pressed.
    kinds
        What each kind of data is called.
    """

    _esm = _HERE / "controls.js"
    _css = _HERE / "controls.css"

    answer = traitlets.Dict({"number": 0, "asked": False, "hits": []}).tag(sync=True)
    chosen = traitlets.List(traitlets.Unicode()).tag(sync=True)
    kinds = traitlets.List(traitlets.Dict()).tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)

    def __init__(self, hear: Callable[[Any], None], kinds: Mapping[str, str]) -> None:
        super().__init__(kinds=[{"value": value, "label": label} for value, label in kinds.items()])
        self.add_class("suburb-controls")
        self.on_msg(lambda _widget, message, _buffers: hear(message))

    def suggest(self, number: int, candidates: pd.DataFrame, *, asked: bool = False) -> None:
        """Show candidates, in answer to what was typed at that number; ``asked`` if the service was."""
        rows = candidates[["area_name", "state", "lga"]].itertuples(index=False)
        hits = [
            {"name": name, "where": ", ".join(part for part in where if isinstance(part, str))} for name, *where in rows
        ]
        self.answer = {"number": number, "asked": asked, "hits": hits}
