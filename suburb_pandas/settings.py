"""Reads settings from arguments and the environment, and checks them. No other module reads the environment.

An argument wins over the environment, and the environment over the default. Settings are resolved once, in the calling
thread, and passed down.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, Literal, NoReturn
from urllib.parse import quote, urlsplit

from suburb_pandas.errors import SettingsError

Source = Literal["embedded", "sandbox", "live"]

LIVE_URL = "https://api.microburbs.com.au"

IN_MEMORY = ":memory:"
"""The path that means a private temporary store."""

RETRY_WAIT = 0.4
"""The average wait before the first retry of a call, in seconds. Each further retry waits twice as long."""

BUSY_WAIT = 30
"""Seconds to wait for a store that another program has locked."""

LEASE = 40
"""Seconds that a reservation may be silent: longer than it may wait for the store."""

RERUN = "SUBURB_RERUN"
"""The environment variable that makes code run as on a machine that has nothing but the cassettes."""

_OFF = ("", "0", "false", "no")  # the values of RERUN that mean the same as no value

EMBEDDED_KEY = "embedded"
SANDBOX_KEY = "test"

ARGUMENT = "argument"
"""The origin of a setting that was given in code."""

_DEFAULT = "default"
_MOST = 86_400  # the largest timeout, in seconds, and number of workers
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ENCODED = re.compile("%([0-9A-Fa-f]{2})")


class Key:
    """An API key that is not shown in a repr or among the variables of a traceback, and cannot be pickled."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value: str = value

    def __repr__(self) -> str:
        return "<API key, not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An API key cannot be pickled. Call sp.connect() in the process that needs it.")


def sealed(key: str | Key | None) -> Key | None:
    """Wrap a key. Functions that receive a key do this first, so that no traceback shows it among their variables."""
    return key if key is None or isinstance(key, Key) else Key(key)


class Proxies(Mapping[str, str]):
    """The URLs of proxies by scheme. A URL may hold a password, so a repr or a traceback shows the schemes alone."""

    __slots__ = ("_urls",)

    def __init__(self, urls: Mapping[str, str]) -> None:
        self._urls = {scheme: url for scheme, url in urls.items() if url is not None}  # None is none, as in requests

    def __getitem__(self, scheme: str) -> str:
        return self._urls[scheme]

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def __len__(self) -> int:
        return len(self._urls)

    @property
    def schemes(self) -> str:
        """The schemes, for people to read. A URL that was given as a scheme is left out."""
        return ", ".join(sorted(scheme for scheme in map(str, self) if scheme.isalnum()))

    def __repr__(self) -> str:
        return f"<proxies for {self.schemes or 'nothing'}, not shown>"


