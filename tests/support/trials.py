"""A pytest plugin that counts the trials of long tests. With ``-m long --trials``, it writes them to tests/README.md.

A long test passes its counts to the fixture `trial` after its last assert, so each row of the table stands for trials
that passed. The counts of tests with the same words, such as those of several parameters, are added up.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import measured

PAGE = Path(__file__).parents[1] / "README.md"
HEAD = "| tried | how often | in each case |\n|---|---|---|\n"


class Trial(NamedTuple):
    """A row of the table: what was tried, what the test found to hold each time, and the counts by their nouns."""

    tried: str
    held: str
    counts: dict


def pytest_addoption(parser):
    """Add the option that writes the table."""
    parser.addoption("--trials", action="store_true", help=f"write what the long tests tried to tests/{PAGE.name}")


@pytest.fixture
def trial(request, record_property):
    """Return a function that records the trials of a long test. In other tests it does nothing.

    A count is named by its noun in the plural, with underscores for spaces: ``trial("...", "...", batches=200)``.
    """
    if not request.node.get_closest_marker("long"):
        return lambda *_, **__: None

    def record(tried, held, **counts):
        record_property("trial", [tried, held, {noun: int(number) for noun, number in counts.items()}])

    return record


def trials_in(reports):
    """Return the trials in the reports of tests, with the counts of equal ones added up, in the order of the files."""
    found = {}
    for report in sorted(reports, key=lambda report: report.nodeid):
        for tried, held, counts in (given for name, given in report.user_properties if name == "trial"):
            total = found.setdefault((tried, held), Counter())
            total.update(counts)
    return [Trial(*words, dict(counts)) for words, counts in found.items()]


def table_of(trials):
    """Return trials as a table in Markdown."""
    return HEAD + "\n".join(f"| {tried} | {counted(counts)} | {held} |" for tried, held, counts in trials)


def counted(counts):
    """Return counts in words: "200 batches; 0 unknown calls"."""
    return "; ".join(f"{number:,} {noun.replace('_', ' ')}" for noun, number in counts.items())


def pytest_terminal_summary(terminalreporter, config):
    """Show the trials of the long tests. With ``--trials`` also write it to the page, unless a test failed."""
    stats = terminalreporter.stats
    trials = trials_in(stats.get("passed", ()))
    if not trials:
        return
    table = table_of(trials)
    terminalreporter.section("trials")
    terminalreporter.write_line(table)
    if not config.getoption("trials"):
        return
    if stats.get("failed") or stats.get("error"):
        terminalreporter.write_line(f"\nTests failed, so {PAGE} was left as it is.")
        return
    command = " ".join(["python -m pytest", *config.invocation_params.args])
    passed = len(stats["passed"])
    measured.write(PAGE, f"`{command}` on {measured.circumstances()}: {passed:,} tests passed.\n\n{table}")
    terminalreporter.write_line(f"\nThis is now in {PAGE}.")
