"""A wheel holds every file that the package reads at run time, and no other."""

import tomllib
from pathlib import Path

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
ROOT = PACKAGE.parent


def declared():
    """Return the setuptools section of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def test_each_file_that_is_no_python_is_declared_and_there():
    """The type marker and the widget's own code are package data; a file that is not declared is not in the wheel."""
    there = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert there == set(declared()["package-data"]["suburb_pandas"])


def test_each_folder_of_modules_is_a_package():
    """A folder without an `__init__.py` would be left out of the wheel, although it can be imported from the source."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert all((folder / "__init__.py").is_file() for folder in folders)
    assert declared()["packages"]["find"]["include"] == ["suburb_pandas*"]


def test_a_source_distribution_has_no_half_of_the_tests():
    """A source distribution has no tests: by default setuptools packs test files without the code that they share."""
    assert "prune tests" in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
