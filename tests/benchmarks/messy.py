"""Counts messy rows that are resolved right, left open and resolved wrong: ``python -m tests.benchmarks.messy``.

Not a test. No call is made. The rows are drawn from the real list in ``SUBURB_SAL_NAMES``, if it is set, and from a
made-up country of which the states, postcodes and councils are known, the states alone, or nothing but the names.
"""

import os
import sys
import time
import warnings
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import verdict
from tests.support.messy import country, located, rows

try:
    from suburb_pandas.names.readings import Query
except ImportError:  # before readings had a module of their own
    from suburb_pandas.names.sal import Query


def count(what, places, drawn):
    """Print how many rows are resolved right, left open and resolved wrong, and the first of the latter."""
    gazetteer = Gazetteer(places, complete=True)
    start = time.perf_counter()
    found = [
        verdict(gazetteer, Query(" ".join(row.text.split()), sal.state_code(row.state), row.postcode)).area_name
        for row in drawn
    ]
    seconds = time.perf_counter() - start
    right = sum(name == row.meant for name, row in zip(found, drawn, strict=True))
    wrong = [(row, name) for name, row in zip(found, drawn, strict=True) if name not in {None, row.meant}]
    n_open = len(drawn) - right - len(wrong)
    print(f"{what}: {right} right, {n_open} open, {len(wrong)} wrong, of {len(drawn)}; {seconds:.2f} s")
    for row, name in wrong[:10]:
        print(f"    {row} -> {name}")


def a_million(names, drawn):
    """Resolve a million rows, of as many different texts as were drawn, with the public function."""
    with TemporaryDirectory() as folder, sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=f"{folder}/s"):
        listed = Path(folder, "names.txt")
        listed.write_text("\n".join(names), encoding="utf-8")
        sp.load_gazetteer(listed, complete=True)
        texts = [row.text for row in drawn] * (1_000_000 // len(drawn))
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = sp.resolve(texts, errors="warn")
        seconds = time.perf_counter() - start
        print(f"{len(texts):,} rows of {len(drawn):,} texts: {seconds:.1f} s, {found.notna().mean():.1%} resolved")


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    made_up = country(15_000, rng)
    drawn = rows(made_up, number, rng)
    full = [Place(one.name, one.state, one.council, one.postcode) for one in made_up]
    count("made up, all known", full, drawn)
    count("made up, states known", [Place(place.area_name, place.state) for place in full], drawn)
    bare = [Place(place.area_name, sal.parse(place.area_name).state) for place in full]
    count("made up, names alone", bare, drawn)
    path = os.environ.get("SUBURB_SAL_NAMES")
    if path:
        names = Path(path).read_text(encoding="utf-8").splitlines()
        real = rows(located(names, rng), number, rng)
        count("the real list, names alone", [Place(name, sal.parse(name).state) for name in names], real)
        a_million(names, real)
    else:
        a_million([one.name for one in made_up], drawn)
