"""Measures the waits of a fresh process: ``python -m tests.benchmarks.first``. Not a test.

It measures the import, beside the import of pandas, and the first request for a stored suburb.
"""

import statistics
import subprocess
import sys

from tests.benchmarks.nation import NAMES, URL, stored
from tests.benchmarks.tables import head, row

ROUNDS = 9
FRESH = f"""
import sys, time
times = [time.perf_counter()]
import pandas as pd
times.append(time.perf_counter())
import suburb_pandas as sp
times.append(time.perf_counter())
df = pd.DataFrame({{"suburb": [{NAMES[0]!r}]}})
with sp.connect(api_key="test", base_url={URL!r}, store=sys.argv[1]):
    df.suburb.rent()
    times.append(time.perf_counter())
    df.suburb.rent()
    times.append(time.perf_counter())
print(*[1000 * (end - start) for start, end in zip(times, times[1:])])
"""


def fresh(store):
    """Run a fresh process and return the milliseconds of each of its steps."""
    command = [sys.executable, "-c", FRESH, str(store)]
    return [float(text) for text in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


if __name__ == "__main__":
    with stored(NAMES[:100]) as path:
        runs = [fresh(path) for _ in range(ROUNDS)]
    theirs, ours, first, second = (statistics.median(column) for column in zip(*runs, strict=True))
    head("task", "time", "compared with")
    row("`import suburb_pandas`, after pandas", f"{ours:.0f} ms", f"`import pandas` {theirs:.0f} ms")
    row("the first `df.suburb.rent()` of a process, stored", f"{first:.0f} ms", f"the second {second:.1f} ms")
