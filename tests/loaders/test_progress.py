"""Where a progress bar is shown: in a notebook and in a terminal, not in a pipe or in continuous integration."""

import io
import re
from contextlib import redirect_stderr
from itertools import islice
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import suburb_pandas as sp
from suburb_pandas.loaders import options
from suburb_pandas.loaders.options import bar
from tests.support.common import child_environment
from tests.support.notebooks import texts

PROJECT = Path(__file__).parents[2]

LOADS = """
import suburb_pandas as sp
from suburb_pandas.loaders import options
options.DELAY = 0
sp.connect(api_key="embedded")
names = ["Quokka Bay", "Bilby Heights", "Woylie", "Cider Gum"]
sp.rent(names[:1])
sp.rent(names[:3], refresh=True)
sp.impacts(names[:1], progress=True)
sp.impacts(names, progress=False)
"""
"""A program that loads one rent and three, and with ``progress=True`` one suburb's impacts, with ``False`` four."""

ASKED_FOR = {("impacts", 1)}
"""The bar that is shown anywhere."""

BOTH = {("rent", 3), *ASKED_FOR}
"""The bars where somebody watches: also one for several calls, by default."""


def bars_in(text):
    """Return the label and the total of each bar in a text."""
    return {(label, int(total)) for label, total in re.findall(r"(\w+): +\d+%\|[^|]*\| \d+/(\d+)", text)}


def on_stderr(is_terminal):
    """Run the program while stderr is a terminal, or a pipe, and return what it writes there."""
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    with redirect_stderr(stream):
        exec(LOADS, {})  # noqa: S102 - as in a cell of a notebook
    return stream.getvalue()


@pytest.mark.parametrize(
    ("is_terminal", "ci", "shown"), [(False, "", ASKED_FOR), (True, "", BOTH), (True, "true", ASKED_FOR)]
)
def test_several_calls_show_a_bar_in_a_terminal(monkeypatch, is_terminal, ci, shown):
    """By default, a terminal shows a bar for several calls. ``progress=True`` shows one anywhere.

    If the variable CI is set, nobody watches, even if there is a terminal.
    """
    monkeypatch.setattr(options, "DELAY", 0)
    monkeypatch.setenv("CI", ci)
    assert bars_in(on_stderr(is_terminal)) == shown


def test_several_calls_show_a_bar_in_a_notebook(tmp_path):
    """A notebook shows the same bars as a terminal, below the cell."""
    notebook = new_notebook(cells=[new_code_cell(LOADS)])
    folders = {"XDG_DATA_HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path), "PYTHONPATH": str(PROJECT)}
    kernel = NotebookClient(notebook, startup_timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    kernel.execute(env=child_environment(("SUBURB_", "IPYTHON", "JUPYTER", "CI"), **folders))
    assert bars_in("\n".join(text for _, text in texts(notebook))) == BOTH


def test_without_stderr_nobody_watches():
    """Where there is no stderr, as under pythonw on Windows, no bar is shown by default, and none is an error."""
    with redirect_stderr(None):
        assert list(bar("rent", show=None)("ab", 2)) == ["a", "b"]


def test_a_function_of_ones_own_is_the_bar(embedded):
    """``progress`` may be a function that wraps the items. It gets their number as ``total=`` if it takes that name."""
    seen = []

    def by_position(items, number):
        seen.append(number)
        return items

    for function in (by_position, lambda items, *, total: by_position(items, total)):
        sp.rent(["Quokka Bay", "Woylie"], progress=function, refresh=True)
    assert seen == [2, 2]


def test_a_bar_that_stops_early_stops_no_purchase(live, service):
    """A bar of the user's own that reads one item of three gets a frame of all three."""
    names = ["Quokka Bay", "Bilby Heights", "Woylie"]
    frame = sp.rent(names, progress=lambda items, total: islice(items, total - 2))
    assert frame["area_name"].nunique() == service.total_cents / 30 == 3
