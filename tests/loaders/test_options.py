"""The options that all loaders share: which values they take, at their borders, and which ones are refused."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.loaders.options import Options

NAME = "Quokka Bay"


@pytest.mark.parametrize(
    ("max_age", "seconds"),
    [("0D", 0), ("24h", 86_400), (dt.timedelta(1), 86_400), (np.timedelta64(1, "D"), 86_400), ("1.5s", 1.5)],
)
def test_max_age_is_a_length_of_time(max_age, seconds):
    """`max_age` is any length that pandas can parse, with its unit, from zero on."""
    assert Options(max_age=max_age).reuse.max_age == seconds


@pytest.mark.parametrize(
    ("by", "moment"),
    [
        ("2026-06", "2026-06-30T23:59:59.999999+00:00"),
        (np.datetime64("2026-06-30T10:00"), "2026-06-30T10:00:00.000000+00:00"),
        (dt.date(2026, 6, 30), "2026-06-30T23:59:59.999999+00:00"),
        (pd.Timestamp("2026-06-30 12:00", tz="Australia/Sydney"), "2026-06-30T02:00:00.000000+00:00"),
        (dt.datetime(2026, 6, 30), "2026-06-30T00:00:00.000000+00:00"),  # noqa: DTZ001 - UTC is meant
        ("2026-06-30T10:00+10:00", "2026-06-30T00:00:00.000000+00:00"),
    ],
)
def test_a_moment_is_read_to_the_microsecond(by, moment):
    """`retrieved_by` without a time of day means the end of its day or month."""
    assert Options(retrieved_by=by).reuse.by == moment


REFUSED = {
    "max_age": ["-1s", "1", "", "NaT", "1M", "1e400D", 1, pd.NaT, dt.date(2026, 1, 1), np.timedelta64(1, "M")],
    "retrieved_by": [
        *("2026", "2026-02-30", "2026-06-30T25:00", "30/06/2026", "9999-12-31T23:59-10:00", 2026, pd.NaT, dt.time(12)),
    ],
    "errors": ["ignore"],
}


@pytest.mark.parametrize("option", REFUSED)
def test_values_that_cannot_be_read_are_refused_before_any_call(live, service, option):
    """A length that is negative, too long or without a unit, and a time that no calendar has, raise ValueError.

    So does anything but ``"raise"`` or ``"warn"`` as `errors`. The message quotes the value.
    """
    for value in REFUSED[option]:
        with pytest.raises(ValueError, match=rf"^{option} must be .*not {re.escape(repr(value))}\. Nothing was sent"):
            sp.rent(NAME, **{option: value})
    assert not service.requests
