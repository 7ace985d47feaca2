"""Measures a call that is replayed from a cassette, beside plain vcrpy: ``python -m tests.benchmarks.replay``.

Not a test. The package also makes the frames; vcrpy hands out the bytes of the same file.
"""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
import vcr

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.service import path_of
from tests.benchmarks.clock import side_by_side
from tests.benchmarks.tables import head, row
from tests.support.processes import NAMES

SUBURBS = NAMES[:150]


def record(path):
    """Record the rents and impacts of the suburbs, and return the paths of the calls."""
    with sp.Client(api_key="embedded") as client, sp.cassette(path):
        sp.rent(SUBURBS, client=client)
        sp.impacts(SUBURBS, client=client)
    return [path_of(one.item) for one in vcr_yaml.read(path.read_bytes()).calls]


def singly():
    """Request each suburb alone."""
    for name in SUBURBS:
        sp.rent(name)
        sp.impacts(name)


def as_batches():
    """Request all suburbs at once."""
    sp.rent(SUBURBS)
    sp.impacts(SUBURBS)


def by_vcrpy(path, paths):
    """Return the seconds that plain vcrpy and requests take for the same calls."""
    player = vcr.VCR(record_mode="none", match_on=["method", "path", "query"])

    def replay():
        for one in paths:
            session.get(f"http://embedded.invalid{one}", timeout=5).raise_for_status()

    with player.use_cassette(str(path), allow_playback_repeats=True), requests.Session() as session:
        return side_by_side([replay], rounds=3)[0]


if __name__ == "__main__":
    warnings.simplefilter("ignore", sp.errors.DataWarning)  # one suburb has a date twice
    with TemporaryDirectory() as folder:
        path = Path(folder, "study.yaml")
        paths = record(path)
        with sp.cassette(path, "none"):
            times = side_by_side([singly, as_batches], rounds=3)
        times.append(by_vcrpy(path, paths))
    one, batch, plain = (f"{1000 * seconds / len(paths):.2f} ms" for seconds in times)
    head(f"of {len(paths)} calls", "time a call", "compared with")
    row("one suburb a request, with its frame", one, f"plain vcrpy, only the bytes: {plain}")
    row("all suburbs in one request, with their frames", batch, "")
