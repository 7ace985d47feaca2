"""Where a progress bar is shown: in a notebook and in a terminal, not in a pipe or in continuous integration."""

import os
import re
import subprocess
import sys
import threading
from contextlib import redirect_stderr, suppress
from functools import partial
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import suburb_pandas as sp
from suburb_pandas.loaders.options import bar
from tests.support.common import child_environment
from tests.support.notebooks import texts

pty = pytest.importorskip("pty", reason="only POSIX has terminals of this kind")
termios = pytest.importorskip("termios")

PROJECT = Path(__file__).parents[2]
WAIT = 60  # seconds that a child may take

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

AUTOMATIC, ASKED_FOR = {("rent", 3)}, {("impacts", 1)}
"""The bar that is shown by default where somebody watches, and the one that is shown anywhere."""


def bars_in(text):
    """Return the label and the total of each bar in a text."""
    return {(label, int(total)) for label, total in re.findall(r"(\w+): +\d+%\|[^|]*\| \d+/(\d+)", text)}


def environment(folder, **more):
    """Return the environment of a child: no CI, and no settings of the package or of IPython."""
    made = {"XDG_DATA_HOME": str(folder), "IPYTHONDIR": str(folder), "PYTHONPATH": str(PROJECT)}
    return child_environment(("SUBURB_", "IPYTHON", "JUPYTER", "CI"), **made, **more)


def in_a_pipe(folder, *, before="", **more):
    """Run the program, with some lines before it, while its stderr is a pipe, and return what it writes there."""
    found = subprocess.run(
        [sys.executable, "-c", before + LOADS],
        check=True,
        capture_output=True,
        env=environment(folder, **more),
        text=True,
        timeout=WAIT,
    )
    return found.stderr


def in_a_terminal(folder, **more):
    """Run the program while its stderr is a terminal, and return what it writes there."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen([sys.executable, "-c", LOADS], stderr=theirs, env=environment(folder, **more)) as child:
        os.close(theirs)
        hung = threading.Timer(WAIT, child.kill)
        hung.start()
        written = b""
        with suppress(OSError):  # Linux's way to say that the child has closed the terminal
            while piece := os.read(ours, 2**16):
                written += piece
        os.close(ours)
        hung.cancel()
        assert child.wait(WAIT) == 0, written.decode()
    return written.decode()


def in_a_notebook(folder, **more):
    """Run the program in a cell of a real kernel, and return what is shown below the cell, as text."""
    notebook = new_notebook(cells=[new_code_cell(LOADS)])
    kernel = NotebookClient(notebook, timeout=WAIT, resources={"metadata": {"path": str(folder)}})
    kernel.execute(env=environment(folder, **more))
    return "\n".join(text for _, text in texts(notebook))


@pytest.mark.parametrize(
    ("run", "shown"),
    [(in_a_pipe, ASKED_FOR), (in_a_terminal, AUTOMATIC | ASKED_FOR), (in_a_notebook, AUTOMATIC | ASKED_FOR)],
)
def test_several_calls_show_a_bar_where_somebody_watches(tmp_path, run, shown):
    """By default, a notebook or a terminal shows a bar for several calls. ``progress=True`` shows one anywhere."""
    assert bars_in(run(tmp_path)) == shown


@pytest.mark.parametrize("run", [in_a_terminal, in_a_notebook])
def test_an_automatic_run_shows_a_bar_only_if_it_is_asked_for(tmp_path, run):
    """If the variable CI is set, nobody watches, even if there is a notebook or a terminal."""
    assert bars_in(run(tmp_path, CI="true")) == ASKED_FOR


def test_without_stderr_nobody_watches():
    """Where there is no stderr, as under pythonw on Windows, no bar is shown by default, and none is an error."""
    with redirect_stderr(None):
        assert list(bar("rent", show=None)("ab", 2)) == ["a", "b"]


def by_position(items, number):
    """Return items, and remember their number."""
    SEEN.append(number)
    return items


def by_name(items, *, total):
    """Return items, and remember their number."""
    return by_position(items, total)


def with_more(items, colour="red", total=None):
    """Return items, and remember their number."""
    return by_position(items, total)


SEEN = []


@pytest.mark.parametrize("function", [by_position, by_name, with_more, partial(with_more, colour="blue")])
def test_a_function_of_ones_own_is_the_bar(embedded, function):
    """``progress`` may be a function that wraps the items. It gets their number as ``total=`` if it takes that name."""
    SEEN.clear()
    sp.rent(["Quokka Bay", "Woylie"], progress=function)
    assert SEEN == [2]
