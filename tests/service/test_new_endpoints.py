"""Tests of new endpoints: one file is enough, for a known shape and for a new one, and each wrong step says what to do.

They walk the steps of ``.github/CONTRIBUTING.md`` with two made-up endpoints.
"""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.notebook import page
from suburb_pandas.service import ENDPOINTS, register
from tests.service import monthly_counts as counts
from tests.service import yearly_price as yearly
from tests.service.monthly_counts import monthly_counts
from tests.service.new_service import buying
from tests.service.yearly_price import PRICES, yearly_price
from tests.support.charts import title, written
from tests.support.common import forget_default
from tests.support.pickers import label, press

NAMES = ["Quokka Bay", "Woylie"]


@pytest.fixture
def prices(tmp_path):
    """Sell the endpoint of a known shape."""
    with buying(yearly.ENDPOINT, yearly.body_about, tmp_path / "store.sqlite") as service:
        yield service


@pytest.fixture
def sales(tmp_path):
    """Sell the endpoint of a new shape."""
    with buying(counts.ENDPOINT, counts.body_about, tmp_path / "store.sqlite") as service:
        yield service


def test_an_endpoint_of_a_known_shape_is_quoted_bought_stored_and_traced(prices):
    """A frame of prices is cited as prices, although it has the same columns as a frame of rents."""
    with pytest.raises(sp.errors.CapExceeded, match=r"40 cents \(2 calls of yearly_price at 20; 0 stored\)"):
        yearly_price(NAMES, max_cents=39)
    assert not prices.asked
    frame = yearly_price(NAMES)
    assert frame["house"].to_list() == [*PRICES.values()] * 2
    assert frame.attrs["suburb_pandas"]["unit"] == "AUD"
    assert sp.ledger()[["endpoint", "outcome", "cents"]].to_numpy().tolist() == [["yearly_price", "billed", 20]] * 2
    assert sp.vintages("Woylie", "yearly_price")["n_points"].to_list() == [6]
    assert yearly_price("Woylie", offline=True).equals(frame[frame["area_name"] == "Woylie"][["house", "unit"]])
    assert sp.cite(frame).startswith("Yearly median prices of 2 suburbs, from the embedded sandbox")
    assert sp.provenance(frame[frame["area_name"] == "Woylie"])["cents"].to_dict() == {"Woylie": 20}
    ax = sp.plot_rent(yearly_price("Woylie"))
    assert "Median price, AUD" in written(ax)
    assert title(ax) == "Yearly prices in Woylie"
    assert len(prices.asked) == 2


def test_an_endpoint_of_a_new_shape_is_quoted_bought_stored_and_reused(sales):
    """A function from a payload to rows is all that is new about it."""
    assert (sp.quote(NAMES, "monthly_counts").calls, sp.quote(NAMES, "monthly_counts").cents) == (2, 30)
    frame = monthly_counts(NAMES)
    assert frame.columns.to_list() == ["area_name", "month", "category", "count"]
    assert frame["month"].dtype == pd.to_datetime(["2026-01-01"]).dtype
    assert frame["count"].to_list() == [3, 5, 0, 2] * 2
    one = monthly_counts("Woylie", offline=True)
    assert one.equals(frame[4:].drop(columns="area_name").reset_index(drop=True))
    assert one.attrs["suburb_pandas"]["unit"] == {"count": "sales"}
    assert sp.vintages("Woylie", "monthly_counts")["n_points"].to_list() == [4]
    assert sorted(sales.asked) == NAMES


