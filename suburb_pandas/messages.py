"""Issues warnings at the user's line, and words the common parts of messages: lists, counts, charges and cards."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import finalize

from suburb_pandas.errors import SuburbWarning

_PACKAGE = f"{Path(__file__).parent}{os.sep}"
_BETWEEN = (_PACKAGE, contextmanager.__code__.co_filename, finalize.__call__.__code__.co_filename)
"""The package, and the files of the standard library through which a user's code calls it. None is the user's code."""

_LISTED = 10

Lines = Sequence[tuple[str, str]]

_captured: ContextVar[list[SuburbWarning] | None] = ContextVar("captured_warnings", default=None)


@contextmanager
def captured_warnings() -> Iterator[list[SuburbWarning]]:
    """Yield a list that collects this package's warnings in this thread, instead of issuing them.

    Rejected: ``warnings.catch_warnings``, which also affects other threads, such as the one that runs a user's cells.
    """
    captured: list[SuburbWarning] = []
    before = _captured.set(captured)
    try:
        yield captured
    finally:
        _captured.reset(before)


def is_captured() -> bool:
    """Return True if warnings are being captured in this thread, so that they may never be shown."""
    return _captured.get() is not None


def users_frame() -> FrameType:
    """Return the frame of the user's code: the first one up the stack outside this package, contextlib and weakref."""
    frame = sys._getframe(1)  # noqa: SLF001 - `warnings` has no public way before Python 3.12
    while frame.f_back and frame.f_code.co_filename.startswith(_BETWEEN):
        frame = frame.f_back
    return frame


def warn(message: str, category: type[SuburbWarning]) -> None:
    """Issue a warning at the user's line."""
    captured = _captured.get()
    if captured is not None:
        captured.append(category(message))
        return
    frame = users_frame()
    module, shown = frame.f_globals.get("__name__", "<string>"), frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, shown)


def charged(cents: int) -> str:
    """Return the sentence for a charge that is known for certain."""
    return f"The service charged {counted(cents, 'cent')}." if cents else "Nothing was charged."


def counted(number: int, what: str) -> str:
    """Return a number with its noun: ``1 call``, ``2 calls``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(items: Iterable[object], write: Callable[[Any], str] = repr) -> str:
    """Return the first ten items as text, each as `write` returns it, and the number of the others."""
    all_items = list(items)
    shown, more = ", ".join(map(write, all_items[:_LISTED])), len(all_items) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def joined(items: Iterable[str], conjunction: str = "and", *, most: int = _LISTED) -> str:
    """Return items as part of a sentence: ``A, B and C``, or the first few and the number of the others.

    >>> joined(["A", "B", "C"], "or"), joined(["A", "B", "C"], most=2)
    ('A, B or C', 'A, B and 1 more')
    """
    all_items = list(items)
    if len(all_items) > most:
        return f"{', '.join(all_items[:most])} and {len(all_items) - most} more"
    *others, last = all_items or [""]
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def install_line(extra: str) -> str:
    """Return the line that installs an extra. pip reads the extra from the installed package, wherever that is from."""
    return f"python -m pip install 'suburb_pandas[{extra}]'"


def text_card(title: str, lines: Lines) -> str:
    """Return a title and labelled values as text, for a terminal."""
    width = max(len(label) for label, _ in lines) + 2
    return "\n".join([title, *(f"  {label:<{width}}{value}" for label, value in lines)])


def html_card(title: str, lines: Lines) -> str:
    """Return a title and labelled values as HTML, for a notebook. Everything is escaped."""
    from html import escape  # noqa: PLC0415 - needed in notebooks only

    left = 'style="text-align: left"'
    rows = "".join(
        f'<tr><th scope="row" {left}>{escape(label)}</th><td {left}>{escape(value)}</td></tr>' for label, value in lines
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"
