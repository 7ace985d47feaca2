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

pytestmark = pytest.mark.usefixtures("embedded")


def test_it_is_a_series_indexed_by_query():
    """``resolve`` returns a text Series `area_name` with a row for each query, including repeated ones."""
    found = sp.resolve(["quokka bay", "Lantern Bay Tas", "quokka bay"])
    expected = pd.Series(
        ["Quokka Bay", "Lantern Bay (Tas.)", "Quokka Bay"],
        index=pd.Index(["quokka bay", "Lantern Bay Tas", "quokka bay"], name="query"),
        name="area_name",
        dtype="str",
    )
    pd.testing.assert_series_equal(found, expected)
    pd.testing.assert_series_equal(sp.resolve("quokka bay"), expected[:1])
    pd.testing.assert_series_equal(sp.resolve(pd.Index(["quokka bay"])), expected[:1])
    assert sp.resolve([]).shape == (0,)


def test_nothing_is_asked_of_the_service():
    """The list of made-up suburbs is complete, so no query is looked up."""
    sp.resolve(NAMES)
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve("nowhere at all")
    assert sp.ledger().empty


@pytest.mark.parametrize("dtype", ["object", "str", "category", "string"])
def test_on_a_frame_it_fits_the_frame(dtype):
    """On a frame the result has the frame's index, so it can be assigned to `area_name`, which the loaders then use."""
    df = pd.DataFrame(
        {
            "suburb": ["lantern bay", "QUOKKA BAY", "lantern bay"],
            "where": ["Tas", "", "New South Wales"],
            "at": [7241.0, None, 2535],
        },
        index=[5, 5, 1],
    ).astype({"suburb": dtype, "where": dtype})
    df["area_name"] = df.suburb.resolve(state="where", postcode="at")
    assert df["area_name"].to_list() == ["Lantern Bay (Tas.)", "Quokka Bay", "Lantern Bay (NSW)"]
    assert df.suburb.impact_summary().index.to_list() == ["Lantern Bay (Tas.)", "Quokka Bay", "Lantern Bay (NSW)"]


def test_to_run_it_again_heals_what_was_missing():
    """A second run reads the column of queries again; `area_name` is read only if there is no other column."""
    df = pd.DataFrame({"locality": ["lantern bay", "quokka bay"], "area_name": [None, "Woylie"]})
    df["locality"] = ["lantern bay tas", "quokka bay"]
    df["area_name"] = df.suburb.resolve()
    assert df["area_name"].to_list() == ["Lantern Bay (Tas.)", "Quokka Bay"]
    assert df[["area_name"]].suburb.resolve().to_list() == df["area_name"].to_list()


def test_queries_and_states_may_be_index_levels():
    """Queries and states may be index levels of a frame, and are named by their labels."""
    index = pd.MultiIndex.from_tuples([("lantern bay", "TAS"), ("woylie", "WA")], names=["suburb", "st"])
    df = pd.DataFrame({"sold": [3, 5]}, index=index)
    found = df.suburb.resolve(state="st")
    assert found.index.equals(df.index)
    assert found.to_list() == ["Lantern Bay (Tas.)", "Woylie"]
    with pytest.raises(ValueError, match="'region'"):
        df.suburb.resolve(state="region")
    with pytest.raises(ValueError, match="Pass the label of a column, as in 'suburb', not"):
        df.suburb.resolve(state=df["sold"])


def test_rows_without_a_name_are_skipped():
    """Missing and blank rows of a Series are skipped with one warning. In a list, a missing query is an error."""
    df = pd.DataFrame({"suburb": ["woylie", None, "  ", "zamia"]}, index=list("abcd"))
    with pytest.warns(
        sp.errors.SkippedRowsWarning, match="2 of 4 rows have no suburb name and were skipped: rows 'b', 'c'"
    ) as caught:
        found = df.suburb.resolve()
    assert len(of_this_call(caught)) == 1
    assert found.fillna("-").to_list() == ["Woylie", "-", "-", "Zamia"]
    with pytest.raises(sp.errors.InvalidName):
        sp.resolve(["woylie", None])
    with pytest.raises(sp.errors.InvalidName, match="2770"):
        sp.resolve(pd.Series(["woylie", 2770]))


def test_an_ambiguous_query_shows_its_candidates():
    """The error for an ambiguous query shows its candidates in a table. None is chosen, and nothing is charged."""
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("lantern bay")
    assert caught.value.candidates == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    first, *table = str(caught.value).splitlines()
    assert first == (
        "'lantern bay' can mean 2 suburbs, and none was chosen. Nothing was charged. Add the state or the "
        "postcode, or use the exact name:"
    )
    assert [line.split() for line in table] == [
        ["area_name", "state", "lga", "postcode"],
        ["Lantern", "Bay", "(NSW)", "NSW", "Curlew", "Shores", "2535"],
        ["Lantern", "Bay", "(Tas.)", "TAS", "Muttonbird", "Straits", "7241"],
    ]


