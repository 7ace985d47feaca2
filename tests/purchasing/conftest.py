"""Fixtures for the tests of purchases: clients with other settings, and requests on other threads."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY


@pytest.fixture
def client_with(service, tmp_path):
    """Return a function that makes a client with some settings, by default for the service and store of the test."""
    usual = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "store.sqlite"}
    with ExitStack() as stack:
        yield lambda **given: stack.enter_context(sp.Client(**usual | given))


@pytest.fixture
def begin(service):
    """Return a function that begins a request for rents on another thread, and returns its future."""
    with ThreadPoolExecutor(2) as pool:
        yield lambda names, **options: pool.submit(sp.rent, names, **options)
        service.release()
