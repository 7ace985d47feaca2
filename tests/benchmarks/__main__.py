"""Runs the benchmarks of speed in turn, as rows of one table: ``python -m tests.benchmarks``. Not a test."""

import platform
import subprocess
import sys

import numpy as np
import pandas as pd

PARTS = ("stored", "cold", "first")

if __name__ == "__main__":
    print(
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, pandas {pd.__version__}, "
        f"numpy {np.__version__}\n\n| what | time | beside | |\n|---|---|---|---|",
        flush=True,
    )
    for part in PARTS:
        subprocess.run([sys.executable, "-m", f"tests.benchmarks.{part}"], check=True)
