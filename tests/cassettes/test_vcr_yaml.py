"""Tests of the cassette format: calls survive a round trip, files of vcrpy are read, and hostile files do no harm."""

import time
import zlib
from contextlib import suppress
from datetime import UTC

import pytest
import requests
import vcr
import yaml
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from suburb_pandas.names import sal
from suburb_pandas.service.calls import Item, RecordedInteraction, Response
from suburb_pandas.service.statuses import KEPT_HEADERS
from tests.support.recorded import body_of, call, elsewhere, vcrpy_file, written, zipped

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


def test_what_plain_vcrpy_recorded_is_read(service, tmp_path):
    """A cassette that vcrpy recorded from requests is read, with its bodies unchanged and only known headers."""
    path = tmp_path / "vcr.yaml"
    url = f"{service.url}/v1/suburbs/Quokka%20Bay/market/median-rent-series"
    with vcr.VCR(filter_headers=["authorization"]).use_cassette(str(path)):
        response = requests.get(url, headers={"Authorization": "Bearer embedded"}, timeout=5)
    (found,) = vcr_yaml.read(path.read_bytes()).calls
    assert found.item == Item("rent", "Quokka Bay")
    assert found.response.body == response.content
    assert found.response.source == "embedded"
    assert set(found.response.headers) <= set(KEPT_HEADERS)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (zipped(body_of("Quokka Bay")), ["gzip"]),
        (zlib.compress(body_of("Quokka Bay")), ["deflate"]),
        (body_of("Quokka Bay"), ["gzip"]),  # vcrpy had decompressed it, but kept the header
    ],
)
def test_bodies_that_were_compressed_are_read(body, encoding):
    """Bodies compressed with gzip or deflate are decompressed, and the digest is that of the decompressed body."""
    (found,) = vcr_yaml.read(vcrpy_file(elsewhere(body=body, headers={"Content-Encoding": encoding}))).calls
    assert found.response.body == body_of("Quokka Bay")
    assert found.response.is_whole


def test_what_a_recording_from_elsewhere_does_not_say_is_told_from_its_headers():
    """Other tools record no source, time or cost. The headers show them, or the list price if they name no cost."""
    interactions = [
        elsewhere(headers={"X-Made-Up-Data": ["yes"], "X-Cost-Cents": ["0"]}),
        elsewhere("Bilby Heights", headers={"Date": []}),
    ]
    found = [one.response for one in vcr_yaml.read(vcrpy_file(*interactions)).calls]
    facts = [(one.source, one.cents, one.retrieved_at) for one in found]
    assert facts == [("embedded", 0, "2026-04-28T04:52:36+00:00"), ("live", 30, "")]


def test_a_time_that_ends_in_z_is_read():
    """A time may be written with Z, as in many tools."""
    (found,) = vcr_yaml.read(written(call()).replace(b"00:00:00+00:00", b"00:00:00Z")).calls
    assert found == call()


def test_what_is_not_of_this_service_is_passed_over():
    """Calls of other services, and other paths and methods, are ignored."""
    other = elsewhere() | {"request": elsewhere()["request"] | {"uri": "http://x/v1/suburbs/Quokka%20Bay/market"}}
    found = vcr_yaml.read(vcrpy_file(elsewhere(method="POST"), other, elsewhere("Woylie"))).calls
    assert [one.item.area_name for one in found] == ["Woylie"]


LAUGHS = b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9 if n else [b"ha"])) for n in range(30)
)
SPRING = zlib.compress(b"0" * (2**24 - 10))
BOMB = zlib.compress(b"0" * 2**26)

