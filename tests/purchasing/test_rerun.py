"""While SUBURB_RERUN is set, nothing is sent but to the embedded sandbox, and no cassette is changed."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.client import session
from tests.support.common import LIVE_KEY

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
MODES = ("once", "none", "new_episodes", "all")
REQUESTS = {
    "rent": lambda: sp.rent(BAY),
    "refresh": lambda: sp.rent([BAY, HEIGHTS], refresh=True),
    "cap in the call": lambda: sp.rent(BAY, max_cents=1000),
    "scorecard": lambda: sp.scorecard([BAY, HEIGHTS]),
    "accessor": pd.DataFrame({"suburb": [BAY]}).suburb.impacts,
    "find": lambda: sp.find("quoll"),
}


@pytest.fixture
def rerun(monkeypatch):
    """Set SUBURB_RERUN."""
    monkeypatch.setenv("SUBURB_RERUN", "1")


@pytest.fixture
def path(tmp_path):
    """Return the path of a cassette in a folder that does not exist yet."""
    return tmp_path / "folder" / "study.yaml"


@pytest.fixture
def recorded(live, service, path, monkeypatch):
    """Record the rents of a suburb, begin a rerun, and return the bytes of the cassette."""
    with sp.cassette(path):
        sp.rent(BAY)
    monkeypatch.setenv("SUBURB_RERUN", "1")
    return path.read_bytes()


@pytest.mark.usefixtures("rerun")
@pytest.mark.parametrize("key", [LIVE_KEY, "test", "embedded"])
@pytest.mark.parametrize("buy", REQUESTS.values(), ids=REQUESTS)
def test_a_rerun_calls_no_service_whatever_key_it_has(service, tmp_path, key, buy):
    """With any key and an address on this machine, too, a request that would make a call is refused."""
    with (
        sp.connect(api_key=key, base_url=service.url, store=tmp_path / "store.sqlite", max_cents=1000),
        pytest.raises(sp.errors.NotStored, match=r"SUBURB_RERUN is set.*\. Nothing was sent"),
    ):
        buy()
    assert len(service.requests) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("rerun", "live")
def test_a_refusal_in_a_rerun_says_what_to_do_and_what_it_would_cost():
    """The message names the variable, the missing suburbs and the price without it. The error has the quote."""
    with pytest.raises(sp.errors.NotStored) as caught:
        sp.rent([BAY, HEIGHTS])
    assert str(caught.value) == (
        "The store has no response for 2 suburbs of this request ('Quokka Bay', 'Bilby Heights'), and SUBURB_RERUN is "
        "set, so nothing is asked of the service. Nothing was sent. To load what is missing, put the code into the "
        "block of a cassette that holds it, or run it without SUBURB_RERUN, which costs at most 60 cents (2 calls of "
        "rent at 30; 0 stored)."
    )
    assert caught.value.quote.cents == 60
    assert caught.value.frame.empty
    with pytest.warns(sp.SuburbWarning, match="SUBURB_RERUN is set"):
        assert sp.rent([BAY, HEIGHTS], errors="warn").empty
    with pytest.raises(sp.errors.NotStored, match="for 1 look-up of this request"):
        sp.resolve(["lantern bay nsw"])


@pytest.mark.usefixtures("rerun", "embedded")
def test_a_rerun_asks_the_embedded_sandbox():
    """Made-up data need no network and cost nothing, so a rerun loads them."""
    assert len(sp.rent(BAY))


@pytest.mark.parametrize("record", MODES)
def test_in_a_rerun_a_cassette_is_replayed_and_stays_as_it_is(live, service, path, recorded, record):
    """In every mode, the file's responses are replayed, another one is NotStored, and the file is not changed."""
    with sp.cassette(path, record):
        assert len(sp.rent(BAY))
        assert len(sp.rent(BAY, refresh=True))
        with pytest.raises(sp.errors.NotStored, match=r"run the same code without SUBURB_RERUN and with record='new_"):
            sp.rent([BAY, HEIGHTS])
    assert len(service.requests) == 1
    assert path.read_bytes() == recorded
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.usefixtures("rerun", "live")
@pytest.mark.parametrize("record", MODES)
def test_in_a_rerun_a_cassette_that_is_missing_is_not_made(service, path, record):
    """In every mode, a request in the block is NotStored, and neither the file nor its folder is made."""
    with sp.cassette(path, record), pytest.raises(sp.errors.NotStored, match="is replayed, and has no rents of"):
        sp.rent(BAY)
    assert len(service.requests) == 0
    assert not path.parent.exists()


@pytest.mark.usefixtures("live")
@pytest.mark.parametrize("record", MODES)
def test_in_a_rerun_no_names_are_written(path, tmp_path, recorded, record):
    """Names of a list that is loaded and used in a rerun do not get onto the cassette."""
    names = tmp_path / "names.txt"
    names.write_text(f"{BAY}\n{HEIGHTS}\n")
    with sp.cassette(path, record):
        sp.load_gazetteer(names)
        sp.suggest("quokka")
        sp.places()
    assert path.read_bytes() == recorded


@pytest.mark.usefixtures("rerun", "embedded")
@pytest.mark.parametrize(("first", "then"), [("once", "new_episodes"), ("all", "all"), ("new_episodes", "once")])
def test_in_a_rerun_made_up_data_are_recorded(path, first, then):
    """A study of the embedded sandbox reruns where its cassette is missing. The file is then replayed or completed."""
    with sp.cassette(path, first):
        sp.rent(BAY)
    before = path.read_bytes()
    with sp.cassette(path, then):
        sp.rent(BAY)
        if then == "new_episodes":
            sp.rent(HEIGHTS)
    assert path.read_bytes().startswith(before)
    assert (b"Bilby" in path.read_bytes()) == (then == "new_episodes")


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("key", [None, "embedded"])
def test_in_a_rerun_nothing_made_up_gets_onto_a_cassette_of_the_service(path, key):
    """Without the key of its author, a study of the service is replayed, and nothing is asked of the sandbox."""
    before = path.read_bytes()
    session.forget_default()
    with sp.connect(api_key=key), sp.cassette(path, "new_episodes"):
        assert len(sp.rent(BAY))
        with pytest.raises(sp.errors.NotStored):
            sp.rent(HEIGHTS)
    assert path.read_bytes() == before


@pytest.mark.usefixtures("rerun")
def test_in_a_rerun_without_a_key_a_missing_cassette_is_not_made_up(path):
    """The cassette of a study whose author had a key is missing: made-up data are not recorded in its place."""
    with sp.connect(), sp.cassette(path), pytest.raises(sp.errors.NotStored, match="has no rents of 'Quokka Bay'"):
        sp.rent(BAY)
    assert not path.exists()
