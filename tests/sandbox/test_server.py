import http.client
import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from suburb_pandas import sandbox

LIVE = {"Authorization": "Bearer mib_live_secret"}
FREE = {"Authorization": "Bearer embedded"}
RENT = "/v1/suburbs/Zamia/market/median-rent-series"
IMPACTS = "/v1/suburbs/Zamia/lifestyle/poi-impacts"


def test_a_connection_serves_many_requests(service):
    """A connection stays open after responses, errors, and requests with a body."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    connection.connect()
    first = connection.sock
    statuses = []
    for method, path in [("GET", RENT), ("GET", "/nowhere"), ("POST", RENT), ("HEAD", RENT), ("GET", RENT)]:
        connection.request(method, path, body=b"some body" if method == "POST" else None, headers=FREE)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    assert statuses == [200, 404, 405, 405, 200]
    assert connection.sock is first
    connection.close()


def test_answers_on_a_kept_connection_are_prompt(service):
    """On an open connection no response waits for a delayed acknowledgement."""
    with requests.Session() as session:
        session.get(service.url + IMPACTS, headers=FREE, timeout=10)
        took = []
        for _ in range(25):
            start = time.monotonic()
            session.get(service.url + IMPACTS, headers=FREE, timeout=10)
            took.append(time.monotonic() - start)
        assert statistics.median(took) < 0.036  # a delayed acknowledgement takes 0.04 s


def test_a_body_that_cannot_be_skipped_ends_the_connection(service):
    """A chunked request is answered with ``Connection: close``, because its body is not read."""
    response = requests.post(service.url + RENT, data=iter([b"a", b"b"]), headers=FREE, timeout=10)
    assert response.status_code == 405
    assert response.headers["Connection"] == "close"


def test_what_is_not_http_is_a_marked_400(service):
    """Invalid HTTP gets 400 with the mark of made-up data, and the connection is closed."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"X-Made-Up-Data: " in answer


def test_thirty_two_connections_are_served_at_once():
    """Each connection has a thread of its own, so slow calls do not wait for each other."""
    with sandbox.serve(latency_ms=1000) as service, ThreadPoolExecutor(32) as pool:
        start = time.monotonic()
        answers = list(pool.map(lambda _: requests.get(service.url + IMPACTS, headers=FREE, timeout=10), range(32)))
        assert time.monotonic() - start < 10
        assert {answer.status_code for answer in answers} == {200}
        assert service.most_at_once > 16


def test_counts_are_exact_under_eight_threads(service):
    """Concurrent calls are all counted and charged, and each has a request id of its own."""

    def call(number):
        path = RENT if number % 2 else IMPACTS
        return requests.get(service.url + path, headers=LIVE, timeout=10).headers

    with ThreadPoolExecutor(8) as pool:
        headers = list(pool.map(call, range(200)))
    assert service.served == {("rent", "Zamia"): 100, ("impacts", "Zamia"): 100}
    assert service.billed == {("rent", "Zamia"): 3000, ("impacts", "Zamia"): 1000}
    assert service.total_cents == 4000
    assert max(int(one["X-Spent-Cents"]) for one in headers) == 4000
    assert len({one["X-Request-Id"] for one in headers}) == 200


def test_a_wallet_is_never_overdrawn_by_callers_at_once():
    """Of concurrent calls, a wallet pays for as many as it can; the others get 402."""
    with sandbox.serve(wallet_cents=100) as service, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: requests.get(service.url + IMPACTS, headers=LIVE, timeout=10), range(40)))
        assert sorted(answer.status_code for answer in answers) == [200] * 10 + [402] * 30
        assert service.total_cents == 100


def test_requests_are_remembered_without_their_keys(service):
    """The log holds method, raw target, status and whether there was an Authorization header, but no key."""
    requests.get(service.url + "/v1/suburbs/Tawny%20Owl%20Gully/lifestyle/poi-impacts?x=1", headers=LIVE, timeout=10)
    requests.get(service.url + RENT, timeout=10)
    first, second = service.requests
    assert (first.method, first.status, first.authorization) == ("GET", 200, True)
    assert first.target == "/v1/suburbs/Tawny%20Owl%20Gully/lifestyle/poi-impacts?x=1"
    assert (second.status, second.authorization, second.fault) == (401, False, None)
    assert "secret" not in repr(service.requests)


