"""Measures time for the benchmarks: in several rounds with the peers in turn, because machines are noisy."""

import statistics
import time


def seconds(work, *arguments):
    """Return the seconds that one call of a function takes."""
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def side_by_side(works, rounds=5):
    """Return the median seconds of each of several functions, called in turn."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]
