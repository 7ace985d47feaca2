"""Fixtures for the trials: a sandbox in another process, and a batch that nothing interrupts."""

import time

import pytest

from tests.support.processes import NAMES, Worker, arrived, ask, paying, sandbox


@pytest.fixture
def service():
    """Run a sandbox in another process, slow enough for requests to overlap."""
    with sandbox(latency_ms=5) as running:
        yield running


@pytest.fixture(scope="session")
def good_day(tmp_path_factory):
    """Return the rents of forty suburbs, bought in a batch that nothing interrupts, and the seconds that it takes."""
    with sandbox(latency_ms=4) as service:
        settings = paying(service, tmp_path_factory.mktemp("good") / "store", max_workers=4)
        batch, start = Worker(ask, settings, ("rent", NAMES[:40])).go(), time.monotonic()
        (result,) = batch.result()
        return arrived(result), time.monotonic() - start
