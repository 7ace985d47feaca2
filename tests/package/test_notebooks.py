"""The notebooks run without a key and without the network, and give the outputs that are stored in them."""

import getpass
import re
import shutil
import socket
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from suburb_pandas.__main__ import main
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.names.sal import STATES
from suburb_pandas.sandbox import serve
from tests.support.notebooks import FOLDER, PATHS, cassette_of, everything_shown, executed, texts, write

assert PATHS

STUDY = FOLDER / "05_reproducible_study.ipynb"

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
    assert re.search(r" reruns: \d+ cells, |: 0 failed and \d+ differ, of \d+ cells", capsys.readouterr().out)
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


def calls_of(cassette):
    """Return the calls of a cassette sorted by item, because their order on file depends on timing."""
    return sorted(vcr_yaml.read(cassette.read_bytes()).calls, key=lambda call: call.item)


def test_the_study_records_the_cassette_that_is_stored(tmp_path):
    """A new recording has the same calls as the stored cassette, and the same outputs as a replay of it."""
    recorded = executed(STUDY, tmp_path, recording=True)
    now, stored = (calls_of(folder / cassette_of(STUDY).name) for folder in (tmp_path, FOLDER))
    assert now == stored
    assert cassette_of(STUDY).stat().st_size < 1_000_000
    if NEWEST:
        assert texts(recorded) == texts(nbformat.read(STUDY, as_version=4))


def changed(study, lines):
    """Return the notebook of the study with some lines changed, each of which it has once."""
    notebook = nbformat.read(study, as_version=4)
    for line, mine in lines.items():
        (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and line in cell.source)
        assert cell.source.count(line) == 1
        cell.source = cell.source.replace(line, mine)
    return notebook


def test_two_lines_turn_the_study_to_other_suburbs(tmp_path):
    """With another key and another list of names, the study runs unchanged and shows only the new suburbs."""
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "mine_names.csv").write_text(
        "query,state,postcode,area_name\nZamia,,,Zamia\ncider gum,TAS,,Cider Gum\n"
    )
    with serve() as service:
        key = f'api_key="mib_live_mine", base_url="{service.url}", store=":memory:", max_cents=500'
        study = changed(STUDY, {'api_key="embedded"': key, 'study = "05_reproducible_study"': 'study = "mine"'})
        shown = everything_shown(executed(write(study, tmp_path / "mine.ipynb"), run, recording=True))
    assert "Cider Gum" in shown
    assert "Bilby Heights" not in shown


def test_the_study_with_pins_from_a_list_reruns_in_an_empty_home(tmp_path, capsys):
    """Names that a loaded list settled are on the cassette: a colleague needs neither the list, the key nor the store.

    The names that were resolved become a file of pins, while it records and again in the replay.
    """
    run, lists = tmp_path / "run", tmp_path / "lists"
    run.mkdir()
    lists.mkdir()
    pinned = pd.read_csv(FOLDER / "05_reproducible_study_names.csv", dtype="str")
    pinned["state"] = pinned["state"].fillna("VIC")
    pinned.assign(postcode=None).drop(columns="area_name").to_csv(run / "mine_queries.csv", index=False)
    named = dict(zip(pinned["area_name"], pinned["state"], strict=True))
    named |= {"Lantern Bay (Tas.)": "TAS", "Kestrel Hill (Qld)": "QLD"}
    rows = [f"{name},{STATES[state]}" for name, state in named.items()]
    (lists / "SAL.csv").write_text("\n".join(["SAL_NAME_2021,STATE_NAME_2021", *rows]))
    with serve() as service:
        store = f'base_url="{service.url}", store="{lists / "store.sqlite"}", max_cents=2000'
        loading = f'api_key="mib_live_mine", {store})\nsp.load_gazetteer("{lists / "SAL.csv"}", complete=True'
        lines = {
            'study = "05_reproducible_study"': 'study = "mine"',
            "asked = pd.read_csv(pins, ": 'asked = pd.read_csv("mine_queries.csv", ',
            "pins=pins)": "pins=pins, append_pins=True)",
        }
        recording = changed(STUDY, {**lines, 'api_key="embedded"': loading})
        recorded = executed(write(recording, tmp_path / "mine.ipynb"), run, recording=True)
    pins = (run / "mine_names.csv").read_bytes()
    (run / "mine_names.csv").unlink()
    shutil.rmtree(lists)
    for cell, plain in zip(recorded.cells, changed(STUDY, lines).cells, strict=True):
        cell.source = plain.source
    main(["check", str(write(recorded, run / "mine.ipynb"))])
    assert " reruns: " in capsys.readouterr().out
    assert (run / "mine_names.csv").read_bytes() == pins