def test_an_endpoint_of_a_new_shape_is_traced(sales):
    """Its frames are compared row by row with the responses, and its numbers with those of earlier responses."""
    frame = monthly_counts(NAMES)
    assert sp.provenance(frame)["cents"].to_dict() == dict.fromkeys(NAMES, 15)
    assert sp.cite(frame).startswith("Monthly counts of 2 suburbs, from the embedded sandbox")
    assert "SHA-256 of the data" in sp.cite(frame)
    swapped = frame.assign(count=[5, 3, *frame["count"][2:]])
    with pytest.raises(sp.errors.ProvenanceError, match="count of 'Quokka Bay'"):
        sp.provenance(swapped)
    sales.body_about = partial(counts.body_about, first=4)
    with pytest.warns(sp.errors.DataWarning, match="monthly counts of 'Woylie' have been revised .*: 1 revised"):
        monthly_counts("Woylie", refresh=True)
    revised = sp.revisions("Woylie", "monthly_counts")
    assert revised[["label", "field", "last_value"]].to_numpy().tolist() == [["2026-01, houses", "count", 4.0]]
    with pytest.raises(ValueError, match="no chart of monthly counts"):
        frame.suburb.plot()


@pytest.mark.parametrize(("fixture", "load"), [("prices", yearly_price), ("sales", monthly_counts)])
def test_a_new_endpoint_is_replayed_and_offered_by_the_picker(request, monkeypatch, tmp_path, fixture, load):
    """A cassette replays it without a key and without the service, and the picker buys it at its price."""
    service, endpoint = request.getfixturevalue(fixture), ENDPOINTS[load.__name__]
    with sp.cassette(tmp_path / "study.yaml"):
        recorded = load(NAMES)
    monkeypatch.setitem(page.KINDS, endpoint.name, endpoint.title)
    picker = sp.SuburbPicker(["Emu Parade"], endpoint.name)
    assert label(picker) == f"Load: 1 call, {endpoint.cents} cents"
    press(picker)
    assert picker.code == f"sp.{endpoint.name}(['Emu Parade'])"
    assert picker.frame.equals(load(["Emu Parade"]))
    forget_default()
    with sp.cassette(tmp_path / "study.yaml", record="none"):
        assert load(NAMES).equals(recorded)
        with pytest.raises(sp.errors.NotStored, match=f"no {endpoint.noun} of 'Bilby Heights'"):
            load("Bilby Heights")
    assert len(service.asked) == 3


HALF = counts.MonthlyCount("2026-01", "houses", 1.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "rent"}, "name and path have to differ"),
        ({"path": ENDPOINTS["rent"].path}, "name and path have to differ"),
        ({"path": "/v1/counts"}, r"path has to have {} .*, not '/v1/counts'"),
        ({"shape": "counts"}, "shape has to be one of 'series', 'rows', 'candidates', not 'counts'"),
        ({"sample": b'{"data": {}}'}, r"sample .* at \$\.data\.area_name"),
        ({"decode": lambda *_: None}, "sample .*decode.*AttributeError"),
        ({"decode": lambda *_: [HALF], "records": list}, "sample .* no attribute 'area_name'"),
        ({"records": lambda _: []}, "there has to be one"),
        ({"records": lambda _: [HALF]}, r"multiple of 1.* at `\$\.count`"),
        ({"columns": {"month": "M8[s]"}}, r"columns has to have dtypes of 'str', .*, not {'month': 'M8\[s\]'}"),
        ({"columns": {"month": "float64"}}, r"columns.*Expected `float .* got `str` - at `\$\.month`"),
        ({"columns": {"year": "int64"}}, "columns.*no attribute 'year'"),
        ({"unit": {"counts": "sales"}}, "unit.*no attribute 'counts'"),
        ({"keys": ("category",)}, "keys has to name the columns that tell the records apart"),
    ],
)
def test_a_wrong_step_names_the_endpoint_the_field_and_what_is_expected(change, message):
    """An incomplete endpoint is refused at its registration, before anything is paid for."""
    wrong = replace(counts.ENDPOINT, **{"name": "half_finished", **change})
    known = dict(ENDPOINTS)
    with pytest.raises(ValueError, match=f"The endpoint '{wrong.name}' was not registered.*{message}"):
        register(wrong)
    assert known == ENDPOINTS
