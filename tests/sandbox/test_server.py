"""The sandbox as a server: connections, threads and closing."""

import gc
import http.client
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
    first, statuses = connection.sock, []
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
        took = []
        for _ in range(25):
            start = time.monotonic()
            session.get(service.url + IMPACTS, headers=FREE, timeout=10)
            took.append(time.monotonic() - start)
        assert statistics.median(took) < 0.036  # a delayed acknowledgement takes 0.04 s


def test_a_request_that_cannot_be_read_ends_the_connection(service):
    """A chunked request is answered with ``Connection: close``, because its body is not read; other texts get a 400."""
    response = requests.post(service.url + RENT, data=iter([b"a", b"b"]), headers=FREE, timeout=10)
    assert (response.status_code, response.headers["Connection"]) == (405, "close")
    for text in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % 2**70):
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(text)
            answer = b"".join(iter(lambda at=connection: at.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"X-Made-Up-Data: " in answer


def test_a_wallet_is_never_overdrawn_by_callers_at_once():
    """Of concurrent calls, a wallet pays for as many as it can; the others get 402. Each has its own request id."""
    with sandbox.serve(wallet_cents=100) as service, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: requests.get(service.url + IMPACTS, headers=LIVE, timeout=10), range(40)))
        assert sorted(answer.status_code for answer in answers) == [200] * 10 + [402] * 30
        assert len({answer.headers["X-Request-Id"] for answer in answers if answer.ok}) == 10
        assert service.total_cents == 100


def test_closing_waits_for_nothing_and_hangs_up():
    """A closed sandbox serves nobody, not even over a connection that was open before. Closing again does nothing."""
    took = []
    for _ in range(5):
        with requests.Session() as session:
            service = sandbox.serve()
            session.get(service.url + RENT, headers=FREE, timeout=10)
            start = time.monotonic()
            service.close()
            took.append(time.monotonic() - start)
            with pytest.raises(requests.ConnectionError):
                session.get(service.url + RENT, headers=FREE, timeout=10)
            service.close()
    assert statistics.median(took) < 0.01


@pytest.mark.filterwarnings("error")
def test_a_port_can_be_chosen_and_a_taken_one_is_an_error(service):
    """A port that is taken raises OSError, and leaves nothing open; once it is free, a sandbox can use it."""
    with pytest.raises(OSError, match="in use"):
        sandbox.serve(port=service.port)
    gc.collect()  # an open socket is a ResourceWarning
    service.close()
    with sandbox.serve(port=service.port) as again:
        assert again.url == f"http://127.0.0.1:{service.port}"


def test_a_sandbox_that_is_left_open_does_not_keep_python_from_ending():
    """Its thread has ended by the time at which Python deletes what is left, which may close the sandbox."""
    lines = [
        "from suburb_pandas import sandbox",
        "class Study:",
        "    service = sandbox.serve()",
        "    def __del__(self):",
        "        self.service.close()",
        "study = Study()",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")


def test_waiting_ends_when_the_sandbox_is_closed(service):
    """`Sandbox.wait` returns when another thread closes the sandbox."""
    waiting = threading.Thread(target=service.wait)
    waiting.start()
    service.close()
    waiting.join(5)
    assert not waiting.is_alive()


def test_the_server_is_quiet(service, capfd):
    """The server prints nothing, even if a client disconnects during a response."""
    service.fail("slow_body", seconds=0.2)
    with pytest.raises(requests.RequestException):
        requests.get(service.url + RENT, headers=FREE, timeout=0.01).json()
    time.sleep(0.3)
    service.close()
    assert capfd.readouterr() == ("", "")
