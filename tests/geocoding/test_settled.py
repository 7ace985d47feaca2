"""Tests ``resolve(..., detail=True)``: how each row was settled, and what is open."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.geocoding.settled import COLUMNS

LISTED = "Lantern Bay (NSW)\nLantern Bay (Tas.)\nQuokka Bay\nMagpie Flat (Curlew - NSW)\nMagpie Flat (Wader - NSW)\n"


@pytest.fixture
def listed(live):
    """Load a complete list of made-up names with an edition, and return the default client."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": LISTED.splitlines()}), complete=True)
    return live


def rows(found):
    """Return the rows of a frame as dictionaries, without the columns that say nothing."""
    return [{column: value for column, value in row.items() if not pd.isna(value)} for row in found.to_dict("records")]


def test_each_row_says_how_it_was_settled(listed):
    """The rule, what confirmed it, what nothing here knows, and the edition of the list are columns of text."""
    queries = pd.Series(
        ["Quokka Bay", "quokka bay wa 6171", "lantern bay tas", "magpie flat nsw (wader)"], index=[4, 3, 2, 1]
    )
    found = sp.resolve(queries, detail=True)
    assert found.index.equals(pd.Index(queries, name="query"))
    assert tuple(found.columns) == COLUMNS
    assert {str(dtype) for dtype in found.dtypes} == {str(pd.Series([""], dtype="str").dtype)}
    assert rows(found) == [
        {"area_name": "Quokka Bay", "rule": "exact", "edition": "SAL 2021"},
        {
            "area_name": "Quokka Bay", "rule": "base",
            "not_confirmed": "state WA; postcode 6171", "edition": "SAL 2021",
        },
        {
            "area_name": "Lantern Bay (Tas.)", "rule": "base_state",
            "confirmed_by": "state TAS", "edition": "SAL 2021",
        },
        {
            "area_name": "Magpie Flat (Wader - NSW)", "rule": "council", "confirmed_by": "state NSW; region wader",
            "edition": "SAL 2021",
        },
    ]  # fmt: skip


def test_open_rows_are_in_it(listed):
    """With ``errors="warn"`` every problem can be seen without an exception, with the candidates of each row."""
    queries = pd.Series(["lantern bay", "Lantern Bay TAS 2535", "quoka bay", None, "Quokka Bay"])
    with pytest.warns(sp.SuburbWarning) as caught:
        found = sp.resolve(queries, detail=True, errors="warn")
    assert {one.category for one in caught} == {sp.errors.SkippedRowsWarning, sp.SuburbWarning}
    assert rows(found) == [
        {"problem": "ambiguous", "candidates": "Lantern Bay (NSW); Lantern Bay (Tas.)"},
        {"problem": "elsewhere", "candidates": "Lantern Bay (NSW); Lantern Bay (Tas.)"},
        {"problem": "unknown", "candidates": "Quokka Bay"},
        {"problem": "missing"},
        {"area_name": "Quokka Bay", "rule": "exact", "edition": "SAL 2021"},
    ]


def test_the_candidates_that_fit_the_postcode_come_first(listed):
    """The range of a postcode orders the candidates of an open row."""
    for postcode, first in ((2535, "Lantern Bay (NSW)"), (7241, "Lantern Bay (Tas.)")):
        with pytest.warns(sp.SuburbWarning, match="1 ambiguous"):
            found = sp.resolve("lantern bay", postcode=postcode, detail=True, errors="warn")
        assert found["candidates"].iloc[0].split("; ")[0] == first


def test_a_range_that_blocks_is_explained(listed):
    """A suburb that would be meant, if its state were not impossible at the postcode, is an error that says so."""
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"Lantern Bay \(Tas\.\) is in TAS, and the postcode 2535 is in NSW"
    ) as caught:
        sp.resolve("lantern bay tas 2535")
    assert "Lantern Bay (Tas.)" in caught.value.suggestions


def test_pins_and_look_ups_are_rules_of_their_own(live, service, tmp_path):
    """A row that a pin or a look-up settled says so, and what the look-up confirmed."""
    path = tmp_path / "pins.csv"
    path.write_text("query,state,postcode,area_name\nthe bay,,,Quokka Bay\n")
    found = sp.resolve(["the bay", "magpie flat wa 6171"], pins=path, detail=True)
    assert rows(found) == [
        {"area_name": "Quokka Bay", "rule": "pin"},
        {"area_name": "Magpie Flat (WA)", "rule": "look_up", "confirmed_by": "state WA; postcode 6171"},
    ]


def test_a_frame_keeps_its_index(embedded):
    """On a frame, the detail has the frame's index, and the edition says that the suburbs are made up."""
    frame = pd.DataFrame({"suburb": ["quokka bay", "woylie"], "council": ["Marri Coast", None]}, index=["a", "b"])
    found = frame.suburb.resolve(region="council", detail=True)
    assert found.index.to_list() == ["a", "b"]
    assert found["edition"].to_list() == ["made up", "made up"]
    assert found["confirmed_by"].to_list()[0] == "region marri coast"
    assert found["area_name"].to_list() == frame.suburb.resolve().to_list()


def test_an_address_is_looked_up_by_its_suburb(live, service):
    """The look-up of a street address asks for the suburb after the comma, in its state."""
    found = sp.resolve(["12 Wader Street, Quokka Bay WA 6171"], detail=True)
    assert found["area_name"].to_list() == ["Quokka Bay"]
    assert sp.resolve("Zamia Heights (Woylie)", detail=True)["area_name"].to_list() == ["Zamia Heights"]
    assert [seen.target for seen in service.requests] == [
        "/v1/geocode/suburb?q=Quokka%20Bay&state=WA",
        "/v1/geocode/suburb?q=Zamia%20Heights",
    ]


def test_an_address_without_a_comma_is_never_looked_up(live, service):
    """Where names may be missing, an address without a comma stays open, costs nothing, and says what to do."""
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"Nothing was charged\. Put a comma between the street and the suburb\.$"
    ):
        sp.resolve("12 Wader Street Quokka Bay WA")
    assert not service.requests


def test_the_error_shows_the_region_that_contradicts(embedded):
    """Rows that differ in their regions alone have a problem each, which names the region and the suburb's own one."""
    regions = ["Curlew Shores", "Muttonbird Straits"]
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve(["quokka bay"] * 2, region=regions)
    assert caught.value.problems["region"].to_list() == regions
    assert list(caught.value.failures) == [f"quokka bay [{region}]" for region in regions]
    first, _ = caught.value.failures.values()
    assert "'quokka bay' with the region 'Curlew Shores' matches no suburb" in str(first)
    assert "Quokka Bay is in Quokka Sound, WA (6171)" in str(first)
