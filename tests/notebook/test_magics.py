"""Tests of the magic ``%%cassette`` in an IPython shell."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

import suburb_pandas as sp
from suburb_pandas.cassettes.cassette import in_use


@pytest.fixture
def shell(embedded, tmp_path, monkeypatch):
    """Yield a shell that has loaded the extension and runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.run_cell("%load_ext suburb_pandas\nimport suburb_pandas as sp")
    yield shell
    InteractiveShell.clear_instance()


def test_a_cell_is_recorded_and_replayed(shell, tmp_path):
    """A cell with the magic assigns its variables and returns its last value. Afterwards no cassette is in use."""
    recorded = shell.run_cell("%%cassette 'my study.yaml'\nrents = sp.rent('Quokka Bay')\nlen(rents)")
    assert recorded.result == len(shell.user_ns["rents"]) > 100
    assert (tmp_path / "my study.yaml").exists()
    assert in_use() is None
    replayed = shell.run_cell('%%cassette "my study.yaml" none\nlen(sp.rent("Quokka Bay"))')
    assert replayed.result == recorded.result
    assert shell.run_cell('%%cassette "my study.yaml"\nlen(sp.rent("Quokka Bay"));').result is None
    assert shell.run_cell('%%cassette "my study.yaml"\nx = 1').result is None


def test_an_error_in_the_cell_is_an_error_of_the_cell(shell):
    """An error inside the cell is raised for the whole cell, so that running all cells stops there."""
    result = shell.run_cell("%%cassette study.yaml\nx = 1\nsp.rent('Quokka Bay', layout='tall')")
    assert isinstance(result.error_in_exec, ValueError)
    assert in_use() is None
    assert shell.user_ns["x"] == 1
    assert isinstance(shell.run_cell("%%cassette study.yaml\n1 +").error_in_exec, SyntaxError)
    assert isinstance(shell.run_cell("%%cassette none.yaml none\n1").error_in_exec, sp.errors.CassetteError)


def test_magics_work_within_the_cell(shell, capsys):
    """Other magics work inside the cell, and the magic's help names its arguments."""
    assert shell.run_cell("%%cassette study.yaml\nhere = %pwd\nhere").result
    assert "path" in shell.find_cell_magic("cassette").__doc__
