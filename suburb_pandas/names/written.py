"""Reads suburbs as people write them: with a state, a postcode, a council or an address around a name, and shortened.

This is the one grammar for written names: parts are split off both ends of a text, and the rest is read as a name. A
text can have several readings, and all are returned. Choosing a name is left to names.matching, and the form of suburb
names to names.sal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import prod
from typing import Final, NamedTuple

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
_FULL: Final = "|".join(_IN_FULL)
_NO_PLACE: Final = re.compile(
    rf"\b(?:{'|'.join(map(str.casefold, STATES))}|aust(?:ralia)?|cbd|not|or|totals?)\b"
    rf"|^(?:{_FULL})\b|(?:{_FULL})\W*$|[\d&]"
)
_STATE_IN_NAME: Final = re.compile(rf"(?:{_FULL}) \w|(?:.*\w )?(?:{_FULL})\.*$", re.IGNORECASE)
_NO_REGION: Final = re.compile(_EMPTY, re.IGNORECASE)
_NOTE: Final = re.compile(
    rf"\s*\((?:{_KIND}|[a-df-mo-rt-vx-z0-9])\)", re.IGNORECASE
)  # a kind of council, or a footnote
BETWEEN: Final = re.compile(r"\s*[,;/|&+-]\s*|\s+and\s+", re.IGNORECASE)
"""The signs and words that stand between the names of several suburbs."""

_ANY_NAME: Final = "x"
_LONGEST: Final = 300  # letters; nothing is split off a longer text, which names no suburb
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

_UNITS: Final = (
    r"apartment|apt|factory|flat|level|(?:g\.?)?p\.?o\.? box|locked bag|lot|office|shop|suite|townhouse|unit|villa"
)
_NUMBER: Final = re.compile(rf"(?:(?:c/-?|attn:?|g/f) *)?(?:(?:{_UNITS})\.? )?[a-z]?\d", re.IGNORECASE)
_STREET: Final = re.compile(
    " (?:alley|avenue|ave?|boulevarde?|bl?vd|cct|circle|circuit|close|cl|court|crescent|cres|crt?|ct|drive|drv?|"
    "esplanade|esp|grove|gr|highway|hwy|lane|ln|loop|mews|parade|pde|parkway|pkwy|place|pl|promenade|quay|road|rd|row|"
    r"square|sq|street|st|terrace|tce|track|trail|walk|way)\.?(?= |$)",
    re.IGNORECASE,
)
_SIDE: Final = re.compile(r" (?:[nsew]|north|south|east|west|upper|lower|extension)\.?(?= )", re.IGNORECASE)

_SHORT: Final = {
    "bch": "beach",
    "ck": "creek",
    "crk": "creek",
    "e": "east",
    "gdn": "garden gardens",
    "gdns": "gardens",
    "gve": "grove",
    "hbr": "harbour",
    "hd": "head",
    "hds": "heads",
    "hl": "hill",
    "hls": "hills",
    "hts": "heights",
    "is": "island",
    "isl": "island",
    "jct": "junction",
    "jctn": "junction",
    "jn": "junction",
    "jnc": "junction",
    "junc": "junction",
    "junct": "junction",
    "lk": "lake",
    "lks": "lakes",
    "lwr": "lower",
    "mtn": "mountain",
    "mtns": "mountains",
    "n": "north",
    "nth": "north",
    "pde": "parade",
    "pk": "park peak",
    "pt": "point port",
    "rd": "road",
    "rge": "range",
    "riv": "river",
    "rvr": "river",
    "s": "south",
    "spgs": "springs",
    "sth": "south",
    "tce": "terrace",
    "upr": "upper",
    "vlg": "village",
    "vly": "valley",
    "w": "west",
    "wtrs": "waters",
}
_NUMBERS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_DIGITS: Final = dict(zip(_NUMBERS.split(), map(str, (*range(1, 21), *range(30, 100, 10))), strict=True))
_EXPANSIONS: Final = _SHORT | {one: f"{word} {digits}" for word, digits in _DIGITS.items() for one in (word, digits)}
"""The words for which each abbreviation can stand. ``Mt`` and ``Saint`` always mean one word, so `fold` reads them."""

_COMPASS: Final = frozenset({"north", "south", "east", "west", "upper", "lower", "central", "n", "s", "e", "w"})
_MOST_WAYS: Final = 32  # of writing a text out
_PREFIX: Final = re.compile(r"\b([od]) (?=\w)")  # South Australia writes a space for the apostrophe of O'Connor

_NO_NAME: Final = re.compile(
    r"\W*(?:n\W*a|n\W*p|nan|nil|none|null|blank|unknown|not (?:applicable|available|stated))?\W*", re.IGNORECASE
)
_WHOLE: Final = re.compile(
    r"(?:.+ )?(?:sub)?totals?|all(?: \w+)?|others?|(?:balance|remainder|rest) of .+"
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
    """One way to read a text: folded base and regions, state as a code of ``STATES``, postcode of four digits.

    While parts are still split off a text, the base is the rest of the text, as written.
    """

    base: str
    regions: tuple[str, ...] = ()
    state: str | None = None
    postcode: str | None = None


Question = tuple[Reading, str | None]
"""The meaning of a look-up: how its text is read, and its state. Spellings that mean the same are equal."""


def is_no_name(text: str) -> bool:
    """Return True if a text stands for a missing name.

    >>> [is_no_name(text) for text in ("n.a.", "-", "Unknown", "Nana Glen")]
    [True, True, True, False]
    """
    return _NO_NAME.fullmatch(text) is not None and (text.isprintable() or text.isspace())


def is_whole_region(text: str) -> bool:
    """Return True if a text is a total, or a region that is never one suburb, such as ``Rest of Vic.``."""
    return any(_WHOLE.fullmatch(fold_name(each)) for each in (text, plainest(text).base))


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
    """Return the ways to read a text, each once. The first takes the whole text for a name.

    The others split off a state or a postcode at either end, a region in brackets, a region after a comma if
    ``is_region`` says that it is one, and the street address before the name.

    >>> readings("Mt Wonga, NSW 2797")[-1]
    Reading(base='mount wonga', regions=(), state='NSW', postcode='2797')
    >>> readings("2/12 High Street, Mt Wonga")[-1]
    Reading(base='mount wonga', regions=(), state=None, postcode=None)
    """
    parts = (one for one in _parts(text, is_region) if _PAUSES.isdisjoint(one.base))
    found = (one._replace(base=fold_name(one.base)) for one in parts)
    return tuple(dict.fromkeys([Reading(fold_name(text)), *(one for one in found if one.base)]))


def fold_name(text: str) -> str:
    """Fold a name as `fold` does, with brackets as spaces. A word in them may be a part of the name: Quoll (Bay)."""
    return fold(text.replace("(", " ").replace(")", " "))


def location(text: str) -> Reading | None:
    """Return the state, the postcode and the region of a text that has nothing else; None for any other text.

    >>> location("VIC 3031"), location("Quoll VIC")
    (Reading(base='', regions=(), state='VIC', postcode='3031'), None)
    """
    known = _ends(f"{_ANY_NAME} {text}")[-1]
    return known._replace(base="") if known.base == _ANY_NAME else None


def expansions(base: str) -> list[str]:
    """Return a folded base with its abbreviations written out in every way, without the base itself.

    Digits are written as words and words as digits, and an O or a D is joined with the next word.

    >>> expansions("nth lantern bay jct"), expansions("emu pt"), expansions("o quoll"), expansions("8 mile")
    (['north lantern bay junction'], ['emu point', 'emu port'], ['oquoll'], ['eight mile'])
    """
    joined = _PREFIX.sub(r"\1", base)
    words = joined.split()
    if joined == base and _EXPANSIONS.keys().isdisjoint(words):
        return []
    meanings = [_EXPANSIONS.get(word, word).split() for word in words]
    if prod(map(len, meanings)) > _MOST_WAYS:
        return []
    return [text for text in dict.fromkeys(map(" ".join, product(*meanings))) if text != base]


def turned(base: str) -> list[str]:
    """Return the names that a folded base may stand for in other words: a hint, which never settles a query.

    A compass word moves to the other end. ``CBD`` is left out, or replaced by ``City``, as the ABS writes it.

    >>> turned("east quoll"), turned("nth quoll"), turned("quoll cbd")
    (['quoll east'], ['quoll north', 'north quoll'], ['quoll', 'quoll city'])
    """
    found: list[list[str]] = []
    for text in filter(None, (base, *expansions(base))):
        first, *rest = text.split()
        *start, last = text.split()
        for side, name in ((first, rest), (last, start)):
            if name and side in _COMPASS:
                found += [[*name, side], [side, *name]]
            elif name and side == "cbd":
                found += [name, [*name, "city"]]
    return [text for text in dict.fromkeys(map(" ".join, found)) if text != base]


def state_of(query: Query) -> str | None:
    """Return the valid state given with a query, as a code of ``STATES``; None if the name may have it, or without one.

    >>> [state_of(Query("Wonga NSW")), state_of(Query("Port Victoria")), state_of(Query("Wonga", "Narnia"))]
    ['NSW', None, None]
    """
    if query.state is not None:
        return query.state if query.state in STATES else None
    return None if may_hold_a_state(query.text) else plainest(query.text).state


def plainest(text: str) -> Reading:
    """Return the reading of a text after every part that can be split off. Its base is the rest, as written.

    >>> plainest("12 High Street, O'Quoll (Wader) VIC 3031")
    Reading(base="O'Quoll", regions=('wader',), state='VIC', postcode='3031')
    """
    return _parts(text, is_capital)[-1]


def question(text: str, state: str | None) -> Question:
    """Return the meaning of a look-up, which is equal for all spellings that mean the same.

    >>> question("Mt Wonga NSW", None) == question("mount wonga, nsw", None)
    True
    >>> question("12 High Street, Quoll", None) == question("Quoll", None)
    False
    """
    is_whole = may_hold_a_state(text) or holds_an_address(text)
    return (Reading(fold(text)) if is_whole else readings(text)[-1]), state


def asked(query: Query) -> tuple[str, str | None]:
    """Return the text and the state to look up: without a postcode, a street address or a region in brackets.

    A state stays in the text, because it may be a part of the name. It is split off only together with an address or a
    region, and only if it cannot be a part of the name.

    >>> [asked(Query(text)) for text in ("2/12 High Street, Quoll VIC 3031", "Quoll VIC 3031", "Quoll (Wader)")]
    [('Quoll', 'VIC'), ('Quoll VIC', None), ('Quoll', None)]
    """
    parts = _parts(query.text, is_capital)
    plain = parts[-1]
    if (holds_an_address(query.text) or plain.regions) and not may_hold_a_state(query.text):
        return plain.base, query.state or plain.state
    return next(one.base for one in reversed(parts) if not one.state), query.state


def may_hold_a_state(text: str) -> bool:
    """Return True if a text begins or ends with a state's full name, which may be part of the suburb's.

    A state that is set apart by a comma or another sign does not count.

    >>> [may_hold_a_state(text) for text in ("Port Victoria 5573", "Victoria Park", "Quoll, Victoria", "Quoll VIC")]
    [True, True, False, False]
    """
    return any(_STATE_IN_NAME.match(one.base) for one in _parts(text, is_capital))


def holds_an_address(text: str) -> bool:
    """Return True if a text begins as a street address does, perhaps after a state."""
    return any(_NUMBER.match(one.base) for one in _with_fronts(Reading(text)))


def is_unbounded_address(text: str) -> bool:
    """Return True if a text begins as a street address does, and no comma says where the address ends."""
    return "," not in text and holds_an_address(text)


def _parts(text: str, is_region: Callable[[str], bool]) -> list[Reading]:
    """Return the rest of a text after each part that can be split off, the plainest last."""
    parts = [part for end in _ends(text, is_region) for part in _with_fronts(end)]
    addresses = [part for part in parts if _NUMBER.match(part.base)]
    names = (name for address in addresses for name in _after_address(address) if name.base)
    return parts + [part for name in names for part in _with_fronts(name)]


def _ends(text: str, is_region: Callable[[str], bool] = _is_no_region) -> list[Reading]:
    """Return a text in one form, and the rest after each part that is split off its end."""
    whole = _NOTE.sub("", " ".join(one_form(_MARK.sub("", text)).split())).strip(_GAPS)
    ends = [Reading(whole or text)]
    while len(text) <= _LONGEST and (shorter := _without_end(ends[-1], is_region)):
        ends.append(shorter)
    return ends


def _without_end(known: Reading, is_region: Callable[[str], bool]) -> Reading | None:
    """Split a location in or without brackets, a country or a region after a comma off the end of a text.

    Return None if the text ends in none of them, if one contradicts what is known, or if no text would be left.
    """
    end = _END.search(known.base)
    if end and end.start():
        found = _location(end) if end["inside"] is None else _in_brackets(end["inside"], is_region)
        more = found and _all_of(known, [found])
        if more:
            return more._replace(base=known.base[: end.start()])
    name, _, last = known.base.rpartition(",")
    if name.strip() and not known.regions and is_region(region := fold_region(last)):
        return known._replace(base=name.rstrip(_GAPS), regions=(region,))
    return None


def _location(match: re.Match[str]) -> Reading:
    return Reading("", (), state_code(match["state"]), postcode(match["postcode"] or ""))


def _all_of(known: Reading, more: Iterable[Reading]) -> Reading | None:
    """Add the locations of further readings to a known one; None if they contradict one another."""
    for found in more:
        if _first_of(known, found) != _first_of(found, known):
            return None
        known = Reading(known.base, *_first_of(known, found))
    return known


def _first_of(one: Reading, other: Reading) -> tuple[tuple[str, ...], str | None, str | None]:
    return one.regions or other.regions, one.state or other.state, one.postcode or other.postcode


def _in_brackets(inside: str, is_region: Callable[[str], bool]) -> Reading | None:
    """Return the location in brackets. Words such as Council say nothing.

    Return None for brackets with a part of a name, such as a compass word, or with a state that is not set apart.
    """
    known = _ends(f"{_ANY_NAME} {inside}")[-1]
    known = known._replace(base=known.base.removeprefix(_ANY_NAME).strip(_GAPS))
    if not is_region(fold_region(known.base)) and not _STATE_IN_NAME.match(known.base):
        *_, known = _with_fronts(known)
    region = fold_region(known.base)
    is_state_too = _NO_PLACE.search(region) and (state_code(region) or not is_region(region))
    if is_state_too or region in _COMPASS or region in _EXPANSIONS:
        return None
    return known._replace(regions=(region,) if region and not _NO_REGION.fullmatch(region) else ())


def _with_fronts(known: Reading) -> Iterator[Reading]:
    """Yield a text, and the rest after each state and postcode that is split off its front."""
    yield known
    while (front := _FRONT.match(known.base)) and (more := _all_of(known, [_location(front)])):
        known = more._replace(base=known.base[front.end() :])
        yield known


def _after_address(known: Reading) -> Iterator[Reading]:
    """Yield the possible names after a street address, each with the state, postcode and region around it.

    A comma ends the address. Each part before the last comma has to be a part of an address, or a state or postcode:
    any other may be a building, or the suburb itself.
    """
    *address, last = map(str.strip, known.base.split(","))
    parts = [_around_street(part) if _NUMBER.match(part) else location(part) for part in address]
    around = _all_of(known, filter(None, parts))
    if around and all(parts):
        names = _after_street(last) if _NUMBER.match(last) else [last]
        yield from (around._replace(base=name) for name in names)


def _around_street(part: str) -> Reading:
    """Return the state and the postcode in a part of an address. The number of a unit or a box is no postcode."""
    known = _ends(part)[-1]
    return Reading("") if re.fullmatch(rf"(?:{_UNITS})\.?", known.base, re.IGNORECASE) else known


def _after_street(text: str) -> Iterator[str]:
    """Yield the possible names in a text without a comma after a street address is removed from the front.

    The address can end at any word for a street, or at a compass direction after that word.
    """
    for street in _STREET.finditer(text):
        if " " in text[: street.start()]:
            yield text[street.end() :].strip()
            side = _SIDE.match(text, street.end())
            if side:
                yield text[side.end() :].strip()
