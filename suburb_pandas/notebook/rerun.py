"""Runs a notebook as on another person's machine: with no network, no key, no store and an empty home.

Comparing its outputs with the stored ones is left to check. It needs nbclient, which the extra ``check`` installs.
"""

from __future__ import annotations

import asyncio
import os
import signal
import site
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from suburb_pandas.settings import RERUN, environment_without

WIDGETS: Final = "application/vnd.jupyter.widget-state+json"
"""The key of the widgets in a notebook's metadata."""

_STARTS: Final = 3  # attempts to start a kernel
_OFFLINE: Final = Path(__file__).parent / "offline"
_LEFT_OUT: Final = ("SUBURB_", "XDG_", "IPYTHON", "JUPYTER_", "MPL", "PYTHONSTARTUP")


class EndedEarlyError(Exception):
    """A notebook whose kernel ended before its last cell. ``position`` is that of the cell that was running."""

    def __init__(self, why: str, position: int) -> None:
        super().__init__(why)
        self.position = position


def rerun(notebook: NotebookNode, folder: Path, *, seconds: int, may_record: bool = False) -> None:
    """Run all cells of a notebook in a new kernel, and put their outputs in the place of the stored ones.

    Parameters
    ----------
    notebook
        The notebook. It is changed in memory only.
    folder
        The folder in which the kernel runs.
    seconds
        The longest time that a cell may take.
    may_record
        Allow calls to the service, cassettes to record, and stores to stay. Otherwise nothing is sent but to the
        embedded sandbox, cassettes only replay, and stores are temporary.

    Raises
    ------
    EndedEarlyError
        A cell took too long, or the kernel died. The notebook has the outputs of the cells before that one.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    begun: list[int] = []
    for start in range(1, _STARTS + 1):
        try:
            _run(_client(notebook, folder, seconds, begun), begun, may_record=may_record)
        except RuntimeError:  # another program took one of its ports before the kernel did
            if begun or start == _STARTS:
                raise
        else:
            return


def _client(notebook: NotebookNode, folder: Path, seconds: int, begun: list[int]) -> NotebookClient:
    """Return a client that runs a notebook, and adds the position of each cell that begins to ``begun``."""
    return NotebookClient(
        notebook,
        km=_this_python(),
        timeout=seconds,
        allow_errors=True,
        record_timing=False,
        store_widget_state=True,
        on_notebook_start=_leave_interrupts_to_python,
        on_cell_execute=lambda cell, cell_index: begun.append(cell_index),  # noqa: ARG005 - nbclient passes both
        extra_arguments=["--log-level=CRITICAL"],  # the rest is about loopback without encryption, and about Ctrl-C
        resources={"metadata": {"path": str(folder)}},
    )


def _run(client: NotebookClient, begun: list[int], *, may_record: bool) -> None:
    with TemporaryDirectory(prefix="suburb_pandas-") as home:
        try:
            client.execute(cleanup_kc=True, env=_environment(Path(home), may_record=may_record))
        except (CellTimeoutError, DeadKernelError) as problem:
            is_slow = isinstance(problem, CellTimeoutError)
            why = f"took longer than {client.timeout} s" if is_slow else "ended the kernel"
            raise EndedEarlyError(why, begun[-1] if begun else 0) from None
        except RuntimeError:
            client.km = _this_python()  # nbclient cleans up again when Python exits, and fails without a manager
            raise


def _this_python() -> AsyncKernelManager:
    """Return the manager of a kernel of this Python, whatever kernels the user has installed."""
    return AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))


def _leave_interrupts_to_python(**_: Any) -> None:
    """Let Ctrl-C raise KeyboardInterrupt. nbclient would end the kernel, and report that it died."""
    asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)


def _environment(home: Path, *, may_record: bool) -> dict[str, str]:
    """Return the environment of a kernel. With CI set, no progress bar gets into the outputs.

    It names no proxy: one on this machine would lead to the network, because loopback is allowed.
    """
    kept = environment_without(_LEFT_OUT)
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    own = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONUSERBASE": site.getuserbase(),  # the packages that pip installed for this user
        "PYTHONPATH": os.pathsep.join([str(_OFFLINE), *filter(None, [kept.get("PYTHONPATH")])]),
        "CI": "true",
    }
    return kept | folders | own | ({} if may_record else {RERUN: "1"})


def shown_in(output: Any) -> str:
    """Return an output as text; a picture as the word for one."""
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    shown = output["data"]
    return "[picture]" if "image/png" in shown else str(shown.get("text/plain", ""))


def errors_in_widgets(notebook: NotebookNode) -> list[str]:
    """Return the errors in widgets: in callbacks, in widgets that hold outputs, and in the suburb picker."""
    widgets = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    states = [widget["state"] for widget in widgets.values()]
    outputs = [output for state in states for output in state.get("outputs", [])]
    in_cells = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [
        *(shown_in(output) for output in outputs if output["output_type"] == "error"),
        *(shown_in(output) for output in [*in_cells, *outputs] if "Traceback (most recent" in output.get("text", "")),
        *(str(state["value"]) for state in states if 'role="alert"' in str(state.get("value"))),
    ]
