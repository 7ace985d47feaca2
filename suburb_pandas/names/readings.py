"""Reads the ways in which people write a suburb: its state, postcode or council around the name, an address in front.

A text can have several readings, and all are returned: choosing a name is left to names.matching. The form of a name
itself is left to names.sal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from suburb_pandas.names.sal import STATES, fold, one_form, postcode, state_code

_IN_FULL: Final = tuple(full.casefold() for full in STATES.values())
_FIRST_WORDS: Final = frozenset(text.split()[0] for text in (*_IN_FULL, *map(str.casefold, STATES)))
_LAST_WORDS: Final = frozenset(text.split()[-1] for text in (*_IN_FULL, *map(str.casefold, STATES)))
_SAYS_NOTHING: Final = re.compile("area|borough|city|council|district|municipal(ity)?|of|regional|rural|shire|the|town")
_COUNCIL_KIND: Final = re.compile(r"\s*\((?:A|AC|B|C|CGC|DC|M|R|RC|S|T)\)", re.IGNORECASE)
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
_GREATER: Final = "greater "

_UNITS: Final = "apartment|apt|factory|flat|level|lot|office|shop|suite|townhouse|unit|villa"
_NUMBER: Final = re.compile(rf"(?:(?:{_UNITS})\.? )?[a-z]?\d|g\.?p\.?o\.? box \d|p\.?o\.? box \d", re.IGNORECASE)
_STREET_TYPE: Final = re.compile(
    "alley|avenue|ave?|boulevarde?|bl?vd|cct|circle|circuit|close|cl|court|crescent|cres|crt?|ct|drive|drv?|esplanade|"
    "esp|grove|gr|highway|hwy|lane|ln|loop|mews|parade|pde|parkway|pkwy|place|pl|promenade|quay|road|rd|row|square|sq|"
    "street|st|terrace|tce|track|trail|walk|way",
    re.IGNORECASE,
)
_SIDES: Final = frozenset({"n", "s", "e", "w", "north", "south", "east", "west", "upper", "lower", "extension"})
_COUNTRY: Final = re.compile(r"(?<!south)(?<!western)[ ,]+australia$", re.IGNORECASE)


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


def fold_region(text: str) -> str:
    """Normalise the name of a council or area for comparison, as `fold` does a suburb's.

    A state in brackets, the kind of council in brackets and words such as ``City of`` are removed.

    >>> fold_region("Central Coast (C) (NSW)"), fold_region("City of Port Phillip")
    ('central coast', 'port phillip')
    """
    text = without_council_kind(text)
    name, _, inside = text.removesuffix(")").rpartition("(")
    words = fold(name if text.endswith(")") and name and state_code(inside) else text).split()
    return " ".join([word for word in words if not _SAYS_NOTHING.fullmatch(word)] or words)


def without_council_kind(text: str) -> str:
    """Remove the kind of council, such as ``(C)`` for a city, which the ABS put behind its councils until 2020.

    >>> without_council_kind("Parramatta (C)"), without_council_kind("Kingston (C) (Vic.)")
    ('Parramatta', 'Kingston (Vic.)')
    """
    return _COUNCIL_KIND.sub("", text)


def state_of_capital(region: str) -> str | None:
    """Return the state of a folded capital, which people write for the whole city around it; None for other regions."""
    return _CAPITALS.get(region.removeprefix(_GREATER))


def is_capital(region: str) -> bool:
    """Return True if a folded region is a capital."""
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
    parts = _split(text, is_region)
    bases = (Reading(fold(rest), *reading[1:]) for rest, reading in parts if "," not in rest)
    return tuple(dict.fromkeys([Reading(fold(text)), *(reading for reading in bases if reading.base)]))


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
    return _split(text, is_capital)[-1]


def question(query: str, state: str | None) -> Question:
    """Return the meaning of a look-up, which is equal for all spellings that mean the same."""
    if may_hold_a_state(query) or holds_an_address(query):
        return Reading(fold(query)), state
    *_, reading = readings(query)
    return (reading if reading.base else reading._replace(base=query)), state


def asked(query: Query) -> tuple[str, str | None]:
    """Return the text and the state to look up: without a postcode, a street address or a region in brackets."""
    text, reading = plainest(query.text)
    if holds_an_address(query.text) or reading.regions:
        return text, query.state or reading.state
    return _without_postcode(without_council_kind(query.text)), query.state


def _without_postcode(text: str) -> str:
    """Drop the postcode at the end of a text, so that the look-up finds every suburb of that name to choose from."""
    rest, _, last = text.rpartition(" ")
    return rest.rstrip(" ,") if rest.strip(" ,") and len(last) == len("2000") and postcode(last) else text


def _split(text: str, is_region: Callable[[str], bool]) -> list[tuple[str, Reading]]:
    """Return the remaining text after each split, with the parts that were split off, the shortest text last."""
    words = without_council_kind(one_form(text)).replace(",", " , ").split()
    ends = [(_COUNTRY.sub("", " ".join(words).strip(" ,")), Reading(""))]
    while (shorter := _split_ending(*ends[-1], is_region)) is not None:
        ends.append(shorter)
    plainest = len(ends) - 1
    ways = [(*way, number == plainest) for number, end in enumerate(ends) for way in (end, *_split_fronts(*end))]
    split = [(rest, reading) for rest, reading, _ in ways]
    if "," in words or any(map(str.isdigit, text)):
        for longer, reading, any_part in ways:
            for rest, regions in _after_address(longer, any_part=any_part):
                name = rest, reading._replace(regions=(*reading.regions, *regions))
                split += [name, *_split_fronts(*name)]
    return split


def may_hold_a_state(text: str) -> bool:
    """Return True if a text begins or ends with a state's full name, which may be part of the suburb's."""
    text = text.casefold()
    return text.endswith(_IN_FULL) or text.startswith(_IN_FULL)


def holds_an_address(text: str) -> bool:
    """Return True if a text begins as a street address does, perhaps after a state."""
    return any(_NUMBER.match(rest) for rest in (text, *(rest for rest, _ in _split_fronts(text, Reading("")))))


def is_unbounded_address(text: str) -> bool:
    """Return True if a text begins as a street address does, and no comma says where the address ends."""
    return holds_an_address(text) and "," not in text


def _split_ending(text: str, known: Reading, is_region: Callable[[str], bool]) -> tuple[str, Reading] | None:
    """Split a state, a postcode or a region off the end of a text, and add it to ``known``, the parts split off before.

    Return None if the text ends in none of them, if ``known`` already has that part, or if no text would be left.
    """
    for rest, region, end in _endings(text):
        rest = rest.rstrip(" ,-")  # noqa: PLW2901 - removes the separator
        state, code = state_code(end), postcode(end)
        regions = (fold_region(region),) if region else ()
        if not rest or (regions and known.regions):
            continue
        if (state and not known.state) or (regions and not end):
            return rest, known._replace(state=state or known.state, regions=regions or known.regions)
        if code and not region and not known.postcode:
            return rest, known._replace(postcode=code)
    rest, _, end = text.rpartition(" , ")
    region = fold_region(end)
    if rest and not known.regions and is_region(region):
        return rest.rstrip(" ,"), known._replace(regions=(region,))
    return None


def _endings(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the ways to split the end off a text, each as the rest, the region if there is one, and the end.

    The end is the text in the last brackets, or else the last three, two or one words. Brackets hold a state, a region
    or both.
    """
    if text.endswith(")"):
        rest, _, inside = text[:-1].rpartition("(")
        region, dash, end = re.sub(r" ?, ?", "-", inside).rpartition("-")
        yield (rest, region, end) if state_code(end) or (postcode(end) and not dash) else (rest, inside, "")
        return
    last = _plain(text.rpartition(" ")[2])
    if last not in _LAST_WORDS and not last[:1].isdigit():
        return  # most texts: saves comparing every text with every spelling of a state
    for number in (3, 2, 1):
        words = text.rsplit(" ", number)
        if len(words) > number:
            yield words[0], "", " ".join(words[1:])


