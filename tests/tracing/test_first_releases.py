"""First releases: the value of each date that was received first."""

import datetime as dt

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.laws import law
from tests.support.vintages import BAY, START, at, bodies_of, histories, rents, replayed, weeks


def test_first_releases_are_the_values_that_were_known_first(live, service):
    """Each date has the value of the first response that had it, in the shape of rent. Nothing is bought."""
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 510.0), weeks(300.0, 300.0)))
    sp.rent(BAY)
    service.answer(BAY, "rent", body=rents(BAY, weeks(501.0, 511.0, 520.0), weeks(None, 300.0, 310.0)))
    with pytest.warns(sp.errors.DataWarning):
        sp.rent(BAY, refresh=True)
    calls = len(sp.ledger())
    found = sp.first_releases(BAY)
    assert found["house"].to_list() == [500, 510, 520]
    assert found["unit"].to_list() == [300, 300, 310]
    pd.testing.assert_frame_equal(sp.first_releases([BAY])[["house", "unit"]], found)
    assert sp.first_releases([BAY]).columns.to_list() == ["area_name", "house", "unit"]
    assert len(sp.provenance(found)) == 2
    assert "retrieved" in sp.cite(found)
    with pytest.raises(sp.errors.NotStored):
        sp.first_releases("Woylie")
    assert len(sp.ledger()) == calls


def test_first_releases_are_not_what_a_study_had_on_a_day():
    """A value that was revised before the next one arrived is as it was first; `retrieved_by` has the revised one."""
    with replayed(*(rents(BAY, weeks(*values)) for values in ((500.0,), (505.0, 510.0), (505.0, 515.0)))):
        assert sp.first_releases(BAY)["house"].to_list() == [500, 510]
        assert sp.rent(BAY, retrieved_by=at(1))["house"].to_list() == [505, 510]


def test_first_releases_keep_what_newer_responses_lack():
    """A value that was removed, or cut off, has its first release; one that came later has the one it came with."""
    values = ((None, 510.0, 520.0, 530.0), (500.0, 511.0, None, 531.0), (None, None, 522.0, 532.0))
    with replayed(*(rents(BAY, weeks(*some)) for some in values)):
        assert sp.first_releases(BAY)["house"].to_list() == [500, 510, 520, 530]


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_first_releases_outlive_a_response_without_data():
    """They are those of the older responses, for one suburb and for many. Without any data, there are none."""
    empty = (None, None)
    with replayed(*(rents(BAY, weeks(*values)) for values in ((500.0, 510.0), empty))):
        assert sp.first_releases(BAY)["house"].to_list() == [500, 510]
        assert sp.first_releases([BAY])["house"].to_list() == [500, 510]
        assert len(sp.provenance(sp.first_releases(BAY))) == 1
    with replayed(rents(BAY, weeks(*empty))), pytest.raises(sp.errors.NoData):
        sp.first_releases(BAY)


@law(vintages=histories.filter(lambda vintages: any(any(one.values()) for one in vintages)))
def test_first_releases_are_those_of_a_slow_reference(vintages):
    """Each date and property type has the value of the oldest response that has it."""
    first = {}
    for one in vintages:
        for kind, points in one.items():
            for week, value in points.items():
                first.setdefault((START + dt.timedelta(7 * week), kind), value)
    with replayed(*bodies_of(vintages)):
        found = sp.first_releases(BAY)
    assert found.index.is_monotonic_increasing
    assert {(date.date(), kind): value for kind in found for date, value in found[kind].dropna().items()} == first
