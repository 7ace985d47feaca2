"""Owns the made-up country: its councils, its suburbs, and their names by the ABS's SAL rules.

The states are real. The suburbs, councils and statistical areas do not exist, so that nobody mistakes a made-up rent
for that of a real place. Rents are left to `series`, drivers to `premiums`, suburbs with odd data to `oddities`.
"""

from collections import Counter
from dataclasses import dataclass, replace

DATA_VERSION = "2026.04.3"
"""The version of all made-up data. Any change to a place or to a number needs a new version."""

STATES = {
    "NSW": "New South Wales",
    "VIC": "Victoria",
    "QLD": "Queensland",
    "SA": "South Australia",
    "WA": "Western Australia",
    "TAS": "Tasmania",
    "ACT": "Australian Capital Territory",
    "NT": "Northern Territory",
}
"""Each state's abbreviation, as in a geocode query, and its name, as in a geocode response."""

_SUFFIXES = {"VIC": "Vic.", "QLD": "Qld", "TAS": "Tas."}


@dataclass(frozen=True)
class Suburb:
    """A made-up suburb, its areas and its postcode.

    Parameters
    ----------
    name
        The exact name, with the suffix that the SAL rules require, such as ``"Lantern Bay (NSW)"``.
    base
        The name without the suffix, such as ``"Lantern Bay"``.
    council, sa2, sa3, sa4
        The made-up council and statistical areas.
    state
        The abbreviation, as in a geocode query: ``"NSW"``, ``"VIC"``.
    postcode
        Four digits, as text.
    """

    name: str
    base: str
    council: str
    state: str
    postcode: str
    sa2: str
    sa3: str
    sa4: str


@dataclass(frozen=True)
class _Council:
    """A council with its state, SA3 and SA4, and with the postcode, name and suburbs of each SA2."""

    state: str
    name: str
    sa3: str
    sa4: str
    areas: tuple[tuple[str, str, str], ...]


