"""The notebooks run without a key and without the network, and give the outputs that are stored in them."""

import getpass
import re
import socket
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from suburb_pandas.__main__ import main
from tests.support.notebooks import FOLDER, PATHS, everything_shown, texts

assert PATHS

NEWEST = int(pd.__version__.split(".")[0]) >= 3
"""True if this pandas shows frames as in the stored outputs, and adds no warnings of its own."""


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    """Return the path of each notebook in turn."""
    return request.param


def test_a_notebook_reruns_anywhere(path, capsys):
    """`check` finds each cell with the text that is stored; on older pandas, whose reprs differ, no cell fails.

    It leaves the folder of the notebooks unchanged.
    """
    before = {file: file.read_bytes() for file in FOLDER.rglob("*") if file.is_file()}
    try:
        main(["check", str(path)])
    except SystemExit:
        assert not NEWEST
    shown = capsys.readouterr().out
    assert " reruns: " in shown or (not NEWEST and not re.search(r"^cell.*(: failed|not run)$", shown, re.MULTILINE))
    assert {file: file.read_bytes() for file in FOLDER.rglob("*") if file.is_file()} == before


def test_a_notebook_shows_no_machine(path):
    """The stored outputs, in any format, hold no path and no name of a user or a computer."""
    names = [name for name in (getpass.getuser(), socket.gethostname()) if len(name) > 2]
    traces = [r"/(home|root|tmp|work|Users|var)/", r"[\\/]+Users[\\/]", r"ipykernel_\d"]
    traces += [re.escape(str(folder)) for folder in (Path.cwd(), Path.home(), FOLDER)]
    traces += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in names]
    assert not re.search("|".join(traces), everything_shown(nbformat.read(path, as_version=4)))


def test_a_notebook_is_stored_with_its_outputs_and_without_widgets(path):
    """Stored outputs are text and pictures, without widgets, which would need a running kernel."""
    stored = nbformat.read(path, as_version=4)
    assert len(texts(stored)) > 5
    assert any("image/png" in output.get("data", {}) for cell in stored.cells for output in cell.get("outputs", []))
    assert "widgets" not in stored.metadata
    assert "widget-view" not in everything_shown(stored)


def test_a_notebook_says_that_its_suburbs_are_made_up(path):
    """The first cell of each notebook says that its suburbs are made up."""
    first = nbformat.read(path, as_version=4).cells[0]
    assert first.cell_type == "markdown"
    assert "made up" in first.source


def test_every_notebook_is_in_the_list_in_order():
    """The list of notebooks has each of them, in reading order, with a picture that exists and words for it."""
    listed = re.findall(
        r'^## \[[^\]]+\]\(([^)]+)\)\n+<img src="([^"]+)" width="\d+" alt="[^"]{20,}">',
        (FOLDER / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert listed == [(path.name, f"pictures/{path.stem}.png") for path in PATHS]
    assert all((FOLDER / picture).is_file() for _, picture in listed)
