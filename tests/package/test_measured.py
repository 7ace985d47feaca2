"""Measured figures get into their pages by a command, and the command of the benchmarks runs all of them."""

from pathlib import Path
from types import SimpleNamespace

from tests.benchmarks import __main__ as benchmarks
from tests.support import measured, trials


def report(nodeid, *recorded):
    """Return a report of a test that recorded trials."""
    return SimpleNamespace(nodeid=nodeid, user_properties=[("other", 1), *(("trial", one) for one in recorded)])


def test_a_measurement_replaces_the_one_before_and_nothing_else(tmp_path):
    """The text around the measured part of a page stays, however often it is measured."""
    copy = tmp_path / "page.md"
    copy.write_text(benchmarks.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    before, _, _ = copy.read_text(encoding="utf-8").partition(measured.BEGIN)
    for measurement in ("| old | 1 |", "| new | 2 |"):
        measured.write(copy, measurement)
    after = copy.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert after.count("| new | 2 |") == 1
    assert "| old | 1 |" not in after


def test_equal_trials_are_one_row_with_their_counts_added_up():
    """The counts of equal trials are added up, and the rows are in the order of the files."""
    first, second = ["a kill", "none lost", {"runs": 1000, "unknown_calls": 0}], ["a crowd", "equal", {"races": 3}]
    table = trials.table_of(trials.trials_in([report("b", second), report("a[1]", first), report("a[2]", first)]))
    assert table.splitlines()[2:] == [
        "| a kill | 2,000 runs; 0 unknown calls | none lost |",
        "| a crowd | 3 races | equal |",
    ]


def test_one_command_runs_every_benchmark():
    """Each script that prints a table is a part of ``python -m tests.benchmarks``."""
    scripts = Path(benchmarks.__file__).parent.glob("[a-z]*.py")
    assert {path.stem for path in scripts if "\n    head(" in path.read_text(encoding="utf-8")} == {*benchmarks.PARTS}