def sealed_proxies(proxies: Any) -> Any:
    """Wrap proxies, as `sealed` wraps a key. Any other object becomes its type, which `resolve` refuses."""
    if proxies is None or isinstance(proxies, Proxies):
        return proxies
    return Proxies(proxies) if isinstance(proxies, Mapping) else type(proxies)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a client.

    ``base_url`` is None if the package starts its own sandbox, and ``store`` is None for the default store. ``origins``
    says where the value of each setting came from: an argument, the environment, or the default.

    ``retry_wait``, ``lease`` and ``busy_wait`` cannot be given to ``connect``. They are set to `RETRY_WAIT`, `LEASE`
    and `BUSY_WAIT`.
    """

    api_key: Key
    base_url: str | None
    store: str | None
    max_cents: int
    budget_cents: int
    max_workers: int
    timeout: float
    proxies: Proxies
    verify: bool | str
    origins: Mapping[str, str]
    retry_wait: float
    lease: float
    busy_wait: float

    @property
    def source(self) -> Source:
        """``embedded``, ``sandbox`` or ``live``. It follows from the key, which decides whether calls cost money."""
        if self.api_key.value == EMBEDDED_KEY:
            return "embedded"
        return "sandbox" if self.api_key.value == SANDBOX_KEY else "live"

    @property
    def pays(self) -> bool:
        """True if calls cost money, so that cap and budget apply."""
        return self.source == "live"

    @property
    def secret(self) -> Key | None:
        """The API key, if it has to be kept secret."""
        return self.api_key if self.pays else None

    @property
    def longest_call(self) -> float:
        """The seconds after which a call is given up, whatever its server does."""
        return 1.5 * self.timeout

    def was_given(self, name: str) -> bool:
        """Return True if a setting was given by argument or environment."""
        return self.origins[name] != _DEFAULT

    def describe(self) -> str:
        """Return a line for each setting, with its value and where the value came from. The key is never shown."""
        shown = {
            "source": (self.source, "follows the key"),
            "api_key": ("set, not shown" if self.source == "live" else self.api_key.value, self.origins["api_key"]),
            "base_url": (self.base_url or "the embedded sandbox, on this machine", self.origins["base_url"]),
            "store": (self.store or self._default_store(), self.origins["store"]),
            **{
                name: (getattr(self, name), self.origins[name])
                for name in ("max_cents", "budget_cents", "max_workers", "timeout", "verify")
            },
            "proxies": (self.proxies.schemes or ("not shown" if self.proxies else "none"), self.origins["proxies"]),
        }
        return "\n".join(f"{name:<13}{value}  ({origin})" for name, (value, origin) in shown.items())

    def _default_store(self) -> str:
        return "a temporary file" if self.source == "embedded" else "a file in the user's data folder"


class _Given:
    """Looks up a setting in the arguments, then in the environment, and remembers where it was found."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments
        self.origins: dict[str, str] = {}

    def find(self, name: str, *, variable: str | None = None, default: Any = None) -> Any:
        value, origin = self.arguments.get(name), ARGUMENT
        if value is None and variable:
            value, origin = os.environ.get(variable) or None, f"environment, {variable}"
        self.origins[name] = _DEFAULT if value is None else origin
        return default if value is None else value

    def number(self, name: str, default: int, *, variable: str | None = None) -> int:
        found = self.find(name, variable=variable)
        return default if found is None else whole_number(name, found, self.origins[name])


def whole_number(name: str, value: Any, origin: str = ARGUMENT) -> int:
    """Read a limit: a whole number of at least 0, or text that holds one, as environment variables do.

    Raises
    ------
    SettingsError
        The value is not a whole number, or is below 0.
    """
    try:
        number = int(value) if isinstance(value, str) else index(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or isinstance(value, bool):
        raise SettingsError(
            f"{name} must be a whole number of at least 0, not {value!r} (from the {origin}). Nothing was sent."
        )
    return number


def resolve(**arguments: Any) -> Settings:
    """Combine arguments, environment and defaults.

    Raises
    ------
    SettingsError
        A value cannot be used, there is a base URL without a key, or the key would be sent unencrypted.
    """
    given = _Given(arguments)
    key = _key(given)
    url = _url(given)
    if url and given.origins["api_key"] == _DEFAULT:
        raise SettingsError(
            "There is a base URL without an API key, so nothing was sent. Set SUBURB_API_KEY or pass api_key=; to use "
            "the made-up suburbs, give neither a URL nor a key."
        )
    if key.value != EMBEDDED_KEY:
        url = url or LIVE_URL
    return Settings(
        api_key=key,
        base_url=url,
        store=_store(given),
        max_cents=given.number("max_cents", 2000, variable="SUBURB_MAX_CENTS"),
        budget_cents=given.number("budget_cents", 5000, variable="SUBURB_BUDGET_CENTS"),
        max_workers=_positive("max_workers", given.number("max_workers", 8)),
        timeout=_positive("timeout", given.find("timeout", default=30)),
        proxies=_proxies(given, url),
        verify=_verify(given),
        origins=given.origins,
        retry_wait=RETRY_WAIT,
        lease=LEASE,
        busy_wait=BUSY_WAIT,
    )


def expand_home(path: str | os.PathLike[str]) -> str:
    """Return a path with the home folder in place of ``~`` or ``~user`` at its beginning.

    Rejected: `os.path.expanduser` alone, which leaves ``~`` where there is no home folder, so that a folder called
    ``~`` is made; and pathlib, which also fails on a file called ``~study.csv``.

    Raises
    ------
    FileNotFoundError
        There is no such home folder.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - see above
    first, *rest = Path(expanded).parts or [""]
    if first == "~" or (rest and first.startswith("~")):
        raise FileNotFoundError(f"There is no home folder for {expanded}. Nothing was sent; write the path without ~.")
    return os.fspath(expanded)


def in_ci() -> bool:
    """Return True if the variable ``CI`` is set, as in an automatic run that nobody watches."""
    return bool(os.environ.get("CI"))


def environment_without(beginnings: tuple[str, ...]) -> dict[str, str]:
    """Return the environment for a child process without proxies, and without names that begin with one of these."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(beginnings) and not name.upper().endswith("_PROXY")
    }


