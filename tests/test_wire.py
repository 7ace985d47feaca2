"""The wire format: what decodes, and where a broken answer is broken."""

import json
from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas import wire
from suburb_pandas.sandbox import SANDBOX_NAMES

NAME = "Quokka Bay"

points = st.lists(
    st.fixed_dictionaries(
        {
            "date": st.dates(date(1678, 1, 1), date(2261, 12, 31)).map(str),
            "value": st.floats(allow_nan=False, allow_infinity=False),
        }
    )
)
rents = st.fixed_dictionaries(
    {
        "area_name": st.just(NAME),
        "area_level": st.just("suburb"),
        "house": st.none() | points,
        "unit": st.none() | points,
    }
)
whole = st.integers(-(10**9), 10**9).map(float)
shares = st.floats(-100, 100, allow_nan=False)
drivers = st.builds(
    wire.Driver,
    label=st.text(),
    coverage_pct=shares,
    premium_dollars=whole,
    pct_of_median=shares,
    detail=st.text(),
)
impacts = st.builds(
    wire.Impacts,
    area_name=st.just(NAME),
    area_level=st.just("suburb"),
    n_sales=whole,
    median_price=whole,
    total_premium=whole,
    drivers=st.lists(drivers, max_size=6).map(tuple),
)


def body(**changes):
    """Give a valid rent answer with changes to its data."""
    data = {"area_name": NAME, "area_level": "suburb", "house": [{"date": "2026-04-26", "value": 600.0}], **changes}
    return json.dumps({"data": {key: value for key, value in data.items() if value is not ...}}).encode()


@given(rents)
def test_decoding_an_encoded_rent_gives_it_back(rent):
    """Decode of encode is the identity on rents."""
    found = wire.decode_rent(msgspec.json.encode({"data": rent}), NAME)
    for kind in ("house", "unit"):
        days, values = getattr(found, kind)
        sent = rent[kind] or []
        assert days.astype("M8[D]").astype(str).tolist() == [point["date"] for point in sent]
        assert values.tolist() == [point["value"] for point in sent]


@given(impacts)
def test_decoding_encoded_impacts_gives_them_back(found):
    """Decode of encode is the identity on impacts."""
    assert wire.decode_impacts(msgspec.json.encode({"data": found}), NAME) == found


@pytest.mark.parametrize("series", [None, [], ...])
def test_null_absent_and_empty_series_are_the_same(series):
    """A series that is null, absent or empty is no series."""
    rent = wire.decode_rent(body(unit=series), NAME)
    assert [len(column) for column in rent.unit] == [0, 0]
    assert [column.tolist() for column in rent.house] == [[20_569], [600.0]]


@pytest.mark.parametrize("value", ["600", "600.0", "6e2"])
def test_whole_numbers_and_floats_are_both_fine(value):
    """600 and 600.0 are the same rent."""
    assert wire.decode_rent(body().replace(b"600.0", value.encode()), NAME).house.values[0] == 600.0


@pytest.mark.parametrize("n_sales", [64, 64.0])
def test_an_integer_may_be_written_as_a_float(n_sales):
    """64 and 64.0 are the same count, and 64.5 is none."""
    data = {"area_name": NAME, "area_level": "suburb", "median_price": -1, "total_premium": 0, "drivers": []}
    found = wire.decode_impacts(json.dumps({"data": {**data, "n_sales": n_sales}}).encode(), NAME)
    assert found.n_sales == 64
    with pytest.raises(sp.ContractViolation):
        wire.decode_impacts(json.dumps({"data": {**data, "n_sales": n_sales + 0.5}}).encode(), NAME)


def test_unknown_fields_are_let_through():
    """A service that says more than it must is understood."""
    assert wire.decode_rent(
        body(colour="red", house=[{"date": "2026-04-26", "value": 1, "n": 3}]), NAME
    ).house.days.size


