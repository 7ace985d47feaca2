"""Tests of new endpoints: one file is enough, for a known shape and for a new one, and what follows from it.

They walk the steps of ``.github/CONTRIBUTING.md`` with two made-up endpoints.
"""

from functools import partial

import pytest

import suburb_pandas as sp
from suburb_pandas.notebook import page
from tests.service import monthly_counts as counts
from tests.service import yearly_price as yearly
from tests.service.new_service import buying
from tests.support.charts import title, written
from tests.support.common import forget_default
from tests.support.pickers import label, press

NAMES = ["Quokka Bay", "Woylie"]
COUNTS = """area_name,month,category,count
Woylie,2026-01-01,houses,3
Woylie,2026-02-01,houses,5
Woylie,2026-01-01,units,0
Woylie,2026-02-01,units,2
"""
PRICES = """area_name,house,unit
Woylie,800000.0,400000.0
Woylie,850500.0,425250.0
Woylie,901250.5,450625.25
"""


@pytest.fixture
def sell(tmp_path):
    """Return a function that sells the endpoint of a module."""
    return lambda module: buying(module.ENDPOINT, module.body_about, tmp_path / "store.sqlite")


@pytest.mark.parametrize(
    ("module", "load", "rows", "unit"),
    [(counts, counts.monthly_counts, COUNTS, {"count": "sales"}), (yearly, yearly.yearly_price, PRICES, "AUD")],
    ids=["a new shape", "a known shape"],
)
def test_a_new_endpoint_is_quoted_bought_traced_replayed_and_offered(
    sell, module, load, rows, unit, tmp_path, monkeypatch
):
    """A function from a payload to rows is all that is new about it. The picker buys it, too, at its price."""
    endpoint = module.ENDPOINT
    monkeypatch.setitem(page.KINDS, endpoint.name, endpoint.title)
    with sell(module) as service:
        with pytest.raises(sp.errors.CapExceeded, match=rf"2 calls of {endpoint.name} at {endpoint.cents}; 0 stored"):
            load(NAMES, max_cents=2 * endpoint.cents - 1)
        with sp.cassette(tmp_path / "study.yaml"):
            frame = load(NAMES)
        woylie = frame[frame["area_name"] == "Woylie"]
        assert woylie.to_csv(index=False) == rows
        assert load("Woylie", offline=True).to_csv(index=False) == rows.replace("Woylie,", "").replace("area_name,", "")
        assert frame.attrs["suburb_pandas"]["unit"] == unit
        assert sp.cite(frame).startswith(f"{endpoint.citation} 2 suburbs, from the embedded sandbox".capitalize())
        assert sp.provenance(woylie)["cents"].to_dict() == {"Woylie": endpoint.cents}
        assert sp.ledger()["cents"].to_list() == [endpoint.cents] * 2
        assert len(sp.vintages("Woylie", endpoint.name)) == 1
        picker = sp.SuburbPicker(["Emu Parade"], endpoint.name)
        assert label(picker) == f"Load: 1 call, {endpoint.cents} cents"
        press(picker)
        assert picker.code == f"sp.{endpoint.name}(['Emu Parade'])"
        assert picker.frame.equals(load(["Emu Parade"]))
        forget_default()
        with sp.cassette(tmp_path / "study.yaml", record="none"):
            assert load(NAMES).equals(frame)
            with pytest.raises(sp.errors.NotStored, match=f"no {endpoint.noun} of 'Bilby Heights'"):
                load("Bilby Heights")
        assert service.asked == [*NAMES, "Emu Parade"]


def test_rows_are_traced_and_a_series_has_a_chart(sell):
    """Rows are compared one by one with the responses, and their numbers with those of earlier responses."""
    with sell(counts) as service:
        frame = counts.monthly_counts(NAMES)
        with pytest.raises(sp.errors.ProvenanceError, match="count of 'Quokka Bay'"):
            sp.provenance(frame.assign(count=[5, 3, *frame["count"][2:]]))
        service.body_about = partial(counts.body_about, first=4)
        with pytest.warns(sp.errors.DataWarning, match="monthly counts of 'Woylie' have been revised .*: 1 revised"):
            counts.monthly_counts("Woylie", refresh=True)
        revised = sp.revisions("Woylie", "monthly_counts")
        assert revised[["label", "field", "last_value"]].to_numpy().tolist() == [["2026-01, houses", "count", 4.0]]
        with pytest.raises(ValueError, match="no chart of monthly counts"):
            frame.suburb.plot()
    with sell(yearly):
        ax = sp.plot_rent(yearly.yearly_price("Woylie"))
    assert (title(ax), "Median price, AUD" in written(ax)) == ("Yearly prices in Woylie", True)
