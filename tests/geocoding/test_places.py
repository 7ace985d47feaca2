"""Tests what is known of suburbs on this machine: ``suggest`` and ``places``, which make no call."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.made_up import NAMES, PLACES


def test_suggestions_are_a_frame_of_what_is_known(embedded):
    """``suggest`` returns the columns of ``find``, marks made-up suburbs as such, and makes no call."""
    found = sp.suggest("lantern bay", state="Tasmania", limit=1)
    assert_frame_equal(found, sp.places("Lantern Bay (Tas.)").reset_index()[[*sp.find("lantern bay")]])
    assert found.attrs["suburb_pandas"] == {"endpoint": "gazetteer", "source": "embedded", "made_up": True}
    assert len(sp.suggest("m")) == 10
    assert sp.suggest("bay", limit=0).empty


def test_what_cannot_be_suggested_for_is_refused(embedded):
    """An unknown state, a negative or fractional limit, and a text that is no text are refused."""
    for arguments in (("x", "Narnia"), ("x", None, -1), ("x", None, 1.5), (None,)):
        with pytest.raises((ValueError, TypeError)):
            sp.suggest(*arguments)


def test_places_say_what_is_known(live, service):
    """``places`` makes no call. Locations come from look-ups; without one, the suffix of a name gives its state."""
    sp.find("bilby")
    sp.impacts("Quokka Bay")
    found = sp.places(["Quokka Bay", "Bilby Heights", "Quoll (Vic.)", "Emu", "Quokka Bay"])
    text = str(pd.Series(["text"]).dtype)  # which pandas 3 has changed
    assert found.dtypes.astype("str").to_dict() == {
        **dict.fromkeys(["state", "lga", "postcode", "sa2", "sa3", "sa4", "sal_code", "origin"], text),
        **dict.fromkeys(["lga_share", "postcode_share", "sa2_share", "sa3_share", "sa4_share"], "float64"),
        **dict.fromkeys(["dwellings", "persons"], "Int64"),
    }
    assert found[["state", "postcode", "origin"]].to_csv() == (
        "area_name,state,postcode,origin\nQuokka Bay,,,response\nBilby Heights,NSW,2440,geocode\nQuoll (Vic.),VIC,,\n"
        "Emu,,,\n"
    )
    assert len(service.requests) == 2


@pytest.mark.parametrize("function", [sp.suggest, sp.places, sp.find, sp.resolve])
def test_without_a_key_the_suburbs_are_said_to_be_made_up(function):
    """Without a key, each function on names warns that the suburbs are made up, even if it makes no call."""
    with pytest.warns(sp.errors.SyntheticDataWarning) as caught:
        function("Quokka Bay")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


FILTERS = [
    ({}, "area_name != ''"),
    ({"state": "Tas."}, "state == 'TAS'"),
    ({"postcode": 2535, "state": "NSW"}, "postcode == '2535'"),
    ({"postcode": "2535", "state": "TAS"}, "area_name == ''"),
    ({"lga": "Shire of curlew shores"}, "lga == 'Curlew Shores'"),
    ({"sa4": "Marri Coast"}, "sa4 == 'Marri Coast'"),
]


def test_places_can_be_filtered(embedded):
    """State, council, SA4 and postcode leave out the suburbs that are not known to lie there. The rest are sorted.

    A postcode and a council suggest the same suburbs.
    """
    for filters, lie_there in FILTERS:
        expected = sorted(pd.DataFrame(PLACES).query(lie_there)["area_name"])
        assert sp.places(**filters).index.to_list() == expected
        assert sp.places(NAMES[::7], **filters).index.to_list() == sorted({*NAMES[::7]}.intersection(expected))
    for area in ({"postcode": "2535"}, {"lga": "Curlew Shores"}):
        assert {*sp.suggest(*area.values(), limit=99)["area_name"]} == {*sp.places(**area).index}
    for invalid in ({"state": "Narnia"}, {"postcode": "27"}, {"lga": 7}):
        with pytest.raises((ValueError, TypeError)):
            sp.places(**invalid)


@pytest.mark.parametrize(
    ("kind", "area", "advice"),
    [
        ("lga", "city of curlw shores", "Did you mean lga='Curlew Shores'?"),
        ("sa4", "mar", "Did you mean sa4='Marri Coast'?"),
        ("sa4", "Curlew Shores", 'To list every sa4 that is known here: sp.places()["sa4"].unique()'),
    ],
)
def test_an_area_without_suburbs_is_told_with_similar_ones(embedded, kind, area, advice, tmp_path):
    """An empty frame for a council or SA4 that nobody knows would be a dead end.

    With a cassette, on which only few suburbs are known, the warning suggests none, so that a replay says the same.
    """

    def warning():
        with pytest.warns(sp.SuburbWarning) as caught:
            assert sp.places(**{kind: area}).empty
        return str(caught[0].message)

    assert warning() == f"No suburb is known to lie in {kind}={area!r}. {advice}"
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "c.yaml", record):
            sp.impacts("Quokka Bay")
            assert "To list every" in warning()


def test_with_a_live_key_and_no_list_nothing_found_says_how_to_load_one(live):
    """Where nothing is found because no list is loaded, a warning or the error says how to load the ABS's."""
    for nothing in (lambda: sp.suggest("quoll"), lambda: sp.places(state="VIC")):
        with pytest.warns(sp.SuburbWarning, match=r"abs\.gov\.au .*sp\.load_gazetteer\('SAL_2021_AUST\.xlsx'\)$"):
            assert nothing().empty
    sp.rent("Quokka Bay")
    assert sp.places().index.to_list() == ["Quokka Bay"]  # without a warning
    with pytest.raises(sp.errors.UnknownSuburb, match=r"No list of suburb names is loaded.*sp\.load_gazetteer"):
        sp.resolve(["xylophone", "zylophone"])
