"""Measures the resampling of a nation beside pandas' own resample: ``python -m tests.benchmarks.resampling``.

Not a test. The suburbs and their rents are made up, with monthly points for years and weekly ones since 2022. pandas
resamples 300 of them, and its time is scaled up.
"""

import statistics

import suburb_pandas as sp
from tests.benchmarks.clock import seconds
from tests.benchmarks.nation import NAMES, SUBURBS, stored
from tests.benchmarks.tables import head, row

SAMPLE = 300
ROUNDS = 3


def ours(frame, how):
    """Resample the whole frame with the package."""
    return sp.resample(frame, "ME", how=how)


def pandas_own(frame, how):
    """Resample suburb by suburb, as users of pandas do."""
    grouped = frame.groupby("area_name", observed=True)[["house", "unit"]]
    return grouped.apply(lambda suburb: getattr(suburb.resample("ME"), how)())


if __name__ == "__main__":
    with stored():
        frame = sp.rent(NAMES)
    some = frame[frame["area_name"].cat.codes < SAMPLE]
    head(f"{len(frame):,} rows of {SUBURBS:,} suburbs", "`sp.resample`", "pandas, suburb by suburb", "")
    for how in ("last", "mean"):
        rounds = [(seconds(ours, frame, how), seconds(pandas_own, some, how) * SUBURBS / SAMPLE) for _ in range(ROUNDS)]
        mine, theirs = zip(*rounds, strict=True)
        own, peer = statistics.median(mine), statistics.median(theirs)
        row(f'`"ME"`, `how="{how}"`', f"{own:.2f} s", f"{peer:.0f} s", f"{peer / own:.0f} times as fast")
