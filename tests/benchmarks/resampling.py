"""Measures the resampling of a nation beside pandas' own resample: ``python -m tests.benchmarks.resampling``.

Not a test. The 15,350 suburbs and their rents are made up, with monthly points for years and weekly ones since 2022.
pandas resamples 300 of them, and its time is scaled up.
"""

import statistics

import numpy as np
import pandas as pd

import suburb_pandas as sp
from tests.benchmarks.clock import seconds
from tests.benchmarks.tables import head, row

SUBURBS = 15_350
SAMPLE = 300
ROUNDS = 3

MONTH_ENDS = pd.date_range("2004-01-31", "2022-07-31", freq="ME")
WEEKS = pd.DatetimeIndex(["2022-08-28", "2022-08-31", *pd.date_range("2022-09-04", "2026-04-26", freq="W")])


def nation(suburbs=SUBURBS):
    """Return a long frame of made-up rents, about 320 rows for each suburb; units start later than houses."""
    generator = np.random.default_rng(0)
    lengths = generator.integers(20, len(MONTH_ENDS), suburbs)
    parts = [np.append(MONTH_ENDS[-length:], WEEKS) for length in lengths]
    sizes = [len(part) for part in parts]
    codes = np.repeat(np.arange(suburbs), sizes)
    names = pd.Categorical.from_codes(codes, [f"Made-up {number:05}" for number in range(suburbs)])
    house = np.round(500 + generator.normal(0, 3, sum(sizes)).cumsum() % 900)
    position = np.arange(sum(sizes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    unit = np.where(position < 12, np.nan, np.round(house * 0.7))
    index = pd.DatetimeIndex(np.concatenate(parts).astype(f"M8[{MONTH_ENDS.unit}]"), name="date")
    return pd.DataFrame({"area_name": names, "house": house, "unit": unit}, index=index)


def ours(frame, how):
    """Resample the whole frame with the package."""
    return sp.resample(frame, "ME", how=how)


def pandas_own(frame, how):
    """Resample suburb by suburb, as users of pandas do."""
    grouped = frame.groupby("area_name", observed=True)[["house", "unit"]]
    return grouped.apply(lambda suburb: getattr(suburb.resample("ME"), how)())


if __name__ == "__main__":
    frame = nation()
    some = frame[frame["area_name"].cat.codes < SAMPLE]
    head(f"{len(frame):,} rows of {SUBURBS:,} suburbs", "`sp.resample`", "pandas, suburb by suburb", "")
    for how in ("last", "mean"):
        rounds = [(seconds(ours, frame, how), seconds(pandas_own, some, how) * SUBURBS / SAMPLE) for _ in range(ROUNDS)]
        mine, theirs = zip(*rounds, strict=True)
        own, peer = statistics.median(mine), statistics.median(theirs)
        row(f'`"ME"`, `how="{how}"`', f"{own:.2f} s", f"{peer:.0f} s", f"{peer / own:.0f} times as fast")
