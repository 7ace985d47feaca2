"""Citations of selected and computed rents, of indices, and of joined data: their words, and what is not traced."""

import io
import json
import re
import subprocess
import sys
import warnings

import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.sandbox import oddities
from tests.support.laws import law
from tests.support.made_up import NAMES as MANY
from tests.support.vintages import rents, replayed, weeks

ONE, OTHER, _ = NAMES = ["Quokka Bay", "Bilby Heights", "Woylie"]
STEPS, GREEN = "Abalone Steps", "Bluebush Green"

LAYOUTS = {
    "long": lambda **how: sp.rent(NAMES, **how),
    "tidy": lambda **how: sp.rent(NAMES, layout="tidy", **how),
    "wide": lambda **how: sp.rent(NAMES, layout="wide", **how),
    "houses": lambda **how: sp.rent(NAMES, layout="wide", **how)["house"],
    "one": lambda **how: sp.rent(ONE, **how),
}
SELECTION = {"start": "2021", "end": "2024-06"}

pytestmark = pytest.mark.usefixtures("embedded")


def quarters(names=NAMES, **how):
    """Return rents on quarter ends."""
    return sp.rent(names, freq="QE", **how)


def operations_in(sentence):
    """Return the names of the operations in a citation."""
    return re.findall(r"(\w+)\(", sentence.split(" from data of ", maxsplit=1)[0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_selection_is_cited_as_one(layout):
    """Selected rents have the responses and the digest of the same rows, and keep the selection in what is computed."""
    found, whole = LAYOUTS[layout](**SELECTION), LAYOUTS[layout]()
    if layout == "tidy":
        sliced = whole[whole["date"].between("2021-01-01", "2024-06-30")]
    else:
        sliced = whole.sort_index().loc["2021":"2024-06"]
    assert 'selected with rent(start="2021-01-01", end="2024-06-30") from data of' in sp.cite(found)
    assert sp.cite(found).split("SHA-256")[1] == sp.cite(sliced).split("SHA-256")[1]
    pd.testing.assert_frame_equal(sp.provenance(found).sort_index(), sp.provenance(sliced).sort_index())
    assert operations_in(sp.cite(sp.growth(found))) == ["rent", "growth"]
    assert operations_in(sp.cite(sp.growth(LAYOUTS[layout](freq="QE", **SELECTION)))) == ["resample", "rent", "growth"]


def test_rents_of_a_file_are_cut_and_computed_with():
    """What is computed from rents of a CSV file is cited with the operations, and with their dates if it was cut."""
    back = pd.read_csv(io.StringIO(sp.rent(NAMES).to_csv()))
    growth = 'computed with growth(over="1Y", smooth="91D")'
    assert f"{growth} from data of" in sp.cite(sp.growth(back, smooth="91D"))
    for cut in (back[back["date"] >= "2021-04-27"], back[back["date"] < "2024-01-01"]):
        assert f"{growth} of {cut['date'].min()} to {cut['date'].max()} from" in sp.cite(sp.growth(cut, smooth="91D"))


def test_a_citation_does_not_repeat_the_warnings_of_a_computation():
    """Of a rent below zero, a request warns. The citation of what was computed does not warn again."""
    with replayed(rents(ONE, weeks(500.0, -1.0, 520.0))):
        with pytest.warns(sp.errors.DataWarning):
            computed = sp.rent([ONE], freq="ME")
        assert 'computed with resample(freq="ME") from' in sp.cite(computed)


@pytest.mark.parametrize("made", [lambda wide: wide, lambda wide: wide["unit"]], ids=["both types", "a type"])
def test_a_table_of_cadence_is_cited_in_other_dtypes(made):
    """The type and the start of each row are its place, whatever the dtype: text, dates of Python, or NA for NaN."""
    table = sp.cadence(made(sp.rent(NAMES, layout="wide")))
    start = table["start"].dt
    for other in (
        table.convert_dtypes(),
        table.assign(start=start.date),
        table.assign(start=start.strftime("%Y-%m-%d")),
    ):
        assert sp.cite(other) == sp.cite(table)


def test_one_suburb_from_a_csv_file_is_cited_once_it_is_named():
    """A CSV file does not say of which suburb the frame of one is. The line in the error adds the name."""
    frame = sp.rent(ONE)
    back = pd.read_csv(io.StringIO(frame.to_csv()))
    with pytest.raises(sp.errors.ProvenanceError, match=r"add the name: frame\.assign\(area_name=name\)"):
        sp.cite(back)
    assert sp.cite(back.assign(area_name=ONE)) == sp.cite(frame)


@law(where=st.floats(0, 1, exclude_max=True), factor=st.floats(1.01, 3), csv=st.booleans(), n=st.sampled_from([1, 3]))
def test_a_changed_rent_is_named_exactly(where, factor, csv, n):
    """One changed rent is named with its suburb, its date and both values, with attrs and without."""
    rents = sp.rent(NAMES[:n])
    rows = rents["house"].notna().to_numpy().nonzero()[0]
    row = rows[int(where * len(rows))]
    received, value = rents["house"].iloc[row], round(rents["house"].iloc[row] * factor)
    rents.iloc[row, rents.columns.get_loc("house")] = value
    place = f"house of '{rents['area_name'].iloc[row]}' on {rents.index[row].date()}"
    expected = rf"1 value of this frame is in no response: {place} is {value}, but {received:g} in the responses\."
    with pytest.raises(sp.errors.ProvenanceError, match=expected):
        sp.cite(pd.read_csv(io.StringIO(rents.to_csv())) if csv else rents)


def own_columns():
    """Return frames with columns that no response has, and how the citation names these."""
    rents, tidy = sp.rent(NAMES), sp.rent(NAMES, layout="tidy")
    prices = pd.DataFrame({"house_price": 900_000, "unit_price": 500_000}, pd.Index(NAMES, name="area_name"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        card = sp.scorecard(NAMES, prices=prices)
        joined = pd.DataFrame({"area_name": NAMES}).suburb.join_scorecard(
            ["n_sales", *card.filter(like="yield")], prices=prices
        )
    yield sp.rent_index(quarters()).assign(group="a", rent=1), "columns 'group' and 'rent' were"
    for frame in (card, joined):
        yield frame, "columns 'house_gross_yield_pct' and 'unit_gross_yield_pct' were"
    yield rents.rename(columns={"house": "h"}), "column 'h' was"
    yield pd.concat({"mine": rents.reset_index()}).reset_index(), "column 'level_0' was"
    yield sp.growth(rents).assign(house_base=1.0), "column 'house_base' was"
    yield rents.assign(a=1, b="x", c=3, d=4), "columns 'a', 'b', 'c' and 1 more were"
    yield sp.growth(tidy).assign(house=1.0), "column 'house' was"
    yield rents.assign(n_sales=1), "column 'n_sales' was"
    yield rents.rename_axis("week").assign(date=1), "column 'date' was"
    yield rents.suburb.join_places(prefix="abs_"), "columns 'abs_state', 'abs_lga', 'abs_postcode' and 12 more were"


def test_columns_that_were_not_checked_are_named():
    """The citation names up to three columns that no response has, such as those of another layout or of places."""
    for frame, named in own_columns():
        assert f"; the {named} not checked against the responses; SHA-256" in sp.cite(frame)


@pytest.mark.parametrize("label", ["state", "source", "status", "evidence", "house_rent", "unit_rent"])
def test_a_column_of_ones_own_does_not_make_rents_a_scorecard_or_drivers(label):
    """Rents of a CSV file with a column of that name are cited without the impacts that are known, too."""
    rents = sp.rent(NAMES).assign(**{label: "x"})
    sp.impacts(NAMES)
    cited = sp.cite(pd.read_csv(io.StringIO(rents.to_csv())))
    assert cited.startswith("Median rent series of 3 suburbs, from ")
    assert f"column '{label}' was not checked" in cited


def test_a_value_of_no_property_type_is_refused():
    """The error of a tidy row without a property type is that of every function that reads rents."""
    for frame in (sp.rent(NAMES, layout="tidy"), sp.growth(sp.rent(NAMES, layout="tidy"))):
        with pytest.raises(sp.errors.ProvenanceError, match="property_type must be 'house' or 'unit', not None"):
            sp.provenance(frame.assign(property_type=None))


OWN = pd.DataFrame({"area_name": [STEPS, GREEN, STEPS, None], "x": 1})
JOINED = {
    "impacts to own rows": ("sum_drivers", lambda _: OWN.suburb.join_impacts()),
    "impacts to rents": ("house", lambda rents: rents.suburb.join_impacts()),
    "impacts to a card": ("house_rent", lambda _: sp.scorecard([STEPS, GREEN]).suburb.join_impacts(["n_drivers"])),
    "impacts to details": (
        "n_sales",
        lambda _: sp.resample(sp.rent([STEPS, GREEN]), "QE", detail=True).suburb.join_impacts(),
    ),
    "card to growth": ("unit_unchanged_days", lambda rents: sp.growth(rents).suburb.join_scorecard()),
    "impacts to candidates": ("n_drivers", lambda _: sp.find("steps").suburb.join_impacts(errors="warn")),
}


@pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")
@pytest.mark.parametrize("kind", JOINED)
def test_a_citation_counts_what_was_joined(kind):
    """The citation names the endpoint of the joined columns with its number of suburbs; changed values are refused."""
    column, join = JOINED[kind]
    joined = join(sp.rent([STEPS, GREEN]))
    provenance = sp.provenance(joined)
    number = provenance.index[provenance["endpoint"] == "impacts"].nunique()
    assert number
    assert f"mpacts of {number} suburb" in sp.cite(joined)
    with pytest.raises(sp.errors.ProvenanceError, match=column):
        sp.cite(joined.assign(**{column: joined[column] + 1}))


def test_all_details_are_compared():
    """Every column that `detail=True` adds is compared, in a frame that was resampled and in growth."""
    for computed in (quarters([ONE, OTHER], how="mean"), sp.rent(NAMES)):
        for frame in (sp.resample(computed, "QE", detail=True), sp.growth(computed, detail=True)):
            assert "not checked" not in sp.cite(frame)


def test_a_scorecard_with_older_rents_is_cited():
    """The attrs of a scorecard, and the call of a join, name how old rents may be, so that they need no date."""
    how = {"at": "2026-06-15", "max_lag": "62D"}
    for card in (sp.scorecard([STEPS, GREEN], **how), OWN.head(2).suburb.join_scorecard(**how)):
        assert card["house_rent"].notna().all()
        assert sp.cite(card)
    ended = sp.scorecard([STEPS, *oddities.ENDED], at="2026-03-31")
    assert ended["house_rent"].isna().any()
    assert sp.cite(ended[["house_rent", "unit_rent"]])


def test_rents_that_were_joined_twice_are_compared_with_the_last_join():
    """If the columns of the first join were renamed, they are the user's own; the others are those of the second."""
    days = pd.to_datetime(["2021-05-05", "2024-02-29"])
    rows = pd.DataFrame({"area_name": [STEPS, GREEN], "bought": days, "sold": days + pd.Timedelta("400D")})
    once = rows.suburb.join_rent(on="bought").drop(columns="rent_date")
    twice = once.rename(columns=lambda label: label.replace("_rent", "_before")).suburb.join_rent(on="sold")
    cited = sp.cite(twice)
    assert operations_in(cited) == ["join_rent"]
    assert cited.startswith('Median rent series of 2 suburbs, joined with join_rent(on="sold"')
    assert "columns 'bought', 'house_before' and 'unit_before' were not checked" in cited


def test_facts_that_were_joined_with_a_prefix_are_named_if_they_differ():
    """Like those of a scorecard, joined facts about a suburb and its responses, such as its state, may differ."""
    card = sp.scorecard([STEPS, GREEN])
    joined = OWN.head(2).suburb.join_scorecard(["house_rent", "state"], prefix="card_")
    assert "; the column 'state' was not checked" in sp.cite(card.assign(state=["Victoria", *card["state"].iloc[1:]]))
    assert "; the columns 'x' and 'card_state' were not checked" in sp.cite(joined.assign(card_state="Victoria"))


@pytest.mark.parametrize("options", [{"by": "lga"}, {"by": "state", "weights": "dwellings"}], ids=repr)
def test_growth_of_an_index_is_computed_again(options):
    """An index of councils or of dwellings is cited, and so is its growth."""
    index = sp.rent_index(quarters(), **options)
    assert sp.cite(index.tail(3)) == sp.cite(index)
    cited = sp.cite(sp.growth(index).copy())
    assert operations_in(cited) == ["resample", "rent_index", "growth"]
    assert "not checked" not in cited


def test_a_part_of_an_index_of_one_unnamed_type_is_cited():
    """An index of ``wide["unit"]`` has columns that name no type. Any of them are found again."""
    index = sp.rent_index(quarters(layout="wide")["unit"])
    for part in (index[["rent"]].tail(5), index[["rent_share"]].copy(), index.rename_axis(None)):
        assert sp.cite(part) == sp.cite(index)


def test_an_index_of_rents_with_gaps_is_computed_again_from_the_cut():
    """A suburb without a value where the rents were cut enters the index later than in that of all rents."""
    rents = quarters([*oddities.GAPS])
    cited = sp.cite(sp.rent_index(rents[rents.index >= "2021-09-30"]))
    assert 'resample(freq="QE"), rent_index() of 2021-09-30 to 2026-06-30 from' in cited


CANNOT_BE_REPEATED = {
    "own weights": lambda: sp.rent_index(quarters(), weights=dict.fromkeys(NAMES, 2)),
    "own groups": lambda: sp.rent_index(quarters(), by=pd.Series(["a", "a", "b"], NAMES)),
    "another base": lambda: sp.rent_index(quarters())[["house", "unit"]] / 1.7,
}


@pytest.mark.parametrize("how", CANNOT_BE_REPEATED)
def test_an_index_that_cannot_be_repeated_is_refused(how):
    """The user's own weights and groups are not in the attrs, and another base is not that of the responses."""
    message = "house of the index on .* is " if how == "another base" else "cannot be repeated.*a Series of weights"
    with pytest.raises(sp.errors.ProvenanceError, match=message):
        sp.cite(CANNOT_BE_REPEATED[how]())


def test_an_index_whose_responses_are_not_here_is_refused():
    """The error names the suburbs about which this session and the store have no response."""
    index = sp.rent_index(quarters())
    index.attrs["suburb_pandas"]["suburbs"].append("Nowhere")
    with pytest.raises(sp.errors.ProvenanceError, match="response about 'Nowhere'"):
        sp.cite(index)


@law(some=8, number=st.integers(1, len(MANY)), long=st.integers(1, 3))
def test_the_attrs_of_an_index_are_short(number, long):
    """The attrs are plain JSON under 1 kB for any number of suburbs, which they name if the names are short enough."""
    rents = quarters([ONE])
    names = [f"{name} {'é' * 10 * long}" for name in MANY[:number]]
    index = sp.rent_index(pd.concat([rents.assign(area_name=name) for name in names]), base="2024-12-31")
    attrs = index.attrs["suburb_pandas"]
    assert len(json.dumps(attrs)) < 1000
    assert attrs["suburbs"] == names or attrs["suburbs"]["number"] == number
    assert attrs["suburbs"] == names or len(json.dumps(names)) > 500
    assert attrs["operations"][-1] == 'rent_index(base="2024-12-31")'


READ = """
import sys, pandas as pd, suburb_pandas as sp
index, names = pd.read_pickle(sys.argv[1]), sys.argv[2:]
with sp.connect(api_key="embedded"):
    rents = sp.rent(names, freq="QE")
    try:
        sp.cite(index.tail(3))
    except sp.errors.ProvenanceError as error:
        print(error)
    sp.rent_index(rents)
    print(sp.cite(index.tail(3)))
"""


@pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")
def test_an_index_of_many_suburbs_is_cited_in_a_session_that_makes_it_again(tmp_path):
    """The names of many suburbs are not in the attrs: another session makes the index again, and then knows them."""
    names = sp.places().index[:40]
    index = sp.rent_index(quarters(names))
    assert index.attrs["suburb_pandas"]["suburbs"]["number"] > 30
    assert sp.cite(index.tail(3)) == sp.cite(index)
    index.to_pickle(tmp_path / "index.pkl")
    command = [sys.executable, "-W", "ignore", "-c", READ, tmp_path / "index.pkl", *names]
    before, after = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert re.match(r"This index was made from the rents of \d+ suburbs, too many .*sp\.rent_index\(sp\.rent\(", before)
    assert after == sp.cite(index)
