"""Citations of indices of rents: copies, parts and files of them, other bases, and values that were changed."""

import io
import json
import re
import subprocess
import sys

import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.sandbox import oddities
from tests.support.laws import law
from tests.support.made_up import NAMES as MANY

NAMES = ["Quokka Bay", "Bilby Heights", "Woylie", "Mangrove Steps", "Lantern Bay (NSW)"]
UNPROVEN = "(not reproduced, so other operations or changed values are possible)"

KINDS = {
    "one group": {},
    "a base": {"base": "2024-12-31"},
    "councils": {"by": "lga"},
    "states by dwellings": {"by": "state", "weights": "dwellings"},
}

pytestmark = pytest.mark.usefixtures("embedded")


def quarters(names=NAMES, **how):
    """Return rents on quarter ends."""
    return sp.rent(names, freq="QE", **how)


def index_of(kind):
    """Return an index of a kind."""
    return sp.rent_index(quarters(), **KINDS[kind])


def from_pickle(frame):
    """Return a frame after a pickle."""
    buffer = io.BytesIO()
    frame.to_pickle(buffer)
    buffer.seek(0)
    return pd.read_pickle(buffer)  # noqa: S301 - our own


def from_parquet(frame):
    """Return a frame after a Parquet file."""
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return pd.read_parquet(buffer)


def digest_of(sentence):
    """Return the digest at the end of a citation."""
    return sentence.rpartition(" ")[2]


HARMLESS = {
    "a copy": lambda index: index.copy(),
    "the last rows": lambda index: index.tail(3),
    "the years since 2024": lambda index: index[index.index >= "2024"],
    "rows in another order": lambda index: index.sample(frac=1, random_state=1),
    "some columns": lambda index: index[["unit", "unit_n"]],
    "dates as a column": lambda index: index.reset_index(),
    "one group": lambda index: index[index["group"] == index["group"].iloc[-1]] if "group" in index else index.head(9),
    "a pickle": from_pickle,
    "a Parquet file": from_parquet,
}


