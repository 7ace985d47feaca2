"""Writes the path of a call, and reads the item and the host of a call from its URL."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from suburb_pandas.names import sal
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item


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
    given = dict(parse_qsl(parts.query))
    for endpoint in ENDPOINTS.values():
        path = re.escape(endpoint.path.partition("?")[0]).replace(r"\{\}", "([^/]+)")
        found = re.fullmatch(f".*{path}", parts.path)
        if found is None:
            continue
        if endpoint.takes_a_query:
            item, others = Item(endpoint.name, given.get("q", ""), given.get("state")), {*given} - {"q", "state"}
        else:
            item, others = Item(endpoint.name, unquote(found[1])), {*given}
        if not others and sal.is_name(item.area_name):
            return item
    return None


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
