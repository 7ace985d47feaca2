"""Defines the suburb picker: find suburbs, see their price, load them, and copy the line of code.

Owns the reaction to each user action. The controls are left to controls, the buttons to priced_button, the HTML to
html. Only the press of a button buys anything, and for no more than the price on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any, Final

import pandas as pd
import traitlets
from ipywidgets import HTML, HBox, IntProgress

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import InvalidName, SuburbError, SyntheticDataWarning
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.geocoding import find
from suburb_pandas.loaders import ledger, loaders
from suburb_pandas.loaders.options import read_options
from suburb_pandas.messages import captured_warnings, counted, listed
from suburb_pandas.names import sal
from suburb_pandas.notebook import html
from suburb_pandas.notebook.controls import Controls
from suburb_pandas.notebook.priced_button import Offer, PricedButton
from suburb_pandas.notebook.widgets import VBox
from suburb_pandas.plotting import plots
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.endpoint import Endpoint

_SUGGESTED: Final = 10
_MADE_UP: Final = "These suburbs and all their numbers are made up, by the embedded sandbox."
_CHANGED: Final = "What is chosen, or its price, has changed. Nothing was sent; look at the button, and press it again."
_INTERRUPTED: Final = "Interrupted. What had arrived is stored; press again for the rest."


class _ChangedError(Exception):
    """The offer on the pressed button is no longer valid."""


class SuburbPicker(VBox):
    """Pick suburbs in a notebook, load their rents or amenity price impacts, and see a chart and a table.

    Suggestions come from the names known on this machine, free. Nothing is bought by typing or choosing: the service is
    asked only when ``Look up`` or ``Load`` is pressed, for no more than the cents on the button.

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
        The suburbs that are chosen. A trait: it can be set, and observed.
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
        self._controls = Controls(self._hear, {endpoint.name: endpoint.title for endpoint in _loadable_endpoints()})
        self._look_up, self._load = PricedButton("look-up", self._find), PricedButton("load", self._fetch)
        self._bar = IntProgress(layout={"visibility": "hidden"})
        self._panes = {name: HTML() for name in ("made_up", "advice", "alert", "notes", "code", "chart", "table")}
        made_up, *below = self._panes.values()
        super().__init__(children=[made_up, self._controls, HBox([self._look_up, self._load, self._bar]), *below])
        self.add_class("suburb-picker")
        self.observe(self._choice_changed, ["value", "endpoint"])
        self.endpoint, self.value = endpoint, select_suburbs(value, "sp.SuburbPicker({})", "value").names
        self._choice_changed()

    def __repr__(self) -> str:
        return f"SuburbPicker({list(self.value)!r}, {self.endpoint!r})"

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
            raise traitlets.TraitError(f"endpoint is one of {listed(known)}, not {proposal['value']!r}.")
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
            case {"pick": str(name)}:
                with self._showing_problems():
                    self.value = (*self.value, name) if self._multiple else (name,)
                    self._controls.said = f"{name} chosen"
            case {"remove": str(name)}:
                with self._showing_problems():
                    self.value = tuple(chosen for chosen in self.value if chosen != name)
                    self._controls.said = f"{name} removed"
            case {"kind": str(kind)}:
                with self._showing_problems():
                    self.endpoint = kind

    def _suggest(self, text: str, number: str) -> None:
        """Show suggestions for a text, free. The error of the last press stays visible."""
        with self._showing_problems(clear=False):
            self._controls.text = text
            with captured_warnings() as warned:  # apart from those of the last press, which stay visible
                found = find.suggest(text, limit=_SUGGESTED, client=self._client)
            advice = [str(one) for one in warned if not isinstance(one, SyntheticDataWarning)]
            self._panes["advice"].value = html.notes(advice)
            self._controls.answer_with(found, text, number)
            self._offer()

    def _choice_changed(self, _change: object = None) -> None:
        with self._showing_problems():
            self._controls.chosen, self._controls.kind = list(self.value), self.endpoint
            self._offer()

    def _offer(self) -> None:
        """Update the label and the price of each button."""
        with self._lock:
            try:
                self._update_buttons()
            finally:
                self._controls.offers = {"load": self._load.number, "look-up": self._look_up.number}

    def _update_buttons(self) -> None:
        made_up = request_context(self._client).source == "embedded"
        self._panes["made_up"].value = html.notes([_MADE_UP] if made_up else [])
        if self.busy:
            self._load.say("Loading")
            self._look_up.say("Look up")
        else:
            self._offer_load()
            self._offer_look_up()

    def _offer_load(self) -> None:
        chosen = (self.endpoint, *self.value)
        if not self.value:
            self._load.show("Load", None)
            return
        try:
            quote = self._quote(chosen)
        except SuburbError:
            self._load.show("Load: price not known", Offer(chosen, 0))  # a press loads only if it turns out to be free
            raise
        self._load.show(f"Load: {html.calls_and_price(quote)}", Offer(chosen, quote.cents))

    def _offer_look_up(self) -> None:
        text = self._controls.text.strip()
        with suppress(InvalidName):  # a text that cannot be looked up, such as an empty one
            quote = self._quote(("geocode", text))
            self._look_up.show(
                f"Look up {html.quoted(text)} ({html.price(quote)})", Offer(("geocode", text), quote.cents)
            )
            return
        self._look_up.show("Look up", None)

    def _quote(self, subject: tuple[str, ...]) -> Quote:
        endpoint, *suburbs = subject
        return ledger.quote(suburbs, endpoint, client=self._client)

    def _find(self, offer: Offer | None) -> None:
        """Look up the text of an offer with the service."""
        with self._showing_problems(), self._working(offer) as ((_, text), options):
            self._controls.answer_with(find.find(text, **options), text)

    def _fetch(self, offer: Offer | None) -> None:
        """Load the chosen suburbs and show them; if the request fails in part, show what arrived."""
        with self._showing_problems(), self._working(offer) as ((endpoint, *suburbs), options):
            self._panes["notes"].value = ""
            try:
                frame = loaders.load_frame(endpoint, suburbs, read_options(**options))
            except SuburbError as problem:
                if problem.frame is not None and len(problem.frame):
                    self._show(problem.frame, endpoint, suburbs, ', errors="warn"')
                raise
            self._show(frame, endpoint, suburbs)

    def _show(self, frame: pd.DataFrame, endpoint: str, suburbs: list[str], how: str = "") -> None:
        """Show a frame, and the code that loads it again."""
        client = "" if self._client is None else ", client=client"
        code = f"sp.{endpoint}({suburbs!r}{how}{client})"
        self._panes["code"].value, self._panes["table"].value = html.code(code), html.table(frame)
        self._panes["chart"].value = ""
        self._controls.said = f"{counted(len(suburbs), 'suburb')} loaded"
        self.code, self.frame = code, frame
        try:
            chart = html.picture(plots.as_png(frame), f"Chart of the {_in_sentence(endpoint)} of {', '.join(suburbs)}")
        except ValueError as problem:  # there are too many suburbs for a chart; the message says so
            chart = html.notes([str(problem)])
        self._panes["chart"].value = chart

    def _watch(self, items: Iterable[Any], total: int) -> Iterator[Any]:
        """Show the progress of a request."""
        self._bar.value, self._bar.max = 0, total
        for item in items:
            self._bar.value += 1
            yield item

    @contextmanager
    def _working(self, offer: Offer | None) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
        """Yield the subject of a valid offer and the options for its request. Afterwards update the buttons.

        Raises
        ------
        _ChangedError
            The offer is no longer valid: it was withdrawn, now costs more, or another press is being handled.
        """
        is_own = False  # True if this press, and not another one, has set `busy`
        try:
            context = request_context(self._client)
            with self._lock:
                if self.busy or offer is None or self._quote(offer.subject).cents > offer.cents:
                    raise _ChangedError(_CHANGED)
                is_own = True
                self.busy = True
            self._bar.value, self._bar.layout.visibility = 0, "visible"
            self._offer()
            # Above the client's own cap none is given, so that the error names that cap: there is no call to change.
            cap = offer.cents if offer.cents <= context.settings.max_cents else None
            yield offer.subject, {"max_cents": cap, "progress": self._watch, "client": context.client}
        finally:
            self._bar.layout.visibility = "visible" if self.busy and not is_own else "hidden"
            try:
                self.busy = self.busy and not is_own
            finally:  # also if an observer of the trait raises an error
                self._offer()

    @contextmanager
    def _showing_problems(self, *, clear: bool = True) -> Iterator[None]:
        """Show the errors and warnings of the block, because a notebook shows neither for a callback.

        The last error is cleared first if ``clear``.
        """
        if clear:
            self._show_error(None)
        with captured_warnings() as warned:
            try:
                yield
            except KeyboardInterrupt:
                self._show_error(_INTERRUPTED)
                raise
            except _ChangedError as problem:
                self._show_error(str(problem))
            except Exception as problem:  # noqa: BLE001 - shown to the user
                self._show_error(f"{type(problem).__name__}: {problem}")
        # A pane of its own always says that data are made up.
        texts = [str(warning) for warning in warned if not isinstance(warning, SyntheticDataWarning)]
        if texts:
            self._panes["notes"].value = html.notes(texts)

    def _show_error(self, error: str | None) -> None:
        self._panes["alert"].value = html.alert(error)
        self.error = error


def _loadable_endpoints() -> list[Endpoint]:
    """Return the endpoints whose data can be loaded: those about suburbs."""
    return [endpoint for endpoint in ENDPOINTS.values() if not endpoint.takes_a_query]


def _in_sentence(endpoint: str) -> str:
    """Return the title of an endpoint's data as it stands in the middle of a sentence."""
    title = ENDPOINTS[endpoint].title
    return f"{title[0].lower()}{title[1:]}"
