"""How benchmarks take time: several rounds, the peers by turns, as these machines are noisy."""

import statistics
import time


def seconds(work, *arguments):
    """Give the seconds that a piece of work takes."""
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def side_by_side(works, rounds=5):
    """Give the median seconds of each of several pieces of work, run by turns."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]
