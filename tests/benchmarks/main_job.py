"""Measures the main job on this machine: ``python -m tests.benchmarks.main_job``. Not a test."""

import subprocess
import sys

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS, oddities, serve
from tests.benchmarks.clock import seconds

NAMES = [suburb.name for suburb in SUBURBS if oddities.reason_for_none("rent", suburb.name) is None]
DEMO = ["-m", "suburb_pandas", "demo"]


def cold(suburbs, latency_ms):
    """Return the seconds of a first request for many suburbs, and of its repetition from the store."""
    with serve(latency_ms=latency_ms) as service, sp.Client(api_key="embedded", base_url=service.url) as client:
        return [seconds(lambda: sp.rent(NAMES[:suburbs], client=client)) for _ in range(2)]


if __name__ == "__main__":
    for suburbs, latency_ms in ((10, 200), (100, 50)):
        first, again = cold(suburbs, latency_ms)
        alone = suburbs * latency_ms / 1000
        print(
            f"{suburbs} suburbs at {latency_ms} ms: {first:.2f} s, {alone / first:.1f} times as fast as one by one; "
            f"from the store {1000 * again:.1f} ms"
        )
    demo = seconds(lambda: subprocess.run([sys.executable, *DEMO], capture_output=True, check=True))
    print(f"python {' '.join(DEMO)}: {demo:.1f} s")
