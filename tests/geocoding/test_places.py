"""Tests the note that suburbs are made up, and the error for an area without suburbs."""

import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call


@pytest.mark.parametrize("function", [sp.suggest, sp.places, sp.find, sp.resolve])
def test_without_a_key_the_suburbs_are_said_to_be_made_up(function):
    """Without a key, each function on names warns that the suburbs are made up, even if it makes no call."""
    with pytest.warns(sp.errors.SyntheticDataWarning) as caught:
        function("Quokka Bay")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


def test_an_area_without_suburbs_is_told(embedded, tmp_path):
    """An empty frame for a council or SA4 that nobody knows would be a dead end. A replay says the same."""

    def check():
        with pytest.warns(
            sp.SuburbWarning, match=r"lie in sa4='mar'. To list every sa4 that is known here: sp.places\(\)"
        ):
            assert sp.places(sa4="mar").empty

    check()
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "c.yaml", record):
            sp.impacts("Quokka Bay")
            check()
