"""Provides made-up countries for tests of names: the sandbox's suburbs, and random ones named by the ABS's rule."""

from collections import Counter

from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.sandbox import SUBURBS

NAMES = [suburb.name for suburb in SUBURBS]

PLACES = [
    Place(one.name, one.state, one.council, one.postcode, one.sa2, one.sa3, one.sa4, "embedded") for one in SUBURBS
]
"""The sandbox's suburbs with their locations."""

_BASES = [
    "Quoll",
    "Quoll Bay",
    "Quollbay",
    "Mount Quoll",
    "St Numbat",
    "O'Quoll",
    "Quoll-on-Sea",
    "Quoll Victoria",
]
_POSTCODES_OF = {"NSW": ["2031", "2406", "3644"], "VIC": ["3031", "3644"], "SA": ["5031", "0872"]}
_STATES = [*_POSTCODES_OF]
_COUNCILS = ["Upper Woylie", "Bilby-Numbat"]
POSTCODES = sorted({"2000", *(postcode for some in _POSTCODES_OF.values() for postcode in some)})
"""Postcodes of the made-up countries, some of them on a border, and 2000, which none of their suburbs has."""


@st.composite
def countries(draw):
    """Draw the places of a country: a name has a state if its base repeats, a council if it repeats in the state."""
    spots = draw(
        st.lists(
            st.tuples(*map(st.sampled_from, (_BASES, _STATES, _COUNCILS))).flatmap(
                lambda spot: st.tuples(*map(st.just, spot), st.sampled_from(_POSTCODES_OF[spot[1]]))
            ),
            min_size=1,
            max_size=14,
            unique_by=lambda spot: spot[:3],
        )
    )
    in_country = Counter(base for base, *_ in spots)
    in_state = Counter((base, state) for base, state, *_ in spots)
    places = []
    for base, state, council, postcode in spots:
        is_repeated, is_twice = in_country[base] > 1, in_state[base, state] > 1
        name = sal.Name(base, council if is_twice else None, state if is_repeated else None)
        places.append(Place(str(name), state, council, postcode))
    return places


@st.composite
def queries(draw):
    """Draw a text that somebody may write for a suburb of such a country, with a state and a postcode or None."""
    base = draw(st.sampled_from([*_BASES, *map(str.lower, _BASES), "Mt Quoll", "saint numbat", "quoll on sea", "Quol"]))
    suffixes = [
        "",
        " NSW",
        " vic",
        ", South Australia",
        " Victoria",
        " (Vic.)",
        " (Upper Woylie - NSW)",
        " 2031",
        " vic 3644",
        "-nsw-2031",
        " | vic",
    ]
    state = draw(st.sampled_from([None, None, *_STATES]))
    return base + draw(st.sampled_from(suffixes)), state, draw(st.sampled_from([None, None, *POSTCODES]))
