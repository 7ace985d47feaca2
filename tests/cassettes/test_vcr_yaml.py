"""Tests of the cassette format: calls survive a round trip, files of vcrpy are read, and hostile files do no harm."""

import time
import zlib
from contextlib import suppress
from datetime import UTC

import pytest
import vcr
import yaml
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.vcr_yaml import BEGINNING, UnreadableError
from suburb_pandas.names import sal
from suburb_pandas.service.calls import Item, RecordedInteraction, Response
from suburb_pandas.service.statuses import KEPT_HEADERS
from tests.support.recorded import body_of, call, elsewhere, vcrpy_file, written, zipped

NAMES = st.text(min_size=1, max_size=40).filter(sal.is_name)
BODIES = st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
HEADERS = st.dictionaries(st.sampled_from(KEPT_HEADERS), st.text(max_size=20).filter(str.isprintable))
STATES = st.sampled_from([None, "NSW", "VIC"])
ITEMS = st.one_of(
    st.builds(Item, st.sampled_from(["rent", "impacts"]), NAMES, st.none()),
    st.builds(Item, st.just("geocode"), NAMES.filter(str.strip), STATES),
)
TIMES = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat())
STATUSES = st.sampled_from([200, 404, 422])
SOURCES = st.sampled_from(["live", "sandbox"])
RESPONSES = st.builds(Response.of, BODIES, HEADERS, TIMES, st.integers(0, 99), SOURCES, status=STATUSES)
CALLS = st.builds(RecordedInteraction, ITEMS, RESPONSES)


@given(calls=st.lists(CALLS, max_size=4))
def test_what_is_written_comes_back(calls):
    """Calls of any name, body, header, time, cost and source are unchanged after encoding and decoding."""
    assert vcr_yaml.read(written(*calls)).calls == calls


@given(made=CALLS)
def test_a_call_is_one_entry_with_its_body_on_one_line(made):
    """A body is one line: a line diff shows one line for each response, and a cut entry can be recognised."""
    text = vcr_yaml.entry(made, "https://api.example.org")
    assert text.startswith(vcr_yaml.ENTRY)
    assert text.endswith(b"\n")
    assert text.count(b"\n- suburb_pandas") == 0
    assert text.rsplit(b"\n", 2)[-2].startswith(vcr_yaml.LAST_LINE)


def test_what_plain_vcrpy_recorded_is_read(service, tmp_path):
    """A cassette that vcrpy recorded from requests is read, with its bodies unchanged and only known headers."""
    requests = pytest.importorskip("requests")
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
        (zipped(body_of("Quokka Bay")), "gzip"),
        (zlib.compress(body_of("Quokka Bay")), "deflate"),
        (body_of("Quokka Bay"), "gzip"),  # vcrpy had decompressed it, but kept the header
        (body_of("Quokka Bay"), "identity"),
    ],
)
def test_bodies_that_were_compressed_are_read(body, encoding):
    """Bodies compressed with gzip or deflate are decompressed, and the digest is that of the decompressed body."""
    (found,) = vcr_yaml.read(vcrpy_file(elsewhere(body=body, headers={"Content-Encoding": [encoding]}))).calls
    assert found.response.body == body_of("Quokka Bay")
    assert found.response.is_whole


def test_what_a_recording_from_elsewhere_does_not_say_is_told_from_its_headers():
    """Other tools record no source, time or cost. The headers show them, or the list price if they name no cost."""
    interactions = [
        elsewhere(headers={"X-Made-Up-Data": ["yes"], "X-Cost-Cents": ["0"]}),
        elsewhere("Woylie"),
        elsewhere("Bilby Heights", headers={"Date": []}),
    ]
    found = [one.response for one in vcr_yaml.read(vcrpy_file(*interactions)).calls]
    assert [(one.source, one.cents) for one in found] == [("embedded", 0), ("live", 30), ("live", 30)]
    assert [one.retrieved_at for one in found] == ["2026-04-28T04:52:36+00:00", "2026-04-28T04:52:36+00:00", ""]


