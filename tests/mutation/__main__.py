"""Checks whether the tests find faults: ``python -m tests.mutation [FOLDER ...]``. Not a test.

It makes mutants of the whole package, or of the named folders and files of it. For each mutant it runs the tests of its
own folder, and then those of other folders that execute the changed lines. For the folders in ``ATTACKED`` it also runs
the adversary's tests. It prints the mutants that no test finds, and the counts by folder. ``--tests`` limits the
tests, for example to a folder of them that has to find the faults by itself.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp
from xml.etree import ElementTree as ET

from coverage import CoverageData

from tests.mutation.mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
MIRRORS = {"redaction.py": "secrets"}
"""The folder of tests for a file of the package. Those of the other files are in ``package``."""

RESULTS = "tests/package/test_results.py::"
"""The tests that compare the results of a folder's examples. They count as tests of that folder."""

ATTACKED = ("purchasing", "store", "client", "http", "cassettes")
"""The folders for which the adversary's tests run too. These run in other processes, where coverage sees nothing."""

ENOUGH = 120
"""Seconds of tests for a mutant, of its own folder and of the others. Further tests are left out."""

AT_ONCE = 4
"""Mutants tried at once: more than the cores, because tests often wait for other processes."""

TOO_LONG = 400
"""Seconds after which a run of the tests counts as failed, because a mutant may loop for ever."""


def copy_of(project: Path, folder: Path) -> Path:
    """Copy the project to a new folder, and return the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    made = shutil.ignore_patterns(".git", ".*_cache", "__pycache__", ".venv*", ".hypothesis", ".coverage*")
    return shutil.copytree(project, folder, ignore=made)


def run(project: Path, *arguments: str, seconds: float = TOO_LONG) -> int:
    """Run pytest in a copy of the project, also in the processes that its tests start, and return its exit code."""
    environment = {**os.environ, "PYTHONPATH": str(project), "PYTEST_ADDOPTS": ""}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    with subprocess.Popen(command, cwd=project, env=environment, **quiet) as tests:
        try:
            return tests.wait(seconds)
        except subprocess.TimeoutExpired:
            return 1
        finally:
            with suppress(ProcessLookupError):
                os.killpg(tests.pid, signal.SIGKILL)


class Tests:
    """The tests that execute each line, and their seconds, as measured by a run with coverage in a copy."""

    def __init__(self, work: Path, paths: list[str]) -> None:
        self.project, report = work / "measured", work / "junit.xml"
        if not report.exists():
            copy_of(ROOT, self.project)
            measure = ("-n", "2", "--cov=suburb_pandas", "--cov-context=test", "-o", "junit_family=xunit1")
            report_to = (f"--junitxml={report}", "--ignore=tests/browser")
            run(self.project, *measure, *report_to, *paths, seconds=10 * TOO_LONG)
        self._data = CoverageData(str(self.project / ".coverage"))
        self._data.read()
        cases = list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314 - written by the run above
        self._seconds_of = {_name_of(case): float(case.get("time")) for case in cases}
        self.failing = {_name_of(case) for case in cases if {"failure", "error"} & {part.tag for part in case}}
        if self.failing:
            print("These tests fail without a mutant, and are left out:", *sorted(self.failing), sep="\n  ")

    def of(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """Return the tests of the mutant's own folder, and those of the others that execute it.

        Those that execute it come first, the quickest before the others. The folder's other tests follow, because a
        cache hides which tests use a result. A line that only the import executes counts as executed by all tests of
        its module.
        """
        by_line = self._data.contexts_by_lineno(str(self.project / mutant.path))
        found = set() if mutant.at_import else self._executing(by_line, mutant.lines)
        found = found or self._executing(by_line, by_line)
        folder = {name for name in self._seconds_of if is_of(name, mirror_of(mutant))} - self.failing
        own = sorted(folder, key=lambda name: (name not in found, self._seconds(name)))
        return list(self._enough(own)), list(self._enough(sorted(found - folder, key=self._seconds)))

    def all(self) -> list[str]:
        """Return every test that executes a line of the package."""
        return sorted({context.rpartition("|")[0] for context in self._data.measured_contexts()} - {""})

    def _executing(self, by_line: dict[int, list[str]], lines: Iterable[int]) -> set[str]:
        found = {context.rpartition("|")[0] for line in lines for context in by_line.get(line, ())}
        return found - {"", *self.failing}

    def _enough(self, names: Iterable[str]) -> Iterator[str]:
        total = 0.0
        for name in names:
            total += self._seconds(name)
            if total < ENOUGH:
                yield name

    def _seconds(self, name: str) -> float:
        return self._seconds_of.get(name, 1.0)


def _name_of(case: ET.Element) -> str:
    return f"{case.get('file')}::{case.get('name')}"


def folder_of(mutant: Mutant) -> str:
    """Return the folder or file of the package that a mutant belongs to."""
    return Path(mutant.path).parts[1]


def mirror_of(mutant: Mutant) -> str:
    """Return the folder of the tests of a mutant's folder or file."""
    folder = folder_of(mutant)
    return MIRRORS.get(folder, "package" if folder.endswith(".py") else folder)