@pytest.mark.parametrize("change", HARMLESS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_of_an_index_is_cited_like_the_whole(kind, change):
    """A copy, a part, and a file of an index have the citation of the index, and the same responses behind them."""
    index = index_of(kind)
    part = HARMLESS[change](index)
    assert sp.cite(part) == sp.cite(index)
    assert UNPROVEN not in sp.cite(part)
    assert set(sp.provenance(part).index) == set(NAMES)


def test_a_part_of_an_index_of_one_unnamed_type_is_cited():
    """An index of ``wide["unit"]`` has columns that name no type. Any of them are found again."""
    index = sp.rent_index(quarters(layout="wide")["unit"])
    for part in (index, index[["rent"]].tail(5), index[["rent", "rent_share"]].copy()):
        assert sp.cite(part) == sp.cite(index)
        assert UNPROVEN not in sp.cite(part)


def test_growth_of_an_index_is_computed_again():
    """The growth of an index is cited without a reservation, also by group and from a copy."""
    for kind in ("one group", "councils"):
        cited = sp.cite(sp.growth(index_of(kind)).copy())
        assert 'growth(over="1Y")' in cited
        assert UNPROVEN not in cited


@pytest.mark.parametrize("names", [NAMES, [*oddities.GAPS]], ids=["without gaps", "with gaps"])
def test_an_index_of_rents_that_were_cut_by_hand_is_computed_again_with_the_cut(names):
    """The citation names the cut. A suburb without a value at the cut enters the index later than in the whole one."""
    rents = quarters(names)
    cited = sp.cite(sp.rent_index(rents[rents.index >= "2021-09-30"]).copy())
    assert 'computed with rent(start="2021-09-30"), resample(freq="QE"), rent_index() from' in cited
    assert UNPROVEN not in cited


LOOSE = {
    "rounded": lambda: index_of("one group").round(1),
    "rounded to integers": lambda: index_of("councils").round(0),
    "columns of all groups, rounded": lambda: index_of("councils")[["house"]].round(2),
    "a base of one's own": lambda: index_of("one group")[["house", "unit"]] / 1.7,
    "rebased and rounded": lambda: (index_of("one group")[["house", "unit"]] / 1.7).round(2).tail(9),
    "weights that are not on record": lambda: sp.rent_index(quarters(), weights=dict.fromkeys(NAMES, 2)).copy(),
}


@pytest.mark.parametrize("how", LOOSE)
def test_an_index_with_the_same_steps_is_cited_with_a_reservation(how):
    """The citation of a rounded or rebased index says that other operations may have preceded or followed."""
    cited = sp.cite(LOOSE[how]())
    assert UNPROVEN in cited
    assert "rent_index(" in cited
    assert digest_of(cited) == digest_of(sp.cite(sp.rent(NAMES)))


@law(
    some=15,
    kind=st.sampled_from(list(KINDS)),
    column=st.sampled_from(["house", "unit", "house_n", "unit_share"]),
    where=st.floats(0, 1, exclude_max=True),
    factor=st.sampled_from([0.5, 0.97, 1.02, 3.0]),
    decimals=st.sampled_from([1, 2, None]),
)
def test_an_index_with_one_changed_value_is_refused(kind, column, where, factor, decimals):
    """A value that breaks the steps is refused, also in a copy and in a rounded index, and the error shows it."""
    index = index_of(kind)
    rows = index.index[index[column] > 0]
    assume(len(rows))
    position = int(where * len(index))
    value = index[column].iloc[position]
    assume(pd.notna(value) and value != 0)
    changed = index.astype({column: "float64"})
    changed.iloc[position, changed.columns.get_loc(column)] = value * factor + 0.2
    changed = changed if decimals is None else changed.round(decimals)
    assume(changed[column].iloc[position] != (value if decimals is None else round(float(value), decimals)))
    for trace in (sp.cite, sp.provenance):
        with pytest.raises(sp.errors.ProvenanceError, match=rf"{column} on \d{{4}}.*cite the rents as they were"):
            trace(changed)


@law(some=15, kind=st.sampled_from(list(KINDS)), factor=st.floats(0.01, 100), decimals=st.sampled_from([0, 2, 4, None]))
def test_any_other_base_and_rounding_keep_the_steps(kind, factor, decimals):
    """The levels of an index can be multiplied by any factor and rounded, and it is still cited."""
    index = index_of(kind)
    scaled = index.assign(house=index["house"] * factor, unit=index["unit"] * factor)
    sp.cite(scaled if decimals is None else scaled.round(decimals))


def test_an_index_of_changed_rents_is_refused():
    """An index of rents with one changed value is not what the responses give."""
    rents = quarters()
    rents.iloc[40, rents.columns.get_loc("house")] *= 1.5
    with pytest.raises(sp.errors.ProvenanceError, match="cut or changed before the index was made"):
        sp.cite(sp.rent_index(rents))


def test_an_index_whose_responses_are_not_here_is_refused():
    """The error names the suburbs about which this session and the store have no response."""
    index = index_of("one group")
    index.attrs["suburb_pandas"]["suburbs"].append("Nowhere")
    with pytest.raises(sp.errors.ProvenanceError, match="response about 'Nowhere'"):
        sp.cite(index)


@law(some=8, number=st.integers(1, len(MANY)), long=st.integers(1, 3))
def test_the_attrs_of_an_index_are_short(number, long):
    """The attrs are plain JSON under 1 kB for any number of suburbs, and have all operations.

    They name the suburbs if these names are short enough.
    """
    rents = quarters(MANY[:5]).pipe(lambda frame: frame[frame["area_name"] == frame["area_name"].iloc[0]])
    names = [f"{name} {'é' * 10 * long}" for name in MANY[:number]]
    index = sp.rent_index(pd.concat([rents.assign(area_name=name) for name in names]), base="2024-12-31")
    attrs = index.attrs["suburb_pandas"]
    assert len(json.dumps(attrs)) < 1000
    assert attrs["suburbs"] == names or attrs["suburbs"]["number"] == number
    assert attrs["suburbs"] == names or len(json.dumps(names)) > 600
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
