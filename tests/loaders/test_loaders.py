"""The loaders: the exact shapes, for one suburb and for many, and what a request of many does with what fails."""

import json
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.loaders import progress
from suburb_pandas.sandbox import serve
from tests.support.common import LIVE_KEY, RENTED, of_this_call
from tests.support.processes import wait_for

DATE_UNIT = pd.to_datetime(["2026-04-26"]).unit


def rent_body(name, house, unit=None):
    """Give a rent answer of given points."""
    series = {
        kind: [{"date": day, "value": value} for day, value in points] if points is not None else None
        for kind, points in (("house", house), ("unit", unit))
    }
    return json.dumps({"data": {"area_name": name, "area_level": "suburb", **series}}).encode()


def test_rent_of_one_suburb(embedded):
    """Index ``date``, ascending, without time zone, of pandas' own unit; float columns ``house``, ``unit``."""
    frame = sp.rent("Lantern Bay (NSW)")
    assert isinstance(frame.index, pd.DatetimeIndex)
    assert (frame.index.name, frame.index.tz, frame.index.unit) == ("date", None, DATE_UNIT)
    assert frame.index.is_monotonic_increasing
    assert frame.index.is_unique
    assert frame.dtypes.to_dict() == {"house": np.dtype("float64"), "unit": np.dtype("float64")}
    assert frame.index[-1] == pd.Timestamp("2026-04-26")


def test_dates_equal_those_that_pandas_itself_parses(live, service):
    """An index from the service equals the index that ``pd.to_datetime`` makes of the same dates, unit and all."""
    service.answer("Quokka Bay", "rent", body=rent_body("Quokka Bay", [("2026-04-19", 1), ("2026-04-26", 2.5)], []))
    expected = pd.DataFrame(
        {"house": [1.0, 2.5], "unit": [np.nan, np.nan]},
        index=pd.to_datetime(["2026-04-19", "2026-04-26"]).rename("date"),
    )
    pd.testing.assert_frame_equal(sp.rent("Quokka Bay"), expected)


@pytest.mark.parametrize("name", ["Drover's Bend", "Galah Siding", "Button Grass"])
def test_a_type_without_a_series_is_a_column_of_nan(embedded, name):
    """Null, absent and empty: the column is there, float and NaN."""
    frame = sp.rent(name)
    assert list(frame.columns) == ["house", "unit"]
    assert frame["unit"].isna().all()
    assert frame["house"].notna().all()


@pytest.mark.parametrize(
    "make", [list, tuple, pd.Series, pd.Index, np.array, lambda n: pd.Series(n, dtype="category"), iter]
)
def test_rent_of_many_suburbs(embedded, make):
    """``area_name`` first, categorical; suburbs in the order given, each once; each as it is alone."""
    names = ["Quokka Bay", "Bilby Heights", "Quokka Bay"]
    frame = sp.rent(make(names))
    assert list(frame.columns) == ["area_name", "house", "unit"]
    assert isinstance(frame["area_name"].dtype, pd.CategoricalDtype)
    assert list(frame["area_name"].cat.categories) == ["Quokka Bay", "Bilby Heights"]
    assert list(frame["area_name"].unique()) == ["Quokka Bay", "Bilby Heights"]
    for name in names:
        alone = frame.loc[frame["area_name"] == name, ["house", "unit"]]
        pd.testing.assert_frame_equal(alone, sp.rent(name))


def test_a_list_of_one_is_many(embedded):
    """The shape follows the type of the argument, not how many suburbs it holds."""
    assert list(sp.rent(["Quokka Bay"]).columns) == ["area_name", "house", "unit"]
    assert sp.impacts(["Quokka Bay"]).columns[0] == "area_name"


def test_wide_rents_are_dates_by_suburbs(embedded):
    """Two column levels; ``wide["house"]`` is dates by suburbs, and holds what the long frame does."""
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
    """No data in a batch is one warning: a category, an all-NaN column, a NaN row, and no failure."""
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
    """The drivers in the service's order, with their dtypes; the suburb's totals in ``attrs``."""
    frame = sp.impacts("Lantern Bay (NSW)")
    assert list(frame.columns) == ["label", "coverage_pct", "premium_dollars", "pct_of_median", "detail"]
    assert frame["premium_dollars"].dtype == "int64"
    assert frame["coverage_pct"].dtype == frame["pct_of_median"].dtype == "float64"
    assert frame["premium_dollars"].is_monotonic_decreasing
    attrs = frame.attrs["suburb_pandas"]
    row = sp.impact_summary(["Lantern Bay (NSW)"]).loc["Lantern Bay (NSW)"]
    assert all(attrs[total] == row[total] for total in ("n_sales", "median_price", "total_premium"))


