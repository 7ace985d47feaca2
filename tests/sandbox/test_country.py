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
    """The country is large enough, and a name is a key."""
    assert len(SUBURBS) >= 150
    assert len(BY_NAME) == len(SUBURBS)


def test_every_state_has_suburbs():
    """All eight states and territories are there."""
    assert {suburb.state for suburb in SUBURBS} == set(STATES)


def test_a_name_carries_a_suffix_if_and_only_if_its_base_repeats():
    """The SAL rule without an exception."""
    for suburb in SUBURBS:
        assert base_of(suburb.name) == suburb.base
        assert (suburb.name != suburb.base) == (BASES[suburb.base] > 1), suburb.name


def test_a_council_is_in_the_suffix_if_and_only_if_the_state_repeats_the_base():
    """Within one state the council tells two of a name apart, across states the state does."""
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
    """What a client may stumble over, the country has."""
    assert any(re.search(shape, name) for name in NAMES)


def test_names_are_plain_ascii():
    """Letters, digits, space and the few marks that SAL names have."""
    assert all(re.fullmatch(r"[A-Za-z0-9 ().'-]+", name) for name in NAMES)


def test_some_names_are_the_beginning_of_others():
    """As Bondi is of Bondi Beach."""
    bases = sorted(BASES)
    assert sum(one.startswith(f"{other} ") for one in bases for other in bases) >= 10


def test_a_name_repeats_across_states_and_within_one_alone():
    """Both kinds of repetition are there."""
    states = {base: Counter(s.state for s in SUBURBS if s.base == base) for base, n in BASES.items() if n > 1}
    assert any(len(found) > 1 and max(found.values()) == 1 for found in states.values())
    assert any(len(found) == 1 for found in states.values())
    assert any(len(found) > 1 and max(found.values()) > 1 for found in states.values())


def test_the_nine_of_the_sandbox_key_are_there_one_a_state_and_two_in_nsw():
    """The key `test` knows nine suburbs, and two of them have namesakes that it does not know."""
    assert set(BY_NAME) >= SANDBOX_NAMES
    assert len(SANDBOX_NAMES) == 9
    assert Counter(BY_NAME[name].state for name in SANDBOX_NAMES) == {**dict.fromkeys(STATES, 1), "NSW": 2}
    assert {"Lantern Bay (Tas.)", "Kestrel Hill (Qld)"} <= set(BY_NAME) - SANDBOX_NAMES


def test_a_postcode_is_four_digits_of_the_suburbs_state():
    """A postcode is text, for those of the Northern Territory begin with a nought."""
    for suburb in SUBURBS:
        assert re.fullmatch(r"\d{4}", suburb.postcode), suburb.name
        assert any(low <= int(suburb.postcode) <= high for low, high in POSTCODES[suburb.state]), suburb.name


def test_a_council_lies_in_one_state():
    """So that a suffix with a council names one place."""
    assert len({(suburb.council, suburb.state) for suburb in SUBURBS}) == len({s.council for s in SUBURBS})


def test_no_suburb_and_no_base_is_real(real_names):
    """A made-up rent can never be taken for that of a real suburb."""
    real_bases = {base_of(name) for name in real_names}
    assert not {suburb.name.casefold() for suburb in SUBURBS} & real_names
    assert not {suburb.base.casefold() for suburb in SUBURBS} & (real_names | real_bases)


def test_no_council_and_no_statistical_area_has_a_real_name(real_names):
    """Councils and areas are invented too, as far as the SAL names can tell."""
    real_councils = {found[1] for name in real_names if (found := re.search(r"\((.+) - [a-z.]+\)$", name))}
    real = {base_of(name) for name in real_names} | real_councils
    assert not {area.casefold() for area in area_names()} & real


def test_every_odd_suburb_is_in_the_country():
    """The constants for tests name suburbs that exist, and none of them twice where they would contradict."""
    tables = [value for name, value in vars(oddities).items() if name.isupper() and name != "MESSAGES"]
    named = {name for table in tables for name in ([table] if isinstance(table, str) else table)}
    assert named <= set(BY_NAME)
    assert not named & SANDBOX_NAMES


def test_the_data_version_is_stated():
    """The version that marks every answer is a plain word."""
    assert re.fullmatch(r"[\w.]+", country.DATA_VERSION)
