"""Makes up a nation with about as many suburbs as the real one: a response for each, and a store that holds them."""

import random
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store.store import Store
from tests.support.stored import put

SUBURBS = 15_350
NAMES = [f"Made-up {number:05}" for number in range(SUBURBS)]
URL = "http://127.0.0.1:9"  # nothing listens there, so a call for anything that is not stored fails

MONTHS = pd.date_range("2004-06-30", "2022-07-31", freq="ME").strftime("%Y-%m-%d").to_list()
WEEKS = ["2022-08-28", "2022-08-31", *pd.date_range("2022-09-04", "2026-04-26", freq="W").strftime("%Y-%m-%d")]


def body_of(name):
    """Return the body of a rent response: monthly points for years, then weekly ones, with values flat for weeks."""
    rng = random.Random(name)
    months = rng.randint(40, len(MONTHS))
    series = {"house": MONTHS[-months:] + WEEKS, "unit": MONTHS[-rng.randint(20, months) :] + WEEKS}
    return f'{{"data":{{"area_name":"{name}","area_level":"suburb",{_columns(series, rng)}}}}}'.encode()


def _columns(series, rng):
    return ",".join(f'"{kind}":[{",".join(_points(dates, rng))}]' for kind, dates in series.items())


def _points(dates, rng):
    level = rng.randint(200, 900)
    for date in dates:
        level += rng.choice((-3, -1, 2, 4)) if rng.random() < 0.1 else 0
        yield f'{{"date":"{date}","value":{level}.0}}'


@contextmanager
def stored(names=NAMES):
    """Connect to a store that holds the rents of these suburbs, with the cache of decoded columns filled as well."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite")
        fill(path, names)
        with sp.connect(api_key="test", base_url=URL, store=path):
            sp.rent(names)
            yield path


def fill(path, names):
    """Write responses to a store, as if they had been bought."""
    store, namespace = Store(path), Namespace("sandbox", URL)
    put(store, namespace, {Item("rent", name): body_of(name) for name in names})
    store.close()
