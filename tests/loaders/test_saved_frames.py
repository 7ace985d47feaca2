"""Frames that are written to a Parquet or pickle file and read again."""

import pickle

import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"

FRAMES = {
    "one": lambda: sp.rent(BAY),
    "many": lambda: sp.rent([BAY, HEIGHTS]),
    "none": lambda: sp.rent([]),
    "monthly": lambda: sp.rent([BAY, HEIGHTS], freq="MS"),
    "impacts of one": lambda: sp.impacts(BAY),
    "impacts": lambda: sp.impacts([BAY, HEIGHTS]),
    "summary": lambda: sp.impact_summary([BAY, HEIGHTS]),
    "scorecard": lambda: sp.scorecard([BAY, HEIGHTS]),
    "ledger": sp.ledger,
}
WIDE = {"wide": lambda: sp.rent([BAY, HEIGHTS], layout="wide")}


@pytest.mark.parametrize("kind", [*FRAMES, *WIDE])
@pytest.mark.usefixtures("embedded")
def test_a_frame_that_was_pickled_is_the_same(kind, tmp_path):
    """A pickle of a frame keeps its values, dtypes, index and attrs."""
    frame = (FRAMES | WIDE)[kind]()
    frame.to_pickle(tmp_path / "frame.pkl")
    for restored in (pickle.loads(pickle.dumps(frame)), pd.read_pickle(tmp_path / "frame.pkl")):  # noqa: S301 - our own
        pd.testing.assert_frame_equal(restored, frame, check_freq=True)
        assert restored.attrs == frame.attrs


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.usefixtures("embedded")
def test_a_frame_from_parquet_is_the_same(kind, tmp_path):
    """A Parquet file keeps values, dtypes, index and attrs, but not the ``freq`` of a calendar."""
    pytest.importorskip("pyarrow")
    frame = FRAMES[kind]()
    frame.to_parquet(tmp_path / "frame.parquet")
    restored = pd.read_parquet(tmp_path / "frame.parquet")
    # pyarrow does not keep the dtype of categories if there are none.
    pd.testing.assert_frame_equal(restored, frame, check_freq=False, check_categorical=len(frame) > 0)
    assert restored.attrs == frame.attrs


@pytest.mark.parametrize("write", ["parquet", "pickle"])
@pytest.mark.usefixtures("embedded")
def test_a_frame_that_was_read_again_is_as_good_as_new(write, tmp_path):
    """A frame that was read from a file can be cited and resampled, and its suburbs can be loaded again."""
    if write == "parquet":
        pytest.importorskip("pyarrow")
    frame = sp.rent([BAY, HEIGHTS])
    getattr(frame, f"to_{write}")(tmp_path / "frame")
    restored = getattr(pd, f"read_{write}")(tmp_path / "frame")
    assert sp.cite(restored) == sp.cite(frame)
    pd.testing.assert_frame_equal(sp.provenance(restored), sp.provenance(frame))
    pd.testing.assert_frame_equal(restored.suburb.resample("MS"), frame.suburb.resample("MS"))
    pd.testing.assert_frame_equal(restored.suburb.growth(), frame.suburb.growth())
    pd.testing.assert_frame_equal(restored.suburb.impacts(), sp.impacts([BAY, HEIGHTS]))
