"""The suburb picker: find suburbs, see what they cost, load them, and take the line of code along.

It owns what happens when; the controls are a widget of their own, and what the rest looks like is the panes'. Nothing
is bought but by the press of a button, and then at the most for what that button said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from textwrap import shorten
from threading import RLock
from typing import Any, Final

import pandas as pd
import traitlets
from ipywidgets import HTML, Button, HBox, IntProgress, VBox, Widget

from . import books, loaders, lookups, names, panes, plots
from .client import Client, current
from .controls import Controls
from .errors import InvalidName, SuburbError, SyntheticDataWarning
from .messages import counted, heard
from .options import Options
from .quotes import Quote

_LOADERS: Final = {"rent": loaders.rent, "impacts": loaders.impacts}
_KINDS: Final = {"rent": "Rents", "impacts": "Amenity price impacts"}
_CHARTS: Final = {"rent": "Chart of the rents of", "impacts": "Chart of the amenity price impacts of"}
_SUGGESTED: Final = 10
_LONG: Final = 40
_MADE_UP: Final = "These suburbs and all their numbers are made up, by the embedded sandbox."
_CHANGED: Final = "The price has changed since you saw it. Nothing was sent; look at it, and press again to go on."
_INTERRUPTED: Final = "Interrupted. What had arrived is stored; press again for the rest."


class SuburbPicker(VBox):  # type: ignore[misc] # ipywidgets has no types
    """Pick suburbs in a notebook, load their rents or amenity price impacts, and see a chart and a table.

    Suggestions come from the names known on this machine, free. Nothing is bought by typing or choosing: the service is
    asked where ``Look up`` or ``Load`` is pressed, and then at the most for the cents that the button says.

    Parameters
    ----------
    value
        The suburbs that are chosen to begin with: exact ABS SAL names.
    endpoint
        What is loaded: ``"rent"`` or ``"impacts"``.
    multiple
        Whether several suburbs can be chosen.
    client
        Instead of the default one. In ``code`` it is called ``client``.

    Attributes
    ----------
    value : tuple of str
        The suburbs that are chosen. A trait: it can be set, and observed.
    endpoint : str
        What is loaded. A trait.
    frame : DataFrame or None
        What was loaded last, as :func:`rent` or :func:`impacts` gives it for a list of names. A trait.
    code : str
        The line that loads that frame again. A trait.
    busy : bool
        Whether the service is being asked. A trait.
    error : str or None
        What went wrong last, as it is shown. A trait.

    Raises
    ------
    InvalidName
        Not a name.
    ValueError
        Several names, where only one can be chosen.

    Examples
    --------
    >>> picker = sp.SuburbPicker(["Quokka Bay"])
    >>> picker.value
    ('Quokka Bay',)
    """

    value = traitlets.Tuple(())
    endpoint = traitlets.Enum(tuple(_LOADERS), "rent")
    frame = traitlets.Instance(pd.DataFrame, allow_none=True)
    code = traitlets.Unicode("")
    busy = traitlets.Bool(default_value=False)
    error = traitlets.Unicode(None, allow_none=True)

    def __init__(
        self,
        value: Iterable[str] = (),
        endpoint: str = "rent",
        *,
        multiple: bool = True,
        client: Client | None = None,
    ) -> None:
        self._client, self._multiple = client, multiple
        self._lock = RLock()
        self._text, self._number = "", 0
        self._seen: str | None = None
        self._controls = Controls(self._hear, _KINDS)
        self._look_up = _spending("Look up", self._find)
        self._load = _spending("Load", self._fetch)
        self._bar = IntProgress(layout={"visibility": "hidden"})
        self._panes = {name: HTML() for name in ("made_up", "alert", "notes", "chart", "table", "code")}
        super().__init__(children=self._arranged())
        self.add_class("suburb-picker")
        self.observe(self._choice_changed, ["value", "endpoint"])
        self.endpoint, self.value = endpoint, (value,) if isinstance(value, str) else tuple(value)
        self._choice_changed()
        self._suggest("", 0)

    def _arranged(self) -> list[Widget]:
        panes = self._panes
        buttons = HBox([self._look_up, self._load, self._bar])
        below = [panes[name] for name in ("alert", "notes", "code", "chart", "table")]
        return [panes["made_up"], self._controls, buttons, *below]

    def __repr__(self) -> str:
        return f"SuburbPicker({list(self.value)!r}, {self.endpoint!r})"

    @traitlets.validate("value")
    def _check_value(self, proposal: Any) -> tuple[str, ...]:
        chosen = tuple(dict.fromkeys(names.check(name) for name in proposal["value"]))
        if len(chosen) > 1 and not self._multiple:
            raise ValueError(f"This picker is for one suburb (multiple=False), not for {len(chosen)}.")
        return chosen

    def _hear(self, message: Any) -> None:
        """Do what the controls ask for."""
        match message:
            case {"seen": str(label)}:
                self._seen = label
            case {"search": str(text), "number": int(number)}:
                self._suggest(text, number)
            case {"pick": str(name)}:
                with self._telling():
                    self.value = (*self.value, name) if self._multiple else (name,)
                    self._controls.said = f"{name} chosen"
            case {"kind": str(kind)}:
                with self._telling():
                    self.endpoint = kind
            case {"remove": str(name)}:
                self.value = tuple(one for one in self.value if one != name)
                self._controls.said = f"{name} removed"

    def _suggest(self, text: str, number: int) -> None:
        """Show what a text may mean, free, and what it would cost to ask the service."""
        with self._telling():
            self._text, self._number = text.strip(), number
            found = lookups.suggest(text, limit=_SUGGESTED, client=self._client)
            self._controls.suggest(number, found)
            self._controls.said = _found(len(found)) if self._text else ""
            self._show_prices()

    def _choice_changed(self, _change: object = None) -> None:
        with self._telling():
            self._controls.chosen, self._controls.kind = list(self.value), self.endpoint
            self._show_prices()

    def _show_prices(self) -> None:
        """Say on the buttons what a press of them would cost."""
        made_up = current(self._client).source == "embedded"
        self._panes["made_up"].value = panes.notes([_MADE_UP] if made_up else [])
        self._load.disabled = self.busy or not self.value
        self._load.description = f"Load: {panes.calls_and_price(self._quote())}" if self.value else "Load"
        look_up = self._quote_look_up()
        self._look_up.disabled = self.busy or look_up is None
        cost = "" if look_up is None else f" “{shorten(self._text, _LONG)}” ({panes.price(look_up)})"
        self._look_up.description = f"Look up{cost}"

    def _quote(self) -> Quote:
        return books.quote(list(self.value), self.endpoint, client=self._client)

    def _quote_look_up(self) -> Quote | None:
        """Say what it costs to ask the service what is typed; None if that is nothing to ask."""
        with suppress(InvalidName):
            return books.quote(self._text, "geocode", client=self._client)
        return None

    def _find(self, _button: Button) -> None:
        """Ask the service what the text means."""
        with self._telling():
            quote = self._quote_look_up()
            if quote is not None:
                self._check_seen(self._look_up, quote)
                with self._working():
                    found = lookups.find(self._text, max_cents=quote.cents, progress=self._watch, client=self._client)
                self._controls.suggest(self._number, found, asked=True)
                self._controls.said = _found(len(found))

    def _fetch(self, _button: Button) -> None:
        """Load what is chosen, and show it; of a request that failed in part, what arrived."""
        with self._telling():
            quote = self._quote()
            self._check_seen(self._load, quote)
            options = Options(max_cents=quote.cents, progress=self._watch, client=self._client)
            with self._working():
                try:
                    frame = _LOADERS[self.endpoint](list(self.value), **options)
                except SuburbError as problem:
                    if problem.frame is None or problem.frame.empty:
                        raise
                    self._show(problem.frame, ', errors="warn"')
                    raise
                self._show(frame)

    def _show(self, frame: pd.DataFrame, how: str = "") -> None:
        """Show a frame, and how to load it again."""
        self.frame = frame
        client = "" if self._client is None else ", client=client"
        self.code = f"sp.{self.endpoint}({list(self.value)!r}{how}{client})"
        self._panes["code"].value = panes.code(self.code)
        self._panes["table"].value = panes.table(frame)
        what = f"{_CHARTS[self.endpoint]} {', '.join(self.value)}"
        try:
            self._panes["chart"].value = panes.picture(plots.as_png(frame), what)
        except ValueError as problem:  # of too many suburbs
            self._panes["chart"].value = panes.notes([str(problem)])
        self._controls.said = f"{counted(len(self.value), 'suburb')} loaded"

    def _check_seen(self, button: Button, quote: Quote) -> None:
        """Let nothing be bought at another price than the button showed when it was pressed."""
        seen, self._seen = self._seen, None
        self._show_prices()
        if quote.cents and seen not in {None, button.description}:
            raise SuburbError(_CHANGED)

    def _watch(self, items: Iterable[Any], total: int) -> Iterator[Any]:
        """Show how far a request is."""
        self._bar.value, self._bar.max = 0, total
        for item in items:
            self._bar.value += 1
            yield item

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Let no button be pressed while the service is asked."""
        self.busy, self._bar.value = True, 0
        self._look_up.disabled = self._load.disabled = True
        self._bar.layout.visibility = "visible"
        try:
            yield
        finally:
            self.busy, self._bar.layout.visibility = False, "hidden"
            self._show_prices()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Show what goes wrong, and what is warned of: of a callback's a notebook shows neither.

        What happens here happens one after the other. JupyterLab has a thread for what widgets send, and cells another.
        """
        with self._lock, heard() as warned:
            self.error = None
            try:
                yield
            except KeyboardInterrupt:
                self.error = _INTERRUPTED
                raise
            except Exception as problem:  # noqa: BLE001 - it is shown
                self.error = f"{type(problem).__name__}: {problem}"
            finally:
                told = [
                    str(one) for one in warned if not isinstance(one, SyntheticDataWarning)
                ]  # as that is always there
                self._panes["alert"].value, self._panes["notes"].value = panes.alert(self.error), panes.notes(told)


def _found(number: int) -> str:
    return f"{counted(number, 'suburb')} found" if number else "No suburb that is known here"


def _spending(label: str, press: Callable[[Button], None]) -> Button:
    """Make a button that may spend. Its class is where the browser finds out what it says when it is pressed."""
    button = Button(description=label, layout={"width": "auto"})
    button.add_class("suburb-spends")
    button.on_click(press)
    return button
