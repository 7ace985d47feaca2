"""The sandbox as a running server on loopback, and the handle that tests and the package hold it by.

Owns sockets, threads and their end. What is answered is `app`. Werkzeug reads the requests; its own way of
answering is not used, because it closes the connection after every answer, and clients keep theirs open.
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

from suburb_pandas.sandbox.accounts import Seen
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
    """Werkzeug's server asks for a WSGI app; `_Handler` answers without one."""
    raise NotImplementedError


class _Handler(WSGIRequestHandler):
    """One connection: HTTP/1.1, kept open, and silent."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Server"

    def run_wsgi(self) -> None:
        """Answer one request."""
        self._drain()
        try:
            environ = self.make_environ()
        except ValueError:  # a target that is no URL, as http://[ is not
            self.send_error(HTTPStatus.BAD_REQUEST)
        else:
            self._deliver(self.server.service.respond(environ))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not HTTP in the same way as all else."""
        self.close_connection = True
        self._deliver(Outcome(error("", int(code), explain or message or "Bad Request")))

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - Werkzeug's name
        """Say nothing: a notebook is no place for a server's log."""

    def _deliver(self, outcome: Outcome) -> None:
        if self.close_connection:
            outcome = replace(outcome, answer=outcome.answer.with_headers({"Connection": "close"}))
        bodiless = getattr(self, "command", None) == "HEAD"
        if not deliver(outcome, self.wfile.write, bodiless=bodiless):
            self.close_connection = True

    def _drain(self) -> None:
        """Read away a body that no endpoint wants, so that it is not taken for the next request."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal() or int(length) > _MOST_BODY:
            self.close_connection = True
        else:
            self.rfile.read(int(length))


class _Server(ThreadedWSGIServer):
    """A thread for each connection, and a list of those that are open."""

    def __init__(self, service: App, port: int) -> None:
        self.service = service
        self.open: WeakSet[socket.socket] = WeakSet()
        # Bound here, because Werkzeug prints and exits the process where a port is taken.
        with socket.create_server((HOST, port), backlog=_BACKLOG) as listener:
            super().__init__(HOST, port, _not_used, _Handler, fd=listener.fileno())

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection while it lasts."""
        self.open.add(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """Close every open connection, so that no kept-alive client is served after the end."""
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class Sandbox:
    """A running sandbox: its address, what it counted, what is to go wrong. Close it, or use it with ``with``.

    Parameters
    ----------
    app
        The service to run.
    port
        Where to listen on 127.0.0.1; 0 takes a free port.
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
        """Stop listening and hang up on every client."""
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
        """The port it listens on."""
        return self._server.port

    @property
    def url(self) -> str:
        """Its base URL: ``"http://127.0.0.1:PORT"``."""
        return f"http://{HOST}:{self.port}"

    @property
    def served(self) -> Counter[tuple[str, str]]:
        """Calls that got as far as billing, free or not, by endpoint and name (of geocode: the query).

        A call whose answer a fault then spoils or drops is among them.
        """
        return self._app.accounts.served()

    @property
    def billed(self) -> Counter[tuple[str, str]]:
        """Cents billed, by endpoint and name. Calls under the free keys are not in it."""
        return self._app.accounts.billed()

    @property
    def total_cents(self) -> int:
        """All cents billed."""
        return self.billed.total()

    @property
    def requests(self) -> tuple[Seen, ...]:
        """Every request, in the order they were answered, but for those of the tally."""
        return self._app.accounts.seen()

    @property
    def most_at_once(self) -> int:
        """The most requests that were in hand at one time."""
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
        """Have the next requests that match meet a fault.

        Parameters
        ----------
        fault
            One of `Fault`, or its name: ``"malformed_json"``.
        name, endpoint
            Only for that suburb (of geocode: that query), only for ``rent``, ``impacts`` or ``geocode``;
            None for any.
        times
            How many requests; None for all from now on.
        seconds
            How long it takes, if it is one of ``latency``, ``slow_body``, ``slow_headers``.
        """
        self._app.script.add(FaultCue(name, endpoint, times, Fault(fault), seconds))

    def release(self) -> None:
        """Answer at once what ``latency`` holds back, and hold nothing back from now on."""
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
        """Have the service say something of a test's own, for a known name or any other.

        Parameters
        ----------
        name, endpoint
            Which calls: a suburb (of geocode: a query), and ``rent``, ``impacts`` or ``geocode``.
        status, body
            What is answered.
        headers
            Headers to add or replace; None as a value leaves the header out, even the mark of made-up data.
        billed
            Whether it is counted, paid for and carries metering headers. None: if the status is 200.
        times
            How many requests; None for all from now on.
        """
        charged = status == HTTPStatus.OK if billed is None else billed
        self._app.script.add(CannedAnswer(name, endpoint, times, status, body, headers or {}, charged))

    def clear(self) -> None:
        """Forget all that `fail` and `answer` have written; the counts stay."""
        self._app.script.clear()