def is_of(test: str, folder: str) -> bool:
    """Return True if a test is one of a folder, or compares the results of its examples."""
    return test.startswith(f"tests/{folder}/") or (test.startswith(RESULTS) and test.endswith(f"[{folder}]"))


def written(names: Iterable[str], path: Path) -> str:
    """Write the names of tests to a file, and return the argument by which pytest reads it."""
    path.write_text("\n".join(name for name in names if "\n" not in name), encoding="utf-8")
    return f"@{path}"


def is_found(mutant: Mutant, tests: Tests, projects: SimpleQueue[Path], *, attack: bool) -> bool:
    """Return True if a test fails on the mutant."""
    project = projects.get()
    (project / mutant.path).write_text(mutant.source, encoding="utf-8")
    try:
        for names in tests.of(mutant):
            if names and run(project, "-n", "0", "-x", written(names, project / "chosen.txt")):
                return True
        left_out = (f"--deselect={name}" for name in tests.failing)
        return attack and folder_of(mutant) in ATTACKED and run(project, "-x", "tests/adversary", *left_out) != 0
    finally:
        shutil.copy(tests.project / mutant.path, project / mutant.path)
        projects.put(project)


def drawn(project: Path, folders: list[str], count: int, seed: int) -> list[Mutant]:
    """Draw mutants from all those of the package, or of some of its folders and files."""
    package = project / "suburb_pandas"
    every = [
        mutant
        for path in sorted(package.rglob("*.py"))
        if not folders or path.relative_to(package).parts[0] in folders
        for mutant in mutants_of(path.relative_to(project).as_posix(), path.read_text(encoding="utf-8"))
    ]
    print(f"{len(every)} mutants can be made; {count} are drawn with the seed {seed}.", flush=True)
    return random.Random(seed).sample(every, min(count, len(every)))


def report(mutant: Mutant, *, found: bool) -> None:
    """Print a line for a mutant, with its fault if no test found it."""
    where = f"{mutant.path}:{mutant.lines.start}"
    print(f"found     {where}" if found else f"SURVIVED  {where}\n    - {mutant.was}\n    + {mutant.now}", flush=True)


def main() -> None:
    """Draw the mutants, try each, and print the survivors and the counts by folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="draw mutants of these only, such as store")
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH", help="run these tests only")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="a folder for the copies; the next run reuses the coverage in it")
    options = parser.parse_args()
    work = Path(options.work or mkdtemp(prefix="mutation-")).resolve()
    print(f"The copies of the project are in {work}.", flush=True)
    tests, projects = Tests(work, options.tests), SimpleQueue()
    if run(tests.project, "--collect-only", written(tests.all(), work / "all.txt")):
        sys.exit("Some of these tests cannot be chosen by name, so that every mutant would seem to be found.")
    for number in range(AT_ONCE):
        projects.put(copy_of(tests.project, work / f"{number}"))
    mutants = drawn(tests.project, options.folders, options.count, options.seed)
    made, killed = Counter(), Counter()
    is_found_here = partial(is_found, tests=tests, projects=projects, attack=options.tests == ["tests"])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = pool.map(is_found_here, mutants)
        for mutant, found in zip(mutants, results, strict=True):
            made[folder_of(mutant)] += 1
            killed[folder_of(mutant)] += found
            report(mutant, found=found)
    print(*(f"{folder:14}{killed[folder]:4} of {made[folder]}" for folder in sorted(made)), sep="\n")
    print(f"{killed.total()} of {made.total()} were found.")


if __name__ == "__main__":
    main()
