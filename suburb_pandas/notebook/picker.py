"""Defines the suburb picker: find suburbs, see their price, load them, and copy the line of code.

Owns the reaction to each user action. The controls are left to controls, the buttons to priced_button, the words about
a price to price, and the loaded data to result. Only the press of a button buys anything, and for no more than the
price on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

import pandas as pd
import traitlets
from ipywidgets import HTML, HBox

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.geocoding import find, pasted
from suburb_pandas.loaders import loaders
from suburb_pandas.loaders.options import Options
from suburb_pandas.messages import captured_warnings, counted, listed
from suburb_pandas.names import sal
from suburb_pandas.notebook import advice, html, price
from suburb_pandas.notebook.alerts import Alerts, RefusedError
from suburb_pandas.notebook.controls import Controls
from suburb_pandas.notebook.priced_button import Offer, PricedButton
from suburb_pandas.notebook.progress import Progress
from suburb_pandas.notebook.result.pane import Loaded, Result
from suburb_pandas.notebook.result.saved import SavedOutput
from suburb_pandas.notebook.widgets import VBox, widgets_in
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.settings import Key

_SUGGESTED: Final = 10
_MOST_UNDONE: Final = 100
_UNDO: Final = {"undo": True}
_MADE_UP: Final = "These suburbs and all their numbers are made up, by the embedded sandbox."
_CHANGED: Final = (
    "The choice or its price has changed. Nothing was sent. Check the price on the button, then press it again."
)


class SuburbPicker(VBox):
    """Choose suburbs in a notebook, load their data, and see a chart and a table.

    Suggestions come from the names known on this machine and are free. Typing, pasting and choosing buy nothing: the
    service is asked only when ``Load`` or ``Look up`` is pressed, for no more than the price on the button. The price
    is worked out again at the press: if it has risen, nothing is bought and the new price is shown. A button is
    disabled if its price exceeds a limit; after raising the limit, press ``Check the price again``.

    A saved notebook that is opened without a kernel shows the last loaded table and its line of code.

    Parameters
    ----------
    value
        The suburbs that are chosen at first: exact ABS SAL names, one or many.
    endpoint
        The data to load: ``"rent"`` or ``"impacts"``.
    multiple
        True if several suburbs can be chosen.
    client
        The client to use instead of the default one. In ``code`` it is called ``client``.

    Attributes
    ----------
    value : tuple of str
        The suburbs that are chosen. This is a trait: code can set it and observe it.
    endpoint : str
        The data to load. A trait.
    frame : DataFrame or None
        The frame that was loaded last, as :func:`rent` or :func:`impacts` returns it for a list of names. A trait.
    code : str
        The line that loads that frame again. A trait.
    busy : bool
        True while a press is handled. A trait.
    error : str or None
        The last error, as it is shown. A trait.

    Raises
    ------
    InvalidName
        A value is not a name.
    ValueError
        Several names, but only one can be chosen.

    See Also
    --------
    suggest : Names similar to a text, free.
    rent : The rent history of suburbs.
    quote : The cost of a request, worked out without a call.

    Examples
    --------
    >>> picker = sp.SuburbPicker(["Quokka Bay"])
    >>> picker.value
    ('Quokka Bay',)
    """

    value: traitlets.TraitType[tuple[str, ...], tuple[str, ...]] = traitlets.Tuple(())
    endpoint: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("rent")
    frame: traitlets.TraitType[pd.DataFrame | None, pd.DataFrame | None] = traitlets.Instance(
        pd.DataFrame, allow_none=True
    )
    code: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("")
    busy: traitlets.Bool[bool, bool | int] = traitlets.Bool(default_value=False)
    error: traitlets.Unicode[str | None, str | bytes | None] = traitlets.Unicode(None, allow_none=True)

    def __init__(
        self,
        value: str | Iterable[str] = (),
        endpoint: str = "rent",
        *,
        multiple: bool = True,
        client: Client | None = None,
    ) -> None:
        self._client, self._multiple = client, multiple
        self._lock = RLock()
        self._earlier: list[tuple[tuple[str, ...], list[dict[str, Any]]]] = []  # values and unsettled names, for undo
        self._controls = Controls(self._hear, {endpoint.name: endpoint.title for endpoint in _loadable_endpoints()})
        self._load, self._look_up = PricedButton("load", self._fetch), PricedButton("look-up", self._find)
        self._load.button_style = "primary"
        self._progress, self._result, self._saved = Progress(), Result(), SavedOutput()
        self._alerts = Alerts(self._secret)
        self._made_up, buttons = HTML(), HBox([self._load, self._look_up])
        buttons.add_class("suburb-buttons")
        parts = [self._made_up, self._controls, buttons, self._progress, self._alerts, self._result]
        super().__init__(children=parts)
        self.add_class("suburb-picker")
        traitlets.dlink((self._alerts, "error"), (self, "error"))
        self.endpoint, self.value = endpoint, select_suburbs(value, "sp.SuburbPicker({})", "value").names
        self.observe(self._choice_changed, ["value", "endpoint"])
        self._choice_changed()

    def __repr__(self) -> str:
        return f"SuburbPicker({list(self.value)!r}, {self.endpoint!r})"

    def close(self) -> None:
        """Close the picker and the widgets in it."""
        for part in widgets_in(self):
            part.close()
        super().close()

    def _ipython_display_(self, **_options: Any) -> None:
        """Display the picker, and below it the output that replaces it in a saved notebook."""
        self._saved.show(self._repr_mimebundle_(), repr(self))

    @traitlets.validate("value")
    def _check_value(self, proposal: Any) -> tuple[str, ...]:
        chosen = tuple(dict.fromkeys(sal.check(name) for name in proposal["value"]))
        if len(chosen) > 1 and not self._multiple:
            raise ValueError(f"This picker is for one suburb (multiple=False), not for {len(chosen)}.")
        return chosen

    @traitlets.validate("endpoint")
    def _check_endpoint(self, proposal: Any) -> str:
        known = [endpoint.name for endpoint in _loadable_endpoints()]
        if proposal["value"] not in known:
            raise traitlets.TraitError(f"endpoint must be one of {listed(known)}, not {proposal['value']!r}.")
        return str(proposal["value"])

    def _hear(self, message: Any) -> None:
        """Handle a message from the controls."""
        match message:
            case {"press": "load", "offer": int(number), "seen": str(label)}:
                self._load.press(number, label)
            case {"press": "look-up", "offer": int(number), "seen": str(label)}:
                self._look_up.press(number, label)
            case {"search": str(text), "number": str(number)}:
                self._suggest(text, number)
            case {"background": str(colour), "narrow": bool(is_narrow)}:
                with self._alerts.showing(clear=False):
                    self._result.draw_on(colour, is_narrow=is_narrow)
            case {"check_price": True}:
                self._choice_changed()
            case {"kind": str(kind)}:
                with self._alerts.showing():
                    self.endpoint = kind
            case _:
                self._choose(message)

    @property
    def _choice(self) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        """The suburbs that are chosen, and the names that are not settled."""
        return self.value, self._controls.unsettled

    def _choose(self, message: Any) -> None:
        """Handle a message from the controls that changes the choice, and keep the earlier choice for undo."""
        before = self._choice
        with self._alerts.showing():
            self._change_choice(message)
        if self._choice != before and message != _UNDO:
            self._earlier = [*self._earlier, before][-_MOST_UNDONE:]
        self._controls.can_undo = bool(self._earlier)

    def _change_choice(self, message: Any) -> None:
        match message:
            case {"pick": str(name)}:
                self._add([name])
            case {"take": str(text)}:
                self._take(text)
            case {"paste": str(text)}:
                self._add_settled(pasted.settle(text, client=self._client))
            case {"settle": str(text), "name": str(name)}:
                self._dismiss(lambda one: one["text"] == text)
                self._add([name])
            case {"dismiss": str(text)}:
                self._dismiss(lambda one: one["text"] == text)
            case {"dismiss_all": True}:
                self._dismiss(lambda _: True)
            case {"remove": str(name)}:
                self.value = tuple(chosen for chosen in self.value if chosen != name)
                self._controls.say(f"{name} removed")
            case {"remove_all": True}:
                self._controls.say(f"{counted(len(self.value), 'suburb')} removed")
                self.value = ()
            case {"undo": True} if self._earlier:
                self.value, self._controls.unsettled = self._earlier.pop()
                are = "is" if len(self.value) == 1 else "are"
                self._controls.say(f"Undone: {counted(len(self.value), 'suburb')} {are} chosen")

    def _add(self, names: list[str]) -> None:
        """Add suburbs to those that are chosen; in a picker for one suburb, choose the only one given instead."""
        if len(names) > 1 and not self._multiple:
            raise RefusedError(f"This picker is for one suburb, and {len(names)} were given. Nothing was changed.")
        self.value = (*self.value, *names) if self._multiple else tuple(names)
        self._controls.say(f"{names[0]} chosen" if len(names) == 1 else f"{len(names)} suburbs added")

    def _take(self, text: str) -> None:
        """Choose the suburbs that a typed text names. If the text is not a name, the suggestions stay open."""
        found = pasted.settle(text, client=self._client)
        if not found.names and len(found.unsettled) == 1 and not found.unsettled[0].can_be_taken:
            (one,) = found.unsettled
            then = "; choose one of the suggestions" if one.candidates else ""
            self._controls.say(f"{html.quoted(one.text)}: {one.why}{then}")
        else:
            self._add_settled(found)
            self._controls.clear(text)

    def _add_settled(self, found: pasted.Pasted) -> None:
        """Add the names that are settled, and list the others until they are settled or dismissed."""
        if found.names:
            self._add(list(found.names))
        if found.unsettled:
            need = "needs" if len(found.unsettled) == 1 else "need"
            checking = f"{counted(len(found.unsettled), 'name')} {need} checking"
            self._controls.say(f"{self._controls.said}; {checking}" if found.names else checking)
        waiting = {one["text"]: one for one in self._controls.unsettled}
        waiting |= {one.text: one._asdict() | {"candidates": list(one.candidates)} for one in found.unsettled}
        self._controls.unsettled = list(waiting.values())

    def _dismiss(self, is_meant: Callable[[dict[str, Any]], bool]) -> None:
        kept = [one for one in self._controls.unsettled if not is_meant(one)]
        self._controls.say(f"{counted(len(self._controls.unsettled) - len(kept), 'name')} dismissed")
        self._controls.unsettled = kept

    def _suggest(self, text: str, number: str) -> None:
        """Show suggestions for a text, free. The error of the last press stays visible."""
        with self._alerts.showing(clear=False):
            self._controls.text = text
            with captured_warnings():  # the advice says the same
                found, total = find.suggestions(text, _SUGGESTED, client=self._client)
            is_nothing = text.strip() and not total
            why = advice.why_nothing(text, client=self._client) if is_nothing else []
            self._controls.advice = [one._asdict() for one in why]
            self._controls.answer_with(found, text, number, total=total)
            self._offer()

    def _choice_changed(self, _change: object = None) -> None:
        with self._alerts.showing():
            self._controls.chosen, self._controls.kind = list(self.value), self.endpoint
            self._result.compare(self._wanted)
            self._offer()

    @property
    def _wanted(self) -> Loaded:
        """The data that a load would bring now."""
        return Loaded(request_context(self._client).namespace, self.endpoint, self.value)

    def _secret(self) -> Key | None:
        """Return the key of the client, if there is one and the client can be made."""
        try:
            return request_context(self._client).secret
        except SuburbError:
            return None

    def _offer(self) -> None:
        """Update the labels, the prices and the notes. A button is enabled after the page knows its offer."""
        with self._lock, self._load.hold_sync(), self._look_up.hold_sync():
            try:
                self._update_buttons()
            finally:
                self._controls.offers = {"load": self._load.number, "look-up": self._look_up.number}

    def _update_buttons(self) -> None:
        made_up = request_context(self._client).source == "embedded"
        self._made_up.value = html.notes([_MADE_UP] if made_up else [])
        if self.busy:
            self._load.say("Loading")
            self._look_up.say("Look up")
            return
        load, look_up = price.not_known("Load"), price.not_known("Look up")
        try:
            load = price.to_load(self.endpoint, self.value, self._client)
            look_up = price.to_look_up(self._controls.text.strip(), self._client)
        finally:
            self._load.show(load.label, load.offer)
            self._look_up.show(look_up.label, look_up.offer)
            notes = dict.fromkeys((*load.notes, *look_up.notes))
            self._controls.price = [note._asdict() for note in notes]

    def _find(self, offer: Offer | None) -> None:
        """Look up the text of an offer with the service."""
        with self._alerts.showing(), self._working(offer) as ((_, text), options):
            found = find.find(text, **options)
            self._controls.advice = []
            self._controls.answer_with(found, text)

    def _fetch(self, offer: Offer | None) -> None:
        """Load the chosen suburbs and show them; if the request fails in part, show the data that arrived."""
        with self._alerts.showing(), self._working(offer) as ((endpoint, *suburbs), options):
            self._alerts.clear_notes()
            try:
                frame = loaders.load_frame(endpoint, suburbs, Options(**options))
            except SuburbError as problem:
                if problem.frame is not None and len(problem.frame):
                    self._show(problem.frame, endpoint, suburbs, ', errors="warn"')
                raise
            self._show(frame, endpoint, suburbs)

    def _show(self, frame: pd.DataFrame, endpoint: str, suburbs: list[str], how: str = "") -> None:
        """Show a frame, and the code that loads it again."""
        client = "" if self._client is None else ", client=client"
        code = f"sp.{endpoint}({suburbs!r}{how}{client})"
        self._result.show(frame, Loaded(request_context(self._client).namespace, endpoint, tuple(suburbs)), code)
        self._result.compare(self._wanted)
        self._saved.update(code, frame)
        self._controls.say(f"{counted(frame['area_name'].nunique(), 'suburb')} loaded")
        self.code, self.frame = code, frame
        self._result.draw()

    @contextmanager
    def _working(self, offer: Offer | None) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
        """Yield the subject of a valid offer and the options for its request. Afterwards update the buttons.

        Raises
        ------
        RefusedError
            The offer is no longer valid: it was withdrawn, its price has risen or exceeds a limit, or another press is
            being handled.
        """
        is_own, name = False, ""  # is_own: True if this press, and not another one, has set `busy`
        try:
            context = request_context(self._client)
            with self._lock:
                if self.busy or offer is None or not price.is_valid(offer, self._client):
                    raise RefusedError(_CHANGED)
                is_own = True
                self.busy = True
            name = "Looking up" if ENDPOINTS[offer.subject[0]].takes_a_query else "Loading"
            self._progress.begin(name)
            self._controls.say(name)
            self._offer()
            options = {"max_cents": offer.cents, "progress": self._progress.watch, "client": context.client}
            yield offer.subject, options
        finally:
            if is_own or not self.busy:
                self._progress.end()
            if is_own and self._controls.said == name:  # the alert says how it ended
                self._controls.say("")
            try:
                self.busy = self.busy and not is_own
            finally:  # also if an observer of the trait raises an error
                self._offer()


def _loadable_endpoints() -> list[Endpoint]:
    """Return the endpoints whose data can be loaded: those about suburbs."""
    return [endpoint for endpoint in ENDPOINTS.values() if not endpoint.takes_a_query]
