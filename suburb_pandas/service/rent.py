"""The rent endpoint: the history of advertised median weekly rents of a suburb, for houses and for units."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from suburb_pandas.service.endpoint import SERIES_COLUMNS, Endpoint
from suburb_pandas.service.envelope import Envelope, Missing, check_subject, decode
from suburb_pandas.service.series import PropertySeries, SentPoint, read_series


class _MedianRentSeries(msgspec.Struct, frozen=True):
    area_name: str
    area_level: Literal["suburb"]
    house: list[SentPoint] | None = None
    unit: list[SentPoint] | None = None


_DECODER = msgspec.json.Decoder(Envelope[_MedianRentSeries])


def decode_rent(body: bytes, name: str) -> PropertySeries | Missing:
    """Decode a rent response and check that it is about the suburb `name`.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    found = decode(_DECODER, body, name)
    if isinstance(found, Missing):
        return found
    check_subject(found.area_name, name)
    return read_series(found.area_name, found.house, found.unit, name)


ENDPOINT: Final = Endpoint(
    name="rent",
    path="/v1/suburbs/{}/market/median-rent-series",
    cents=30,
    decode=decode_rent,
    shape="series",
    columns=SERIES_COLUMNS,
    unit="AUD per week",
    noun="rents",
    title="Rents",
    citation="median rent series of",
    axis_label="Advertised median rent",
    sample_name="Lantern Bay (NSW)",
    sample=b"""{"data": {"area_name": "Lantern Bay (NSW)", "area_level": "suburb",
        "house": [{"date": "2022-07-31", "value": 629.0}, {"date": "2022-08-28", "value": 628.0}], "unit": null}}""",
)
