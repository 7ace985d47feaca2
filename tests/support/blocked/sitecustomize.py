"""Runs when a Python starts that has this folder on its path, and keeps that Python off the network.

By audit hooks: those see every way to a socket or a database that Python itself has, whoever imported what. The
kernel's own connections to the notebook are ZeroMQ's, and are not seen. ``SEALED`` in the environment refuses this
machine's own addresses, sockets that listen, and SQLite as well, so that a cassette alone can answer.
"""

import os
import sys

_SEALED = "SEALED" in os.environ
_LOOPBACK = ("127.", "localhost", "::1")
_IPYTHON = (":memory:", "history.sqlite")  # what it keeps its history in


class BlockedError(RuntimeError):
    """What a notebook must not do. No OSError: one would be taken for a network that is down, and tried again."""


def _is_allowed(host):
    host = host.decode() if isinstance(host, bytes) else host
    return not _SEALED and (host is None or host.startswith(_LOOPBACK))


def _watch(event, arguments):
    match event, arguments:
        case "socket.connect" | "socket.sendto" | "socket.sendmsg", (_, (host, *_)) if not _is_allowed(host):
            raise BlockedError(f"A notebook must not use the network: {event} to {host}.")
        case "socket.getaddrinfo" | "socket.gethostbyname", (host, *_) if not _is_allowed(host):
            raise BlockedError(f"A notebook must not use the network: {event} of {host}.")
        case "socket.bind", (_, (host, *_)) if _SEALED:
            raise BlockedError(f"The cassette alone answers: nothing may listen at {host}.")
        case "sqlite3.connect", (path,) if _SEALED and not str(path).endswith(_IPYTHON):
            raise BlockedError(f"The cassette alone answers: no store may be opened, as at {path}.")


sys.addaudithook(_watch)
