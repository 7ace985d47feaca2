"""A made-up endpoint of a new shape: monthly counts of sales by category, at 15 cents a call, with its loader."""

import json
from typing import NamedTuple

import msgspec

from suburb_pandas.loaders.loaders import load_frame
from suburb_pandas.loaders.options import Options
from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.service.envelope import Envelope, decoder_of


class Counts(msgspec.Struct, frozen=True):
    """The counts of one suburb: for each category, a list of a count for each month."""

    area_name: str
    months: tuple[str, ...]
    categories: dict[str, tuple[int, ...]]


class MonthlyCount(NamedTuple):
    """One row of the frame."""

    month: str
    category: str
    count: int


def rows_of(counts):
    """Return a row for each month and category."""
    return [
        MonthlyCount(month, category, count)
        for category, several in counts.categories.items()
        for month, count in zip(counts.months, several, strict=True)
    ]


def body_about(name, first=3):
    """Return the body of a response about a suburb, with this count of houses in the first month."""
    data = {"area_name": name, "months": ["2026-01", "2026-02"], "categories": {"houses": [first, 5], "units": [0, 2]}}
    return json.dumps({"data": data}).encode()


ENDPOINT = Endpoint(
    name="monthly_counts",
    path="/v1/suburbs/{}/market/monthly-counts",
    cents=15,
    decode=decoder_of(Envelope[Counts]),
    shape="rows",
    columns={"month": "datetime64", "category": "str", "count": "int64"},
    unit={"count": "sales"},
    noun="monthly counts",
    title="Monthly counts",
    citation="monthly counts of",
    records=rows_of,
    keys=("month", "category"),
    sample=body_about("Lantern Bay (NSW)"),
)


def monthly_counts(suburbs, **options):
    """Load monthly counts, as `sp.impacts` loads drivers."""
    return load_frame("monthly_counts", suburbs, Options(**options))
