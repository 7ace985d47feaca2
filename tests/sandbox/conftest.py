"""A running sandbox, and ways to ask it."""

import socket
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
import requests

from suburb_pandas import sandbox
from suburb_pandas.sandbox.server import Sandbox

PATHS = {"rent": "market/median-rent-series", "impacts": "lifestyle/poi-impacts"}

Ask = Callable[..., requests.Response]


@pytest.fixture
def service() -> Iterator[Sandbox]:
    with sandbox.serve() as running:
        yield running


@pytest.fixture(scope="module")
def steady() -> Iterator[Sandbox]:
    """A sandbox for tests that leave nothing behind."""
    with sandbox.serve() as running:
        yield running


@pytest.fixture
def ask(service) -> Iterator[Ask]:
    with requests.Session() as session:

        def get(name, endpoint="rent", key="embedded", **options):
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            if endpoint == "geocode":
                url, options["params"] = f"{service.url}/v1/geocode/suburb", {"q": name}
            else:
                url = f"{service.url}/v1/suburbs/{quote(name, safe='')}/{PATHS[endpoint]}"
            return session.get(url, headers=headers, timeout=10, **options)

        yield get


@pytest.fixture
def raw(steady) -> Callable[..., bytes]:
    """Every byte of the answer to a request target, as it came over the wire."""

    def get(target, key="embedded", method="GET", service=steady):
        head = f"{method} {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(head.encode("latin-1"))
            return b"".join(iter(lambda: connection.recv(65536), b""))

    return get
