"""Run the notebooks and store their outputs: ``python -m tests.notebooks``. Their tests run them in the same way."""

import os
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in a fresh kernel, in a folder of its own, without a key; give it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUBURB_", "MPLBACKEND"))}
    # As an automatic run, so that no progress bar gets into the outputs.
    environment |= {"CI": "true", "XDG_DATA_HOME": str(folder), "PYTHONPATH": str(FOLDER.parent)}
    client = NotebookClient(
        notebook,
        timeout=120,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=environment)
    _without_widgets(notebook)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def _without_widgets(notebook: nbformat.NotebookNode) -> None:
    """Leave a widget's text: what else there is of it refers to a kernel that is gone."""
    for output in (one for cell in notebook.cells for one in cell.get("outputs", [])):
        output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


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


if __name__ == "__main__":
    import tempfile

    for path in PATHS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)
