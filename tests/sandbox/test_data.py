"""The made-up rents, drivers and boundaries, which are the same everywhere."""

import hashlib
import json
from collections import Counter
from itertools import pairwise

import pandas as pd
import pytest

from suburb_pandas.sandbox import SUBURBS, boundaries, census, premiums, series
from suburb_pandas.sandbox.country import BY_NAME


@pytest.mark.parametrize(
    ("made", "sha256"),
    [
        (series.rents, "2e6c8aa494561d3995f920e18f3141120a3b8fb1050f67ae3f02a7a06cadf08b"),
        (premiums.impacts, "3ecfa3a6a9aa2b899021a180b2b329be4d88f6a901e18863f8c35607247a5c2b"),
        (lambda suburb: census(suburb.name), "c5fcf7a1106a7beb751fdceb808e581fb6c129db4e61a3137cb0f531fe2e17a0"),
        (
            lambda suburb: boundaries.outlines()[suburb.name],
            "6f50aae03b8e45ed10b2e2e7aba7fa451f83b91b0e29edbf1a0f5b0f26f815ec",
        ),
    ],
    ids=["rents", "impacts", "census", "outlines"],
)
def test_the_data_are_the_same_everywhere(made, sha256):
    """Every Python version and machine makes the same data; a change to them needs a new data version."""
    made = getattr(made, "__wrapped__", made)  # without the cache, so that this test makes them
    everything = json.dumps({suburb.name: made(suburb) for suburb in SUBURBS}, sort_keys=True).encode()
    assert hashlib.sha256(everything).hexdigest() == sha256


def test_dates_are_month_ends_then_the_changeover_then_every_sunday():
    """Monthly points give way to weekly ones on a Sunday, a month end and the next Sunday."""
    months = pd.date_range("2004-01-31", "2022-08-31", freq=pd.offsets.MonthEnd())
    calendar = months.union(pd.date_range("2022-08-28", "2026-04-26", freq="W"))
    for kind in ("house", "unit"):
        dates = pd.DatetimeIndex([point["date"] for point in series.rents(BY_NAME["Quokka Bay"])[kind]])
        assert dates.equals(calendar[calendar >= dates[0]])


def test_suburbs_meet_without_gaps():
    """Each stretch of a boundary belongs to two suburbs, or lies at the coast. An outline ends where it begins."""
    outlines = boundaries.outlines().values()
    assert all(outline[0] == outline[-1] for outline in outlines)
    stretches = Counter(frozenset(stretch) for outline in outlines for stretch in pairwise(outline))
    assert {*stretches.values()} == {1, 2}
