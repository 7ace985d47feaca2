"""Tests the warning for many rows that are not resolved."""

import pytest

import suburb_pandas as sp

pytestmark = pytest.mark.usefixtures("embedded")


def test_many_problems_may_be_a_warning():
    """With errors="warn", unresolved rows are NA. The message lists at most 100 queries."""
    with pytest.warns(
        sp.SuburbWarning, match="120 of 121 rows were not resolved .*, and area_name is NA there(.|\n)*and 20 more"
    ):
        found = sp.resolve(["woylie", *(f"zzzzzz {number}" for number in range(120))], errors="warn")
    assert found.dropna().to_list() == ["Woylie"]
