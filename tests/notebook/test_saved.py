"""The output that stands for the picker in a saved notebook: its line of code and its last table."""

import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from suburb_pandas.notebook.check import check
from suburb_pandas.notebook.rerun import rerun
from suburb_pandas.notebook.result.saved import is_saved_output

PICKERS = """\
import ipywidgets
import suburb_pandas as sp
from tests.support.pickers import press

sp.connect(api_key="embedded", store=":memory:")
picker, other = sp.SuburbPicker(["Quokka Bay", "Woylie"]), sp.SuburbPicker("Woylie", "impacts")
picker"""
LOADS = """\
picker.value = ("Woylie",)
press(picker, "Load")"""
CELLS = [PICKERS, "display(picker, other)", "ipywidgets.VBox([picker])", LOADS, "picker"]
NOTHING = "SuburbPicker(['Woylie'], 'impacts')\n\nNothing was loaded in this picker."


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Return a notebook of pickers that a kernel has run."""
    made = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    rerun(made, tmp_path_factory.mktemp("kernel"), seconds=60)
    return made


def saved(cell):
    """Return the data of the outputs that stand for pickers in a cell."""
    return [output["data"] for output in cell["outputs"] if is_saved_output(output)]


def test_each_display_of_a_picker_has_its_last_code_and_table(notebook):
    """A load in a later cell changes the outputs of earlier cells, wherever the picker is displayed."""
    first, second, boxed, loads, last = notebook.cells
    ((one,), (two, untouched), (three,)) = map(saved, (first, second, last))
    assert one == two == three
    code, caption, *table = one["text/plain"].split("\n\n")
    assert (code, caption) == ("sp.rent(['Woylie'])", "Rents: each suburb's last 3 dates (made-up suburbs)")
    assert "Woylie  2026-04-26" in table[0]
    assert "<pre><code>sp.rent([&#x27;Woylie&#x27;])</code></pre>\n<table>" in one["text/html"]
    assert untouched["text/plain"] == NOTHING
    assert "<p>Nothing was loaded in this picker.</p>" in untouched["text/html"]
    assert (saved(boxed), loads["outputs"]) == ([], [])


def test_the_picker_itself_is_displayed_as_any_widget(notebook):
    """The widget comes first, and without text, so that a page without widgets shows the saved output alone."""
    first, second, *_ = notebook.cells
    view = "application/vnd.jupyter.widget-view+json"
    assert [view in output["data"] for output in first["outputs"]] == [True, False]
    assert [view in output["data"] for output in second["outputs"]] == [True, False, True, False]
    assert [*first["outputs"][0]["data"]] == [view]


def test_what_was_loaded_by_hand_does_not_keep_a_notebook_from_rerunning(notebook, tmp_path):
    """`check` presses no buttons, so that it does not compare what the buttons of a picker loaded."""
    notebook = nbformat.from_dict(notebook | {"cells": notebook.cells[:3]})
    path = tmp_path / "study.ipynb"
    nbformat.write(notebook, path)
    report = check(path, seconds=60)
    assert report.reruns, str(report)


def test_a_terminal_shows_the_repr_alone_and_plain_python_nothing():
    """Outside of notebooks there is no file to save, and no second output."""
    code = """
import suburb_pandas as sp
from IPython.core.interactiveshell import InteractiveShell
picker = sp.SuburbPicker("Woylie")
picker._ipython_display_()
print("IPython")
shell = InteractiveShell.instance(user_ns={"picker": picker})
shell.run_cell("picker")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "IPython\nOut[0]: SuburbPicker(['Woylie'], 'rent')\n"
