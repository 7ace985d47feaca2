"""Tests of a made-up fourth endpoint: its one file is enough, and no module has to be changed for it."""

from dataclasses import replace

import pytest

import suburb_pandas as sp
from suburb_pandas.service import ENDPOINTS, register
from suburb_pandas.service.envelope import Missing
from tests.support import yearly_price as yearly
from tests.support.charts import title, written
from tests.support.common import LIVE_KEY, forget_default
from tests.support.odd_responses import body_with, series_body
from tests.support.pickers import button, press, shown
from tests.support.yearly_price import ENDPOINT, PRICES, serve_prices, yearly_price

NAMES = ["Quokka Bay", "Woylie"]


@pytest.fixture(autouse=True)
def registered():
    """Register the endpoint for the duration of a test."""
    register(ENDPOINT)
    yield
    del ENDPOINTS[ENDPOINT.name]


@pytest.fixture
def service():
    """Run a server that answers the calls of the endpoint."""
    with serve_prices() as server:
        yield server


@pytest.fixture
def live(service, tmp_path):
    """Return the default client, with a live key, for that server."""
    url = f"http://127.0.0.1:{service.server_address[1]}"
    with sp.connect(api_key=LIVE_KEY, base_url=url, store=tmp_path / "store.sqlite") as client:
        yield client


def test_it_is_quoted_bought_and_stored_at_its_own_price(live, service):
    quote = sp.quote(NAMES, "yearly_price")
    assert (quote.calls, quote.cents) == (2, 40)
    frame = yearly_price(NAMES)
    assert frame["house"].to_list() == [*PRICES.values()] * 2
    assert frame.attrs["suburb_pandas"]["unit"] == "AUD"
    assert sp.ledger()[["endpoint", "outcome", "cents"]].to_numpy().tolist() == [["yearly_price", "billed", 20]] * 2
    assert sp.vintages("Woylie", "yearly_price")["n_points"].to_list() == [6]
    assert yearly_price("Woylie", offline=True).equals(frame[frame["area_name"] == "Woylie"][["house", "unit"]])
    assert len(service.asked) == 2


def test_its_cap_is_kept(live, service):
    with pytest.raises(sp.errors.CapExceeded, match=r"40 cents \(2 calls of yearly_price at 20; 0 stored\)"):
        yearly_price(NAMES, max_cents=39)
    assert not service.asked


def test_its_stored_responses_need_no_decoding(live, monkeypatch):
    """The payloads of any endpoint that returns series are stored packed, so stored responses are not decoded again."""
    frame = yearly_price(NAMES)
    monkeypatch.setitem(ENDPOINTS, "yearly_price", replace(ENDPOINT, decode=lambda *_: pytest.fail("it was decoded")))
    assert yearly_price(NAMES).equals(frame)


def test_its_points_that_cannot_be_read_are_left_out(live, monkeypatch):
    """A new endpoint that returns series has the rules for odd points from the first."""
    monkeypatch.setattr(yearly, "body_about", lambda name: body_with(name, '{"date": "2024-03-28", "value": null}'))
    with pytest.warns(
        sp.errors.DataWarning, match=r"yearly prices with 1 point .*sp\.vintages\('Woylie', 'yearly_price', bodies=T"
    ):
        assert len(yearly_price("Woylie")) == 20
    monkeypatch.setattr(yearly, "body_about", lambda name: series_body(name, house=[], unit=[]))
    with pytest.raises(sp.errors.NoData):
        yearly_price("Quokka Bay")


def test_it_is_replayed_from_a_cassette(live, service, tmp_path):
    """A cassette replays a new endpoint without a key and without the service."""
    with sp.cassette(tmp_path / "study.yaml"):
        recorded = yearly_price(NAMES)
    forget_default()
    with sp.cassette(tmp_path / "study.yaml", record="none"):
        assert yearly_price(NAMES).equals(recorded)
        with pytest.raises(sp.errors.NotStored, match="no yearly prices of 'Emu Parade'"):
            yearly_price("Emu Parade")
    assert len(service.asked) == 2


def test_it_is_cited_and_its_provenance_shown(live):
    """A frame of prices is cited as prices, although it has the same columns as a frame of rents."""
    frame = yearly_price(NAMES)
    assert sp.cite(frame).startswith("Yearly median prices of 2 suburbs, from the embedded sandbox")
    assert sp.provenance(frame)["cents"].to_dict() == dict.fromkeys(NAMES, 20)
    assert sp.provenance(frame[frame["area_name"] == "Woylie"]).index.to_list() == ["Woylie"]


def test_the_picker_offers_it(live, service):
    picker = sp.SuburbPicker(NAMES, "yearly_price")
    assert {"value": "yearly_price", "label": "Yearly prices"} in picker._controls.kinds
    assert button(picker, "Load").description == "Load: 2 calls, 40 cents"
    press(picker, "Load")
    assert picker.code == f"sp.yearly_price({NAMES!r})"
    assert picker.frame.equals(yearly_price(NAMES))
    assert "Chart of the yearly prices of Quokka Bay, Woylie" in shown(picker)
    assert len(service.asked) == 2


def test_its_chart_has_its_own_unit(live):
    ax = sp.plot_rent(yearly_price("Woylie"))
    assert "Median price, AUD" in written(ax)
    assert title(ax) == "Yearly prices in Woylie"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cents": -1}, "needs a price"),
        ({"path": "/v1/prices"}, "a path with one {}"),
        ({"sample": b'{"data": {"area_name": "Woylie"}}'}, r"breaks .* at \$\.data\.area_level"),
        ({"decode": lambda *_: Missing(None, None)}, "holds no record"),
        ({"axis_label": ""}, "a label for the axis"),
        ({"columns": {"price": "float64"}}, "has to decode to series"),
        ({"shape": "rows", "records": lambda _: [object()], "columns": {"price": "float64"}}, "'price'"),
    ],
)
def test_a_half_finished_endpoint_is_refused_before_anything_is_paid_for(change, message):
    """The registry decodes the endpoint's sample and makes a frame of it, so that mistakes show before any purchase."""
    with pytest.raises((ValueError, AttributeError, sp.errors.ContractViolation), match=message):
        register(replace(ENDPOINT, name="half_finished", **change))
    assert "half_finished" not in ENDPOINTS
