"""The service's specification as code, one file for each endpoint, and the registry of the endpoints.

Owns paths, prices, decoders, statuses, and the words for a call and its response.
Makes no call (http), keeps nothing (store), builds no frame (loaders) and does not import pandas.
Every folder from cassettes, http and store upwards may import it; it imports timeseries and below.
"""

from __future__ import annotations

from typing import Final

from suburb_pandas.service import geocode, impacts, rent
from suburb_pandas.service.endpoint import Endpoint, check

ENDPOINTS: Final[dict[str, Endpoint]] = {}
"""Every endpoint by its name. A new endpoint is a file beside the others, and a line below."""

COMPOSITES: Final = {"impact_summary": ("impacts",), "scorecard": ("rent", "impacts")}
"""Lookups that are made of other endpoints' responses, with the endpoints that they need."""


def register(endpoint: Endpoint) -> None:
    """Add an endpoint, after decoding its own sample.

    Raises
    ------
    ValueError, ContractViolation
        The endpoint is half finished. It fails here, before anything is paid for.
    """
    check(endpoint)
    ENDPOINTS[endpoint.name] = endpoint


def endpoints_of(lookup: str) -> tuple[str, ...]:
    """Return the endpoints whose responses a lookup needs; none for a name that is not a lookup."""
    return COMPOSITES.get(lookup, (lookup,) if lookup in ENDPOINTS else ())


for _endpoint in (rent.ENDPOINT, impacts.ENDPOINT, geocode.ENDPOINT):
    register(_endpoint)
