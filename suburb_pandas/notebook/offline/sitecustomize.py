"""Keeps Python off the network; Python imports this module at start-up if its folder is on the path.

It installs an audit hook, which sees every socket that Python opens, whichever library opens it. Loopback is allowed:
the embedded sandbox is there. The hook does not see the connections between kernel and notebook, which ZeroMQ opens
itself.
"""

import sys
from ipaddress import ip_address
from typing import Any


class BlockedError(RuntimeError):
    """An action that a notebook must not take. It is not an OSError, which would be retried as a network failure."""


def _is_allowed(host: str | bytes | None) -> bool:
    host = host.decode() if isinstance(host, bytes) else host
    if host in {None, "", "localhost"}:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    match event, arguments:
        case "socket.connect" | "socket.sendto" | "socket.sendmsg", (_, (host, *_)) if not _is_allowed(host):
            raise BlockedError(f"There is no network here: {event} to {host}.")
        case "socket.getaddrinfo" | "socket.gethostbyname", (host, *_) if not _is_allowed(host):
            raise BlockedError(f"There is no network here: {event} of {host}.")


sys.addaudithook(_watch)
