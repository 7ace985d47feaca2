"""Tests of recording: each response that a block uses is written at once, bought at most once, and holds no key."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.purchasing import decisions
from suburb_pandas.redaction import holds_key
from suburb_pandas.service.calls import utc_now
from suburb_pandas.service.statuses import KEPT_HEADERS
from suburb_pandas.settings import Key
from tests.support.common import LIVE_KEY, forget_default, wait_for
from tests.support.recorded import BASE, MADE_UP, body_of, call, elsewhere, vcrpy_file, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.fixture
def path(tmp_path):
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"


def held(path):
    """Return the endpoint and name of each call in a cassette."""
    return [(one.item.endpoint, one.item.area_name) for one in vcr_yaml.read(path.read_bytes()).calls]


def test_recording_what_was_bought_costs_nothing(live, service, path):
    """Stored responses are recorded once each, at no cost. With ``"all"`` they are not bought again either."""
    sp.rent(NAMES)
    sent = len(service.requests)
    with sp.cassette(path):
        sp.rent(NAMES[:2])
        sp.rent(BAY)
        sp.rent(NAMES)
    assert held(path) == [("rent", name) for name in NAMES]
    with sp.cassette(path, "all"):
        sp.rent(HEIGHTS)
    assert held(path) == [("rent", HEIGHTS)]
    assert len(service.requests) == sent


def test_new_episodes_asks_the_cassette_then_the_store_then_the_service(live, service, path):
    """With ``"new_episodes"``, the cassette is asked first, then the store, then the service, and all are recorded."""
    path.write_bytes(written(call(BAY, 111.0, at=utc_now())))
    stored = sp.rent([BAY, HEIGHTS])
    with sp.cassette(path, "new_episodes"):
        found = sp.rent(NAMES)
    assert found[found["area_name"] == BAY]["house"].to_list() == [111.0]
    assert_frame_equal(
        found[found["area_name"] == HEIGHTS][["house"]], stored[stored["area_name"] == HEIGHTS][["house"]]
    )
    assert sp.ledger()["area_name"].to_list()[2:] == [WOYLIE]
    assert held(path) == [("rent", name) for name in NAMES]


def test_new_episodes_with_refresh_buys_and_the_newer_answer_counts(live, service, path):
    """With ``refresh=True`` a response is bought even if the cassette has one, and replay uses the newer one."""
    with sp.cassette(path):
        old = sp.rent(BAY)
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    with sp.cassette(path, "new_episodes"):
        assert_frame_equal(sp.rent(BAY), old)
        with pytest.warns(sp.errors.DataWarning, match="revised"):
            assert sp.rent(BAY, refresh=True)["house"].to_list() == [900.0]
        assert sp.rent(BAY)["house"].to_list() == [900.0]
    with sp.cassette(path):
        assert sp.rent(BAY)["house"].to_list() == [900.0]
        times = sp.vintages(BAY)["retrieved_at"]
        assert len(times) == 2
        assert times.is_monotonic_increasing
    assert sp.ledger()["cents"].to_list() == [30, 30]


def test_new_episodes_with_an_age_takes_the_younger_one(live, service, path):
    """If the cassette's response is older than ``max_age`` and the store's is not, the store's is used at no cost."""
    path.write_bytes(written(call(BAY, 111.0)))
    stored, sent = sp.rent(BAY), len(service.requests)
    with sp.cassette(path, "new_episodes"):
        with pytest.warns(
            sp.errors.SuburbWarning, match=r"A quote is not recorded on the cassette .*a replay will show"
        ):
            assert sp.quote(BAY, max_age="1D").cents == 0
        assert_frame_equal(sp.rent(BAY, max_age="1D"), stored)
        assert_frame_equal(sp.rent(BAY, retrieved_by="2100-01-01"), stored)
        with pytest.warns(sp.errors.SuburbWarning, match="A quote is not recorded"):
            assert sp.quote(BAY, max_age="0D").cents == 30
    assert len(service.requests) == sent


def test_a_refresh_that_is_refused_leaves_what_was_served(live, service, path):
    """If a refresh is refused, the earlier response stays the valid one in the cassette, as in the store."""
    with sp.cassette(path):
        before = sp.rent(BAY)
        service.answer(BAY, "rent", body=b"", status=404)
        with pytest.raises(sp.errors.UnknownSuburb):
            sp.rent(BAY, refresh=True)
    with sp.cassette(path):
        assert_frame_equal(sp.rent(BAY), before)


def test_an_older_vintage_that_is_recorded_later_does_not_count_for_the_newest(live, service, path):
    """Replay returns the newest vintage, or an older one with ``retrieved_by``, whichever was recorded first."""
    sp.rent(BAY)
    first = sp.vintages(BAY)["retrieved_at"].iloc[0]
    service.answer(BAY, "rent", body=body_of(BAY, 900.0))
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        sp.rent(BAY, refresh=True)
    with sp.cassette(path):
        new, old = sp.rent(BAY), sp.rent(BAY, retrieved_by=first)
    with sp.cassette(path):
        assert_frame_equal(sp.rent(BAY), new)
        assert_frame_equal(sp.rent(BAY, retrieved_by=first), old)
        assert len(old) > len(new)
        with pytest.raises(sp.errors.NotStored):
            sp.rent(BAY, retrieved_by="2020-01-01")


