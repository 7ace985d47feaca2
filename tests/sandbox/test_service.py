"""What the sandbox answers: statuses, keys, prices, wallets, and the bytes of its responses."""

import hashlib
import json
import time
from types import SimpleNamespace
from urllib.parse import quote, quote_plus

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas import sandbox
from suburb_pandas.sandbox import SANDBOX_NAMES, SUBURBS, oddities
from suburb_pandas.sandbox.service import read

ENDPOINTS = ["rent", "impacts", "geocode"]
LIVE = "mib_live_of_a_test"


def rent_path(encoded):
    return f"/v1/suburbs/{encoded}/market/median-rent-series"


def status_of(response):
    return int(response.split(b" ", 2)[1])


def json_of(response):
    return json.loads(response.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("endpoint", ["rent", "impacts"])
def test_the_free_keys_read_their_suburbs(ask, endpoint):
    """The key ``embedded`` reads every suburb, the key ``test`` its nine; any other name gets 403."""
    for suburb in SUBURBS:
        data = ask(suburb.name, endpoint).json()["data"]
        assert data is None or (data["area_name"], data["area_level"]) == (suburb.name, "suburb")
    names = [*SANDBOX_NAMES, "Lantern Bay (Tas.)", "Bondi"]
    assert [ask(name, endpoint, "test").status_code for name in names] == [200] * 9 + [403] * 2


@pytest.mark.parametrize(("endpoint", "cents"), [("rent", 30), ("impacts", 10), ("geocode", 1)])
def test_a_live_key_pays_the_price_and_a_free_key_nothing(ask, service, endpoint, cents):
    """A call costs a live key 30, 10 or 1 cents from a wallet of its own, which its metering headers report.

    Repeated paid calls get different request ids; free calls repeat theirs, so that recordings are the same.
    """
    answers = [ask("Zamia", endpoint, key).headers for key in (LIVE, LIVE, "mib_live_of_another", *["embedded"] * 2)]
    assert [answer["X-Cost-Cents"] for answer in answers] == [str(cents)] * 3 + ["0"] * 2
    assert [answer["X-Spent-Cents"] for answer in answers] == [str(cents), str(2 * cents), str(cents), "0", "0"]
    assert [answer["X-Balance-Cents"] for answer in answers[2:4]] == [str(10_000 - cents), "0"]
    assert all(answer["X-Balance-Cents"] == answer["X-Remaining-Cents"] for answer in answers)
    assert len({answer["X-Request-Id"] for answer in answers}) == 4
    assert service.total_cents == 3 * cents


@pytest.mark.parametrize("key", [None, "wrong", "TEST", "mib_live"])
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_any_other_key_or_none_is_401(ask, endpoint, key):
    """On every endpoint, a call without a key or with an unknown key gets 401."""
    assert ask("Bilby Heights", endpoint, key).status_code == 401


def test_a_key_is_a_bearer_token(service):
    """A key in basic credentials is not accepted; the scheme may be in lower case."""
    url = service.url + rent_path("Zamia")
    for header, status in {"Basic embedded": 401, "Bearer ": 401, "bearer  embedded": 200}.items():
        assert requests.get(url, headers={"Authorization": header}, timeout=10).status_code == status


@pytest.mark.parametrize("name", ["Bondi", "Lantern Bay", "bilby heights", "Bilby Heights ", "Kestrel Hill (VIC)"])
def test_an_unknown_name_is_404_and_never_a_near_match(ask, service, name):
    """A data endpoint takes the exact name only; any other gets 404 and costs nothing."""
    assert ask(name, "rent", LIVE).status_code == 404
    assert service.total_cents == 0


def test_a_suburb_without_data_is_a_charged_200(ask, service):
    """Null data come with a reason and a message, and are charged in full. Some suburbs lack one endpoint only."""
    reason = oddities.NO_DATA["Thorny Devil"]
    expected = {"data": None, "available": False, "reason": reason, "message": oddities.MESSAGES[reason]}
    assert ask("Thorny Devil", "impacts", LIVE).json() == expected
    assert service.total_cents == 10
    calls = [(name, endpoint) for name in (*oddities.NO_RENT, *oddities.NO_IMPACTS) for endpoint in ("rent", "impacts")]
    assert [ask(*call).json()["data"] is None for call in calls] == [True, False, False, True]


def test_geocode_answers_candidates_of_the_state(raw):
    """A plus in a query is a space. No match is an empty list, and no query a 422 with the documented body."""
    response = json_of(raw("/v1/geocode/suburb?q=lantern+bay&state=tas"))
    assert [candidate["area_name"] for candidate in response["data"]] == ["Lantern Bay (Tas.)"]
    assert json_of(raw("/v1/geocode/suburb?q=bondi")) == {"data": []}
    missing = [{"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}]
    for query in ("", "?q=&state=NSW"):
        response = raw(f"/v1/geocode/suburb{query}")
        assert status_of(response) == 422
        assert json_of(response) == {"detail": missing}


@given(st.text(min_size=1), st.sampled_from(["NSW", "vic"]))
def test_any_text_comes_through_its_encoding(text, state):
    """Any text survives encoding as a name or a query, even with slashes, question marks and plus signs."""
    paths = [rent_path(quote(text, safe="")), f"/v1/geocode/suburb?q={quote_plus(text)}&state={state}"]
    request, look_up = (read({"REQUEST_METHOD": "GET", "REQUEST_URI": path}) for path in paths)
    assert (request.endpoint, request.name) == ("rent", text)
    assert (look_up.endpoint, look_up.name, look_up.state) == ("geocode", text, state)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (rent_path("Kestrel%20Hill%20(Vic.)"), 200),
        (rent_path("Za%6Dia") + "?q=x&freq=monthly", 200),
        (rent_path("Lantern+Bay+(NSW)"), 404),
        (rent_path("Zamia%2F"), 404),
        (rent_path("Zami%E9"), 404),
        (rent_path("..") + "/", 404),
        ("http://service.invalid" + rent_path("Zamia"), 200),
        ("/v1%2Fsuburbs%2FZamia%2Fmarket%2Fmedian-rent-series", 404),
        ("/v2/geocode/suburb?q=a", 404),
        ("/", 404),
        ("/v1/geocode/suburb HTTP/9", 400),
        ("http://[", 400),
    ],
)
def test_a_target_is_read_as_the_standard_says(raw, target, status):
    """In a path a plus is a plus and an encoded slash is part of the name; the host, as for a proxy, does not matter.

    Every response has the mark and a request id, and does not name Python or Werkzeug.
    """
    response = raw(target)
    head = response.partition(b"\r\n\r\n")[0].decode()
    assert status_of(response) == status
    assert f"\r\nX-Made-Up-Data: suburb_pandas sandbox {sandbox.DATA_VERSION}" in head
    assert "\r\nX-Request-Id: req_" in head
    assert "\r\nServer: suburb_pandas-sandbox\r\n" in head
    assert "ython" not in head
    assert "erkzeug" not in head


@pytest.mark.parametrize("method", ["POST", "HEAD"])
def test_other_methods_are_405(raw, method):
    """Every operation is a GET; any other method gets 405 with ``Allow: GET``, and HEAD no body."""
    response = raw(rent_path("Zamia"), method=method)
    assert status_of(response) == 405
    assert b"\r\nAllow: GET\r\n" in response
    assert response.endswith(b"\r\n\r\n") == (method == "HEAD")


def test_calls_can_be_slow_fail_and_be_refused(monkeypatch):
    """Each call takes the latency, some fail with 500 or 503, and those beyond the limit get 429. That is free."""
    with sandbox.serve(latency_ms=20, error_rate=0.5) as service, requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {LIVE}"
        url, start = f"{service.url}/v1/geocode/suburb?q=woylie", time.monotonic()
        statuses = [session.get(url, timeout=10).status_code for _ in range(40)]
        assert time.monotonic() - start >= 0.8
        assert set(statuses) == {200, 500, 503}
        assert service.total_cents == statuses.count(200)
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=time.sleep)
    monkeypatch.setattr("suburb_pandas.sandbox.service.time", clock)
    with sandbox.serve(rate_limit=3) as service, requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {LIVE}"
        url = f"{service.url}/v1/geocode/suburb?q=woylie"
        answers = [session.get(url, timeout=10) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
        assert answers[-1].headers["Retry-After"] == "1"
        now[0] = 1.0
        assert session.get(url, timeout=10).status_code == 200
        assert service.total_cents == 4


@pytest.mark.parametrize(
    ("target", "key", "sha256"),
    [
        (rent_path("Bilby%20Heights"), "embedded", "78dd1677fa531bae5c8cfd0df8c2d0912d04e62d7b542a150c373c6c1c8e5171"),
        (
            "/v1/suburbs/Lantern%20Bay%20%28NSW%29/lifestyle/poi-impacts",
            "embedded",
            "e25527e2092c42686dff291907c3641898c81edbafc4c78c0c8f8a26c95afc1b",
        ),
        (
            "/v1/geocode/suburb?q=magpie%20flat&state=VIC",
            "embedded",
            "b7e13560f643b9f96a97f8156eff4b529cb84e8c77f9260b042dc859557b2e1d",
        ),
        (rent_path("Thorny%20Devil"), "embedded", "fed23846a7c821233a662f4ee131ae842f125659a5a885e298b172b58ed8140e"),
        (rent_path("Bondi"), "embedded", "220ccb32f7665357619c6a1fc23374b7659293ff330cff55528d4dec5d82ba82"),
    ],
)
def test_the_free_keys_get_the_same_bytes_on_every_machine_whatever_came_before(raw, target, key, sha256):
    """Every byte of a response, headers included, is fixed by the data version."""
    assert {hashlib.sha256(raw(target, key=key)).hexdigest() for _ in range(2)} == {sha256}
