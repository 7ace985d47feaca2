"""The loaders: the exact shapes for one suburb and for several, and how a batch treats failures."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import RENTED, of_this_call
from tests.support.layouts import pivoted
from tests.support.odd_responses import points, series_body

BAY, HEIGHTS, LANTERN, NOWHERE = "Quokka Bay", "Bilby Heights", "Lantern Bay (NSW)", "Thorny Devil"
TEXT = pd.Series(dtype="str").dtype


def test_points_are_sorted_and_of_a_doubled_date_the_last_counts(live, service):
    """The index equals what ``pd.to_datetime`` makes of the same dates. One warning names all suburbs concerned."""
    house = points([3, 1, 2.5, 4], ["2026-04-26", "2026-04-12", "2026-04-19", "2026-04-26"])
    service.answer(BAY, "rent", body=series_body(BAY, house=house, unit=points([9], ["2026-04-19"])))
    with pytest.warns(sp.errors.DataWarning, match="'Quokka Bay', 'Swanmere Quay'") as caught:
        frame = sp.rent([BAY, "Swanmere Quay"])
    assert len(of_this_call(caught)) == 1
    expected = pd.DataFrame(
        {"house": [1, 2.5, 4], "unit": [np.nan, 9, np.nan]},
        pd.to_datetime(["2026-04-12", "2026-04-19", "2026-04-26"]).rename("date"),
    )
    pd.testing.assert_frame_equal(frame[frame.pop("area_name") == BAY], expected)


def test_rents_of_many_suburbs(embedded):
    """Several suburbs give a categorical ``area_name`` as first column. Suburbs come in the given order, each once.

    A suburb without data stays as a category, or as columns of NaN in a wide frame, and one warning names it.
    """
    names = [NOWHERE, BAY, HEIGHTS, BAY]
    with pytest.warns(sp.errors.NoDataWarning, match=NOWHERE):
        frame, wide = sp.rent(names), sp.rent(names, layout="wide")
    alone = pd.concat({name: sp.rent(name) for name in names[1:3]}, names=["area_name"]).reset_index("area_name")
    alone["area_name"] = pd.Categorical(alone["area_name"], names[:3])
    pd.testing.assert_frame_equal(frame, alone)
    pd.testing.assert_frame_equal(wide, pivoted(frame), check_freq=False)


def test_impacts_and_their_summary(embedded):
    """The drivers come in the service's order. The totals of a single suburb are in ``attrs``.

    The summary has the totals, and the number and sum of the drivers, indexed by ``area_name`` in the given order; its
    row of a suburb without data is NaN.
    """
    names = [LANTERN, NOWHERE, "Sleepy Lizard", BAY]
    with pytest.warns(sp.errors.NoDataWarning):
        drivers, summary = sp.impacts(names), sp.impact_summary(names)
    one = sp.impacts(LANTERN)
    pd.testing.assert_frame_equal(drivers[drivers["area_name"] == LANTERN].drop(columns="area_name"), one)
    assert one.dtypes.to_dict() == {
        "label": TEXT,
        "coverage_pct": "float64",
        "premium_dollars": "int64",
        "pct_of_median": "float64",
        "n_absent": "Int64",
        "n_present": "Int64",
        "evidence": TEXT,
        "detail": TEXT,
    }
    assert one["premium_dollars"].is_monotonic_decreasing
    totals = {"n_sales": "Int64", "median_price": "float64", "total_premium": "float64"}
    assert summary.dtypes.to_dict() == {**totals, "n_drivers": "Int64", "sum_drivers": "float64"}
    marks = one.attrs["suburb_pandas"]
    assert [marks[total] for total in totals] == summary.loc[LANTERN, [*totals]].to_list()
    by_suburb = drivers.groupby(drivers["area_name"].astype("str"), sort=False)["premium_dollars"]
    expected = by_suburb.agg(n_drivers="size", sum_drivers="sum").reindex(names)
    expected.loc["Sleepy Lizard"] = 0
    pd.testing.assert_frame_equal(summary[[*expected]], expected, check_dtype=False)
    assert summary.loc[NOWHERE].isna().all()


def test_attrs_are_plain_json_under_a_kilobyte(embedded):
    """The attrs are plain JSON below 1 kB, so ``to_parquet`` keeps them. They hold source, unit and made-up mark."""
    marks = sp.rent(LANTERN).attrs["suburb_pandas"]
    assert {*marks} == {"endpoint", "source", "unit", "made_up", "area_name", "retrieved_at", "sha256"}
    assert sp.impacts([LANTERN]).attrs["suburb_pandas"] == {
        "endpoint": "impacts",
        "source": "embedded",
        "unit": {
            "coverage_pct": "per cent",
            "premium_dollars": "AUD",
            "pct_of_median": "per cent",
            "n_absent": "sales",
            "n_present": "sales",
        },
        "n_sales_by_suburb": {LANTERN: 206},
        "made_up": True,
    }
    summary = sp.impact_summary([LANTERN])
    assert {*summary.attrs["suburb_pandas"]["unit"]} == {*summary.columns}
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


def test_the_ledger_has_every_call(live, service):
    """The ledger has one row for each call, oldest first. An empty one has the same dtypes."""
    empty = sp.ledger()
    sp.rent(BAY)
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.impacts("Nowhere At All")
    ledger = sp.ledger()
    assert ledger.dtypes.equals(empty.dtypes)
    assert ledger[["at", "request_id"]].notna().all(axis=None)
    expected = pd.DataFrame(
        [["rent", BAY, "billed", 30, 200, "live"], ["impacts", "Nowhere At All", "not_billed", 0, 404, "live"]],
        columns=["endpoint", "area_name", "outcome", "cents", "http_status", "source"],
    )
    pd.testing.assert_frame_equal(ledger[[*expected]], expected.astype({"http_status": "Int64"}))
