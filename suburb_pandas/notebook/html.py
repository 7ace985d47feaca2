"""Writes the HTML of alerts, notes and results of the suburb picker. Text from outside is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import Final

_LONGEST_LABEL: Final = 40


def quoted(text: str) -> str:
    """Return a text for a label: shortened, and without characters that reverse the direction of the rest."""
    shown = "".join(letter for letter in text if letter.isprintable())
    return f"“{shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + '…'}”"


def alert(text: str | None) -> str:
    """Return an error that a screen reader reads aloud at once."""
    return f'<div role="alert">{escape(text)}</div>' if text else ""


def notes(texts: Iterable[str]) -> str:
    """Return notes, one below the other."""
    return "".join(f'<div class="suburb-note">{escape(text)}</div>' for text in texts)


def heading(subject: str, *, is_current: bool) -> str:
    """Return the heading of a result. It says "Earlier result" if something else is chosen now."""
    title = f"{subject[0].upper()}{subject[1:]}" if is_current else f"Earlier result: {subject}"
    return f'<p class="suburb-heading">{escape(title)}</p>'


def scrollable(content: str, what: str) -> str:
    """Return content that can be wider than its page, in a pane that scrolls, with the keyboard too."""
    return f'<div class="suburb-wide" role="group" tabindex="0" aria-label="{escape(what)}">{content}</div>'


def picture(png: bytes, what: str) -> str:
    """Return an image of a chart; ``what`` has its main numbers for people who do not see it."""
    return f'<img alt="{escape(what)}" src="data:image/png;base64,{b64encode(png).decode()}">'


def code(line: str) -> str:
    """Return a line of code with a button that copies it."""
    return (
        f'<div class="suburb-code"><textarea readonly rows="2" aria-label="Code that loads this frame again">'
        f'{escape(line)}</textarea><button type="button" class="suburb-copy">Copy</button></div>'
    )
