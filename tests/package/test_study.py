"""The study records its cassette again as it is stored."""

import shutil

import nbformat

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from tests.support.notebooks import FOLDER

STUDY = FOLDER / "05_reproducible_study"


def calls_of(folder):
    """Return the calls of a cassette sorted by item, because their order on file depends on timing."""
    content = (folder / f"{STUDY.name}.yaml").read_bytes()
    assert len(content) < 1_000_000
    return sorted(vcr_yaml.read(content).calls, key=lambda call: call.item)


def test_the_study_records_the_cassette_that_is_stored(tmp_path, monkeypatch):
    """A new recording has the same calls as the stored cassette, and a replay of it gives the same data and citation.

    The first two cells of code load all data.
    """
    shutil.copy(f"{STUDY}_names.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = nbformat.read(f"{STUDY}.ipynb", as_version=4).cells[:4]
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    runs = []
    for _ in range(2):
        names = {}
        exec(code, names)  # noqa: S102 - our own notebook
        runs.append((names["card"].to_csv(), sp.cite(names["card"])))
    assert runs[0] == runs[1]
    assert calls_of(tmp_path) == calls_of(FOLDER)
