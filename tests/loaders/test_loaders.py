"""The loaders: the exact shapes for one suburb and for several, and how a batch treats failures."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.adversary import serve
from tests.support.common import LIVE_KEY, RENTED, of_this_call
from tests.support.recorded import body_of


def rent_body(name, house, unit=None):
    """Return the body of a rent response with these points."""
    series = {
        kind: [{"date": day, "value": value} for day, value in points] if points is not None else None
        for kind, points in (("house", house), ("unit", unit))
    }
    return json.dumps({"data": {"area_name": name, "area_level": "suburb", **series}}).encode()


def test_dates_equal_those_that_pandas_itself_parses(live, service):
    """The index equals what ``pd.to_datetime`` makes of the same dates, including its unit."""
    service.answer("Quokka Bay", "rent", body=rent_body("Quokka Bay", [("2026-04-19", 1), ("2026-04-26", 2.5)], []))
    expected = pd.DataFrame(
        {"house": [1.0, 2.5], "unit": [np.nan, np.nan]},
        index=pd.to_datetime(["2026-04-19", "2026-04-26"]).rename("date"),
    )
    pd.testing.assert_frame_equal(sp.rent("Quokka Bay"), expected)


@pytest.mark.parametrize("name", ["Drover's Bend", "Galah Siding", "Button Grass"])
def test_a_type_without_a_series_is_a_column_of_nan(embedded, name):
    """If the series of a property type is null, absent or empty, its column is float and all NaN."""
    frame = sp.rent(name)
    assert list(frame.columns) == ["house", "unit"]
    assert frame["unit"].isna().all()
    assert frame["house"].notna().all()


def test_rent_of_many_suburbs(embedded):
    """Several suburbs give a categorical ``area_name`` as first column. Suburbs come in the given order, each once."""
    names = ["Quokka Bay", "Bilby Heights", "Quokka Bay"]
    frame = sp.rent(names)
    assert list(frame.columns) == ["area_name", "house", "unit"]
    assert isinstance(frame["area_name"].dtype, pd.CategoricalDtype)
    assert list(frame["area_name"].cat.categories) == ["Quokka Bay", "Bilby Heights"]
    assert list(frame["area_name"].unique()) == ["Quokka Bay", "Bilby Heights"]
    for name in names:
        alone = frame.loc[frame["area_name"] == name, ["house", "unit"]]
        pd.testing.assert_frame_equal(alone, sp.rent(name))


def test_a_list_of_one_is_many(embedded):
    """The shape follows the type of the argument, so a list of one suburb has the shape of several."""
    assert list(sp.rent(["Quokka Bay"]).columns) == ["area_name", "house", "unit"]
    assert sp.impacts(["Quokka Bay"]).columns[0] == "area_name"


def test_wide_rents_are_dates_by_suburbs(embedded):
    """A wide frame has two column levels, so ``wide["house"]`` is dates by suburbs, with the long frame's values."""
    names = ["Quokka Bay", "Drover's Bend"]
    frame = sp.rent(names, layout="wide")
    assert frame.columns.names == ["property_type", "area_name"]
    assert list(frame["house"].columns) == names
    assert frame[("unit", "Drover's Bend")].isna().all()
    long = sp.rent(names)
    for name in names:
        expected = long.loc[long["area_name"] == name, "house"].rename(name)
        pd.testing.assert_series_equal(frame["house"][name].dropna(), expected.dropna(), check_freq=False)


def test_a_suburb_without_data_keeps_its_place(embedded):
    """In a batch, a suburb without data stays as a category, an all-NaN column or a NaN row, with one warning."""
    names = ["Thorny Devil", "Quokka Bay"]
    with pytest.warns(sp.errors.NoDataWarning, match="Thorny Devil"):
        assert list(sp.rent(names)["area_name"].cat.categories) == names
    with pytest.warns(sp.errors.NoDataWarning):
        assert sp.rent(names, layout="wide")["house"]["Thorny Devil"].isna().all()
    with pytest.warns(sp.errors.NoDataWarning):
        summary = sp.impact_summary(names)
    assert list(summary.index) == names
    assert summary.loc["Thorny Devil"].isna().all()