def test_the_summary_has_one_row_a_suburb(embedded):
    """Totals and the drivers' number and sum, indexed by ``area_name`` in the order given."""
    names = ["Quokka Bay", "Sleepy Lizard", "Lantern Bay (NSW)"]
    summary, drivers = sp.impact_summary(names), sp.impacts(names)
    assert summary.index.name == "area_name"
    assert list(summary.index) == names
    assert list(summary.columns) == ["n_sales", "median_price", "total_premium", "n_drivers", "sum_drivers"]
    sums = drivers.groupby("area_name", observed=False)["premium_dollars"].agg(["size", "sum"])
    assert (summary["n_drivers"].to_numpy() == sums["size"].to_numpy()).all()
    assert (summary["sum_drivers"].to_numpy() == sums["sum"].to_numpy()).all()
    assert summary.loc["Sleepy Lizard", "n_drivers"] == 0


def test_attrs_are_plain_json_under_a_kilobyte(embedded):
    """What a frame says of itself survives ``to_parquet``: plain JSON, source, unit, and the mark of made-up data."""
    frame = sp.rent("Lantern Bay (NSW)")
    attrs = frame.attrs["suburb_pandas"]
    assert len(json.dumps(attrs)) < 1000
    assert (attrs["endpoint"], attrs["source"], attrs["unit"]) == ("rent", "embedded", "AUD per week")
    assert attrs["made_up"] is True
    assert {"area_name", "retrieved_at", "sha256"} <= set(attrs)
    many = sp.impacts(["Lantern Bay (NSW)"]).attrs["suburb_pandas"]
    assert many.pop("n_sales_by_suburb") == {"Lantern Bay (NSW)": 206}
    assert many == {"endpoint": "impacts", "source": "embedded", "unit": "AUD", "made_up": True}
    longest = sorted({*RENTED} - {"Perentie"}, key=len)
    assert all(len(json.dumps(sp.impacts(longest[-number:]).attrs)) < 1000 for number in range(2, 30))


def test_the_mark_of_made_up_data_follows_the_answer(live, service):
    """A key that pays, on a sandbox: the answer says that it is made up, and so does the frame."""
    assert sp.rent("Quokka Bay").attrs["suburb_pandas"]["made_up"] is True
    service.answer("Bilby Heights", "rent", body=rent_body("Bilby Heights", []), headers={"X-Made-Up-Data": None})
    assert "made_up" not in sp.rent("Bilby Heights").attrs["suburb_pandas"]


@pytest.mark.parametrize("load", [sp.rent, sp.impacts, sp.impact_summary])
def test_no_suburbs_give_an_empty_frame_of_the_right_shape(embedded, service, load):
    """Nothing asked for, nothing sent: the same columns and dtypes, no rows."""
    full = load(["Quokka Bay"])
    for empty in (load([]), load(pd.Series([], dtype=object))):
        assert len(empty) == 0
        assert list(empty.columns) == list(full.columns)
        assert empty.index.name == full.index.name
        kept = [column for column in full if column != "area_name"]
        assert (empty[kept].dtypes == full[kept].dtypes).all()
    assert sp.rent([], layout="wide").columns.names == ["property_type", "area_name"]


def test_a_frame_is_not_a_list_of_suburbs(embedded):
    """A DataFrame as ``suburbs`` is a TypeError that names the accessor."""
    with pytest.raises(TypeError, match=r"df\.suburb"):
        sp.rent(pd.DataFrame({"suburb": ["Quokka Bay"]}))


@pytest.mark.parametrize(
    "name", [np.array("Quokka Bay"), np.str_("Quokka Bay"), type("Name", (str,), {})("Quokka Bay")]
)
def test_one_name_can_be_of_any_kind_of_text(embedded, name):
    """As numpy and others have it; the shape is that of one suburb."""
    pd.testing.assert_frame_equal(sp.rent(name), sp.rent("Quokka Bay"))


@pytest.mark.usefixtures("embedded")
def test_two_columns_of_the_same_name_are_said_to_be():
    """Attribute access gives a frame there, which has no such door."""
    frame = pd.DataFrame([["Quokka Bay", "Bilby Heights"]], columns=["suburb", "suburb"])
    with pytest.raises(TypeError, match="several columns are called suburb"):
        sp.rent(frame["suburb"])


