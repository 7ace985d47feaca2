"""Tests of recording: each response that a block uses is written at once, bought at most once, and holds no key."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.service.calls import utc_now
from suburb_pandas.settings import Key
from tests.support.common import LIVE_KEY, wait_for
from tests.support.processes import Worker
from tests.support.recorded import BASE, body_of, call, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


def held(path):
    """Return the endpoint and name of each call in a cassette."""
    return [(one.item.endpoint, one.item.area_name) for one in vcr_yaml.read(path.read_bytes()).calls]


def test_recording_what_was_bought_costs_nothing(live, service, path):
    """Stored responses are recorded once each, at no cost. With ``"all"`` they are not bought again either."""
    sp.rent(NAMES)
    with sp.cassette(path):
        sp.rent(NAMES[:2])
        sp.rent(NAMES)
    assert held(path) == [("rent", name) for name in NAMES]
    with sp.cassette(path, "all"):
        sp.rent(HEIGHTS)
    assert held(path) == [("rent", HEIGHTS)]
    assert set(service.served.values()) == {1}


def test_new_episodes_asks_the_cassette_then_the_store_then_the_service(live, service, path):
    """With ``"new_episodes"``, the cassette is asked first, then the store, then the service, and all are recorded."""
    path.write_bytes(written(call(BAY, 111.0, at=utc_now())))
    sp.rent(HEIGHTS)
    with sp.cassette(path, "new_episodes") as cassette:
        found = sp.rent(NAMES)
    assert found[found["area_name"] == BAY]["house"].to_list() == [111.0]
    assert service.served == {("rent", HEIGHTS): 1, ("rent", WOYLIE): 1}
    assert held(path) == [("rent", name) for name in NAMES]
    assert (cassette.asked("rent"), cassette.asked("impacts")) == ({*NAMES}, set())


def test_new_episodes_with_refresh_buys_and_the_newer_answer_counts(live, service, path):
    """With ``refresh=True`` a response is bought even if the cassette has one, and replay uses the newer one.

    If the service refuses, the earlier response stays the valid one in the cassette, as in the store.
    """
    with sp.cassette(path):
        old = sp.rent(BAY)
    service.answer(BAY, "rent", body=body_of(BAY, 900.0), times=1)
    service.answer(BAY, "rent", status=404, times=1)
    with sp.cassette(path, "new_episodes"):
        assert_frame_equal(sp.rent(BAY), old)
        with pytest.raises(sp.errors.UnknownSuburb):
            sp.rent(BAY, refresh=True)
        assert_frame_equal(sp.rent(BAY), old)
        with pytest.warns(sp.errors.DataWarning, match="revised"):
            sp.rent(BAY, refresh=True)
        assert sp.rent(BAY)["house"].to_list() == [900.0]
    with sp.cassette(path):
        assert sp.rent(BAY)["house"].to_list() == [900.0]
        assert len(sp.vintages(BAY)) == 2
    assert held(path) == [("rent", BAY)] * 2


def test_new_episodes_with_an_age_takes_the_younger_one(live, service, path):
    """If the cassette's response is older than ``max_age`` and the store's is not, the store's is used at no cost."""
    path.write_bytes(written(call(BAY, 111.0)))
    stored = sp.rent(BAY)
    with sp.cassette(path, "new_episodes"):
        for age, cents in {"1D": 0, "0D": 30}.items():
            with pytest.warns(sp.SuburbWarning, match=r"A quote is not recorded on the cassette .*a replay will show"):
                assert sp.quote(BAY, max_age=age).cents == cents
        assert_frame_equal(sp.rent(BAY, max_age="1D"), stored)
        assert_frame_equal(sp.rent(BAY, retrieved_by="2100-01-01"), stored)
    assert len(service.requests) == 1


