"""What the tests on hostile services share: raw sockets that answer, and all that an error says."""

import base64
import contextlib
import pickle
import socket
import struct
import threading
import traceback
from urllib.parse import quote

import suburb_pandas as sp

KEY = "Tq7ZtR2xNb4LsVk9Wd3Yc8Hf0Ge5"
"""A key that does not begin as production keys do, so that it is found for itself alone."""

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

_RESET = struct.pack("ii", 1, 0)


class Server:
    """A socket on loopback, of which each connection is handled as is said; ``received`` is what came first by each."""

    def __init__(self, handle):
        self.handle, self.received = handle, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._answer, args=self.listener.accept()[:1], daemon=True).start()

    def _answer(self, connection):
        with connection, contextlib.suppress(OSError):
            self.received.append(connection.recv(65536))
            self.handle(connection)


def endless(piece, head=b""):
    """Give a handler that sends a piece for ever."""

    def handle(connection):
        connection.sendall(head)
        while True:
            connection.sendall(piece)

    return handle


def whole(body, *headers, status="200 OK"):
    """Give a handler that sends one answer with its length, and closes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return lambda connection: connection.sendall("\r\n".join(lines).encode("latin-1") + body)


def reset_after(*pieces):
    """Give a handler that sends some, and then resets the connection, where others would close it."""

    def handle(connection):
        for piece in pieces:
            connection.sendall(piece)
        reset(connection)

    return handle


def reset(connection):
    """Close a connection with an RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    connection.close()


def said_by(error):
    """Give all that an error says: what it and those behind it carry, and their traceback with all variables."""
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    said = ["".join(report.format())]
    while error is not None:
        said += [repr(error), str(vars(error)), pickle.dumps(error).decode("latin-1")]
        error = error.__cause__ or error.__context__
    return "\n".join(said)


def shows(secret, text):
    """Whether a text holds a secret as it is, percent-encoded, or in base64."""
    forms = [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()]
    return any(form.lower() in text.lower() for form in forms)


def only_call(client):
    """Give how the one call of a store ended, and for how many cents."""
    ((outcome, cents),) = sp.ledger(client=client)[["outcome", "cents"]].itertuples(index=False)
    return outcome, cents