def test_the_tally_is_there_for_other_processes(service):
    """The tally returns all counts as JSON to anybody, contains no key, and does not count itself."""
    requests.get(service.url + RENT, headers=LIVE, timeout=10)
    requests.get(service.url + RENT, headers=FREE, timeout=10)
    requests.get(service.url + "/_tally", timeout=10)
    tally = requests.get(service.url + "/_tally", timeout=10)
    assert "secret" not in tally.text
    assert tally.json() == {
        "served": [{"endpoint": "rent", "name": "Zamia", "calls": 2}],
        "billed": [{"endpoint": "rent", "name": "Zamia", "cents": 30}],
        "calls": 2,
        "cents": 30,
        "most_at_once": 1,
        "requests": [
            {"method": "GET", "target": RENT, "status": 200, "authorization": True, "fault": None} for _ in range(2)
        ],
    }


def test_closing_hangs_up_on_kept_connections():
    """A closed sandbox serves nobody, not even over a connection that was open before."""
    with requests.Session() as session:
        with sandbox.serve() as service:
            session.get(service.url + RENT, headers=FREE, timeout=10)
        with pytest.raises(requests.ConnectionError):
            session.get(service.url + RENT, headers=FREE, timeout=10)


def test_closing_twice_does_no_harm():
    """Closing a sandbox again has no effect."""
    service = sandbox.serve()
    service.close()
    service.close()


def test_a_port_can_be_chosen_and_a_taken_one_is_an_error(service):
    """A port that is taken raises OSError; once it is free, a sandbox can use it."""
    with pytest.raises(OSError, match="in use"):
        sandbox.serve(port=service.port)
    port = service.port
    service.close()
    with sandbox.serve(port=port) as again:
        assert again.url == f"http://127.0.0.1:{port}"


def test_waiting_ends_when_the_sandbox_is_closed(service):
    """`Sandbox.wait` returns when another thread closes the sandbox."""
    waiting = threading.Thread(target=service.wait)
    waiting.start()
    service.close()
    waiting.join(5)
    assert not waiting.is_alive()


def test_the_server_is_quiet(service, capfd):
    """The server prints nothing, even if a client disconnects during a response."""
    requests.get(service.url + RENT, headers=FREE, timeout=10)
    service.fail("slow_body", seconds=0.2)
    with pytest.raises(requests.RequestException):
        requests.get(service.url + RENT, headers=FREE, timeout=0.01).json()
    time.sleep(0.3)
    service.close()
    assert capfd.readouterr() == ("", "")


def test_importing_the_sandbox_loads_neither_werkzeug_nor_a_server():
    """Importing the sandbox loads neither Werkzeug nor pandas; the first server loads Werkzeug."""
    code = """
import importlib.util, sys, types
package = types.ModuleType("suburb_pandas")
package.__path__ = importlib.util.find_spec("suburb_pandas").submodule_search_locations
sys.modules["suburb_pandas"] = package
import suburb_pandas.sandbox
print(sorted({"werkzeug", "http.server", "pandas", "numpy", "requests"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_foreground_sandbox_says_where_it_is_and_serves():
    """The foreground sandbox prints one line with its address and keys, and that its suburbs are made up."""
    code = "from suburb_pandas.sandbox import run; run(port=0, error_rate=0, rate_limit=None)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            url = line.split()[0]
            assert requests.get(url + RENT, headers=FREE, timeout=10).status_code == 200
            assert json.loads(requests.get(url + "/_tally", timeout=10).text)["calls"] == 1
        finally:
            process.kill()
    assert all(word in line for word in ["made-up suburbs", "embedded", "test", "mib_live_", "10000 made-up cents"])
