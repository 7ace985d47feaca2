"""Runs the notebooks and stores their outputs: ``python -m tests.support.notebooks``.

``python -m tests.support.notebooks 05_reproducible_study`` runs only the named notebooks. ``--record`` first records
their cassettes anew.
"""

import json
import shutil
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from suburb_pandas.notebook.check import client_of
from suburb_pandas.settings import RERUN

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
_BESIDE = (".csv", ".yaml")
_VIEW = "application/vnd.jupyter.widget-view+json"


def beside(path: Path) -> list[Path]:
    """Return the files that a notebook needs: data whose names begin with the name of the notebook."""
    return sorted(file for file in path.parent.glob(f"{path.stem}*") if file.suffix in _BESIDE)


def _executed(path: Path, folder: Path, *, recording: bool = False) -> nbformat.NotebookNode:
    """Run a notebook as `check` does, and return it with its outputs.

    The kernel runs in ``folder``, to which the notebook's data files are copied. With ``recording`` the cassette is
    left out, so that the notebook records a new one in the folder.
    """
    for file in beside(path):
        if not (recording and file.suffix == ".yaml"):
            shutil.copy(file, folder)
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as home:
        client = client_of(notebook, folder, home, 120)
        client.allow_errors = False
        if recording:
            client.km.kernel_spec.env[RERUN] = ""
        client.execute(cleanup_kc=True)
    _without_widgets(notebook)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def _without_widgets(notebook: nbformat.NotebookNode) -> None:
    """Remove widget views from the outputs, because they need a running kernel, and outputs with nothing else."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(_VIEW, None)
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def texts(notebook: nbformat.NotebookNode) -> list[tuple[int, str]]:
    """Return the text outputs of the cells, each with the number of its cell."""
    return [
        (number, output.get("text") or output["data"].get("text/plain", ""))
        for number, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", [])
    ]


def everything_shown(notebook: nbformat.NotebookNode) -> str:
    """Return all outputs and their metadata as JSON, in every format but PNG."""
    outputs = json.loads(json.dumps([cell.get("outputs", []) for cell in notebook.cells]))
    for output in (one for several in outputs for one in several):
        output.get("data", {}).pop("image/png", None)
    return json.dumps(outputs, ensure_ascii=False)


def _store(path: Path, *, record: bool) -> None:
    """Run a notebook and store its outputs; with ``record``, record its cassette first."""
    if record and "sp.cassette(" in path.read_text(encoding="utf-8"):
        with TemporaryDirectory() as folder:
            _executed(path, Path(folder), recording=True)
            shutil.copy(Path(folder, f"{path.stem}.yaml"), path.parent)
    with TemporaryDirectory() as folder:
        nbformat.write(_executed(path, Path(folder)), path)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb; by default all")
    parser.add_argument("--record", action="store_true", help="first record their cassettes anew")
    asked = parser.parse_args()
    for path in PATHS:
        if not asked.names or path.stem in asked.names:
            _store(path, record=asked.record)
