"""Reads suburbs as people write them: with a state, a postcode, a council or an address around a name, and shortened.

This is the one grammar for written names: parts are split off both ends of a text, and what is left is a name. A text
can have several readings, and all are returned. Choosing a name is left to names.matching, its form to names.sal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import prod
from typing import Final, NamedTuple, TypeAlias

from suburb_pandas.names.sal import STATES, fold, one_form, postcode, state_code

_MARK: Final = re.compile("[*#^\u2020\u2021\xa7\xb9\xb2\xb3\u2070\u2074-\u2079]")  # of a footnote
_GAPS: Final = " ,;:/|-"
_PAUSES: Final = frozenset(",;:/|")
_IN_FULL: Final = tuple(full.casefold() for full in STATES.values())
_POSTCODE: Final = r"(?:0?[2-9]\d\d|[1-9]\d{3})(?:\.0+)?"
_STATE: Final = "|".join([*(rf"{full}\.*" for full in _IN_FULL), *(r"\.*".join([*code, ""]) for code in STATES)])
_EMPTY: Final = "area|borough|city|council|district|lga|municipal(?:ity)?|of|regional|rural|shire|the|town"
_KIND: Final = "ac?|b|c|cgc|dc|m|rc?|s|t"  # of a council, as the ABS wrote it until 2020
_END: Final = re.compile(
    rf"(?:(?<![{_GAPS}])[{_GAPS}]+(?:(?P<state>{_STATE})|(?P<postcode>{_POSTCODE})|australia|aus?)?"
    rf"| *\((?P<inside>[^()]*)\)(?:[ -]+(?:{_EMPTY}))?)$",
    re.IGNORECASE,
)
_FRONT: Final = re.compile(
    rf"(?:(?P<state>{_STATE})|(?P<postcode>(?=\d{{4}})(?:{_POSTCODE})))[{_GAPS}]+(?=.)", re.IGNORECASE
)
_ASIDE: Final = re.compile(rf" *\((?:{_EMPTY}|{_STATE})\)$", re.IGNORECASE)
_PAUSE: Final = re.compile("[-,;:/|]")
_SIGNS: Final = f"{_GAPS}.?!&@+[]'\""
_STATE_IN_NAME: Final = re.compile(rf"(?:{'|'.join(_IN_FULL)}) \w", re.IGNORECASE)  # Victoria Park is a council
_NO_PLACE: Final = re.compile(rf"\b(?:{'|'.join(map(str.casefold, STATES))}|aust(?:ralia)?|cbd)\b")
_NO_REGION: Final = re.compile(_EMPTY, re.IGNORECASE)
_NOTE: Final = re.compile(
    rf"\s*\((?:{_KIND}|[a-df-mo-rt-vx-z0-9])\)", re.IGNORECASE
)  # a kind of council, or a footnote
_ANY_NAME: Final = "x"
_LONGEST: Final = 300  # letters; nothing is split off a longer text, which is no suburb's
_CAPITALS: Final = {
    "adelaide": "SA",
    "brisbane": "QLD",
    "canberra": "ACT",
    "darwin": "NT",
    "hobart": "TAS",
    "melbourne": "VIC",
    "perth": "WA",
    "sydney": "NSW",
}

_UNITS: Final = "apartment|apt|factory|flat|level|lot|office|shop|suite|townhouse|unit|villa"
_NUMBER: Final = re.compile(rf"(?:(?:{_UNITS})\.? )?[a-z]?\d|g\.?p\.?o\.? box \d|p\.?o\.? box \d", re.IGNORECASE)
_STREET: Final = re.compile(
    " (?:alley|avenue|ave?|boulevarde?|bl?vd|cct|circle|circuit|close|cl|court|crescent|cres|crt?|ct|drive|drv?|"
    "esplanade|esp|grove|gr|highway|hwy|lane|ln|loop|mews|parade|pde|parkway|pkwy|place|pl|promenade|quay|road|rd|row|"
    r"square|sq|street|st|terrace|tce|track|trail|walk|way)\.?(?= |$)",
    re.IGNORECASE,
)
_SIDE: Final = re.compile(r" (?:[nsew]|north|south|east|west|upper|lower|extension)\.?(?= )", re.IGNORECASE)

_SHORT: Final = {
    "bch": ["beach"],
    "ck": ["creek"],
    "crk": ["creek"],
    "gdn": ["garden", "gardens"],
    "gdns": ["gardens"],
    "gve": ["grove"],
    "hbr": ["harbour"],
    "hd": ["head"],
    "hds": ["heads"],
    "hl": ["hill"],
    "hls": ["hills"],
    "hts": ["heights"],
    "is": ["island"],
    "isl": ["island"],
    "jct": ["junction"],
    "jctn": ["junction"],
    "jn": ["junction"],
    "jnc": ["junction"],
    "junc": ["junction"],
    "junct": ["junction"],
    "lk": ["lake"],
    "lks": ["lakes"],
    "lwr": ["lower"],
    "mtn": ["mountain"],
    "mtns": ["mountains"],
    "nth": ["north"],
    "pde": ["parade"],
    "pk": ["park", "peak"],
    "pt": ["point", "port"],
    "rd": ["road"],
    "rge": ["range"],
    "riv": ["river"],
    "rvr": ["river"],
    "spgs": ["springs"],
    "sth": ["south"],
    "tce": ["terrace"],
    "upr": ["upper"],
    "vlg": ["village"],
    "vly": ["valley"],
    "wtrs": ["waters"],
}
_ONE_TO_TWENTY: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_TENS: Final = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS: Final = {word: str(number) for number, word in enumerate(_ONE_TO_TWENTY, start=1)} | {
    word: str(ten) for ten, word in zip(range(30, 100, 10), _TENS, strict=True)
}
_EXPANSIONS: Final = _SHORT | {one: [word, digits] for word, digits in _DIGITS.items() for one in (word, digits)}
"""The words for which each abbreviation can stand. ``Mt`` and ``Saint`` always mean one word, so `fold` reads them."""

_COMPASS: Final = {
    **{word: word for word in ("north", "south", "east", "west", "upper", "lower", "central")},
    "n": "north",
    "s": "south",
    "e": "east",
    "w": "west",
}
_MOST_WAYS: Final = 32  # of writing a text out
_PREFIXES: Final = frozenset({"o", "d"})  # of O'Connor and D'Aguilar

_NO_NAME: Final = re.compile(
    r"\W*(?:n\W*a|n\W*p|nan|nil|none|null|blank|unknown|not (?:applicable|available|stated))?\W*", re.IGNORECASE
)
_WHOLE: Final = re.compile(
    r"(?:\w+ )?totals?|all(?: suburbs)?|others?|(?:balance|remainder|rest) of .+"
    rf"|(?:greater|metropolitan|regional) .+|australia|{_STATE}",
    re.IGNORECASE,
)


class Query(NamedTuple):
    """The text that somebody wrote for a suburb, and the state, the postcode and the region given beside it.

    A valid state is a code of ``STATES``, and a valid postcode has four digits. Invalid values are kept as text. A
    region is the name of a council or of an ABS area (SA2, SA3, SA4).
    """

    text: str
    state: str | None = None
    postcode: str | None = None
    region: str | None = None


class Reading(NamedTuple):
    """One way to read a text: folded base and regions, state as a code of ``STATES``, postcode of four digits."""

    base: str
    regions: tuple[str, ...] = ()
    state: str | None = None
    postcode: str | None = None


Question = tuple[Reading, str | None]
"""The meaning of a look-up: how its text is read, and its state. Spellings that mean the same are equal."""

_NOTHING: Final = Reading("")


_Part: TypeAlias = tuple[str, Reading]
"""What is left of a text, as written, and the reading of the parts that were split off."""


def is_no_name(text: str) -> bool:
    """Return True if a text stands for a missing name.

    >>> [is_no_name(text) for text in ("n.a.", "-", "Unknown", "Nana Glen")]
    [True, True, True, False]
    """
    return _NO_NAME.fullmatch(text) is not None and (text.isprintable() or text.isspace())


def is_whole_region(text: str) -> bool:
    """Return True if a text is a total, or a region that is never one suburb, such as ``Rest of Vic.``."""
    return any(_WHOLE.fullmatch(fold(each)) for each in (text, plainest(text)[0]))


def fold_region(text: str) -> str:
    """Normalise the name of a council or area for comparison, as `fold` does a suburb's.

    A state in brackets, the kind of council in brackets and words such as ``City of`` are removed.

    >>> fold_region("Central Coast (C) (NSW)"), fold_region("City of Port Phillip")
    ('central coast', 'port phillip')
    """
    words = fold(_ASIDE.sub("", _NOTE.sub("", text)) if "(" in text else text).split()
    return " ".join([word for word in words if not _NO_REGION.fullmatch(word)] or words)


def without_council_kind(text: str) -> str:
    """Remove the kind of council, such as ``(C)`` for a city, which the ABS put behind its councils until 2020.

    >>> without_council_kind("Parramatta (C)"), without_council_kind("Kingston (C) (Vic.)")
    ('Parramatta', 'Kingston (Vic.)')
    """
    return _NOTE.sub("", text)


def state_of_capital(region: str) -> str | None:
    """Return the state of a folded capital, which people write for the whole city around it, or of a state itself."""
    return _CAPITALS.get(region.removeprefix("greater ")) or state_code(region)


def is_capital(region: str) -> bool:
    """Return True if a folded region is a capital or a state."""
    return state_of_capital(region) is not None


def _is_no_region(_: str) -> bool:
    return False


def readings(text: str, is_region: Callable[[str], bool] = _is_no_region) -> tuple[Reading, ...]:
    """Return the ways to read a text, each once. The first takes the whole text as a name.

    The others split off a state or a postcode at the end, a region in brackets, a region after a comma if ``is_region``
    says that there is one, a state in front, and the street address before the name.

    >>> readings("Mt Wonga, NSW 2797")[-1]
    Reading(base='mount wonga', regions=(), state='NSW', postcode='2797')
    >>> readings("2/12 High Street, Mt Wonga")[-1]
    Reading(base='mount wonga', regions=(), state=None, postcode=None)
    """
    whole = _fold_name(text)
    parts = [(name, known) for name, known in _parts(text, is_region) if _PAUSES.isdisjoint(name)]
    found = (Reading(whole if name == text else _fold_name(name), *known[1:]) for name, known in parts)
    return tuple(dict.fromkeys([Reading(whole), *(one for one in found if one.base)]))


def _fold_name(text: str) -> str:
    """Fold a name. A word in brackets that was not split off counts as a part of it: Quoll (Bay)."""
    return fold(text.replace("(", " ").replace(")", " "))


def location(text: str) -> Reading | None:
    """Return the state, the postcode and the region of a text that has nothing else; None for any other text.

    >>> location("VIC 3031"), location("Quoll VIC")
    (Reading(base='', regions=(), state='VIC', postcode='3031'), None)
    """
    name, known = _ends(f"{_ANY_NAME} {text}", _is_no_region)[-1]
    return known if name == _ANY_NAME else None


def expansions(base: str) -> list[str]:
    """Return a folded base with its abbreviations written out in every way, without the base itself.

    Digits are written as words and words as digits, and an O or a D is joined with the next word.

    >>> expansions("nth lantern bay jct"), expansions("emu pt"), expansions("o quoll"), expansions("8 mile")
    (['north lantern bay junction'], ['emu point', 'emu port'], ['oquoll'], ['eight mile'])
    """
    words = base.split()
    joined = _joined(words)
    if joined == words and _EXPANSIONS.keys().isdisjoint(words):
        return []
    meanings = [_EXPANSIONS.get(word, (word,)) for word in joined]
    if prod(map(len, meanings)) > _MOST_WAYS:
        return []
    return [text for text in dict.fromkeys(map(" ".join, product(*meanings))) if text != base]


def _joined(words: list[str]) -> list[str]:
    """Join an O or a D with the next word: South Australia writes a space for the apostrophe of O'Connor."""
    at = next((at for at, word in enumerate(words[:-1]) if word in _PREFIXES), None)
    return words if at is None else [*words[:at], words[at] + words[at + 1], *words[at + 2 :]]