def is_rerun() -> bool:
    """Return True if the variable `RERUN` is set, to anything but ``0``, ``false``, ``no`` or nothing.

    Then nothing is sent but to the embedded sandbox, cassettes only replay, and all stores are temporary.
    """
    return os.environ.get(RERUN, "").strip().lower() not in _OFF


def end_rerun() -> None:
    """Remove the variable `RERUN` from the environment of this process, for the demo, which reads no settings."""
    os.environ.pop(RERUN, None)


def _key(given: _Given) -> Key:
    """Return the key if a header can hold it, otherwise raise. Neither the message nor the traceback shows the key."""
    key = sealed(given.find("api_key", variable="SUBURB_API_KEY")) or Key(EMBEDDED_KEY)
    if isinstance(key.value, str):
        key.value = key.value.strip()
        if key.value and key.value.isascii() and key.value.isprintable():
            return key
    origin = given.origins["api_key"]
    raise SettingsError(
        f"The API key is not printable ASCII text (from the {origin}). Nothing was sent; copy the key again."
    )


def _url(given: _Given) -> str | None:
    url = given.find("base_url", variable="SUBURB_BASE_URL")
    if url is None:
        return None
    canonical = _canonical(str(url))
    if canonical is None:
        raise SettingsError(
            "The base URL must look like https://host or http://127.0.0.1:8000, without a query or a password "
            f"(from the {given.origins['base_url']}). Nothing was sent."
        )
    host = urlsplit(canonical).hostname or ""
    if canonical.startswith("http:") and not _is_loopback(host):
        raise SettingsError(
            f"The API key would be sent unencrypted to {host}, so nothing was sent. Use https:// in the base URL; "
            "http:// is allowed on loopback only."
        )
    return canonical


def canonical_url(url: str) -> str:
    """Return the canonical form of a base URL, the same for all its spellings. Other text is returned as it is.

    The store files responses under this form, so that another spelling does not buy a response again. To change the
    form, add a version of the store's schema that writes the new form into old rows.
    """
    return _canonical(url) or url


def _canonical(url: str) -> str | None:
    """Return the canonical form of a base URL; None for any other text."""
    try:
        parts = urlsplit(url)
        host, port, path = _canonical_host(parts.hostname or ""), parts.port, _canonical_path(parts.path)
    except ValueError:
        return None
    if not host or parts.scheme not in _DEFAULT_PORTS or parts.query or parts.fragment or "@" in parts.netloc:
        return None
    shown = f"[{host}]" if "[" in parts.netloc else host
    return f"{parts.scheme}://{shown}{'' if port in {None, _DEFAULT_PORTS[parts.scheme]} else f':{port}'}{path}"


def _canonical_host(host: str) -> str:
    """Return a host without its trailing dot, an international name as requests sends it, an IPv6 address compressed.

    Raises
    ------
    ValueError
        It is not a host name.
    """
    if ":" in host:
        address = IPv6Address(host)
        # Python versions differ in how they write an IPv4 address inside an IPv6 address.
        return f"::ffff:{address.ipv4_mapped}" if address.ipv4_mapped else address.compressed
    if not host.isascii():
        from idna import encode  # noqa: PLC0415 - slow to import, and few hosts need it

        host = encode(host, uts46=True).decode()
    host = host.removesuffix(".")
    host.encode("idna")  # refuses empty labels and long ones
    return host


