"""Stored responses while a cassette records: those of the store, and those of the cassette before them."""

import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.service.calls import utc_now
from tests.support.recorded import call, written

BAY = "Quokka Bay"
OLD, FUTURE = "2020-01-01T00:00:00+00:00", "2100-01-01T00:00:00+00:00"


@pytest.fixture
def bought_twice(live):
    """Buy the same suburb twice, and return its vintages."""
    sp.rent(BAY)
    sp.rent(BAY, refresh=True)
    return sp.vintages(BAY)


@pytest.mark.parametrize("mode", ["once", "all", "new_episodes"])
def test_the_vintages_that_a_block_looks_at_are_recorded(service, bought_twice, tmp_path, mode):
    """The vintages of a suburb are the same in a block that records and in its replay, and so is the newest one."""
    with sp.cassette(tmp_path / "study.yaml", mode):
        newest = sp.rent(BAY)
        assert_frame_equal(sp.vintages(BAY), bought_twice)
    with sp.cassette(tmp_path / "study.yaml") as replayed:
        assert_frame_equal(sp.vintages(BAY), bought_twice)
        assert_frame_equal(sp.rent(BAY), newest)
    assert replayed.n_answers == 2  # each once: the newest counts by its time, wherever it is in the file
    assert len(service.requests) == 2


def test_new_episodes_sees_the_vintages_of_cassette_and_store(service, bought_twice, tmp_path):
    """With ``"new_episodes"`` the vintages are those of cassette and store, oldest first, and each one once."""
    path = tmp_path / "study.yaml"
    path.write_bytes(written(call(BAY, 222.0, at=FUTURE), call(BAY, 111.0, at=OLD), call("Woylie", at=utc_now())))
    with sp.cassette(path, "new_episodes"):
        sp.rent(BAY, retrieved_by=bought_twice["retrieved_at"].iloc[1])  # records the store's newest vintage
        found = sp.vintages(BAY)
    assert found["retrieved_at"].is_monotonic_increasing
    assert found["n_points"].to_list() == [1, *bought_twice["n_points"], 1]
    assert_frame_equal(found.iloc[1:3].reset_index(drop=True), bought_twice)
    with sp.cassette(path):
        assert_frame_equal(sp.vintages(BAY), found)
    assert len(service.requests) == 2
