"""Tests resolving a column of queries: the result, rows without a name, and the error for unresolved rows."""

import re
import warnings

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from tests.support.common import of_this_call
from tests.support.made_up import NAMES

STATE_OF = {suburb.name: suburb.state for suburb in SUBURBS}
LISTED = "Lantern Bay (NSW)\nLantern Bay (Tas.)\nQuokka Bay\nMagpie Flat (Curlew - NSW)\nMagpie Flat (Wader - NSW)\n"

pytestmark = pytest.mark.usefixtures("embedded")


def test_the_result_is_a_series_with_the_queries_as_its_index():
    """``resolve`` returns a text Series `area_name` with a row for each query. A complete list needs no call."""
    found = sp.resolve(["quokka bay", "Lantern Bay Tas", "quokka bay"])
    index = pd.Index(["quokka bay", "Lantern Bay Tas", "quokka bay"], name="query")
    names = ["Quokka Bay", "Lantern Bay (Tas.)", "Quokka Bay"]
    expected = pd.Series(names, index, name="area_name", dtype="str")
    pd.testing.assert_series_equal(found, expected)
    pd.testing.assert_series_equal(sp.resolve("quokka bay"), expected[:1])
    assert sp.resolve([]).shape == (0,)
    assert sp.ledger().empty


@pytest.mark.parametrize("dtype", ["object", "str", "category", "string"])
def test_on_a_frame_it_fits_the_frame(dtype):
    """On a frame the result has the frame's index, so it can be assigned to `area_name`, which the loaders then use.

    A second run reads the column of queries again, not ``area_name``. A postcode may be a level of the index.
    """
    df = pd.DataFrame(
        {"suburb": ["lantern bay", "QUOKKA BAY", "lantern bay"], "where": ["Tas", "", None]},
        index=pd.Index([7241.0, None, 2535], name="at"),
    ).astype(dtype)
    for _ in range(2):
        df["area_name"] = df.suburb.resolve(state="where", postcode="at")
        assert df["area_name"].to_list() == ["Lantern Bay (Tas.)", "Quokka Bay", "Lantern Bay (NSW)"]
    assert df.suburb.impact_summary().index.to_list() == ["Lantern Bay (Tas.)", "Quokka Bay", "Lantern Bay (NSW)"]


@pytest.mark.parametrize("nothing", [None, "", " ", pd.NA, float("nan")])
def test_a_state_or_postcode_that_is_missing_says_nothing(nothing):
    """A missing or blank state or postcode is ignored."""
    assert sp.resolve("woylie", nothing, [nothing]).to_list() == ["Woylie"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"state": "Narnia"},
            "state must be one of NSW, VIC, QLD, SA, WA, TAS, NT, ACT, OT, not 'Narnia'. Nothing was",
        ),
        ({"postcode": 99999}, "postcode must be four digits, such as 0800, not 99999. Nothing was sent."),
        ({"state": ["VIC"]}, "the number of queries is 2, not 1"),
        ({"state": pd.Series(["VIC", "SA"], [1, 0])}, "different indexes"),
        ({"append_pins": True}, "pins='names.csv'"),
        ({"queries": pd.Series(["woylie", 2770])}, "2770"),
    ],
)
def test_what_cannot_be_asked(arguments, message):
    """A state or a postcode must be valid, and given once for all queries or once for each. A query must be text."""
    with pytest.raises((ValueError, sp.errors.InvalidName), match=re.escape(message)):
        sp.resolve(**{"queries": pd.Series(["a", "b"])} | arguments)


def test_an_ambiguous_query_shows_its_candidates():
    """The error for an ambiguous query has a line for each candidate. None is chosen, and nothing is charged."""
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("lantern bay")
    assert caught.value.candidates == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    first = (
        "'lantern bay' can mean 2 suburbs, and none was chosen. Nothing was charged. Add the state or the postcode, or "
        "use the exact name:"
    )
    assert str(caught.value).splitlines() == [
        first,
        "  Lantern Bay (NSW), NSW, Curlew Shores, 2535",
        "  Lantern Bay (Tas.), TAS, Muttonbird Straits, 7241",
    ]


