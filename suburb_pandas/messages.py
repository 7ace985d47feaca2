"""What messages to people share: warnings that point at the caller's line, and lists that stay short."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from suburb_pandas.errors import SuburbWarning

_PACKAGE = f"{Path(__file__).parent}{os.sep}"
_LISTED = 10

Lines = Sequence[tuple[str, str]]

_captured: ContextVar[list[SuburbWarning] | None] = ContextVar("captured_warnings", default=None)


@contextmanager
def captured_warnings() -> Iterator[list[SuburbWarning]]:
    """Give what the package warns of in this thread meanwhile, in place of warning.

    ``warnings.catch_warnings`` would change what other threads, such as the one that runs the cells, warn of.
    """
    kept: list[SuburbWarning] = []
    before = _captured.set(kept)
    try:
        yield kept
    finally:
        _captured.reset(before)


def is_captured() -> bool:
    """Whether what is warned of now is heard in this way, and may be shown to nobody."""
    return _captured.get() is not None


def warn(message: str, category: type[SuburbWarning]) -> None:
    """Warn at the caller's own line: the first one up the stack that is not the package's."""
    kept = _captured.get()
    if kept is not None:
        kept.append(category(message))
        return
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 - `warnings` has no public way before Python 3.12
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def charged(cents: int) -> str:
    """Say what was charged for certain."""
    return f"It charged {counted(cents, 'cent')}." if cents else "Nothing was charged."


def counted(number: int, what: str) -> str:
    """Give a number of things: ``1 call``, ``2 calls``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(items: Iterable[object]) -> str:
    """List the first few for a message, and count the rest."""
    every = list(items)
    shown = ", ".join(map(repr, every[:_LISTED]))
    return shown if len(every) <= _LISTED else f"{shown} and {len(every) - _LISTED} more"


def text_card(title: str, lines: Lines) -> str:
    """Give a card for a terminal."""
    width = max(len(label) for label, _ in lines) + 2
    return "\n".join([title, *(f"  {label:<{width}}{value}" for label, value in lines)])


def html_card(title: str, lines: Lines) -> str:
    """Give a card for a notebook, with everything escaped."""
    from html import escape  # noqa: PLC0415 - no import of the package waits for it

    left = 'style="text-align: left"'
    rows = "".join(
        f'<tr><th scope="row" {left}>{escape(label)}</th><td {left}>{escape(value)}</td></tr>' for label, value in lines
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"
