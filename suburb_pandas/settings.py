"""Reads settings from arguments and the environment, and checks them. No other module reads the environment.

An argument wins over the environment, and the environment over the default. Settings are resolved once, in the calling
thread, and passed down.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, NoReturn, TypeVar
from urllib.parse import urlsplit

from suburb_pandas.errors import SettingsError

Source = Literal["embedded", "sandbox", "live"]

LIVE_URL = "https://api.microburbs.com.au"
EMBEDDED_KEY = "embedded"
SANDBOX_KEY = "test"
_SOURCES: dict[str, Source] = {EMBEDDED_KEY: "embedded", SANDBOX_KEY: "sandbox"}

IN_MEMORY = ":memory:"
"""The path that means a private temporary store."""

RETRY_WAIT = 0.4  # seconds on average before the first retry of a call; doubled at each further one
BUSY_WAIT = 30  # seconds to wait for a store that another program has locked
LEASE = 40  # seconds that a reservation may be silent: more than `BUSY_WAIT`

RERUN = "SUBURB_RERUN"
"""The environment variable that makes code run as on a machine that has nothing but the cassettes."""

ARGUMENT = "argument"
"""The origin of a setting that was given in code."""

_DEFAULT = "default"
_MOST = 86_400  # the largest timeout, in seconds, and number of workers
_BASE_URL = re.compile(r"(?ai)(https?)://((?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d{1,5})?)((?:/[^?#\s]*)?)")
T = TypeVar("T")


class Hidden(Generic[T]):
    """A value that is not shown in a repr or among the variables of a traceback, and cannot be pickled."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value: T = value

    @classmethod
    def hide(cls, value: Any) -> Any:
        """Wrap a value, unless it is None or wrapped. Functions that receive a key or proxies do this first."""
        return value if value is None or isinstance(value, Hidden) else cls(value)

    def __repr__(self) -> str:
        return "<not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An API key cannot be pickled. Call sp.connect() in the process that needs it.")


