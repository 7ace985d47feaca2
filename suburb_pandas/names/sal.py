"""Checks, parses, encodes and folds suburb names, and reads states, postcodes and the ABS's codes and column labels.

A suburb name is the exact ABS SAL name (Suburbs and Localities, ASGS Edition 3), such as ``Bondi``, ``St Kilda (Vic.)``
or ``Springfield (Central Coast - NSW)``. By the ABS's rule a name has a state in brackets if and only if its base
occurs more than once in the country, and a council before the state if the base occurs more than once in that state.
Names are sent unchanged: nothing here corrects or guesses. Reading a text that holds more than a name is left to
names.written.
"""

from __future__ import annotations

import re
import unicodedata
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
"""The states and territories: the code in this package's columns, and the full name used by the service and the ABS."""

_SUFFIXES: Final = {code: code for code in STATES} | {"VIC": "Vic.", "QLD": "Qld", "TAS": "Tas."}
_CODES: Final = {suffix: code for code, suffix in _SUFFIXES.items()}
_SPELLINGS: Final = {spelling.casefold(): code for code, full in STATES.items() for spelling in (code, full)}

SPECIAL: Final = frozenset(
    {
        "Outside Australia",
        *(f"Migratory - Offshore - Shipping ({suffix})" for suffix in _CODES),
        *(f"No usual address ({suffix})" for suffix in _CODES),
    }
)
"""The ABS's special names for people outside all suburbs. Some lists of suburbs leave them out."""

_COLUMN: Final = re.compile(r"SAL[_ ](NAME|CODE)(?:[_ ]?(\d{4}|\d{2}))?", re.IGNORECASE)
_SAL_CODE: Final = re.compile(r"(?:SAL)?(\d{5})(?:\.0)?", re.IGNORECASE)
_NAME = re.compile(rf"(.+?) \((?:(.+) - )?({'|'.join(map(re.escape, _CODES))})\)")
_POSTCODE = re.compile(r"([0-9]{3,4})(?:\.0+)?")
_DAMAGED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters and lone surrogates
_LONGEST = 200
_LOWEST_POSTCODE = 200

# Replaces the variants of apostrophes and hyphens from keyboards and word processors, and removes invisible characters.
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u00b4", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u200b\ufeff\xad")
)
_ABBREVIATED: Final = {"mt": "mount", "saint": "st"}  # people write either form


class Name(NamedTuple):
    """The parts of a suburb name. ``state`` is a code of ``STATES``; a bare name has neither state nor council."""

    base: str
    council: str | None = None
    state: str | None = None

    def __str__(self) -> str:
        if self.state is None:
            return self.base
        council = f"{self.council} - " if self.council else ""
        return f"{self.base} ({council}{_SUFFIXES[self.state]})"


def check(name: object) -> str:
    """Return the name unchanged, or raise ``InvalidName`` if no suburb can have this name.

    >>> check("O'Connor (WA)")
    "O'Connor (WA)"
    """
    if not isinstance(name, str):
        raise InvalidName(f"A suburb name must be text, not {shown(name)}. Nothing was sent.{how_to_skip(name)}")
    why = ""
    if name.strip() in {"", ".", ".."}:
        why = "has no letters"
    elif len(name) > _LONGEST:
        why = f"is too long ({len(name)} characters)"
    elif _DAMAGED.search(name):
        why = "has a damaged character, or a control character such as a line break"
    if why:
        raise InvalidName(f"{shown(name)} cannot be a suburb name, because it {why}. Nothing was sent.")
    return str(name)


def how_to_skip(value: object) -> str:
    """Return the sentence that says how missing names are skipped; empty for a value that is not missing."""
    is_missing = shown(value) in {"None", "nan", "np.float64(nan)", "NaT", "<NA>"}
    return " To skip missing names, pass a Series: pd.Series(names)" if is_missing else ""


def is_name(value: object) -> bool:
    """Return True if a suburb can have this name."""
    try:
        check(value)
    except InvalidName:
        return False
    return True


def shown(value: object) -> str:
    """Return the repr of any value on one line, shortened to fit into a message."""
    try:
        text = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - a repr may raise anything; that of an int does for too many digits
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - a length that fits into a message


def encode(name: str) -> str:
    """Percent-encode a name for one segment of a path. Only characters that never need encoding are left as they are.

    >>> encode("Kestrel Hill (Vic.)")
    'Kestrel%20Hill%20%28Vic.%29'
    """
    return quote(check(name), safe="")


