"""What a wheel holds: all that the package reads at run time, and nothing else."""

import tomllib
from pathlib import Path

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
ROOT = PACKAGE.parent


def declared():
    """Give what pyproject.toml says of the package's files."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def test_each_file_that_is_no_python_is_declared_and_there():
    """The type marker and the widget's own code go into the wheel, where no file goes unless it is declared."""
    there = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert there == set(declared()["package-data"]["suburb_pandas"])


def test_each_folder_of_modules_is_a_package():
    """A folder without an `__init__.py` would be left out of the wheel, though it can be imported here."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert all((folder / "__init__.py").is_file() for folder in folders)
    assert declared()["packages"]["find"]["include"] == ["suburb_pandas*"]


def test_a_source_distribution_has_no_half_of_the_tests():
    """The tests are left out, of which setuptools by itself takes the files without what these share."""
    assert "prune tests" in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
