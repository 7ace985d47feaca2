"""Checks whether a notebook reruns: runs it with no key, no store and an empty home, and compares what its cells show.

Needs nbclient, which the extra ``check`` installs. Printing the report is left to ``__main__``.
"""

from __future__ import annotations

import re
import site
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import ipykernel  # noqa: F401 - without it there is no kernel
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError
from nbformat import NotebookNode

from suburb_pandas.messages import counted
from suburb_pandas.redaction import holds_key
from suburb_pandas.settings import RERUN

_SHOWN_LINES: Final = 20
_LONGEST_CODE: Final = 70
_SETTINGS: Final = ("SUBURB_API_KEY", "SUBURB_BASE_URL", "SUBURB_STORE", "SUBURB_MAX_CENTS", "SUBURB_BUDGET_CENTS")
_CHANGING: Final = re.compile(
    r"(?<=\bat )0x[0-9a-fA-F]+"  # an address in memory
    r"|(?<!\S)\S*[/\\](?:ipykernel_\d+[/\\]\d+\.py|(?=[\w.-]+\.py:\d+: \w*Warning))"  # the file that a warning names
    r"|(?<=T_)[0-9a-f]{5}"  # the id of a styled table
    r"|(?<=CPU times: ).*|(?<=Wall time: ).*"
)
"""Texts that differ between runs or machines, and count as equal."""


def check(path: Path, *, seconds: int = 600) -> Iterator[str]:
    """Run a notebook, and yield a report on each cell whose text differs from the text stored in the notebook.

    The text of outputs is compared: streams, errors, plain text and HTML. Pictures and widgets are not, but an error in
    an output widget is reported. A file that cannot be read as a notebook is reported, too. If nothing is reported, the
    notebook reruns.

    The notebook runs in its own folder, beside its cassettes, and is not changed. Nothing is sent but to the embedded
    sandbox, and cassettes only replay; other libraries may use the network. A cell may take ``seconds`` at most.
    """
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook, relax_add_props=True)
    except (OSError, ValueError, AttributeError, KeyError, nbformat.ValidationError) as problem:
        yield f"{path} cannot be read as a notebook: {_line(str(problem))}"
        return
    code = [(position, cell) for position, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    where = "before the first cell"
    with TemporaryDirectory(prefix="suburb_pandas-") as home:
        client = client_of(notebook, path.resolve().parent, home, seconds)
        try:
            with client.setup_kernel(cleanup_kc=True):
                for number, (position, cell) in enumerate(code, 1):
                    where, stored = f"cell {number} ({_first_line(cell.source)})", _lines(cell)
                    client.execute_cell(cell, position)
                    if changes := _changes(stored, _lines(cell)):
                        yield "\n    ".join([f"{where}: {_verdict(cell)}", *changes])
                for widget in client.widget_state.values():  # the output of a function that a widget called
                    if error := _error(widget.get("outputs", ())):
                        yield f"a widget: failed\n    {_line('{ename}: {evalue}'.format_map(error))}"
        except CellTimeoutError:
            yield f"{where}: took longer than {seconds} s, so the cells after it were not run"
        except RuntimeError:  # nbclient's errors of a kernel that died
            yield f"{where}: the kernel ended, so the cells after it were not run"


def client_of(notebook: NotebookNode, folder: Path, home: str, seconds: int) -> NotebookClient:
    """Return a client that runs a notebook in a folder, in a kernel of this Python, and goes on after an error.

    ``CI`` is set, so that no progress bar gets into the outputs.
    """
    manager = AsyncKernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))  # the user's run other Pythons
    packages = site.getuserbase()  # those that pip installed for this user
    manager.kernel_spec.env = dict.fromkeys(_SETTINGS, "") | {  # type: ignore[union-attr] # ipykernel is installed
        **dict.fromkeys(("HOME", "USERPROFILE", "IPYTHONDIR"), home),
        "PYTHONUSERBASE": packages,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "CI": "true",
        "PYTHONDONTWRITEBYTECODE": "1",  # a module beside the notebook leaves nothing there
        RERUN: "1",
    }
    return NotebookClient(
        notebook,
        km=manager,
        timeout=seconds,
        allow_errors=True,
        record_timing=False,
        shutdown_kernel="graceful",  # its client then removes its temporary store
        extra_arguments=["--log-level=CRITICAL"],  # other messages say that loopback is not encrypted
        resources={"metadata": {"path": str(folder)}},
    )


def _verdict(cell: NotebookNode) -> str:
    return "failed" if _error(cell.outputs) else "its text differs from the stored text"


def _error(outputs: Iterable[NotebookNode]) -> NotebookNode | None:
    return next((output for output in outputs if output["output_type"] == "error"), None)


def _changes(before: list[str], now: list[str]) -> list[str]:
    """Return the lines that were stored (-) and are not shown now, or are shown now (+) and were not stored."""
    difference = list(unified_diff(before, now, n=0, lineterm=""))[2:]
    changes = [_line(line) for line in difference if not line.startswith("@@")]
    others = changes[_SHOWN_LINES:]
    return [*changes[:_SHOWN_LINES], *([f"and {counted(len(others), 'more line')}"] if others else [])]


def _lines(cell: NotebookNode) -> list[str]:
    """Return the lines of text that a cell shows, the streams first: they arrive in any order."""
    texts = {"stdout": "", "stderr": "", "others": ""}
    for output in cell.outputs:
        if output.output_type == "stream":
            texts[output.name] += output.text
        elif output.output_type == "error":
            texts["others"] += f"{output.ename}: {output.evalue}\n"
        else:
            shown = [output.data[kind] for kind in ("text/plain", "text/html") if kind in output.data]
            texts["others"] += "".join(f"{text}\n" for text in shown)
    return _CHANGING.sub("...", "\n".join(filter(None, texts.values()))).splitlines()


def _first_line(source: str) -> str:
    """Return the first line of code, without comments."""
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return _line(lines[0])[:_LONGEST_CODE] if lines else "no code"


def _line(text: str) -> str:
    """Return a text as one printable line, or a note instead if it holds a production key."""
    if holds_key(text, ()):
        return "(not shown, as it holds an API key)"
    return "".join(letter if letter.isprintable() else " " for letter in text)
