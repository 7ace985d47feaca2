"""What the sandbox answers: statuses, keys, prices, wallets, and the bytes of its responses."""

import hashlib
import json
import re
from types import SimpleNamespace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas import sandbox
from suburb_pandas.sandbox import SANDBOX_NAMES, oddities
from suburb_pandas.sandbox.service import Service, read
from tests.support.common import LIVE_KEY

PRICES = {"rent": 30, "impacts": 10, "geocode": 1}


def rent_path(encoded):
    return f"/v1/suburbs/{encoded}/market/median-rent-series"


def status_of(response):
    return int(response.split(b" ", 2)[1])


def json_of(response):
    return json.loads(response.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("endpoint", ["rent", "impacts"])
def test_a_key_reads_its_suburbs(ask, service, endpoint):
    """The key ``test`` reads its nine suburbs, other keys read every one. A near match of a name is no name."""
    names = [*SANDBOX_NAMES, "Lantern Bay (Tas.)", "Bondi", "Lantern Bay", "bilby heights", "Kestrel Hill (VIC)"]
    assert [ask(name, endpoint, "test").status_code for name in names] == [200] * 9 + [403] * 5
    assert [ask(name, endpoint).status_code for name in names] == [200] * 10 + [404] * 4
    data = ask("Lantern Bay (Tas.)", endpoint).json()["data"]
    assert (data["area_name"], data["area_level"]) == ("Lantern Bay (Tas.)", "suburb")


@pytest.mark.parametrize("endpoint", PRICES)
def test_a_live_key_pays_the_price_and_a_free_key_nothing(ask, service, endpoint):
    """A call costs a live key 30, 10 or 1 cents from a wallet of its own, which its metering headers report.

    Repeated paid calls get different request ids; free calls repeat theirs, so that recordings are the same. Any other
    key or none gets 401.
    """
    cents = PRICES[endpoint]
    keys = (LIVE_KEY, LIVE_KEY, "mib_live_of_another", "embedded", "embedded")
    answers = [ask("Zamia", endpoint, key).headers for key in keys]
    assert [answer["X-Cost-Cents"] for answer in answers] == [str(cents)] * 3 + ["0"] * 2
    assert [answer["X-Spent-Cents"] for answer in answers] == [str(cents), str(2 * cents), str(cents), "0", "0"]
    assert [answer["X-Balance-Cents"] for answer in answers[2:4]] == [str(10_000 - cents), "0"]
    assert all(answer["X-Balance-Cents"] == answer["X-Remaining-Cents"] for answer in answers)
    assert len({answer["X-Request-Id"] for answer in answers}) == 4
    assert [ask("Zamia", endpoint, key).status_code for key in (None, "wrong", "TEST", "mib_live")] == [401] * 4
    assert service.total_cents == 3 * cents


def test_a_suburb_without_data_is_a_charged_200(ask, service):
    """Null data come with a reason and a message, and are charged in full. Some suburbs lack one endpoint only."""
    reason = oddities.NO_DATA["Thorny Devil"]
    expected = {"data": None, "available": False, "reason": reason, "message": oddities.MESSAGES[reason]}
    assert ask("Thorny Devil", "impacts", LIVE_KEY).json() == expected
    assert service.total_cents == 10
    calls = [(name, endpoint) for name in (*oddities.NO_RENT, *oddities.NO_IMPACTS) for endpoint in ("rent", "impacts")]
    assert [ask(*call).json()["data"] is None for call in calls] == [True, False, False, True]


def test_geocode_answers_candidates_of_the_state(raw):
    """A plus in a query is a space. No match is an empty list, and no query a 422 with the documented body."""
    response = json_of(raw("/v1/geocode/suburb?q=lantern+bay&state=tas"))
    assert [candidate["area_name"] for candidate in response["data"]] == ["Lantern Bay (Tas.)"]
    assert json_of(raw("/v1/geocode/suburb?q=bondi")) == {"data": []}
    response = raw("/v1/geocode/suburb?q=&state=NSW")
    assert status_of(response) == 422
    missing = {"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}
    assert json_of(response) == {"detail": [missing]}


def request(path, **more):
    """Return the request for a path, as the server reads it."""
    return read({"REQUEST_METHOD": "GET", "REQUEST_URI": path, **more})


@given(st.text(min_size=1), st.sampled_from(["NSW", "vic"]))
def test_any_text_comes_through_its_encoding(text, state):
    """Any text survives encoding as a name or a query, even with slashes, question marks and plus signs."""
    data, look_up = (
        request(rent_path(quote(text, safe=""))),
        request(f"/v1/geocode/suburb?q={quote_plus(text)}&state={state}"),
    )
    assert (data.endpoint, data.name) == ("rent", text)
    assert (look_up.endpoint, look_up.name, look_up.state) == ("geocode", text, state)


TARGETS = """
200 /v1/suburbs/Kestrel%20Hill%20(Vic.)/market/median-rent-series
200 /v1/suburbs/Za%6Dia/market/median-rent-series?q=x&freq=monthly
404 /v1/suburbs/Lantern+Bay+(NSW)/market/median-rent-series
404 /v1/suburbs/Zamia%2F/market/median-rent-series
404 /v1/suburbs/Zami%E9/market/median-rent-series
404 /v1/suburbs/../market/median-rent-series/
200 http://service.invalid/v1/suburbs/Zamia/market/median-rent-series
404 /v1%2Fsuburbs%2FZamia%2Fmarket%2Fmedian-rent-series
404 /v2/geocode/suburb?q=a
404 /
400 http://[
"""


def test_a_target_is_read_as_the_standard_says(raw):
    """In a path a plus is a plus and an encoded slash is part of the name; the host, as for a proxy, does not matter.

    Every response has the mark and a request id, and does not name Python or Werkzeug.
    """
    for status, target in map(str.split, TARGETS.strip().splitlines()):
        head = raw(target).partition(b"\r\n\r\n")[0].decode()
        assert head.startswith(f"HTTP/1.1 {status} "), target
        assert f"\r\nX-Made-Up-Data: suburb_pandas sandbox {sandbox.DATA_VERSION}" in head
        assert "\r\nX-Request-Id: req_" in head
        assert "\r\nServer: suburb_pandas-sandbox\r\n" in head
        assert not re.search("python|werkzeug", head, re.IGNORECASE)


def test_calls_can_be_slow_fail_and_be_refused(monkeypatch):
    """Each call takes the latency, some fail with 500 or 503, and those beyond the limit get 429. That is free."""
    now, slept = [0.0], []
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=slept.append)
    monkeypatch.setattr("suburb_pandas.sandbox.service.time", clock)
    look_up = request("/v1/geocode/suburb?q=woylie", HTTP_AUTHORIZATION=f"Bearer {LIVE_KEY}")
    service = Service(latency_ms=20, error_rate=0.5)
    statuses = [service.respond(look_up).status for _ in range(40)]
    assert slept == [0.02] * 40
    assert {*statuses} == {200, 500, 503}
    assert service.total_cents == statuses.count(200)
    limited = Service(rate_limit=3)
    answers = [limited.respond(look_up) for _ in range(5)]
    assert [answer.status for answer in answers] == [200] * 3 + [429] * 2
    assert answers[-1].headers["Retry-After"] == "1"
    now[0] = 1.0
    assert limited.respond(look_up).status == 200
    assert limited.total_cents == 4


BYTES = """
78dd1677fa531bae5c8cfd0df8c2d0912d04e62d7b542a150c373c6c1c8e5171 /v1/suburbs/Bilby%20Heights/market/median-rent-series
8ffd56132bacfa12d7494f5f517ba129b06adae273422c146e7ea0127659fd2f /v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts
b7e13560f643b9f96a97f8156eff4b529cb84e8c77f9260b042dc859557b2e1d /v1/geocode/suburb?q=magpie%20flat&state=VIC
fed23846a7c821233a662f4ee131ae842f125659a5a885e298b172b58ed8140e /v1/suburbs/Thorny%20Devil/market/median-rent-series
220ccb32f7665357619c6a1fc23374b7659293ff330cff55528d4dec5d82ba82 /v1/suburbs/Bondi/market/median-rent-series
"""


def test_the_free_keys_get_the_same_bytes_on_every_machine_whatever_came_before(raw):
    """Every byte of a response, headers included, is fixed by the data version."""
    for sha256, target in map(str.split, BYTES.strip().splitlines()):
        assert {hashlib.sha256(raw(target)).hexdigest() for _ in range(2)} == {sha256}