@pytest.mark.parametrize("bad", [None, 7, b"Quokka Bay", {"a": 1}, float("nan"), ["Quokka Bay", None], [["a"]], [""]])
def test_what_is_no_name_is_refused_before_any_call(live, service, bad):
    """A missing value in a list, or anything that is not text, is InvalidName, and nothing was sent."""
    with pytest.raises(sp.errors.InvalidName):
        sp.rent(bad)
    assert service.requests == ()


def test_a_set_is_refused_as_it_has_no_order(live):
    """The suburbs come in the order given, and a set gives none."""
    with pytest.raises(TypeError, match="sorted"):
        sp.rent({"Quokka Bay", "Woylie"})


def test_a_multiindex_is_refused_with_the_way_out(live):
    """Tuples are no names."""
    with pytest.raises(sp.errors.InvalidName, match="get_level_values"):
        sp.rent(pd.MultiIndex.from_tuples([("Quokka Bay", 1)]))


def test_rows_without_a_name_are_skipped_and_listed(embedded):
    """A Series may lack names; the warning counts its rows and lists their labels."""
    series = pd.Series(["Quokka Bay", None, np.nan, pd.NA], index=["a", "b", "c", "d"])
    with pytest.warns(sp.errors.SkippedRowsWarning, match="3 of 4 rows.*'b', 'c', 'd'"):
        frame = sp.rent(series)
    assert list(frame["area_name"].cat.categories) == ["Quokka Bay"]


def test_points_out_of_order_are_sorted_and_of_a_doubled_date_the_last_wins(live, service):
    """One warning says what was mended, for all suburbs of a request."""
    house = [("2026-04-26", 3), ("2026-04-12", 1), ("2026-04-19", 2), ("2026-04-26", 4)]
    service.answer("Quokka Bay", "rent", body=rent_body("Quokka Bay", house, [("2026-04-19", 9)]))
    with pytest.warns(sp.errors.DataWarning, match="'Quokka Bay', 'Swanmere Quay'") as caught:
        frame = sp.rent(["Quokka Bay", "Swanmere Quay"])
    assert len(of_this_call(caught)) == 1
    quokka = frame[frame["area_name"] == "Quokka Bay"]
    assert quokka["house"].to_list() == [1, 2, 4]
    assert quokka["unit"].isna().to_list() == [True, False, True]


def test_a_batch_keeps_what_arrived_and_names_what_failed(live, service):
    """All are tried; BatchIncomplete carries the frame, the failures, and what they cost."""
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
    with pytest.warns(sp.SuburbWarning, match="2 of 3 suburbs failed"):
        frame = sp.rent(["Bilby Heights", "Quokka Bay", "Nowhere At All"], errors="warn")
    pd.testing.assert_frame_equal(frame, error.frame)
    assert service.served[("rent", "Quokka Bay")] == service.served[("rent", "Bilby Heights")] == 1


def test_failures_are_in_the_order_of_the_suburbs_and_the_message_says_what_all_of_it_cost(live, service):
    """Whichever call ended first, a notebook that shows the failures shows the same each time."""
    service.fail("latency", name="Nowhere B", seconds=0.2)
    service.fail("dropped_after_billing", name="Quokka Bay")
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(["Nowhere B", "Quokka Bay", "Nowhere A", "Bilby Heights"])
    assert list(caught.value.failures) == ["Nowhere B", "Quokka Bay", "Nowhere A"]
    message = str(caught.value)
    assert "3 of 4 suburbs failed (UnknownSuburb: 'Nowhere B', 'Nowhere A'; Unreachable: 'Quokka Bay')" in message
    assert "1 of 4 suburbs are in its frame (.frame) and stored" in message
    assert "the calls that brought them cost 30 cents; the calls that failed cost up to 30 cents." in message


def test_where_warnings_are_errors_the_error_of_a_batch_still_has_its_frame(live, service):
    """Neither points out of order nor suburbs without data hide what failed, and what was paid for."""
    service.answer("Woylie", "rent", status=402)
    with warnings.catch_warnings(action="error"), pytest.raises(sp.errors.PaymentRequired) as caught:
        sp.rent(["Swanmere Quay", "Thorny Devil", "Quokka Bay", "Woylie"])
    assert caught.value.frame is not None


def test_an_error_in_the_middle_of_a_large_batch_shows_no_payloads(live):
    """A traceback with all variables stays readable."""
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([*RENTED[:10], "Nowhere At All"])
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert len("".join(report.format())) < 60_000


