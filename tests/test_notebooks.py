"""The notebooks run from top to bottom without a key, and show what is stored in them."""

import re

import nbformat
import pandas as pd
import pytest

from tests.notebooks import PATHS, executed, texts

assert PATHS


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    """Give each notebook."""
    return request.param


def test_a_notebook_runs_and_shows_what_is_stored_in_it(path, tmp_path):
    """No cell fails; on the newest pandas, whose reprs are the stored ones, all text is the same."""
    now = executed(path, tmp_path)
    kinds = {output["output_type"] for cell in now.cells for output in cell.get("outputs", [])}
    assert "error" not in kinds
    if int(pd.__version__.split(".")[0]) >= 3:
        assert texts(now) == texts(nbformat.read(path, as_version=4))


def test_a_notebook_is_stored_with_its_outputs_and_shows_no_machine(path):
    """A reader on the web sees tables and pictures, and no path or user name."""
    stored = nbformat.read(path, as_version=4)
    assert len(texts(stored)) > 5
    assert any("image/png" in output.get("data", {}) for cell in stored.cells for output in cell.get("outputs", []))
    shown = "\n".join(text for _, text in texts(stored))
    assert not re.search(r"/(home|root|tmp|work|Users)/|\\Users\\", shown)
    assert "widgets" not in stored.metadata


def test_a_notebook_says_that_its_suburbs_are_made_up(path):
    """Before the first number, in the text."""
    first = nbformat.read(path, as_version=4).cells[0]
    assert first.cell_type == "markdown"
    assert "made up" in first.source