def test_an_unknown_query_suggests():
    """The error for an unknown query suggests similar names, or the suburb in its own state, and chooses none."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r"Nothing was charged\. Did you mean Sugargum\?") as caught:
        sp.resolve("sugrgum")
    assert caught.value.suggestions[0] == "Sugargum"
    with pytest.raises(sp.errors.UnknownSuburb, match="'quokka bay' in VIC") as caught:
        sp.resolve("quokka bay", state="vic")
    assert caught.value.suggestions[0] == "Quokka Bay"
    with pytest.raises(sp.errors.UnknownSuburb, match="with the postcode 2000") as caught:
        sp.resolve("quokka bay", postcode="2000")


QUERIES = ["quokka bay", "lantern bay", "sugrgum", "lantern bay", "boobook", "x" * 300, "woylie"]


@pytest.mark.parametrize(
    ("query", "state", "suggestion"),
    [
        ("Kestrel Hil", "Vic", "Kestrel Hill (Vic.)"),
        ("Kestrel Hil", "Queensland", "Kestrel Hill (Qld)"),
        ("Kestrel Hil QLD", None, "Kestrel Hill (Qld)"),
    ],
)
def test_suggestions_lie_in_the_given_state(query, state, suggestion):
    """Suburbs that are known to be in another state than the query's are not suggested."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve([query], state)
    assert caught.value.suggestions[0] == suggestion
    assert {STATE_OF[name] for name in caught.value.suggestions} == {STATE_OF[suggestion]}


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(NAMES), st.integers(0, 6), st.sampled_from(["NSW", "VIC", "QLD", "WA", "TAS"]))
def test_no_suggestion_lies_in_another_state(name, dropped, state):
    """Suggestions for a misspelt name all lie in the state beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sp.resolve([name[:dropped] + name[dropped + 1 :]], state, detail=True, errors="warn")
    if found["problem"].to_list() == ["unknown"] and found["candidates"].notna().all():
        assert {STATE_OF[one] for one in found["candidates"].iloc[0].split("; ")} == {state}


def test_one_error_lists_every_problem_row():
    """One error covers all rows: AmbiguousSuburb if any is ambiguous. It has the resolved names and all problems."""
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        pd.DataFrame({"suburb": QUERIES}, index=list("abcdefg")).suburb.resolve()
    error = caught.value
    assert error.resolved.fillna("-").to_dict() == dict(
        zip("abcdefg", ["Quokka Bay", "-", "-", "-", "-", "-", "Woylie"], strict=True)
    )
    assert error.problems.index.to_list() == list("bcdef")
    assert error.problems["problem"].to_list() == ["ambiguous", "unknown", "ambiguous", "ambiguous", "InvalidName"]
    assert error.problems["names"].iloc[0] == "Lantern Bay (NSW); Lantern Bay (Tas.)"
    assert error.candidates[:2] == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    assert set(error.failures) == set(QUERIES[1:6])
    assert str(error).startswith("5 of 7 rows were not resolved (3 ambiguous, 1 unknown, 1 InvalidName). Nothing was")
    assert all(f"{query} " in str(error) for query in QUERIES[1:5])


def test_without_an_ambiguous_row_it_is_unknown():
    """If no row is ambiguous, the error is UnknownSuburb, with the suggestions of all rows."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(["sugrgum", "quoka bay", "woylie"])
    assert {"Sugargum", "Quokka Bay"} <= set(caught.value.suggestions)
    assert caught.value.resolved["woylie"] == "Woylie"


def test_errors_may_be_a_warning():
    """With errors="warn", unresolved rows are NA and a warning lists them."""
    with pytest.warns(sp.SuburbWarning, match="2 of 3 rows were not resolved .* and are NA") as caught:
        found = sp.resolve(["woylie", "lantern bay", "sugrgum"], errors="warn")
    assert found.fillna("-").to_list() == ["Woylie", "-", "-"]
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


def test_many_problems_are_not_all_printed():
    """The message lists at most 100 problems; the frame `.problems` has all of them."""
    with pytest.raises(sp.errors.UnknownSuburb, match="not resolved") as caught:
        sp.resolve(["no such place", "nor this one"])
    assert " more" not in str(caught.value)
    with pytest.raises(sp.errors.UnknownSuburb, match="and 20 more") as caught:
        sp.resolve([f"zzzzzz {number}" for number in range(120)])
    assert len(caught.value.problems) == 120


def test_a_cut_list_of_candidates_says_how_to_see_all():
    """A row lists five candidates and counts the others; the line below the table shows all of them."""
    with pytest.raises(sp.errors.AmbiguousSuburb, match="; and 2 more\n") as caught:
        sp.resolve(["magpie flat", "lantern bay"])
    *_, last = str(caught.value).splitlines()
    assert last == "To see all candidates for 'magpie flat', run sp.suggest('magpie flat')"
    listed = sp.suggest("magpie flat")["area_name"].to_list()
    assert set(caught.value.candidates) <= {*listed, "Lantern Bay (NSW)", "Lantern Bay (Tas.)"}
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve(["lantern bay", "woylie"])
    assert "sp.suggest" not in str(caught.value)