def test_what_concerns_the_account_stops_a_batch_with_its_own_error(tmp_path):
    """An empty wallet ends the request; the error carries what had arrived."""
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
    """A second request, in another shape and by another client, costs nothing; ``refresh`` buys anew."""
    first = sp.rent("Quokka Bay")
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store) as other:
        pd.testing.assert_frame_equal(sp.rent("Quokka Bay", client=other), first)
    sp.rent(["Quokka Bay"], layout="wide")
    assert service.total_cents == 30
    sp.rent("Quokka Bay", refresh=True)
    assert service.total_cents == 60


def test_impacts_and_their_summary_are_one_purchase(live, service):
    """Both are made of the same response."""
    sp.impacts("Quokka Bay")
    sp.impact_summary(["Quokka Bay"])
    assert service.total_cents == 10


def test_calls_run_side_by_side_on_as_many_workers_as_was_said():
    """Eight at once by default; suburbs come in the order given all the same."""
    with (
        serve() as service,
        sp.Client(api_key="embedded", base_url=service.url) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        service.fail("latency", times=None, seconds=60)
        asking = pool.submit(sp.rent, RENTED[:20], client=client)
        wait_for(lambda: service.most_at_once == 8)
        service.release()
        frame = asking.result(25)
        assert service.most_at_once == 8
    assert list(frame["area_name"].unique()) == RENTED[:20]


def test_a_wrong_layout_or_errors_is_a_value_error(embedded):
    """The choices are named."""
    with pytest.raises(ValueError, match="'long' or 'wide'"):
        sp.rent("Quokka Bay", layout="tall")
    with pytest.raises(ValueError, match="'raise' or 'warn'"):
        sp.rent("Quokka Bay", errors="ignore")


def test_an_empty_ledger_has_the_dtypes_of_a_full_one(live):
    """Whoever concatenates or compares ledgers meets one shape."""
    empty = sp.ledger()
    sp.rent("Quokka Bay")
    assert len(empty) == 0
    assert (empty.dtypes == sp.ledger().dtypes).all()


def test_the_ledger_has_every_call(live, service):
    """One row a call with its outcome, cents and status, oldest first."""
    sp.rent("Quokka Bay")
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.impacts("Nowhere At All")
    ledger = sp.ledger()
    assert list(ledger.columns) == [
        "at",
        "endpoint",
        "area_name",
        "outcome",
        "cents",
        "http_status",
        "request_id",
        "source",
    ]
    assert ledger[["endpoint", "area_name", "outcome", "cents", "http_status", "source"]].to_numpy().tolist() == [
        ["rent", "Quokka Bay", "billed", 30, 200, "live"],
        ["impacts", "Nowhere At All", "not_billed", 0, 404, "live"],
    ]
    assert str(ledger["at"].dt.tz) == "UTC"


def test_no_key_says_once_that_the_suburbs_are_made_up():
    """The first call without a key warns, and the next does not."""
    with pytest.warns(sp.errors.SyntheticDataWarning, match="made up") as caught:
        sp.rent(["Quokka Bay", "Bilby Heights"])
    sp.rent("Mangrove Steps")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


def test_asking_the_embedded_sandbox_for_a_real_suburb_says_how_to_get_it(embedded):
    """A forgotten key can put no invented rent on a real suburb."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r'made-up suburbs only.*connect\(api_key="test"\).*free'):
        sp.rent("Bondi")


def test_somebody_who_watches_sees_a_bar_where_there_are_several_calls_that_take_a_while(service, monkeypatch, capsys):
    """Unasked, one call brings no bar, nor does what is there at once; several slow ones do."""
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    with sp.Client(api_key="embedded", base_url=service.url, max_workers=1) as client:
        monkeypatch.setattr(progress, "DELAY", 60)
        sp.rent(RENTED[:2], client=client)
        monkeypatch.setattr(progress, "DELAY", 0.1)
        service.fail("latency", times=None, seconds=0.4)
        sp.rent([RENTED[2]], client=client)
        assert capsys.readouterr().err == ""
        sp.rent(RENTED[3:6], client=client)
        assert "rent: 100%" in capsys.readouterr().err


def test_a_bar_is_shown_when_asked_for(embedded, capsys):
    """``progress=True`` draws a bar over the calls, and nothing is drawn where nobody watches."""
    sp.rent(["Quokka Bay", "Bilby Heights"])
    assert capsys.readouterr().err == ""
    sp.rent(["Quokka Bay", "Bilby Heights"], refresh=True, progress=True)
    assert "2/2" in capsys.readouterr().err