def turned(base: str) -> list[str]:
    """Return the names that a folded base may stand for in other words: a hint, which never settles a query.

    A compass word moves to the other end, and ``CBD`` is left out, or is the ``City`` of the ABS.

    >>> turned("east quoll"), turned("nth quoll"), turned("quoll cbd")
    (['quoll east'], ['quoll north', 'north quoll'], ['quoll', 'quoll city'])
    """
    found: list[list[str]] = []
    for text in filter(None, (base, *expansions(base))):
        first, *rest = text.split()
        *start, last = text.split()
        for side, name in ((first, rest), (last, start)):
            if name and side in _COMPASS:
                found += [[*name, _COMPASS[side]], [_COMPASS[side], *name]]
            elif name and side == "cbd":
                found += [name, [*name, "city"]]
    return [text for text in dict.fromkeys(map(" ".join, found)) if text != base]


def state_of(query: Query) -> str | None:
    """Return the state that was given with a query, as a code of ``STATES``; None for a state that may be in the name.

    >>> [state_of(Query("Wonga NSW")), state_of(Query("Port Victoria")), state_of(Query("Wonga", "Narnia"))]
    ['NSW', None, None]
    """
    if query.state is not None:
        return query.state if query.state in STATES else None
    return None if may_hold_a_state(query.text) else plainest(query.text)[1].state


