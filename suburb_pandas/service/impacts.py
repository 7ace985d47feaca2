"""The impacts endpoint: the price premiums of sales without an amenity nearby, over comparable sales with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.service.envelope import Envelope, Missing, Whole, check_subject, decode


class Driver(msgspec.Struct, frozen=True, gc=False):
    """A PoiImpactDriver: the premium of sales without one amenity nearby."""

    label: str
    coverage_pct: float
    premium_dollars: Whole
    pct_of_median: float
    detail: str


class Impacts(msgspec.Struct, frozen=True):
    """A LifestylePoiImpacts: the drivers of one suburb, largest premium first."""

    area_name: str
    area_level: Literal["suburb"]
    n_sales: Whole
    median_price: Whole
    total_premium: Whole
    drivers: tuple[Driver, ...]


_DECODER = msgspec.json.Decoder(Envelope[Impacts])


def decode_impacts(body: bytes, name: str) -> Impacts | Missing:
    """Decode an impacts response and check that it is about the suburb `name`.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    found = decode(_DECODER, body, name)
    if isinstance(found, Impacts):
        check_subject(found.area_name, name)
    return found


def _totals(impacts: Impacts) -> Mapping[str, int]:
    """Return the totals of a suburb, for the attrs of its frame, as integers. The decoder has read them as floats."""
    fields = ("n_sales", "median_price", "total_premium")
    return {field: int(getattr(impacts, field)) for field in fields}


def _sales_by_suburb(impacts: Mapping[str, Impacts]) -> Mapping[str, Any]:
    return {"n_sales_by_suburb": {name: int(payload.n_sales) for name, payload in impacts.items()}}


ENDPOINT: Final = Endpoint(
    name="impacts",
    path="/v1/suburbs/{}/lifestyle/poi-impacts",
    cents=10,
    decode=decode_impacts,
    shape="rows",
    columns={
        "label": "str",
        "coverage_pct": "float64",
        "premium_dollars": "int64",
        "pct_of_median": "float64",
        "detail": "str",
    },
    unit="AUD",
    noun="impacts",
    title="Amenity price impacts",
    citation="amenity price impacts of",
    records=lambda impacts: impacts.drivers,
    attrs_of_one=_totals,
    attrs_of_many=_sales_by_suburb,
    sample_name="Lantern Bay (NSW)",
    sample=b"""{"data": {"area_name": "Lantern Bay (NSW)", "area_level": "suburb", "n_sales": 64,
        "median_price": 910000, "total_premium": 37310,
        "drivers": [{"label": "no petrol station nearby", "coverage_pct": 100.0,
        "premium_dollars": 37310, "pct_of_median": 4.1, "detail": "Made-up data."}]}}""",
)
