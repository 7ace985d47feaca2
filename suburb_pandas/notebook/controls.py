"""Defines the kernel's side of the controls of the suburb picker; the browser's side is left to controls.js.

controls.js also reports which button was pressed, and which label it had. Rejected: the widgets of ipywidgets. A
Combobox hides suggestions that the browser does not find similar, a Select loses its arrow keys to JupyterLab, and
RadioButtons do not act as one group for the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd
import traitlets

from suburb_pandas.messages import counted
from suburb_pandas.notebook.widgets import AnyWidget

_HERE = Path(__file__).parent


class Controls(AnyWidget):
    """A text box with suggestions below it, the chosen suburbs as tags that can be removed, and the kind of data.

    Parameters
    ----------
    hear
        Called with each message of the browser: ``search`` with its ``number``, ``pick``, ``remove``, ``kind``, or
        ``press`` with the ``offer`` that it takes and the label that was ``seen`` on the button.
    kinds
        The label of each kind of data, by endpoint.

    Attributes
    ----------
    answer : dict
        The suggestions to show (``hits``), their ``text``, and a sentence for screen readers (``said``). ``number`` is
        that of the search that they answer. ``asked`` counts look-ups by the service, and is 0 for a search.
    chosen, kind : list, str
        The suburbs that are chosen, and the kind of data.
    offers : dict
        The number of the offer on each button.
    said : str
        The sentence that tells screen readers about the last action.
    text : str
        The text in the box.
    """

    _esm = _HERE / "controls.js"
    _css = _HERE / "controls.css"

    answer: traitlets.Dict[str, Any] = traitlets.Dict(
        {"number": "", "text": "", "asked": 0, "said": "", "hits": []}
    ).tag(sync=True)
    chosen: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    kinds: traitlets.List[dict[str, Any]] = traitlets.List(traitlets.Dict()).tag(sync=True)
    kind: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)
    offers: traitlets.Dict[str, int] = traitlets.Dict().tag(sync=True)
    said: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)
    text: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)

    def __init__(self, hear: Callable[[Any], None], kinds: Mapping[str, str]) -> None:
        super().__init__(kinds=[{"value": value, "label": label} for value, label in kinds.items()])
        self.add_class("suburb-controls")
        self.on_msg(lambda _widget, message, _buffers: hear(message))
        self._asked = count(1)

    def answer_with(self, candidates: pd.DataFrame, text: str, number: str | None = None) -> None:
        """Show candidates for a text, in reply to the numbered search of a page; without a number, to a look-up."""
        rows = candidates[["area_name", "state", "lga"]].itertuples(index=False)
        hits = [{"name": name, "where": _where(places)} for name, *places in rows]
        asked = next(self._asked) if number is None else 0
        said = f"{counted(len(hits), 'suggestion')} for “{text}”" if text.strip() else ""
        self.answer = {"number": number or "", "text": text, "asked": asked, "said": said, "hits": hits}


def _where(places: Iterable[object]) -> str:
    return ", ".join(part for part in places if isinstance(part, str))
