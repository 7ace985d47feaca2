"""Many processes that open one store at the same moment, before its file exists."""

from collections import Counter

import pandas as pd
import pytest

from tests.support.adversary import serve
from tests.support.processes import NAMES, arrived, ask, books, paying, race

DOZEN = NAMES[:12]


@pytest.mark.parametrize(("method", "crowd"), [
    ("forkserver", 8),
    pytest.param("forkserver", 20, marks=pytest.mark.long),
    pytest.param("spawn", 20, marks=pytest.mark.long),
])  # fmt: skip
def test_processes_whose_batches_overlap_buy_each_suburb_once(tmp_path, method, crowd, trial):
    """Batches that share a dozen suburbs, in different orders, and have one of their own need the budget of each once.

    They do not wait for each other in a circle, and their rows agree.
    """
    own = NAMES[12 : 12 + crowd]
    with serve(latency_ms=5, wallet_cents=10**9) as service:
        settings = paying(service, tmp_path / "store", budget_cents=30 * (12 + crowd))
        batches = [[*DOZEN[number % 12 :], name, *DOZEN[: number % 12]] for number, name in enumerate(own)]
        results = race([(ask, settings, ("rent", names)) for names in batches], method)
        assert service.served == Counter(("rent", name) for name in [*DOZEN, *own])
    frames = [arrived(result).astype({"area_name": str}) for (result,) in results]
    shared = [frame[frame["area_name"].isin(DOZEN)].sort_values("area_name", kind="stable") for frame in frames]
    for frame, rows, names in zip(frames, shared, batches, strict=True):
        assert list(frame["area_name"].unique()) == names
        pd.testing.assert_frame_equal(rows, shared[0])
    assert books(settings)["outcome"].tolist() == ["billed"] * (12 + crowd)
    trial(
        "20 processes open a store that does not exist yet, and want overlapping batches",
        "each suburb is bought once; the frames are equal",
        crowds=1,
        processes=crowd,
        calls=12 + crowd,
    )
