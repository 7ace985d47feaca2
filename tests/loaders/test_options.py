"""The options that all loaders share: which values they take, at their borders, and which ones are refused."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.loaders.options import Options
from suburb_pandas.service import calls

NAME = "Quokka Bay"
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("max_age", "seconds"),
    [
        ("0D", 0),
        *[(day, 86_400) for day in ("1D", "24h", dt.timedelta(1), np.timedelta64(1, "D"))],
        ("1.5s", 1.5),
    ],
)
def test_max_age_is_a_length_of_time(max_age, seconds):
    """`max_age` is any length that pandas can parse, with its unit, from zero on."""
    assert Options(max_age=max_age).reuse.max_age == seconds


@pytest.mark.parametrize(
    "max_age",
    ["-1s", "1", "", "NaT", "1M", "1e400D", 1, pd.NaT, dt.date(2026, 1, 1), np.timedelta64(1, "M")],
    ids=repr,
)
def test_a_max_age_that_is_negative_or_without_a_unit_is_refused(live, service, max_age):
    """A `max_age` that is negative, missing, too long, or without a unit of fixed length is refused."""
    with pytest.raises(ValueError, match=f"^max_age must be a length of time.*{re.escape(repr(max_age))}"):
        sp.rent(NAME, max_age=max_age)
    assert not service.requests


@pytest.mark.parametrize(("max_age", "seconds"), [("30D", 30 * 86_400), ("0D", 0)])
def test_a_response_of_exactly_the_max_age_is_not_too_old(live, monkeypatch, max_age, seconds):
    """A stored response is reused up to the moment at which it is as old as `max_age`."""
    monkeypatch.setattr(calls, "clock", lambda: NOW)
    sp.rent(NAME)
    monkeypatch.setattr(calls, "clock", lambda: NOW + dt.timedelta(seconds=seconds))
    assert sp.quote(NAME, max_age=max_age).cents == 0
    monkeypatch.setattr(calls, "clock", lambda: NOW + dt.timedelta(seconds=seconds + 1))
    assert sp.quote(NAME, max_age=max_age).cents == 30


@pytest.mark.parametrize(
    ("by", "moment"),
    [
        ("2026-06", "2026-06-30T23:59:59.999999+00:00"),
        (np.datetime64("2026-06-30T10:00"), "2026-06-30T10:00:00.000000+00:00"),
        (dt.date(2026, 6, 30), "2026-06-30T23:59:59.999999+00:00"),
        ("2026-06-30", "2026-06-30T23:59:59.999999+00:00"),
        (pd.Timestamp("2026-06-30 12:00", tz="Australia/Sydney"), "2026-06-30T02:00:00.000000+00:00"),
        (dt.datetime(2026, 6, 30), "2026-06-30T00:00:00.000000+00:00"),  # noqa: DTZ001 - UTC is meant
        ("2026-06-30T10:00+10:00", "2026-06-30T00:00:00.000000+00:00"),
    ],
)
def test_a_moment_is_read_to_the_microsecond(by, moment):
    """`retrieved_by` without a time of day means the end of its day or month."""
    assert Options(retrieved_by=by).reuse.by == moment


@pytest.mark.parametrize(
    "by",
    ["2026", "2026-02-30", "2026-06-30T25:00", "30/06/2026", "9999-12-31T23:59-10:00", 2026, pd.NaT, dt.time(12)],
    ids=repr,
)
def test_a_moment_that_no_calendar_has_is_refused(by):
    """A missing time, a day that does not exist, and text that is not ISO 8601 are refused as `retrieved_by`."""
    with pytest.raises(ValueError, match=f"^retrieved_by must be a date or a time.*{re.escape(repr(by))}"):
        Options(retrieved_by=by)


def test_errors_are_raised_or_warned_of(live, service):
    """`errors` is ``"raise"`` or ``"warn"``; anything else is refused before any call."""
    with pytest.raises(ValueError, match=r"^errors must be 'raise' or 'warn', not 'ignore'"):
        sp.rent(NAME, errors="ignore")
    assert not service.requests
