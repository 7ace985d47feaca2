"""Sees whether http.client prints the headers of each call, the API key among them. Refusing is left to purchasing."""

from __future__ import annotations

import http.client

from urllib3.connection import HTTPConnection, HTTPSConnection


def level_that_prints_headers() -> str | None:
    """Return the name of the setting that makes http.client print headers; None if none does.

    urllib3's classes inherit the level of http.client, and can have one of their own.
    """
    kinds = (http.client.HTTPConnection, HTTPConnection, HTTPSConnection)
    return next((f"{kind.__module__}.{kind.__name__}.debuglevel" for kind in kinds if kind.debuglevel), None)
