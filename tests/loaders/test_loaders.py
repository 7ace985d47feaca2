"""The loaders: attrs, frames of no suburbs, failures in a batch, and what is not bought again."""

import json
import warnings

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import RENTED

BAY, HEIGHTS, NOWHERE = "Quokka Bay", "Bilby Heights", "Thorny Devil"


def test_attrs_are_plain_json_under_a_kilobyte(embedded):
    """The attrs are plain JSON below 1 kB, however many and long the names are, so ``to_parquet`` keeps them."""
    longest = sorted({*RENTED} - {"Perentie"}, key=len)
    assert all(len(json.dumps(sp.impacts(longest[-number:]).attrs)) < 1000 for number in range(15, 30, 2))


@pytest.mark.parametrize("load", [sp.rent, sp.impacts, sp.impact_summary, sp.scorecard, sp.places])
def test_no_suburbs_give_an_empty_frame_of_the_right_shape(embedded, load):
    """An empty list of suburbs gives an empty frame with the usual columns and dtypes."""
    full = load([BAY])[:0]
    pd.testing.assert_frame_equal(load([]), full, check_categorical=False)


def test_a_batch_keeps_what_arrived_and_names_what_failed(live, service):
    """A request for several suburbs tries all of them. BatchIncomplete has the frame, the failures and their cost.

    Failures are in the order of the suburbs, whichever call ended first. With ``errors="warn"`` the frame is returned.
    """
    service.fail("latency", name="Nowhere B", seconds=0.2)
    service.fail("dropped_after_billing", name=BAY)
    service.fail("malformed_json", name="Woylie")
    names = ["Nowhere B", BAY, "Woylie", HEIGHTS]
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(names)
    error = caught.value
    assert str(error).startswith(
        "3 of 4 suburbs failed ('Nowhere B': UnknownSuburb, 'Quokka Bay': Unreachable, 'Woylie': ContractViolation); "
        "1 of 4 responses arrived (in the error's .frame, and stored); the responses cost 30 cents; the calls that "
        "failed cost up to 60 cents; retrying them may cost as much again; .failures has each error, the first of "
        "which is: "
    )
    assert [*error.failures] == names[:3]
    assert (error.cents, error.retryable) == (60, True)
    with pytest.warns(sp.SuburbWarning, match="repeated now"):
        sp.rent(BAY)
    with pytest.warns(sp.SuburbWarning, match="2 of 4 suburbs failed"):
        frame = sp.rent(names, errors="warn")
    pd.testing.assert_frame_equal(frame[frame["area_name"] == HEIGHTS], error.frame, check_categorical=False)
    assert service.served[("rent", "Woylie")] == service.served[("rent", HEIGHTS)] == 1


def test_an_error_of_the_account_carries_the_frame_even_where_warnings_are_errors(live, service):
    """An empty wallet ends the request, even with ``errors="warn"``. The error carries the suburbs that had arrived."""
    sp.rent(BAY)
    service.answer("Woylie", "rent", status=402)
    with warnings.catch_warnings(action="error"), pytest.raises(sp.errors.PaymentRequired, match="402") as caught:
        sp.rent([NOWHERE, BAY, "Woylie"], errors="warn")
    assert BAY in caught.value.frame["area_name"].to_list()


def test_what_is_stored_is_not_bought_again(live, service):
    """A stored response is free for later requests of any shape. ``refresh`` buys a new one."""
    for load in (sp.rent, sp.rent, sp.impacts):
        load(BAY)
    sp.impact_summary([BAY])
    assert service.total_cents == 40
    sp.rent([BAY], refresh=True)
    assert service.total_cents == 70
