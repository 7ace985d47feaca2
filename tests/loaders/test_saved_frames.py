"""Public frames that are written to an Excel, CSV, Parquet or pickle file and read again."""

import json

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.recorded import call, written

BAY, HEIGHTS, NOWHERE = "Quokka Bay", "Bilby Heights", "Thorny Devil"
MANY = [BAY, HEIGHTS, NOWHERE]

FRAMES = {
    "rents of one": lambda: sp.rent(BAY),
    "rents": lambda: sp.rent(MANY),
    "no rents": lambda: sp.rent([]),
    "wide": lambda: sp.rent(MANY, layout="wide"),
    "details": lambda: sp.resample(sp.rent(MANY), "QE", detail=True),
    "growth": lambda: sp.growth(sp.rent(MANY), detail=True),
    "cadence": lambda: sp.cadence(sp.rent(MANY)),
    "quality": lambda: sp.quality(sp.rent(MANY), asof="2026-05-01"),
    "index": lambda: sp.rent_index(sp.rent(MANY, freq="QE"), by={BAY: "west", HEIGHTS: "north"}),
    "first releases": lambda: (sp.rent(MANY), sp.first_releases(MANY))[1],
    "impacts": lambda: sp.impacts([BAY, HEIGHTS]),
    "summary": lambda: sp.impact_summary([BAY, HEIGHTS]),
    "scorecard": lambda: sp.scorecard(MANY),
    "ledger": lambda: (sp.rent(BAY), sp.ledger())[1],
    "no ledger": sp.ledger,
    "vintages": lambda: (sp.rent(BAY), sp.vintages(BAY))[1],
    "provenance": lambda: sp.provenance(sp.rent([BAY, HEIGHTS])),
    "revisions": lambda: sp.revisions([BAY]),
    "places": lambda: sp.places([BAY, HEIGHTS]),
    "candidates": lambda: sp.find("kestrel hill"),
    "resolved": lambda: sp.resolve(["quokka bay", "sugrgum"], detail=True, errors="warn"),
}

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")


@pytest.fixture
def made(embedded, tmp_path):
    """Return a function that makes a frame of a kind; `revised` is one of revisions that are not none."""

    def make(kind):
        if kind != "revised":
            return FRAMES[kind]()
        series = [{"date": "2024-01-07", "value": 500.0}, {"date": "2024-01-14", "value": 510.0}]
        data = {"area_name": BAY, "area_level": "suburb", "house": series, "unit": []}
        calls = [
            call(
                BAY,
                body=json.dumps({"data": {**data, "house": [series[0] | {"value": value}, series[1]]}}).encode(),
                at=at,
            )
            for value, at in ((500.0, "2026-01-01T00:00:00+00:00"), (505.5, "2026-02-01T00:00:00.000001+00:00"))
        ]
        (tmp_path / "revised.yaml").write_bytes(written(*calls))
        with sp.cassette(tmp_path / "revised.yaml"):
            found = sp.revisions(BAY)
        assert len(found) == 1
        return found

    return make


ALL = [*FRAMES, "revised"]


@pytest.mark.parametrize("kind", ALL)
def test_every_public_frame_goes_to_excel(made, kind, tmp_path):
    """A workbook has a row for each row of a frame. Excel files cannot hold times with a zone, and no frame has any."""
    frame = made(kind)
    frame.to_excel(tmp_path / "frame.xlsx")
    assert len(pd.read_excel(tmp_path / "frame.xlsx", header=[*range(frame.columns.nlevels)], index_col=0)) == len(
        frame
    )


@pytest.mark.parametrize("kind", ALL)
def test_a_frame_from_parquet_is_the_same(made, kind, tmp_path):
    """A Parquet file keeps values, dtypes, index and attrs, but not the ``freq`` of a calendar."""
    pytest.importorskip("pyarrow")
    frame = made(kind)
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
    "revised": ["first_retrieved_at", "last_retrieved_at"],
    "scorecard": ["retrieved_at"],
}


@pytest.mark.parametrize("kind", TIMES)
def test_public_times_are_in_utc_without_a_zone(made, kind):
    """Times have microseconds and no zone. They are in UTC, whatever the zone of this machine."""
    frame = made(kind)
    for column in TIMES[kind]:
        assert str(frame[column].dtype) == "datetime64[us]"
    if kind == "revised":
        times = frame.loc[0, TIMES[kind]].to_list()
        assert times == [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-02-01 00:00:00.000001")]


@pytest.mark.usefixtures("live")
def test_a_public_time_can_be_passed_back():
    """`retrieved_by` takes a time of the vintages: the response of that moment is found, none a microsecond before."""
    rents = sp.rent(BAY)
    at = sp.vintages(BAY)["retrieved_at"].iloc[0]
    pd.testing.assert_frame_equal(sp.rent(BAY, retrieved_by=at), rents)
    with pytest.raises(sp.errors.NotStored):
        sp.rent(BAY, retrieved_by=at - pd.Timedelta("1us"))
    assert sp.revisions(BAY, since=at, until=at).empty


def restored(frame, kind, how, path):
    """Return a frame after a file, read with the call that a user would make."""
    if how in {"parquet", "pickle"}:
        getattr(frame, f"to_{how}")(path)
        return getattr(pd, f"read_{how}")(path)
    options = {"header": [0, 1], "index_col": 0} if kind == "wide" else {}
    if how == "excel":
        frame.to_excel(path.with_suffix(".xlsx"))
        return pd.read_excel(path.with_suffix(".xlsx"), **options)
    frame.to_csv(path)
    return pd.read_csv(path, **options)


LAYOUTS = {
    "one": lambda: sp.rent(BAY),
    "long": lambda: sp.rent([BAY, HEIGHTS]),
    "tidy": lambda: sp.rent([BAY, HEIGHTS], layout="tidy"),
    "wide": lambda: sp.rent([BAY, HEIGHTS], layout="wide"),
}
COMPUTED = [
    lambda rents: sp.resample(rents, "MS"),
    sp.growth,
    sp.cadence,
    lambda rents: sp.quality(rents, asof="2026-05-01"),
    lambda rents: sp.rent_index(sp.resample(rents, "QE")),
]


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("how", ["csv", "excel", "parquet", "pickle"])
@pytest.mark.usefixtures("embedded")
def test_a_frame_that_was_read_again_is_as_good_as_new(how, kind, tmp_path):
    """A frame that was read from a file, with the plain call, can be cited and computed with as before."""
    if how == "parquet":
        pytest.importorskip("pyarrow")
    frame = LAYOUTS[kind]()
    back = restored(frame, kind, how, tmp_path / "frame")
    if kind != "one" or how in {"parquet", "pickle"}:  # without attrs, nothing says which suburb it was
        assert sp.cite(back) == sp.cite(frame)
        pd.testing.assert_frame_equal(sp.provenance(back), sp.provenance(frame))
    for function in COMPUTED:
        found, expected = function(back), function(frame)
        found = found.set_index("date") if "date" in found and "date" not in expected else found
        pd.testing.assert_frame_equal(
            found, expected, check_categorical=False, check_dtype=False, check_index_type=False, check_column_type=False
        )