def test_what_will_be_refused_again_is_recorded_with_its_error(live, service, path):
    """Refusals that would recur, such as an unknown name, are recorded. Temporary failures of the service are not."""
    service.answer(BAY, "rent", body=b"", status=404)
    service.answer(HEIGHTS, "rent", body=b'{"detail": "no"}', status=422)
    service.answer(WOYLIE, "rent", body=b"", status=500)
    with sp.cassette(path), pytest.raises(sp.errors.BatchIncomplete) as recorded:
        sp.rent(NAMES)
    assert sorted(held(path)) == [("rent", HEIGHTS), ("rent", BAY)]
    service.answer(BAY, "rent", body=b"", status=404)
    with sp.cassette(path, "new_episodes"), pytest.raises(sp.errors.UnknownSuburb):
        sp.rent(BAY)
    assert sorted(held(path)) == [("rent", HEIGHTS), ("rent", BAY)]  # each once
    with sp.cassette(path), pytest.raises(sp.errors.NotStored) as replayed:
        sp.rent(NAMES)
    for name in (BAY, HEIGHTS):
        assert type(replayed.value.failures[name]) is type(recorded.value.failures[name])
        assert replayed.value.failures[name].cents == 0
    with sp.cassette(path), pytest.raises(sp.errors.Rejected, match=r'refused the call for .*\{"detail": "no"\}'):
        sp.rent(HEIGHTS)


@pytest.mark.parametrize(
    "text",
    [
        written(call(BAY, status=401, body=b""), call(BAY, at="2026-06-01T00:00:00+00:00")),
        vcrpy_file(elsewhere(BAY, headers={"Date": []})),
    ],
    ids=["refusal and later response", "unknown time"],
)
def test_what_was_known_earlier_is_not_guessed(path, text):
    """Neither a refusal beside a later response nor a response of unknown time is replayed for an earlier time."""
    path.write_bytes(text)
    with sp.cassette(path), pytest.raises(sp.errors.NotStored):
        sp.rent(BAY, retrieved_by="2026-02-01")


def test_what_a_store_knew_when_names_were_resolved_is_recorded(live, service, path):
    """The stored responses that resolved a name are recorded too, so that replay resolves it in the same way."""
    queries = ["lantern bay, tas", "kestrel hill vic 3359", "bilby heights", "QUOKKA bay"]
    sp.find("lantern bay")
    sp.find("kestrel hill")
    sp.rent([HEIGHTS, BAY])
    sent = len(service.requests)
    with sp.cassette(path):
        recorded = sp.resolve(queries)
    assert len(service.requests) == sent
    forget_default()
    with sp.cassette(path, "none"):
        assert sp.resolve(queries).to_list() == recorded.to_list()


def test_without_a_key_nothing_made_up_goes_onto_a_cassette_of_real_answers(path):
    """Without a key, a cassette of real responses is replayed. Adding made-up ones to it is an error."""
    path.write_bytes(written(call("Bondi", at=utc_now())))
    before = path.read_bytes()
    with sp.cassette(path, "new_episodes"):
        assert sp.rent("Bondi").attrs["suburb_pandas"]["source"] == "live"
        with pytest.raises(
            sp.errors.SettingsError, match=r"no rents of 'Unley', and without an API key.*Nothing was sent; connect"
        ):
            sp.rent("Unley")
    assert path.read_bytes() == before


@pytest.mark.filterwarnings("ignore:No API key")
@pytest.mark.parametrize(
    "ask", [sp.find, sp.rent, sp.places, lambda name: sp.resolve([name])], ids=["find", "rent", "places", "resolve"]
)
def test_made_up_responses_that_are_stored_stay_off_a_cassette_of_real_answers(path, ask):
    """Without a key, what a block learns from stored responses of the sandbox is not recorded."""
    path.write_bytes(written(call("Bondi", at=utc_now())))
    before = path.read_bytes()
    sp.find(BAY)
    sp.rent(BAY)
    with sp.cassette(path, "new_episodes"):
        assert len(ask(BAY))
        with pytest.raises(sp.errors.SettingsError, match="without an API key"):
            sp.rent(HEIGHTS)
    assert path.read_bytes() == before


def test_a_key_is_never_written(live, service, path, monkeypatch):
    """A stored response with an API key in it is not recorded, and the error does not show the key."""
    body = b'{"data": null, "message": "' + LIVE_KEY.upper().encode() + b'"}'
    with monkeypatch.context() as patch:  # as it was stored before keys were cut out
        patch.setattr(decisions, "without_key", lambda body, _: body)
        service.answer(HEIGHTS, "rent", body=body)
        with pytest.raises(sp.errors.NoData):
            sp.rent(HEIGHTS)
    with sp.cassette(path):
        sp.rent(BAY)
        with pytest.raises(sp.errors.CassetteError, match=r"A call to rent.* holds an API key") as caught:
            sp.rent(HEIGHTS)
    assert not holds_key(str(caught.value), [LIVE_KEY])
    assert held(path) == [("rent", BAY)]
    assert sp.ledger()["outcome"].to_list() == ["billed", "billed"]
    assert len(sp.vintages(HEIGHTS)) == 1


