"""Keeps Python off the network; Python imports this module at start-up if its folder is on the path.

It installs an audit hook, which sees every socket and database that Python opens, whichever library opens it. The
hook does not see the connections between kernel and notebook, which ZeroMQ opens itself. If ``SEALED`` is in the
environment, loopback, listening sockets and SQLite are refused too, so that only a cassette can answer.
"""

import os
import sys

_SEALED = "SEALED" in os.environ
_LOOPBACK = ("127.", "localhost", "::1")
_IPYTHON = (":memory:", "history.sqlite")  # the databases of IPython's history


class BlockedError(RuntimeError):
    """An action that a notebook must not take. It is not an OSError, which would be retried as a network failure."""


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
