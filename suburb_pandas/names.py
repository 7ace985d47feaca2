"""Suburb names: what can be one, and how it travels in a URL's path.

A suburb name is the exact ABS SAL name (Suburbs and Localities, ASGS Edition 3), such as ``Bondi`` or
``St Kilda (Vic.)``. Names are sent as they are: nothing here corrects, trims or guesses.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from .errors import InvalidName

# "(Vic.)"; where one state has the name several times, with the council before it: "(... - NSW)".
_SUFFIX = re.compile(r"\((?:.+ - )?(NSW|Vic\.|Qld|SA|WA|Tas\.|NT|ACT|OT)\)$")


def check(name: object) -> str:
    """Give the name back as it is, or raise ``InvalidName`` for what no suburb can be called.

    >>> check("O'Connor (WA)")
    "O'Connor (WA)"
    """
    if not isinstance(name, str):
        raise InvalidName(f"A suburb name is text, and {_shown(name)} is not. Nothing was sent.")
    if not name.strip():
        raise InvalidName("A suburb name cannot be empty. Nothing was sent.")
    if name in {".", ".."} or any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
        raise InvalidName(f"{_shown(name)} cannot be a suburb name. Nothing was sent.")
    return str(name)


def encode(name: str) -> str:
    """Percent-encode a name for one segment of a path, with nothing safe but what never needs encoding.

    >>> encode("Kestrel Hill (Vic.)")
    'Kestrel%20Hill%20%28Vic.%29'
    """
    return quote(check(name), safe="")


def state_of(name: str) -> str | None:
    """Give the state or territory that a name's suffix says, as in our own columns; None for a bare name.

    >>> state_of("Kestrel Hill (Vic.)")
    'VIC'
    """
    found = _SUFFIX.search(name)
    return found[1].rstrip(".").upper() if found else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - what fits in a sentence
