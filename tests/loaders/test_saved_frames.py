"""Public frames that are written to an Excel, CSV, Parquet or pickle file and read again."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.vintages import rents, replayed, weeks

BAY, HEIGHTS, NOWHERE = "Quokka Bay", "Bilby Heights", "Thorny Devil"
MANY = [BAY, HEIGHTS, NOWHERE]


def revised():
    """Return the revisions between two responses: one rent of two differs."""
    with replayed(rents(BAY, weeks(500.0, 510.0)), rents(BAY, weeks(505.5, 510.0))):
        return sp.revisions(BAY)


FRAMES = {
    "rents": lambda: sp.rent(MANY),
    "no rents": lambda: sp.rent([]),
    "wide": lambda: sp.rent(MANY, layout="wide"),
    "details": lambda: sp.resample(sp.rent(MANY), "QE", detail=True),
    "cadence": lambda: sp.cadence(sp.rent(MANY)),
    "quality": lambda: sp.quality(sp.rent(MANY), asof="2026-05-01"),
    "index": lambda: sp.rent_index(sp.rent(MANY, freq="QE"), by={BAY: "west", HEIGHTS: "north"}),
    "impacts": lambda: sp.impacts([BAY, HEIGHTS]),
    "summary": lambda: sp.impact_summary([BAY, HEIGHTS]),
    "scorecard": lambda: sp.scorecard(MANY),
    "ledger": lambda: (sp.rent(BAY), sp.ledger())[1],
    "vintages": lambda: (sp.rent(BAY), sp.vintages(BAY))[1],
    "provenance": lambda: sp.provenance(sp.rent([BAY, HEIGHTS])),
    "revisions": revised,
    "places": lambda: sp.places([BAY, HEIGHTS]),
    "candidates": lambda: sp.find("kestrel hill"),
    "resolved": lambda: sp.resolve(["quokka bay", "sugrgum"], detail=True, errors="warn"),
}

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")


@pytest.mark.parametrize("kind", FRAMES)
def test_every_public_frame_goes_to_excel(embedded, kind, tmp_path):
    """A workbook has a row for each row of a frame. Excel files cannot hold times with a zone, and no frame has any."""
    frame = FRAMES[kind]()
    frame.to_excel(tmp_path / "frame.xlsx")
    assert len(pd.read_excel(tmp_path / "frame.xlsx", header=[*range(frame.columns.nlevels)], index_col=0)) == len(
        frame
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_from_parquet_is_the_same(embedded, kind, tmp_path):
    """A Parquet file keeps values, dtypes, index and attrs, but not the ``freq`` of a calendar."""
    pytest.importorskip("pyarrow")
    frame = FRAMES[kind]()
    frame.to_parquet(tmp_path / "frame.parquet")
    restored = pd.read_parquet(tmp_path / "frame.parquet")
    # pyarrow does not keep the dtype of categories and of labels if there are none.
    pd.testing.assert_frame_equal(
        restored, frame, check_freq=False, check_categorical=len(frame) > 0, check_column_type=False
    )
    assert restored.attrs == frame.attrs


TIMES = {
    "ledger": ["at"],
    "vintages": ["retrieved_at"],
    "provenance": ["retrieved_at"],
    "revisions": ["first_retrieved_at", "last_retrieved_at"],
    "scorecard": ["retrieved_at"],
}


@pytest.mark.parametrize("kind", TIMES)
def test_public_times_are_in_utc_without_a_zone(embedded, kind):
    """Times have microseconds and no zone. They are in UTC, whatever the zone of this machine."""
    frame = FRAMES[kind]()
    for column in TIMES[kind]:
        assert str(frame[column].dtype) == "datetime64[us]"
    if kind == "revisions":
        assert frame.loc[0, TIMES[kind]].to_list() == [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-08")]


@pytest.mark.usefixtures("live")
def test_a_public_time_can_be_passed_back():
    """`retrieved_by` takes a time of the vintages: the response of that moment is found, none a microsecond before."""
    frame = sp.rent(BAY)
    at = sp.vintages(BAY)["retrieved_at"].iloc[0]
    pd.testing.assert_frame_equal(sp.rent(BAY, retrieved_by=at), frame)
    with pytest.raises(sp.errors.NotStored):
        sp.rent(BAY, retrieved_by=at - pd.Timedelta("1us"))
    assert sp.revisions(BAY, since=at, until=at).empty


LAYOUTS = {
    "one": lambda: sp.rent(BAY),
    "long": lambda: sp.rent([BAY, HEIGHTS]),
    "tidy": lambda: sp.rent([BAY, HEIGHTS], layout="tidy"),
    "wide": lambda: sp.rent([BAY, HEIGHTS], layout="wide"),
}
HEADINGS = {"header": [0, 1], "index_col": 0}
COMPUTED = [
    lambda frame: sp.resample(frame, "MS"),
    sp.growth,
    sp.cadence,
    lambda frame: sp.quality(frame, asof="2026-05-01"),
    lambda frame: sp.rent_index(sp.resample(frame, "QE")),
]


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("how", ["csv", "excel", "parquet", "pickle"])
@pytest.mark.usefixtures("embedded")
def test_a_frame_that_was_read_again_is_as_good_as_new(how, kind, tmp_path):
    """A frame that was read from a file, with the plain call, can be cited and computed with as before."""
    if how == "parquet":
        pytest.importorskip("pyarrow")
    frame, path = LAYOUTS[kind](), tmp_path / "frame.xlsx"
    getattr(frame, f"to_{how}")(path)
    back = getattr(pd, f"read_{how}")(path, **HEADINGS if kind == "wide" and how in {"csv", "excel"} else {})
    if kind != "one" or how in {"parquet", "pickle"}:  # without attrs, nothing says which suburb it was
        assert sp.cite(back) == sp.cite(frame)
        pd.testing.assert_frame_equal(sp.provenance(back), sp.provenance(frame))
    for function in COMPUTED:
        found, expected = function(back), function(frame)
        found = found.set_index("date") if "date" in found and "date" not in expected else found
        pd.testing.assert_frame_equal(
            found, expected, check_categorical=False, check_dtype=False, check_index_type=False, check_column_type=False
        )
