"""Decides in how many processes tests run if no option says so. pytest-xdist starts them."""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

MOST = 8
"""More processes would need more memory than a laptop has to spare."""

FILES = 5
"""A process starts for each five files: with fewer, it takes longer to start than to run the tests."""

ALONE = (
    *("collectonly", "showfixtures", "show_fixtures_per_test", "cacheshow", "setuponly", "setupplan", "setupshow"),
    *("usepdb", "trace"),
    *("keyword", "lf", "stepwise"),
)
"""Options with which tests run in one process: they only list, they wait for a person, or they choose a few tests."""


def count_files(arguments: Iterable[str], folder: Path) -> int:
    """Count the test files that the arguments of pytest name, among them those in folders."""
    paths = [folder / argument.partition("::")[0] for argument in arguments]
    return sum(sum(1 for _ in path.rglob("test_*.py")) if path.is_dir() else path.is_file() for path in paths)


def count_processes(option: argparse.Namespace, files: int, cores: int | None) -> int:
    """Count the processes in which that many files run with these options. 0 stands for pytest's own process."""
    if option.capture == "no" or any(getattr(option, name, False) for name in ALONE):
        return 0
    some = min(MOST, 2 * (cores or 1), files // FILES)  # half of the time, tests wait for other processes
    return some if some > 1 else 0


def distribute(option: argparse.Namespace, files: int) -> None:
    """Choose processes, and how tests are shared among them, unless the command line or the environment did."""
    if not hasattr(option, "numprocesses"):  # with `-p no:xdist`
        return
    if option.numprocesses is None and not option.tx and option.dist == "no" and not option.distload:
        option.numprocesses = count_processes(option, files, os.cpu_count())
    if option.numprocesses and option.dist == "no" and not option.distload:
        option.dist = "loadfile"  # fixtures of a module are made once
