"""How long the main job takes, on the machine at hand: ``python -m tests.benchmarks.main_job``. Not a test."""

import statistics
import subprocess
import sys
import time

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS, oddities, serve

NAMES = [suburb.name for suburb in SUBURBS if oddities.reason_for_none("rent", suburb.name) is None]
DEMO = ["-m", "suburb_pandas", "demo"]
IMPORTS = """
import time
start = time.perf_counter()
import pandas
middle = time.perf_counter()
import suburb_pandas
print(1000 * (middle - start), 1000 * (time.perf_counter() - middle))
"""


def imports(rounds=9):
    """Give the medians of ``import pandas`` and of what ``import suburb_pandas`` adds, in ms."""
    runs = [
        subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(rounds)
    ]
    return [statistics.median(float(run[column]) for run in runs) for column in (0, 1)]


def seconds(work):
    """Give the seconds that a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cold(suburbs, latency_ms):
    """Give the seconds for a first request of many suburbs, and for the same again from the store."""
    with serve(latency_ms=latency_ms) as service, sp.Client(api_key="embedded", base_url=service.url) as client:
        return [seconds(lambda: sp.rent(NAMES[:suburbs], client=client)) for _ in range(2)]


if __name__ == "__main__":
    pandas_ms, ours_ms = imports()
    print(f"import pandas {pandas_ms:.0f} ms; import suburb_pandas adds {ours_ms:.0f} ms")
    for suburbs, latency_ms in ((10, 200), (100, 50)):
        first, again = cold(suburbs, latency_ms)
        alone = suburbs * latency_ms / 1000
        print(
            f"{suburbs} suburbs at {latency_ms} ms: {first:.2f} s, {alone / first:.1f} times as fast as one by one; "
            f"from the store {1000 * again:.1f} ms"
        )
    demo = seconds(lambda: subprocess.run([sys.executable, *DEMO], capture_output=True, check=True))
    print(f"python {' '.join(DEMO)}: {demo:.1f} s")