_COUNCILS = (
    _Council(
        "NSW",
        "Curlew Shores",
        "Gannet Inlet",
        "Lantern Coast",
        (
            (
                "2535",
                "Lantern Bay - Gannet Steps",
                "Lantern Bay, Lantern Bay Junction, Gannet Steps, Tern Island Park",
            ),
            ("2536", "Sandpiper Reach", "Sandpiper Reach, Magpie Flat, Oystercatcher Cove, D'Arcy Lantern"),
            ("2537", "Pelican Lawn", "Pelican Lawn, Pelican Lawn East, Currawong Ledge, No 7 Wharf"),
        ),
    ),
    _Council(
        "NSW",
        "Port Gannet-Swanmere",
        "Swanmere",
        "Lantern Coast",
        (
            ("2439", "Swanmere", "Swanmere, Swanmere Quay, Sandpiper Reach, Port-le-Gannet"),
            ("2440", "Bilby Heights - Tawny", "Bilby Heights, Tawny, Tawny Owl Gully, Mulga Dale"),
        ),
    ),
    _Council(
        "NSW",
        "Ironbark Ranges",
        "Ironbark Uplands",
        "Western Wattle",
        (
            ("2797", "Cockatoo Rest", "Cockatoo Rest, Magpie Flat, O'Farrelly, Mount Wonga Wonga"),
            ("2798", "Wirrabee - Tallunga", "Wirrabee - Tallunga, Wombat Rise, Yabby Dam, St Corella"),
        ),
    ),
    _Council(
        "NSW",
        "Brolga Plains",
        "Brolga",
        "Western Wattle",
        (
            ("2835", "Nulla Brolga", "Nulla Brolga, Brolga Lagoon Estate, Galah Siding, Emu Parade"),
            ("2836", "Boobook", "Boobook, Drover's Bend, Coolibah Track, Silver Wattle Rise"),
        ),
    ),
    _Council(
        "VIC",
        "Kestrel Vale",
        "Upper Kestrel",
        "Kestrel and Basalt",
        (
            ("3359", "Kestrel Hill", "Kestrel Hill, Kestrel Hill Lower, Basalt Steps, Magpie Flat"),
            ("3360", "Sugargum", "Sugargum, Sugargum Rise, Sugargum Rise North, Wombat Rise"),
            ("3361", "Fernhollow", "Fernhollow, Lyrebird Walk, Quoll Creek Park, O'Malley's Gate"),
        ),
    ),
    _Council(
        "VIC",
        "Bluestone Lakes",
        "Bluestone",
        "Kestrel and Basalt",
        (
            ("3268", "Bluestone Weir", "Bluestone Weir, Magpie Flat, Sugargum Rise, Swamp Harrier"),
            ("3269", "Heron-on-the-Water", "Heron-on-the-Water, Heron, Grebe Landing, Mount Yabby"),
        ),
    ),
    _Council(
        "VIC",
        "Tawny Coast",
        "Tawny Peninsula",
        "Southern Shearwater",
        (
            ("3941", "Shearwater Strand", "Shearwater Strand, Shearwater Strand West, Lamplighter Point"),
            ("3942", "Banksia Mews", "Banksia Mews, Bullkelp, Penguin Parade Gardens, Silver Wattle Rise"),
            ("3943", "Tin Kettle", "Tin Kettle, Tin Kettle Junction, Wrack Beach, Currawong Ledge"),
        ),
    ),
    _Council(
        "QLD",
        "Mangrove Steps",
        "Mudcrab Reaches",
        "Paperbark Coast",
        (
            (
                "4199",
                "Mangrove Steps - Mudcrab",
                "Mangrove Steps, Mudcrab Reach, Kestrel Hill, Paperbark Mile",
            ),
            ("4200", "Jabiru Quays", "Jabiru Quays, Jabiru Quays South, Ibis Terrace, Cassava Grove"),
        ),
    ),
    _Council(
        "QLD",
        "Paperbark Coast",
        "Mango Hinterland",
        "Paperbark Coast",
        (
            ("4568", "Lorikeet Lookout", "Lorikeet Lookout, Lorikeet, Frangipani Rise, Flying Fox Bridge"),
            ("4569", "Taipan Flats", "Taipan Flats, Cockatoo Crossing, Boobook, Magpie Flat"),
            ("4570", "Wild Mango", "Wild Mango, Wild Mango Upper, Tamarind Pocket, O'Shannassy's Mill"),
        ),
    ),
    _Council(
        "QLD",
        "Barramundi Downs",
        "Brigalow Gulf",
        "Outback Brigalow",
        (
            ("4731", "Cockatoo Crossing", "Cockatoo Crossing, Bore No 12, Pandanus Yard, Bottletree Downs"),
            (
                "4732",
                "Nine Mile Billabong",
                "Nine Mile Billabong, Wagtail Siding, Pademelon Point, Galah Well",
            ),
        ),
    ),
    _Council(
        "SA",
        "Saltbush Plains",
        "Saltbush",
        "Gulf and Saltbush",
        (
            ("5119", "Saltbush Park", "Saltbush Park, Saltbush Park East, Bluebush Green, Mulga Dale"),
            ("5120", "Stringybark Terrace", "Stringybark Terrace, Magpie Flat, Honeyeater, Wheatbag Lane"),
        ),
    ),
    _Council(
        "SA",
        "Cuttlefish Gulf",
        "Upper Cuttlefish",
        "Gulf and Saltbush",
        (
            ("5570", "Cuttlefish Jetty", "Cuttlefish Jetty, Leafy Seadragon, Garfish Landing, O'Farrelly"),
            ("5571", "Copper Lantern", "Copper Lantern, D'Estrange, Pugstone, Razorfish Point"),
            ("5572", "Galah Well", "Galah Well, Sleepy Lizard, Quandong Rise, Nyarra - Willara"),
        ),
    ),
    _Council(
        "WA",
        "Quokka Sound",
        "Quokka and Numbat",
        "Marri Coast",
        (
            ("6171", "Quokka Bay", "Quokka Bay, Quokka Bay North, Numbat Green, Magpie Flat"),
            ("6172", "Marri Mews", "Marri Mews, Tuart Lane, Honeyeater, Black Swan Rise"),
            ("6173", "Zamia", "Zamia, Zamia Heights, Whistling Kite, Mulga Dale"),
        ),
    ),
    _Council(
        "WA",
        "Jarrah Rise",
        "Numbat Ranges",
        "Inner Jarrah",
        (
            ("6421", "Jarrah Bench", "Jarrah Bench, Woylie, O'Farrelly, Bungarra Rocks"),
            ("6422", "Boobook", "Boobook, Gimlet Track, Rabbit-Proof Gate, Wodjil Soak"),
        ),
    ),
    _Council(
        "TAS",
        "Leatherwood",
        "Leatherwood Valley",
        "Western Huon Pine",
        (
            (
                "7118",
                "Leatherwood Bend",
                "Leatherwood Bend, Leatherwood Bend Upper, Pademelon Point, Silver Wattle Rise",
            ),
            ("7121", "Button Grass", "Button Grass, Mount Currawong, Myrtle Stair, Tam O'Lantern"),
        ),
    ),
    _Council(
        "TAS",
        "Muttonbird Straits",
        "Muttonbird",
        "Eastern Sassafras",
        (
            ("7241", "Lantern Bay", "Lantern Bay, Muttonbird Neck, Tinderbox Sound, Currawong Ledge"),
            ("7242", "Sassafras-by-Sea", "Sassafras-by-Sea, Cider Gum, Wombat Rise, Abalone Steps"),
        ),
    ),
    _Council(
        "ACT",
        "Bogong Rise",
        "Bogong Foothills",
        "Snowgum Capital",
        (
            ("2617", "Bogong Rise", "Bogong Rise, Snowgum Park, Corroboree Frog Park, Silver Wattle Rise"),
            ("2618", "Rosella Circle", "Rosella Circle, Larkspur Place, Wombat Rise, Yam Daisy"),
        ),
    ),
    _Council(
        "NT",
        "Spinifex and Pandanus",
        "Spinifex",
        "Top Pandanus",
        (
            (
                "0839",
                "Spinifex Landing",
                "Spinifex Landing, Spinifex Landing West, Frilled Lizard, Magpie Goose",
            ),
            ("0841", "Saltie Creek Park", "Saltie Creek Park, Boobook, Termite Mound, Barra Bend"),
        ),
    ),
    _Council(
        "NT",
        "Desert Oak",
        "Desert Oak",
        "Red Dunes",
        (
            ("0873", "Desert Oak Yards", "Desert Oak Yards, Perentie, Mulga Dale, Thorny Devil"),
            ("0874", "Galah Well", "Galah Well, Ghostgum, Ghostgum Gap, Budgerigar - Zebra Finch"),
        ),
    ),
)