def _split_fronts(text: str, known: Reading) -> Iterator[tuple[str, Reading]]:
    """Split states and postcodes off the front of a text one by one, as `_split_ending` does at its end."""
    while (shorter := _split_front(text, known)) is not None:
        yield shorter
        text, known = shorter


def _split_front(text: str, known: Reading) -> tuple[str, Reading] | None:
    first, _, rest = text.partition(" ")
    code = postcode(first) if len(first) == len("2000") else None
    if code and known.postcode in {None, code} and (rest := rest.lstrip(" ,-")):
        return rest, known._replace(postcode=code)
    if _plain(first) not in _FIRST_WORDS:
        return None
    for number in (3, 2, 1):
        words = text.split(" ", number)
        state = state_code(" ".join(words[:number]).rstrip(" ,")) if len(words) > number else None
        if state and known.state in {None, state} and (rest := words[number].lstrip(" ,-")):
            return rest, known._replace(state=state)
    return None


def _plain(word: str) -> str:
    return word.replace(".", "").rstrip(",").casefold()


def _after_address(text: str, *, any_part: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the possible names after a street address is removed from the front, each with the regions behind it.

    A comma ends the address, and the last part is the name. With ``any_part``, each part after the address can be the
    name, and the parts behind it are its regions.
    """
    address, *parts = text.split(" , ")
    if not parts:
        yield from ((name, ()) for name in _after_street(text))
        return
    if not _NUMBER.match(address):
        if " " not in address or not _STREET_TYPE.fullmatch(address.split(" ")[-1].rstrip(".")):
            return
        parts.insert(0, address)  # a street, or a suburb that is called like one: Ocean Grove
    for number, part in enumerate(parts, start=1):
        if any_part or number == len(parts):
            regions = tuple(map(fold_region, parts[number:]))
            yield from ((name, regions) for name in (_after_street(part) if _NUMBER.match(part) else [part]))


def _after_street(text: str) -> Iterator[str]:
    """Yield the possible names in a text without a comma after a street address is removed from the front.

    The address can end at any word for a street, or at a compass direction after that word.
    """
    words = text.split(" ") if _NUMBER.match(text) else []
    for number, word in enumerate(words):
        if number > 1 and _STREET_TYPE.fullmatch(word.rstrip(".")):
            left = words[number + 1 :]
            yield " ".join(left)
            if left and left[0].casefold().rstrip(".") in _SIDES:
                yield " ".join(left[1:])
