"""Tests of packed series: they hold every point of the response, and are made again if they are missing.

Damaged ones are tested in ``store``.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.series import Columns, join, pack
from tests.support.common import RENTED, plain_sqlite
from tests.support.odd_responses import points, series_body

BAY = "Quokka Bay"

numbers = st.none() | st.integers(-3, 65_540).map(float) | st.floats(allow_nan=False, allow_infinity=False)
columns = st.dictionaries(st.integers(-106_000, 106_000), st.tuples(numbers, numbers), max_size=8).map(
    lambda rows: sorted(rows.items())
)


def packed(rows):
    """Return the packed series of some days, each with a value of houses and of units, or None."""
    values = np.array([both for _, both in rows], "f8").reshape(-1, 2).T
    return pack(Columns(values, np.array([day for day, _ in rows], "int64")))


@given(st.lists(columns, max_size=5))
@example([[(0, (65_535.0, 65_534.0))], [(1, (0.0, None))], [(-1, (1.0, None))], [(65_535, (None, 1.0))]])
def test_packing_loses_nothing(suburbs):
    """Joining packed series returns every point unchanged, suburb below suburb, in whichever layout each is packed."""
    joined, rows = join([*map(packed, suburbs)]), [row for one in suburbs for row in one]
    assert joined.days.tolist() == [day for day, _ in rows]
    np.testing.assert_array_equal(joined.numbers.T, np.array([both for _, both in rows], "f8").reshape(-1, 2))


def rows(client):
    """Return the number of rent responses that the store holds packed."""
    with plain_sqlite(client.store.path) as plain:
        return plain.execute("select count(*) from history").fetchone()[0]


def test_what_was_bought_is_not_decoded_again_and_a_reader_waits_for_no_writer(live, monkeypatch):
    """Rents are packed when they are bought, and later requests read them without decoding.

    Rents can be read while another program is writing. Packing them is skipped, and left to a later request.
    """
    frame = sp.rent(RENTED[:5])
    with monkeypatch.context() as patch:
        patch.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=lambda *_: pytest.fail("it was decoded")))
        pd.testing.assert_frame_equal(sp.rent(RENTED[:5]), frame)
    with plain_sqlite(live.store.path) as other:
        other.execute("delete from history")
        other.execute("begin immediate")
        pd.testing.assert_frame_equal(sp.rent(RENTED[:5]), frame)
        other.execute("rollback")
    assert rows(live) == 0
    sp.rent(RENTED[:2])
    assert rows(live) == 2


@pytest.mark.parametrize("dates", [["2026-02-01", "2026-01-01"], ["2026-01-01", "2026-01-01"]])
def test_marks_are_kept_with_the_columns(live, service, dates):
    """Packed rents remember whether points had to be sorted or dropped and whether they are made up.

    So each request says so. Of two points of a date, the last one is kept.
    """
    service.answer(BAY, "rent", body=series_body(BAY, unit=points([2, 1], dates)))
    for _ in range(2):
        with pytest.warns(sp.errors.DataWarning, match="out of order"):
            frame = sp.rent(BAY)
        assert frame.attrs["suburb_pandas"]["made_up"]
    assert frame["unit"].to_list() == [1, 2][: len({*dates})]
    assert rows(live) == 1
