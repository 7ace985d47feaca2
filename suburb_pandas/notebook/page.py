"""Declares what the page of the suburb picker shows, and has picker.js and picker.css draw it.

Reactions to the user are left to picker. Text in panes is escaped by offers and result, which write their HTML.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import traitlets

from suburb_pandas.service import ENDPOINTS

if TYPE_CHECKING:

    class AnyWidget(traitlets.HasTraits):
        """A widget with JavaScript of its own. anywidget and ipywidgets declare no types."""

        def __init__(self, **traits: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

else:
    from anywidget import AnyWidget

KINDS: Final = {endpoint.name: endpoint.title for endpoint in ENDPOINTS.values() if not endpoint.takes_a_query}
"""The title of each kind of data that can be loaded, by its endpoint."""

_HERE: Final = Path(__file__).parent
_NOTHING: Final = {"text": "", "hits": [], "total": 0, "said": "", "look_up": 0}
"""No suggestions. ``look_up`` is the number of the offer of the last look-up; a search keeps it. 0: none so far."""


class Page(AnyWidget):
    """The state of the page. Its panes are HTML."""

    _esm = _HERE / "picker.js"
    _css = _HERE / "picker.css"

    _kinds = traitlets.Dict(KINDS).tag(sync=True)
    _said = traitlets.Unicode().tag(sync=True)
    _suggested: traitlets.Dict[str, Any] = traitlets.Dict(_NOTHING).tag(sync=True)
    _unsettled: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    _can_undo = traitlets.Bool(default_value=False).tag(sync=True)
    _buttons: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    _progress: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    _is_current = traitlets.Bool(default_value=True).tag(sync=True)

    _made_up = traitlets.Unicode().tag(sync=True)
    _advice = traitlets.Unicode().tag(sync=True)
    _charges = traitlets.Unicode().tag(sync=True)
    _limits = traitlets.Unicode().tag(sync=True)
    _warnings = traitlets.Unicode().tag(sync=True)
    _heading = traitlets.Unicode().tag(sync=True)
    _line = traitlets.Unicode().tag(sync=True)
    _chart = traitlets.Unicode().tag(sync=True)
    _table = traitlets.Unicode().tag(sync=True)
    _again = traitlets.Unicode().tag(sync=True)

    def _say(self, sentence: str) -> None:
        """Show a sentence about the last action, even if it is the same as the one before."""
        self._said = ""
        self._said = sentence
