"""The service's specification as code, one file for each endpoint, and the registry of the endpoints.

Owns paths, prices, decoders, statuses, and the types that describe a call and its response. `reading.read` decodes a
response, and `statuses.settle` says what a call cost.
Leaves calls to http, storing responses to store, and frames to loaders. Every folder from cassettes, http and store
upwards may import it; it imports names, redaction and the layers below, and not pandas.
Never guess what a response means: what cannot be trusted is an error, and the bytes stay as they came.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

from suburb_pandas.names import sal
from suburb_pandas.service import geocode, impacts, series
from suburb_pandas.service.calls import Item
from suburb_pandas.service.endpoint import Endpoint, check

ENDPOINTS: Final[dict[str, Endpoint]] = {}
"""Every endpoint by its name. To add one, write a file like impacts.py, or for a series a record like `RENT` in
series.py, and name it in the last lines."""

COMPOSITES: Final[dict[str, tuple[str, ...]]] = {"impact_summary": ("impacts",), "scorecard": ("rent", "impacts")}
"""The loaders that have no endpoint of their own, with the endpoints whose responses they use."""


def register(endpoint: Endpoint) -> None:
    """Add an endpoint to the registry, after checking its record and decoding its sample.

    Raises
    ------
    ValueError
        The endpoint is not complete, or has the name or the path of another one. It is refused here, before anything is
        paid for. The error names the field, and says what is expected.
    """
    check(endpoint, ENDPOINTS.values())
    ENDPOINTS[endpoint.name] = endpoint


def endpoints_of(loader: str) -> tuple[str, ...]:
    """Return the endpoints whose responses a loader or endpoint of this name needs; none for any other name."""
    return COMPOSITES.get(loader, (loader,) if loader in ENDPOINTS else ())


def path_of(item: Item) -> str:
    """Return the path and query of the call that asks for an item."""
    path = ENDPOINTS[item.endpoint].path.format(sal.encode(item.area_name))
    return f"{path}&state={item.state}" if item.state else path


def item_of(url: str) -> Item | None:
    """Return the item that a URL asks for, on any host; None if it is not a call of this service.

    >>> item_of("https://example.org/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts")
    Item(endpoint='impacts', area_name='Quokka Bay', state=None)
    """
    for endpoint in ENDPOINTS.values():
        path = re.escape(endpoint.path).replace(r"\{\}", "([^/?&#]+)")
        found = re.fullmatch(f"https?://[^?#]*{path}(?:&state=([A-Z]+))?", url)
        if found:
            name = (unquote_plus if endpoint.takes_a_query else unquote)(found[1])
            return Item(endpoint.name, name, found[2]) if sal.is_name(name) else None
    return None


for _endpoint in (series.RENT, impacts.ENDPOINT, geocode.ENDPOINT):
    register(_endpoint)
