"""Writes the path of a call, and reads the item and the host of a call from its URL."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from suburb_pandas.names import sal
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.endpoint import Endpoint


def path_of(item: Item) -> str:
    """Return the path and query of the call that asks for an item."""
    path = ENDPOINTS[item.endpoint].path.format(sal.encode(item.area_name))
    return f"{path}&state={item.state}" if item.state else path


def item_of(url: str) -> Item | None:
    """Return the item that a URL asks for, on any host; None if it is not a call of this service.

    >>> item_of("https://example.org/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts")
    Item(endpoint='impacts', area_name='Quokka Bay', state=None)
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # such as a bracket in the host
        return None
    found = (_match(endpoint, parts) for endpoint in ENDPOINTS.values())
    return next((item for item in found if item is not None and sal.is_name(item.area_name)), None)


@lru_cache(maxsize=128)  # the responses of a request come from one host
def host_of(url: str) -> str:
    """Return the host of a URL, with its port if it has one; empty if it has no host.

    >>> host_of("https://name:password@example.org:8443/v1")
    'example.org:8443'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # such as a bracket in the host
        return ""
    return f"{parts.hostname or ''}{port}"


def _match(endpoint: Endpoint, parts: SplitResult) -> Item | None:
    """Return the item that a URL asks this endpoint for; None if it is not a URL of this endpoint."""
    matched = _pattern(endpoint.path).fullmatch(parts.path)
    if matched is None:
        return None
    query = dict(parse_qsl(parts.query))
    if matched.re.groups:
        return Item(endpoint.name, unquote(matched[1])) if not parts.query else None
    if "q" in query and query.keys() <= {"q", "state"}:
        return Item(endpoint.name, query["q"], query.get("state"))
    return None


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of an endpoint's path without its query. The suburb name, if it is in the path, is a group."""
    return re.compile(".*" + re.escape(path.partition("?")[0]).replace(r"\{\}", "([^/]+)"))
