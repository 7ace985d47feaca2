"""Runs the sandbox as a server on loopback, and owns `Sandbox`, the handle of a running one.

Owns sockets, threads and shutting down. Responses are left to `app`, sending them to `adversary.delivery`.
Werkzeug only reads the requests. Its own responses would close every connection, but clients keep connections open.
"""

import socket
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from suburb_pandas.sandbox.accounts import LoggedRequest
from suburb_pandas.sandbox.adversary.delivery import deliver
from suburb_pandas.sandbox.adversary.faults import Fault
from suburb_pandas.sandbox.adversary.script import CannedAnswer, FaultCue
from suburb_pandas.sandbox.answers import error
from suburb_pandas.sandbox.app import App, Outcome

HOST = "127.0.0.1"

_BACKLOG = 256
_POLL_SECONDS = 0.03
_MOST_BODY = 1 << 20


def _not_used(_environ: Any, _start_response: Any) -> Any:
    """Stand in for the WSGI app that Werkzeug's server requires; `_Handler` answers without one."""
    raise NotImplementedError


class _Handler(WSGIRequestHandler):
    """One HTTP/1.1 connection, kept open between requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Server"

    def run_wsgi(self) -> None:
        """Answer one request."""
        self._drain()
        try:
            environ = self.make_environ()
        except ValueError:  # the target is not a valid URL, for example http://[
            self.send_error(HTTPStatus.BAD_REQUEST)
        else:
            self._deliver(self.server.service.respond(environ))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer invalid HTTP with the sandbox's own headers, rather than Werkzeug's."""
        self.close_connection = True
        self._deliver(Outcome(error("", int(code), explain or message or "Bad Request")))

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - Werkzeug's name
        """Discard the server's log, which would clutter notebooks."""

    def _deliver(self, outcome: Outcome) -> None:
        if self.close_connection:
            outcome = replace(outcome, answer=outcome.answer.with_headers({"Connection": "close"}))
        bodiless = getattr(self, "command", None) == "HEAD"
        if not deliver(outcome, self.wfile.write, bodiless=bodiless):
            self.close_connection = True

    def _drain(self) -> None:
        """Read and discard the request's body, so that it is not taken for the next request.

        A body whose end is unknown or far away is not read; the connection is closed instead.
        """
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal() or int(length) > _MOST_BODY:
            self.close_connection = True
        else:
            self.rfile.read(int(length))


class _Server(ThreadedWSGIServer):
    """A server with a thread for each connection, and a set of the open connections."""

    def __init__(self, service: App, port: int) -> None:
        self.service = service
        self.open: WeakSet[socket.socket] = WeakSet()
        # Bound here, because Werkzeug exits the process if the port is taken.
        with socket.create_server((HOST, port), backlog=_BACKLOG) as listener:
            super().__init__(HOST, port, _not_used, _Handler, fd=listener.fileno())

    def process_request(self, request: Any, client_address: Any) -> None:
        """Add the connection to the open ones, and serve it."""
        self.open.add(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """Shut every open connection down, so that no client is served after the sandbox is closed."""
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class Sandbox:
    """A running sandbox: its address, its counts, and the faults and responses that tests add to it.

    Close it, or use it with ``with``.

    Parameters
    ----------
    app
        The service to run.
    port
        The port to listen on; 0 takes a free one.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        self._app = app
        self._server = _Server(app, port)
        self._closed = False
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            args=(_POLL_SECONDS,),
            name="suburb_pandas-sandbox",
            daemon=True,
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, and close every connection."""
        if self._closed:
            return
        self._closed = True
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()

    def wait(self) -> None:
        """Serve until Ctrl-C, then close."""
        try:
            while self._thread.is_alive():
                self._thread.join(1)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    @property
    def port(self) -> int:
        """The port on which the sandbox listens."""
        return self._server.port

    @property
    def url(self) -> str:
        """The base URL: ``"http://127.0.0.1:PORT"``."""
        return f"http://{HOST}:{self.port}"

    @property
    def served(self) -> Counter[tuple[str, str]]:
        """The number of calls served, free or paid, by endpoint and name (for geocode: the query).

        A call counts from the time of its charge, even if a fault then spoils or drops its response.
        """
        return self._app.accounts.served()

    @property
    def billed(self) -> Counter[tuple[str, str]]:
        """The cents billed, by endpoint and name. Calls under the free keys are not included."""
        return self._app.accounts.billed()

    @property
    def total_cents(self) -> int:
        """The total of all cents billed."""
        return self.billed.total()

    @property
    def requests(self) -> tuple[LoggedRequest, ...]:
        """Every request except those for the tally, in the order of their responses."""
        return self._app.accounts.requests()

    @property
    def most_at_once(self) -> int:
        """The largest number of requests that were in progress at the same time."""
        return self._app.accounts.most_at_once()

    def fail(
        self,
        fault: str,
        *,
        name: str | None = None,
        endpoint: str | None = None,
        times: int | None = 1,
        seconds: float = 1.0,
    ) -> None:
        """Add a fault for the next matching calls.

        Parameters
        ----------
        fault
            A `Fault`, or its name, such as ``"malformed_json"``.
        name
            The suburb of the matching calls (for geocode: the query); None matches any.
        endpoint
            ``rent``, ``impacts`` or ``geocode``; None matches any.
        times
            The number of calls that get the fault; None for all from now on.
        seconds
            The duration of the fault if it is ``latency``, ``slow_body`` or ``slow_headers``, in seconds.
        """
        self._app.script.add(FaultCue(name, endpoint, times, Fault(fault), seconds))

    def release(self) -> None:
        """End every wait of a ``latency`` fault at once, now and from now on."""
        self._app.script.release()

    def answer(
        self,
        name: str,
        endpoint: str,
        *,
        status: int = 200,
        body: bytes = b"",
        headers: Mapping[str, str | None] | None = None,
        billed: bool | None = None,
        times: int | None = None,
    ) -> None:
        """Add a canned response, for a suburb of the sandbox or any other name.

        Of several that match a call, the newest is used.

        Parameters
        ----------
        name, endpoint
            The calls to answer: a suburb (for geocode: a query), and ``rent``, ``impacts`` or ``geocode``.
        status, body
            The status and the body of the response.
        headers
            Headers to add or replace; None as a value removes the header, even the mark of made-up data.
        billed
            True if the call is counted and charged, and its response has metering headers. None means True for
            status 200 and False for any other.
        times
            The number of calls to answer; None for all from now on.
        """
        charged = status == HTTPStatus.OK if billed is None else billed
        self._app.script.add(CannedAnswer(name, endpoint, times, status, body, headers or {}, charged))

    def clear(self) -> None:
        """Remove everything that `fail` and `answer` have added. The counts stay."""
        self._app.script.clear()
