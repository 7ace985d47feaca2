"""The sandbox as a server: connections, threads and closing."""

import gc
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import requests

from suburb_pandas import sandbox
from tests.support.common import LIVE_KEY, wait_for

IMPACTS = "/v1/suburbs/Zamia/lifestyle/poi-impacts"


def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=30)


def ask(connection, method, path, *lines):
    """Make a request, and return the bytes that arrive first."""
    head = [f"{method} {path} HTTP/1.1", "Authorization: Bearer embedded", *lines, "", ""]
    connection.sendall("\r\n".join(head).encode())
    return connection.recv(65536)


def test_a_connection_serves_many_requests(service):
    """A connection stays open after responses, errors, and requests with a body. A response is sent in one piece.

    A second piece would wait for the delayed acknowledgement of the first.
    """
    with connect(service) as connection:
        assert ask(connection, "GET", IMPACTS).endswith(b"}")
        assert ask(connection, "GET", "/nowhere").startswith(b"HTTP/1.1 404 ")
        refusal = ask(connection, "POST", IMPACTS, "Content-Length: 4", "", "")
        assert (refusal.startswith(b"HTTP/1.1 405 "), b"\r\nAllow: GET\r\n" in refusal) == (True, True)
        assert ask(connection, "HEAD", IMPACTS).endswith(b"\r\n\r\n")
        assert ask(connection, "GET", IMPACTS).startswith(b"HTTP/1.1 200 ")


def test_a_wallet_is_never_overdrawn_by_callers_at_once():
    """Of concurrent calls, a wallet pays for as many as it can; the others get 402. Each has its own request id."""
    with sandbox.serve(wallet_cents=100) as service, ThreadPoolExecutor(8) as pool:
        get = partial(requests.get, headers={"Authorization": f"Bearer {LIVE_KEY}"}, timeout=30)
        answers = [*pool.map(get, [service.url + IMPACTS] * 40)]
        assert sorted(answer.status_code for answer in answers) == [200] * 10 + [402] * 30
        assert len({answer.headers["X-Request-Id"] for answer in answers if answer.ok}) == 10
        assert service.total_cents == 100


def test_closing_hangs_up(service):
    """A closed sandbox serves nobody, not even over a connection that was open before. Closing again does nothing."""
    with connect(service) as connection:
        ask(connection, "GET", IMPACTS)
        service.close()
        service.close()
        assert connection.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        connect(service)


@pytest.mark.filterwarnings("error")
def test_a_port_can_be_chosen_and_a_taken_one_is_an_error(service):
    """A port that is taken raises OSError, and leaves nothing open; once it is free, a sandbox can use it."""
    with pytest.raises(OSError, match="in use"):
        sandbox.serve(port=service.port)
    gc.collect()  # an open socket is a ResourceWarning
    service.close()
    with sandbox.serve(port=service.port) as again:
        assert again.url == f"http://127.0.0.1:{service.port}"


UNCLOSED = """
from suburb_pandas import sandbox
class Study:
    service = sandbox.serve()
    def __del__(self):
        self.service.close()
study = Study()
"""


def test_a_sandbox_that_is_left_open_does_not_keep_python_from_ending():
    """Its thread has ended by the time at which Python deletes what is left, which may close the sandbox."""
    done = subprocess.run([sys.executable, "-c", UNCLOSED], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_server_is_quiet(service, capfd):
    """The server prints nothing, even if a client disconnects during a response."""
    service.fail("slow_body", seconds=0.2)
    threads = {*threading.enumerate()}
    with connect(service) as connection:
        ask(connection, "GET", IMPACTS)
    wait_for(lambda: threads.issuperset(threading.enumerate()))
    assert len(service.requests) == 1
    assert capfd.readouterr() == ("", "")