SANDBOX_NAMES = frozenset(
    {
        "Lantern Bay (NSW)",
        "Bilby Heights",
        "Kestrel Hill (Vic.)",
        "Mangrove Steps",
        "Saltbush Park",
        "Quokka Bay",
        "Leatherwood Bend",
        "Bogong Rise",
        "Spinifex Landing",
    }
)
"""The nine suburbs that the key ``test`` may read."""


def _without_suffixes() -> list[Suburb]:
    """Return every suburb of the table, with its base as its name."""
    return [
        Suburb(base, base, council.name, council.state, postcode, sa2, council.sa3, council.sa4)
        for council in _COUNCILS
        for postcode, sa2, bases in council.areas
        for base in bases.split(", ")
    ]


def _with_suffix(place: Suburb, in_country: int, in_state: int) -> Suburb:
    """Add the suffix that the SAL rules require, given how often the base occurs in the country and in the state."""
    if in_country == 1:
        return place
    suffix = _SUFFIXES.get(place.state, place.state)
    if in_state > 1:
        suffix = f"{place.council} - {suffix}"
    return replace(place, name=f"{place.base} ({suffix})")


def _all_suburbs() -> tuple[Suburb, ...]:
    places = _without_suffixes()
    in_country = Counter(place.base for place in places)
    in_state = Counter((place.base, place.state) for place in places)
    named = (_with_suffix(place, in_country[place.base], in_state[place.base, place.state]) for place in places)
    return tuple(sorted(named, key=lambda suburb: suburb.name))


SUBURBS = _all_suburbs()
"""Every made-up suburb, sorted by name."""

BY_NAME = {suburb.name: suburb for suburb in SUBURBS}
"""The made-up suburbs by their exact names."""
