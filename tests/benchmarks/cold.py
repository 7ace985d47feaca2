"""Measures a purchase of a thousand suburbs beside bare requests: ``python -m tests.benchmarks.cold``.

Not a test. The service is the sandbox in another process, with a latency of 50 ms and 16 concurrent calls. The peer is
a thread pool with one session of requests, which stores nothing.
"""

import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from requests.adapters import HTTPAdapter

import suburb_pandas as sp
from tests.benchmarks.clock import seconds
from tests.benchmarks.nation import NAMES, body_of
from tests.benchmarks.tables import head, row
from tests.support.adversary import serve

SUBURBS, WORKERS, LATENCY_MS, ROUNDS = 1000, 16, 50, 5
SOME = NAMES[:SUBURBS]


def service():
    """Run the sandbox until its standard input is closed."""
    with serve(latency_ms=LATENCY_MS) as running:
        for name in SOME:
            running.answer(name, "rent", body=body_of(name), times=None)
        print(running.url, flush=True)
        sys.stdin.read()


def bare(url):
    """Request all suburbs with bare requests, and store nothing."""
    with requests.Session() as session, ThreadPoolExecutor(WORKERS) as pool:
        session.mount("http://", HTTPAdapter(pool_maxsize=WORKERS))
        session.headers["Authorization"] = "Bearer embedded"

        def get(name):
            path = f"/v1/suburbs/{name.replace(' ', '%20')}/market/median-rent-series"
            return session.get(f"{url}{path}", timeout=30).content

        assert all(list(pool.map(get, SOME)))


def ours(url):
    """Buy all suburbs with the package: each response is committed to a store, and all are decoded into one frame."""
    with (
        TemporaryDirectory() as folder,
        sp.Client(api_key="embedded", base_url=url, store=Path(folder, "store.sqlite"), max_workers=WORKERS) as client,
    ):
        assert sp.rent(SOME, client=client, check_names=False, progress=False)["area_name"].nunique() == SUBURBS


if __name__ == "__main__":
    if sys.argv[1:] == ["service"]:
        service()
        sys.exit()
    command = [sys.executable, "-m", "tests.benchmarks.cold", "service"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        times = [(seconds(ours, url), seconds(bare, url)) for _ in range(ROUNDS)]
        process.stdin.close()
    mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    ratios = sorted(bare / own for own, bare in times)
    what = f"{SUBURBS:,} suburbs bought at {LATENCY_MS} ms, {WORKERS} at once"
    median, worst, best = (100 * ratio for ratio in (statistics.median(ratios), ratios[0], ratios[-1]))
    head("task", "time", "compared with", "calls a second")
    share = f"{median:.0f} % of those of bare requests ({worst:.0f} to {best:.0f} % in {ROUNDS} rounds)"
    row(what, f"{mine:.2f} s", f"bare requests {theirs:.2f} s", share)
