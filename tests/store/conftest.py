"""Fixtures for the tests of the store."""

from functools import partial

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY


@pytest.fixture
def connect(service):
    """Return `sp.connect` for the service of the test, with a live key."""
    return partial(sp.connect, api_key=LIVE_KEY, base_url=service.url)
