"""Twenty processes that open one store at the same moment, before its file exists."""

from collections import Counter

import pandas as pd
import pytest

from suburb_pandas.sandbox import serve
from tests.support.processes import NAMES, arrived, ask, books, paying, race

CROWD = 20
DOZEN = NAMES[:12]
OWN = NAMES[12 : 12 + CROWD]

TRIED = "20 processes open a store that does not exist yet, and want the same dozen suburbs, or overlapping ones"
HELD = "each suburb is bought once; the frames are equal"

METHODS = pytest.mark.parametrize("method", ["forkserver", pytest.param("spawn", marks=pytest.mark.long)])
CROWDS = pytest.mark.parametrize(("method", "crowd"), [
    ("forkserver", 8),
    pytest.param("forkserver", CROWD, marks=pytest.mark.long),
    pytest.param("spawn", CROWD, marks=pytest.mark.long),
])  # fmt: skip
"""Every run lets twenty processes loose once, in the first test: on two cores, more than eight mostly wait."""


@pytest.fixture
def service():
    """Run a sandbox in this process, slow enough for the requests of several processes to overlap."""
    with serve(latency_ms=5, wallet_cents=10**9) as running:
        yield running


def assert_each_bought_once(service, settings, names):
    """Check that the service billed each name once, and that the ledger has exactly these calls."""
    assert service.served == Counter(("rent", name) for name in names)
    assert service.total_cents == 30 * len(names)
    ledger = books(settings)
    assert Counter(ledger["area_name"]) == Counter(names)
    assert set(ledger["outcome"]) == {"billed"}
    assert ledger["cents"].sum() == service.total_cents


def assert_equal(frames):
    """Check that all frames are equal and have the dozen in its order."""
    assert list(frames[0]["area_name"].unique()) == DOZEN
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0])


@METHODS
def test_twenty_processes_that_want_the_same_buy_it_once(service, tmp_path, method, trial):
    """Twenty processes that request the same dozen suburbs make a dozen calls, and need the budget of a dozen."""
    settings = paying(service, tmp_path / "store", budget_cents=30 * len(DOZEN))
    results = race([(ask, settings, ("rent", DOZEN))] * CROWD, method)
    assert_equal([arrived(result) for (result,) in results])
    assert_each_bought_once(service, settings, DOZEN)
    trial(TRIED, HELD, crowds=1, processes=CROWD, calls=len(DOZEN))


@CROWDS
def test_processes_with_a_suburb_of_their_own_besides_all_get_it(service, tmp_path, method, crowd, trial):
    """Processes that request shared and own suburbs, in either order, get both, and nothing is bought twice."""
    own, orders = OWN[:crowd], [1, -1] * (crowd // 2)
    settings = paying(service, tmp_path / "store", budget_cents=30 * (len(DOZEN) + crowd))
    lookups = [[("rent", DOZEN), ("rent", name)][::order] for name, order in zip(own, orders, strict=True)]
    results = race([(ask, settings, *pair) for pair in lookups], method)
    both = [map(arrived, pair[::order]) for pair, order in zip(results, orders, strict=True)]
    shared, alone = zip(*both, strict=True)
    assert_equal(shared)
    assert [frame.attrs["suburb_pandas"]["area_name"] for frame in alone] == own
    assert_each_bought_once(service, settings, [*DOZEN, *own])
    trial(TRIED, HELD, crowds=1, processes=crowd, calls=len(DOZEN) + crowd)


@CROWDS
def test_batches_that_overlap_buy_each_suburb_once(service, tmp_path, method, crowd, trial):
    """Batches that share a dozen suburbs in different orders buy each suburb once, and their rows agree."""
    settings = paying(service, tmp_path / "store")
    batches = [[*DOZEN[number % 12 :], own, *DOZEN[: number % 12]] for number, own in enumerate(OWN[:crowd])]
    frames = [arrived(result) for (result,) in race([(ask, settings, ("rent", names)) for names in batches], method)]
    for frame, names in zip(frames, batches, strict=True):
        assert list(frame["area_name"].unique()) == names
    plain = [frame.assign(area_name=frame["area_name"].astype(str)) for frame in frames]
    for name in DOZEN:
        rows = [frame[frame["area_name"] == name] for frame in plain]
        for one in rows[1:]:
            pd.testing.assert_frame_equal(one, rows[0])
    assert_each_bought_once(service, settings, [*DOZEN, *OWN[:crowd]])
    trial(TRIED, HELD, crowds=1, processes=crowd, calls=len(DOZEN) + crowd)
