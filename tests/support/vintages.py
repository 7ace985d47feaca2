"""Makes responses about one suburb that differ from week to week, and replays them."""

import datetime as dt
import json
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.service.calls import Item
from tests.support.recorded import call, written

BAY = "Quokka Bay"
START = dt.date(2024, 1, 7)

dated = st.dictionaries(st.integers(0, 8), st.sampled_from([400.0, 500.0, 600.0]), max_size=6)
histories = st.lists(st.fixed_dictionaries({"house": dated, "unit": dated}), min_size=1, max_size=6)
"""Values by property type and week, for each of several responses."""


def rents(name, house, unit=None):
    """Return the body of a rent response with these values by date."""
    series = {
        kind: [{"date": str(date), "value": value} for date, value in sorted((points or {}).items())]
        for kind, points in (("house", house), ("unit", unit))
    }
    return json.dumps({"data": {"area_name": name, "area_level": "suburb", **series}}).encode()


def premiums(name, drivers, n_sales=100):
    """Return the body of an impacts response with these premiums by label."""
    rows = [
        {"label": label, "coverage_pct": 50.0, "premium_dollars": dollars, "pct_of_median": dollars / 10_000,
         "detail": "Made-up data."}
        for label, dollars in drivers.items()
    ]  # fmt: skip
    data = {"area_name": name, "area_level": "suburb", "n_sales": n_sales, "median_price": 1_000_000}
    return json.dumps({"data": {**data, "total_premium": sum(drivers.values()), "drivers": rows}}).encode()


def at(week):
    """Return the retrieval time of a vintage."""
    return f"{dt.date(2026, 1, 1) + dt.timedelta(7 * week)}T00:00:00+00:00"


def weeks(*values):
    """Return these values on Sundays in a row; None leaves one out."""
    dated = ((START + dt.timedelta(7 * number), value) for number, value in enumerate(values))
    return {date: value for date, value in dated if value is not None}


@contextmanager
def replayed(*bodies, endpoint="rent", others=()):
    """Replay responses about one suburb, each a week after the one before, and other calls.

    In the block, provenance does not try the responses that other tests of this process have used.
    """
    calls = [call(BAY, body=body, at=at(week))._replace(item=Item(endpoint, BAY)) for week, body in enumerate(bodies)]
    with TemporaryDirectory() as folder, patch.dict("suburb_pandas.client.provenance_log._used", clear=True):
        path = Path(folder, "vintages.yaml")
        path.write_bytes(written(*calls, *others))
        with sp.cassette(path):
            yield


def bodies_of(vintages):
    """Return the bodies of responses with these values by property type and week."""
    return [rents(BAY, *(weeks(*map(one[kind].get, range(9))) for kind in ("house", "unit"))) for one in vintages]
