"""The rent index by council, weighted by dwellings: what a loaded list knows, and what it does not."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY
from tests.timeseries.irregular import quarters

BAY, HEIGHTS, WOYLIE, LANTERN = "Quokka Bay", "Bilby Heights", "Woylie", "Lantern Bay (NSW)"
ALLOCATION = [
    "MB_CODE_2021,SAL_NAME_2021,STATE_NAME_2021,AREA_ALBERS_SQKM",
    f"1,{BAY},Western Australia,1",
    f"2,{WOYLIE},Western Australia,3",
    f"3,{WOYLIE},Western Australia,2",
    f"4,{HEIGHTS},New South Wales,1",
]
COUNCILS = ["MB_CODE_2021,LGA_NAME_2021,AREA_ALBERS_SQKM", "1,Wader,1", "2,Wader,3", "3,Curlew,2", "4,Curlew,1"]
COUNTS = ["MB_CODE_2021,Dwelling,Person", "1,100,250", "2,200,400", "3,100,100", "4,100,300"]


def write(path, lines):
    """Write lines to a file and return its path."""
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def listed(live, tmp_path):
    """Load made-up files, laid out as the ABS's: an allocation of suburbs, one of councils, and counts."""
    tables = [write(tmp_path / "lga.csv", COUNCILS), write(tmp_path / "counts.csv", COUNTS)]
    sp.load_gazetteer(write(tmp_path / "sal.csv", ALLOCATION), with_=tables)
    return live


@pytest.mark.parametrize("by", [None, "sa4"])
@pytest.mark.parametrize("count", ["dwellings", "persons"])
def test_a_count_weighs_like_a_series_of_the_same_numbers(embedded, by, count):
    """`weights="dwellings"` is short for the column of `places`, and so is ``by`` with a region."""
    frame = quarters({BAY: [400, 440, 450], WOYLIE: [500, 400, ...], HEIGHTS: [600, 660, 700]})
    places = sp.places([BAY, WOYLIE, HEIGHTS])
    written_out = sp.rent_index(frame, by and places[by], places[count].astype("float64"))
    pd.testing.assert_frame_equal(sp.rent_index(frame, by, count), written_out)


def test_a_loaded_list_gives_the_groups_and_the_weights(listed, service):
    """A split suburb counts whole in the council with its largest part, with all of its dwellings."""
    frame = quarters({BAY: [400, 440], WOYLIE: [500, 400], HEIGHTS: [600, 660]})
    assert sp.places(WOYLIE)[["lga", "lga_share", "dwellings"]].to_numpy().tolist() == [["Wader", 0.6, 300]]
    index = frame.suburb.rent_index(by="lga", weights="dwellings").reset_index().set_index(["group", "date"])["house"]
    assert index["Wader"].to_list() == pytest.approx([100, 100 * 1.1**0.25 * 0.8**0.75])
    assert index["Curlew"].to_list() == pytest.approx([100, 110])
    assert not service.requests


def test_the_shares_are_shares_of_dwellings(listed):
    """A suburb without a value is missed by its dwellings, not by its number."""
    frame = quarters({BAY: [400, 440, 441], WOYLIE: [500, 400, None]})
    assert sp.rent_index(frame, weights="dwellings")["house_share"].to_list() == [0, 1, 0.25]
    assert sp.rent_index(frame, weights="persons")["house_share"].to_list() == [0, 1, pytest.approx(250 / 750)]
    assert sp.rent_index(frame)["house_share"].to_list() == [0, 1, 0.5]


@pytest.mark.parametrize("options", [{"by": "lga"}, {"weights": "dwellings"}])
def test_a_suburb_that_the_list_does_not_know_is_named(listed, service, options):
    """No suburb is left out in silence: the error names those that the loaded files lack."""
    rents = quarters({BAY: [400, 440], WOYLIE: [500, 400], "Zamia Heights": [500, 505]})
    with pytest.raises(
        ValueError,
        match=r"is known here for 'Zamia Heights'\. No call was made, and nothing was charged\. Pass a Series or dict",
    ):
        sp.rent_index(rents, **options)
    assert sp.rent_index(rents[rents["area_name"] != "Zamia Heights"], **options)["house_n"].max() == 2
    assert not service.requests


def test_a_suburb_without_dwellings_is_no_weight(live):
    """A count of zero is an error like one that is not known: the suburb is not left out in silence."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [BAY, WOYLIE], "Dwelling": [10, 0]}))
    with pytest.raises(ValueError, match=r"^No number of dwellings above zero is known here for 'Woylie'"):
        sp.rent_index(quarters({BAY: [400, 440], WOYLIE: [500, 400]}), weights="dwellings")


def test_where_no_file_is_loaded_the_error_has_the_line_that_loads_it(live):
    """The line reads the names and the field that is missing."""
    with pytest.raises(ValueError, match=r"To read it from the ABS's files, run sp\.load_gazetteer\(.*with_=.*\)$"):
        sp.rent_index(quarters({BAY: [400, 440]}), weights="persons")


def test_a_citation_goes_by_the_list_of_the_client_that_is_given(service, tmp_path):
    """With ``client=``, an index by dwellings is computed again by what that client knows."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "mine") as mine:
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [BAY, WOYLIE], "Dwelling": [10, 90]}), client=mine)
        rents = sp.rent([BAY, WOYLIE], freq="QE", client=mine)
        index = sp.rent_index(rents, weights="dwellings", client=mine)
        assert "may have" not in sp.cite(index, client=mine)
