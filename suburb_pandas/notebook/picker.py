"""Defines the suburb picker, with which a user finds suburbs, sees their price, loads them and copies the code.

Owns the reaction to each action of the user. The page is left to page, the choice to choices, the offers on the buttons
to offers, the table and chart of loaded data to result. Only the press of a button buys anything, and for no more than
the price on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import RLock, Thread
from typing import Any, Final

import pandas as pd
import traitlets
from IPython.core.getipython import get_ipython

from suburb_pandas.client.client import Client
from suburb_pandas.client.known_names import EMBEDDED
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import BatchIncomplete, SuburbError, SyntheticDataWarning
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.geocoding import find
from suburb_pandas.loaders import loaders
from suburb_pandas.loaders.options import Options
from suburb_pandas.messages import captured_warnings, counted, listed, users_frame
from suburb_pandas.names import sal
from suburb_pandas.notebook import choices, offers
from suburb_pandas.notebook.choices import Change, Choice
from suburb_pandas.notebook.offers import Note, Offer
from suburb_pandas.notebook.page import KINDS, Page
from suburb_pandas.notebook.result import Look, chart_of, heading_of, line_of, load_of, subject_of, table_of
from suburb_pandas.redaction import redacted
from suburb_pandas.service import ENDPOINTS

_SUGGESTED: Final = 10
_MOST_UNDONE: Final = 100
_LONGEST: Final = 2000  # letters of an error
_MADE_UP: Final = "These suburbs and all their numbers are made up, by the embedded sandbox."
_KEEP: Final = "<p>To keep the chart and the table in a saved notebook, run this line in a cell.</p>"
_CHANGED: Final = (
    "The choice or its price has changed. Nothing was sent. Check the price on the button, then press it again."
)
_CANCELLING: Final = "Cancelling, as soon as a call has ended"
_CANCELLED: Final = (
    "Cancelled: no more calls are sent. Calls that were under way may have been charged, and their responses are "
    "stored. Press the button again for the rest."
)

_numbers = count(1)
"""The numbers of offers, and of pickers that were made in a function."""

_kept: dict[tuple[object, ...], tuple[tuple[str, ...], str]] = {}
"""The last choice in the picker that each cell made, so that a cell that is run again keeps it."""

_made: dict[tuple[object, ...], tuple[object, int]] = {}
"""The last run of each cell that made a picker, and the number of the last picker that its line made in that run."""


class SuburbPicker(Page):
    """Choose suburbs in a notebook, load their data, and see a chart and a table.

    Suggestions come from the names known on this machine and are free. Typing, pasting and choosing buy nothing: the
    service is asked only when ``Load`` or ``Look up`` is pressed, for no more than the price on the button. The price
    is worked out again at the press: if it has risen, nothing is bought and the new price is shown. A button is
    disabled if its price exceeds a limit; after raising the limit, press ``Check the price again``.

    A cell that is run again in the same kernel keeps what a user chose in its picker. In a saved notebook, a picker is
    shown only if the state of widgets was saved with it; ``picker.frame`` in a cell is always saved.

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
        True while a press is handled, which happens on a thread of its own. A trait.
    error : str or None
        The last error, as it is shown. A trait.

    Raises
    ------
    InvalidName
        A value cannot be a suburb name.
    TypeError
        The suburbs are a frame, a mapping or a set.
    ValueError
        There are several names, but only one can be chosen.
    traitlets.TraitError
        ``endpoint`` is neither ``"rent"`` nor ``"impacts"``.

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

    value: traitlets.TraitType[tuple[str, ...], tuple[str, ...]] = traitlets.Tuple(()).tag(sync=True)
    endpoint: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("rent").tag(sync=True)
    frame: traitlets.TraitType[pd.DataFrame | None, pd.DataFrame | None] = traitlets.Instance(
        pd.DataFrame, allow_none=True
    )
    code: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    busy: traitlets.Bool[bool, bool | int] = traitlets.Bool().tag(sync=True)
    error: traitlets.Unicode[str | None, str | bytes | None] = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        value: str | Iterable[str] = (),
        endpoint: str = "rent",
        *,
        multiple: bool = True,
        client: Client | None = None,
    ) -> None:
        super().__init__()
        self._client, self._multiple = client, multiple
        self._client_argument = "" if client is None else ", client=client"
        self._lock = RLock()
        self._earlier: list[Choice] = []
        self._shown: dict[str, tuple[int, Offer]] = {}  # the offer of each button, with its number
        self._taken: set[int] = set()  # the numbers of the offers that were pressed
        self._is_buying = self._is_cancelled = False
        self._look, self._subject = Look(), ""
        self._loaded: tuple[object, ...] | None = None
        self.value, self.endpoint = select_suburbs(value, "sp.SuburbPicker({})", "value").names, endpoint
        self._cell = (*_cell_and_line(), self.value, self.endpoint, multiple)
        self.value, self.endpoint = _kept.get(self._cell, (self.value, self.endpoint))
        self.observe(self._choice_changed, ["value", "endpoint"])
        self._choice_changed()
        self.on_msg(self._hear)

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
        if proposal["value"] not in KINDS:
            raise traitlets.TraitError(f"endpoint must be one of {listed(KINDS)}, not {proposal['value']!r}.")
        return str(proposal["value"])

    def _hear(self, _widget: object, message: Any, _buffers: object) -> None:
        """Handle a message of the page. An error stays visible while the user types."""
        with self._showing():
            match message:
                case {"press": str(name), "offer": int(number), "look": dict(look)}:
                    self._look = Look(**look)
                    self._press(name, number)
                case {"cancel": True}:
                    self._cancel()
                case {"search": str(text)}:
                    self._suggest(text)
                case {"look": dict(look)}:
                    if Look(**look) != self._look:
                        self._draw(Look(**look))
                case {"check_price": True}:
                    self._choice_changed()
                case {"kind": str(kind)}:
                    self.endpoint = kind
                    _kept[self._cell] = self.value, self.endpoint
                case {}:
                    self._choose(message)

    def _cancel(self) -> None:
        """End the request after the calls that are under way."""
        if self._is_buying:
            self._is_cancelled = True
            self._say(_CANCELLING)

    @contextmanager
    def _showing(self) -> Iterator[None]:
        """Show the errors and warnings of the block on the page, because no cell shows them."""
        with captured_warnings() as warned:
            try:
                yield
            except KeyboardInterrupt:
                self.error = _CANCELLED
            except Exception as problem:  # noqa: BLE001 - shown to the user
                self.error = self._in_words(problem)
        # The page always says that data are made up.
        texts = [str(warning) for warning in warned if not isinstance(warning, SyntheticDataWarning)]
        if texts:
            self._warnings += "".join(Note(text).html for text in texts)

    def _in_words(self, problem: Exception) -> str:
        """Return the message of an error without the key."""
        secret = None
        with suppress(SuburbError):  # without a client there is no key
            secret = request_context(self._client).secret
        failures = problem.failures if isinstance(problem, BatchIncomplete) else {}
        text = redacted(str(next(iter(failures.values()), problem)), secret, _LONGEST)
        if len(failures) > 1:
            return f"{counted(len(failures), 'suburb')} failed: {listed(failures, str)}. The first error: {text}"
        if isinstance(problem, SuburbError | ValueError):
            return text
        return f"Something unexpected happened ({type(problem).__name__}: {text}). Look at sp.ledger() for charges."

    def _choose(self, message: Any) -> None:
        """Handle a message that changes the choice, and keep the earlier choice for undo."""
        before = Choice(self.value, tuple(self._unsettled))
        if "undo" in message and self._earlier:
            choice = self._earlier.pop()
            are = "is" if len(choice.names) == 1 else "are"
            change = Change(choice, f"Undone: {counted(len(choice.names), 'suburb')} {are} chosen")
        else:
            change = choices.after(before, message, multiple=self._multiple, client=self._client)
            if change.choice != before:
                self._earlier = [*self._earlier, before][-_MOST_UNDONE:]
        self.value, self._unsettled = change.choice.names, list(change.choice.unsettled)
        _kept[self._cell] = self.value, self.endpoint
        self._can_undo = bool(self._earlier)
        self._say(change.said)
        if change.is_taken and "take" in message:
            self.send({"taken": message["take"]})

    def _suggest(self, text: str) -> None:
        """Show suggestions for a text, which are free, and the price of a look-up."""
        with captured_warnings():  # the advice says the same
            found, total = find.suggestions(text, _SUGGESTED, client=self._client)
        self._advice = choices.why_nothing(self._client).html if text.strip() and not total else ""
        self._suggested = {**self._suggested, **choices.suggestions(text, found, total)}
        self._offer()

    def _choice_changed(self, _change: object = None) -> None:
        """Show the price of the present choice, and remove an error about an earlier one."""
        self.error = None
        again = f"sp.SuburbPicker({list(self.value)!r}, {self.endpoint!r}{self._client_argument})"
        self._again = line_of(again, "Code that opens this picker with this choice") if self.value else ""
        with self._showing():
            self._compare()
            self._offer()

    def _offer(self) -> None:
        """Work out the offers of both buttons, and show them."""
        with self._lock:
            load = look_up = offers.NOT_KNOWN
            if self._is_buying:
                self._show_offers({"load": Offer("Loading"), "look-up": Offer("Look up")})
                return
            try:
                is_made_up = request_context(self._client).source == EMBEDDED
                self._made_up = Note(_MADE_UP).html if is_made_up else ""
                load = offers.to_load(self.endpoint, self.value, self._client)
                look_up = offers.to_look_up(self._suggested["text"].strip(), self._client)
            finally:
                self._show_offers({"load": load, "look-up": look_up})

    def _show_offers(self, new: dict[str, Offer]) -> None:
        """Show offers with their numbers. An equal offer that was not taken keeps its number."""
        for name, offer in new.items():
            number, before = self._shown.get(name, (0, None))
            if offer != before or number in self._taken:
                self._shown[name] = next(_numbers), offer
        notes = dict.fromkeys(note for offer in new.values() for note in offer.notes)
        self._charges = "".join(note.html for note in notes if note.kind != "limits")
        self._limits = "".join(note.html for note in notes if note.kind == "limits")
        self._buttons = {
            name: {"label": offer.label, "offer": number if offer.endpoint else 0}
            for name, (number, offer) in self._shown.items()
        }

    def _press(self, name: str, number: int) -> None:
        """Buy what a button offered, if that offer is still shown and stands. A second press of it is ignored."""
        with self._lock:
            if self._is_buying or number in self._taken:
                return
            self.error = None
            shown, offer = self._shown[name]
            if number != shown or not offer.endpoint or not offer.still_stands(self._client):
                self.error = _CHANGED
                self._offer()
                return
            self._taken.add(number)
            self._is_buying, self._is_cancelled = True, False
        Thread(target=self._buy, args=(number, offer), name="suburb_picker").start()

    def _buy(self, number: int, offer: Offer) -> None:
        """Make the request of an offer, on a thread of its own, so that the page can cancel it."""
        is_look_up = ENDPOINTS[offer.endpoint].takes_a_query
        name = "Looking up" if is_look_up else "Loading"
        try:
            with self._showing():
                self._progress, self._warnings, self.busy = {"name": name}, "", True
                self._say(name)
                self._offer()
                client = request_context(self._client).client
                options = {"max_cents": offer.cents, "progress": self._watch, "client": client}
                if is_look_up:
                    self._find(offer, options, number)
                else:
                    self._fetch(offer, options)
        finally:
            self._progress, self._is_buying = {}, False
            if self._said in {name, _CANCELLING}:  # the alert says how it ended
                self._say("")
            with self._showing():
                self._offer()
                request_context(self._client).store.close_mine()
            with self._showing():
                self.busy = self._is_buying  # the button may have been pressed again

    def _watch(self, items: Iterable[Any], total: int) -> Iterator[Any]:
        """Yield items, show after each how many there were, and interrupt the request if it is cancelled."""
        name = self._progress["name"]
        self._progress = {"name": name, "ended": 0, "total": total}
        for ended, item in enumerate(items, start=1):
            self._progress = {"name": name, "ended": ended, "total": total}
            if self._is_cancelled:
                raise KeyboardInterrupt
            yield item

    def _find(self, offer: Offer, options: dict[str, Any], number: int) -> None:
        """Look up a text, and show the candidates. A new ``look_up`` tells the page that a look-up found them."""
        (text,) = offer.subject
        found = find.find(text, **options)
        self._advice = ""
        self._suggested = choices.suggestions(text, found, len(found)) | {"look_up": number}

    def _fetch(self, offer: Offer, options: dict[str, Any]) -> None:
        """Load suburbs and show them; if the request fails in part, show the data that arrived."""
        loaded = load_of(offer.endpoint, offer.subject, options["client"])
        try:
            frame = loaders.load_frame(offer.endpoint, list(offer.subject), Options(**options))
        except SuburbError as problem:
            if problem.frame is not None and len(problem.frame):
                self._show(problem.frame, offer, loaded, ', errors="warn"')
            raise
        self._show(frame, offer, loaded)

    def _show(self, frame: pd.DataFrame, offer: Offer, loaded: tuple[object, ...], how: str = "") -> None:
        """Show a frame and the line of code that loads it. ``loaded`` identifies the load, as `load_of` does."""
        names = list(offer.subject)
        self._progress, self._chart = {}, ""
        self.code = f"sp.{offer.endpoint}({names!r}{how}{self._client_argument})"
        self._subject, self._loaded = subject_of(frame, names), loaded
        self._line = line_of(self.code, "Code that loads this frame again") + _KEEP
        self._compare()
        self._say(f"{counted(frame['area_name'].nunique(), 'suburb')} loaded")
        self.frame = frame
        self._draw(self._look)

    def _compare(self) -> None:
        """Mark the result as an earlier one, unless the present choice would load the same."""
        if self._loaded is not None:
            self._is_current = self._loaded == load_of(self.endpoint, self.value, self._client)
            self._heading = heading_of(self._subject, is_current=self._is_current)

    def _draw(self, look: Look) -> None:
        """Write the table of the frame, and draw its chart for the look of the page."""
        self._look = look
        if self.frame is not None:
            self._table = table_of(self.frame, self._subject)
            self._chart = chart_of(self.frame, self._subject, look)


def _cell_and_line() -> tuple[object, ...]:
    """Return the cell and line that make a picker, and its number among those that the line makes in this run.

    A picker that is made in a function gets a number of its own.
    """
    frame = users_frame()
    if not frame.f_code.co_name.startswith(("<module", "<cell line")):
        return (next(_numbers),)
    request: dict[str, Any] = getattr(get_ipython(), "get_parent", dict)()
    place = request.get("metadata", {}).get("cellId"), frame.f_code.co_filename, frame.f_lineno
    run = request.get("header", {}).get("msg_id")
    last_run, number = _made.get(place, (None, 0))
    _made[place] = run, number + 1 if run and run == last_run else 0
    return *place, _made[place][1]
