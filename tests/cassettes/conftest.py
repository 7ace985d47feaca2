"""A fixture for the tests of cassettes."""

import pytest


@pytest.fixture
def path(tmp_path):
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"
