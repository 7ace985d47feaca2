"""Provides messy rows: names as people write them, each with the suburb that was meant, drawn from a whole country.

The state and the postcode of a suburb are its true ones in a made-up country. The real list has no postcodes, and
states only in suffixes: there, each name without one gets a state at random, and each suburb a postcode of its state.
The tested code does not know these values.
"""

from collections import Counter
from typing import NamedTuple

from suburb_pandas.names import sal

STREETS = ("12 Smith Street", "3/45 High St", "Unit 7, 9 Old Rd", "1A Wattle Grove", "Lot 5 Station Rd")
SUFFIXES = {"NSW": "NSW", "VIC": "Vic.", "QLD": "Qld", "SA": "SA", "WA": "WA", "TAS": "Tas.", "NT": "NT", "ACT": "ACT"}
POSTCODES = {
    "NSW": (2001, 2399),
    "VIC": (3001, 3499),
    "QLD": (4001, 4369),
    "SA": (5001, 5799),
    "WA": (6001, 6790),
    "TAS": (7001, 7799),
    "NT": (801, 870),
    "ACT": (2601, 2609),
}


class Suburb(NamedTuple):
    """A suburb with the parts of its true location that people write."""

    name: str
    state: str
    postcode: str
    council: str | None = None


class Row(NamedTuple):
    """A messy row: its text, the values beside it, and the name of the suburb that was meant."""

    text: str
    state: str | None
    postcode: str | None
    meant: str


def located(names, rng):
    """Return suburbs for real names. A name that does not show its state gets one, and every suburb gets a postcode."""
    found = []
    for name in names:
        _, council, state = sal.parse(name)
        state = state if state in POSTCODES else rng.choice([*POSTCODES])
        found.append(Suburb(name, state, postcode_in(state, rng), council))
    return found


def country(number, rng):
    """Return a made-up country named by the ABS's rule, with a council for each suburb."""
    syllables = ["qua", "bil", "wom", "num", "zam", "wil", "la", "ra", "ga", "roo", "bee", "tah"]
    ends = ["", "", "", " bay", " hill", " creek", " north", "'s gap", "-on-sea", " st mary"]
    starts = ["", "", "", "mount ", "st ", "north "]
    spots = {}
    while len(spots) < number:
        base = rng.choice(starts) + "".join(rng.choices(syllables, k=rng.randint(2, 3))) + rng.choice(ends)
        state = rng.choice([*POSTCODES])
        council = f"{rng.choice(syllables)}{rng.choice(syllables)} {state.lower()}".title()
        spots.setdefault((base.title(), state, council), postcode_in(state, rng))
    in_country = Counter(base for base, *_ in spots)
    in_state = Counter((base, state) for base, state, _ in spots)
    return [
        Suburb(
            str(
                sal.Name(base, council if in_state[base, state] > 1 else None, state if in_country[base] > 1 else None)
            ),
            state,
            postcode,
            council,
        )
        for (base, state, council), postcode in spots.items()
    ]


def postcode_in(state, rng):
    return f"{rng.randint(*POSTCODES[state]):04}"


def rows(suburbs, number, rng):
    """Draw messy rows."""
    return [messy(rng.choice(suburbs), rng) for _ in range(number)]


def messy(suburb, rng):
    """Return a suburb as somebody may have typed it."""
    text = marked(respelt(sal.parse(suburb.name).base, rng), rng)
    if suburb.council and rng.random() < 0.3:
        text += rng.choice([f" ({suburb.council})", f" ({suburb.council} - {SUFFIXES[suburb.state]})"])
    state = rng.choice([suburb.state, SUFFIXES[suburb.state], sal.STATES[suburb.state]])
    postcode = rng.choice([suburb.postcode, suburb.postcode, None, None, one_digit_off(suburb.postcode, rng)])
    where = rng.choice(["before", "behind", "behind", "beside", "beside", "nowhere"])
    if where == "before":
        text = rng.choice([f"{state} {text}", f"{state}, {text}"])
    elif where == "behind":
        text = rng.choice([f"{text} {state}", f"{text}, {state}"])
    is_beside = rng.random() < 0.5
    if postcode and not is_beside:
        text = f"{text} {postcode}"
    if rng.random() < 0.15:
        text = rng.choice([f"{rng.choice(STREETS)}, {text}", f"{rng.choice(STREETS)} {text}"])
    return Row(text, state if where == "beside" else None, postcode if is_beside else None, suburb.name)


def respelt(base, rng):
    """Return a base in another case, with Mt and Saint."""
    words = base.split(" ")
    if rng.random() < 0.5:
        words = [{"Mount": "Mt", "St": "Saint"}.get(word, word) for word in words]
    return rng.choice([str, str.upper, str.lower, str.title])(" ".join(words))


def marked(text, rng):
    """Return a text with typographic marks and spaces."""
    text = text.replace("'", rng.choice(["'", "\u2019", ""])).replace("-", rng.choice(["-", "\u2013", " "]))
    return rng.choice([text, f" {text}  ", text.replace(" ", "  ")])


def one_digit_off(postcode, rng):
    at = rng.randrange(4)
    return f"{postcode[:at]}{(int(postcode[at]) + rng.randint(1, 9)) % 10}{postcode[at + 1 :]}"
