import re
from collections import Counter

import pytest

from suburb_pandas.sandbox import DATA_VERSION, oddities
from suburb_pandas.sandbox.country import BY_NAME, SANDBOX_NAMES, STATES, SUBURBS, census

NAMES = [suburb.name for suburb in SUBURBS]
BASES = Counter(suburb.base for suburb in SUBURBS)
SUFFIXES = {**{state: state for state in STATES}, "VIC": "Vic.", "QLD": "Qld", "TAS": "Tas."}
POSTCODES = {"NSW": "2", "ACT": "26", "VIC": "3", "QLD": "4", "SA": "5", "WA": "6", "TAS": "7", "NT": "08"}
"""The digits with which the postcodes of a state begin."""


def base_of(name):
    return re.sub(r" \([^()]*\)$", "", name)


def test_there_are_at_least_150_suburbs_each_with_a_name_of_its_own():
    """The country has at least 150 suburbs, in all states and sorted by name, and no two share a name."""
    assert sorted({*NAMES}) == NAMES
    assert len(BY_NAME) >= 150
    assert {suburb.state for suburb in SUBURBS} == set(STATES)


def test_a_name_has_the_suffix_that_the_sal_rules_require():
    """The state is the suffix of a base that repeats in the country, with the council if it repeats in the state."""
    in_state = Counter((suburb.base, suburb.state) for suburb in SUBURBS)
    for suburb in SUBURBS:
        council = f"{suburb.council} - " if in_state[suburb.base, suburb.state] > 1 else ""
        suffix = f" ({council}{SUFFIXES[suburb.state]})" if BASES[suburb.base] > 1 else ""
        assert suburb.name == suburb.base + suffix


@pytest.mark.parametrize(
    "shape",
    [
        r"^[A-Z][a-z]+$",
        r"^O'",
        r"^D'",
        r"'s ",
        r"^[^(]*[a-z]-[a-z]",
        r"^[^(]* - ",
        r"\([A-Z][A-Za-z -]+ - NSW\)$",
        r"\([A-Za-z ]+-[A-Za-z]+ - NSW\)$",
        r"\d",
        r"^Mount ",
        r"^St ",
        r"^.{40,}$",
        *(rf"\({re.escape(suffix)}\)$" for suffix in SUFFIXES.values()),
    ],
)
def test_every_shape_of_a_sal_name_is_there(shape):
    """The country has every form of SAL name that a client could read wrongly, in plain ASCII."""
    assert any(re.search(shape, name) for name in NAMES)
    assert all(re.fullmatch(r"[A-Za-z0-9 ().'-]+", name) for name in NAMES)


def test_names_repeat_as_in_reality():
    """Bases repeat across states only, within one state only, and both ways."""
    states = [Counter(s.state for s in SUBURBS if s.base == base) for base, n in BASES.items() if n > 1]
    kinds = {(len(found) > 1, max(found.values()) > 1) for found in states}
    assert kinds == {(True, False), (False, True), (True, True)}


def test_the_nine_of_the_sandbox_key_are_one_a_state_and_two_in_nsw():
    """The key ``test`` reads nine suburbs, two of which have namesakes that it may not read. None has odd data."""
    assert len(SANDBOX_NAMES) == 9
    assert Counter(BY_NAME[name].state for name in SANDBOX_NAMES) == {**dict.fromkeys(STATES, 1), "NSW": 2}
    assert {"Lantern Bay (Tas.)", "Kestrel Hill (Qld)"} <= set(BY_NAME) - set(SANDBOX_NAMES)
    tables = [value for name, value in vars(oddities).items() if name.isupper() and name != "MESSAGES"]
    odd = {name for table in tables for name in ([table] if isinstance(table, str) else table)}
    assert odd <= set(BY_NAME) - set(SANDBOX_NAMES)


def test_a_postcode_and_a_council_lie_in_one_state():
    """A postcode is text of four digits, because those of the Northern Territory begin with 0."""
    for suburb in SUBURBS:
        assert re.fullmatch(r"\d{4}", suburb.postcode)
        assert suburb.postcode.startswith(POSTCODES[suburb.state])
    assert len({(suburb.council, suburb.state) for suburb in SUBURBS}) == len({s.council for s in SUBURBS})


def test_nothing_has_a_real_name(sal_names):
    """No suburb, council or area has the name of a real suburb or council, so no rent is taken for a real one."""
    real_names = {name.casefold() for name in sal_names}
    councils = {found[1] for name in real_names if (found := re.search(r"\((.+) - [a-z.]+\)$", name))}
    real = real_names | {base_of(name) for name in real_names} | councils
    areas = {area for suburb in SUBURBS for area in (suburb.council, suburb.sa2, suburb.sa3, suburb.sa4)}
    made_up = {*NAMES, *BASES, *areas, *(part for area in areas for part in area.split(" - "))}
    assert not {name.casefold() for name in made_up} & real


def test_the_counts_depend_on_the_name_alone():
    """Each suburb has some dwellings, and more persons. A change to a number needs a new data version."""
    assert all(0 < census(name).dwellings < census(name).persons for name in NAMES)
    assert [tuple(census(name)) for name in ("Quokka Bay", "Lantern Bay (NSW)")] == [(4941, 12352), (188, 432)]
    assert re.fullmatch(r"[\w.]+", DATA_VERSION)
