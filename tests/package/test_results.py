"""The results of many calls of each folder are compared with those that a person has read."""

from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.results import examples_of

READ = sorted(Path(__file__).parents[1].glob("*/results.txt"))


@patch.dict("suburb_pandas.client.provenance_log._used", clear=True)
@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize("read", READ, ids=[path.parent.name for path in READ])
def test_results_are_those_that_a_person_has_read(read, as_read):
    """If a change is wanted, run this with `--renew`, and read the difference before it is committed."""
    as_read(examples_of(read), read)
