"""Citations of computed frames: laws of copies, parts and files, and what is said of files without attrs."""

import io
import re
import warnings

import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law
from tests.tracing.test_indices import UNPROVEN, digest_of, from_parquet, from_pickle

NAMES = ["Quokka Bay", "Bilby Heights", "Woylie"]

COMPUTED = {
    "quarters": lambda rents: sp.resample(rents, "QE"),
    "means": lambda rents: sp.resample(rents, "ME", how="mean", detail=True),
    "growth": sp.growth,
    "growth of quarters": lambda rents: sp.growth(sp.resample(rents, "QE")),
    "index": lambda rents: sp.rent_index(sp.resample(rents, "QE")),
    "index by state": lambda rents: sp.rent_index(sp.resample(rents, "QE"), by="state"),
    "cadence": sp.cadence,
    "quality": lambda rents: sp.quality(rents, asof="2026-05-01"),
}
HARMLESS = {
    "copied": lambda frame, _: frame.copy(),
    "cut": lambda frame, chance: frame.iloc[(at := chance.randrange(len(frame))) : at + chance.randint(1, 30)],
    "shuffled": lambda frame, chance: frame.sample(frac=1, random_state=chance.randrange(99)),
    "columns moved": lambda frame, chance: frame[chance.sample(list(frame.columns), len(frame.columns))],
    "with dates as a column": lambda frame, _: frame.reset_index(),
    "pickled": lambda frame, _: from_pickle(frame),
    "in Parquet": lambda frame, _: from_parquet(frame),
}

pytestmark = pytest.mark.usefixtures("embedded")


@law(
    some=15,
    kind=st.sampled_from(list(COMPUTED)),
    changes=st.lists(st.sampled_from(list(HARMLESS)), min_size=1, max_size=3, unique=True),
    chance=st.randoms(use_true_random=False),
)
def test_a_computed_frame_is_cited_like_the_original(kind, changes, chance):
    """Any copy, part, order and file of a computed frame is cited with its operations and without a reservation."""
    whole = COMPUTED[kind](sp.rent(NAMES))
    frame = whole
    for change in changes:
        frame = HARMLESS[change](frame, chance)
    cited = sp.cite(frame)
    assert f"computed with {', '.join(whole.attrs['suburb_pandas']['operations'])} from data of" in cited
    assert set(sp.provenance(frame).index) <= set(NAMES)
    if "cut" not in changes:
        assert digest_of(cited) == digest_of(sp.cite(whole))


@law(some=8, kind=st.sampled_from(["means", "growth", "index", "index by state"]), decimals=st.integers(0, 2))
def test_a_rounded_frame_is_cited_with_a_reservation(kind, decimals):
    """The citation of a rounded frame names the operations, then the reservation, then the service."""
    whole = COMPUTED[kind](sp.rent(NAMES))
    cited = sp.cite(whole.round(dict.fromkeys(["house", "unit"], decimals)))
    assert re.search(rf"computed with .*\) {re.escape(UNPROVEN)} from data of .* made up, retrieved on", cited)


def back_from_csv(frame, **options):
    """Return a frame after a CSV file."""
    return pd.read_csv(io.StringIO(frame.to_csv()), **options)


LOST = {
    "quarters": "sp.resample(rents",
    "means": "sp.resample(rents",
    "growth": "sp.resample(rents",
    "growth of quarters": "sp.resample(rents",
    "index": "sp.rent_index(",
    "index by state": "sp.rent_index(",
}


@pytest.mark.parametrize("kind", LOST)
def test_a_result_from_a_csv_file_is_called_a_result(kind):
    """The error says that a file such as CSV does not keep how a frame was computed, and has the lines that help."""
    result = COMPUTED[kind](sp.rent(NAMES))
    for trace in (sp.cite, sp.provenance):
        with pytest.raises(sp.errors.ProvenanceError) as caught:
            trace(back_from_csv(result))
        said = str(caught.value)
        assert "such as CSV or Excel does not keep how a frame was computed" in said
        assert 'frame.to_parquet("frame.parquet")' in said
        assert LOST[kind] in said
        assert len(re.findall(r"\.(?= |$)", said)) == 3