Key = Hidden[str]
Proxies = Hidden[dict[str, str]]  # URLs by scheme, which may hold passwords


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a client.

    ``base_url`` is None if the package starts its own sandbox, and ``store`` is None for the default store. ``origins``
    says where the value of each setting came from: an argument, the environment, or the default.

    ``retry_wait``, ``lease`` and ``busy_wait`` cannot be given to ``connect``: they are the constants of this module.
    """

    api_key: Key
    base_url: str | None
    store: str | None
    max_cents: int
    budget_cents: int
    max_workers: int
    timeout: float
    verify: bool | str
    proxies: Proxies
    origins: Mapping[str, str]
    retry_wait: float
    lease: float
    busy_wait: float

    @property
    def source(self) -> Source:
        """``embedded``, ``sandbox`` or ``live``. It follows from the key, which decides whether calls cost money."""
        return _SOURCES.get(self.api_key.value, "live")

    @property
    def secret(self) -> Key | None:
        """The API key, if it has to be kept secret."""
        return self.api_key if self.source == "live" else None

    def was_given(self, name: str) -> bool:
        """Return True if a setting was given by argument or environment."""
        return self.origins[name] != _DEFAULT

    def describe(self) -> str:
        """Return a line for each setting, with its value and its origin. Secret keys and proxies are not shown."""
        store = "a temporary file" if self.source == "embedded" else "a file in the user's data folder"
        shown = {name: getattr(self, name) for name in self.origins} | {
            "api_key": "set, not shown" if self.secret else self.api_key.value,
            "base_url": self.base_url or "the embedded sandbox, on this machine",
            "store": self.store or store,
            "proxies": "set, not shown" if self.proxies.value else "none",
        }
        return "\n".join(f"{name:<13}{value}  ({self.origins[name]})" for name, value in shown.items())


def resolve(**arguments: Any) -> Settings:
    """Combine arguments, environment and defaults.

    Raises
    ------
    SettingsError
        A value cannot be used, there is a base URL without a key, or a proxy would see the key.
    """
    values, origins = {}, {"source": "follows the key"}
    for name in _RULES:
        values[name], origins[name] = _find(name, arguments.get(name))
    if values["base_url"] and origins["api_key"] == _DEFAULT:
        raise SettingsError(
            "There is a base URL without an API key, so nothing was sent. Set SUBURB_API_KEY or pass api_key=; to use "
            "the made-up suburbs, give neither a URL nor a key."
        )
    if values["api_key"].value != EMBEDDED_KEY:
        values["base_url"] = values["base_url"] or LIVE_URL
    if is_rerun():
        values["store"], origins["store"] = IN_MEMORY, f"environment, {RERUN}"
    on_loopback = values["base_url"] is None or _is_loopback(values["base_url"])
    if on_loopback and values["proxies"].value:
        raise SettingsError(
            "proxies= was given for a service on loopback, where a proxy would see the key. Nothing was sent; leave "
            "proxies= out."
        )
    if not on_loopback and origins["proxies"] == _DEFAULT:
        from requests.utils import get_environ_proxies  # noqa: PLC0415 - requests is slow to import

        values["proxies"] = Proxies(get_environ_proxies(values["base_url"]))
        origins["proxies"] = "environment" if values["proxies"].value else _DEFAULT
    return Settings(**values, origins=origins, retry_wait=RETRY_WAIT, lease=LEASE, busy_wait=BUSY_WAIT)


def checked(name: str, value: Any, origin: str = ARGUMENT) -> Any:
    """Return the value of a setting in the form in which it is used.

    Raises
    ------
    SettingsError
        The value cannot be used.
    """
    rule = _RULES[name]
    try:
        return rule.read(value)
    except (TypeError, ValueError, FileNotFoundError):
        shown = "" if name in {"api_key", "base_url", "proxies"} else f", not {value!r}"
        raise SettingsError(f"{name} must be {rule.must_be}{shown} (from the {origin}). Nothing was sent.") from None


def expand_home(path: str | os.PathLike[str]) -> Path:
    """Return a path with the home folder in place of ``~`` or ``~user`` at its beginning.

    Raises
    ------
    FileNotFoundError
        There is no such home folder.
    """
    expanded = Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib also refuses a file called ~study.csv
    first, *rest = expanded.parts or [""]
    if first == "~" or (rest and first.startswith("~")):
        raise FileNotFoundError(f"There is no home folder for {path}. Nothing was sent; write the path without ~.")
    return expanded


def in_ci() -> bool:
    """Return True if the variable ``CI`` is set, as in an automatic run that nobody watches."""
    return bool(os.environ.get("CI"))


def is_rerun() -> bool:
    """Return True if the variable `RERUN` is set, to anything but ``0``, ``false``, ``no`` or nothing.

    Then nothing is sent but to the embedded sandbox, cassettes only replay, and all stores are temporary.
    """
    return os.environ.get(RERUN, "").strip().lower() not in {"", "0", "false", "no"}


def canonical_url(url: str) -> str:
    """Return a base URL with scheme and host in lower case, without a default port and without slashes at its end.

    Text that is not a base URL is returned unchanged. The store files responses under this form. To change the form,
    add a version of the store's schema that writes the new one into old rows.
    """
    found = _BASE_URL.fullmatch(url)
    if found is None:
        return url
    scheme, host, path = found.groups()
    port = {"http": ":80", "https": ":443"}[scheme.lower()]
    return f"{scheme.lower()}://{host.lower().removesuffix(port)}{path.rstrip('/')}"


def _url(url: object) -> str:
    canonical = canonical_url(str(url))
    if not _BASE_URL.fullmatch(canonical) or not (_is_loopback(canonical) or canonical.startswith("https:")):
        raise ValueError
    return canonical


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in {"localhost", "127.0.0.1", "::1"}


def _find(name: str, value: Any) -> tuple[Any, str]:
    """Return the value of a setting and its origin: an argument, else the environment, else the default."""
    origin, rule = ARGUMENT, _RULES[name]
    for variable in rule.variables:
        if value is None:
            value, origin = os.environ.get(variable) or None, f"environment, {variable}"
    if value is None:
        return rule.default, _DEFAULT
    if name in {"api_key", "proxies"}:
        value = Hidden.hide(value)  # no traceback of the next line shows it
    return checked(name, value, origin), origin


def _key(key: Key) -> Key:
    if not isinstance(key.value, str) or not re.fullmatch("[!-~][ -~]*", key.value.strip()):
        raise ValueError
    return Key(key.value.strip())


def _store(path: str | os.PathLike[str]) -> str:
    """Return an absolute path, which does not change with the working folder."""
    if not path:
        raise ValueError
    return IN_MEMORY if path == IN_MEMORY else os.path.abspath(expand_home(os.fspath(path)))  # noqa: PTH100 - kept as text


def _limit(value: object) -> int:
    number = int(str(value))
    if number < 0:
        raise ValueError
    return number


def _positive(value: float) -> float:
    if not 0 < value <= _MOST:
        raise ValueError
    return value


def _verify(verify: Any) -> bool | str:
    # With an empty path, requests would check no certificate.
    if not isinstance(verify, bool) and not (verify and Path(os.fspath(verify)).exists()):
        raise ValueError
    return verify if isinstance(verify, bool) else os.fspath(verify)


def _proxies(proxies: Proxies) -> Proxies:
    if not isinstance(proxies.value, Mapping) or not all(isinstance(url, str | None) for url in proxies.value.values()):
        raise TypeError
    return Proxies({scheme: url for scheme, url in proxies.value.items() if url is not None})  # None means no proxy


class _Rule(NamedTuple):
    """A setting's default, the function that reads other values, the accepted values in words, and its variables."""

    default: Any
    read: Callable[[Any], Any]
    must_be: str
    variables: tuple[str, ...] = ()


_CENTS = "a whole number of at least 0"
_URL = "like https://host or http://127.0.0.1:8000 (elsewhere, http is unencrypted), without a query or a password"
_RULES = {
    "api_key": _Rule(Key(EMBEDDED_KEY), _key, "printable ASCII text", ("SUBURB_API_KEY",)),
    "base_url": _Rule(None, _url, _URL, ("SUBURB_BASE_URL",)),
    "store": _Rule(None, _store, "the path of a file, or ':memory:' (~ needs a home folder)", ("SUBURB_STORE",)),
    "max_cents": _Rule(2000, _limit, _CENTS, ("SUBURB_MAX_CENTS",)),
    "budget_cents": _Rule(5000, _limit, _CENTS, ("SUBURB_BUDGET_CENTS",)),
    "max_workers": _Rule(8, lambda value: _positive(_limit(value)), f"a whole number from 1 to {_MOST}"),
    "timeout": _Rule(30, _positive, f"a number of seconds above 0 and at most {_MOST}"),
    "verify": _Rule(True, _verify, "True, False or the path of a CA bundle", ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")),
    "proxies": _Rule(Proxies({}), _proxies, "a mapping such as {'https': 'http://proxy:3128'}, as in requests"),
}
"""The settings, in the order in which they are shown."""