def plainest(text: str) -> tuple[str, Reading]:
    """Return a text, as written, without all parts that can be split off, and these parts.

    >>> plainest("12 High Street, O'Quoll (Wader) VIC 3031")
    ("O'Quoll", Reading(base='', regions=('wader',), state='VIC', postcode='3031'))
    """
    return _parts(text, is_capital)[-1]


def question(query: str, state: str | None) -> Question:
    """Return the meaning of a look-up, which is equal for all spellings that mean the same."""
    if may_hold_a_state(query) or holds_an_address(query):
        return Reading(fold(query)), state
    *_, reading = readings(query)
    return (reading if reading.base else reading._replace(base=query)), state


def asked(query: Query) -> tuple[str, str | None]:
    """Return the text and the state to look up: without a postcode, a street address or a region in brackets.

    A state stays in the text, because it may be a part of the name.
    """
    text, reading = plainest(query.text)
    if holds_an_address(query.text) or reading.regions:
        return text, query.state or reading.state
    return next(name for name, known in reversed(_ends(query.text, _is_no_region)) if not known.state), query.state


def may_hold_a_state(text: str) -> bool:
    """Return True if a text begins or ends with a state's full name, which may be part of the suburb's."""
    names = [name.casefold().rstrip(".") for name, _ in _ends(text, _is_no_region)]
    return any(name.endswith(_IN_FULL) or name.startswith(_IN_FULL) for name in names)


