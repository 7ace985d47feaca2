"""Runs servers that send any bytes over a plain socket, and collects everything that an error shows of a call."""

import base64
import contextlib
import pickle
import socket
import struct
import threading
import time
import traceback
from urllib.parse import quote

import suburb_pandas as sp

KEY = "Tq7ZtR2xNb4LsVk9Wd3Yc8Hf0Ge5"
"""A key without the prefix of production keys, so that only the key itself can be recognised and redacted."""

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

_RESET = struct.pack("ii", 1, 0)


class Server:
    """A server on loopback that passes each connection to `handle`. ``received`` has the first bytes of each.

    `wrap` makes the connection from its socket, for example with TLS.
    """

    def __init__(self, handle, wrap=contextlib.closing):
        self.handle, self.received, self.wrap = handle, [], wrap
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._answer, args=self.listener.accept()[:1], daemon=True).start()

    def _answer(self, accepted):
        with contextlib.suppress(OSError), self.wrap(accepted) as connection:
            self.received.append(connection.recv(65536))
            self.handle(connection)


def endless(piece, head=b"", pause=0):
    """Return a handler that sends a head and then the same piece for ever, after a pause of some seconds each time."""

    def handle(connection):
        connection.sendall(head)
        while True:
            time.sleep(pause)
            connection.sendall(piece)

    return handle


def whole(body, *headers, status="200 OK"):
    """Return a handler that sends one response with a Content-Length, and closes the connection."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return lambda connection: connection.sendall("\r\n".join(lines).encode("latin-1") + body)


def reset(connection):
    """Close a connection with an RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    connection.close()


def said_by(error):
    """Return everything that an error and its causes show: repr, attributes, pickle, traceback and local variables."""
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown = ["".join(report.format())]
    while error is not None:
        shown += [repr(error), str(vars(error)), pickle.dumps(error).decode("latin-1")]
        error = error.__cause__ or error.__context__
    return "\n".join(shown)


def shows(secret, text):
    """Return True if a text contains a secret as it is, percent-encoded or in base64, in upper or lower case."""
    forms = [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()]
    return any(form.lower() in text.lower() for form in forms)


def only_call(client):
    """Return the outcome and the cents of the only call in a store's ledger."""
    ((outcome, cents),) = sp.ledger(client=client)[["outcome", "cents"]].itertuples(index=False)
    return outcome, cents
