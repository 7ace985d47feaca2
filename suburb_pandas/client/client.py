"""Defines `Client`: one set of settings, with the store and the sandbox that belong to it.

It opens and closes these parts. A part is opened when it is first needed, so that neither making a client nor reading
its store starts a sandbox or opens a network connection. The default client is left to session, buying to purchasing.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from suburb_pandas import sandbox
from suburb_pandas.errors import SettingsError, SuburbError
from suburb_pandas.messages import counted, html_card, text_card
from suburb_pandas.service.calls import MADE_UP_URL, Namespace
from suburb_pandas.settings import IN_MEMORY, Key, Proxies, Settings, Source, checked, resolve
from suburb_pandas.store import ledger
from suburb_pandas.store.forks import opening
from suburb_pandas.store.store import Store

if TYPE_CHECKING:
    from suburb_pandas.http.wire import Wire


_SET_LIMITS: Final = "set_limits"  # the origin of a limit that was changed after its client was made


class Client:
    """A client of the service, with a key, a store and spending limits of its own.

    With neither a key nor a URL, the data come from the embedded sandbox, whose suburbs are made up. The first request
    then gives a warning.

    Parameters
    ----------
    api_key
        The service's key; ``"test"`` for its free sandbox; ``"embedded"`` for the package's own sandbox, without a
        warning.
    base_url
        The service's address.
    store
        The file that keeps responses and the ledger. ``":memory:"`` is a temporary file, removed on close.
    max_cents
        The cap: the most that one request may cost, in cents.
    budget_cents
        The budget: the most that the store may spend in a UTC calendar month, in cents.
    max_workers
        The most calls under way at the same time.
    timeout
        The seconds that a call may wait for its answer. It waits half as long for a connection to each address of the
        host. Whatever the server does, a call is given up after one and a half times these seconds.
    proxies, verify
        As in requests.

    Raises
    ------
    SettingsError
        A setting cannot be used, or the key would be sent unencrypted.

    See Also
    --------
    connect : Make the default client.
    set_limits : Change the cap and the budget of the default client.
    show_settings : Print the settings in force and where they came from.
    ledger : Return every call with its cost.

    Notes
    -----
    A setting is the argument if it is given, otherwise the environment variable, otherwise the default:

    ================  ==========================================  ==================================================
    argument          environment variable                        default
    ================  ==========================================  ==================================================
    ``api_key``       ``SUBURB_API_KEY``                          none: the embedded sandbox
    ``base_url``      ``SUBURB_BASE_URL``                         the live service; none for the embedded sandbox
    ``store``         ``SUBURB_STORE``                            in your data folder; embedded sandbox: temporary
    ``max_cents``     ``SUBURB_MAX_CENTS``                        2000
    ``budget_cents``  ``SUBURB_BUDGET_CENTS``                     5000
    ``max_workers``   none                                        8
    ``timeout``       none                                        30
    ``proxies``       those of requests, such as ``HTTPS_PROXY``  none
    ``verify``        ``REQUESTS_CA_BUNDLE``, ``CURL_CA_BUNDLE``  True
    ================  ==========================================  ==================================================

    With ``SUBURB_RERUN=1`` in the environment, nothing is sent but to the embedded sandbox, whatever key and address
    the client has: a request that would make another call raises `NotStored`. Cassettes only replay, except those of
    the embedded sandbox under the key ``"embedded"``, and every store is a temporary file. The values ``0``, ``false``
    and ``no`` mean that it is not set.

    While ``http.client.HTTPConnection.debuglevel`` is set, which prints the headers of each call, a client with a
    secret key makes no call, and raises `SettingsError`.

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
        api_key, proxies = Key.hide(api_key), Proxies.hide(proxies)
        self.settings: Settings = resolve(
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
        self.has_warned = False  # True after the warning that its suburbs are made up
        self._store: Store | None = None
        self.spent = 0  # cents, for the repr; the budget is checked against the ledger instead
        self._parts = ExitStack()
        self._close = weakref.finalize(self, _close_in, os.getpid(), self._parts)

    @property
    def source(self) -> Source:
        """``embedded``, ``sandbox`` or ``live``."""
        return self.settings.source

    @property
    def namespace(self) -> Namespace:
        """The part of a store that this client uses. Each version of the embedded sandbox's data has its own."""
        if self.settings.base_url:
            return Namespace(self.settings.source, self.settings.base_url)
        return Namespace(self.settings.source, f"{MADE_UP_URL}/{sandbox.DATA_VERSION}")

    @property
    def store(self) -> Store:
        """The store, opened at first use."""
        with opening:
            self.check_open()
            if self._store is None:
                self._store = Store(self._store_path, busy_wait=self.settings.busy_wait)
                self._parts.callback(self._store.close)
            return self._store

    @property
    def open_wire(self) -> Callable[[], Wire]:
        """The function that makes the connection of a worker. The client's own sandbox is started if it needs one.

        For purchasing only: a call made elsewhere is in no ledger.
        """
        with opening:
            from suburb_pandas.http.wire import Wire  # noqa: PLC0415 - requests is needed by calls only

            self.check_open()
            return partial(Wire, self.settings, self.settings.base_url or self._sandbox_url)

    @property
    def closed(self) -> bool:
        """True if the client was closed."""
        return not self._close.alive

    def check_open(self) -> None:
        """Raise `SettingsError` if the client was closed."""
        if self.closed:
            raise SettingsError(
                "This client is closed. Nothing was sent; make another: client = sp.connect()",
            )

    def set_limits(self, *, max_cents: int | None = None, budget_cents: int | None = None) -> None:
        """Change the spending limits of this client (cap and budget) and nothing else.

        A request under way keeps the limits that it began with.

        Parameters
        ----------
        max_cents
            The cap: the most that one request may cost, in cents. None leaves it as it is.
        budget_cents
            The budget: the most that the store may spend in a UTC calendar month, in cents. None leaves it as it is.

        Raises
        ------
        SettingsError
            A limit is not a whole number of at least 0, or neither is given. Nothing was changed.

        See Also
        --------
        suburb_pandas.set_limits : The same for the default client.

        Examples
        --------
        >>> with sp.Client(api_key="test", store=":memory:") as client:
        ...     client.set_limits(max_cents=300)
        ...     client
        Client
          source  sandbox, https://api.microburbs.com.au
          limits  at most 300 cents a request, 5000 a month
          ledger  spent 0 cents this session, 0 this month
        """
        given = {"max_cents": max_cents, "budget_cents": budget_cents}
        limits: dict[str, Any] = {name: checked(name, each) for name, each in given.items() if each is not None}
        if not limits:
            raise SettingsError(
                "set_limits was called without a limit, and nothing was changed. Pass one or both, in cents, as in "
                "max_cents=2000, budget_cents=5000"
            )
        with opening:
            origins = {**self.settings.origins, **dict.fromkeys(limits, _SET_LIMITS)}
            self.settings = replace(self.settings, origins=origins, **limits)

    def close(self) -> None:
        """Close the store and the sandbox. The store's file stays with its responses, unless it is a temporary one.

        If responses could not be written to the store before, as on a full disk, they are written now. If that fails
        again, a warning lists them.

        See Also
        --------
        suburb_pandas.connect : Make a new default client.
        """
        with opening:
            self._close()

    def vacuum(self) -> None:
        """Rewrite the store in the least space, and give the disk back. No response is lost.

        Only a store that an earlier version wrote becomes much smaller: responses are compressed as new ones are. Other
        programs can read the store meanwhile, and their writes wait. The disk of the store needs as much free space as
        the file has, and so does the disk for temporary files.

        Raises
        ------
        StoreError
            The store cannot be written, or a disk is full. The store is as usable as before.
        SettingsError
            The client is closed.

        See Also
        --------
        suburb_pandas.vintages : The stored responses of suburbs.

        Examples
        --------
        >>> with sp.Client(api_key="embedded") as client:
        ...     client.vacuum()
        """
        self.store.vacuum()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return text_card("Client", self._lines())

    def _repr_html_(self) -> str:
        return html_card("Client", self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        """Return the label and value of each line of the repr."""
        if not hasattr(self, "settings"):
            return [("settings", "none: they could not be used")]
        settings = self.settings
        return [
            ("source", f"{self.source}, {settings.base_url or 'its own sandbox of made-up suburbs'}"),
            ("limits", f"at most {counted(settings.max_cents, 'cent')} a request, {settings.budget_cents} a month"),
            ("ledger", f"spent {counted(self.spent, 'cent')} this session{self._spent_this_month()}"),
            *([("closed", "make another: client = sp.connect()")] if self.closed else []),
        ]

    def _spent_this_month(self) -> str:
        """Return this month's spending in words, for the repr. A store that does not exist is not created."""
        try:
            with opening:
                self.check_open()
                exists = self._store_path.exists()
            spent = self.store.read(ledger.committed)[0] if exists else 0
        except (SuburbError, OSError):
            return ""
        return f", {spent} this month"

    @cached_property
    def _store_path(self) -> Path:
        """The path of the store. The folder of a temporary one is made here, and removed when the client is closed."""
        path = self.settings.store
        if path == IN_MEMORY or (path is None and self.settings.source == "embedded"):
            folder = tempfile.mkdtemp(prefix="suburb_pandas-")
            self._parts.callback(shutil.rmtree, folder, ignore_errors=True)
            return Path(folder, "store.sqlite")
        return Path(path or _data_folder() / "store.sqlite")

    @cached_property
    def _sandbox_url(self) -> str:
        """The address of the client's own sandbox, which is started at first use."""
        service = sandbox.serve()
        self._parts.callback(service.close)
        return service.url


def _data_folder() -> Path:
    """Return the folder of the default store; raise `SettingsError` if this user has no home folder."""
    from platformdirs import user_data_path  # noqa: PLC0415 - needed only without store=

    with suppress(RuntimeError):  # without a home, newer versions raise it, and older ones return ~ as it is
        folder = user_data_path("suburb_pandas", appauthor=False)
        if folder.is_absolute():
            return folder
    raise SettingsError(
        "This user has no home folder, so there is no place for the default store. Nothing was sent; "
        "pass store= to sp.connect(), or set SUBURB_STORE."
    )


def _close_in(process: int, parts: ExitStack) -> None:
    """Close the parts of a client in the process that opened them; in a forked child they belong to the parent."""
    if os.getpid() == process:
        parts.close()
