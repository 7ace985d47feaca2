"""Measures suggestions and name resolution for a whole nation: ``python -m tests.benchmarks.names``. Not a test.

No call is made. The names come from the list in ``SUBURB_SAL_NAMES``; without it they are made up, of the same number
and of similar length. Suggestions are measured beside rapidfuzz's own search with the scorer WRatio, which has no ranks
and no knowledge of states.
"""

import os
import random
import statistics
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from rapidfuzz import fuzz, process

import suburb_pandas as sp
from tests.benchmarks.clock import seconds
from tests.benchmarks.tables import head, row
from tests.names import messy

ROWS, TEXTS = 1_000_000, 20_000

FIRST = """
import sys, time
import suburb_pandas as sp
with sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=sys.argv[1]):
    start = time.perf_counter()
    sp.suggest("sprngfeild")
    print(1000 * (time.perf_counter() - start))
"""


def listed():
    """Return the names of the list, or none if ``SUBURB_SAL_NAMES`` is not set."""
    path = os.environ.get("SUBURB_SAL_NAMES")
    return Path(path).read_text(encoding="utf-8").splitlines() if path else []


def made_up():
    """Return as many made-up names as the list has."""
    rng = random.Random(0)
    syllables = ["qua", "bil", "wom", "num", "zam", "wil", "la", "ra", "ga", "roo", "bee", "tah"]
    ends = ["", "", " bay", " hill", " creek", " north"]
    found = {"".join(rng.choices(syllables, k=rng.randint(2, 5))) + rng.choice(ends) for _ in range(40_000)}
    return [name.title() for name in sorted(found)][:15_334]


def milliseconds(work, arguments):
    """Call a function with each argument, and return the median and the 95th percentile in milliseconds."""
    times = [1000 * seconds(work, argument) for argument in arguments]
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def typed(names, number=500):
    """Return the beginnings of names drawn at random, as if somebody were typing them."""
    rng = random.Random(1)
    return [name[: rng.randint(1, len(name))] for name in rng.sample(names, number)]


def suggestions(names, store):
    """Measure suggestions and print rows of the table."""
    command = [sys.executable, "-c", FIRST, store]
    runs = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(7)]
    row("the first suggestion of a process", f"{statistics.median(runs):.0f} ms", "")
    sp.suggest("sprngfeild")
    texts = typed(names)
    median, high = milliseconds(sp.suggest, texts)
    theirs, _ = milliseconds(lambda text: process.extract(text, names, scorer=fuzz.WRatio, limit=10), texts[:100])
    own = f"median {median:.2f} ms, 95 % within {high:.2f} ms"
    row("a suggestion while typing", own, f"rapidfuzz's `WRatio` {theirs:.1f} ms, {theirs / median:.0f} times as long")


def resolution(names):
    """Measure the resolution of all names, and of messy rows of them, and print rows of the table.

    tests/names/test_names_at_scale.py counts how many such rows are resolved correctly.
    """
    for what, queries in (("all names", names), ("all names in capitals", [name.upper() for name in names])):
        row(f"`sp.resolve` of {what}", f"{seconds(sp.resolve, queries):.2f} s", "")
    rng = random.Random(7)
    texts = [one.text for one in messy.rows(messy.located(names, rng), TEXTS, rng)] * (ROWS // TEXTS)
    with warnings.catch_warnings(action="ignore"):
        taken = seconds(lambda: sp.resolve(texts, errors="warn"))
    row(f"`sp.resolve` of {ROWS:,} messy rows, of {TEXTS:,} different texts", f"{taken:.1f} s", "")


if __name__ == "__main__":
    names = listed() or made_up()
    head(f"{len(names):,} names{' of the ABS list' if listed() else ', made up'}", "time", "compared with")
    with TemporaryDirectory() as folder:
        path, store = Path(folder, "names.txt"), Path(folder, "store.sqlite")
        path.write_text("\n".join(names), encoding="utf-8")
        with sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=store):
            row("`sp.load_gazetteer`", f"{1000 * seconds(sp.load_gazetteer, path):.0f} ms", "")
            suggestions(names, store)
            resolution(names)
