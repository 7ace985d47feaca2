"""Measures the main job on this machine: ``python -m tests.benchmarks.main_job``. Not a test."""

import subprocess
import sys

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS, oddities, serve
from tests.benchmarks.clock import seconds
from tests.benchmarks.tables import head, row

NAMES = [suburb.name for suburb in SUBURBS if oddities.reason_for_none("rent", suburb.name) is None]
DEMO = ["-m", "suburb_pandas", "demo"]


def cold(suburbs, latency_ms):
    """Return the seconds of a first request for many suburbs, and of its repetition from the store."""
    with serve(latency_ms=latency_ms) as service, sp.Client(api_key="embedded", base_url=service.url) as client:
        return [seconds(lambda: sp.rent(NAMES[:suburbs], client=client)) for _ in range(2)]


if __name__ == "__main__":
    head("task", "time", "compared with", "again, from the store")
    for suburbs, latency_ms in ((10, 200), (100, 50)):
        first, again = cold(suburbs, latency_ms)
        alone = suburbs * latency_ms / 1000
        row(
            f"{suburbs} suburbs bought, each call {latency_ms} ms",
            f"{first:.2f} s",
            f"{alone:.0f} s of waiting, one by one",
            f"{1000 * again:.1f} ms",
        )
    demo = seconds(lambda: subprocess.run([sys.executable, *DEMO], capture_output=True, check=True))
    row(f"`python {' '.join(DEMO)}`", f"{demo:.1f} s", "", "")
