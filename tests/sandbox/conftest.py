"""Fixtures that call a running sandbox: with requests, and over a plain socket."""

import socket
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
import requests

PATHS = {"rent": "market/median-rent-series", "impacts": "lifestyle/poi-impacts"}

Ask = Callable[..., requests.Response]


@pytest.fixture
def ask(service) -> Iterator[Ask]:
    """Return a function that calls an endpoint about a name, over one session."""
    with requests.Session() as session:

        def get(name, endpoint="rent", key="embedded", **options):
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            if endpoint == "geocode":
                url, options["params"] = f"{service.url}/v1/geocode/suburb", {"q": name}
            else:
                url = f"{service.url}/v1/suburbs/{quote(name, safe='')}/{PATHS[endpoint]}"
            return session.get(url, headers=headers, timeout=60, **options)

        yield get


@pytest.fixture
def raw(service) -> Callable[..., bytes]:
    """Return a function that requests a target over a plain socket and returns every byte of the response."""

    def get(target):
        head = f"GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer embedded\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
            connection.sendall(head.encode("latin-1"))
            return b"".join(iter(lambda: connection.recv(65536), b""))

    return get
