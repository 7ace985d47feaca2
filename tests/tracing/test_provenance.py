"""Provenance: the responses behind a stored or replayed frame, or an error if they are unknown, and the citation."""

import re

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.frames.schema import marks_of
from tests.support.processes import ask, paying, race
from tests.support.recorded import body_of, call, written
from tests.support.vintages import at, premiums, rents, replayed, weeks

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.fixture(params=["stored", "replayed"])
def served(request, live, tmp_path):
    """Serve the requests of a test from the store, and in a second run from a cassette that was recorded from it."""
    sp.rent(NAMES)
    sp.impacts(NAMES)
    if request.param == "stored":
        yield request.param
        return
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent(NAMES)
        sp.impacts(NAMES)
    with sp.cassette(path, "none"):
        yield request.param


PARTS = {
    "slice": lambda: sp.rent(NAMES).query("house > 0").tail(400),
    "resample": lambda: sp.resample(sp.rent(NAMES), "QE", how="mean"),
    "wide": lambda: sp.rent(NAMES, layout="wide").tail(3),
    "concat of single": lambda: pd.concat({name: sp.rent(name) for name in NAMES}, names=["area_name"]),
    "concat of drivers": lambda: pd.concat([sp.impacts(NAMES[:1]), sp.impacts(NAMES[1:])]),
    "concat of wide": lambda: pd.concat(
        [sp.rent(NAMES[:1], layout="wide"), sp.rent(NAMES[1:], layout="wide")], axis=1, sort=True
    ),
    "summary": lambda: sp.impact_summary(NAMES)[["n_sales"]],
    "merge": lambda: sp.rent(NAMES).reset_index().merge(pd.DataFrame({"area_name": NAMES, "n": 1})).set_index("date"),
}


@pytest.mark.parametrize("part", PARTS)
def test_provenance_of_what_was_made_from_frames(served, live, part):
    """The provenance of a sliced, resampled or joined frame names the same responses as the ledger and the store."""
    frame = PARTS[part]()
    present = [name for name in NAMES if name in frame.to_string()]
    provenance = sp.provenance(frame)
    assert sorted(provenance.index) == sorted(present)
    endpoint = "impacts" if "drivers" in part or "summar" in part else "rent"
    for name in present:
        stored = sp.vintages(name, endpoint).iloc[-1]
        assert provenance.loc[name, "sha256"] == stored["sha256"]
        assert provenance.loc[name, "retrieved_at"] == stored["retrieved_at"]
        assert provenance.loc[name, "cents"] == (10 if endpoint == "impacts" else 30)
    assert set(provenance["source"]) == {"live"}
    assert provenance["request_id"].nunique() == len(present)
    assert provenance[["retrieved_at", "cents"]].dtypes.astype("str").to_list() == ["datetime64[us]", "int64"]


def test_the_values_of_a_slice_say_from_which_vintage_it_came(live, service, tmp_path):
    """If the store has also served another vintage, the values of a slice decide which response is behind it."""
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent(NAMES)
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        new = sp.rent(NAMES, refresh=True)
    with sp.cassette(path):
        old = sp.rent(NAMES)
    assert sp.provenance(old).loc[BAY, "sha256"] != sp.provenance(new).loc[BAY, "sha256"]
    for frame in (old, new):
        assert sp.provenance(frame[frame["area_name"] == BAY]).equals(sp.provenance(frame).loc[[BAY]])


def test_values_are_cited_from_the_response_that_has_them_exactly():
    """Rounded values of the newest response that an older one gives as they are come from the older one."""
    with replayed(rents(BAY, weeks(611.0, 621.0)), rents(BAY, weeks(611.4, 621.4, 631.4))):
        old, new = (sp.rent([BAY], retrieved_by=at(week)) for week in (0, 1))
        for frame, day, is_rounded in ((old, at(0), False), (new, at(1), False), (new.round(), at(1), True)):
            saved = pd.DataFrame(frame.to_dict("series"))
            assert sp.provenance(saved)["retrieved_at"].to_list() == [pd.Timestamp(day[:10])]
            assert ("rounded, from" in sp.cite(saved)) == is_rounded