def holds_an_address(text: str) -> bool:
    """Return True if a text begins as a street address does, perhaps after a state."""
    return any(_NUMBER.match(name) for name, _ in _with_fronts(text, _NOTHING))


def is_unbounded_address(text: str) -> bool:
    """Return True if a text begins as a street address does, and no comma says where the address ends."""
    return "," not in text and holds_an_address(text)


def _parts(text: str, is_region: Callable[[str], bool]) -> list[_Part]:
    """Return what is left of a text after each part that can be split off, the plainest last."""
    ends = _ends(text, is_region)
    parts = [part for end in ends for part in _with_fronts(*end)]
    if "," in text or any(map(str.isdigit, text)):
        plainest = [*_with_fronts(*ends[-1])]
        for name, known in parts[:]:
            for shorter in _after_address(name, known, any_part=(name, known) in plainest):
                parts += _with_fronts(*shorter)
    return parts


def _ends(text: str, is_region: Callable[[str], bool]) -> list[_Part]:
    """Return a text in one form, and what is left after each part that is split off its end."""
    ends = [(_NOTE.sub("", " ".join(one_form(_MARK.sub("", text)).split())).strip(_GAPS), _NOTHING)]
    while len(text) <= _LONGEST and (shorter := _without_end(*ends[-1], is_region)):
        ends.append(shorter)
    return ends


def _without_end(text: str, known: Reading, is_region: Callable[[str], bool]) -> _Part | None:
    """Split a location in or without brackets, a country or a region after a comma off the end of a text.

    Return None if the text ends in none of them, if ``known`` already has that part, or if no text would be left.
    """
    end = _END.search(text)
    if end and end.start():
        found = _location(end) if end["inside"] is None else _in_brackets(end["inside"], is_region)
        more = found and _with(known, found, may_repeat=end["inside"] is not None)
        if more:
            return text[: end.start()], more
    name, _, last = text.rpartition(",")
    region = fold_region(last)
    if name.strip() and not known.regions and is_region(region):
        return name.rstrip(_GAPS), known._replace(regions=(region,))
    return None