def test_what_is_not_of_this_service_is_passed_over():
    """Calls of other services, and other paths, methods and queries, are ignored."""
    others = [
        elsewhere(method="POST"),
        elsewhere() | {"request": elsewhere()["request"] | {"uri": "http://x/v1/suburbs/Quokka%20Bay/market"}},
        elsewhere() | {"request": elsewhere()["request"] | {"uri": elsewhere()["request"]["uri"] + "?a=1"}},
        elsewhere() | {"request": elsewhere()["request"] | {"uri": "http://[::1"}},
        elsewhere() | {"request": elsewhere()["request"] | {"uri": "http://x/v1/geocode/suburb?q=a&limit=3"}},
        elsewhere() | {"request": elsewhere()["request"] | {"uri": "http://x/v1/suburbs/%00/lifestyle/poi-impacts"}},
    ]
    assert [one.item.area_name for one in vcr_yaml.read(vcrpy_file(*others, elsewhere("Woylie"))).calls] == ["Woylie"]


def test_a_changed_answer_is_refused():
    """A response that was edited without its digest is refused."""
    with pytest.raises(UnreadableError, match="'Quokka Bay' was changed after it was recorded, as the digest shows"):
        vcr_yaml.read(written(call()).replace(b"500.0", b"400.0"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-04-28T04:52:36+00:00",
        "2026-04-28T04:52:36.000000+00:00",
        "2026-04-28T04:52:36.000001+00:00",
        "0001-01-01T00:00:00+00:00",
        "9999-12-31T23:59:59.999999+00:00",
    ],
)
def test_a_time_that_the_package_writes_is_read_as_it_is(text):
    """A time in UTC with six decimal places or none stays as it is, and so does an unknown one."""
    assert vcr_yaml.read(written(call(at=text))).calls[0].response.retrieved_at == text


@pytest.mark.parametrize(
    "text",
    [
        "2026-04-28T04:52:36Z",
        "2026-04-28 04:52:36+00:00",
        "2026-04-28x04:52:36+00:00",
        "2026-04-28\n04:52:36+00:00",
        "2026-04-28\u00e904:52:36+00:00",
        "2026-04-28T04:52:36+00:00:00",
        "2026-04-28T04:52:36-00:00",
        "2026-04-28T04:52:36.000+00:00",
        "2026-04-28T04:52:36.0000001+00:00",
        "20260428T045236+00",
        "2026-W18-2T04:52:36+00:00",
    ],
)
def test_a_time_in_another_form_is_read_in_the_packages_own(text):
    """Times are compared as text, so a time that another tool wrote in UTC is read in the form of this package."""
    assert vcr_yaml.read(written(call(at=text))).calls[0].response.retrieved_at == "2026-04-28T04:52:36+00:00"


@pytest.mark.parametrize("cents", [0, 999_999_999])
def test_a_cost_has_at_most_nine_digits(cents):
    """A cost of up to nine digits is read. One of ten is hostile."""
    text = written(call()).replace(b"cents: 30", b"cents: %d" % cents)
    assert vcr_yaml.read(text).calls[0].response.cents == cents


@pytest.mark.parametrize("status", [100, 599, 999])
def test_a_status_has_three_digits(status):
    """Any status of three digits is read, as HTTP allows. Another number is hostile."""
    assert vcr_yaml.read(vcrpy_file(elsewhere(status=status))).calls[0].response.status == status


@pytest.mark.parametrize(("status", "phrase"), [(404, b"Not Found"), (599, b"''")])
def test_a_status_is_written_with_its_phrase(status, phrase):
    """A status has the phrase of HTTP beside it, and no phrase if HTTP knows none."""
    text = written(call(status=status))
    assert b"code: %d\n      message: %b\n" % (status, phrase) in text
    assert vcr_yaml.read(text).calls[0].response.status == status


