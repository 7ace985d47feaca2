"""Runs a raw-socket server in front of the sandbox. It answers as the sandbox does, but breaks the wire at random."""

import contextlib
import http.client
import random
import re
import socket
import threading
import time
from functools import partial

from tests.support.processes import sandbox
from tests.support.raw_server import Server

LATE = 0.02
"""Seconds after which the server sends what nobody expects any more."""

_PAGE = b"<!doctype html><title>Made-up maintenance</title>"
_COST = re.compile(rb"X-Cost-Cents: (\d+)", re.IGNORECASE)


def _before(head):
    """Send a head, and the real answer a moment later."""

    def send(connection, answer, _body):
        connection.sendall(head + b"\r\n\r\n")
        time.sleep(LATE)
        connection.sendall(answer)

    return send


def _body(change):
    """Send a complete answer with another body."""

    def send(connection, answer, body):
        head, changed = answer[: len(answer) - len(body)], change(body)
        length = re.sub(rb"(?i)Content-Length: \d+", b"Content-Length: %d" % len(changed), head)
        connection.sendall(length + changed)

    return send


def _price(lines):
    """Send the answer with another price, or with several."""
    return lambda connection, answer, _: connection.sendall(_COST.sub(lines, answer, count=1))


def _twice(pause):
    """Send an answer, and again after a pause."""

    def send(connection, answer, _body):
        connection.sendall(answer)
        time.sleep(pause)
        connection.sendall(answer)

    return send


MORE_OR_LESS = {
    "103 first": _before(b"HTTP/1.1 103 Early Hints"),
    "102 first": _before(b"HTTP/1.1 102 Processing"),
    "204 first": _before(b"HTTP/1.1 204 No Content"),
    "304 first": _before(b"HTTP/1.1 304 Not Modified"),
    "empty first": _before(b"HTTP/1.1 200 OK\r\nContent-Length: 0"),
    "twice": _twice(0),
    "twice, late": _twice(LATE),
}
"""Connections that carry more or less than one answer."""

UNREADABLE = {
    "maintenance page": _body(lambda _: _PAGE),
    "other format": _body(lambda body: b'{"result": ' + body + b"}"),
    "cut JSON": _body(lambda body: body[: len(body) // 2]),
}
"""Complete answers that cannot be read."""

PRICES = {
    "price 1e3": _price(b"X-Cost-Cents: 1e3"),
    "price below zero": _price(rb"X-Cost-Cents: -\1"),
    "empty price": _price(b"X-Cost-Cents: "),
    "huge price": _price(b"X-Cost-Cents: 99999999999999999999"),
    "price with zeros": _price(rb"X-Cost-Cents: \1.0"),
    "two prices": _price(rb"X-Cost-Cents: \1, 1"),
    "price sent twice": _price(rb"X-Cost-Cents: \1\r\nX-Cost-Cents: 1"),
}
"""Prices that are odd or cannot be read. None of those that can be read is less than what is charged."""

FAULTS = MORE_OR_LESS | UNREADABLE | PRICES


class Wire(Server):
    """A server on loopback that passes requests on to a sandbox, and some of its answers back with a fault.

    Parameters
    ----------
    sandbox
        The port of the sandbox.
    faults
        The names of the faults to draw from.
    rate
        The share of answers with a fault, from 0 to 1.
    seed
        The seed of the random faults.
    """

    def __init__(self, sandbox, faults, rate, seed):
        self._sandbox, self._faults, self._rate = sandbox, sorted(faults), rate
        self._chance, self._lock = random.Random(seed), threading.Lock()
        super().__init__(handle=None)

    def _answer(self, connection):
        """Answer each request of a connection, instead of passing the connection to a handler."""
        behind = http.client.HTTPConnection("127.0.0.1", self._sandbox)
        with connection, contextlib.closing(behind), contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while request := self._read(connection):
                head, body = self._ask(behind, request)
                self._draw(body)(connection, head + body, body)

    def _read(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            piece = connection.recv(65536)
            if not piece:
                return b""
            request += piece
        return request

    def _ask(self, behind, request):
        """Return the head and the body of the sandbox's answer to a request."""
        first, *lines = request.decode("latin-1").rstrip("\r\n").split("\r\n")
        behind.request("GET", first.split()[1], headers=dict(line.split(": ", 1) for line in lines))
        response = behind.getresponse()
        body = response.read()
        head = [f"HTTP/1.1 {response.status} {response.reason}", *(f"{k}: {v}" for k, v in response.getheaders())]
        return "\r\n".join([*head, "", ""]).encode("latin-1"), body

    def _draw(self, body):
        """Return how an answer is sent. An answer without data is not sent late again."""
        with self._lock:
            fault = self._chance.choice(self._faults) if self._chance.random() < self._rate else None
        late_without_data = fault == "twice, late" and b"area_name" not in body
        if fault is None or late_without_data:
            return lambda connection, answer, _: connection.sendall(answer)
        return FAULTS[fault]


def wire(faults, rate, seed=0, **options):
    """Run a sandbox and a wire with faults before it in a process of their own; yield a handle, as `sandbox` does."""
    return sandbox(in_front=partial(start, list(faults), rate, seed), **options)


def start(faults, rate, seed, sandbox_port):
    """Start a wire before a sandbox, and return its URL."""
    return Wire(sandbox_port, faults, rate, seed).url
