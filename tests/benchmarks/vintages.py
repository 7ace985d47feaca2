"""The size of a store after a year of weekly refreshes: ``python -m tests.benchmarks.vintages``. Not a test.

Each week has a point more for each property type, and one in five of the last eight points is revised. The store is
filled twice: without the compression of older responses, and with it.
"""

import json
import random
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import suburb_pandas as sp
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response, utc_now
from suburb_pandas.store import calls_table
from suburb_pandas.store.store import Store
from tests.benchmarks.clock import side_by_side
from tests.benchmarks.nation import NAMES, URL, body_of
from tests.benchmarks.tables import head, row

WEEKS = 52
NAMESPACE = Namespace("sandbox", URL)
_HEADERS = {"x-request-id": "req_0123456789abcdef", "content-type": "application/json", "date": "Mon, 23 Nov 2026"}


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


def store_week(store, bodies):
    """Store a response for each suburb, as its call does."""
    for name, body in bodies.items():
        store.database.commit(lambda connection, name=name, body=body: _store(connection, name, body))


def _store(connection, name, body):
    call = connection.execute(
        "insert into call (at, source, base_url, endpoint, area_name, outcome, cents) "
        "values (?, ?, ?, 'rent', ?, 'sent', 0)",
        (utc_now(), NAMESPACE.source, NAMESPACE.base_url, name),
    ).lastrowid
    response = Response.of(body, _HEADERS, utc_now(), 0, NAMESPACE.source)
    calls_table.end(connection, call, CallOutcome("billed", 0, 200, "req"), response, None)


def fill(path, names, *, compress):
    """Store a year of responses, and read each week's as a request does; return the seconds of storing and compressing.

    Reading the newest responses fills the cache of decoded columns.
    """
    store, weeks = Store(path), zip(*(bodies_of(name) for name in names), strict=True)
    items = [Item("rent", name) for name in names]
    storing = compressing = 0.0
    for number, week in enumerate(weeks):
        began = time.perf_counter()
        store_week(store, dict(zip(names, week, strict=True)))
        storing += time.perf_counter() - began
        with sp.connect(api_key="test", base_url=URL, store=path):
            sp.rent(names)
        began = time.perf_counter()
        if compress and number:
            store.compress_older(NAMESPACE, items)
        compressing += time.perf_counter() - began
    store.close()
    return storing, compressing


def measure(n_suburbs):
    """Print a table of both stores."""
    names = NAMES[:n_suburbs]
    with TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.sqlite") for name in ("plain", "small")}
        times = {name: fill(path, names, compress=name == "small") for name, path in paths.items()}
        rows = {
            "size, MB": {name: f"{path.stat().st_size / 1e6:.1f}" for name, path in paths.items()},
            "storing a week, s": {name: f"{storing / WEEKS:.3f}" for name, (storing, _) in times.items()},
            "compressing a week, s": {name: f"{more / WEEKS:.3f}" for name, (_, more) in times.items()},
        }
        with ExitStack() as stack:
            clients = {
                name: stack.enter_context(sp.Client(api_key="test", base_url=URL, store=path))
                for name, path in paths.items()
            }
            actions = {
                "rents of one suburb, ms": lambda client: sp.rent(names[0], client=client),
                "rents of all, ms": lambda client: sp.rent(names, client=client),
                "revisions of one suburb, ms": lambda client: sp.revisions(names[0], client=client),
                "rents of all as in the third week, ms": lambda client: sp.rent(
                    names, retrieved_by=sp.vintages(names[-1], client=client)["retrieved_at"].iloc[2], client=client
                ),
            }
            for what, action in actions.items():
                works = [partial(action, client) for client in clients.values()]
                side_by_side(works, 1)
                rows[what] = {
                    name: f"{1000 * took:.1f}" for name, took in zip(clients, side_by_side(works), strict=True)
                }
    head(f"{n_suburbs * WEEKS:,} responses of {n_suburbs} suburbs", "not compressed", "compressed")
    for what, found in rows.items():
        row(what, found["plain"], found["small"])


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