def test_the_lines_in_the_error_work(tmp_path, monkeypatch):
    """Rents that were saved as loaded are computed after reading, and then cited, as the error says."""
    monkeypatch.chdir(tmp_path)
    sp.rent(NAMES).to_csv("rents.csv")
    rents = pd.read_csv("rents.csv")
    found = {
        "quarters": sp.resample(rents, "QE"),
        "growth": sp.growth(rents),
        "index": sp.rent_index(sp.resample(rents, "QE")),
    }
    for kind, frame in found.items():
        assert digest_of(sp.cite(frame)) == digest_of(sp.cite(COMPUTED[kind](sp.rent(NAMES))))


def from_excel(frame):
    """Return a frame after an Excel file."""
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    frame.to_excel(buffer)
    return pd.read_excel(buffer)


START = "2021-04-27"
CUT = {
    "rents from Excel": lambda names: from_excel(sp.rent(names, start=START)),
    "rents from CSV": lambda names: back_from_csv(sp.rent(names, start=START)),
    "rents cut by hand": lambda names: sp.rent(names).query(f"date >= '{START}'"),
}
AFTER_A_CUT = {
    "growth": (sp.growth, 'rent(start="2021-04-30"), growth(over="1Y")'),
    "smooth growth": (
        lambda rents: sp.growth(rents, smooth="91D"),
        'rent(start="2021-04-30"), growth(over="1Y", smooth="91D")',
    ),
    "growth of quarters": (
        lambda rents: sp.growth(sp.resample(rents, "QE")),
        'rent(start="2021-06-30"), resample(freq="QE"), growth(over="1Y")',
    ),
}


@pytest.mark.parametrize("kind", AFTER_A_CUT)
@pytest.mark.parametrize("cut", CUT)
def test_a_result_of_rents_that_were_cut_is_cited_with_the_cut(cut, kind):
    """The citation names a cut that the attrs do not name, if it gives every value."""
    compute, operations = AFTER_A_CUT[kind]
    found = compute(CUT[cut](NAMES))
    assert f"computed with {operations} from data of the embedded sandbox" in sp.cite(found)
    assert sp.provenance(found).index.to_list() == NAMES
    from_words = compute(sp.rent(NAMES, start=re.search(r'start="([\d-]+)"', operations)[1]))
    for column in ("house", "unit"):
        assert found[column].to_list() == pytest.approx(from_words[column].to_list(), nan_ok=True)


@pytest.mark.parametrize("change", [0.5, 1e-6, float("nan")])
@pytest.mark.parametrize("cut", CUT)
def test_a_changed_result_of_rents_that_were_cut_is_not_vouched_for(cut, change):
    """A value that was changed or removed, before or after computing, is refused in a file and marked in memory."""
    rents = CUT[cut](NAMES)
    grown, rents = sp.growth(rents), rents.astype({"house": "float64"})
    for frame in (grown, rents):
        row = frame["house"].notna().to_numpy().nonzero()[0][-40]
        frame.iloc[row, frame.columns.get_loc("house")] += change
    for frame in (grown, sp.growth(rents)):
        if cut == "rents cut by hand":
            assert UNPROVEN in sp.cite(frame)
        else:
            with pytest.raises(sp.errors.ProvenanceError, match="its values do not follow from the responses"):
                sp.cite(frame)


def test_a_result_without_values_follows_from_no_cut():
    """Growth over less than a year of changed rents has no values, so a cut does not explain it."""
    rents = CUT["rents from CSV"](NAMES).query("date < '2021-09-01'")
    grown = sp.growth(rents.assign(house=rents["house"] * 2))
    assert grown["house"].isna().all()
    with pytest.raises(sp.errors.ProvenanceError, match="its values do not follow from the responses"):
        sp.cite(grown)


