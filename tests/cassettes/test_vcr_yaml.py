"""Tests of the cassette format: calls survive a round trip, files of vcrpy are read, and hostile files do no harm."""

import time
import zlib
from contextlib import suppress
from datetime import UTC

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from suburb_pandas.names import sal
from suburb_pandas.service.calls import BODY_LIMIT, Item, RecordedInteraction, Response
from suburb_pandas.service.statuses import KEPT_HEADERS
from tests.support.recorded import call, elsewhere, vcrpy_file, written

NAMES = st.text(min_size=1, max_size=40).filter(sal.is_name)
BODIES = st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
HEADERS = st.dictionaries(st.sampled_from(KEPT_HEADERS), st.text(max_size=20).filter(str.isprintable))
ITEMS = st.one_of(
    st.builds(Item, st.sampled_from(["rent", "impacts"]), NAMES, st.none()),
    st.builds(Item, st.just("geocode"), NAMES.filter(str.strip), st.sampled_from([None, "NSW", "VIC"])),
)
TIMES = st.just("") | st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat())
STATUSES, SOURCES = st.sampled_from([200, 404, 599]), st.sampled_from(["live", "sandbox"])
RESPONSES = st.builds(Response.of, BODIES, HEADERS, TIMES, st.integers(0, 999_999_999), SOURCES, status=STATUSES)
CALLS = st.builds(RecordedInteraction, ITEMS, RESPONSES)


@given(calls=st.lists(CALLS, max_size=4))
def test_what_is_written_comes_back(calls):
    """Calls of any name, body, header, time, cost and source are unchanged. A body is one line, so diffs are short."""
    assert vcr_yaml.read(written(*calls)).calls == calls
    for one in calls:
        text = vcr_yaml.entry(one, "https://api.example.org")
        assert text.startswith(vcr_yaml.ENTRY)
        assert text.rsplit(b"\n", 2)[-2].startswith(vcr_yaml.LAST_LINE)


BOMB = zlib.compress(bytes(BODY_LIMIT + 1))

HOSTILE = {
    "object": b"version: 1\ninteractions: !!python/object/apply:os.system ['touch suburb_pandas_was_here']\n",
    "laughs": b"a: &a [ha, ha]\ninteractions: [*a, *a]\n",
    "lists in lists": b"interactions: " + b"[" * 10_000,
    "lists under lists": b"interactions:\n" + b"- " * 200_000,
    "long key": b"? " * 100_000,
    "number in base 60": b"version: " + b"1:" * 400_000 + b"1\ninteractions: []\n",
    "bomb": vcrpy_file(elsewhere(body=BOMB, headers={"Content-Encoding": ["deflate"]})),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_cassette_is_an_error_and_runs_nothing(kind, path, monkeypatch):
    """Every mode that reads a hostile file refuses it within seconds, leaves it unchanged, and runs nothing in it."""
    monkeypatch.chdir(path.parent)
    path.write_bytes(HOSTILE[kind])
    start = time.process_time()
    for record in ("none", "new_episodes"):
        with pytest.raises(sp.errors.CassetteError, match=r"study.yaml cannot be read: "), sp.cassette(path, record):
            pass
    assert time.process_time() - start < 10
    assert path.read_bytes() == HOSTILE[kind]
    assert [*path.parent.iterdir()] == [path]


def test_bodies_that_take_more_memory_than_a_cassette_may_are_an_error(monkeypatch):
    """The bodies of a cassette count without their compression, those of all calls together."""
    calls = [call(body=b"0" * 400), call(body=b"0" * 600)]
    monkeypatch.setattr(vcr_yaml, "LARGEST", 1000)
    assert vcr_yaml.read(written(*calls)).calls == calls
    monkeypatch.setattr(vcr_yaml, "LARGEST", 999)
    with pytest.raises(ValueError, match="its bodies take more than"):
        vcr_yaml.read(written(*calls))


def test_what_is_not_yaml_is_said_with_its_line():
    """The error for a broken file says in which line it stops being YAML."""
    with pytest.raises(ValueError, match="line 4"):
        vcr_yaml.read(BEGINNING + b"- request: [\n")


@given(data=st.data())
def test_whatever_is_done_to_a_good_cassette_nothing_but_the_packages_error_comes(data):
    """A cassette with bytes dropped, added and changed at random raises nothing but ValueError."""
    text = bytearray(written(call(), call("Woylie", status=404)))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with suppress(ValueError):
        vcr_yaml.read(bytes(text))


def test_without_libyaml_it_is_the_same(monkeypatch):
    """PyYAML's own loader, used where libyaml is missing, reads and refuses the same files."""
    monkeypatch.setattr(vcr_yaml, "_Loader", yaml.SafeLoader)
    assert vcr_yaml.read(written(call())).calls == [call()]
    for kind in ("object", "laughs", "lists in lists"):
        with pytest.raises(ValueError, match="it "):
            vcr_yaml.read(HOSTILE[kind])
