"""Tests resolving a column of queries: the result, rows without a name, and the error for unresolved rows."""

import re

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.geocoding.listed import load
from tests.support.common import of_this_call

pytestmark = pytest.mark.usefixtures("embedded")


def test_the_result_is_a_series_with_the_queries_as_its_index():
    """``resolve`` returns a text Series `area_name` with a row for each query."""
    queries = ["quokka bay", "Lantern Bay Tas", "quokka bay"]
    index = pd.Index(queries, name="query")
    expected = pd.Series(["Quokka Bay", "Lantern Bay (Tas.)", "Quokka Bay"], index, name="area_name", dtype="str")
    pd.testing.assert_series_equal(sp.resolve(queries), expected)
    pd.testing.assert_series_equal(sp.resolve("quokka bay"), expected[:1])
    assert sp.resolve([]).shape == (0,)


@pytest.mark.parametrize("dtype", ["object", "category"])
def test_on_a_frame_it_fits_the_frame(dtype):
    """On a frame the result has the frame's index, so it can be assigned to `area_name`, which the loaders then use.

    A second run reads the column of queries again, not ``area_name``. A postcode may be a level of the index. A missing
    or blank state or postcode is ignored.
    """
    df = pd.DataFrame(
        {"suburb": ["lantern bay", "QUOKKA BAY", "lantern bay"], "where": ["Tas", "", None]},
        index=pd.Index([7241.0, None, 2535], name="at"),
    ).astype(dtype)
    names = ["Lantern Bay (Tas.)", "Quokka Bay", "Lantern Bay (NSW)"]
    for _ in range(2):
        df["area_name"] = df.suburb.resolve(state="where", postcode="at")
        assert df["area_name"].to_list() == names
    assert df.suburb.impact_summary().index.to_list() == names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"state": "Narnia"},
            "state must be one of NSW, VIC, QLD, SA, WA, TAS, NT, ACT, OT, not 'Narnia'. Nothing was",
        ),
        ({"postcode": 99999}, "postcode must be four digits, such as 0800, not 99999. Nothing was sent."),
        ({"state": ["VIC"]}, "the number of queries is 2, not 1"),
        ({"state": pd.Series(["VIC", "SA"], [1, 0])}, "different indexes"),
        ({"append_pins": True}, "pins='names.csv'"),
    ],
)
def test_what_cannot_be_asked(options, message):
    """A state or a postcode must be valid, and given once for all queries or once for each."""
    with pytest.raises(ValueError, match=re.escape(message)):
        sp.resolve(pd.Series(["a", "b"]), **options)


def test_an_ambiguous_query_shows_its_candidates():
    """The error for an ambiguous query has a line for each candidate. None is chosen, and nothing is charged."""
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("lantern bay")
    assert caught.value.candidates == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    assert str(caught.value) == (
        "'lantern bay' can mean 2 suburbs, and none was chosen. Nothing was charged. Add the state or the postcode, or "
        "use the exact name:\n"
        "  Lantern Bay (NSW), NSW, Curlew Shores, 2535\n"
        "  Lantern Bay (Tas.), TAS, Muttonbird Straits, 7241"
    )


def test_a_suburb_elsewhere_is_said_to_be_there():
    """If a suburb is not where the query says, the error has a line with its location. It is the first suggestion."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve("quokka bay", None, "2001")
    assert str(caught.value) == (
        "'quokka bay' [2001] matches no suburb: its state, postcode or region contradicts each suburb "
        "of that name. Nothing was charged. Correct it, or use the exact name:\n  Quokka Bay, WA, Quokka Sound, 6171"
    )
    assert caught.value.suggestions == ("Quokka Bay",)


PROBLEMS = """,query,state,postcode,problem,names
b,lantern bay,,,ambiguous,Lantern Bay (NSW); Lantern Bay (Tas.)
c,sugrgum,,,unknown,Sugargum
d,lantern bay,,,ambiguous,Lantern Bay (NSW); Lantern Bay (Tas.)
e,magpie flat,,,ambiguous,Magpie Flat (Bluestone Lakes - Vic.); Magpie Flat (Curlew Shores - NSW); \
Magpie Flat (Ironbark Ranges - NSW); Magpie Flat (Kestrel Vale - Vic.); Magpie Flat (Qld); and 2 more
f,a\x07b,,,InvalidName,
g,woylie,,2001,elsewhere,Woylie
"""


def test_one_error_lists_every_problem_row():
    """One error covers all rows: AmbiguousSuburb if any is ambiguous. It has the resolved names and all problems."""
    queries = ["quokka bay", "lantern bay", "sugrgum", "lantern bay", "magpie flat", "a\x07b", "woylie"]
    frame = pd.DataFrame({"suburb": queries, "at": [*[None] * 6, 2001]}, index=list("abcdefg"))
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        frame.suburb.resolve(postcode="at")
    error = caught.value
    assert error.resolved.dropna().to_dict() == {"a": "Quokka Bay"}
    assert error.problems.to_csv() == PROBLEMS
    assert error.candidates[:2] == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    assert error not in error.failures.values()  # an error must not contain itself
    first, *lines = str(error).splitlines()
    assert first == (
        "6 of 7 rows were not resolved (3 ambiguous, 1 unknown, 1 InvalidName, 1 elsewhere). Nothing was "
        "charged. Correct these queries, or write them to a file and fill in each area_name there: pins='names.csv', "
        "append_pins=True"
    )
    assert lines[1] == "'lantern bay': ambiguous: Lantern Bay (NSW); Lantern Bay (Tas.)"


def test_without_an_ambiguous_row_it_is_unknown():
    """If no row is ambiguous, the error is UnknownSuburb, with the suggestions of all rows.

    Rows that differ in their states or regions alone have a problem each.
    """
    queries, states = ["sugrgum", "quoka bay", "woylie", "zip", "zip"], [None, None, None, "VIC", "Narnia"]
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(queries, states, region=[*[None] * 4, "Wader"])
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


LISTED = """SAL_NAME_2021
Lantern Bay (NSW)
Lantern Bay (Tas.)
Quokka Bay
Magpie Flat (Curlew - NSW)
Magpie Flat (Wader - NSW)"""
DETAIL = """,area_name,rule,confirmed_by,not_confirmed,edition,problem,candidates
6,Quokka Bay,pin,,,,,
5,Quokka Bay,base,,state WA; postcode 6171,SAL 2021,,
4,Magpie Flat (Wader - NSW),council,state NSW; region wader,,SAL 2021,,
3,,,,,,ambiguous,Lantern Bay (Tas.); Lantern Bay (NSW)
2,,,,,,unknown,Quokka Bay
1,,,,,,missing,
"""


def test_the_detail_says_how_each_row_was_resolved(live, tmp_path):
    """The rule, what confirmed it, what nothing here knows, the problem and the candidates are columns of text."""
    load(LISTED)
    path = tmp_path / "pins.csv"
    path.write_text("query,area_name\nthe bay,Quokka Bay\n")
    queries = ["the bay", "quokka bay wa 6171", "magpie flat nsw (wader)", "lantern bay 7241", "quoka bay", None]
    frame = pd.DataFrame({"suburb": queries}, index=range(6, 0, -1))
    with pytest.warns(sp.SuburbWarning) as caught:
        found = frame.suburb.resolve(detail=True, errors="warn", pins=path)
    assert {one.category for one in of_this_call(caught)} == {sp.errors.SkippedRowsWarning, sp.SuburbWarning}
    assert {*found.dtypes} == {pd.Series(dtype="str").dtype}
    assert found.to_csv() == DETAIL
