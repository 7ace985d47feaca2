"""Suburb names: what can be one, its parts, its way into a URL, and how people write it.

A suburb name is the exact ABS SAL name (Suburbs and Localities, ASGS Edition 3), such as ``Bondi``, ``St Kilda (Vic.)``
or ``Springfield (Central Coast - NSW)``. By the ABS's rule a name has a state in brackets if and only if its base
occurs more than once in the country, and a council before the state where that state repeats it. Names are sent as they
are: nothing here corrects or guesses. What people write instead can be read in a few ways, all of which are given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import quote

from suburb_pandas.errors import InvalidName

STATES: Final = {
    "NSW": "New South Wales",
    "VIC": "Victoria",
    "QLD": "Queensland",
    "SA": "South Australia",
    "WA": "Western Australia",
    "TAS": "Tasmania",
    "NT": "Northern Territory",
    "ACT": "Australian Capital Territory",
    "OT": "Other Territories",
}
"""States and territories as our own columns have them, and in full, as the service's and the ABS's have them."""

_SUFFIXES: Final = {code: {"VIC": "Vic.", "QLD": "Qld", "TAS": "Tas."}.get(code, code) for code in STATES}
_CODES: Final = {suffix: code for code, suffix in _SUFFIXES.items()}
_IN_FULL: Final = tuple(full.casefold() for full in STATES.values())
_SPELLINGS: Final = {spelling.casefold(): code for code, full in STATES.items() for spelling in (code, full)}

SPECIAL: Final = frozenset(
    {
        "Outside Australia",
        *(f"Migratory - Offshore - Shipping ({suffix})" for suffix in _CODES),
        *(f"No usual address ({suffix})" for suffix in _CODES),
    }
)
"""The ABS's names for people who are nowhere: they are in its classification, though not in every list of suburbs."""

_NAME = re.compile(rf"(.+?) \((?:(.+) - )?({'|'.join(map(re.escape, _CODES))})\)")
_POSTCODE = re.compile(r"([0-9]{3,4})(?:\.0+)?")
_LONGEST = 200
_LOWEST_POSTCODE, _HIGHEST_POSTCODE = 200, 9999

# What a keyboard or a word processor puts for an apostrophe, a hyphen, or nothing at all.
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u00b4", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u200b\ufeff\xad")
)
ABBREVIATED: Final = {"mt": "mount", "saint": "st"}
"""What words are folded to, where people write either."""


class Name(NamedTuple):
    """The parts of a suburb name. The state is as in our own columns; a bare name has neither state nor council."""

    base: str
    council: str | None = None
    state: str | None = None

    def __str__(self) -> str:
        if self.state is None:
            return self.base
        council = f"{self.council} - " if self.council else ""
        return f"{self.base} ({council}{_SUFFIXES[self.state]})"


class Query(NamedTuple):
    """What somebody wrote for a suburb, and the state and the postcode beside it, as our own columns have them.

    What cannot be read there is as it was.
    """

    text: str
    state: str | None = None
    postcode: str | None = None


class Reading(NamedTuple):
    """One way to read what somebody wrote: base and council folded, state and postcode as our own columns have them."""

    base: str
    council: str | None = None
    state: str | None = None
    postcode: str | None = None


def check(name: object) -> str:
    """Give the name back as it is, or raise ``InvalidName`` for what no suburb can be called.

    >>> check("O'Connor (WA)")
    "O'Connor (WA)"
    """
    if not isinstance(name, str):
        raise InvalidName(f"A suburb name is text, and {shown(name)} is not. Nothing was sent.")
    if not name.strip():
        raise InvalidName("A suburb name cannot be empty. Nothing was sent.")
    if len(name) > _LONGEST:
        raise InvalidName(f"{shown(name)} has {len(name)} characters, too many for a suburb name. Nothing was sent.")
    if name.strip() in {".", ".."} or (
        not name.isprintable() and any(unicodedata.category(character) in {"Cc", "Cs"} for character in name)
    ):
        raise InvalidName(f"{shown(name)} cannot be a suburb name. Nothing was sent.")
    return str(name)


def is_name(value: object) -> bool:
    """Whether a suburb can be called that."""
    try:
        check(value)
    except InvalidName:
        return False
    return True