def test_impacts_of_one_suburb(embedded):
    """The drivers come in the service's order, with their dtypes. The suburb's totals are in ``attrs``."""
    frame = sp.impacts("Lantern Bay (NSW)")
    figures = ["coverage_pct", "premium_dollars", "pct_of_median", "n_absent", "n_present"]
    assert list(frame.columns) == ["label", *figures, "evidence", "detail"]
    assert frame["premium_dollars"].dtype == "int64"
    assert frame["n_absent"].dtype == frame["n_present"].dtype == "Int64"
    assert frame["coverage_pct"].dtype == frame["pct_of_median"].dtype == "float64"
    assert frame["premium_dollars"].is_monotonic_decreasing
    attrs = frame.attrs["suburb_pandas"]
    row = sp.impact_summary(["Lantern Bay (NSW)"]).loc["Lantern Bay (NSW)"]
    assert all(attrs[total] == row[total] for total in ("n_sales", "median_price", "total_premium"))


def test_the_summary_has_one_row_a_suburb(embedded):
    """The summary has totals, and the number and sum of the drivers, indexed by ``area_name`` in the given order."""
    names = ["Quokka Bay", "Sleepy Lizard", "Lantern Bay (NSW)"]
    summary = sp.impact_summary(names)
    with pytest.warns(sp.errors.NoDataWarning):
        drivers = sp.impacts(names)
    assert summary.index.name == "area_name"
    assert list(summary.index) == names
    assert list(summary.columns) == ["n_sales", "median_price", "total_premium", "n_drivers", "sum_drivers"]
    sums = drivers.groupby("area_name", observed=False)["premium_dollars"].agg(["size", "sum"])
    assert (summary["n_drivers"].to_numpy() == sums["size"].to_numpy()).all()
    assert (summary["sum_drivers"].to_numpy() == sums["sum"].to_numpy()).all()
    assert summary.loc["Sleepy Lizard", "n_drivers"] == 0
    assert summary["n_sales"].dtype == summary["n_drivers"].dtype == "Int64"
    assert set(summary.attrs["suburb_pandas"]["unit"]) == set(summary.columns)


def test_attrs_are_plain_json_under_a_kilobyte(embedded):
    """The attrs are plain JSON below 1 kB, so ``to_parquet`` keeps them. They hold source, unit and made-up mark."""
    frame = sp.rent("Lantern Bay (NSW)")
    attrs = frame.attrs["suburb_pandas"]
    assert len(json.dumps(attrs)) < 1000
    assert (attrs["endpoint"], attrs["source"], attrs["unit"]) == ("rent", "embedded", "AUD per week")
    assert attrs["made_up"] is True
    assert {"area_name", "retrieved_at", "sha256"} <= set(attrs)
    many = sp.impacts(["Lantern Bay (NSW)"]).attrs["suburb_pandas"]
    assert many.pop("n_sales_by_suburb") == {"Lantern Bay (NSW)": 206}
    units = many.pop("unit")
    assert units["premium_dollars"] == "AUD"
    assert units["coverage_pct"] == units["pct_of_median"] == "per cent"
    assert units["n_absent"] == units["n_present"] == "sales"
    assert many == {"endpoint": "impacts", "source": "embedded", "made_up": True}
    longest = sorted({*RENTED} - {"Perentie"}, key=len)
    assert all(len(json.dumps(sp.impacts(longest[-number:]).attrs)) < 1000 for number in range(2, 30))


def test_the_mark_of_made_up_data_follows_the_answer(live, service):
    """The made-up mark comes from the response, not from the key."""
    assert sp.rent("Quokka Bay").attrs["suburb_pandas"]["made_up"] is True
    service.answer("Bilby Heights", "rent", body=body_of("Bilby Heights"), headers={"X-Made-Up-Data": None})
    assert "made_up" not in sp.rent("Bilby Heights").attrs["suburb_pandas"]


