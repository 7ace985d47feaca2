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

NEWEST = int(pd.__version__.split(".")[0]) >= 3
"""True if this pandas shows frames as in the stored outputs, and adds no warnings of its own."""


each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@each_notebook
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


@each_notebook
def test_a_notebook_is_stored_with_its_outputs_and_without_widgets(path):
    """Its first cell says that its suburbs are made up. Its outputs have text and pictures, and need no running kernel.

    They hold no path, in any format, and no name of a user or a computer.
    """
    stored = nbformat.read(path, as_version=4)
    assert (stored.cells[0].cell_type, "made up" in stored.cells[0].source) == ("markdown", True)
    assert len(texts(stored)) > 5
    assert any("image/png" in output.get("data", {}) for cell in stored.cells for output in cell.get("outputs", []))
    shown = everything_shown(stored)
    assert ("widgets" in stored.metadata, "widget-view" in shown) == (False, False)
    names = [name for name in (getpass.getuser(), socket.gethostname()) if len(name) > 2]
    traces = [r"/(home|root|tmp|work|Users|var)/", r"[\\/]+Users[\\/]", r"ipykernel_\d"]
    traces += [re.escape(str(folder)) for folder in (Path.cwd(), Path.home(), FOLDER)]
    traces += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in names]
    assert not re.search("|".join(traces), shown)


def test_every_notebook_is_in_the_list_in_order():
    """The list of notebooks has each of them, in reading order, with a picture that exists and words for it."""
    listed = re.findall(
        r'^## \[[^\]]+\]\(([^)]+)\)\n+<img src="([^"]+)" width="\d+" alt="[^"]{20,}">',
        (FOLDER / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert listed == [(path.name, f"pictures/{path.stem}.png") for path in PATHS]
    assert all((FOLDER / picture).is_file() for _, picture in listed)
