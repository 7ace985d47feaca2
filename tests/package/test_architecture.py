"""The folders show the architecture. That imports go down only is left to import-linter."""

import ast
import re
from pathlib import Path

import pytest

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE})


def test_a_folder_has_at_most_seventeen_modules_and_the_top_at_most_eight_files():
    counts = {folder.name: len([*folder.glob("*.py")]) - 1 for folder in FOLDERS}
    assert max(counts.values()) <= 17, counts
    assert len([path for path in PACKAGE.iterdir() if path.is_file()]) <= 8


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_folder_says_what_it_owns(folder):
    """Its ``__init__`` has a docstring of three to ten lines, and re-exports nothing."""
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert 3 <= len([line for line in docstring.splitlines() if line]) <= 10
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
