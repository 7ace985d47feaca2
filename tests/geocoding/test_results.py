"""The results of many calls are compared with those that a person has read."""

from pathlib import Path

import pytest

from tests.support.results import assert_as_read, examples_of

READ = Path(__file__).with_name("results.txt")


@pytest.mark.usefixtures("embedded")
def test_results_are_those_that_a_person_has_read(tmp_path):
    """If a change is wanted, read the new file, and commit it."""
    assert_as_read(examples_of(READ), READ, tmp_path)
