"""Measures how long a million messy rows take to resolve: ``python -m tests.benchmarks.messy``.

Not a test. No call is made. The rows are drawn from the real list in ``SUBURB_SAL_NAMES``, if it is set, else from a
made-up country. tests/names/test_names_at_scale.py counts how many such rows are resolved correctly.
"""

import time
import warnings
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import suburb_pandas as sp
from tests.benchmarks.names import listed
from tests.benchmarks.tables import head, row
from tests.names.messy import country, located, rows

ROWS, TEXTS = 1_000_000, 20_000


def drawn(rng):
    """Return the names of a list, where the list comes from, and messy rows of it."""
    names = listed()
    suburbs = located(names, rng) if names else country(15_000, rng)
    return [one.name for one in suburbs], "the ABS list" if names else "a made-up country", rows(suburbs, TEXTS, rng)


def resolve(names, texts):
    """Return the seconds that the public function takes, and the share of rows that it resolves."""
    with TemporaryDirectory() as folder, sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=f"{folder}/s"):
        path = Path(folder, "names.txt")
        path.write_text("\n".join(names), encoding="utf-8")
        sp.load_gazetteer(path, complete=True)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = sp.resolve(texts, errors="warn")
        return time.perf_counter() - start, found.notna().mean()


if __name__ == "__main__":
    names, source, messy = drawn(Random(7))
    seconds, resolved = resolve(names, [one.text for one in messy] * (ROWS // TEXTS))
    head("task", "time", "resolved")
    row(f"{ROWS:,} rows of {TEXTS:,} different texts, from {source}", f"{seconds:.1f} s", f"{100 * resolved:.1f} %")
