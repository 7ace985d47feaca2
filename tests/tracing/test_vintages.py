"""Frames of suburbs with several responses: which of these are behind the values, and what the citation says of it."""

from contextlib import contextmanager
from unittest.mock import Mock

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item
from suburb_pandas.tracing import rows
from tests.support.recorded import call
from tests.support.vintages import BAY, at, premiums, rents, replayed, weeks
from tests.tracing.steps import said_of

HEIGHTS = "Bilby Heights"
NAMES = [BAY, HEIGHTS]


@contextmanager
def releases(*values, names=(BAY,), others=()):
    """Replay responses with these weekly rents of houses; yield the rents as they were after each of them."""
    with replayed(*(rents(BAY, weeks(*each)) for each in values), others=others):
        yield [sp.rent(names, retrieved_by=at(week)) for week in range(len(values))]


def refreshed(times):
    """Replay equal responses of each week."""
    body = premiums(BAY, {"no pool nearby": 20_000})
    impacts = [call(BAY, body=body, at=at(week))._replace(item=Item("impacts", BAY)) for week in range(times)]
    return releases(*[(500.0,)] * times, others=impacts)


def behind(frame):
    """Return the numbers of the weeks in which the responses behind a frame were retrieved."""
    return [(time - pd.Timestamp(at(0)[:10])).days / 7 for time in sp.provenance(frame)["retrieved_at"]]


def test_an_older_response_does_not_excuse_a_missing_value():
    """NaN at a date that an older response did not have yet is refused. Rows of both responses together are cited."""
    with releases((490.0, 500.0), (490.0, 501.0, 511.0, 520.0)) as (old, new):
        for rows in (old, old.tail(1)):
            assert said_of(pd.concat([rows, new])) == "from two responses"
        with pytest.raises(sp.errors.ProvenanceError, match="is missing, but 520 in the responses"):
            sp.provenance(new.mask(new == 520))


def test_the_digest_of_two_vintages_has_all_values_in_any_order():
    """If a date has two values, both are in the digest, whatever comes first."""
    with releases((99.0, 510.0), (99.0, 100.0, 520.0)) as (old, new):
        digests = [sp.cite(pd.concat(both)).rpartition(" ")[-1] for both in ([old, new], [new, old])]
        assert digests[0] == digests[1] != sp.cite(new).rpartition(" ")[-1]


@pytest.fixture
def two():
    """Replay two responses about one suburb and one about another; return the older rents and the newer."""
    with releases(
        (614.25, 624.25, 634.25),
        (615.7, 635.7, 655.7),
        names=NAMES,
        others=[call(HEIGHTS, body=rents(HEIGHTS, weeks(400.0, 440.0, 450.0)))],
    ) as every:
        yield every


def test_all_responses_behind_two_vintages_are_counted(two):
    """Rows of two responses about one suburb are cited with those about the others, and rounded ones as rounded."""
    both, weekly = (
        pd.concat([old.head(1), new.iloc[1:]]) for old, new in (two, [sp.resample(each, "W") for each in two])
    )
    assert "suburbs, from three responses of " in sp.cite(both)
    assert "suburbs, rounded, from three responses of " in sp.cite(both.round(1))
    assert 'computed with resample(freq="W") from three responses of ' in sp.cite(weekly)
    every = pd.concat(two)
    assert sp.cite(both)[-17:] == sp.cite(both.round(1))[-17:] != sp.cite(weekly)[-17:] == sp.cite(every)[-17:]


def test_an_index_has_the_responses_of_one_moment_of_a_day():
    """If suburbs are refreshed several times on a day, the index of a moment has the newest responses until then."""
    hours = {BAY: ("09", "10", "12"), HEIGHTS: ("09", "11")}
    calls = [
        call(name, body=rents(name, weeks(500.0, 510.0 + nth * len(name))), at=f"2026-01-02T{hour}:00:00+00:00")
        for name, own in hours.items()
        for nth, hour in enumerate(own)
    ]
    with replayed(others=calls):
        index = sp.rent_index(sp.rent(NAMES, retrieved_by="2026-01-02T11:30")).copy()
        sp.rent(NAMES)
        assert sp.provenance(index)["retrieved_at"].dt.hour.to_list() == [10, 11]


def test_a_copy_of_an_older_card_has_its_own_responses():
    """The time of retrieval in a card tells from which of several equal responses it is."""
    with refreshed(2):
        old, _ = sp.scorecard([BAY], retrieved_by=at(0)), sp.scorecard([BAY])
        assert behind(old.copy()) == [0, 0]


def test_equal_responses_are_compared_once(monkeypatch):
    """The refusal of a changed card takes no longer after many refreshes without news."""
    with refreshed(9):
        changed, made = sp.scorecard([BAY]).assign(house_rent=501.0), Mock(wraps=rows.card_of)
        monkeypatch.setattr(rows, "card_of", made)
        with pytest.raises(sp.errors.ProvenanceError):
            sp.cite(changed)
        assert made.call_count < 9


def test_the_dates_of_the_input_are_cited_if_one_response_goes_beyond_them():
    """They are in the citation even if another suburb's older response ends with them."""
    first = weeks(*range(500, 570, 10))
    others = [
        call(HEIGHTS, body=rents(HEIGHTS, house), at=at(week))
        for week, house in enumerate((first, first | weeks(*[None] * 7, 900, 950)))
    ]
    with releases(range(500, 570, 10), (501, *range(510, 590, 10)), names=NAMES, others=others) as (old, _):
        means = sp.resample(old, "ME", how="mean", min_coverage=0.1)
        assert "min_coverage=0.1) of 2024-01-07 to 2024-02-18 from" in sp.cite(means.copy())
