"""The program that runs the notebooks blocks the network, and finds the errors that occur inside widgets."""

import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from tests.support.notebooks import NotebookError, cassette_of, executed, texts, write


@pytest.fixture
def run_cells(tmp_path):
    """Return a function that runs a notebook of the given cells; a sealed notebook has an empty cassette beside it."""

    def run_them(*sources, sealed=False):
        path = write(new_notebook(cells=[new_code_cell(one) for one in sources]), tmp_path / "one.ipynb")
        if sealed:
            cassette_of(path).touch()
        folder = tmp_path / "folder"
        folder.mkdir()
        return executed(path, folder, seconds=20)

    return run_them


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