def test_an_answer_without_data_says_why():
    """``data: null`` is not an error but a reason."""
    found = wire.decode_rent(b'{"data": null, "available": false, "reason": "r", "message": "m"}', NAME)
    assert found == wire.Missing("r", "m")


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (body(area_name="Bilby Heights"), "$.data.area_name"),
        (body(area_name=...), "$.data.area_name"),
        (body(area_level="sa2"), "$.data.area_level"),
        (body(house=[{"value": 1}]), "$.data.house[0].date"),
        (body(house=[{"date": "2026-04-26"}]), "$.data.house[0].value"),
        (body(house=[{"date": "2026-04-26", "value": "1"}]), "$.data.house[0].value"),
        (body(house=[{"date": "2026-04-26", "value": None}]), "$.data.house[0].value"),
        (body(house=[{"date": "2026-02-30", "value": 1}]), "$.data.house[0].date"),
        (body(house=[{"date": "0000-00-00", "value": 1}]), "$.data.house[0].date"),
        (body(house=[{"date": "9999-12-31", "value": 1}]), "$.data.house[0].date"),
        (body(house=[{"date": "2026-04", "value": 1}]), "$.data.house[0].date"),
        (body(house=[{"date": "2026-04-26T00:00:00", "value": 1}]), "$.data.house[0].date"),
        (body(house={}), "$.data.house"),
        (body().replace(b"600.0", b"1e400"), "$.data.house[0].value"),
        (body().replace(b"600.0", b"NaN"), "$"),
        (b"{}", "$.data"),
        (b"[]", "$"),
        (b"", "$"),
        (b"<!doctype html>", "$"),
        (b"\xff\xfe", "$"),
        (b"[" * 100_000, "$"),
        (body()[:-9], "$"),
    ],
)
def test_a_broken_answer_names_the_path_of_the_break(answer, path):
    """Whatever is wrong with an answer, the error says where, that it is kept, and how to buy it anew."""
    with pytest.raises(sp.ContractViolation, match=r"kept as it came.*refresh=True") as caught:
        wire.decode_rent(answer, NAME)
    assert caught.value.path == path


@given(
    st.binary()
    | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
def test_no_bytes_raise_anything_but_a_contract_violation(answer):
    """Any bytes at all decode, or are a ContractViolation."""
    for decode in (wire.decode_rent, wire.decode_impacts):
        try:
            found = decode(answer, NAME)
        except sp.ContractViolation:
            continue
        assert isinstance(found, wire.Missing)


def test_a_real_shaped_series_decodes():
    """The shape of a real history: month ends since 2004, a changeover, Sundays; house and unit of own starts."""
    months = [f"{year}-{month:02d}-28" for year in range(2004, 2023) for month in range(1, 13)]
    weeks = ["2022-12-31", "2023-01-01", "2023-01-08"]
    house = [{"date": day, "value": 229.0 + step} for step, day in enumerate(months + weeks)]
    rent = wire.decode_rent(body(house=house, unit=house[30:]), NAME)
    assert (len(rent.house.days), len(rent.unit.days)) == (len(house), len(house) - 30)
    assert rent.house.values[-1] == 229.0 + len(house) - 1


def test_paths_are_those_of_the_specification():
    """The two endpoints' paths, around an encoded name."""
    assert wire.path("rent", "Quokka%20Bay") == "/v1/suburbs/Quokka%20Bay/market/median-rent-series"
    assert wire.path("impacts", "Quokka%20Bay") == "/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts"


@pytest.mark.parametrize("host", ["[", "[::1", "a]b", "a\u2100b"])
def test_what_is_no_url_asks_nothing(host):
    """A host that cannot be one is no call, whatever stands behind it."""
    assert wire.asked(f"https://{host}/v1/geocode/suburb?q=quokka") is None


def test_the_suburbs_of_the_test_key_are_those_that_the_sandbox_knows():
    """The names that an error lists are the names that the embedded sandbox answers to."""
    assert set(wire.EMBEDDED_TEST_SUBURBS) == set(SANDBOX_NAMES)