def test_a_value_in_the_first_year_of_a_cut_is_not_vouched_for():
    """A growth in the first year is that of the whole history; beside missing ones, it follows from no cut."""
    grown, whole = sp.growth(CUT["rents from CSV"](NAMES)), sp.growth(sp.rent(NAMES))
    value = whole[(whole["area_name"] == NAMES[0]) & (whole.index >= START)]["house"].iloc[0]
    grown.loc[0, "house"] = value
    with pytest.raises(sp.errors.ProvenanceError, match="its values do not follow from the responses"):
        sp.cite(grown)


@law(
    where=st.floats(0, 1, exclude_max=True),
    factor=st.floats(1.01, 3),
    csv=st.booleans(),
    names=st.sampled_from([NAMES, NAMES[:1]]),
)
def test_a_changed_rent_is_named_exactly(where, factor, csv, names):
    """One changed rent is named with its suburb, its date and both values, with attrs and without."""
    rents = sp.rent(names)
    rows = rents["house"].notna().to_numpy().nonzero()[0]
    row = rows[int(where * len(rows))]
    received, value = rents["house"].iloc[row], round(rents["house"].iloc[row] * factor)
    rents.iloc[row, rents.columns.get_loc("house")] = value
    place = f"house of '{rents['area_name'].iloc[row]}' on {rents.index[row].date()}"
    expected = rf"1 value of this frame is in no response: {place} is {value}, but {received:g} in the responses\."
    with pytest.raises(sp.errors.ProvenanceError, match=expected):
        sp.cite(back_from_csv(rents) if csv else rents)


def own_columns():
    """Return frames with columns of numbers that no response has, and how the citation names these."""
    rents = sp.rent(NAMES)
    prices = pd.DataFrame({"house_price": 900_000, "unit_price": 500_000}, pd.Index(NAMES, name="area_name"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        card = sp.scorecard(NAMES, prices=prices)
    yield rents.assign(yearly=rents["house"] * 52), "column 'yearly' was"
    yield sp.growth(rents).assign(mine=1.0), "column 'mine' was"
    yield sp.rent_index(sp.resample(rents, "QE")).assign(mine=1), "column 'mine' was"
    yield card, "columns 'house_gross_yield_pct' and 'unit_gross_yield_pct' were"
    yield rents.rename(columns={"house": "h"}), "column 'h' was"
    yield rents.assign(a=1, b=2, c=3, d=4), "columns 'a', 'b', 'c' and 1 more were"


def test_columns_that_were_not_checked_are_named():
    """The citation names the columns of numbers that no response has. Text and row numbers are not named."""
    for frame, named in own_columns():
        assert re.search(f"; the {named} not checked, as the responses have no such columns?; SHA-256", sp.cite(frame))
    rents = sp.rent(NAMES, layout="tidy")
    for frame in (rents.assign(note="x"), back_from_csv(rents), rents.reset_index()):
        assert sp.cite(frame) == sp.cite(rents)


def test_a_pivot_is_not_traced():
    """The columns of a pivot are values: the error says so, and says to cite the frame that it was made from."""
    drivers, one = sp.impacts(NAMES[:2]), {"values": "premium_dollars"}
    for table in (
        drivers.pivot_table(index="label", columns="area_name", **one),
        drivers.pivot_table(index="area_name", columns="label", **one),
        drivers.pivot_table(index="label", columns="area_name", values=["premium_dollars", "coverage_pct"]),
        drivers.set_index(["area_name", "label"])["premium_dollars"].unstack("area_name"),  # noqa: PD010 - users do this
    ):
        with pytest.raises(sp.errors.ProvenanceError, match=r"as in a pivot.*sp\.cite\(drivers\)"):
            sp.cite(table)
