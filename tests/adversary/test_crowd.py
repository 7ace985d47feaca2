"""A crowd: twenty processes that open one store at the same moment, which is not there yet."""

from collections import Counter

import pandas as pd
import pytest

from suburb_pandas.sandbox import serve
from tests.support.processes import NAMES, arrived, ask, books, paying, race

CROWD = 20
DOZEN = NAMES[:12]
OWN = NAMES[12 : 12 + CROWD]

METHODS = pytest.mark.parametrize("method", ["forkserver", pytest.param("spawn", marks=pytest.mark.long)])


@pytest.fixture
def service():
    """Give a service slow enough for requests to meet, whose counts are this process's own."""
    with serve(latency_ms=5, wallet_cents=10**9) as running:
        yield running


def assert_each_bought_once(service, settings, names):
    """The service billed each name once, and the ledger has that call of it and no other."""
    assert service.served == Counter(("rent", name) for name in names)
    assert service.total_cents == 30 * len(names)
    ledger = books(settings)
    assert Counter(ledger["area_name"]) == Counter(names)
    assert set(ledger["outcome"]) == {"billed"}
    assert ledger["cents"].sum() == service.total_cents


def assert_equal(frames):
    """All are the same frame, of the dozen in the order given."""
    assert list(frames[0]["area_name"].unique()) == DOZEN
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0])


@METHODS
def test_twenty_processes_that_want_the_same_buy_it_once(service, tmp_path, method):
    """A dozen suburbs wanted by twenty processes are a dozen calls, and the budget for those is enough."""
    settings = paying(service, tmp_path / "store", budget_cents=30 * len(DOZEN))
    answers = race([(ask, settings, ("rent", DOZEN))] * CROWD, method)
    assert_equal([arrived(answer) for (answer,) in answers])
    assert_each_bought_once(service, settings, DOZEN)


@METHODS
def test_twenty_processes_with_a_suburb_of_their_own_besides_all_get_it(service, tmp_path, method):
    """Half of them begin with their own and half with what all want: each gets both, and nothing is bought twice."""
    settings = paying(service, tmp_path / "store", budget_cents=30 * (len(DOZEN) + CROWD))
    orders = [1, -1] * (CROWD // 2)
    lookups = [[("rent", DOZEN), ("rent", name)][::order] for name, order in zip(OWN, orders, strict=True)]
    answers = race([(ask, settings, *pair) for pair in lookups], method)
    both = [map(arrived, pair[::order]) for pair, order in zip(answers, orders, strict=True)]
    shared, alone = zip(*both, strict=True)
    assert_equal(shared)
    assert [frame.attrs["suburb_pandas"]["area_name"] for frame in alone] == OWN
    assert_each_bought_once(service, settings, [*DOZEN, *OWN])


@METHODS
def test_twenty_batches_that_overlap_buy_each_suburb_once(service, tmp_path, method):
    """Each wants the dozen and its own in one request, from another place in the round: the rows of the dozen agree."""
    settings = paying(service, tmp_path / "store")
    batches = [[*DOZEN[number % 12 :], own, *DOZEN[: number % 12]] for number, own in enumerate(OWN)]
    answers = [arrived(answer) for (answer,) in race([(ask, settings, ("rent", names)) for names in batches], method)]
    for frame, names in zip(answers, batches, strict=True):
        assert list(frame["area_name"].unique()) == names
    plain = [frame.assign(area_name=frame["area_name"].astype(str)) for frame in answers]
    for name in DOZEN:
        rows = [frame[frame["area_name"] == name] for frame in plain]
        for one in rows[1:]:
            pd.testing.assert_frame_equal(one, rows[0])
    assert_each_bought_once(service, settings, [*DOZEN, *OWN])