@pytest.mark.parametrize(
    "part", [{"headers": {"x-request-id": LIVE_KEY}}, {"body": b"mib_live_of_somebody_else"}], ids=["header", "body"]
)
def test_no_part_of_a_call_with_a_key_is_written(path, part):
    """A header with the API key and a body with the key of somebody else are refused, and no file is made."""
    with sp.cassette(path) as cassette, pytest.raises(sp.errors.CassetteError, match="holds an API key") as caught:
        cassette.add([call(BAY, **part)], BASE, Key(LIVE_KEY))
    assert "mib_live" not in str(caught.value)
    assert not path.exists()


def test_only_headers_that_may_be_published_are_recorded(live, service, path):
    """A recording with a live key has no request header, no cookie and no balance; made-up data have no real host."""
    with sp.cassette(path):
        sp.rent(BAY)
    (recorded,) = yaml.safe_load(path.read_bytes())["interactions"]
    assert recorded["request"]["headers"] == {}
    assert {name.lower() for name in recorded["response"]["headers"]} <= set(KEPT_HEADERS)
    assert BASE.encode() not in written(call(headers=MADE_UP, source="embedded"))


def test_a_key_in_what_was_asked_is_not_written_either(live, path):
    """A query with the API key in it, perhaps pasted by mistake, is not recorded, and the error does not show it."""
    with sp.cassette(path), pytest.raises(sp.errors.CassetteError, match="holds an API key") as caught:
        sp.find(f"bay {LIVE_KEY}")
    assert not holds_key(str(caught.value), [LIVE_KEY])
    assert not path.exists()


def test_a_cassette_that_cannot_be_written_stops_the_request_and_loses_nothing(live, service, tmp_path):
    """If the cassette cannot be written, no more calls are sent. What arrived is stored, and is in the error."""
    one_by_one = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1)
    with one_by_one, sp.cassette(tmp_path / "folder" / "study.yaml"):
        (tmp_path / "folder").write_bytes(b"")  # a file, so that no cassette can be created below it
        with pytest.raises(sp.errors.CassetteError, match="cannot be written") as caught:
            sp.rent(NAMES, client=one_by_one)
        assert set(caught.value.frame["area_name"]) == {BAY}
        with pytest.warns(sp.errors.SuburbWarning, match="The ledger is not recorded on the cassette"):
            assert sp.ledger(client=one_by_one)["outcome"].to_list() == ["billed"]
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s") as again:
        assert len(sp.rent(BAY, client=again)) > 100
    assert len(service.requests) == 1


def test_one_is_in_use_at_a_time_and_none_after_its_block(embedded, path, tmp_path):
    """A second cassette is refused until the first one's block has ended, whether normally or by an error."""
    other = sp.cassette(tmp_path / "other.yaml")
    with (
        sp.cassette(path),
        pytest.raises(sp.errors.CassetteError, match=r"study.yaml is in use\. Its block has to end"),
    ):
        other.__enter__()
    with pytest.raises(ZeroDivisionError), sp.cassette(path):
        raise ZeroDivisionError
    sp.rent(BAY)
    assert not path.exists()
    with sp.cassette(path) as cassette:
        assert repr(cassette) == f"<Cassette {path}: records; 0 responses so far>"


def test_how_to_record_is_one_of_four_ways(path):
    """An unknown mode is a ValueError, and replaying a missing file is a CassetteError."""
    with (
        pytest.raises(ValueError, match="'once', 'none', 'new_episodes', 'all', not 'never'"),
        sp.cassette(path, "never"),
    ):
        pass
    with (
        pytest.raises(sp.errors.CassetteError, match=r"There is no cassette .*study.yaml"),
        sp.cassette(path, "none"),
    ):
        pass


def test_a_request_keeps_to_the_cassette_that_it_began_with(live, service, path):
    """A request that is under way when the block ends still records its responses, and buys each once."""
    service.fail("latency", times=None, seconds=60)
    with ThreadPoolExecutor(1) as pool:
        with sp.cassette(path):
            waiting = pool.submit(sp.rent, [BAY])
            wait_for(lambda: service.most_at_once == 1)
        service.release()
        assert len(waiting.result()) > 100
    assert held(path) == [("rent", BAY)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_forked_off_records_into_the_same(embedded, path):
    """A forked process, as of multiprocessing on Linux, records into the cassette of its parent."""
    with sp.cassette(path):
        sp.rent(BAY)
        child = os.fork()
        if child == 0:
            try:
                sp.rent(HEIGHTS)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        sp.rent(WOYLIE)
    assert held(path) == [("rent", name) for name in NAMES]
