"""How what is no frame shows itself: a title, and lines of a label and a value, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence

Lines = Sequence[tuple[str, str]]


def as_text(title: str, lines: Lines) -> str:
    """Give a card for a terminal."""
    width = max(len(label) for label, _ in lines) + 2
    return "\n".join([title, *(f"  {label:<{width}}{value}" for label, value in lines)])


def as_html(title: str, lines: Lines) -> str:
    """Give a card for a notebook, with everything escaped."""
    from html import escape  # noqa: PLC0415 - no import of the package waits for it

    left = 'style="text-align: left"'
    rows = "".join(
        f'<tr><th scope="row" {left}>{escape(label)}</th><td {left}>{escape(value)}</td></tr>' for label, value in lines
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"