def parse(name: str) -> Name:
    """Split a suburb name into its parts. ``str()`` of the parts is exactly the name.

    >>> parse("Kestrel Hill (Vic.)")
    Name(base='Kestrel Hill', council=None, state='VIC')
    """
    match = _NAME.fullmatch(check(name))
    return Name(match[1], match[2], _CODES[match[3]]) if match else Name(name)


def state_code(text: object) -> str | None:
    """Return the code of a state or territory that is written as its code or full name; None for any other value.

    >>> [state_code(text) for text in ("Vic.", "victoria", "N.S.W.", "Narnia")]
    ['VIC', 'VIC', 'NSW', None]
    """
    return _SPELLINGS.get(fold(text)) if isinstance(text, str) else None


def postcode(value: object) -> str | None:
    """Return a postcode as text of four digits, or None if the value is no postcode.

    Numbers are accepted, and so are postcodes that have lost their leading zero.

    >>> [postcode(value) for value in ("0800", 800, "2770.0", "27701")]
    ['0800', '0800', '2770', None]
    """
    match = _POSTCODE.fullmatch(_digits(value))
    return match[1].zfill(4) if match and int(match[1]) >= _LOWEST_POSTCODE else None


def check_where(field: str, value: object) -> str | None:
    """Return the code of a ``state``, or the digits of a ``postcode``, that a user gave; None if none was given.

    Raises
    ------
    ValueError
        The value is not a state or postcode.
    """
    found = state_code(value) if field == "state" else postcode(value)
    if value is not None and found is None:
        valid = f"one of {', '.join(STATES)}" if field == "state" else "four digits, such as 0800"
        raise ValueError(f"{field} must be {valid}, not {shown(value)}. Nothing was sent.")
    return found


def fold(text: str) -> str:
    """Normalise text for comparison, so that different spellings of one name become equal.

    Case, outer and repeated spaces, apostrophes and dots are ignored. A hyphen counts as a space, ``Mt`` as ``Mount``
    and ``Saint`` as ``St``. Spaces within a name are not ignored: 29 pairs of bases in the ABS's list of 2021 differ in
    nothing else.

    >>> fold(" MT. D'Arcy-Lantern ")
    'mount darcy lantern'
    """
    text = text if text.isascii() else one_form(one_form(text).casefold())
    text = text.replace("'", "").replace("`", "").replace(".", "").replace("-", " ").casefold()
    # Removing a character can join a letter and an accent, so Unicode has to be normalised again.
    return " ".join([_ABBREVIATED.get(word, word) for word in one_form(text).split()])


def is_sal_column(label: str, kind: str = "NAME") -> bool:
    """Return True if a column is called as the ABS calls its column of names, in any case, with underscores or spaces.

    With ``kind="CODE"``, the column is the ABS's column of codes.

    >>> [is_sal_column(label) for label in ("SAL_NAME21", "sal name 2026", "SAL_CODE21")]
    [True, True, False]
    """
    match = _COLUMN.fullmatch(label)
    return match is not None and match[1].upper() == kind


def sal_code(value: object) -> str | None:
    """Return a code of the ABS as its DataPacks write it, or None if the value is no code.

    >>> [sal_code(value) for value in ("SAL10490", 10490, "10490.0", "Quoll")]
    ['SAL10490', 'SAL10490', 'SAL10490', None]
    """
    match = _SAL_CODE.fullmatch(_digits(value))
    return f"SAL{match[1]}" if match else None


def edition_of(label: str) -> str | None:
    """Return the edition in the label of an ABS column, such as ``SAL 2021``; None for a label without a year."""
    match = _COLUMN.fullmatch(label)
    return f"SAL 20{match[2][-2:]}" if match and match[2] else None


def base_of(name: str) -> str:
    """Return the folded base of a suburb name."""
    return fold(parse(name).base if name.endswith(")") else name)


def one_form(text: str) -> str:
    """Replace characters that can be written in several ways, such as accented letters and quotes, by one form."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)


def _digits(value: object) -> str:
    """Return a text without outer spaces, or a whole number as text; an empty text for any other value."""
    if isinstance(value, str):
        return value.strip()
    try:
        number = float(value)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - a user's own type may raise anything
        return ""
    return str(int(number)) if number.is_integer() else ""