def test_of_older_responses_with_the_same_values_the_newest_is_cited():
    """If the newest response does not give the values, the next one that does is taken."""
    with replayed(*(rents(BAY, weeks(*values)) for values in ((612.0,), (612.0, 622.0), (613.0, 622.0)))):
        frame = sp.rent([BAY]).head(1).assign(house=612.0)
        assert sp.provenance(frame)["retrieved_at"].to_list() == [pd.Timestamp(at(1)[:10])]


def test_a_response_that_gives_no_further_value_is_not_cited():
    """Rows of two responses have these two. A third one that gives some of the values, or none, is not cited."""
    vintages = ((616.0, 626.0, 636.0), (616.0, 630.0, 636.0), (616.0, 634.0, 638.0))
    with replayed(*(rents(BAY, weeks(*values)) for values in vintages)):
        middle, old, new = (sp.rent([BAY], retrieved_by=at(week)) for week in (1, 0, 2))
        for rows, behind in (((new.head(2), old.tail(1)), (2, 0)), ((middle.iloc[[1]], old.iloc[[1]]), (0, 1))):
            found = sp.provenance(pd.concat(rows))["retrieved_at"]
            assert found.to_list() == [pd.Timestamp(at(week)[:10]) for week in behind]


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_drivers_of_the_same_label_are_not_mixed():
    """If a response has a label twice, a row has to be one of its drivers, not the figures of both."""
    twice = premiums(BAY, {"no pool nearby": 20_000, "no park nearby": 10_000}).replace(b"no park", b"no pool")
    with replayed(twice, endpoint="impacts"):
        drivers = sp.impacts([BAY])
        assert sp.cite(drivers[::-1]) == sp.cite(drivers)
        with pytest.raises(sp.errors.ProvenanceError, match="2 values of this frame are in no response"):
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


def test_a_sentence_cites_service_endpoints_dates_and_a_digest(tmp_path):
    """A citation is one sentence with each service, the endpoints, the first and last retrieval dates, and a digest."""
    path = tmp_path / "study.yaml"
    path.write_bytes(
        written(
            call(BAY, at="2026-02-03T00:00:00+00:00"),
            call(HEIGHTS, at="2026-01-02T00:00:00+00:00"),
            call(WOYLIE, source="sandbox", at="2026-03-04T00:00:00+00:00"),
        )
    )
    with sp.cassette(path):
        one, both, three = sp.rent(BAY), sp.rent([BAY, HEIGHTS]), sp.rent(NAMES)
    service = r"the Microburbs Property Data API v1 \(api\.example\.org\)"
    digest = r"with suburb_pandas \S+; SHA-256 of the data [0-9a-f]{16}\."
    assert re.fullmatch(
        f"Median rent series of 1 suburb, from {service}, retrieved on 2026-02-03 {digest}", sp.cite(one.tail(3))
    )
    assert re.fullmatch(
        f"Median rent series of 2 suburbs, from {service}, retrieved from 2026-01-02 to 2026-02-03 {digest}",
        sp.cite(both),
    )
    assert f"from {service} and {service}, under its sandbox key, retrieved from 2026-01-02 to 2026-03-04".replace(
        "\\", ""
    ) in sp.cite(three)


