"""The study records its cassette again as it is stored, and serves others with other names, keys and lists."""

import shutil

import nbformat
import pandas as pd

from suburb_pandas.__main__ import main
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.names.sal import STATES
from tests.support.adversary import serve
from tests.support.notebooks import FOLDER, cassette_of, executed, texts, write

STUDY = FOLDER / "05_reproducible_study.ipynb"


def calls_of(cassette):
    """Return the calls of a cassette sorted by item, because their order on file depends on timing."""
    return sorted(vcr_yaml.read(cassette.read_bytes()).calls, key=lambda call: call.item)


def test_the_study_records_the_cassette_that_is_stored(tmp_path):
    """A new recording has the same calls as the stored cassette, and the same outputs as a replay of it."""
    recorded = executed(STUDY, tmp_path, recording=True)
    now, stored = (calls_of(folder / cassette_of(STUDY).name) for folder in (tmp_path, FOLDER))
    assert now == stored
    assert cassette_of(STUDY).stat().st_size < 1_000_000
    if int(pd.__version__.split(".")[0]) >= 3:  # older ones show frames in another way
        assert texts(recorded) == texts(nbformat.read(STUDY, as_version=4))


def changed(study, lines):
    """Return the notebook of the study with some lines changed, each of which it has once."""
    notebook = nbformat.read(study, as_version=4)
    for line, mine in lines.items():
        (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and line in cell.source)
        assert cell.source.count(line) == 1
        cell.source = cell.source.replace(line, mine)
    return notebook


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
