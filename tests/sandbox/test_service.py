import hashlib
import json
from urllib.parse import quote

import pytest
import requests

from suburb_pandas import sandbox
from suburb_pandas.sandbox import SANDBOX_NAMES, SUBURBS, oddities

METERING = {
    "X-Cost-Cents",
    "X-Spent-Cents",
    "X-Remaining-Cents",
    "X-Balance-Cents",
    "X-Rate-Card-Version",
    "X-Period-End",
}
ENDPOINTS = ["rent", "impacts", "geocode"]
LIVE = "mib_live_of_a_test"


def rent_path(encoded):
    return f"/v1/suburbs/{encoded}/market/median-rent-series"


def status_of(response):
    return int(response.split(b" ", 2)[1])


def json_of(response):
    return json.loads(response.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("path", ["market/median-rent-series", "lifestyle/poi-impacts"])
def test_the_key_embedded_reads_every_suburb(raw, path):
    """The key ``embedded`` reads every suburb of the sandbox, on both data endpoints."""
    for suburb in SUBURBS:
        response = raw(f"/v1/suburbs/{quote(suburb.name, safe='')}/{path}")
        assert status_of(response) == 200, suburb.name
        data = json_of(response)["data"]
        assert data is None or (data["area_name"], data["area_level"]) == (suburb.name, "suburb")


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("key", ["embedded", "test"])
def test_the_free_keys_pay_nothing(ask, service, endpoint, key):
    """A call under a free key has metering headers of 0 cents and is served, but not billed."""
    response = ask("Bilby Heights", endpoint, key)
    assert response.status_code == 200
    assert set(response.headers) >= METERING
    assert {response.headers[name] for name in METERING if name.endswith("-Cents")} == {"0"}
    assert service.total_cents == 0
    assert service.served == {(endpoint, "Bilby Heights"): 1}


@pytest.mark.parametrize("name", sorted(SANDBOX_NAMES))
def test_the_key_test_reads_its_nine(ask, name):
    """The key ``test`` reads its nine suburbs on both data endpoints."""
    assert ask(name, "rent", "test").status_code == 200
    assert ask(name, "impacts", "test").status_code == 200


@pytest.mark.parametrize("name", ["Lantern Bay (Tas.)", "Zamia", "Bondi", "Lantern Bay"])
def test_the_key_test_is_refused_elsewhere(ask, service, name):
    """Under the key ``test`` every other name gets 403, whether the sandbox has it or not."""
    assert ask(name, "rent", "test").status_code == 403
    assert not service.served


@pytest.mark.parametrize(("endpoint", "cents"), [("rent", 30), ("impacts", 10), ("geocode", 1)])
def test_a_live_key_pays_the_price(ask, service, endpoint, cents):
    """A call costs a live key 30, 10 or 1 cents, which its metering headers report."""
    ask("Zamia", endpoint, LIVE)
    headers = ask("Zamia", endpoint, LIVE).headers
    assert headers["X-Cost-Cents"] == str(cents)
    assert headers["X-Spent-Cents"] == str(2 * cents)
    assert headers["X-Remaining-Cents"] == headers["X-Balance-Cents"] == str(10_000 - 2 * cents)
    assert headers["X-Rate-Card-Version"] == "1"
    assert service.billed == {(endpoint, "Zamia"): 2 * cents}


def test_each_live_key_has_a_wallet_of_its_own(ask):
    """A call under one live key is not paid from the wallet of another."""
    ask("Zamia", "rent", LIVE)
    assert ask("Zamia", "rent", "mib_live_of_another").headers["X-Spent-Cents"] == "30"


def test_an_empty_wallet_is_402_and_nothing_is_charged():
    """A call that the wallet cannot pay for gets 402 and is not charged; a cheaper call may still succeed."""
    with sandbox.serve(wallet_cents=45) as service:
        headers = {"Authorization": f"Bearer {LIVE}"}
        statuses = [
            requests.get(service.url + path, headers=headers, timeout=10).status_code
            for path in [rent_path("Zamia"), rent_path("Zamia"), "/v1/suburbs/Zamia/lifestyle/poi-impacts"]
        ]
        assert statuses == [200, 402, 200]
        assert service.total_cents == 40
        assert service.served.total() == 2


@pytest.mark.parametrize("key", [None, "wrong", "TEST", "xmib_live_1", "mib_live"])
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_any_other_key_or_none_is_401(ask, service, endpoint, key):
    """On every endpoint, a call without a key or with an unknown key gets 401 and is not served."""
    assert ask("Bilby Heights", endpoint, key).status_code == 401
    assert not service.served


def test_a_key_that_is_no_bearer_token_is_401(service):
    """A key in basic credentials is not accepted."""
    url = service.url + rent_path("Zamia")
    assert requests.get(url, auth=("embedded", ""), timeout=10).status_code == 401


@pytest.mark.parametrize(
    "name", ["Bondi", "Lantern Bay", "bilby heights", "Bilby Heights ", "Kestrel Hill (VIC)", "Bilby%20Heights"]
)
def test_an_unknown_name_is_404_and_never_a_near_match(ask, service, name):
    """A data endpoint takes the exact name only; any other gets 404 and costs nothing."""
    assert ask(name, "rent", LIVE).status_code == 404
    assert service.total_cents == 0


@pytest.mark.parametrize(("name", "reason"), oddities.NO_DATA.items())
@pytest.mark.parametrize("endpoint", ["rent", "impacts"])
def test_a_suburb_without_data_is_a_charged_200(ask, service, endpoint, name, reason):
    """A suburb without data gets a 200 with null data, a reason and a message, and is charged in full."""
    response = ask(name, endpoint, LIVE)
    assert response.status_code == 200
    assert response.json() == {
        "data": None,
        "available": False,
        "reason": reason,
        "message": oddities.MESSAGES[reason],
    }
    assert service.total_cents == {"rent": 30, "impacts": 10}[endpoint]


def test_a_suburb_may_lack_one_endpoint_only(ask):
    """One suburb has impacts but no rents, another has rents but no impacts."""
    (no_rent,), (no_impacts,) = oddities.NO_RENT, oddities.NO_IMPACTS
    assert [ask(no_rent, e).json()["data"] is None for e in ("rent", "impacts")] == [True, False]
    assert [ask(no_impacts, e).json()["data"] is None for e in ("rent", "impacts")] == [False, True]


@pytest.mark.parametrize("query", ["", "?q=", "?state=NSW", "?q=&state=NSW"])
def test_geocode_without_a_query_is_422(raw, query):
    """A geocode call without a query gets 422 with the body that the service documents."""
    response = raw(f"/v1/geocode/suburb{query}")
    assert status_of(response) == 422
    assert json_of(response) == {
        "detail": [{"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}]
    }


def test_geocode_answers_candidates_and_honours_the_state(raw):
    """Geocode returns the candidates of the given state; a plus in its query is a space."""
    response = json_of(raw("/v1/geocode/suburb?q=lantern+bay&state=tas"))
    assert [candidate["area_name"] for candidate in response["data"]] == ["Lantern Bay (Tas.)"]


def test_geocode_without_a_match_is_an_empty_list(raw):
    """A geocode query without a match is not an error: its list of candidates is empty."""
    assert json_of(raw("/v1/geocode/suburb?q=bondi")) == {"data": []}


def test_query_parameters_on_the_data_endpoints_are_ignored(raw):
    """Query parameters do not change the body of a data endpoint's response."""
    plain, queried = raw(rent_path("Zamia")), raw(rent_path("Zamia") + "?q=x&freq=monthly")
    assert json_of(plain) == json_of(queried)


@pytest.mark.parametrize(
    ("encoded", "status"),
    [
        ("Lantern%20Bay%20(NSW)", 200),
        ("Lantern%20Bay%20%28NSW%29", 200),
        ("%4Cantern%20Bay%20%28NSW%29", 200),
        ("Kestrel%20Hill%20(Vic.)", 200),
        ("Kestrel%20Hill%20%28Vic%2E%29", 200),
        ("O%27Malley%27s%20Gate", 200),
        ("O'Malley's%20Gate", 200),
        ("Sandpiper%20Reach%20(Port%20Gannet-Swanmere%20-%20NSW)", 200),
        ("Lantern+Bay+(NSW)", 404),
        ("Zamia%2F", 404),
        ("Zamia%2Fmarket", 404),
        ("Za%6Dia", 200),
        ("Zami%E9", 404),
        ("%FF%FE", 404),
        ("Zamia%", 404),
        ("Zamia%00", 404),
        ("", 404),
        (".", 404),
        ("..", 404),
    ],
)
def test_a_name_is_read_from_its_percent_encoding(raw, encoded, status):
    """In a path a plus is a plus, an encoded slash is part of the name, and invalid UTF-8 gets 404."""
    assert status_of(raw(rent_path(encoded))) == status


def test_an_encoded_slash_does_not_make_a_path():
    """A path whose slashes are encoded is one long segment, which no endpoint has."""
    with sandbox.serve() as service:
        url = f"{service.url}/v1%2Fsuburbs%2FZamia%2Fmarket%2Fmedian-rent-series"
        assert requests.get(url, headers={"Authorization": "Bearer embedded"}, timeout=10).status_code == 404
        assert not service.served


def test_a_target_with_a_host_is_taken_as_a_proxy_would(raw):
    """A request line with a whole URL is accepted, as clients send it to a proxy."""
    assert status_of(raw("http://service.invalid" + rent_path("Zamia"))) == 200


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v2/geocode/suburb", "/v1/suburbs/Zamia", rent_path("Zamia") + "/", "/v1//geocode/suburb"]
)
def test_an_unknown_path_is_404(raw, path):
    """An unknown path gets 404 whether the key is known or not."""
    assert status_of(raw(path)) == 404
    assert status_of(raw(path, key="wrong")) == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
def test_other_methods_are_405(raw, method):
    """Every operation is a GET; any other method gets 405 with ``Allow: GET``."""
    response = raw(rent_path("Zamia"), method=method)
    assert status_of(response) == 405
    assert b"\r\nAllow: GET\r\n" in response


def test_a_head_request_gets_no_body(raw):
    """The response to HEAD has no body, which a client would take for the start of the next response."""
    assert raw(rent_path("Zamia"), method="HEAD").endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("target", "key", "status"),
    [
        (rent_path("Zamia"), "embedded", 200),
        (rent_path("Zamia"), "wrong", 401),
        (rent_path("Zamia"), "test", 403),
        (rent_path("Bondi"), "embedded", 404),
        ("/nowhere", "embedded", 404),
        ("/v1/geocode/suburb", "embedded", 422),
        ("/_tally", "none", 200),
        ("/v1/geocode/suburb HTTP/9", "embedded", 400),
        ("http://[", "embedded", 400),
    ],
)
def test_every_answer_is_marked_and_has_a_request_id(raw, target, key, status):
    """Every response, errors included, has the mark and a request id, and does not name Python or Werkzeug."""
    response = raw(target, key=key)
    head = response.partition(b"\r\n\r\n")[0].decode()
    assert status_of(response) == status
    assert f"\r\nX-Made-Up-Data: suburb_pandas sandbox {sandbox.DATA_VERSION}" in head
    assert "\r\nX-Request-Id: req_" in head
    assert "\r\nServer: suburb_pandas-sandbox\r\n" in head
    assert "ython" not in head
    assert "erkzeug" not in head


def test_a_paid_call_has_a_request_id_of_its_own(ask):
    """Repeated paid calls get different request ids; free calls repeat theirs, so that recordings are the same."""
    paid = {ask("Zamia", "rent", LIVE).headers["X-Request-Id"] for _ in range(3)}
    free = {ask("Zamia").headers["X-Request-Id"] for _ in range(3)}
    assert (len(paid), len(free)) == (3, 1)


def test_values_are_written_as_floats(raw):
    """Rents are written as floats: 960.0, not 960."""
    body = raw(rent_path("Bilby%20Heights")).partition(b"\r\n\r\n")[2]
    assert body.startswith(b'{"data":{"area_name":"Bilby Heights","area_level":"suburb","house":[{"date":"20')
    assert b'"date":"2026-04-26","value":' in body
    assert b".0}]" in body


@pytest.mark.parametrize("target", [rent_path("Bilby%20Heights"), "/v1/geocode/suburb?q=lantern"])
def test_the_free_keys_get_the_same_bytes_whatever_came_before(target):
    """Under a free key, date, request id and metering depend on the request only, and not on earlier calls."""
    answers = set()
    for before in (0, 3):
        with sandbox.serve(wallet_cents=before) as service, requests.Session() as session:
            session.headers["Authorization"] = "Bearer test"
            for _ in range(before):
                session.get(service.url + rent_path("Saltbush%20Park"), timeout=10)
            response = session.get(service.url + target, timeout=10)
            answers.add((response.status_code, tuple(response.headers.items()), response.content))
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("target", "key", "sha256"),
    [
        (rent_path("Bilby%20Heights"), "embedded", "78dd1677fa531bae5c8cfd0df8c2d0912d04e62d7b542a150c373c6c1c8e5171"),
        (rent_path("Bilby%20Heights"), "test", "78dd1677fa531bae5c8cfd0df8c2d0912d04e62d7b542a150c373c6c1c8e5171"),
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
def test_answers_are_the_same_on_every_machine(raw, target, key, sha256):
    """Every byte of a response, headers included, is fixed by the data version."""
    assert hashlib.sha256(raw(target, key=key)).hexdigest() == sha256
