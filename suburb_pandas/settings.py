"""The settings: the one module that reads the environment, and that checks what it finds there.

An argument wins over the environment, and the environment over the default. Settings are resolved once, in the
calling thread, and passed down.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from .errors import SettingsError

Source = Literal["embedded", "sandbox", "live"]

LIVE_URL = "https://api.microburbs.com.au"

EMBEDDED_KEY = "embedded"
SANDBOX_KEY = "test"

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client goes by. The key shows in no repr.

    ``base_url`` is None where the package is to start its own sandbox, and ``store`` is None where the default
    one is meant. ``origins`` says for each setting where its value came from.
    """

    api_key: str = field(repr=False)
    base_url: str | None
    store: str | None
    max_cents: int
    budget_cents: int
    max_workers: int
    timeout: float
    proxies: Mapping[str, str]
    verify: bool | str
    origins: Mapping[str, str]

    @property
    def source(self) -> Source:
        """Where the data come from: money follows the key."""
        if self.api_key == EMBEDDED_KEY:
            return "embedded"
        return "sandbox" if self.api_key == SANDBOX_KEY else "live"

    def was_given(self, name: str) -> bool:
        """Whether somebody chose the value of a setting."""
        return self.origins[name] != _DEFAULT

    def describe(self) -> str:
        """Give each setting with its value and where that came from, a line each, never the key."""
        shown = {
            "source": (self.source, "follows the key"),
            "api_key": ("set, not shown" if self.source == "live" else self.api_key, self.origins["api_key"]),
            "base_url": (self.base_url or "its own sandbox on loopback", self.origins["base_url"]),
            "store": (self.store or self._default_store(), self.origins["store"]),
            **{
                name: (getattr(self, name), self.origins[name])
                for name in ("max_cents", "budget_cents", "max_workers", "timeout", "verify")
            },
            "proxies": (", ".join(sorted(self.proxies)) or "none", self.origins["proxies"]),
        }
        return "\n".join(f"{name:<13}{value}  ({origin})" for name, (value, origin) in shown.items())

    def _default_store(self) -> str:
        return "a temporary file" if self.source == "embedded" else "a file in the user's data folder"


class _Given:
    """Looks a setting up among the arguments, then in the environment, and remembers where it was."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments
        self.origins: dict[str, str] = {}

    def find(self, name: str, *, variable: str | None = None) -> Any:
        value, origin = self.arguments.get(name), "argument"
        if value is None and variable:
            value, origin = os.environ.get(variable) or None, f"environment, {variable}"
        self.origins[name] = _DEFAULT if value is None else origin
        return value

    def number(self, name: str, default: int, *, variable: str | None = None) -> int:
        found = self.find(name, variable=variable)
        if found is None:
            return default
        try:
            number = int(found) if isinstance(found, str) else found
        except ValueError:
            number = None
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise SettingsError(f"{name} is a whole number of at least 0, not {found!r} ({self.origins[name]}).")
        return number


def resolve(**arguments: Any) -> Settings:
    """Put arguments, environment and defaults together.

    Raises
    ------
    SettingsError
        A value cannot be used, a URL has no key, or a key would travel in the clear.
    """
    given = _Given(arguments)
    key = given.find("api_key", variable="SUBURB_API_KEY")
    url = _url(given.find("base_url", variable="SUBURB_BASE_URL"))
    if url and key is None:
        raise SettingsError(
            "There is a base URL without an API key. Set SUBURB_API_KEY or pass api_key=; "
            "without both, the package uses its own sandbox of made-up suburbs."
        )
    key = _key(EMBEDDED_KEY if key is None else key)
    if key != EMBEDDED_KEY:
        url = url or LIVE_URL
    store = given.find("store", variable="SUBURB_STORE")
    return Settings(
        api_key=key,
        base_url=url,
        store=None if store is None else os.fspath(store),
        max_cents=given.number("max_cents", 2000, variable="SUBURB_MAX_CENTS"),
        budget_cents=given.number("budget_cents", 5000, variable="SUBURB_BUDGET_CENTS"),
        max_workers=_positive("max_workers", given.number("max_workers", 8)),
        timeout=_positive("timeout", given.find("timeout") or 30),
        proxies=_proxies(given, url),
        verify=_verify(given),
        origins=given.origins,
    )


def in_ci() -> bool:
    """Whether this is an automatic run, where nobody watches a progress bar."""
    return bool(os.environ.get("CI"))


def _key(key: object) -> str:
    """A key as it can stand in a header. The message never shows it."""
    if not isinstance(key, str) or not key.strip().isascii() or not key.strip().isprintable() or not key.strip():
        raise SettingsError("The API key is not printable ASCII text; check what was pasted.")
    return key.strip()


def _url(url: object) -> str | None:
    if url is None:
        return None
    try:
        parts = urlsplit(str(url))
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or parts.query or parts.fragment or parts.username:
        raise SettingsError(
            "The base URL has to look like https://host or http://127.0.0.1:8000, without a query or a password."
        )
    if parts.scheme == "http" and not _is_loopback(host):
        raise SettingsError(f"The key would travel in the clear to {host}. Use https; plain http is for loopback only.")
    return str(url).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _positive(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise SettingsError(f"{name} is a number above 0, not {value!r}.")
    return value


def _proxies(given: _Given, url: str | None) -> Mapping[str, str]:
    """Proxies, looked up once: requests would look the environment up at every call. Loopback needs none."""
    proxies: Mapping[str, str] | None = given.find("proxies")
    if proxies is not None or url is None or _is_loopback(urlsplit(url).hostname or ""):
        return dict(proxies or {})
    from requests.utils import get_environ_proxies  # noqa: PLC0415 - keeps requests out of the import

    found: dict[str, str] = get_environ_proxies(url)
    given.origins["proxies"] = "environment" if found else _DEFAULT
    return found


def _verify(given: _Given) -> bool | str:
    verify: bool | str | None = given.find("verify", variable="REQUESTS_CA_BUNDLE")
    if verify is None:
        verify = given.find("verify", variable="CURL_CA_BUNDLE")
    if isinstance(verify, str) and not os.path.exists(verify):  # noqa: PTH110 - a setting, not a path of ours
        raise SettingsError(f"There is no CA bundle at {verify!r} ({given.origins['verify']}).")
    return True if verify is None else verify
