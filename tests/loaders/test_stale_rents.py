"""Rents that are much older than the newest ones of a request: their status, their warning, and leaving them out."""

import json

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BAY, TRACK, BROLGA = "Quokka Bay", "Coolibah Track", "Nulla Brolga"
NAMES = [BAY, TRACK, BROLGA]
ENDED = pd.Timestamp("2025-03-30")


def test_a_suburb_with_a_stale_rent_says_so(embedded):
    """Its status is `stale` if its houses, its units or both ended early, and one warning names them with the dates."""
    with pytest.warns(sp.errors.DataWarning) as caught:
        card = sp.scorecard(NAMES)
    assert card["status"].to_list() == ["ok", "stale", "stale"]
    assert card["house_rent_date"].to_list() == [pd.Timestamp("2026-04-26")] * 2 + [ENDED]
    (text,) = [str(warning.message) for warning in of_this_call(caught)]
    assert text == (
        "Some rents are stale, more than 62 days older than the newest rent of the request (2026-04-26): house of "
        "'Nulla Brolga' on 2025-03-30, unit of 'Coolibah Track' on 2025-03-30, unit of 'Nulla Brolga' on 2025-03-30. "
        'They are used as they are; to leave such rents out, pass max_lag="62D"'
    )


def test_fresh_is_meant_beside_the_other_rents_of_the_request(embedded):
    """Alone, or beside rents of its own time, a rent is not stale."""
    assert sp.scorecard(BROLGA)["status"].to_list() == ["ok"]
    assert sp.scorecard(NAMES, at="2025-04-10")["status"].to_list() == ["ok"] * 3


def test_max_lag_leaves_stale_rents_out(embedded):
    """With `max_lag`, rents older than that have no value, date, growth or yield, and the suburb is not stale."""
    prices = pd.DataFrame({"house_price": 1_000_000, "unit_price": 900_000}, NAMES)
    card = sp.scorecard(NAMES, max_lag="62D", prices=prices)
    assert card["status"].to_list() == ["ok"] * 3
    for kind, kept in {"house": [True, True, False], "unit": [True, False, False]}.items():
        about = card.filter(regex=f"^{kind}_")
        assert about.shape[1] == 7
        assert about.notna().all(axis=1).to_list() == kept
        assert about.notna().any(axis=1).to_list() == kept
    assert card["median_price_all_sales"].notna().all()
    pd.testing.assert_frame_equal(card.loc[[BAY]], sp.scorecard(BAY, prices=prices))
    assert set(sp.provenance(card).index) == set(NAMES)


@pytest.mark.parametrize(
    ("options", "has_rent"),
    [
        ({"at": "2025-04-30"}, True),
        ({"at": "2025-05-01"}, False),
        ({"at": "2025-05-01", "max_lag": "32D"}, True),
        ({"at": "2025-04-07", "max_lag": "1W"}, False),
        ({"max_lag": "392D"}, True),
        ({"max_lag": "391D"}, False),
    ],
)
@pytest.mark.filterwarnings("ignore:.* stale")
def test_max_lag_counts_back_from_at_or_from_the_newest_rent(embedded, options, has_rent):
    """With `at`, rents are at most 31 days old unless `max_lag` says otherwise. Without, they may be of any age."""
    card = sp.scorecard(NAMES, **options)
    assert card["house_rent"].notna()[BROLGA] == has_rent


def test_another_problem_of_a_suburb_stays_its_status(live, service):
    """Only `ok` becomes `stale`: an error still is the status, and the warning names the old rent beside it."""
    service.fail("server_error", endpoint="impacts", name=BROLGA)
    with pytest.warns(sp.SuburbWarning) as caught:
        card = sp.scorecard([BAY, BROLGA])
    assert card["status"].to_list() == ["ok", "ServiceError"]
    assert sum("house of 'Nulla Brolga' on 2025-03-30" in str(one.message) for one in caught) == 1


def test_a_join_brings_the_status_and_the_warning(embedded):
    """`join_scorecard` warns once, whatever its rows and columns."""
    sales = pd.DataFrame({"suburb": [BROLGA, BAY, BROLGA], "sold": [1, 2, 3]})
    with pytest.warns(sp.errors.DataWarning, match="Some rents are stale") as caught:
        joined = sales.suburb.join_scorecard(["house_rent", "status"])
    assert len(caught) == 1
    assert joined["status"].to_list() == ["stale", "ok", "stale"]


@pytest.mark.filterwarnings("ignore:.* stale")
@pytest.mark.parametrize(("last", "status"), [("2026-02-22", "stale"), ("2026-02-23", "ok")])
def test_a_rent_is_stale_after_sixty_two_days(live, service, last, status):
    """A rent 63 days older than the newest one of either property type is stale, one of 62 days is not."""
    rents = {kind: [{"date": day, "value": 500.0}] for kind, day in {"house": last, "unit": "2026-04-26"}.items()}
    body = {"data": {"area_name": BAY, "area_level": "suburb", **rents}}
    service.answer(BAY, "rent", body=json.dumps(body).encode())
    assert sp.scorecard(BAY)["status"].to_list() == [status]
