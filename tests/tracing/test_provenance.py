"""Provenance: the responses behind a stored or replayed frame, or an error if they are unknown, and the citation."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.frames.marks import marks_of
from tests.support.processes import ask, paying, race
from tests.support.recorded import call, written
from tests.support.vintages import premiums, replayed

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.mark.usefixtures("live")
def test_the_provenance_of_frames_below_one_another_is_that_of_their_responses():
    """The provenance of concatenated frames names the responses in the store, in the order of the suburbs."""
    for frame, endpoint, cents in (
        (pd.concat({name: sp.rent(name) for name in NAMES}, names=["area_name"]), "rent", 30),
        (pd.concat([sp.impacts(NAMES[:1]), sp.impacts(NAMES[1:])]), "impacts", 10),
    ):
        found, stored = sp.provenance(frame), sp.vintages(NAMES, endpoint).set_index("area_name")
        pd.testing.assert_frame_equal(found[["sha256", "retrieved_at"]], stored[["sha256", "retrieved_at"]])
        assert found[["endpoint", "source", "cents"]].to_numpy().tolist() == [[endpoint, "live", cents]] * 3
        assert found["request_id"].is_unique


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_drivers_of_the_same_label_are_not_mixed():
    """If a response has a label twice, a row has to be one of its drivers, not the figures of both."""
    twice = premiums(BAY, {"no pool nearby": 20_000, "no park nearby": 10_000}).replace(b"no park", b"no pool")
    with replayed(twice, endpoint="impacts"):
        drivers = sp.impacts([BAY])
        assert sp.cite(drivers[::-1]) == sp.cite(drivers)
        with pytest.raises(sp.errors.ProvenanceError, match=r"\d values of this frame are in no response"):
            sp.cite(drivers.assign(premium_dollars=[10_000, 20_000]))


def test_a_part_is_not_said_to_come_from_another_source(live, tmp_path):
    """The attrs of a part name its source, so a response from another source is never taken for its own."""
    path = tmp_path / "study.yaml"
    path.write_bytes(written(call(BAY, source="sandbox")))
    with sp.cassette(path):
        free = sp.rent([BAY])
    with sp.connect(api_key=live.settings.api_key, base_url=live.settings.base_url, store=tmp_path / "other"):
        sp.rent([BAY])
        assert sp.provenance(free.head(1))["source"].to_list() == ["sandbox"]


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.usefixtures("embedded")
def test_a_frame_that_was_changed_in_place_is_what_it_is_now():
    """After a change in place, dropped suburbs have no provenance, and a renamed suburb raises an error."""
    frame = sp.rent(NAMES)
    frame["area_name"] = frame["area_name"].cat.rename_categories({BAY: "Nowhere"})
    with pytest.raises(sp.errors.ProvenanceError, match="a response about 'Nowhere'"):
        sp.provenance(frame)
    frame = sp.rent(NAMES)
    frame.query(f"area_name == '{BAY}'", inplace=True)  # noqa: PD002 - users do this
    assert list(sp.provenance(frame).index) == [BAY]


def test_suburbs_without_data_have_their_provenance_too(live):
    """A suburb without data has a provenance, too, in the order of the request. That of an empty frame is empty."""
    with pytest.warns(sp.errors.NoDataWarning):
        frame = sp.rent(["Thorny Devil", BAY])
    assert list(sp.provenance(frame).index) == ["Thorny Devil", BAY]
    assert sp.provenance(sp.rent([])).empty


@pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")
def test_a_suburb_with_gaps_alone_is_not_cited(embedded):
    """A part is cited with the suburbs that have values in it, and not with those that only have NaN, or a status."""
    units, card = sp.rent([BAY, "Galah Siding"])[["area_name", "unit"]], sp.scorecard([BAY, "Thorny Devil"]).copy()
    for part in (units, card):
        assert {*sp.provenance(part).index} == {BAY}
        assert "of 1 suburb" in sp.cite(part)
    assert "not checked" not in sp.cite(sp.scorecard([BAY, "Perentie"]))  # which has rents, and no impacts


def test_a_frame_without_suburbs_cannot_be_cited(embedded):
    """An empty frame cannot be cited. Rows without a name, or with a date alone, are ignored."""
    with pytest.raises(sp.errors.ProvenanceError, match="nothing in this frame to cite"):
        sp.cite(sp.rent([]))
    dated = sp.rent([BAY]).reset_index()
    frame = pd.DataFrame({"area_name": [BAY, None, WOYLIE]}).merge(dated, how="left")
    dates = pd.DataFrame({"date": [pd.Timestamp("1999-01-03"), *dated["date"]]})
    for merged in (frame, dates.merge(dated, how="left")):
        assert list(sp.provenance(merged).index) == [BAY]
    with pytest.raises(sp.errors.ProvenanceError, match="neither rents with their dates"):
        sp.cite(frame.drop(columns="date"))


def test_a_frame_of_another_process_is_traced_in_the_store(service, tmp_path):
    """A frame that another process loaded is traced to its response by its attrs, also if there is a newer response."""
    settings = paying(service, tmp_path / "store.sqlite")
    ((frame,),) = race([(ask, settings, ("rent", BAY))])
    with sp.Client(**settings) as client:
        found = sp.provenance(frame, client=client)
        assert found.index.to_list() == [BAY]
        assert (found["cents"].to_list(), found["sha256"].to_list()) == ([30], [marks_of(frame)["sha256"]])
        sp.rent(BAY, refresh=True, client=client)
        assert sp.provenance(frame, client=client).equals(found)
    with sp.Client(api_key="embedded") as client, pytest.raises(sp.SuburbError, match="nor the store of this client"):
        sp.provenance(frame, client=client)


def test_the_response_of_the_clients_own_service_is_cited(service, tmp_path):
    """A copy is traced to the service of its client, even if another client has the same rents from elsewhere since."""
    with (
        sp.Client(**paying(service, tmp_path / "own.sqlite")) as own,
        sp.Client(
            **paying(service, tmp_path / "other", base_url=service.url.replace("127.0.0.1", "localhost"))
        ) as other,
    ):
        rents, _ = sp.rent([BAY], client=own), sp.rent([BAY], client=other)
        assert sp.provenance(rents.copy(), client=own).equals(sp.provenance(rents, client=own))
