"""Owns the default client, and makes the context of a request: the client and the cassette that it uses."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from os import PathLike

from suburb_pandas.cassettes.cassette import in_use
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.concurrency.forks import renew_in_child
from suburb_pandas.settings import Key, sealed, sealed_proxies

_default: Client | None = None
_default_lock = threading.Lock()


@renew_in_child
def _renew_lock() -> None:
    """Replace the lock in a forked child, where a thread that holds it does not exist."""
    global _default_lock  # noqa: PLW0603 - as in connect
    _default_lock = threading.Lock()


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
    """Make the client that all functions use by default from now on, and return it.

    The arguments are those of :class:`Client`. No connection is opened, and nothing is spent.

    Returns
    -------
    Client
        The new default client.

    Raises
    ------
    SettingsError
        A setting cannot be used, or the key would be sent unencrypted.

    Examples
    --------
    >>> sp.connect(api_key="test", store=":memory:")
    Client
      source  sandbox, https://api.microburbs.com.au
      limits  at most 2000 cents a request, 5000 a month
      ledger  spent 0 cents this session, 0 this month
    """
    global _default  # noqa: PLW0603 - the only state of a session, and this module owns it
    api_key, proxies = sealed(api_key), sealed_proxies(proxies)
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
        _default = client
    return client


def request_context(client: Client | None = None) -> RequestContext:
    """Return `client`, or the default client, with the cassette in use.

    The default client is created from the environment if `connect` was not called.
    """
    if client is not None and not isinstance(client, Client):
        raise TypeError(f"client is a suburb_pandas.Client, not {type(client).__name__}.")
    return RequestContext(client or _current_default(), in_use())


def _current_default() -> Client:
    global _default  # noqa: PLW0603 - as in connect
    with _default_lock:
        if _default is None or _default.closed:
            _default = Client()
        return _default


def forget_default() -> Client | None:
    """Forget the default client, without closing it, and return it. The next request makes another one."""
    global _default
    with _default_lock:
        forgotten, _default = _default, None
    return forgotten


def show_settings() -> None:
    """Print each setting of the default client and where its value came from. The key is never shown.

    Examples
    --------
    >>> sp.show_settings()  # doctest: +SKIP
    source       live  (follows the key)
    api_key      set, not shown  (environment, SUBURB_API_KEY)
    ...
    """
    print(_current_default().settings.describe())  # noqa: T201 - the function's purpose
