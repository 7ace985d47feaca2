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


@pytest.mark.parametrize(
    ("kind", "area", "advice"),
    [
        ("lga", "city of curlw shores", "Did you mean lga='Curlew Shores'?"),
        ("sa4", "mar", "Did you mean sa4='Marri Coast'?"),
        ("sa4", "Curlew Shores", 'To list every sa4 that is known here: sp.places()["sa4"].unique()'),
    ],
)
def test_an_area_without_suburbs_is_told_with_similar_ones(embedded, kind, area, advice, tmp_path):
    """An empty frame for a council or SA4 that nobody knows would be a dead end.

    With a cassette, on which only few suburbs are known, the warning suggests none, so that a replay says the same.
    """

    def warning():
        with pytest.warns(sp.SuburbWarning) as caught:
            assert sp.places(**{kind: area}).empty
        return str(caught[0].message)

    assert warning() == f"No suburb is known to lie in {kind}={area!r}. {advice}"
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "c.yaml", record):
            sp.impacts("Quokka Bay")
            assert "To list every" in warning()
