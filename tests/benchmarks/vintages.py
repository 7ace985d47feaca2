"""Measures a store after a year of weekly refreshes: ``python -m tests.benchmarks.vintages``. Not a test.

Each week has a point more for each property type, and one in five of the last eight points is revised. One store is
filled as purchases fill it. The other one is as version 0.1.0 left it before it compressed anything, and is measured
before and after `Client.vacuum`.
"""

import json
import random
import shutil
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store.store import Store
from tests.benchmarks.clock import seconds, side_by_side
from tests.benchmarks.nation import NAMES, URL, body_of
from tests.benchmarks.tables import head, row
from tests.support.older import add, store_of_0_1_0
from tests.support.stored import put

WEEKS = 52
NAMESPACE = Namespace("sandbox", URL)
COLUMNS = ("bought now", "bought by version 0.1.0", "after `Client.vacuum`")
ACTIONS = {
    "rents of one suburb, ms": lambda names, client: sp.rent(names[0], client=client),
    "rents of all, ms": lambda names, client: sp.rent(names, client=client),
    "revisions of one suburb, ms": lambda names, client: sp.revisions(names[0], client=client),
}


def bodies_of(name, weeks=WEEKS):
    """Yield the body of each week, oldest first."""
    whole = json.loads(body_of(name))
    rng = random.Random(f"{name} revised")
    for week in range(weeks):
        for kind in ("house", "unit"):
            points = whole["data"][kind]
            for point in points[: len(points) - weeks + week + 1][-8:]:
                point["value"] += rng.choice((-5.0, 5.0)) if rng.random() < 0.2 else 0.0
        shown = {kind: whole["data"][kind][: len(whole["data"][kind]) - weeks + week + 1] for kind in ("house", "unit")}
        yield json.dumps({"data": whole["data"] | shown}, separators=(",", ":")).encode()


def fill(path, names):
    """Store a year of responses, and return the seconds that storing took."""
    store, took = Store(path), 0.0
    for week in zip(*map(bodies_of, names), strict=True):
        items = {Item("rent", name): body for name, body in zip(names, week, strict=True)}
        took += seconds(put, store, NAMESPACE, items)
    store.close()
    return took


def fill_older(path, names):
    """Store the same responses as version 0.1.0 did."""
    store_of_0_1_0(path)
    for name in names:
        add(path, name, *bodies_of(name), namespace=(NAMESPACE.source, URL))


def measure(n_suburbs):
    """Print a table of the stores."""
    names = NAMES[:n_suburbs]
    with TemporaryDirectory() as folder:
        paths = {kind: Path(folder, kind) for kind in ("new", "older", "vacuumed")}
        storing = fill(paths["new"], names)
        fill_older(paths["older"], names)
        shutil.copy(paths["older"], paths["vacuumed"])
        with sp.Client(api_key="test", base_url=URL, store=paths["vacuumed"]) as client:
            vacuuming = seconds(client.vacuum)
        sizes = [path.stat().st_size for path in paths.values()]
        times = reading_times(list(paths.values()), names)
    head(f"{n_suburbs * WEEKS:,} responses of {n_suburbs} suburbs", *COLUMNS)
    row("size, MB", *(f"{size / 1e6:.1f}" for size in sizes))
    row("storing a week; vacuum, s", f"{storing / WEEKS:.3f}", "", f"{vacuuming:.1f}")
    for what, found in times.items():
        row(what, *(f"{1000 * took:.1f}" for took in found))


def reading_times(paths, names):
    """Return the seconds that each action takes with each store."""
    with ExitStack() as stack:
        clients = [stack.enter_context(sp.Client(api_key="test", base_url=URL, store=path)) for path in paths]
        times = {}
        for what, action in ACTIONS.items():
            works = [partial(action, names, client) for client in clients]
            side_by_side(works, 1)
            times[what] = side_by_side(works)
        return times


if __name__ == "__main__":
    measure(300)
