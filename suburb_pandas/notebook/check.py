"""Checks that a notebook reruns: compares the text of its cells with the stored text, and explains failures.

Running the notebook is left to rerun, printing the report and the exit code to ``__main__``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from shlex import quote
from typing import Final

import nbformat
from nbformat import NotebookNode

from suburb_pandas.errors import SyntheticDataWarning
from suburb_pandas.messages import counted
from suburb_pandas.notebook.rerun import EndedEarlyError, errors_in_widgets, rerun, shown_in
from suburb_pandas.notebook.result.saved import is_saved_output
from suburb_pandas.redaction import holds_key
from suburb_pandas.settings import RERUN

_SHOWN_LINES: Final = 20
_LONGEST_CODE: Final = 70
_LONGEST_LINE: Final = 600
_MADE_UP: Final = SyntheticDataWarning.__name__
_CHANGING: Final = (
    (re.compile(r"\bat 0x[0-9a-fA-F]+"), "at 0x..."),
    (re.compile(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py"), "ipykernel.py"),
    (re.compile(r"\S*[/\\](?=[\w.-]+\.py:\d+: \w*Warning)"), ""),
)
"""Texts that differ between runs or machines: addresses in memory, and the folders of files named in warnings."""

_REASONS: Final = {
    "NotStored: .*? has no look-ups of": "a query that is not in a file of pins",
    "NotStored: ": "a call that is not on a cassette",
    "AmbiguousSuburb: ": "a query that is not in a file of pins",
    "UnknownSuburb: ": "a query that is not in a file of pins, or a call that is not on a cassette",
    "CassetteError: ": "a cassette that cannot be used",
    "BlockedError: ": "it needs the network",
    "FileNotFoundError: ": "a file that does not exist",
    "ModuleNotFoundError: ": "a package that is not installed",
}
"""The reason why a cell failed, by a pattern in its error. The first pattern that matches counts."""


class NotANotebookError(Exception):
    """A file that cannot be checked. The message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A part of a notebook that failed, or whose text differs from the stored text."""

    where: str
    what: str
    details: Sequence[str] = ()
    is_failure: bool = True

    def __str__(self) -> str:
        return "\n".join([f"  {self.where}: {self.what}", *(f"    {line}" for line in self.details)])


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a check. Its text ends with a line for the result.

    Only cells of code are counted, as Jupyter counts them in a notebook that ran from the top.
    """

    path: Path
    n_cells: int
    findings: Sequence[Finding]

    @property
    def reruns(self) -> bool:
        """True if every cell ran and shows the text that is stored."""
        return not self.findings

    def __str__(self) -> str:
        if self.reruns:
            return f"{self.path} reruns: {counted(self.n_cells, 'cell')}, each with the stored text."
        n_failed = sum(finding.is_failure for finding in self.findings)
        n_different = len(self.findings) - n_failed
        differ = "differs" if n_different == 1 else "differ"
        found = f"{n_failed} failed and {n_different} {differ}, of {counted(self.n_cells, 'cell')}"
        return "\n".join([str(self.path), *map(str, self.findings), f"{self.path} does not rerun: {found}."])


def check(path: Path, *, seconds: int = 600) -> Report:
    """Run a notebook with no network, no key, no store and an empty home, and compare its text with the stored text.

    It runs in its own folder, so that it finds its files. Cassettes only replay, the service is not called, and the
    notebook is not written. Python is kept off the network; other programs that a cell starts are not, but they get no
    proxy from the environment. A cell may take ``seconds``.

    Raises
    ------
    NotANotebookError
        The file is not a notebook of Python.
    """
    stored = _read(path)
    now = _read(path)
    ended: EndedEarlyError | None = None
    try:
        rerun(now, path.resolve().parent, seconds=seconds)
    except EndedEarlyError as problem:
        ended = problem
    n_cells = sum(cell.cell_type == "code" for cell in stored.cells)
    return Report(path, n_cells, list(_findings(stored, now, ended)))


def _read(path: Path) -> NotebookNode:
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except FileNotFoundError:
        raise NotANotebookError(f"There is no notebook {path}. Pass the path of an .ipynb file.") from None
    except (OSError, ValueError, AttributeError, nbformat.ValidationError) as problem:
        if path.suffix == ".py":
            raise NotANotebookError(
                f"{path} is a script, and check takes notebooks (.ipynb). To rerun a script with a temporary store, "
                "without a call to the service, and with cassettes that only replay: "
                f"{RERUN}=1 python {quote(str(path))}"
            ) from None
        raise NotANotebookError(f"{path} cannot be read as a notebook: {_line(problem)}") from None
    language = notebook.metadata.get("kernelspec", {}).get("language", "python")
    if language.lower() != "python":
        raise NotANotebookError(f"{path} is a notebook of {language}, and only notebooks of Python can be checked.")
    return notebook


