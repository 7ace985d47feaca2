import hashlib
import json

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import SUBURBS
from suburb_pandas.sandbox.premiums import LABELS, impacts

DATA = {suburb.name: impacts(suburb) for suburb in SUBURBS}
DRIVERS = [(data, driver) for data in DATA.values() for driver in data["drivers"]]


def test_every_suburb_has_three_to_six_drivers_but_one_that_has_none():
    """A suburb has three to six drivers with different labels, largest premium first. One has sales but no drivers."""
    assert {name for name, data in DATA.items() if not data["drivers"]} == {oddities.NO_DRIVERS}
    assert {len(data["drivers"]) for data in DATA.values()} == {0, 3, 4, 5, 6}
    for data in DATA.values():
        premiums = [driver["premium_dollars"] for driver in data["drivers"]]
        labels = {driver["label"] for driver in data["drivers"]}
        assert premiums == sorted(premiums, reverse=True)
        assert len(labels) == len(premiums)
        assert labels <= set(LABELS)


def test_the_data_have_every_case_that_a_client_may_get_wrong():
    """Some premiums are negative, some totals are not the sum, some sales are few, and coverage may be 0 or 100."""
    assert any(driver["premium_dollars"] < 0 for _, driver in DRIVERS)
    sums = [
        data["total_premium"] == sum(driver["premium_dollars"] for driver in data["drivers"]) for data in DATA.values()
    ]
    assert 0.25 < sum(sums) / len(sums) < 0.75
    assert {name: data["n_sales"] for name, data in DATA.items() if data["n_sales"] < 10} == oddities.FEW_SALES
    assert DATA[oddities.FULL_COVERAGE]["drivers"][0]["coverage_pct"] == 100.0
    none = [driver for driver in DATA[oddities.NO_COVERAGE]["drivers"] if driver["coverage_pct"] == 0]
    assert [driver["premium_dollars"] for driver in none] == [0]


def test_the_drivers_are_the_same_everywhere():
    """Every Python version and machine makes the same impacts; a change to them needs a new data version."""
    everything = json.dumps(DATA, sort_keys=True).encode()
    assert hashlib.sha256(everything).hexdigest() == "3ecfa3a6a9aa2b899021a180b2b329be4d88f6a901e18863f8c35607247a5c2b"
