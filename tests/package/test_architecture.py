"""The folders show the architecture: an import goes down only, and every file is on a floor."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
ROOT = PACKAGE.parent
FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE})


WRONG = {
    "names/upwards.py": "suburb_pandas.loaders.loaders",
    "http/upwards.py": "suburb_pandas.purchasing.purchase",
    "store/sideways.py": "suburb_pandas.http.wire",
    "sandbox/outwards.py": "suburb_pandas.settings",
    "purchasing/heavy.py": "pandas",
    "sandbox/heavy.py": "numpy",
}
"""Modules that each import what they may not."""


def lint_imports(folder):
    """Check the import contracts of a copy of the package, and return the exit code and the output."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, cwd=folder, env=environment
    )
    return done.returncode, " ".join(done.stdout.split())


@pytest.fixture
def copy(tmp_path):
    """Return a folder with a copy of the package and its contracts."""
    shutil.copytree(PACKAGE, tmp_path / "suburb_pandas", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_package_keeps_its_contracts(copy):
    code, output = lint_imports(copy)
    assert (code, "0 broken" in output) == (0, True), output


def test_modules_in_the_wrong_place_are_refused(copy):
    """On no floor, upwards, sideways to a neighbour, out of the sandbox, or with pandas where money is handled."""
    (copy / "suburb_pandas" / "stray.py").write_text('"""A module that nobody put on a floor."""\n')
    for module, imported in WRONG.items():
        (copy / "suburb_pandas" / module).write_text(f'"""A module in the wrong place."""\n\nimport {imported}\n')
    code, output = lint_imports(copy)
    assert code
    names = ["suburb_pandas." + module.removesuffix(".py").replace("/", ".") for module in WRONG]
    assert [name for name in names if f"{name} -> " not in output] == []
    assert "stray" in output


def test_a_folder_has_at_most_seventeen_modules_and_the_top_at_most_eight_files():
    counts = {folder.name: len([*folder.glob("*.py")]) - 1 for folder in FOLDERS}
    assert max(counts.values()) <= 17, counts
    assert len([path for path in PACKAGE.iterdir() if path.is_file()]) <= 8


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_folder_says_what_it_owns(folder):
    """Its ``__init__`` has a docstring of three to six lines, and re-exports nothing."""
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert 3 <= len([line for line in docstring.splitlines() if line]) <= 6
    assert re.search(r"[Oo]nly|[Ii]mport", docstring), "it says which folders may import it"


@pytest.mark.parametrize(
    ("call", "owner"),
    [
        ("os.register_at_fork", "store/forks.py"),
        ("os.environ", "settings.py"),
        ("import urllib3", "http/"),
        ("from urllib3", "http/"),
    ],
)
def test_what_has_one_owner_stays_with_it(call, owner):
    """Fork hooks, the environment, and the use of urllib3 are each in one place."""
    users = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if call in path.read_text("utf-8")}
    assert all(user.startswith(owner) for user in users), users
