"""While SUBURB_RERUN is set, nothing is sent but to the embedded sandbox, and no cassette is changed."""

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"


@pytest.fixture
def rerun(monkeypatch):
    """Set SUBURB_RERUN."""
    monkeypatch.setenv("SUBURB_RERUN", "1")


@pytest.fixture
def path(tmp_path):
    """Return the path of a cassette in a folder that does not exist yet."""
    return tmp_path / "folder" / "study.yaml"


@pytest.mark.usefixtures("rerun")
@pytest.mark.parametrize(
    ("key", "buy", "asked"),
    [(LIVE_KEY, sp.rent, {"refresh": True}), ("test", sp.scorecard, {}), ("embedded", sp.find, {})],
)
def test_a_rerun_calls_no_service_whatever_key_it_has(service, tmp_path, key, buy, asked):
    """With any key and an address on this machine, too, a request that would make a call is refused."""
    with (
        sp.connect(api_key=key, base_url=service.url, store=tmp_path / "store.sqlite"),
        pytest.raises(sp.errors.NotStored, match=r"SUBURB_RERUN is set.*\. Nothing was sent"),
    ):
        buy(BAY, max_cents=1000, **asked)
    assert len(service.requests) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("record", ["once", "new_episodes", "all"])
def test_in_a_rerun_a_cassette_is_replayed_and_stays_as_it_is(live, service, path, request, record):
    """In every mode, the file's responses are replayed, another one is NotStored, and the file is not changed.

    So nothing has to be written after whatever follows the calls in the file.
    """
    with sp.cassette(path):
        sp.rent(BAY)
    recorded = path.read_bytes() + b"metadata: {}\n"
    path.write_bytes(recorded)
    request.getfixturevalue("rerun")
    with sp.cassette(path, record):
        assert len(sp.rent(BAY, refresh=True))
        with pytest.raises(sp.errors.NotStored, match=r"run the same code without SUBURB_RERUN and with record='new_"):
            sp.rent([BAY, HEIGHTS])
    assert len(service.requests) == 1
    assert path.read_bytes() == recorded
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.usefixtures("rerun")
@pytest.mark.parametrize(
    ("record", "key", "url"),
    [("none", LIVE_KEY, None), ("all", LIVE_KEY, None), ("once", None, None), ("once", "embedded", "http://[::1]:9")],
)
def test_in_a_rerun_a_cassette_that_is_missing_is_not_made(path, record, key, url):
    """A request in the block is NotStored, and no file is made. Made-up data do not replace those of a lost key."""
    lost = pytest.raises(sp.errors.NotStored, match="is replayed, and has no rents of")
    with sp.connect(api_key=key, base_url=url), sp.cassette(path, record), lost:
        sp.rent(BAY)
    assert not path.parent.exists()


@pytest.mark.usefixtures("rerun", "embedded")
@pytest.mark.parametrize(("first", "then"), [("once", "new_episodes"), ("new_episodes", "once")])
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