@pytest.mark.parametrize("load", [sp.rent, sp.impacts, sp.impact_summary, sp.places])
def test_no_suburbs_give_an_empty_frame_of_the_right_shape(embedded, service, load):
    """An empty list of suburbs sends nothing and gives an empty frame with the usual columns and dtypes."""
    full = load(["Quokka Bay"])
    for empty in (load([]), load(pd.Series([], dtype=object))):
        assert len(empty) == 0
        assert list(empty.columns) == list(full.columns)
        assert empty.index.name == full.index.name
        data_columns = [column for column in full if column != "area_name"]
        assert (empty[data_columns].dtypes == full[data_columns].dtypes).all()
    assert sp.rent([], layout="wide").columns.names == ["property_type", "area_name"]


def test_points_out_of_order_are_sorted_and_of_a_doubled_date_the_last_wins(live, service):
    """Points are sorted, and the last one of a repeated date is used. One warning names all suburbs concerned."""
    house = [("2026-04-26", 3), ("2026-04-12", 1), ("2026-04-19", 2), ("2026-04-26", 4)]
    service.answer("Quokka Bay", "rent", body=rent_body("Quokka Bay", house, [("2026-04-19", 9)]))
    with pytest.warns(sp.errors.DataWarning, match="'Quokka Bay', 'Swanmere Quay'") as caught:
        frame = sp.rent(["Quokka Bay", "Swanmere Quay"])
    assert len(of_this_call(caught)) == 1
    quokka = frame[frame["area_name"] == "Quokka Bay"]
    assert quokka["house"].to_list() == [1, 2, 4]
    assert quokka["unit"].isna().to_list() == [True, False, True]


def test_a_batch_keeps_what_arrived_and_names_what_failed(live, service):
    """A request for several suburbs tries all of them. BatchIncomplete has the frame, the failures and their cost."""
    service.fail("malformed_json", name="Bilby Heights")
    with pytest.raises(sp.errors.BatchIncomplete, match="2 of 3 suburbs failed") as caught:
        sp.rent(["Bilby Heights", "Quokka Bay", "Nowhere At All"])
    error = caught.value
    assert list(error.frame["area_name"].unique()) == ["Quokka Bay"]
    assert {name: type(failure) for name, failure in error.failures.items()} == {
        "Bilby Heights": sp.errors.ContractViolation,
        "Nowhere At All": sp.errors.UnknownSuburb,
    }
    assert error.cents == 30
    assert "; the responses cost 30 cents; the calls that failed cost up to 30 cents; .failures" in str(error)
    with pytest.warns(sp.SuburbWarning, match="2 of 3 suburbs failed"):
        frame = sp.rent(["Bilby Heights", "Quokka Bay", "Nowhere At All"], errors="warn")
    pd.testing.assert_frame_equal(frame, error.frame)
    assert service.served[("rent", "Quokka Bay")] == service.served[("rent", "Bilby Heights")] == 1


def test_failures_are_in_the_order_of_the_suburbs_and_the_message_says_what_all_of_it_cost(live, service):
    """Failures are in the order of the suburbs, whichever call ended first. The message has the whole batch's cost."""
    service.fail("latency", name="Nowhere B", seconds=0.2)
    service.fail("dropped_after_billing", name="Quokka Bay")
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(["Nowhere B", "Quokka Bay", "Nowhere A", "Bilby Heights"])
    assert list(caught.value.failures) == ["Nowhere B", "Quokka Bay", "Nowhere A"]
    message = str(caught.value)
    assert "3 of 4 suburbs failed ('Nowhere B': UnknownSuburb, 'Quokka Bay': Unreachable, 'Nowhere A'" in message
    assert "1 of 4 responses arrived (in the error's .frame, and stored)" in message
    assert "the calls that failed cost up to 30 cents; retrying them may cost as much again; .failures has" in message


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_status_that_fails_a_batch_is_told_in_three_sentences(live, service, status):
    """Whether a status fails one suburb or ends the request, the message has at most three sentences."""
    service.answer("Perentie", "rent", status=status, headers={"X-Request-Id": "r-17"})
    with pytest.raises(sp.SuburbError) as caught:
        sp.rent(["Quokka Bay", "Perentie", "Swanmere Quay"])
    assert len(re.findall(r"[.?!](?= [A-Z'\d]|$)", str(caught.value))) <= 3, str(caught.value)
    assert "the error's .frame" in str(caught.value)


