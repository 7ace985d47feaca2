"""One store of made-up suburbs for all tests of charts: what the suburbs answer is not under test here."""

from collections.abc import Iterator

import pytest

import suburb_pandas as sp


@pytest.fixture(autouse=True)
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sp.Client]:
    """Return the default client with the key `embedded`, and with a store for all tests of a run.

    Each response is then fetched and decoded once.
    """
    with sp.connect(api_key="embedded", store=tmp_path_factory.getbasetemp() / "charts.sqlite") as client:
        yield client
