"""The study records its cassette again as it is stored."""

import nbformat
import pandas as pd

from suburb_pandas.cassettes import vcr_yaml
from tests.support.notebooks import FOLDER, cassette_of, executed, texts

STUDY = FOLDER / "05_reproducible_study.ipynb"


def calls_of(cassette):
    """Return the calls of a cassette sorted by item, because their order on file depends on timing."""
    return sorted(vcr_yaml.read(cassette.read_bytes()).calls, key=lambda call: call.item)


def test_the_study_records_the_cassette_that_is_stored(tmp_path):
    """A new recording has the same calls as the stored cassette, and the same outputs as a replay of it."""
    recorded = executed(STUDY, tmp_path, recording=True)
    now, stored = (calls_of(folder / cassette_of(STUDY).name) for folder in (tmp_path, FOLDER))
    assert now == stored
    assert cassette_of(STUDY).stat().st_size < 1_000_000
    if int(pd.__version__.split(".")[0]) >= 3:  # older ones show frames in another way
        assert texts(recorded) == texts(nbformat.read(STUDY, as_version=4))