def _canonical_path(path: str) -> str:
    """Return a path without trailing slashes, each character encoded only if it has to be. ``%2F`` is not a slash.

    A path with a ``%`` that encodes nothing is left as it is.
    """
    if path.count("%") == len(_ENCODED.findall(path)):
        path = quote(_ENCODED.sub(_decoded_if_unreserved, path), safe="/%:@!$&'()*+,;=~")
    return path.rstrip("/")


def _decoded_if_unreserved(encoded: re.Match[str]) -> str:
    character = chr(int(encoded[1], 16))
    is_unreserved = character.isascii() and (character.isalnum() or character in "-._~")
    return character if is_unreserved else encoded[0].upper()


def _store(given: _Given) -> str | None:
    """Return the absolute path of the store, so that it does not change with the working folder."""
    store = given.find("store", variable="SUBURB_STORE")
    if is_rerun():
        given.origins["store"] = f"environment, {RERUN}"
        return IN_MEMORY
    if store is None or store == IN_MEMORY:
        return None if store is None else IN_MEMORY
    path = os.fspath(store) if isinstance(store, os.PathLike) else store
    if path and isinstance(path, str) and "\0" not in path:
        try:
            return os.path.abspath(expand_home(path))  # noqa: PTH100 - the value is a setting, kept as text
        except FileNotFoundError:
            raise SettingsError(
                f"There is no home folder for the store {path} (from the {given.origins['store']}). Nothing was sent; "
                "pass store= to sp.connect(), or set SUBURB_STORE, with a path without ~."
            ) from None
    raise SettingsError(f"The store must be the path of a file, or ':memory:', not {store!r}. Nothing was sent.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _positive(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) <= _MOST:
        raise SettingsError(f"{name} must be a number above 0 and at most {_MOST}, not {value!r}. Nothing was sent.")
    return value


def _proxies(given: _Given, url: str | None) -> Proxies:
    """Return the proxies. The environment is read once, here; requests would read it at every call.

    Only https goes through a proxy, which then sees no more than the host's name. Loopback is called directly.
    """
    proxies: Proxies | None = sealed_proxies(given.find("proxies"))
    is_mapping = isinstance(proxies, Proxies) and all(isinstance(proxy, str) for proxy in proxies.values())
    if proxies is not None and not is_mapping:
        raise SettingsError(
            "proxies must be a mapping such as {'https': 'http://proxy:3128'}, as in requests. Nothing was sent."
        )
    on_loopback = url is None or _is_loopback(urlsplit(url).hostname or "")
    if on_loopback and proxies:
        raise SettingsError(
            "proxies= was given for a service on loopback, where a proxy would see the key. Nothing was sent; leave "
            "proxies= out."
        )
    if url is None or on_loopback:
        return Proxies({})
    if proxies is not None:
        return proxies
    from requests.utils import get_environ_proxies  # noqa: PLC0415 - requests is slow to import

    found = Proxies(get_environ_proxies(url))
    given.origins["proxies"] = "environment" if found else _DEFAULT
    return found


def _verify(given: _Given) -> bool | str:
    verify = given.find("verify", variable="REQUESTS_CA_BUNDLE")
    if verify is None:
        verify = given.find("verify", variable="CURL_CA_BUNDLE")
    if isinstance(verify, os.PathLike):
        verify = os.fspath(verify)
    if verify is not None and not isinstance(verify, bool | str):
        raise SettingsError(f"verify must be True, False or the path of a CA bundle, not {verify!r}. Nothing was sent.")
    if isinstance(verify, str) and not os.path.exists(verify):  # noqa: PTH110 - the value is a setting, kept as text
        raise SettingsError(
            f"There is no CA bundle at {verify!r} (from the {given.origins['verify']}). Nothing was sent; correct "
            "the path."
        )
    return True if verify is None else verify
