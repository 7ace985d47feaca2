"""Runs a service as a server on loopback.

Owns sockets, threads and shutting down. Responses are left to `service`.
Werkzeug only reads the requests. Its own responses would close every connection, but clients keep connections open.
"""

import selectors
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from weakref import WeakSet

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from suburb_pandas.sandbox.answers import Answer, error
from suburb_pandas.sandbox.service import Service, read

HOST = "127.0.0.1"


def _not_used(_environ: Any, _start_response: Any) -> Any:
    """Stand in for the WSGI app that Werkzeug's server requires; `_Handler` answers without one."""
    raise NotImplementedError


class _Handler(WSGIRequestHandler):
    """One HTTP/1.1 connection, kept open between requests."""

    protocol_version = "HTTP/1.1"
    server: "Sandbox"

    def run_wsgi(self) -> None:
        """Answer one request."""
        # A body is not taken for the next request: it is read, or the connection is closed.
        self.close_connection |= "Transfer-Encoding" in self.headers
        try:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = read(self.make_environ())
        except (ValueError, OverflowError):  # a length that no body has, or an invalid URL such as http://[
            self.send_error(HTTPStatus.BAD_REQUEST)
        else:
            self._send(self.server.service.respond(request))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer invalid HTTP with the sandbox's own headers, rather than Werkzeug's."""
        self.close_connection = True
        self._send(error("", code, explain or message or "Bad Request"))

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - Werkzeug's name
        """Discard the server's log, which would clutter notebooks."""

    def _send(self, answer: Answer) -> None:
        if self.close_connection:
            answer = answer.with_headers({"Connection": "close"})
        for piece in [answer.head()] if self.command == "HEAD" else answer.pieces():
            self.wfile.write(piece)


class Sandbox(ThreadedWSGIServer):
    """A running sandbox, with a thread for each connection. Close it, or use it with ``with``.

    Parameters
    ----------
    service
        The service to run.
    port
        The port to listen on; 0 takes a free one.
    """

    timeout: float | None = 0  # `handle_request` does not wait for a connection that is gone again

    def __init__(self, service: Service, port: int = 0) -> None:
        self.service = service
        self._open: WeakSet[socket.socket] = WeakSet()
        # Bound here, because Werkzeug exits the process if the port is taken.
        with socket.create_server((HOST, port), backlog=256) as listener:
            super().__init__(HOST, port, _not_used, _Handler, fd=listener.fileno())
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="suburb_pandas-sandbox", daemon=True)
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The base URL: ``"http://127.0.0.1:PORT"``."""
        return f"http://{HOST}:{self.port}"

    @property
    def total_cents(self) -> int:
        """The total of all cents billed. Calls under the free keys cost nothing."""
        return self.service.total_cents

    def close(self) -> None:
        """Stop listening, and close every connection."""
        if not self._thread.is_alive():
            return
        self._wake.send(b"!")
        self._thread.join(1)  # it never ends if the interpreter is ending and closes the sandbox in a `__del__`
        self.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def wait(self) -> None:
        """Serve until Ctrl-C, then close."""
        with suppress(KeyboardInterrupt):
            self._thread.join()
        self.close()

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002 - the base class passes both
        """Accept every connection, and remember it as open."""
        self._open.add(request)
        return True

    def _serve(self) -> None:
        with self._wake, self._woken, selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while self._woken not in [key.fileobj for key, _ in selector.select()]:
                self.handle_request()