def _findings(stored: NotebookNode, now: NotebookNode, ended: EndedEarlyError | None) -> Iterator[Finding]:
    has_outputs = any(cell.get("outputs") for cell in stored.cells)
    if not has_outputs:
        yield Finding("the notebook", "it has no stored outputs: run it and save it, then check again", (), False)
    code = [position for position, cell in enumerate(now.cells) if cell.cell_type == "code"]
    number_of = {position: number for number, position in enumerate(code, start=1)}
    failed: dict[int, str] = {}
    for position, number in number_of.items():
        before, after = stored.cells[position], now.cells[position]
        where = f"cell {number} ({_first_line(after.source)})"
        if ended is not None and position >= ended.position:
            skipped = position > ended.position
            yield Finding(
                where, f"not run, because cell {number_of[ended.position]} {ended}" if skipped else str(ended)
            )
        elif (error := _error(after)) is not None:
            yield Finding(where, _reason(error, failed), [f"{error['ename']}: {_line(error['evalue'])}"])
            failed[number] = after.source
        elif has_outputs and (difference := _difference(texts_of(before), texts_of(after))):
            yield Finding(where, _why_it_differs(before, after), difference, is_failure=False)
    for text in errors_in_widgets(now):
        yield Finding("a widget", "an error in it, or in a function that it calls", [_line(text)])


def _error(cell: NotebookNode) -> NotebookNode | None:
    """Return the error output of a cell; None if it did not fail, or if a tag allows it to fail."""
    if "raises-exception" in cell.metadata.get("tags", []):
        return None
    return next((output for output in cell.outputs if output["output_type"] == "error"), None)


def _reason(error: NotebookNode, failed: Mapping[int, str]) -> str:
    """Return the reason why a cell failed. A missing name points to the failed cell that would have defined it.

    ``failed`` has the code of the failed cells before it, by their numbers.
    """
    missing = re.fullmatch(r"name '(\w+)' is not defined", error["evalue"])
    if error["ename"] == "NameError" and missing:
        uses = re.compile(rf"\b{missing[1]}\b")
        cause = next((number for number, code in failed.items() if uses.search(code)), None)
        return "failed" if cause is None else f"failed because cell {cause} failed"
    text = f"{error['ename']}: {error['evalue']}"
    return next((why for beginning, why in _REASONS.items() if re.search(rf"\b{beginning}", text)), "failed")


def _why_it_differs(before: NotebookNode, after: NotebookNode) -> str:
    """Return what a different text shows. Without a key, made-up data answer a call that is outside a cassette."""
    was_made_up, is_made_up = (any(_MADE_UP in text for text in texts_of(cell)) for cell in (before, after))
    if is_made_up and not was_made_up:
        return "a call outside a cassette was answered with made-up data, so its text differs from the stored text"
    return "its text differs from the stored text"


def texts_of(cell: NotebookNode) -> list[str]:
    """Return the text outputs of a code cell, without the parts that change at each run. A stream is one text.

    The last result of a suburb picker is left out, because a check presses no buttons. Outputs without text, such as
    widgets, are left out too.
    """
    outputs = [output for output in cell.get("outputs", []) if not is_saved_output(output)]
    streams = [name for name in ("stdout", "stderr") if any(output.get("name") == name for output in outputs)]
    joined = ["".join(output["text"] for output in outputs if output.get("name") == name) for name in streams]
    others = [shown_in(output) for output in outputs if output["output_type"] != "stream"]
    return [_masked(text) for text in [*joined, *filter(None, others)]]


def _masked(text: str) -> str:
    for pattern, instead in _CHANGING:
        text = pattern.sub(instead, text)
    return text


def _difference(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the first lines of the difference between two lists of texts; nothing if they are equal."""
    if list(before) == list(after):
        return []
    lines = (
        [line for text in before for line in text.splitlines()],
        [line for text in after for line in text.splitlines()],
    )
    changes = [line for line in unified_diff(*lines, "stored", "now", lineterm="", n=1) if not line.startswith("@@")]
    shown = [_line(line) for line in changes[:_SHOWN_LINES]]
    more = len(changes) - len(shown)
    return [*shown, *([f"and {counted(more, 'more line')}"] if more else [])] or [
        "the same lines, but divided differently among the outputs"
    ]


def _first_line(source: str) -> str:
    """Return the first line of code, without comments."""
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return _line(lines[0])[:_LONGEST_CODE] if lines else "no code"


def _line(text: object) -> str:
    """Return the beginning of a text as one printable line, or a note instead if the text holds a production key."""
    line = "".join(letter if letter.isprintable() else " " for letter in str(text)[:_LONGEST_LINE])
    return "(not shown, as it holds an API key)" if holds_key(line, ()) else line