@pytest.mark.filterwarnings("ignore:The outcome of earlier calls is unknown, and they are repeated now")
def test_what_will_be_refused_again_is_recorded_with_its_error(live, service, path):
    """Refusals that would recur, such as an unknown name, are recorded once. Failures of the service are not.

    A refusal that was charged is stored, and recorded from the store too.
    """
    service.answer(BAY, "rent", status=404)
    service.answer(HEIGHTS, "rent", body=b'{"detail": "no"}', status=422, billed=True)
    service.answer(WOYLIE, "rent", status=500)
    for mode in ("once", "new_episodes", "all"):
        with sp.cassette(path, mode), pytest.raises(sp.errors.BatchIncomplete):
            sp.rent(NAMES)
        assert sorted(held(path)) == [("rent", HEIGHTS), ("rent", BAY)]
    with sp.cassette(path), pytest.raises(sp.errors.NotStored) as replayed:
        sp.rent(NAMES)
    failures = replayed.value.failures
    assert {name: type(error) for name, error in failures.items()} == {
        BAY: sp.errors.UnknownSuburb,
        HEIGHTS: sp.errors.Rejected,
    }
    assert '{"detail": "no"}' in str(failures[HEIGHTS])
    assert not any(error.cents for error in failures.values())
    assert service.served["rent", HEIGHTS] == 1


@pytest.mark.filterwarnings("ignore:No API key")
@pytest.mark.parametrize(
    "ask", [sp.find, sp.rent, sp.places, lambda name: sp.resolve([name])], ids=["find", "rent", "places", "resolve"]
)
def test_without_a_key_nothing_made_up_goes_onto_a_cassette_of_real_answers(path, ask):
    """Without a key, a cassette of real responses is replayed, and what a block learns from the sandbox stays off it.

    A request that would call the sandbox is an error.
    """
    path.write_bytes(written(call("Bondi", at=utc_now())))
    before = path.read_bytes()
    sp.find(BAY)
    sp.rent(BAY)
    with sp.cassette(path, "new_episodes") as cassette:
        assert len(ask(BAY))
        assert sp.rent("Bondi").attrs["suburb_pandas"]["source"] == cassette.source == "live"
        with pytest.raises(
            sp.errors.SettingsError, match=r"no rents of 'Unley', and without an API key.*Nothing was sent; connect"
        ):
            sp.rent("Unley")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "recorded",
    [
        call(BAY, headers={"x-request-id": LIVE_KEY}),
        call(BAY, body=b'{"data": "mib_live_of_somebody_else"}'),
    ],
)
def test_no_part_of_a_call_with_a_key_is_written(path, recorded):
    """A header with the API key and a body with the key of somebody else are refused, and no file is made."""
    with (
        sp.cassette(path) as cassette,
        pytest.raises(sp.errors.CassetteError, match=r"A call to rent.* holds an API") as caught,
    ):
        cassette.add([recorded], BASE, Key(LIVE_KEY))
    assert "mib_live" not in str(caught.value)
    assert not path.exists()


def test_a_cassette_that_cannot_be_written_stops_the_request_and_loses_nothing(live, service, connect, tmp_path):
    """If the cassette cannot be written, no more calls are sent. What arrived is stored, and is in the error."""
    with connect(store=live.store.path, max_workers=1):
        with sp.cassette(tmp_path / "folder" / "study.yaml"):
            (tmp_path / "folder").touch()  # a file, so that no cassette can be created below it
            with pytest.raises(sp.errors.CassetteError, match="cannot be written") as caught:
                sp.rent(NAMES)
            with pytest.warns(sp.SuburbWarning, match="The ledger is not recorded on the cassette"):
                assert sp.ledger()["outcome"].to_list() == ["billed"]
        assert set(caught.value.frame["area_name"]) == {BAY}
        assert len(sp.rent(BAY)) > 100
    assert len(service.requests) == 1


def test_none_is_in_use_after_its_block(embedded, path):
    """A block that ends by an error leaves no cassette in use."""
    with pytest.raises(ZeroDivisionError), sp.cassette(path):
        raise ZeroDivisionError
    sp.rent(BAY)
    assert not path.exists()


def test_a_request_keeps_to_the_cassette_that_it_began_with(live, service, path):
    """A request that is under way when the block ends still records its responses, and buys each once."""
    service.fail("latency", seconds=60)
    with ThreadPoolExecutor(1) as pool:
        with sp.cassette(path):
            waiting = pool.submit(sp.rent, BAY)
            wait_for(lambda: service.most_at_once == 1)
        service.release()
        assert len(waiting.result()) > 100
    assert held(path) == [("rent", BAY)]


def test_a_process_that_is_forked_off_records_into_the_same(embedded, path):
    """A forked process, as of multiprocessing on Linux, records into the cassette of its parent."""
    with sp.cassette(path):
        sp.rent(BAY)
        Worker(sp.rent, HEIGHTS, method="fork").go().result()
        sp.rent(WOYLIE)
    assert held(path) == [("rent", name) for name in NAMES]
