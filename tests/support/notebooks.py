"""Runs the notebooks and stores their outputs: ``python -m tests.support.notebooks``. Tests run them in the same way.

``python -m tests.support.notebooks 05_reproducible_study`` runs only the named notebooks. ``--record`` first records
their cassettes anew.
"""

import json
import os
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.support.common import child_environment

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
_BESIDE = (".csv", ".yaml")
_BLOCKED = Path(__file__).parent / "blocked"
_WIDGETS = "application/vnd.jupyter.widget-state+json"
_VIEW = "application/vnd.jupyter.widget-view+json"


class NotebookError(Exception):
    """An error in a notebook that has run to its end, such as an error inside a widget."""


def beside(path: Path) -> list[Path]:
    """Return the data files of a notebook: those whose names begin with the name of the notebook."""
    return sorted(file for file in path.parent.glob(f"{path.stem}*") if file.suffix in _BESIDE)


def cassette_of(path: Path) -> Path:
    """Return the path of a notebook's cassette, which need not exist."""
    return path.with_suffix(".yaml")


def executed(path: Path, folder: Path, *, recording: bool = False, seconds: int = 120) -> nbformat.NotebookNode:
    """Run a notebook in a new kernel without a key, and return it with its outputs.

    The kernel runs in ``folder``, to which the notebook's data files are copied. The network is blocked; for a notebook
    with a cassette, so are loopback, the sandbox and SQLite. With ``recording`` the cassette is left out, so that the
    notebook records a new one in the folder. ``seconds`` limits each cell; on a busy machine, nbclient may use up that
    limit for a cell with an Output widget.

    Raises
    ------
    CellExecutionError, NotebookError
        A cell failed, or an error occurred inside a widget.
    """
    files = [file for file in beside(path) if not (recording and file == cassette_of(path))]
    for file in files:
        shutil.copy(file, folder)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=seconds,
        record_timing=False,
        store_widget_state=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=_environment(folder, sealed=cassette_of(path) in files))
    if errors := list(errors_in(notebook)):
        raise NotebookError(f"{path.name}: {'; '.join(errors)}")
    _without_widgets(notebook)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def _environment(folder: Path, *, sealed: bool) -> dict[str, str]:
    """Return the environment of a kernel, with CI set so that no progress bar gets into the outputs."""
    made = {
        "CI": "true",
        "XDG_DATA_HOME": str(folder),
        "PYTHONPATH": os.pathsep.join([str(_BLOCKED), str(FOLDER.parent)]),
    }
    return child_environment(("SUBURB_", "MPLBACKEND", "SEALED"), **made, **({"SEALED": "1"} if sealed else {}))


def errors_in(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the errors in cells, in widgets that hold outputs, and in the suburb picker."""
    widgets = notebook.metadata.get("widgets", {}).get(_WIDGETS, {}).get("state", {})
    states = [widget["state"] for widget in widgets.values()]
    for outputs in [cell.get("outputs", []) for cell in notebook.cells] + [
        state.get("outputs", []) for state in states
    ]:
        yield from (_text(output) for output in outputs if output["output_type"] == "error")
        yield from (_text(output) for output in outputs if "Traceback (most recent" in output.get("text", ""))
    yield from (state["value"] for state in states if 'role="alert"' in str(state.get("value")))


def _without_widgets(notebook: nbformat.NotebookNode) -> None:
    """Remove widget views from the outputs, because they need a running kernel, and keep the text beside them."""
    for output in (one for cell in notebook.cells for one in cell.get("outputs", [])):
        output.get("data", {}).pop(_VIEW, None)


def write(notebook: nbformat.NotebookNode, path: Path) -> Path:
    """Write a notebook for the Python that runs the tests, and return its path."""
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    return path


def texts(notebook: nbformat.NotebookNode) -> list[tuple[int, str]]:
    """Return the text outputs of the cells, each with the number of its cell."""
    return [(number, _text(output)) for number, cell in enumerate(notebook.cells) for output in cell.get("outputs", [])]


def _text(output: Any) -> str:
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    shown = output["data"]
    return "" if "image/png" in shown else str(shown["text/plain"])


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
            executed(path, Path(folder), recording=True)
            shutil.copy(Path(folder, cassette_of(path).name), path.parent)
    with TemporaryDirectory() as folder:
        nbformat.write(executed(path, Path(folder)), path)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb; by default all")
    parser.add_argument("--record", action="store_true", help="first record their cassettes anew")
    asked = parser.parse_args()
    for path in PATHS:
        if not asked.names or path.stem in asked.names:
            _store(path, record=asked.record)