def test_a_suburb_in_another_place_is_counted_in_words():
    """The count of suburbs that lie in another place than the given one says so."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r"\(1 not in the place given\)\. Nothing was charged\."):
        sp.resolve(["woylie tas", "quokka bay"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"queries": ["a", "b"], "state": ["VIC"]}, ValueError),
        ({"queries": ["a"], "state": "Narnia"}, ValueError),
        ({"queries": ["a"], "postcode": 27}, ValueError),
        ({"queries": ["a"], "errors": "ignore"}, ValueError),
        ({"queries": pd.Series(["a", "b"]), "state": pd.Series(["VIC", "SA"], index=[1, 0])}, ValueError),
        ({"queries": {"a"}}, TypeError),
        ({"queries": ["a", "b"], "state": {"NSW", "Tas"}}, TypeError),
        ({"queries": ["a", "b"], "postcode": {2000: 1, 3000: 2}}, TypeError),
        ({"queries": pd.MultiIndex.from_tuples([("a", "b")])}, sp.errors.InvalidName),
        ({"queries": [10**5000]}, sp.errors.InvalidName),
        ({"queries": 7}, sp.errors.InvalidName),
        ({"queries": pd.DataFrame({"suburb": ["a"]})}, TypeError),
        ({"queries": ["a"], "fuzzy": True}, TypeError),
    ],
)
def test_what_cannot_be_asked(arguments, error):
    """A state or a postcode must be valid, and given once for all queries or once for each. A frame is refused."""
    with pytest.raises(error):
        sp.resolve(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"state": "Narnia"},
            "state must be one of NSW, VIC, QLD, SA, WA, TAS, NT, ACT, OT, not 'Narnia'. Nothing was",
        ),
        ({"postcode": 99999}, "postcode must be four digits, such as 0800, not 99999. Nothing was sent."),
    ],
)
def test_an_invalid_state_or_postcode_is_refused_with_the_valid_ones(arguments, message):
    """The error for a state or postcode that is not one says which values are valid."""
    with pytest.raises(ValueError, match=re.escape(message)):
        sp.resolve("woylie", **arguments)


def test_states_and_postcodes_stand_beside_their_queries():
    """Each query may have a state in any spelling and a postcode as text or number. Missing ones are ignored."""
    found = sp.resolve(
        ["lantern bay", "lantern bay", "boobook", "woylie"],
        ["Tas.", "new south wales", None, ""],
        [7241, None, "841", float("nan")],
    )
    assert found.to_list() == ["Lantern Bay (Tas.)", "Lantern Bay (NSW)", "Boobook (NT)", "Woylie"]


@pytest.mark.parametrize("nothing", [None, "", " ", pd.NA, float("nan")])
def test_a_state_that_is_missing_says_nothing(nothing):
    """A missing or blank state or postcode is ignored, both for all queries and for one."""
    assert sp.resolve("woylie", nothing, nothing).to_list() == ["Woylie"]
    assert sp.resolve(["woylie"], [nothing], [nothing]).to_list() == ["Woylie"]


def test_what_is_elsewhere_is_said():
    """If a suburb is in another state than the query says, the error says where it is."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r"Quokka Bay is in WA \(6171\)\.") as caught:
        sp.resolve("quokka bay", "NSW")
    assert caught.value.problems["problem"].to_list() == ["elsewhere"]
    (failure,) = caught.value.failures.values()
    assert failure is not caught.value  # an error must not contain itself


def test_a_state_that_is_none_is_said():
    """If the state of a row is not a state, that row stays unresolved, and its error says so."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(["quokka bay", "woylie"], ["Narnia", "WA"])
    assert caught.value.resolved.isna().to_list() == [True, False]
    (failure,) = caught.value.failures.values()
    assert "Quokka Bay is in WA (6171), and 'Narnia' is not a state." in str(failure)
    assert str(caught.value).endswith("\nNot the name of a state: 'Narnia'")


def test_real_suburbs_need_a_key():
    """The error for a real suburb on the embedded sandbox says how to connect to the service."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r'sp\.connect\(api_key="test"\)'):
        sp.resolve("Bondi")


def test_two_queries_with_one_text_have_an_error_each():
    """Queries with one text are told apart in ``failures`` by their state and postcode."""
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(["zip", "zip", "zip"], ["VIC", "SA", None])
    assert set(caught.value.failures) == {"zip [VIC]", "zip [SA]", "zip"}


def test_a_state_that_cannot_be_read_resolves_nothing():
    """A query with an invalid state or postcode is not resolved, even if its text is an exact name."""
    with pytest.raises(sp.errors.UnknownSuburb, match="'woylie' in 'Narnia'"):
        sp.resolve(["woylie"], ["Narnia"])
    with pytest.raises(sp.errors.UnknownSuburb, match="'woylie' with the postcode 64211"):
        sp.resolve(["woylie"], postcode=[64211])
