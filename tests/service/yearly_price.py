"""A made-up endpoint of a known shape: a yearly series of prices, at 20 cents a call, with its loader."""

from suburb_pandas.loaders.loaders import load_frame
from suburb_pandas.loaders.options import Options
from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.service.series import SERIES
from tests.support.odd_responses import points, series_body

PRICES = {"2023-12-31": 800_000.0, "2024-12-31": 850_500.0, "2025-12-31": 901_250.5}
"""Made-up median prices of houses, AUD; units cost half."""


def body_about(name):
    """Return the body of a response about a suburb."""
    house = points(PRICES.values(), PRICES)
    return series_body(name, house=house, unit=[{**point, "value": point["value"] / 2} for point in house])


ENDPOINT = Endpoint(
    **SERIES,
    name="yearly_price",
    path="/v1/suburbs/{}/market/yearly-median-price",
    cents=20,
    unit="AUD",
    noun="yearly prices",
    title="Yearly prices",
    citation="yearly median prices of",
    axis_label="Median price",
    sample=body_about("Lantern Bay (NSW)"),
)


def yearly_price(suburbs, **options):
    """Load yearly prices, as `sp.rent` loads rents."""
    return load_frame("yearly_price", suburbs, Options(**options))
