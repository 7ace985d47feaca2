"""The session: which client is meant where none is given, and with which cassette."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from os import PathLike

from suburb_pandas.cassettes.cassette import in_use
from suburb_pandas.client import provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.settings import Key, sealed

_default: Client | None = None
_default_lock = threading.Lock()


def _renew_lock() -> None:
    """After a fork: a thread that is not here may hold the parent's."""
    global _default_lock  # noqa: PLW0603 - as in connect
    _default_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def connect(
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
) -> Client:
    """Make the client that everything uses from now on, and give it back.

    The arguments are those of :class:`Client`. No connection is opened, and nothing is spent.

    Raises
    ------
    SettingsError
        A setting cannot be used, or the key would travel in the clear.

    Examples
    --------
    >>> sp.connect(api_key="test", store=":memory:")
    Client
      source  sandbox, https://api.microburbs.com.au
      limits  at most 2000 cents a request, 5000 a month
      ledger  spent 0 cents this session, 0 this month
    """
    global _default  # noqa: PLW0603 - the session's one piece of state, and this is its owner
    api_key = sealed(api_key)
    client = Client(
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
    with _default_lock:
        if _default is not None and not _default.closed:
            client.born = _default.born  # as there may be frames from before
        provenance_log.begin(client.born)
        _default = client
    return client


def current(client: Client | None = None) -> Client:
    """Give the client that is meant: the one given, else the one of ``connect``, else one as the environment says.

    While a cassette is in use, it is given with that, for all of a request.
    """
    if client is not None and not isinstance(client, Client):
        raise TypeError(f"client is a suburb_pandas.Client, not {type(client).__name__}.")
    meant, cassette = client or _current_default(), in_use()
    return meant if cassette is None or meant.cassette is not None else meant.at(cassette)


def _current_default() -> Client:
    global _default  # noqa: PLW0603 - as in connect
    with _default_lock:
        if _default is None or _default.closed:
            _default = Client()
            provenance_log.begin(_default.born)
        return _default


def show_settings() -> None:
    """Print each setting of the default client and where its value came from. The key is never shown.

    Examples
    --------
    >>> sp.show_settings()  # doctest: +SKIP
    source       live  (follows the key)
    api_key      set, not shown  (environment, SUBURB_API_KEY)
    ...
    """
    print(current().settings.describe())  # noqa: T201 - it is what the function is for
