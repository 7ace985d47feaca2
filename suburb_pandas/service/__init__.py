"""The service's specification as code, one file for each endpoint, and the registry of the endpoints.

Owns paths, prices, decoders, statuses, and the types that describe a call and its response.
Leaves calls to http, storing responses to store, and frames to loaders. It does not import pandas.
Every folder from cassettes, http and store upwards may import it; it may import timeseries and the folders below.
"""

from __future__ import annotations

from typing import Final

from suburb_pandas.service import geocode, impacts, rent
from suburb_pandas.service.endpoint import Endpoint, check

ENDPOINTS: Final[dict[str, Endpoint]] = {}
"""Every endpoint by its name. To add one, write a file like rent.py or impacts.py, and name it in the last lines."""

COMPOSITES: Final[dict[str, tuple[str, ...]]] = {"impact_summary": ("impacts",), "scorecard": ("rent", "impacts")}
"""The loaders that have no endpoint of their own, with the endpoints whose responses they combine."""


def register(endpoint: Endpoint) -> None:
    """Add an endpoint to the registry, after checking its record and decoding its sample.

    Raises
    ------
    ValueError
        The endpoint is not complete, or has the name or the path of another one. It is refused here, before anything is
        paid for. The error names the field, and what is expected.
    """
    check(endpoint, ENDPOINTS.values())
    ENDPOINTS[endpoint.name] = endpoint


def endpoints_of(loader: str) -> tuple[str, ...]:
    """Return the endpoints whose responses a loader or endpoint of this name needs; none for any other name."""
    return COMPOSITES.get(loader, (loader,) if loader in ENDPOINTS else ())


for _endpoint in (rent.ENDPOINT, impacts.ENDPOINT, geocode.ENDPOINT):
    register(_endpoint)
