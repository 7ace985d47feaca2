"""The impacts endpoint: the price premiums of sales without an amenity nearby, against comparable suburbs that have it.

It also owns the limits for few sales, and the checks for values of a response that cannot be true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import asdict, fields

from suburb_pandas.service.endpoint import Endpoint, Numbers
from suburb_pandas.service.envelope import Envelope, Whole, decoder_of


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


_ALL: Final = 100  # per cent
_HALF_A_TENTH: Final = 0.05  # per cent
_FLOAT_ERROR: Final = 1e-9
_TYPES: Final = {float: float, float | None: float, Whole: int, Whole | None: int}
_FIGURES: Final = {each.name: _TYPES[each.type] for each in fields(Driver) if each.type not in {str, str | None}}
"""The numbers of a driver, with their types in the specification."""

decode_impacts: Final = decoder_of(Envelope[Impacts])
"""Decodes an impacts response about a suburb; raises `ContractViolation` if it breaks the specification."""


class EvidencedDriver(Driver, frozen=True, gc=False, kw_only=True):
    """A driver with the numbers of sales without the amenity and with it, and the flag of the first number.

    The sales with the amenity have no flag, because the premium does not rest on them: it compares the others with
    comparable suburbs. The service does not tell how many sales those have.
    """

    n_absent: int | None
    n_present: int | None
    evidence: str | None


LIMITS: Final = {"thin": 10, "caution": 30}
"""The most sales for each flag.

The New South Wales government's Rent and Sales Report suppresses a median of 10 sales or fewer, and marks one of 30 or
fewer.
"""


def flag_of(sales: float | None) -> str | None:
    """Return ``thin`` up to 10 sales, ``caution`` up to 30, otherwise ``ok``; None for no possible number."""
    if sales is None or not sales >= 0:  # or it is NaN
        return None
    return next((flag for flag, most in LIMITS.items() if sales <= most), "ok")


def evidenced(impacts: Impacts) -> list[EvidencedDriver]:
    """Return the drivers of a suburb with their evidence."""
    drivers = []
    for driver in impacts.drivers:
        absent = present = None
        if impacts.n_sales >= 0 and 0 <= driver.coverage_pct <= _ALL:
            absent = round(driver.coverage_pct * impacts.n_sales / _ALL)
            present = int(impacts.n_sales) - absent
        drivers.append(EvidencedDriver(**asdict(driver), n_absent=absent, n_present=present, evidence=flag_of(absent)))
    return drivers


def impossible_values(impacts: Impacts, *_days: int) -> Iterator[str]:
    """Yield a phrase for each value that cannot be true: the field, the driver and what is wrong."""
    if impacts.n_sales < 0:
        yield f"n_sales of {impacts.n_sales:.0f}"
    for label, number in Counter(driver.label for driver in impacts.drivers).items():
        if number > 1:
            yield f"label {label!r}, {number} times"
    for driver in impacts.drivers:
        if not 0 <= driver.coverage_pct <= _ALL:
            yield f"coverage_pct of {driver.coverage_pct:g} for {driver.label!r}"
        if impacts.median_price > 0:
            share = _ALL * driver.premium_dollars / impacts.median_price
            # The percentage is rounded to a tenth; the premium and the median are rounded to a dollar each.
            rounding = _HALF_A_TENTH + (_ALL + abs(driver.pct_of_median)) / 2 / impacts.median_price
            if abs(share - driver.pct_of_median) > rounding * (1 + _FLOAT_ERROR):
                yield (
                    f"pct_of_median of {driver.pct_of_median:g} for {driver.label!r} (premium_dollars is {share:.1f} "
                    "per cent of median_price)"
                )


def _numbers(impacts: Impacts) -> Numbers:
    """Return the totals and the figures of each driver as the specification types them: integers are integers."""
    numbers: dict[tuple[str | None, str], float] = {(None, name): value for name, value in _totals(impacts).items()}
    for driver in impacts.drivers:
        for name, type_ in _FIGURES.items():
            if (value := getattr(driver, name)) is not None:  # a field that stored responses may lack
                numbers[driver.label, name] = type_(value)
    return numbers


def _totals(impacts: Impacts) -> Mapping[str, int]:
    """Return the totals of a suburb, for the attrs of its frame, as integers. The decoder has read them as floats."""
    return {name: int(getattr(impacts, name)) for name in ("n_sales", "median_price", "total_premium")}


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
        "n_absent": "Int64",
        "n_present": "Int64",
        "evidence": "str",
        "detail": "str",
    },
    unit={
        "coverage_pct": "per cent",
        "premium_dollars": "AUD",
        "pct_of_median": "per cent",
        "n_absent": "sales",
        "n_present": "sales",
    },
    noun="impacts",
    title="Amenity price impacts",
    citation="amenity price impacts of",
    records=evidenced,
    keys=("label",),
    numbers=_numbers,
    impossible_values=impossible_values,
    attrs_of_one=_totals,
    attrs_of_many=_sales_by_suburb,
    sample=b"""{"data": {"area_name": "Lantern Bay (NSW)", "area_level": "suburb", "n_sales": 64,
        "median_price": 910000, "total_premium": 37310,
        "drivers": [{"label": "no petrol station nearby", "coverage_pct": 100.0,
        "premium_dollars": 37310, "pct_of_median": 4.1, "detail": "Made-up data."}]}}""",
)
