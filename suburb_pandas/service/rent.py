"""The rent endpoint: the history of advertised median weekly rents of a suburb, for houses and for units."""

from __future__ import annotations

from typing import Final

from suburb_pandas.service.endpoint import SERIES_COLUMNS, Endpoint
from suburb_pandas.service.series import decode_series

ENDPOINT: Final = Endpoint(
    name="rent",
    path="/v1/suburbs/{}/market/median-rent-series",
    cents=30,
    decode=decode_series,
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
