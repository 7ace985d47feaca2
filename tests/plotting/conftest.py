"""One store of made-up suburbs for all tests of charts: what the suburbs answer is not under test here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import suburb_pandas as sp


@pytest.fixture(scope="session")
def store_of_charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the store, so that each response is fetched and decoded once in a run."""
    return tmp_path_factory.mktemp("charts") / "store.sqlite"


@pytest.fixture(autouse=True)
def embedded(store_of_charts: Path) -> Iterator[sp.Client]:
    """Return the default client with the key `embedded` and the shared store."""
    with sp.connect(api_key="embedded", store=store_of_charts) as client:
        yield client
