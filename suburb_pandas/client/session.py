"""Owns the default client, and makes the context of a request: the client and the cassette that it uses.

A client's parts are left to client, and the choice between store and cassette to context.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from suburb_pandas.cassettes.cassette import in_use
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.messages import warn
from suburb_pandas.settings import ARGUMENT, Key, Proxies, Settings
from suburb_pandas.store.forks import opening

_default: Client | None = None


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
    """Set the key, the store and the spending limits that all functions use from now on.

    The arguments are those of :class:`Client`. No connection is opened, and nothing is spent. No setting is taken over
    from the client that was the default before: a setting that is not given comes from the environment, or has its
    usual default. To change only the limits, use :func:`set_limits`.

    Returns
    -------
    Client
        The new default client.

    Warns
    -----
    SuburbWarning
        The previous default client was given a key in code, and the new one was not, so the new one has another key or
        none. The previous client is not closed.

    Raises
    ------
    SettingsError
        A setting cannot be used, or the key would be sent unencrypted.

    See Also
    --------
    set_limits : Change the limits of the default client and nothing else.
    show_settings : Print the settings in force.

    Examples
    --------
    >>> sp.connect(api_key="test", store=":memory:")
    Client
      source  sandbox, https://api.microburbs.com.au
      limits  at most 2000 cents a request, 5000 a month
      ledger  spent 0 cents this session, 0 this month
    """
    global _default  # noqa: PLW0603 - the only state of a session, and this module owns it
    api_key, proxies = Key.hide(api_key), Proxies.hide(proxies)
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
    _warn_if_a_key_is_dropped(client.settings)
    with opening:
        _default = client
    return client


def set_limits(*, max_cents: int | None = None, budget_cents: int | None = None) -> None:
    """Change the spending limits (cap and budget) and nothing else.

    The limits are those of the default client, which :func:`connect` returned; if there is none, it is created from the
    environment. Its key, address and store stay as they are. A request under way keeps the limits that it began with. A
    later :func:`connect` makes a client with limits of its own. If the environment variable ``CI`` is set, nothing is
    bought until a limit is given, and a limit that is set here counts as given.

    Parameters
    ----------
    max_cents
        The cap: the most that one request may cost, in cents. None leaves it as it is.
    budget_cents
        The budget: the most that the store may spend in a UTC calendar month, in cents. None leaves it as it is.

    Raises
    ------
    SettingsError
        A limit is not a whole number of at least 0, or neither is given, or the default client cannot be created from
        the environment. Nothing was changed.

    See Also
    --------
    quote : Return the cost of a request. Its ``line`` is the call of this function that allows the request.
    Client.set_limits : The same for a client that is passed as ``client=``.
    connect : Make a new default client, with a key, a store and limits of its own.
    show_settings : Print the settings in force.

    Examples
    --------
    >>> sp.set_limits(max_cents=3000, budget_cents=9000)
    """
    _current_default().set_limits(max_cents=max_cents, budget_cents=budget_cents)


def request_context(client: Client | None = None) -> RequestContext:
    """Return `client`, or the default client, with the cassette in use.

    The default client is created from the environment if `connect` was not called.
    """
    if client is not None and not isinstance(client, Client):
        raise TypeError(f"client must be a suburb_pandas.Client, not {type(client).__name__}.")
    return RequestContext(client or _current_default(), in_use(), is_default=client is None or client is _default)


def _current_default() -> Client:
    global _default  # noqa: PLW0603 - as in connect
    with opening:
        if _default is None or _default.closed:
            _default = Client()
        return _default


def _warn_if_a_key_is_dropped(new: Settings) -> None:
    """Warn if the default client has a key that was given in code, and `new` has another one that was not.

    This comes before the change, so that the default client stays if a warning filter turns the warning into an error.
    """
    before, origin = _default, new.origins["api_key"]
    if before is None or before.closed or before.settings.origins["api_key"] != ARGUMENT or origin == ARGUMENT:
        return
    if before.settings.api_key.value == new.api_key.value:
        return
    is_given = new.was_given("api_key")
    instead = f"the key now comes from the {origin}" if is_given else "all suburbs are made up from now on"
    limits = [f"{name}={getattr(new, name)}" for name in ("max_cents", "budget_cents") if new.origins[name] == ARGUMENT]
    warn(
        "This sp.connect() has no api_key=, and takes over no setting that was given in code before: "
        f'{instead}. Nothing was sent; sp.connect(api_key="embedded"), or a key of your own, causes no '
        "such warning. To change only the limits, run the earlier sp.connect(...) again and then "
        f"sp.set_limits({', '.join(limits) or 'max_cents=..., budget_cents=...'})",
        SuburbWarning,
    )


def show_settings() -> None:
    """Print every setting and where its value came from. A secret key is never shown, and proxies are not either.

    The settings are those of the default client. If there is none, it is created from the environment.

    Raises
    ------
    SettingsError
        A setting in the environment cannot be used.

    See Also
    --------
    connect : Make a new default client.
    set_limits : Change the limits of the default client.

    Examples
    --------
    >>> sp.show_settings()  # doctest: +SKIP
    source       live  (follows the key)
    api_key      set, not shown  (environment, SUBURB_API_KEY)
    ...
    """
    print(_current_default().settings.describe())  # noqa: T201 - the function's purpose
