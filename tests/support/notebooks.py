"""Run the notebooks and store their outputs: ``python -m tests.support.notebooks``. Tests run them in the same way.

``python -m tests.support.notebooks 05_reproducible_study`` runs only the notebooks that are named. ``--record`` records
their cassettes again first.
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

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
_BESIDE = (".csv", ".yaml")
_BLOCKED = Path(__file__).parent / "blocked"
_WIDGETS = "application/vnd.jupyter.widget-state+json"
_VIEW = "application/vnd.jupyter.widget-view+json"


class NotebookError(Exception):
    """A notebook has run to its end, and something in it went wrong all the same."""


def beside(path: Path) -> list[Path]:
    """Give the files that belong to a notebook: what is called as it is, and goes on."""
    return sorted(file for file in path.parent.glob(f"{path.stem}*") if file.suffix in _BESIDE)


def cassette_of(path: Path) -> Path:
    """Give where a notebook's cassette is, or would be."""
    return path.with_suffix(".yaml")


def executed(path: Path, folder: Path, *, recording: bool = False, seconds: int = 120) -> nbformat.NotebookNode:
    """Run a notebook in a fresh kernel, in a folder of its own, without a key; give it with its outputs.

    What belongs to it is copied there. The network is blocked, and where it has a cassette, so is all else that could
    answer. ``recording`` leaves the cassette out, so that a new one is recorded in the folder. A cell takes so many
    seconds at the most; on a busy machine, nbclient may take all of them for one that has an Output widget.

    Raises
    ------
    CellExecutionError, NotebookError
        A cell failed, or something inside a widget.
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
    """Give what a kernel finds around it: as an automatic run, so that no progress bar gets into the outputs."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SUBURB_", "MPLBACKEND", "SEALED"))
    }
    path = os.pathsep.join([str(_BLOCKED), str(FOLDER.parent)])
    return kept | {"CI": "true", "XDG_DATA_HOME": str(folder), "PYTHONPATH": path} | ({"SEALED": "1"} if sealed else {})


def errors_in(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Give what went wrong: in cells, in widgets that hold outputs, and what the suburb picker tells of."""
    widgets = notebook.metadata.get("widgets", {}).get(_WIDGETS, {}).get("state", {})
    states = [widget["state"] for widget in widgets.values()]
    for outputs in [cell.get("outputs", []) for cell in notebook.cells] + [
        state.get("outputs", []) for state in states
    ]:
        yield from (_text(output) for output in outputs if output["output_type"] == "error")
        yield from (_text(output) for output in outputs if "Traceback (most recent" in output.get("text", ""))
    yield from (state["value"] for state in states if 'role="alert"' in str(state.get("value")))


def _without_widgets(notebook: nbformat.NotebookNode) -> None:
    """Leave a widget's text: what else there is of it refers to a kernel that is gone."""
    for output in (one for cell in notebook.cells for one in cell.get("outputs", [])):
        output.get("data", {}).pop(_VIEW, None)


def texts(notebook: nbformat.NotebookNode) -> list[tuple[int, str]]:
    """Give what the cells show as text, with the number of the cell."""
    return [(number, _text(output)) for number, cell in enumerate(notebook.cells) for output in cell.get("outputs", [])]


def _text(output: Any) -> str:
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    shown = output["data"]
    return "" if "image/png" in shown else str(shown["text/plain"])


def everything_shown(notebook: nbformat.NotebookNode) -> str:
    """Give all outputs in every format but pictures, with whatever is said of them."""
    outputs = json.loads(json.dumps([cell.get("outputs", []) for cell in notebook.cells]))
    for output in (one for several in outputs for one in several):
        output.get("data", {}).pop("image/png", None)
    return json.dumps(outputs, ensure_ascii=False)


def _store(path: Path, *, record: bool) -> None:
    """Store a notebook's outputs, and before that its cassette, if it is to be recorded."""
    if record and "sp.cassette(" in path.read_text(encoding="utf-8"):
        with TemporaryDirectory() as folder:
            executed(path, Path(folder), recording=True)
            shutil.copy(Path(folder, cassette_of(path).name), path.parent)
    with TemporaryDirectory() as folder:
        nbformat.write(executed(path, Path(folder)), path)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb; by default all")
    parser.add_argument("--record", action="store_true", help="record their cassettes anew first")
    asked = parser.parse_args()
    for path in PATHS:
        if not asked.names or path.stem in asked.names:
            _store(path, record=asked.record)
