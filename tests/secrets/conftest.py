"""A fixture for the tests of secrets."""

import logging

import pytest


@pytest.fixture
def log(caplog):
    """Capture all log records, those of the HTTP libraries too."""
    caplog.set_level(logging.DEBUG)
    return caplog