def test_what_has_rents_and_impacts_is_cited_with_both(served):
    """A join of rents and impacts cites both, and its provenance has a row for each response."""
    rents, drivers, summary = sp.rent(NAMES), sp.impacts(NAMES), sp.impact_summary(NAMES)
    joined = rents.join(summary[["median_price", "n_drivers"]], on="area_name")
    for both in (pd.concat([rents, drivers]), joined, joined.reset_index()):
        assert "edian rent series of 3 suburbs" in sp.cite(both)
        assert "menity price impacts of 3 suburbs" in sp.cite(both)
        found = sp.provenance(both)
        assert found["endpoint"].to_list() == ["rent", "impacts"] * 3
        assert list(found.index) == [name for name in NAMES for _ in range(2)]


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_frame_that_was_changed_in_place_is_what_it_is_now(served):
    """After a change in place, dropped suburbs have no provenance, and a renamed suburb raises an error."""
    frame = sp.rent(NAMES)
    frame["area_name"] = frame["area_name"].cat.rename_categories({BAY: "Nowhere"})
    with pytest.raises(sp.errors.ProvenanceError, match="a response about 'Nowhere'"):
        sp.provenance(frame)
    frame = sp.rent(NAMES)
    frame.query(f"area_name == '{BAY}'", inplace=True)  # noqa: PD002 - users do this
    assert list(sp.provenance(frame).index) == [BAY]


def test_after_another_connect_a_part_still_comes_from_the_earlier_store(live, service, tmp_path):
    """After another `connect`, a part of an earlier frame is traced to the response that the earlier client used."""
    whole = sp.rent(NAMES[:2])
    part, before = whole[whole["area_name"] == BAY].tail(50), sp.vintages(BAY)["sha256"].item()
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    with sp.connect(api_key=live.settings.api_key, base_url=service.url, store=tmp_path / "other"):
        new = sp.rent(NAMES[:2])
        assert len(sp.provenance(new)) == 2
        assert sp.provenance(part).loc[BAY, "sha256"] == before
        assert sp.provenance(new).loc[BAY, "sha256"] != before


def test_made_up_data_are_cited_as_made_up_whichever_key_brought_them(live):
    """Responses marked as made up are cited as made up, even if a live key bought them."""
    card = sp.scorecard(NAMES[:2])
    for frame in (sp.rent(BAY), sp.rent(NAMES), sp.rent(NAMES).tail(3), card):
        assert "made up, retrieved" in sp.cite(frame)
        assert "Microburbs" not in sp.cite(frame)


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
    frame = pd.DataFrame({"area_name": [BAY, None]}).merge(dated, on="area_name", how="outer")
    dates = pd.DataFrame({"date": [pd.Timestamp("1999-01-03"), *dated["date"]]})
    without_rents = pd.DataFrame({"area_name": [BAY, WOYLIE]}).merge(dated, how="left")
    for merged in (frame, without_rents, dates.merge(dated, how="left")):
        assert list(sp.provenance(merged).index) == [BAY]
    with pytest.raises(sp.errors.ProvenanceError, match="neither rents with their dates"):
        sp.cite(frame.drop(columns="date"))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(), pd.DataFrame({"area_name": [BAY], "price": [1]}), pd.DataFrame({"house": [1.0], "unit": [1.0]})],
)
def test_what_came_from_elsewhere_is_not_cited(embedded, frame):
    """A frame made elsewhere cannot be cited, nor one that lost its attrs and its suburbs' names."""
    for function in (sp.cite, sp.provenance):
        with pytest.raises(sp.errors.ProvenanceError, match=r"not a frame of rents|has nothing that can be compared"):
            function(frame)
    with pytest.raises(TypeError, match="not list"):
        sp.cite([])


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize("function", [sp.provenance, sp.cite])
def test_what_is_known_of_places_comes_from_no_one_response(function):
    """A frame of places has no provenance; its column says where each row is known from."""
    with pytest.raises(sp.SuburbError, match=r"sp\.places.* does not come from a single response.* origin "):
        function(sp.places([BAY]))


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
    for other in (settings | {"store": tmp_path / "other.sqlite"}, settings | {"api_key": "embedded"}):
        with sp.Client(**other) as client, pytest.raises(sp.SuburbError, match="nor the store of this client"):
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
