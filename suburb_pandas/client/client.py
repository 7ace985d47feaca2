"""A client: one set of settings with the store, the connections and, where it is due, the sandbox that go with them.

Owns the lifetimes, and which client is the default one. Each part is opened when it is first needed, so that making
a client, or asking the store, never opens a connection. Buying is purchase's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from suburb_pandas import settings as _settings
from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client import provenance_log
from suburb_pandas.client.recording import RecordedStore, StoreBehindCassette
from suburb_pandas.concurrency.forks import gate
from suburb_pandas.errors import SettingsError, SuburbError, SyntheticDataWarning
from suburb_pandas.messages import html_card, is_captured, text_card, warn
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import Item, Namespace, RecordedInteraction, Response
from suburb_pandas.service.protocols import ResponseSource
from suburb_pandas.settings import Key, Settings, Source, sealed
from suburb_pandas.store.store import Store

if TYPE_CHECKING:
    from suburb_pandas.http.transport import Transport


@dataclass(slots=True)
class _State:
    """What a client has opened, and what has happened since."""

    store: Store | None = None
    transports: dict[int, Transport] = field(default_factory=dict)
    sandbox_url: str | None = None
    has_warned: bool = False
    spent: int = 0


class Client:
    """Where data come from, where they are kept, and what may be spent.

    Without a key and a URL the data come from the embedded sandbox, whose suburbs are made up, and the first call
    warns of it.

    Parameters
    ----------
    api_key
        The service's key; ``"test"`` for its free sandbox; ``"embedded"`` for the package's own, without a
        warning; else ``SUBURB_API_KEY``.
    base_url
        The service's address; else ``SUBURB_BASE_URL``, else the live service where there is a key.
    store
        The file that keeps what was bought; else ``SUBURB_STORE``, else a file in the user's data folder.
        ``":memory:"`` is a private temporary file, removed on close.
    max_cents
        The most that one request may cost, in cents; else ``SUBURB_MAX_CENTS``, else 2000.
    budget_cents
        The most that the store may spend in a UTC calendar month, in cents; else ``SUBURB_BUDGET_CENTS``,
        else 5000.
    max_workers
        How many calls may be under way at once; 8 by default.
    timeout
        Seconds that a call may take, all of it, once there is a connection; 30 by default. Looking the host up, and
        trying each of its addresses, may take as long again; nothing is sent if that is too long.
    proxies, verify
        As in requests; by default as the environment says.

    Raises
    ------
    SettingsError
        A setting cannot be used, or the key would travel in the clear.

    Examples
    --------
    >>> with sp.Client(api_key="embedded") as client:
    ...     sp.rent("Lantern Bay (NSW)", client=client).columns.to_list()
    ['house', 'unit']
    """

    def __init__(
        self,
        *,
        api_key: str | Key | None = None,
        base_url: str | None = None,
        store: str | PathLike[str] | None = None,
        max_cents: int | None = None,
        budget_cents: int | None = None,
        max_workers: int | None = None,
        timeout: float | None = None,
        proxies: Mapping[str, str] | None = None,
        verify: bool | str | None = None,
    ) -> None:
        api_key = sealed(api_key)
        self.settings: Settings = _settings.resolve(
            api_key=api_key,
            base_url=base_url,
            store=store,
            max_cents=max_cents,
            budget_cents=budget_cents,
            max_workers=max_workers,
            timeout=timeout,
            proxies=proxies,
            verify=verify,
        )
        self._locks = {os.getpid(): threading.Lock()}
        self._cassette: Cassette | None = None
        self._original: Client | None = None  # of one at a cassette: held, so that nobody else gets its id
        self.born = provenance_log.moment()
        self._state = _State()
        self._parts = ExitStack()
        self._close = weakref.finalize(self, _close_in, os.getpid(), self._parts)

    @property
    def source(self) -> Source:
        """``embedded``, ``sandbox`` or ``live``; while a cassette is replayed, what that was recorded from."""
        return (self.replayed and self.replayed.source) or self.settings.source

    @property
    def pays(self) -> bool:
        """Whether calls cost anything, and so meet cap and budget; in replay, whether they would or did."""
        return self.settings.pays or self.source == "live"

    @property
    def secret(self) -> Key | None:
        """The key, where it is one to keep from others."""
        return self.settings.api_key if self.settings.pays else None

    @property
    def would_mix(self) -> bool:
        """Whether made-up answers would go onto a cassette of real ones, as of somebody who has no key."""
        return self.settings.source == "embedded" and self._cassette is not None and self._cassette.is_real

    @property
    def cassette(self) -> Cassette | None:
        """The cassette that is in use, if one is."""
        return self._cassette

    @property
    def replayed(self) -> Cassette | None:
        """The cassette that is replayed, if one is: it alone answers."""
        return self._cassette if self._cassette and self._cassette.replays else None

    @property
    def kept(self) -> ResponseSource:
        """What a request is answered from without a call: the store, unless a cassette is replayed."""
        return self.replayed or self.store

    @property
    def namespace(self) -> Namespace:
        """Where this client's responses are filed; those of its own sandbox by the version of its data."""
        if self.settings.base_url:
            return Namespace(self.settings.source, self.settings.base_url)
        from suburb_pandas.sandbox import DATA_VERSION  # noqa: PLC0415 - only who has no key needs it

        return Namespace(self.settings.source, f"{wire.MADE_UP_URL}/{DATA_VERSION}")

    @property
    def store(self) -> Store:
        """The store, opened at first use."""
        with self._own_lock():
            self._check_open()
            state = self._state
            if state.store is None:
                state.store = Store(self._store_path())
                self._parts.callback(state.store.close)
        if self._cassette is None or self.replayed:
            return state.store
        kind = StoreBehindCassette if self._cassette.record == "new_episodes" else RecordedStore
        return kind(state.store, self._cassette, self.record)

    @property
    def transport(self) -> Transport:
        """The connections, opened at first use, and with them the client's own sandbox where it is meant.

        For purchase alone: a call made past it is in no ledger.
        """
        # A process that is forked off while a module is imported here would wait for it for ever.
        with self._own_lock(), gate.inside():
            from suburb_pandas.http.transport import Transport  # noqa: PLC0415 - requests is not needed before the first call

            self._check_open()
            process = os.getpid()  # sockets must not be shared with a process that was forked off
            transports = self._state.transports
            if process not in transports:
                url = self.settings.base_url or self._state.sandbox_url or self._start_sandbox()
                transports[process] = Transport(self.settings, url)
                self._parts.callback(transports[process].close)
            return transports[process]

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return not self._close.alive

    def say_if_made_up(self) -> None:
        """Warn, once, that nobody gave a key and the suburbs are therefore made up."""
        if (
            self._state.has_warned
            or self.replayed
            or self.would_mix
            or self.source != "embedded"
            or self.settings.was_given("api_key")
        ):
            return
        self._state.has_warned = not is_captured()
        warn(
            "There is no API key, so the suburbs and all their numbers are made up, by the embedded sandbox. "
            'sp.connect(api_key="test") gives nine real suburbs, free; a key of your own gives all; and '
            'sp.connect(api_key="embedded") says that made-up ones are meant.',
            SyntheticDataWarning,
        )

    def note_spent(self, cents: int) -> None:
        """Count what a call was charged, or may have been. The ledger is what counts; this is for the repr."""
        with self._own_lock():
            self._state.spent += cents

    def record(self, item: Item, response: Response, status: int = 200) -> None:
        """Have the cassette that is in use keep what came, if one records.

        Raises
        ------
        CassetteError
            It cannot.
        """
        if self._cassette is not None and not self.replayed:
            self._cassette.add(RecordedInteraction(item, status, response), self.namespace.base_url, self.secret)

    def at(self, cassette: Cassette) -> Client:
        """Give this client as it is while a cassette is in use, each time the same one."""
        with self._own_lock():
            if id(self) not in cassette.clients:
                cassette.clients[id(self)] = client = copy(self)
                vars(client).update(_cassette=cassette, _original=self)
            found: Client = cassette.clients[id(self)]
            return found

    def close(self) -> None:
        """Close the connections, the store and the sandbox. What was bought stays in the store."""
        with self._own_lock():
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return text_card("Client", self._lines())

    def _repr_html_(self) -> str:
        return html_card("Client", self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        """Label and value of each line that there is something to say in."""
        if not hasattr(self, "settings"):
            return [("settings", "none: they could not be used")]
        settings = self.settings
        return [
            ("source", f"{self.source}, {settings.base_url or 'its own sandbox of made-up suburbs'}"),
            ("limits", f"at most {settings.max_cents} cents a request, {settings.budget_cents} a month"),
            ("ledger", f"spent {self._state.spent} cents this session{self._spent_this_month()}"),
            *([("closed", "make another with sp.connect()")] if self.closed else []),
        ]

    def _spent_this_month(self) -> str:
        """What the store has spent, as far as can be told without making one."""
        file = self._own_file()
        try:
            if self._state.store is None and (file is None or not file.exists()):
                return ", 0 this month"
            return f", {self.store.spent()} this month"
        except (SuburbError, OSError):
            return ""

    def _own_lock(self) -> threading.Lock:
        """Give this process's lock: after a fork, the parent's may be held by a thread that is not here."""
        return self._locks.setdefault(os.getpid(), threading.Lock())

    def _check_open(self) -> None:
        if self.closed:
            raise SettingsError("This client is closed. Nothing was sent; make another with sp.connect().")

    def _store_path(self) -> Path:
        file = self._own_file()
        if file is not None:
            return file
        folder = tempfile.mkdtemp(prefix="suburb_pandas-")
        self._parts.callback(shutil.rmtree, folder, ignore_errors=True)
        return Path(folder, "store.sqlite")

    def _own_file(self) -> Path | None:
        """Where the store is that stays, None for a temporary one."""
        path = self.settings.store
        if path == _settings.IN_MEMORY or (path is None and self.settings.source == "embedded"):
            return None
        if path is not None:
            return Path(path)
        from platformdirs import user_data_path  # noqa: PLC0415 - only who names no store needs it

        return user_data_path("suburb_pandas", appauthor=False) / "store.sqlite"

    def _start_sandbox(self) -> str:
        from suburb_pandas.sandbox import serve  # noqa: PLC0415 - brings Werkzeug, which who has a key never needs

        sandbox = serve()
        self._parts.callback(sandbox.close)
        self._state.sandbox_url = sandbox.url
        return sandbox.url


def _close_in(process: int, parts: ExitStack) -> None:
    """Close what a client opened, but not from a process that was forked off: there it is somebody else's."""
    if os.getpid() == process:
        parts.close()