HOSTILE = {
    "object": b"version: 1\ninteractions: !!python/object/apply:os.system ['touch suburb_pandas_was_here']\n",
    "own tag": b"%TAG ! tag:example.org,2000:\n---\ninteractions: !x []\n",
    "laughs": LAUGHS + b"interactions: *a29\n",
    "all bodies": vcrpy_file(*(elsewhere(body=SPRING, headers={"Content-Encoding": ["deflate"]}) for _ in range(33))),
    "lists in lists": b"interactions: " + b"[" * 10_000,
    "lists under lists": b"interactions:\n" + b"- " * 200_000,
    "long key": b"? " * 100_000,
    "no yaml": b"\x00\x01\x02",
    "two documents": b"interactions: []\n---\ninteractions: []\n",
    "text": b"hello\n",
    "huge number": b"version: " + b"9" * 100_000 + b"\ninteractions: []\n",
    "number in base 60": b"version: " + b"1:" * 400_000 + b"1\ninteractions: []\n",
    "many numbers": b"interactions: [" + b"0," * 100_000 + b"]\n",
    "other version": b"version: 2\ninteractions: []\n",
    "wrong date": b"interactions: [2026-99-99]\n",
    "list for a key": b"? [interactions]\n: many\n",
    "list for a body": vcrpy_file(elsewhere(body=[3])),
    "gzip bomb": vcrpy_file(elsewhere(body=BOMB, headers={"Content-Encoding": ["deflate"]})),
    "gzip cut short": vcrpy_file(elsewhere(body=zipped(b"0" * 99)[:-9], headers={"Content-Encoding": ["gzip"]})),
    "other compression": vcrpy_file(elsewhere(body=b"abc", headers={"Content-Encoding": ["br"]})),
    "negative cost": written(call()).replace(b"cents: 30", b"cents: -1"),
    "cost of ten digits": written(call()).replace(b"cents: 30", b"cents: 1000000000"),
    "unknown source": written(call()).replace(b"source: live", b"source: mine"),
    "time elsewhere": written(call(at="2026-01-01T00:00:00+10:00")),
    "day of no calendar": written(call(at="2026-02-29T00:00:00+00:00")),
    "changed response": written(call()).replace(b"500.0", b"400.0"),
    "no digest": written(call()).replace(b"sha256: ", b"sha256: ''  # "),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_cassette_is_an_error_and_runs_nothing(kind, tmp_path, monkeypatch):
    """Every mode that reads a hostile file refuses it within seconds, leaves it unchanged, and runs nothing in it."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "hostile.yaml"
    path.write_bytes(HOSTILE[kind])
    start = time.process_time()
    for record in ("none", "new_episodes"):
        with pytest.raises(sp.errors.CassetteError, match=r"hostile.yaml cannot be read: "), sp.cassette(path, record):
            pass
    assert time.process_time() - start < 10
    assert path.read_bytes() == HOSTILE[kind]
    assert not list(tmp_path.glob("*was_here"))


def test_what_is_not_yaml_is_said_with_its_line(tmp_path):
    """The error for a broken file says in which line it stops being YAML."""
    path = tmp_path / "broken.yaml"
    path.write_bytes(BEGINNING + b"- request: [\n")
    with pytest.raises(sp.errors.CassetteError, match=r"line 4"), sp.cassette(path, "none"):
        pass


@given(data=st.data())
def test_whatever_is_done_to_a_good_cassette_nothing_but_the_packages_error_comes(data):
    """A cassette with bytes dropped, added and changed at random raises nothing but ValueError."""
    text = bytearray(written(call(), call("Woylie", status=404)))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with suppress(ValueError):
        vcr_yaml.read(bytes(text))


def test_a_gigantic_file_is_not_read(tmp_path):
    """A file of more than 512 MiB is refused without being read."""
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(3 * 2**30)
    with pytest.raises(sp.errors.CassetteError, match=r"it has 3,072 MiB, and the limit is 512 MiB"), sp.cassette(path):
        pass


def test_without_libyaml_it_is_the_same(monkeypatch):
    """PyYAML's own loader, used where libyaml is missing, reads and refuses the same files."""
    monkeypatch.setattr(vcr_yaml, "_Loader", yaml.SafeLoader)
    assert vcr_yaml.read(written(call())).calls == [call()]
    for kind in ("object", "laughs", "lists in lists", "no yaml"):
        with pytest.raises(ValueError, match="it "):
            vcr_yaml.read(HOSTILE[kind])