LAUGHS = b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9 if n else [b"ha"])) for n in range(30)
)
MERGES = b"a0: &a0 {k: v}\n" + b"".join(
    b"a%d: &a%d\n  <<: [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 30)
)
SPRING = zlib.compress(b"0" * (2**24 - 10))
BOMB = zlib.compress(b"0" * 2**26)

HOSTILE = {
    "object": b"version: 1\ninteractions: !!python/object/apply:os.system ['touch suburb_pandas_was_here']\n",
    "new": b"interactions: [!!python/object/new:os.system ['touch suburb_pandas_was_here']]\n",
    "name": b"interactions: !!python/name:os.system\n",
    "module": b"interactions: !!python/module:os\n",
    "tuple": b"interactions: !!python/tuple []\n",
    "own tag": b"%TAG ! tag:example.org,2000:\n---\ninteractions: !x []\n",
    "laughs": LAUGHS + b"interactions: *a29\n",
    "merges": MERGES + b"interactions: []\n",
    "all bodies": vcrpy_file(*(elsewhere(body=SPRING, headers={"Content-Encoding": ["deflate"]}) for _ in range(17))),
    "loop": b"interactions: &a [*a]\n",
    "loop in headers": vcrpy_file(elsewhere(headers={"X": 0})).replace(b"X: 0", b"X: &x [*x]"),
    "lists in lists": b"interactions: " + b"[" * 200_000,
    "lists under lists": b"interactions:\n" + b"- " * 200_000,
    "maps in maps": b"interactions: " + b"{a: " * 200_000,
    "long key": b"? " * 100_000,
    "grid of references": b"a: &a [" + b"x, " * 600 + b"]\ninteractions: [" + b"*a, " * 600 + b"]\n",
    "number to base 60": b"version: " + b"1:" * 400_000 + b"1\ninteractions: []\n",
    "many small parts": b"interactions: [" + b"0," * 1_000_000 + b"]\n",
    "no yaml": b"\x00\x01\x02",
    "utf-16": "interactions: []\n\udcff".encode("utf-16", "surrogatepass"),
    "not utf-8": b"interactions: [\xff\xfe]\n",
    "two documents": b"interactions: []\n---\ninteractions: []\n",
    "text": b"hello\n",
    "list": b"- 1\n",
    "number": b"interactions: 3\n",
    "huge number": b"version: " + b"9" * 100_000 + b"\ninteractions: []\n",
    "other version": b"version: 2\ninteractions: []\n",
    "no interactions": b"version: 1\nmetadata: {}\n",
    "numbers": b"interactions: [1, 2]\n",
    "wrong date": b"interactions: [2026-99-99]\n",
    "number for a URL": vcrpy_file(elsewhere() | {"request": elsewhere()["request"] | {"uri": 3}}),
    "text for a status": vcrpy_file(elsewhere() | {"response": elsewhere()["response"] | {"status": "OK"}}),
    "number for a body": vcrpy_file(elsewhere(body=3)),
    "map for a header": vcrpy_file(elsewhere(headers={"Date": {"a": "b"}})),
    "gzip bomb": vcrpy_file(elsewhere(body=BOMB, headers={"Content-Encoding": ["deflate"]})),
    "gzip cut short": vcrpy_file(elsewhere(body=zipped(b"0" * 99)[:-9], headers={"Content-Encoding": ["gzip"]})),
    "no deflate": vcrpy_file(elsewhere(body=b"abc", headers={"Content-Encoding": ["deflate"]})),
    "other compression": vcrpy_file(elsewhere(body=b"abc", headers={"Content-Encoding": ["br"]})),
    "negative cost": written(call()).replace(b"cents: 30", b"cents: -1"),
    "cost of ten digits": written(call()).replace(b"cents: 30", b"cents: 1000000000"),
    "huge cost": written(call()).replace(b"cents: 30", b"cents: 1" + b"0" * 30),
    "text for a cost": written(call()).replace(b"cents: 30", b"cents: '30'"),
    "negative status": written(call(status=-1)),
    "status of two digits": written(call(status=99)),
    "status of four digits": vcrpy_file(elsewhere(status=1000)),
    "huge status": vcrpy_file(elsewhere(status=10**30)),
    "unknown source": written(call()).replace(b"source: live", b"source: mine"),
    "no time": written(call(at="soon")),
    "time without quotes": written(call()).replace(b"'2026-01-01T00:00:00+00:00'", b"2026-01-01T00:00:00+00:00"),
    "time elsewhere": written(call(at="2026-01-01T00:00:00+10:00")),
    "time a second off UTC": written(call(at="2026-01-01T00:00:00+00:00:01")),
    "time without a zone": written(call(at="2026-01-01T00:00:00")),
    "week": written(call(at="2026-W01-1")),
    "day of no calendar": written(call(at="2026-02-29T00:00:00+00:00")),
    "year of five digits": written(call(at="10000-01-01T00:00:00+00:00")),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_cassette_is_an_error_and_runs_nothing(kind, tmp_path, monkeypatch):
    """Every mode that reads a hostile file refuses it within seconds, leaves it unchanged, and runs nothing in it."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "hostile.yaml"
    path.write_bytes(HOSTILE[kind])
    start = time.process_time()
    for record in ("none", "once", "new_episodes"):
        with pytest.raises(sp.errors.CassetteError, match=r"hostile.yaml cannot be read: "), sp.cassette(path, record):
            pass
    assert time.process_time() - start < 10
    assert path.read_bytes() == HOSTILE[kind]
    assert not list(tmp_path.glob("*was_here"))


def test_what_is_not_yaml_is_said_with_its_line(tmp_path):
    """The error for a broken file says in which line it stops being YAML."""
    path = tmp_path / "broken.yaml"
    path.write_bytes(BEGINNING + b"- request: [\n")
    end = len(path.read_bytes().splitlines()) + 1
    with pytest.raises(sp.errors.CassetteError, match=f"in line {end}"), sp.cassette(path, "none"):
        pass


@given(text=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace"))))
def test_whatever_a_file_holds_nothing_but_the_packages_error_comes(text):
    """Random bytes, alone or in place of the calls, raise nothing but UnreadableError."""
    for some in (text, BEGINNING + text, BEGINNING + b"- " + text):
        vcr_yaml.is_cassette(some)
        with suppress(UnreadableError):
            vcr_yaml.read(some)


@given(data=st.data())
def test_whatever_is_done_to_a_good_cassette_nothing_but_the_packages_error_comes(data):
    """A cassette with bytes dropped, added and changed at random raises nothing but UnreadableError."""
    text = bytearray(written(call(), call("Woylie", status=404)))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    vcr_yaml.is_cassette(bytes(text))
    with suppress(UnreadableError):
        vcr_yaml.read(bytes(text))


def test_a_gigantic_file_is_not_read(tmp_path):
    """A file of more than 512 MiB is refused without being read."""
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(3 * 2**30)
    start = time.process_time()
    with pytest.raises(sp.errors.CassetteError, match=r"it has 3,072 MiB, and the limit is 512 MiB"), sp.cassette(path):
        pass
    assert time.process_time() - start < 2


def test_without_libyaml_it_is_the_same():
    """PyYAML's own loader, used where libyaml is missing, reads and refuses the same files."""
    assert vcr_yaml.read(written(call()), loader=yaml.SafeLoader).calls == [call()]
    hostile = [HOSTILE[kind] for kind in ("object", "laughs", "merges", "loop", "lists in lists", "huge number")]
    surrogate = vcrpy_file(elsewhere(headers={"X-Request-Id": ["\ud800"]}))
    for text in (*hostile, surrogate):
        with pytest.raises(UnreadableError):
            vcr_yaml.read(text, loader=yaml.SafeLoader)
    assert vcr_yaml.is_cassette(surrogate, loader=yaml.SafeLoader)
    assert not vcr_yaml.is_cassette(b'"\\U99999999"', loader=yaml.SafeLoader)
