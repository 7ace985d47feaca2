"""Citations of selected and computed rents, of indices, and of joined data: their words, and what is not traced."""

import io
import json
import re
import subprocess
import sys

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.sandbox import oddities
from tests.support.vintages import rents, replayed, weeks

ONE, OTHER, _ = NAMES = ["Quokka Bay", "Bilby Heights", "Woylie"]
STEPS, GREEN = "Abalone Steps", "Bluebush Green"

SELECTION = {"start": "2021", "end": "2024-06"}

pytestmark = pytest.mark.usefixtures("embedded")


def quarters(names=NAMES, **how):
    """Return rents on quarter ends."""
    return sp.rent(names, freq="QE", **how)


def operations_in(sentence):
    """Return the names of the operations in a citation."""
    return re.findall(r"(\w+)\(", sentence.split(" from data of ", maxsplit=1)[0])


@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_a_selection_is_cited_as_one(layout):
    """Selected rents have the responses and the digest of the same rows, and keep the selection in what is computed."""
    found, whole = sp.rent(NAMES, layout=layout, **SELECTION), sp.rent(NAMES, layout=layout)
    if layout == "tidy":
        sliced = whole[whole["date"].between("2021-01-01", "2024-06-30")]
    else:
        sliced = whole.sort_index().loc["2021":"2024-06"]
    assert 'selected with rent(start="2021-01-01", end="2024-06-30") from data of' in sp.cite(found)
    assert sp.cite(found).split("SHA-256")[1] == sp.cite(sliced).split("SHA-256")[1]
    assert operations_in(sp.cite(sp.growth(quarters(layout=layout, **SELECTION)))) == ["resample", "rent", "growth"]


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


@pytest.mark.parametrize("label", ["state", "source", "status", "evidence", "house_rent", "unit_rent"])
def test_a_column_of_ones_own_does_not_make_rents_a_scorecard_or_drivers(label):
    """Rents of a CSV file with a column of that name are cited without the impacts that are known, too."""
    rents = sp.rent(NAMES).assign(**{label: "x"})
    sp.impacts(NAMES)
    cited = sp.cite(pd.read_csv(io.StringIO(rents.to_csv())))
    assert cited.startswith("Median rent series of 3 suburbs, from ")
    assert f"column '{label}' was not checked" in cited


OWN = pd.DataFrame({"area_name": [STEPS, GREEN, STEPS, None], "x": 1})


def test_all_details_are_compared():
    """Every column that `detail=True` adds is compared, in a frame that was resampled and in growth; no other is."""
    for computed in (quarters([ONE, OTHER], how="mean"), sp.rent(NAMES)):
        for frame in (sp.resample(computed, "QE", detail=True), sp.growth(computed, detail=True)):
            assert "not checked" not in sp.cite(frame)
            own = frame.assign(mine=1).set_index([["own"] * len(frame)], append=True)
            assert "columns 'unnamed level' and 'mine' were not checked" in sp.cite(own)


def test_a_scorecard_with_older_rents_is_cited():
    """The attrs of a scorecard, and the call of a join, name how old rents may be, so that they need no date.

    A rent that is older is left out when the card is made again, too.
    """
    how = {"at": "2026-06-15", "max_lag": "62D"}
    for card in (sp.scorecard([STEPS, GREEN], **how), OWN.head(2).suburb.join_scorecard(**how)):
        assert card["house_rent"].notna().all()
        assert sp.cite(card)
    ended = sp.scorecard([STEPS, *oddities.ENDED], at="2026-03-31")
    assert ended["house_rent"].isna().any()
    assert sp.cite(ended[["house_rent"]])


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


def test_growth_of_an_index_is_computed_again():
    """The growth of an index of councils is cited with all operations."""
    cited = sp.cite(sp.growth(sp.rent_index(quarters(), by="lga")).copy())
    assert operations_in(cited) == ["resample", "rent_index", "growth"]
    assert "not checked" not in cited


def test_an_index_of_rents_with_gaps_is_computed_again_from_the_cut():
    """A suburb without a value where the rents were cut enters the index later than in that of all rents."""
    rents = quarters([*oddities.GAPS])
    cited = sp.cite(sp.rent_index(rents[rents.index >= "2021-09-30"]))
    assert 'resample(freq="QE"), rent_index() of 2021-09-30 to 2026-06-30 from' in cited


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
    assert len(json.dumps(index.attrs)) < 1000
    assert sp.cite(index.tail(3)) == sp.cite(index)
    index.to_pickle(tmp_path / "index.pkl")
    command = [sys.executable, "-W", "ignore", "-c", READ, tmp_path / "index.pkl", *names]
    before, after = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert re.match(r"This index was made from the rents of \d+ suburbs, too many .*sp\.rent_index\(sp\.rent\(", before)
    assert after == sp.cite(index)
