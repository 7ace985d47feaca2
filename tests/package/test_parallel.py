"""Tests of the test command: in how many processes it runs, and which options decide otherwise."""

import argparse

import pytest

from tests.support.parallel import count_files, count_processes, distribute

ALL = 170
"""About as many files as there are."""


def options(**given):
    """Return the options of pytest and pytest-xdist that matter here, as they are without arguments."""
    usual = {"numprocesses": None, "tx": [], "dist": "no", "distload": False, "capture": "fd", "keyword": ""}
    return argparse.Namespace(**usual | given)


@pytest.mark.parametrize(
    ("files", "cores", "processes"),
    [(ALL, 2, 4), (ALL, 64, 8), (ALL, None, 2), (14, 2, 2), (9, 2, 0)],
)
def test_many_files_run_in_two_processes_a_core_and_few_in_one(files, cores, processes):
    """There are at most eight processes, and one for each five files."""
    assert count_processes(options(), files, cores) == processes


@pytest.mark.parametrize(
    "given",
    [
        {"usepdb": True},
        {"keyword": "rent"},
        {"capture": "no"},
    ],
    ids=str,
)
def test_a_debugger_or_a_few_chosen_tests_stay_in_one_process(given):
    """So do runs that only list tests, and those that do not capture the output."""
    assert count_processes(options(**given), ALL, 2) == 0


def test_options_of_xdist_win():
    """An option of the command line or of ``PYTEST_ADDOPTS`` is kept."""
    option = options(numprocesses=3, dist="load")
    distribute(option, ALL)
    assert (option.numprocesses, option.dist) == (3, "load")


def test_the_files_of_folders_and_of_single_tests_are_counted(tmp_path):
    """A folder counts with all test files below it, a test with its file, and a path that does not exist not at all."""
    for name in ("test_a.py", "sub/test_b.py", "sub/support.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert count_files([str(tmp_path)], tmp_path) == 2
    assert count_files(["sub"], tmp_path) == 1
    assert count_files(["test_a.py::test_x[1::2]", "sub/test_b.py"], tmp_path) == 2
    assert count_files(["test_c.py"], tmp_path) == 0
