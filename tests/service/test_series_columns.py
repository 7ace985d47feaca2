"""Tests of packed rents: they hold every point of the response, and are rebuilt if they are missing, old or damaged."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.service import ENDPOINTS, series_columns
from suburb_pandas.service.series import Points, PropertySeries
from suburb_pandas.service.series_columns import count_rows, join, pack
from tests.support.common import RENTED, plain_sqlite
from tests.support.recorded import body_of

BAY = "Quokka Bay"

values = st.integers(-3, 65_540).map(float) | st.floats(allow_nan=False, allow_infinity=False)
columns = st.lists(st.tuples(st.integers(-106_000, 106_000), values), unique_by=lambda point: point[0], max_size=8).map(
    sorted
)


def points(column):
    """Return points as the decoder does."""
    return Points(np.array([day for day, _ in column], "int64"), np.array([value for _, value in column], "f8"))


@given(st.lists(st.tuples(columns, columns), max_size=5))
@example([([(0, 65_535.0)], [(0, 65_534.0)]), ([(1, 0.0)], []), ([(-1, 1.0)], [(65_535, 1.0)])])
def test_packing_loses_nothing(suburbs):
    """Joining packed series returns every point unchanged, suburb below suburb, in whichever layout each is packed."""
    every = join([pack(PropertySeries(BAY, points(house), points(unit))) for house, unit in suburbs])
    days = [sorted({day for column in both for day, _ in column}) for both in suburbs]
    assert every.days.tolist() == [day for some in days for day in some]
    for number, rents in enumerate(every.numbers):
        expected = [
            dict(both[number]).get(day, np.nan) for both, some in zip(suburbs, days, strict=True) for day in some
        ]
        np.testing.assert_array_equal(rents, np.array(expected, "f8"))


@pytest.mark.parametrize(("value", "size"), [(600, 6), (600.5, 20), (65_534, 6), (65_535, 20), (-1, 20)])
def test_whole_dollars_take_less_room(value, size):
    """A date takes 6 bytes if all rents of the suburb are whole dollars from 0 to 65,534, and 20 bytes otherwise."""
    found = pack(PropertySeries(BAY, points([(20_000, value)]), points([])))
    assert (len(found.records), count_rows(found)) == (size, 1)


def rows(client):
    """Return the number of rent responses that the store holds packed."""
    with plain_sqlite(client.store.path) as plain:
        return plain.execute("select count(*) from history").fetchone()[0]


def change(client, statement):
    """Change the store with plain SQLite, without the package."""
    with plain_sqlite(client.store.path) as plain:
        plain.execute(statement)


@pytest.fixture
def undecoded(monkeypatch):
    """Return a function that makes any later decoding of rents fail the test."""

    def stop():
        undecodable = replace(ENDPOINTS["rent"], decode=lambda *_: pytest.fail("it was decoded"))
        monkeypatch.setitem(ENDPOINTS, "rent", undecodable)

    return stop


def test_what_was_bought_is_not_decoded_again(live, undecoded):
    """Rents are packed when they are bought, and later requests of one or many suburbs read them without decoding."""
    many, one = sp.rent(RENTED[:5]), sp.rent(RENTED[0])
    assert rows(live) == 5
    undecoded()
    pd.testing.assert_frame_equal(sp.rent(RENTED[:5]), many)
    pd.testing.assert_frame_equal(sp.rent(RENTED[0], offline=True), one)
    assert sp.provenance(sp.rent(RENTED[0])).equals(sp.provenance(one))


@pytest.mark.parametrize(
    "harm",
    [
        "delete from history",
        "update history set format = format + 1",
        "update history set format = format - 1",
        "update history set records = zeroblob(600)",
        "update history set records = 'text'",
        "update history set records = substr(records, 2)",
        "update history set crc32 = crc32 + 1",
    ],
)
def test_columns_that_are_missing_old_or_rotten_are_made_anew(live, service, harm):
    """Packed rents that are missing, of another format or damaged are rebuilt from the response at no cost."""
    frame = sp.rent(RENTED[:5])
    change(live, harm)
    pd.testing.assert_frame_equal(sp.rent(RENTED[:5]), frame)
    assert len(service.requests) == 5
    with plain_sqlite(live.store.path) as plain:
        assert plain.execute("select count(*) from history where format = ?", (series_columns.FORMAT,)).fetchone() == (
            5,
        )


def test_a_reader_waits_for_no_writer(live):
    """Rents can be read while another program is writing. Packing them is skipped, and left to a later request."""
    frame = sp.rent(RENTED[:5])
    with plain_sqlite(live.store.path) as other:
        other.execute("delete from history")
        other.execute("begin immediate")
        pd.testing.assert_frame_equal(sp.rent(RENTED[:5]), frame)
        other.execute("rollback")
    assert rows(live) == 0
    sp.rent(RENTED[:2])
    assert rows(live) == 2


@pytest.mark.parametrize("kind", ["house", "unit"])
def test_marks_are_kept_with_the_columns(live, service, kind):
    """Packed rents remember whether points had to be sorted and whether they are made up, so each request says so."""
    series = '[{"date": "2026-02-01", "value": 2}, {"date": "2026-01-01", "value": 1}]'
    body = f'{{"data": {{"area_name": "{BAY}", "area_level": "suburb", "{kind}": {series}}}}}'
    service.answer(BAY, "rent", body=body.encode())
    for _ in range(2):
        with pytest.warns(sp.errors.DataWarning, match="out of order"):
            frame = sp.rent(BAY)
        assert frame.attrs["suburb_pandas"]["made_up"]
    assert frame[kind].to_list() == [1, 2]
    assert rows(live) == 1


def test_what_is_no_history_is_not_packed(live, service):
    """Responses without data, responses that break the contract, and impacts are not packed."""
    service.answer(BAY, "rent", body=b'{"data": null}')
    with pytest.raises(sp.errors.NoData):
        sp.rent(BAY)
    service.answer("Bilby Heights", "rent", body=body_of(BAY))
    with pytest.raises(sp.errors.ContractViolation):
        sp.rent("Bilby Heights")
    sp.impacts("Mangrove Steps")
    assert rows(live) == 0
