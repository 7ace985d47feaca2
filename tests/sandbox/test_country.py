"""The made-up country: its names are made by the ABS's rules, and none is real."""

import re
from collections import Counter

import pandas as pd

from suburb_pandas.sandbox import SANDBOX_NAMES, SUBURBS, oddities
from suburb_pandas.sandbox.country import STATES

NAMES = [suburb.name for suburb in SUBURBS]
COUNTRY = pd.DataFrame(SUBURBS, NAMES).assign(base=[suburb.base for suburb in SUBURBS])
SUFFIXES = {**{state: state for state in STATES}, "VIC": "Vic.", "QLD": "Qld", "TAS": "Tas."}


def base_of(name):
    return re.sub(r" \([^()]*\)$", "", name)


def test_a_name_has_the_suffix_that_the_sal_rules_require():
    """The state is the suffix of a base that repeats in the country, with the council if it repeats in the state."""
    in_country = Counter(suburb.base for suburb in SUBURBS)
    in_state = Counter((suburb.base, suburb.state) for suburb in SUBURBS)
    for suburb in SUBURBS:
        council = f"{suburb.council} - " if in_state[suburb.base, suburb.state] > 1 else ""
        suffix = f" ({council}{SUFFIXES[suburb.state]})" if in_country[suburb.base] > 1 else ""
        assert suburb.name == suburb.base + suffix


def test_the_nine_of_the_sandbox_key_are_one_a_state_and_two_in_nsw():
    """The key ``test`` reads nine suburbs, two of which have namesakes that it may not read. None has odd data."""
    assert Counter(COUNTRY["state"][[*SANDBOX_NAMES]]) == {**dict.fromkeys(STATES, 1), "NSW": 2}
    others = {*NAMES} - {*SANDBOX_NAMES}
    assert {"Lantern Bay (Tas.)", "Kestrel Hill (Qld)"} <= others
    tables = [value for name, value in vars(oddities).items() if name.isupper() and name != "MESSAGES"]
    assert {name for table in tables for name in ([table] if isinstance(table, str) else table)} <= others


def test_nothing_has_a_real_name(sal_names):
    """No suburb, council or area has the name of a real suburb or council, so no rent is taken for a real one."""
    real = {name.casefold() for name in sal_names}
    real |= {base_of(name) for name in real} | {name.rpartition(" (")[2].rpartition(" - ")[0] for name in real}
    areas = {*COUNTRY[["council", "sa2", "sa3", "sa4"]].to_numpy().flat}
    made_up = {*NAMES, *COUNTRY["base"], *areas, *(part for area in areas for part in area.split(" - "))}
    assert not {name.casefold() for name in made_up} & real
