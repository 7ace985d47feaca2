"""Runs all benchmarks in turn, and puts their tables into README.md beside this file: ``python -m tests.benchmarks``.

Not a test. Each benchmark prints its table in Markdown, and can be run alone.
"""

import subprocess
import sys
import time
from pathlib import Path

from tests.support import measured

PAGE = Path(__file__).with_name("README.md")
PARTS = {
    "stored": "Rents from the store",
    "cold": "A purchase of many suburbs",
    "first": "The waits of a fresh process",
    "replay": "A call replayed from a cassette",
    "vintages": "A year of weekly refreshes",
    "names": "Names, as they are typed and resolved",
    "resampling": "Resampling",
    "maps": "A map of a large state",
}


def section(part, title):
    """Run a benchmark, and return its heading, its command and its table."""
    start = time.perf_counter()
    print(f"{part} ...", end=" ", file=sys.stderr, flush=True)
    command = ["-m", f"tests.benchmarks.{part}"]
    table = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    return f"## {title}\n\n`python {' '.join(command)}`\n\n{table.strip()}"


if __name__ == "__main__":
    start = time.perf_counter()
    sections = [section(part, title) for part, title in PARTS.items()]
    minutes = (time.perf_counter() - start) / 60
    run = f"`python -m tests.benchmarks` on {measured.circumstances()}: {minutes:.0f} minutes in all."
    measured.write(PAGE, "\n\n".join([run, *sections]))
    print(f"The tables are now in {PAGE}.", file=sys.stderr)