@pytest.mark.parametrize(("state", "postcode"), [("NSW", None), ("Narnia", None), (None, "2001")])
def test_a_suburb_elsewhere_is_said_to_be_there(state, postcode):
    """If a suburb is not where the query says, the error has a line with its location. It is the first suggestion."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(["quokka bay"], [state], [postcode])
    first = (
        f"'quokka bay' [{state or postcode}] matches no suburb: its state, postcode or region contradicts each suburb "
        "of that name. Nothing was charged. Correct it, or use the exact name:"
    )
    assert str(caught.value).splitlines() == [first, "  Quokka Bay, WA, Quokka Sound, 6171"]
    assert caught.value.suggestions == ("Quokka Bay",)


def test_one_error_lists_every_problem_row():
    """One error covers all rows: AmbiguousSuburb if any is ambiguous. It has the resolved names and all problems."""
    queries = ["quokka bay", "lantern bay", "sugrgum", "lantern bay", "magpie flat", "x" * 300, "woylie tas"]
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        pd.DataFrame({"suburb": queries}, index=list("abcdefg")).suburb.resolve()
    error, kinds = caught.value, ["ambiguous", "unknown", "ambiguous", "ambiguous", "InvalidName", "elsewhere"]
    assert error.resolved.fillna("-").to_dict() == {"a": "Quokka Bay"} | dict.fromkeys("bcdefg", "-")
    assert error.problems["problem"].to_dict() == dict(zip("bcdefg", kinds, strict=True))
    assert error.problems["names"].iloc[0] == "Lantern Bay (NSW); Lantern Bay (Tas.)"
    assert error.candidates[:2] == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    assert error not in error.failures.values()  # an error must not contain itself
    first, *lines = str(error).splitlines()
    assert first == (
        "6 of 7 rows were not resolved (3 ambiguous, 1 unknown, 1 InvalidName, 1 elsewhere). Nothing was "
        "charged. Correct these queries, or write them to a file and fill in each area_name there: pins='names.csv', "
        "append_pins=True"
    )
    assert lines[1] == "'lantern bay': ambiguous: Lantern Bay (NSW); Lantern Bay (Tas.)"
    assert lines[3].endswith("; and 2 more")


def test_without_an_ambiguous_row_it_is_unknown():
    """If no row is ambiguous, the error is UnknownSuburb, with the suggestions of all rows.

    Rows that differ in their states or regions alone have a problem each.
    """
    queries, states = ["sugrgum", "quoka bay", "woylie", "zip", "zip"], [None, None, None, "VIC", "Narnia"]
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(queries, states, region=[None, None, None, None, "Wader"])
    assert {"Sugargum", "Quokka Bay"} <= set(caught.value.suggestions)
    assert caught.value.resolved["woylie"] == "Woylie"
    assert set(caught.value.failures) == {"sugrgum", "quoka bay", "zip [VIC]", "zip [Narnia Wader]"}
    assert caught.value.problems["region"].to_list() == ["", "", "", "Wader"]
    assert "\n'zip' [Narnia Wader]: unknown" in str(caught.value)


def test_many_problems_may_be_a_warning():
    """With errors="warn", unresolved rows are NA. The message lists at most 100 queries."""
    with pytest.warns(
        sp.SuburbWarning, match="120 of 121 rows were not resolved .*, and area_name is NA there(.|\n)*and 20 more"
    ):
        found = sp.resolve(["woylie", *(f"zzzzzz {number}" for number in range(120))], errors="warn")
    assert found.dropna().to_list() == ["Woylie"]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(NAMES), st.integers(0, 6), st.sampled_from(["NSW", "VIC", "QLD", "WA", "TAS"]))
def test_no_suggestion_lies_in_another_state(name, dropped, state):
    """Suggestions for a misspelt name all lie in the state beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sp.resolve([name[:dropped] + name[dropped + 1 :]], state, detail=True, errors="warn")
    if found["problem"].to_list() == ["unknown"] and found["candidates"].notna().all():
        assert {STATE_OF[one] for one in found["candidates"].iloc[0].split("; ")} == {state}


def test_the_detail_says_how_each_row_was_resolved(live, tmp_path):
    """The rule, what confirmed it, what nothing here knows, the problem and the candidates are columns of text."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": LISTED.splitlines()}), complete=True)
    path = tmp_path / "pins.csv"
    path.write_text("query,area_name\nthe bay,Quokka Bay\n")
    expected = {
        "the bay": {"area_name": "Quokka Bay", "rule": "pin"},
        "quokka bay wa 6171": {
            "area_name": "Quokka Bay", "rule": "base",
            "not_confirmed": "state WA; postcode 6171", "edition": "SAL 2021",
        },
        "magpie flat nsw (wader)": {
            "area_name": "Magpie Flat (Wader - NSW)", "rule": "council",
            "confirmed_by": "state NSW; region wader", "edition": "SAL 2021",
        },
        "lantern bay 7241": {"problem": "ambiguous", "candidates": "Lantern Bay (Tas.); Lantern Bay (NSW)"},
        "quoka bay": {"problem": "unknown", "candidates": "Quokka Bay"},
    }  # fmt: skip
    frame = pd.DataFrame({"suburb": [*expected, None]}, index=range(6, 0, -1))
    with pytest.warns(sp.SuburbWarning) as caught:
        found = frame.suburb.resolve(detail=True, errors="warn", pins=path)
    assert {one.category for one in of_this_call(caught)} == {sp.errors.SkippedRowsWarning, sp.SuburbWarning}
    assert found.index.equals(frame.index)
    rows = [{column: cell for column, cell in row.items() if not pd.isna(cell)} for row in found.to_dict("records")]
    assert rows == [*expected.values(), {"problem": "missing"}]