def test_where_warnings_are_errors_the_error_of_a_batch_still_has_its_frame(live, service):
    """If warnings are turned into errors, the error of a batch is still raised with its frame."""
    service.answer("Woylie", "rent", status=402)
    with warnings.catch_warnings(action="error"), pytest.raises(sp.errors.PaymentRequired) as caught:
        sp.rent(["Swanmere Quay", "Thorny Devil", "Quokka Bay", "Woylie"])
    assert caught.value.frame is not None


def test_what_concerns_the_account_stops_a_batch_with_its_own_error(tmp_path):
    """An empty wallet ends the request, even with ``errors="warn"``. The error carries the suburbs that had arrived."""
    with (
        serve(wallet_cents=65) as service,
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s.sqlite", max_workers=1) as client,
    ):
        names = ["Quokka Bay", "Bilby Heights", "Mangrove Steps", "Saltbush Park", "Bogong Rise"]
        with pytest.raises(sp.errors.PaymentRequired, match="402") as caught:
            sp.rent(names, client=client)
        assert list(caught.value.frame["area_name"].unique()) == names[:2]
        assert len(service.requests) <= 4
        with pytest.raises(sp.errors.PaymentRequired):
            sp.rent(names, client=client, errors="warn")


def test_what_is_stored_is_not_bought_again(live, service):
    """A stored response is free for later requests of any shape and for other clients. ``refresh`` buys a new one."""
    first = sp.rent("Quokka Bay")
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store) as other:
        pd.testing.assert_frame_equal(sp.rent("Quokka Bay", client=other), first)
    sp.rent(["Quokka Bay"], layout="wide")
    assert service.total_cents == 30
    sp.rent("Quokka Bay", refresh=True)
    assert service.total_cents == 60


def test_impacts_and_their_summary_are_one_purchase(live, service):
    """Drivers and summary come from the same response, which is bought once."""
    sp.impacts("Quokka Bay")
    sp.impact_summary(["Quokka Bay"])
    assert service.total_cents == 10


def test_the_ledger_has_every_call(live, service):
    """The ledger has one row for each call, oldest first. An empty one has the same dtypes."""
    empty = sp.ledger()
    sp.rent("Quokka Bay")
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.impacts("Nowhere At All")
    ledger = sp.ledger()
    columns = ["at", "endpoint", "area_name", "outcome", "cents", "http_status", "request_id", "source"]
    assert list(ledger.columns) == columns
    assert ledger[["endpoint", "area_name", "outcome", "cents", "http_status", "source"]].to_numpy().tolist() == [
        ["rent", "Quokka Bay", "billed", 30, 200, "live"],
        ["impacts", "Nowhere At All", "not_billed", 0, 404, "live"],
    ]
    assert ledger.dtypes.equals(empty.dtypes)
    now = pd.Timestamp.now("UTC").tz_localize(None)
    assert ledger["at"].between(now - pd.Timedelta("2min"), now).all()


def test_no_key_says_once_that_the_suburbs_are_made_up():
    """The first request without a key warns that its suburbs are made up. Later requests do not."""
    with pytest.warns(sp.errors.SyntheticDataWarning, match="made up") as caught:
        sp.rent(["Quokka Bay", "Bilby Heights"])
    sp.rent("Mangrove Steps")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]
