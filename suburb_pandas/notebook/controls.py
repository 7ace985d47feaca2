"""Defines the kernel's side of the controls of the suburb picker; the browser's side is left to the scripts here.

Rejected: the widgets of ipywidgets. A Combobox hides suggestions that the browser does not find similar, a Select loses
its arrow keys to JupyterLab, and RadioButtons do not act as one group for the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

import pandas as pd
import traitlets

from suburb_pandas.messages import counted
from suburb_pandas.notebook.widgets import AnyWidget

_HERE: Final = Path(__file__).parent
_SCRIPTS: Final = ("elements", "search_box", "chosen", "notices", "page", "controls")
"""The parts of the script. They are sent as one module: the browser has no address from which to load further ones."""


class Controls(AnyWidget):
    """A text box with suggestions, the chosen suburbs, the kind of data, and the notes on the price.

    Parameters
    ----------
    hear
        Called with each message of the browser, a dict with one of these keys:

        - ``search``, a text, with the ``number`` of the search
        - ``pick``, a suggestion; ``take``, a typed text; ``paste``, a pasted one
        - ``settle``, a text that is not settled, with the ``name`` chosen for it; ``dismiss``, such a text;
          ``dismiss_all``
        - ``remove``, a chosen suburb; ``remove_all``; ``undo``; ``kind``, an endpoint
        - ``press``, a button, with the ``offer`` that it takes and the label that was ``seen``; ``check_price``
        - ``background``, the colour of the page, with ``narrow``: True if the page is narrow
    kinds
        The label of each kind of data, by endpoint.

    Attributes
    ----------
    answer : dict
        The suggestions to show (``hits``), the number of all suggestions (``total``), a sentence about them (``said``),
        and the ``text`` of the search. ``number`` is the number of that search. ``asked`` counts look-ups, and is 0 for
        a search.
    advice : list
        Sentences on why a text has no suggestions and what to do (``text``), each with a line of ``code`` or none.
    unsettled : list
        The pasted names that are not settled: ``text``, ``why``, ``candidates``, and ``can_be_taken``.
    chosen, can_undo, kind : list, bool, str
        The suburbs that are chosen, whether their last change can be undone, and the kind of data.
    price : list
        The notes on the price: ``text``, ``code`` and ``kind`` of each sentence.
    offers : dict
        The number of the offer on each button.
    said : str
        The sentence about the last action, which a screen reader reads aloud.
    text : str
        The text in the box.
    """

    _esm = "\n".join((_HERE / f"{part}.js").read_text(encoding="utf-8") for part in _SCRIPTS)
    _css = _HERE / "controls.css"

    answer: traitlets.Dict[str, Any] = traitlets.Dict(
        {"number": "", "text": "", "asked": 0, "said": "", "total": 0, "hits": []}
    ).tag(sync=True)
    advice: traitlets.List[dict[str, str]] = traitlets.List(traitlets.Dict()).tag(sync=True)
    unsettled: traitlets.List[dict[str, Any]] = traitlets.List(traitlets.Dict()).tag(sync=True)
    chosen: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    can_undo: traitlets.Bool[bool, bool | int] = traitlets.Bool(default_value=False).tag(sync=True)
    kinds: traitlets.List[dict[str, Any]] = traitlets.List(traitlets.Dict()).tag(sync=True)
    kind: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)
    price: traitlets.List[dict[str, str]] = traitlets.List(traitlets.Dict()).tag(sync=True)
    offers: traitlets.Dict[str, int] = traitlets.Dict().tag(sync=True)
    said: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)
    text: traitlets.Unicode[str, str | bytes] = traitlets.Unicode().tag(sync=True)

    def __init__(self, hear: Callable[[Any], None], kinds: Mapping[str, str]) -> None:
        super().__init__(kinds=[{"value": value, "label": label} for value, label in kinds.items()])
        self.add_class("suburb-controls")
        self.on_msg(lambda _widget, message, _buffers: hear(message))
        self._asked = count(1)

    def answer_with(
        self, candidates: pd.DataFrame, text: str, number: str | None = None, *, total: int | None = None
    ) -> None:
        """Show candidates for a text, in reply to the search of a page with this number, or else to a look-up.

        ``total`` is the number of all candidates, if only the first ones are given.
        """
        rows = candidates[["area_name", "state", "lga"]].itertuples(index=False)
        hits = [{"name": name, "where": _where(places)} for name, *places in rows]
        asked = next(self._asked) if number is None else 0
        every = len(hits) if total is None else total
        part = f"{len(hits)} of " if every > len(hits) else ""
        number_of = f"{part}{counted(every, 'suggestion')}" if every else "No suggestions"
        said = f"{number_of} for “{text}”" if text.strip() else ""
        self.answer = {"number": number or "", "text": text, "asked": asked, "said": said, "total": every, "hits": hits}

    def say(self, sentence: str) -> None:
        """Show a sentence about the last action, even if it is the same as the one before."""
        self.said = ""
        self.said = sentence

    def clear(self, text: str) -> None:
        """Empty the box if it still holds this text, because the suburb of that name was chosen."""
        self.send({"taken": text})


def _where(places: Iterable[object]) -> str:
    return ", ".join(part for part in places if isinstance(part, str))
