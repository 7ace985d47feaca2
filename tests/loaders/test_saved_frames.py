"""Public frames that are written to an Excel, CSV or Parquet file and read again."""

import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS, NOWHERE = "Quokka Bay", "Bilby Heights", "Thorny Devil"
MANY = [BAY, NOWHERE]


FRAMES = {
    "rents": lambda: sp.rent(MANY),
    "no rents": lambda: sp.rent([]),
    "wide": lambda: sp.rent(MANY, layout="wide"),
    "cadence": lambda: sp.cadence(sp.rent(MANY)),
    "quality": lambda: sp.quality(sp.rent(MANY), asof="2026-05-01"),
    "index": lambda: sp.rent_index(sp.rent(MANY, freq="QE"), by={BAY: "west"}),
    "impacts": lambda: sp.impacts([BAY, HEIGHTS]),
    "summary": lambda: sp.impact_summary([BAY, HEIGHTS]),
    "scorecard": lambda: sp.scorecard(MANY),
    "ledger": lambda: (sp.rent(BAY), sp.ledger())[1],
    "vintages": lambda: (sp.rent(BAY), sp.vintages(BAY))[1],
    "provenance": lambda: sp.provenance(sp.rent([BAY, HEIGHTS])),
    "places": lambda: sp.places([BAY, HEIGHTS]),
    "candidates": lambda: sp.find("kestrel hill"),
    "resolved": lambda: sp.resolve(["quokka bay", "sugrgum"], detail=True, errors="warn"),
}

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")


TIMES = {"at", "retrieved_at"}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_public_frame_goes_to_excel_and_to_parquet(embedded, kind, tmp_path):
    """A workbook has a row for each row of a frame. Excel files cannot hold times with a zone, and no frame has any.

    A Parquet file keeps values, dtypes, index and attrs, but not the ``freq`` of a calendar. Times are in UTC, with
    microseconds, whatever the zone of this machine.
    """
    frame, path = FRAMES[kind](), tmp_path / "frame.xlsx"
    frame.to_excel(path)
    assert len(pd.read_excel(path, header=[*range(frame.columns.nlevels)], index_col=0)) == len(frame)
    assert all(frame[column].dtype == "datetime64[us]" for column in TIMES.intersection(frame))
    pytest.importorskip("pyarrow")
    frame.to_parquet(path)
    restored = pd.read_parquet(path)
    # pyarrow does not keep the dtype of categories and of labels if there are none.
    pd.testing.assert_frame_equal(
        restored, frame, check_freq=False, check_categorical=len(frame) > 0, check_column_type=False
    )
    assert restored.attrs == frame.attrs