def _location(match: re.Match[str]) -> Reading:
    return Reading("", (), state_code(match["state"]), postcode(match["postcode"] or ""))


def _with(known: Reading, found: Reading, *, may_repeat: bool) -> Reading | None:
    """Add the parts that were found to the known ones; None if one is known, and is another or may not repeat."""
    both = [(one, other) for one, other in zip(known, found, strict=True) if one and other]
    if any(one != other or not may_repeat for one, other in both):
        return None
    return Reading("", known.regions or found.regions, known.state or found.state, known.postcode or found.postcode)


def _all_of(locations: Iterable[Reading]) -> Reading | None:
    """Return what several locations say together; None if they contradict one another."""
    known: Reading | None = _NOTHING
    for found in locations:
        known = known and _with(known, found, may_repeat=True)
    return known


def _in_brackets(inside: str, is_region: Callable[[str], bool]) -> Reading | None:
    """Return the location in brackets. Words such as Council say nothing.

    Return None for brackets with a part of a name, such as a compass word, or with a state that is not all they say.
    """
    parts = [(part, location(part)) for part in _PAUSE.split(inside.strip(_SIGNS))]
    name = " ".join(part.strip() for part, found in parts if found is None)
    locations = [found for _, found in parts if found is not None]
    if not is_region(fold_region(name)) and not _STATE_IN_NAME.match(name):
        rest, found = _ends(f"{_ANY_NAME} {name}", _is_no_region)[-1]
        *_, (name, found) = _with_fronts(rest.removeprefix(_ANY_NAME).strip(_GAPS), found)
        locations.append(found)
    region, known = fold_region(name), _all_of(locations)
    if known is None or region in _COMPASS or (_NO_PLACE.search(region) and not is_region(region)):
        return None
    return known if not region or _NO_REGION.fullmatch(region) else known._replace(regions=(region,))


def _with_fronts(text: str, known: Reading) -> Iterator[_Part]:
    """Yield a text, and what is left after each state and postcode that is split off its front."""
    yield text, known
    while (front := _FRONT.match(text)) and (more := _with(known, _location(front), may_repeat=True)):
        text, known = text[front.end() :], more
        yield text, known


def _after_address(text: str, known: Reading, *, any_part: bool) -> Iterator[_Part]:
    """Yield the possible names after a street address is removed from the front, each with what is around it.

    A comma ends the address, and the last part is the name. With ``any_part``, each part after the address can be the
    name, and the parts behind it are its regions.
    """
    address, *parts = map(str.strip, text.split(","))
    if not parts:
        yield from ((name, known) for name in _after_street(text))
        return
    if not _NUMBER.match(address):
        if not any(street.end() == len(address) for street in _STREET.finditer(address)):
            return
        parts.insert(0, address)  # a street, or a suburb that is called like one: Ocean Grove
    for number, part in enumerate(parts, start=1):
        before = _all_of([known, *_locations([address, *parts[: number - 1]])])
        if before and (any_part or number == len(parts)):
            here = before._replace(regions=(*before.regions, *map(fold_region, parts[number:])))
            yield from ((name, here) for name in (_after_street(part) if _NUMBER.match(part) else [part]))


def _locations(parts: Iterable[str]) -> Iterator[Reading]:
    """Yield the state and the postcode in each part of an address before the name."""
    for part in parts:
        rest, found = _ends(part, _is_no_region)[-1]
        if not re.fullmatch(_UNITS, rest, re.IGNORECASE):  # Unit 2031 is no postcode
            front = _FRONT.match(part)
            yield Reading("", (), found.state or (state_code(front["state"]) if front else None), found.postcode)


def _after_street(text: str) -> Iterator[str]:
    """Yield the possible names in a text without a comma after a street address is removed from the front.

    The address can end at any word for a street, or at a compass direction after that word.
    """
    for street in _STREET.finditer(text) if _NUMBER.match(text) else ():
        if " " in text[: street.start()]:
            yield text[street.end() :].strip()
            side = _SIDE.match(text, street.end())
            if side:
                yield text[side.end() :].strip()
