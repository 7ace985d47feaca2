"""Makes the amenity price impacts: the premiums of sales with no petrol station, pub or the like nearby.

Owns the drivers, the number of sales and the prices. Which suburbs are exceptions is left to `oddities`, the envelope
to `service`.
"""

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


@cache
def impacts(suburb: Suburb) -> dict[str, Any]:
    """Return the amenity price impacts of a suburb, in the form of the service's ``data``."""
    dice = Dice("impacts", suburb.name)
    n_sales = oddities.FEW_SALES.get(suburb.name, dice.between(18, 240))
    # A year's rent is roughly 3.3 to 4.5 per cent of the price.
    median = house_rent(suburb) * dice.between(1_150, 1_570) // 5_000 * 5_000
    drawn = _drawn(dice, suburb.name, n_sales, median)
    total = sum(premium for premium, _, _ in drawn)
    if not dice.one_in(2):  # less than the sum, because amenities overlap
        total = total * dice.between(70, 95) // 100
    return {
        "area_name": suburb.name,
        "area_level": "suburb",
        "n_sales": n_sales,
        "median_price": median,
        "total_premium": total,
        "drivers": [_driver(suburb.name, n_sales, median, one) for one in drawn],
        "made_up": True,
    }


def _drawn(dice: Dice, name: str, n_sales: int, median: int) -> list[tuple[int, str, int]]:
    """Draw three to six drivers, largest premium first: premium in dollars, label, and sales without the amenity.

    A premium is -1.8 to 6.4 per cent of the median, for at least a fifth of the sales.
    """
    if name == oddities.NO_DRIVERS:
        return []
    labels, wanted = list(LABELS), dice.between(3, 6)
    while len(labels) > wanted:
        labels.pop(dice.between(1, len(labels)) - 1)
    drawn = []
    for label in labels:
        holding = dice.between((n_sales + 4) // 5, n_sales)
        drawn.append((median * dice.between(-18, 64) // 100_000 * 100, label, holding))
    if name == oddities.NO_COVERAGE:
        drawn[-1] = (0, labels[-1], 0)
    drawn.sort(key=lambda one: (-one[0], one[1]))
    if name == oddities.FULL_COVERAGE:
        premium, label, _ = drawn[0]
        drawn[0] = (premium, label, n_sales)
    return drawn


def _driver(name: str, n_sales: int, median: int, drawn: tuple[int, str, int]) -> dict[str, Any]:
    """Build the driver object."""
    premium, label, holding = drawn
    share = _tenths(premium * 100, median)
    direction = "less" if premium < 0 else "more"
    return {
        "label": label,
        "coverage_pct": _tenths(holding * 100, n_sales),
        "premium_dollars": premium,
        "pct_of_median": share,
        "detail": (
            f"Made-up data: {holding} of {n_sales} recent sales in {name} had {label}, worth "
            f"AUD {abs(premium):,} {direction} than in comparable suburbs that have one: "
            f"{abs(share)}% of the median price of AUD {median:,}."
        ),
    }


def _tenths(amount: int, whole: int) -> float:
    """Divide, and round to one decimal. The rounding uses integers, so that every machine rounds alike."""
    sign = -1 if amount < 0 else 1
    return sign * ((abs(amount) * 20 + whole) // (2 * whole)) / 10
