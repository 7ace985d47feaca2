"""Names the service, the suburbs that the key ``test`` covers, and the signs of made-up data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SERVICE: Final = "the Microburbs Property Data API v1"
"""The service's own name, for citations."""

MADE_UP_HEADER: Final = "x-made-up-data"
"""The header that the embedded sandbox puts on each of its responses."""

MADE_UP_URL: Final = "http://embedded.invalid"
"""The address under which made-up responses are stored and recorded; no such host can exist."""

SANDBOX_SUBURBS: Final = {
    "Belmont North": "NSW",
    "Bondi": "NSW",
    "St Kilda (Vic.)": "VIC",
    "Fortitude Valley": "QLD",
    "Subiaco": "WA",
    "Unley": "SA",
    "Sandy Bay": "TAS",
    "Kambah": "ACT",
    "Nightcliff": "NT",
}
"""The suburbs that the key ``test`` covers at the live service, with their states."""

EMBEDDED_TEST_SUBURBS: Final = (
    "Lantern Bay (NSW)",
    "Bilby Heights",
    "Kestrel Hill (Vic.)",
    "Mangrove Steps",
    "Saltbush Park",
    "Quokka Bay",
    "Leatherwood Bend",
    "Bogong Rise",
    "Spinifex Landing",
)
"""The suburbs that the key ``test`` covers at the embedded sandbox."""


def is_made_up(headers: Mapping[str, str], source: str) -> bool:
    """Return True if the header or the source of a response says that its data are made up."""
    return MADE_UP_HEADER in headers or source == "embedded"