def shown(value: object) -> str:
    """Show whatever somebody gave for a name, as far as that fits into a sentence."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - such as a number of very many digits, or a repr of somebody's own
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - what fits


def encode(name: str) -> str:
    """Percent-encode a name for one segment of a path, with nothing safe but what never needs encoding.

    >>> encode("Kestrel Hill (Vic.)")
    'Kestrel%20Hill%20%28Vic.%29'
    """
    return quote(check(name), safe="")


def parse(name: str) -> Name:
    """Take a suburb name apart; ``str()`` of the parts is the name again, to the letter.

    >>> parse("Kestrel Hill (Vic.)")
    Name(base='Kestrel Hill', council=None, state='VIC')
    """
    found = _NAME.fullmatch(check(name))
    return Name(found[1], found[2], _CODES[found[3]]) if found else Name(name)


def state_code(text: object) -> str | None:
    """Give a state or territory as our own columns have it; None for what is none.

    >>> [state_code(text) for text in ("Vic.", "victoria", "N.S.W.", "Narnia")]
    ['VIC', 'VIC', 'NSW', None]
    """
    if not isinstance(text, str):
        return None
    return _SPELLINGS.get(" ".join(text.replace(".", "").casefold().split()))


def postcode(value: object) -> str | None:
    """Give a postcode as text of four digits, from text or from a number that has lost its zero; None for what is none.

    >>> [postcode(value) for value in ("0800", 800, "2770.0", "27701")]
    ['0800', '0800', '2770', None]
    """
    found = _POSTCODE.fullmatch(value.strip() if isinstance(value, str) else _whole(value))
    if not found or not _LOWEST_POSTCODE <= int(found[1]) <= _HIGHEST_POSTCODE:
        return None
    return found[1].zfill(4)


def fold(text: str) -> str:
    """Give what is left of a text without that which does not matter: the same for what may be the same name.

    Case, outer and repeated spaces, apostrophes, dots, hyphens for spaces, ``Mt`` for ``Mount`` and ``Saint`` for
    ``St`` do not matter. Whether there is a space does: of the ABS's names, 29 pairs differ in nothing else.

    >>> fold(" MT. D'Arcy-Lantern ")
    'mount darcy lantern'
    """
    text = text if text.isascii() else _one_form(_one_form(text).casefold())
    text = text.replace("'", "").replace("`", "").replace(".", "").replace("-", " ").casefold()
    # A letter and its accent may have come together only now.
    words = (text if text.isascii() else _one_form(text)).split()
    if not ABBREVIATED.keys().isdisjoint(words):
        words = [ABBREVIATED.get(word, word) for word in words]
    return " ".join(words)


def _one_form(text: str) -> str:
    """Write what Unicode and a word processor can write in several ways, such as a letter with an accent, in one."""
    return unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)


def readings(text: str) -> tuple[Reading, ...]:
    """Give the ways to read what somebody wrote: as a name alone, and with the state or postcode that it ends in.

    >>> readings("Mt Wonga, NSW 2797")[-1]
    Reading(base='mount wonga', council=None, state='NSW', postcode='2797')
    """
    every = [Reading(fold(text))]
    rest = " ".join(text.translate(_TYPOGRAPHY).replace(",", " , ").split())
    while (found := _ending(rest, every[-1])) is not None:
        rest, ending = found
        every.append(ending._replace(base=fold(rest)))
    return tuple(every)


def may_end_in_a_state(text: str) -> bool:
    """Whether the state at the end of a text may be a part of the name: Port Victoria is in South Australia."""
    return text.casefold().endswith(_IN_FULL)


def _ending(text: str, known: Reading) -> tuple[str, Reading] | None:
    """Take the state or the postcode off the end of a text, if it has one that is not known yet, and more before it."""
    for rest, council, end in _endings(text):
        rest = rest.rstrip(" ,-")  # noqa: PLW2901 - what stands between the two
        state, code = state_code(end), postcode(end)
        if rest and state and not known.state:
            return rest, known._replace(state=state, council=fold(council) or None)
        if rest and code and not council and not known.postcode:
            return rest, known._replace(postcode=code)
    return None


def _endings(text: str) -> Iterator[tuple[str, str, str]]:
    """Split off what is in brackets at the end of a text, with a council if there is one, else its last few words."""
    if text.endswith(")"):
        rest, _, inside = text[:-1].rpartition("(")
        council, _, end = inside.rpartition("-")
        yield rest, council, end
        return
    for number in (3, 2, 1):
        words = text.rsplit(" ", number)
        if len(words) > number:
            yield words[0], "", " ".join(words[1:])


def _whole(value: object) -> str:
    """Write a whole number; nothing for what is none."""
    try:
        number = float(value) if not isinstance(value, bool) else -1.0  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - whatever it is, it is no number
        return ""
    return str(int(number)) if number.is_integer() else ""
