"""Makes the amenity price impacts: the premiums of sales with no petrol station, pub or the like nearby.

Owns the drivers, the number of sales and the prices. Which suburbs are exceptions is left to `oddities`, the envelope
to `app`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import Suburb
from suburb_pandas.sandbox.dice import Dice
from suburb_pandas.sandbox.series import house_rent

LABELS = (
    "no petrol station nearby",
    "no fast food outlet nearby",
    "no bottle shop nearby",
    "no pub nearby",
    "no car wash nearby",
    "no late-night shop nearby",
)


@dataclass(frozen=True)
class _Sales:
    """The recent sales of a suburb: its name, their number and their median price in dollars."""

    name: str
    n: int
    median: int


@cache
def impacts(suburb: Suburb) -> dict[str, Any]:
    """Return the amenity price impacts of a suburb, in the form of the service's ``data``."""
    dice = Dice("impacts", suburb.name)
    n_sales = oddities.FEW_SALES.get(suburb.name, dice.between(18, 240))
    sales = _Sales(suburb.name, n_sales, _median_price(dice, suburb))
    drivers = _drivers(dice, sales)
    return {
        "area_name": suburb.name,
        "area_level": "suburb",
        "n_sales": sales.n,
        "median_price": sales.median,
        "total_premium": _total(dice, drivers),
        "drivers": drivers,
        "made_up": True,
    }


def _median_price(dice: Dice, suburb: Suburb) -> int:
    """Draw a median price in dollars of which a year's rent is roughly 3.3 to 4.5 per cent."""
    return house_rent(suburb) * dice.between(1_150, 1_570) // 5_000 * 5_000


def _drivers(dice: Dice, sales: _Sales) -> list[dict[str, Any]]:
    """Draw three to six drivers, largest premium first."""
    if sales.name == oddities.NO_DRIVERS:
        return []
    labels, wanted = list(LABELS), dice.between(3, 6)
    while len(labels) > wanted:
        labels.pop(dice.between(1, len(labels)) - 1)
    drivers = [_driver(dice, sales, label) for label in labels]
    if sales.name == oddities.NO_COVERAGE:
        drivers[-1] = _described(sales, labels[-1], holding=0, premium=0)
    drivers.sort(key=lambda driver: (-driver["premium_dollars"], driver["label"]))
    if sales.name == oddities.FULL_COVERAGE:
        first = drivers[0]
        drivers[0] = _described(sales, first["label"], holding=sales.n, premium=first["premium_dollars"])
    return drivers


def _driver(dice: Dice, sales: _Sales, label: str) -> dict[str, Any]:
    """Draw one driver: a premium of -1.8 to 6.4 per cent of the median, for at least a fifth of the sales."""
    holding = dice.between((sales.n + 4) // 5, sales.n)
    premium = sales.median * dice.between(-18, 64) // 100_000 * 100
    return _described(sales, label, holding=holding, premium=premium)


def _described(sales: _Sales, label: str, *, holding: int, premium: int) -> dict[str, Any]:
    """Build the driver object for the `holding` sales to which it applies, with a premium in dollars."""
    share = _tenths(premium * 100, sales.median)
    direction = "less" if premium < 0 else "more"
    return {
        "label": label,
        "coverage_pct": _tenths(holding * 100, sales.n),
        "premium_dollars": premium,
        "pct_of_median": share,
        "detail": (
            f"Made-up data: {holding} of {sales.n} recent sales in {sales.name} had {label}, worth "
            f"AUD {abs(premium):,} {direction} than in comparable suburbs that have one: "
            f"{abs(share)}% of the median price of AUD {sales.median:,}."
        ),
    }


def _tenths(amount: int, whole: int) -> float:
    """Divide, and round to one decimal. The rounding uses integers, so that every machine rounds alike."""
    sign = -1 if amount < 0 else 1
    return sign * ((abs(amount) * 20 + whole) // (2 * whole)) / 10


def _total(dice: Dice, drivers: list[dict[str, Any]]) -> int:
    """Draw the combined premium: for half of the suburbs the sum, for the others less, because amenities overlap."""
    total: int = sum(driver["premium_dollars"] for driver in drivers)
    return total if dice.one_in(2) else total * dice.between(70, 95) // 100
