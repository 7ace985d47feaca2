import os
import re
from collections import Counter
from pathlib import Path

import pytest

from suburb_pandas.sandbox import country, oddities
from suburb_pandas.sandbox.country import BY_NAME, SANDBOX_NAMES, STATES, SUBURBS

NAMES = [suburb.name for suburb in SUBURBS]
BASES = Counter(suburb.base for suburb in SUBURBS)
POSTCODES = {
    "NSW": [(2000, 2599), (2619, 2899), (2921, 2999)],
    "ACT": [(2600, 2618), (2900, 2920)],
    "VIC": [(3000, 3999)],
    "QLD": [(4000, 4999)],
    "SA": [(5000, 5799)],
    "WA": [(6000, 6797)],
    "TAS": [(7000, 7799)],
    "NT": [(800, 899)],
}


@pytest.fixture(scope="module")
def real_names() -> set[str]:
    path = os.environ.get("SUBURB_SAL_NAMES")
    if not path or not Path(path).is_file():
        pytest.skip("SUBURB_SAL_NAMES does not name a file of the real SAL names")
    return set(Path(path).read_text(encoding="utf-8").casefold().splitlines())


def base_of(name):
    return re.sub(r" \([^()]*\)$", "", name)


def area_names():
    return {
        part
        for suburb in SUBURBS
        for area in (suburb.council, suburb.sa2, suburb.sa3, suburb.sa4)
        for part in (area, *area.split(" - "))
    }


def test_there_are_at_least_150_suburbs_each_with_a_name_of_its_own():
    """The country has at least 150 suburbs, and no two share a name."""
    assert len(SUBURBS) >= 150
    assert len(BY_NAME) == len(SUBURBS)


def test_every_state_has_suburbs():
    """All eight states and territories have suburbs."""
    assert {suburb.state for suburb in SUBURBS} == set(STATES)


def test_a_name_carries_a_suffix_if_and_only_if_its_base_repeats():
    """A name has a suffix exactly if another suburb has the same base."""
    for suburb in SUBURBS:
        assert base_of(suburb.name) == suburb.base
        assert (suburb.name != suburb.base) == (BASES[suburb.base] > 1), suburb.name


def test_a_council_is_in_the_suffix_if_and_only_if_the_state_repeats_the_base():
    """The suffix has the council exactly if the base repeats within a state; otherwise the state is enough."""
    in_state = Counter((suburb.base, suburb.state) for suburb in SUBURBS)
    for suburb in SUBURBS:
        repeats = in_state[suburb.base, suburb.state] > 1
        assert (f"({suburb.council} - " in suburb.name) == repeats, suburb.name


@pytest.mark.parametrize(
    "shape",
    [
        r"^[A-Z][a-z]+$",
        r"\(NSW\)$",
        r"\(Vic\.\)$",
        r"\(Qld\)$",
        r"\(SA\)$",
        r"\(WA\)$",
        r"\(Tas\.\)$",
        r"\(NT\)$",
        r"\(ACT\)$",
        r"\([A-Z][A-Za-z -]+ - NSW\)$",
        r"\([A-Z][A-Za-z ]+ - Qld\)$",
        r"\([A-Z][A-Za-z ]+ - Vic\.\)$",
        r"\([A-Za-z ]+-[A-Za-z]+ - NSW\)$",
        r"^O'",
        r"^D'",
        r"'s ",
        r"^[^(]*[a-z]-[a-z]",
        r"^[^(]* - ",
        r"\d",
        r"^Mount ",
        r"^St ",
        r"^.{40,}$",
    ],
)
def test_every_shape_of_a_sal_name_is_there(shape):
    """The country has every form of SAL name that a client could read wrongly."""
    assert any(re.search(shape, name) for name in NAMES)


def test_names_are_plain_ascii():
    """Names consist of ASCII letters, digits, spaces and the marks that SAL names use."""
    assert all(re.fullmatch(r"[A-Za-z0-9 ().'-]+", name) for name in NAMES)


def test_some_names_are_the_beginning_of_others():
    """Some names are the start of another, as Bondi is of Bondi Beach."""
    bases = sorted(BASES)
    assert sum(one.startswith(f"{other} ") for one in bases for other in bases) >= 10


def test_a_name_repeats_across_states_and_within_one_alone():
    """Some bases repeat across states only, some within one state only, and some both ways."""
    states = {base: Counter(s.state for s in SUBURBS if s.base == base) for base, n in BASES.items() if n > 1}
    assert any(len(found) > 1 and max(found.values()) == 1 for found in states.values())
    assert any(len(found) == 1 for found in states.values())
    assert any(len(found) > 1 and max(found.values()) > 1 for found in states.values())


def test_the_nine_of_the_sandbox_key_are_there_one_a_state_and_two_in_nsw():
    """The key ``test`` reads nine suburbs, two of which have namesakes that it may not read."""
    assert set(BY_NAME) >= SANDBOX_NAMES
    assert len(SANDBOX_NAMES) == 9
    assert Counter(BY_NAME[name].state for name in SANDBOX_NAMES) == {**dict.fromkeys(STATES, 1), "NSW": 2}
    assert {"Lantern Bay (Tas.)", "Kestrel Hill (Qld)"} <= set(BY_NAME) - SANDBOX_NAMES


def test_a_postcode_is_four_digits_of_the_suburbs_state():
    """A postcode is text of four digits, because those of the Northern Territory begin with 0."""
    for suburb in SUBURBS:
        assert re.fullmatch(r"\d{4}", suburb.postcode), suburb.name
        assert any(low <= int(suburb.postcode) <= high for low, high in POSTCODES[suburb.state]), suburb.name


def test_a_council_lies_in_one_state():
    """A council lies in one state, so that a suffix with a council means one place."""
    assert len({(suburb.council, suburb.state) for suburb in SUBURBS}) == len({s.council for s in SUBURBS})


def test_no_suburb_and_no_base_is_real(real_names):
    """No made-up suburb has a real name, so nobody can take its rent for a real one."""
    real_bases = {base_of(name) for name in real_names}
    assert not {suburb.name.casefold() for suburb in SUBURBS} & real_names
    assert not {suburb.base.casefold() for suburb in SUBURBS} & (real_names | real_bases)


def test_no_council_and_no_statistical_area_has_a_real_name(real_names):
    """No made-up council or area has the name of a real suburb, or of a council in a real suburb's suffix."""
    real_councils = {found[1] for name in real_names if (found := re.search(r"\((.+) - [a-z.]+\)$", name))}
    real = {base_of(name) for name in real_names} | real_councils
    assert not {area.casefold() for area in area_names()} & real


def test_every_odd_suburb_is_in_the_country():
    """The lists of odd suburbs name only suburbs of the country, and none of the nine of the key ``test``."""
    tables = [value for name, value in vars(oddities).items() if name.isupper() and name != "MESSAGES"]
    named = {name for table in tables for name in ([table] if isinstance(table, str) else table)}
    assert named <= set(BY_NAME)
    assert not named & SANDBOX_NAMES


def test_the_data_version_is_stated():
    """The data version, which marks every response, consists of word characters and dots."""
    assert re.fullmatch(r"[\w.]+", country.DATA_VERSION)
