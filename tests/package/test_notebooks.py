"""The notebooks run without a key and without the network, and give the outputs that are stored in them."""

import getpass
import re
import socket
from pathlib import Path
from typing import NamedTuple

import nbformat
import pandas as pd
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.sandbox import serve
from tests.support.notebooks import FOLDER, PATHS, NotebookError, beside, cassette_of, everything_shown, executed, texts

assert PATHS

STUDY = FOLDER / "05_reproducible_study.ipynb"

NEWEST = int(pd.__version__.split(".")[0]) >= 3
"""True if this pandas shows frames as in the stored outputs, and adds no warnings of its own."""


class Run(NamedTuple):
    """A notebook's path, the notebook after its run, and the folder of the run."""

    path: Path
    notebook: nbformat.NotebookNode
    folder: Path


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.stem)
def run(request, tmp_path_factory):
    """Run each notebook once, and share the run between tests."""
    folder = tmp_path_factory.mktemp(request.param.stem)
    return Run(request.param, executed(request.param, folder), folder)


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    """Return the path of each notebook in turn."""
    return request.param


@pytest.fixture
def run_cells(tmp_path):
    """Return a function that runs a notebook of the given cells; a sealed notebook has an empty cassette beside it."""

    def run_them(*sources, sealed=False):
        path = write_notebook(tmp_path / "one.ipynb", new_notebook(cells=[new_code_cell(one) for one in sources]))
        if sealed:
            cassette_of(path).touch()
        return executed(path, made(tmp_path / "folder"), seconds=20)

    return run_them


def made(folder):
    """Make a folder and return its path."""
    folder.mkdir()
    return folder


def write_notebook(path, notebook):
    """Write a notebook for the Python that runs the tests, and return its path."""
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    return path


def test_a_notebook_runs_and_shows_what_is_stored_in_it(run):
    """No cell and no widget fails; on the newest pandas, whose reprs are stored, all text equals the stored text."""
    if NEWEST:
        assert texts(run.notebook) == texts(nbformat.read(run.path, as_version=4))


def test_a_notebook_leaves_what_it_was_given_as_it_is(run):
    """A run leaves the notebook's cassette and its list of names unchanged."""
    for file in beside(run.path):
        assert (run.folder / file.name).read_bytes() == file.read_bytes()


def test_a_notebook_shows_no_machine(run):
    """Neither stored nor new outputs, in any format, hold a path or the name of a user or a computer."""
    here = [str(run.folder), str(Path.cwd()), str(Path.home()), str(FOLDER)]
    names = [name for name in (getpass.getuser(), socket.gethostname()) if len(name) > 2]
    traces = [r"/(home|root|tmp|work|Users|var)/", r"[\\/]+Users[\\/]", r"ipykernel_\d", *map(re.escape, here)]
    traces += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in names]
    for notebook in [nbformat.read(run.path, as_version=4), *([run.notebook] if NEWEST else [])]:
        assert not re.search("|".join(traces), everything_shown(notebook))


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


def calls_of(cassette):
    """Return the calls of a cassette sorted by item, because their order on file depends on timing."""
    return sorted(vcr_yaml.read(cassette.read_bytes()), key=lambda call: call.item)


def trying(*sources):
    """Return the code of a cell that runs each source and prints the class of its error."""
    return f"""
ends = []
for source in {sources!r}:
    try:
        exec(source)
    except Exception as error:
        ends.append(type(error).__name__)
print(*ends)
"""


def test_a_notebook_that_reaches_for_the_network_fails(run_cells):
    """Use of the network raises BlockedError, not an OSError, which code would take for a network that is down."""
    with pytest.raises(
        CellExecutionError, match=r"BlockedError.*must not use the network: socket.connect to 192.0.2.1"
    ):
        run_cells("import socket\nsocket.socket().connect(('192.0.2.1', 80))")


def test_no_way_leads_to_the_network_but_the_own_machine_is_there(run_cells):
    """Connections, datagrams, name look-ups and requests to other machines are blocked; loopback works as usual."""
    ways = [
        "socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "socket.socket().connect_ex(('192.0.2.1', 80))",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 80))",
        "socket.getaddrinfo('suburbs.example', 443)",
        "import requests; requests.get('http://192.0.2.1', timeout=1)",
        "socket.create_connection(('127.0.0.1', 1), timeout=1)",
    ]
    ((_, output),) = texts(run_cells("import socket\n" + trying(*ways)))
    assert output.split() == ["BlockedError"] * 5 + ["ConnectionRefusedError"]


def test_a_notebook_with_a_cassette_can_ask_nothing_else(run_cells):
    """For a notebook with a cassette, loopback, the sandbox and SQLite are blocked as well."""
    ways = [
        "import socket; socket.create_connection(('127.0.0.1', 1), timeout=1)",
        "from suburb_pandas.sandbox import serve; serve()",
        "import sqlite3; sqlite3.connect('store.sqlite')",
    ]
    ((_, output),) = texts(run_cells(trying(*ways), sealed=True))
    assert output.split() == ["BlockedError"] * 3


def test_an_error_inside_a_widget_fails_a_notebook(run_cells):
    """An error in an Output, in a callback or in the picker fails the notebook, although no cell failed."""
    with pytest.raises(NotebookError) as caught:
        run_cells(
            "import ipywidgets\nimport suburb_pandas as sp\nsp.connect(api_key='embedded')",
            "with ipywidgets.Output() as out:\n    [][1]\nout",
            "button = ipywidgets.Button()\nbutton.on_click(lambda _: 1 / 0)\nbutton.click()",
            "picker = sp.SuburbPicker('Nowhere')\n"
            "picker._load.press(picker._load.number, picker._load.description)\npicker",
        )
    for name in ("IndexError", "ZeroDivisionError", 'role="alert">BatchIncomplete'):
        assert name in str(caught.value)


def test_the_study_records_the_cassette_that_is_stored(tmp_path):
    """A new recording has the same calls as the stored cassette, and the same outputs as a replay of it."""
    recorded = executed(STUDY, tmp_path, recording=True)
    now, stored = (calls_of(folder / cassette_of(STUDY).name) for folder in (tmp_path, FOLDER))
    assert now == stored
    assert cassette_of(STUDY).stat().st_size < 1_000_000
    if NEWEST:
        assert texts(recorded) == texts(nbformat.read(STUDY, as_version=4))


def test_two_lines_turn_the_study_to_other_suburbs(tmp_path):
    """With another key and another list of names, the study runs unchanged and shows only the new suburbs."""
    study, other = nbformat.read(STUDY, as_version=4), made(tmp_path / "mine")
    (other / "mine_names.csv").write_text("query,state,postcode,area_name\nZamia,,,Zamia\ncider gum,TAS,,Cider Gum\n")
    with serve() as service:
        key = f'api_key="mib_live_mine", base_url="{service.url}", store=":memory:", max_cents=500'
        lines = {'api_key="embedded"': key, 'study = "05_reproducible_study"': 'study = "mine"'}
        for line, mine in lines.items():
            (cell,) = (cell for cell in study.cells if cell.cell_type == "code" and line in cell.source)
            assert cell.source.count(line) == 1
            cell.source = cell.source.replace(line, mine)
        shown = everything_shown(executed(write_notebook(other / "mine.ipynb", study), made(tmp_path / "run")))
    assert "Cider Gum" in shown
    assert "Bilby Heights" not in shown
