"""Tests of the decoders: which responses decode, and which field the error names for those that do not."""

import gzip
import hashlib
import json
from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.sandbox import SANDBOX_NAMES
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.impacts import Driver, Impacts, decode_impacts
from suburb_pandas.service.series import decode_series, numbers_of
from suburb_pandas.service.sources import EMBEDDED_TEST_SUBURBS
from suburb_pandas.service.urls import item_of, path_of
from tests.support.common import LIVE_KEY
from tests.support.raw_server import said_by, shows
from tests.support.recorded import body_of

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
).filter(lambda rent: rent["house"] or rent["unit"])
whole = st.integers(-(10**9), 10**9).map(float)
shares = st.floats(-100, 100, allow_nan=False)
drivers = st.builds(
    Driver,
    label=st.text(),
    coverage_pct=shares,
    premium_dollars=whole,
    pct_of_median=shares,
    detail=st.text(),
)
impacts = st.builds(
    Impacts,
    area_name=st.just(NAME),
    area_level=st.just("suburb"),
    n_sales=whole,
    median_price=whole,
    total_premium=whole,
    drivers=st.lists(drivers, max_size=6).map(tuple),
)


def body(**changes):
    """Return the body of a valid rent response, with changes to its data. A field given as ``...`` is left out."""
    data = {"area_name": NAME, "area_level": "suburb", "house": [{"date": "2026-04-26", "value": 600.0}], **changes}
    return json.dumps({"data": {key: value for key, value in data.items() if value is not ...}}).encode()


@given(rents)
def test_decoding_an_encoded_rent_gives_it_back(rent):
    """Decoding an encoded rent response returns the same dates and values, of a date the last."""
    found = numbers_of(decode_series(msgspec.json.encode({"data": rent}), NAME))
    assert found == {(kind, point["date"]): point["value"] for kind in ("house", "unit") for point in rent[kind] or []}


@given(impacts)
def test_decoding_encoded_impacts_gives_them_back(found):
    """Decoding an encoded impacts response returns the same record."""
    assert decode_impacts(msgspec.json.encode({"data": found}), NAME) == found


@pytest.mark.parametrize("value", ["600", "600.0", "6e2"])
@pytest.mark.parametrize("series", [None, [], ...])
def test_null_absent_and_empty_series_are_the_same(series, value):
    """A series that is null, absent or empty has no points. A rent may be written as 600, 600.0 or 6e2."""
    rent = decode_series(body(unit=series).replace(b"600.0", value.encode()), NAME)
    assert numbers_of(rent) == {("house", "2026-04-26"): 600.0}


@pytest.mark.parametrize("n_sales", [64, 64.0])
def test_an_integer_may_be_written_as_a_float(n_sales):
    """A count may be written as 64 or 64.0, but 64.5 violates the contract."""
    data = {"area_name": NAME, "area_level": "suburb", "median_price": -1, "total_premium": 0, "drivers": []}
    found = decode_impacts(json.dumps({"data": {**data, "n_sales": n_sales}}).encode(), NAME)
    assert found.n_sales == 64
    with pytest.raises(sp.errors.ContractViolation):
        decode_impacts(json.dumps({"data": {**data, "n_sales": n_sales + 0.5}}).encode(), NAME)


def test_unknown_fields_are_let_through():
    """Unknown fields in a response are ignored."""
    assert decode_series(body(colour="red", house=[{"date": "2026-04-26", "value": 1, "n": 3}]), NAME).records


def test_an_answer_without_data_says_why():
    """A response with ``data: null`` decodes to `Missing`, with the service's reason and message."""
    found = decode_series(b'{"data": null, "available": false, "reason": "r", "message": "m"}', NAME)
    assert found == Missing("r", "m")


@pytest.mark.parametrize(
    ("response", "path"),
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
def test_a_broken_answer_names_the_path_of_the_break(response, path):
    """The error names the field that breaks the contract."""
    with pytest.raises(sp.errors.ContractViolation, match="breaks the service's specification at") as caught:
        decode_series(response, NAME)
    assert caught.value.path == path


@given(
    st.binary()
    | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
def test_no_bytes_raise_anything_but_a_contract_violation(response):
    """Decoding any bytes either succeeds or raises ContractViolation."""
    for decode in (decode_series, decode_impacts):
        try:
            found = decode(response, NAME)
        except sp.errors.ContractViolation:
            continue
        assert isinstance(found, Missing)


def test_paths_are_those_of_the_specification():
    """The name of a suburb is percent-encoded in the path of an endpoint."""
    assert path_of(Item("rent", "Quokka Bay")) == "/v1/suburbs/Quokka%20Bay/market/median-rent-series"
    assert path_of(Item("impacts", "Quokka Bay")) == "/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts"


@pytest.mark.parametrize("host", ["[", "[::1", "a]b", "a\u2100b"])
def test_what_is_no_url_asks_nothing(host):
    """A URL with an invalid host is not a call of this service, whatever its path."""
    assert item_of(f"https://{host}/v1/geocode/suburb?q=quokka") is None


@pytest.mark.parametrize("query", ["", "?state=NSW", "?q=", "?q=quokka&limit=3"])
def test_a_look_up_without_a_query_or_with_more_is_not_ours(query):
    """A look-up has a query, and a state or nothing else. Any other is a call that the package does not make."""
    assert item_of(f"https://api.example.org/v1/geocode/suburb{query}") is None
    assert item_of("https://api.example.org/v1/geocode/suburb?q=quokka&state=NSW").state == "NSW"


def test_the_suburbs_of_the_test_key_are_those_that_the_sandbox_knows():
    """The suburbs that errors suggest for the test key are exactly those that the embedded sandbox knows."""
    assert set(EMBEDDED_TEST_SUBURBS) == set(SANDBOX_NAMES)


VALID = body_of(NAME)
INVALID_DATES = [
    *["0000-00-00", "0000-01-01", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-01-00"],
    *["1677-12-31", "2262-01-01", "9999-12-31", "10000-01-01", "+10000-01-01", "-001-01-01", "-0001-01-01"],
    *[
        "2024-2-3",
        "2024-2-029",
        "2024-002-3",
        "24-02-03",
        "2024/01/31",
        "31-01-2024",
        "20240131",
        "2024-01",
        "2024-031",
    ],
    *["2024-01-31\n", "2024-01-31 ", " 2024-01-31", "\t2024-01-3", "2024-01-31\0", "2024-01-31Z", "2024-01-31T00:00"],
    *["\uff12024-01-31", "\u0662\u0660\u0662\u0664-\u0660\u0661-\u0663\u0661", "2024\u201301\u201331", "2024-01-3\xb9"],
    *["2024-W05-3", "NaT", "nat", "today", "now", "", "2024-01-31\n2024-01-31", "2024-01-31" * 1000],
]
INVALID_JSON_NUMBERS = [
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"nan",
    b"0x10",
    b"1_000",
    b"+1",
    b"01",
    b"1.",
    b".5",
    b"1e",
    b"--1",
]
INVALID_VALUES = [
    *[b"1e400", b"-1e400", b"1e99999999999999999999", b"9" * 400, b"9" * 10_000, b"-" + b"7" * 10_000],
    *[b'"600"', b'"NaN"', b"true", b"null", b"[]", b"[600]", b"{}"],
]
INVALID_BODIES = {
    "utf-16": VALID.decode().encode("utf-16"),
    "utf-16 without a mark": VALID.decode().encode("utf-16-le"),
    "utf-32": VALID.decode().encode("utf-32"),
    "ebcdic": VALID.decode().encode("cp500"),
    "latin-1": VALID.replace(b"Quokka", b"Qu\xf6kka"),
    "overlong": VALID.replace(b"Quokka", b"Q\xc1\xb5okka"),
    "half a pair": VALID.replace(b"Quokka", rb"Q\ud800okka"),
    "two marks": b"\xef\xbb\xbf" * 2 + VALID,
    "html": b"<!doctype html><title>Down for maintenance</title>",
    "xml": b"<?xml version='1.0'?><data/>",
    "gzip": gzip.compress(VALID),
    "spaces": b" \r\n" * 99,
    "null": b"null",
    "text": b'"data"',
    "twice": VALID + VALID,
    "lines": VALID + b"\n" + VALID,
    "comma": VALID + b",",
    "comment": b"/* */" + VALID,
    "guard": b")]}',\n" + VALID,
    "single quotes": VALID.replace(b'"', b"'"),
    "open arrays": b"[" * 100_000,
    "open objects": b'{"a":' * 100_000,
    "deep in what is skipped": b'{"data":null,"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep in the data": VALID[:-2] + b',"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
}
BROKEN = {
    **{
        f"date {number}": (VALID.replace(b'"2024-01-31"', json.dumps(text).encode()), "$.data.house[0].date")
        for number, text in enumerate(INVALID_DATES)
    },
    **{f"value {text[:9]!r}": (VALID.replace(b"500.0", text), "$") for text in INVALID_JSON_NUMBERS},
    **{
        f"value {number}": (VALID.replace(b"500.0", text), "$.data.house[0].value")
        for number, text in enumerate(INVALID_VALUES)
    },
    **{kind: (text, "$") for kind, text in INVALID_BODIES.items()},
    "deep where a series should be": (VALID.replace(b"null", b"[" * 100_000), "$.data.unit[0]"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_is_paid_for_once_and_kept_as_it_came(live, service, kind):
    """A broken response is billed once and stored byte for byte. Reading it again raises the same error at no cost."""
    response, path = BROKEN[kind]
    service.answer(NAME, "rent", body=response)
    for cents in (30, 0):
        with pytest.raises(sp.errors.ContractViolation, match="refresh=True") as caught:
            sp.rent(NAME)
        assert (caught.value.path, caught.value.cents) == (path, cents)
        assert len(str(caught.value)) < 1000
    assert not shows(LIVE_KEY, said_by(caught.value))
    assert sp.ledger()[["outcome", "cents"]].to_numpy().tolist() == [["billed", 30]]
    assert sp.vintages(NAME)["sha256"].tolist() == [hashlib.sha256(response).hexdigest()]
    assert len(service.requests) == 1


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "no-such-charset", '"; x="', "utf-8; charset=utf-16"])
def test_json_is_utf_8_whatever_its_header_says(live, service, charset):
    """A response is read as UTF-8 whatever charset its header names, because RFC 8259 defines no charset for JSON."""
    service.answer(NAME, "rent", body=VALID, headers={"Content-Type": f"text/html; charset={charset}"})
    assert sp.rent(NAME)["house"].tolist() == [500.0]


HOUSE, OTHER = '[{"date": "2024-01-31", "value": 500}]', '[{"date": "2025-01-31", "value": 600}]'
SUBJECT = f'"area_name": "{NAME}", "area_level": "suburb"'
REPEATED_KEYS = {
    "data, then null": f'{{"data": {{{SUBJECT}, "house": {HOUSE}}}, "data": null}}',
    "null, then data": f'{{"data": null, "data": {{{SUBJECT}, "house": {HOUSE}}}}}',
    "data": f'{{"data": {{{SUBJECT}, "house": {HOUSE}}}, "data": {{{SUBJECT}, "house": {OTHER}, "unit": {HOUSE}}}}}',
    "parts": f'{{"data": {{{SUBJECT}, "house": {HOUSE}}}, "data": {{{SUBJECT}, "unit": {HOUSE}}}}}',
    "house": f'{{"data": {{{SUBJECT}, "house": {HOUSE}, "house": {OTHER}}}}}',
    "house, then null": f'{{"data": {{{SUBJECT}, "house": {HOUSE}, "house": null, "unit": {OTHER}}}}}',
    "house, then none": f'{{"data": {{{SUBJECT}, "house": {HOUSE}, "house": [], "unit": {OTHER}}}}}',
    "value": f'{{"data": {{{SUBJECT}, "house": [{{"date": "2024-01-31", "value": 1, "value": 2, "value": 3}}]}}}}',
    "date": f'{{"data": {{{SUBJECT}, "house": [{{"date": "nought", "value": 1, "date": "2024-02-29"}}]}}}}',
    "date in escapes": f'{{"data": {{{SUBJECT}, "house": [{{"date": "x", "value": 1, "d\\u0061te": "2024-02-29"}}]}}}}',
    "name": f'{{"data": {{"area_name": "Elsewhere", {SUBJECT}, "house": {HOUSE}}}}}',
    "what is not known": f'{{"a": 1, "a": [], "data": {{{SUBJECT}, "b": 1, "b": {{}}, "house": {HOUSE}}}}}',
}


@pytest.mark.parametrize("kind", REPEATED_KEYS)
def test_of_a_key_that_comes_twice_the_last_one_counts(live, service, kind):
    """Of a repeated key the last value counts, as in Python's `json` module, and nothing of earlier values remains."""
    service.answer(NAME, "rent", body=REPEATED_KEYS[kind].encode())
    expected = json.loads(REPEATED_KEYS[kind])["data"]
    if expected is None:
        with pytest.raises(sp.errors.NoData):
            sp.rent(NAME)
        return
    for frame in (sp.rent(NAME), sp.rent(NAME)):
        for series in ("house", "unit"):
            found = {str(day.date()): value for day, value in frame[series].dropna().items()}
            assert found == {point["date"]: point["value"] for point in expected.get(series) or []}
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("response", "path"),
    [
        (f'{{"data": 5, "data": {{{SUBJECT}, "house": {HOUSE}}}}}', "$.data"),
        (f'{{"data": {{{SUBJECT}, "house": 5, "house": {HOUSE}}}}}', "$.data.house"),
        (f'{{"data": {{{SUBJECT}, "house": {HOUSE}, "area_name": "Elsewhere"}}}}', "$.data.area_name"),
        (
            f'{{"data": {{{SUBJECT}, "house": [{{"date": "2024-01-31", "value": "", "value": 1}}]}}}}',
            "$.data.house[0].value",
        ),
        (f'{{"data": {{{SUBJECT}, "area_level": "sa2", "house": {HOUSE}}}}}', "$.data.area_level"),
    ],
)
def test_each_of_a_key_that_comes_twice_is_of_the_right_kind(live, service, response, path):
    """A value that a repeated key overrides is checked too: if it breaks the contract, the response is refused."""
    service.answer(NAME, "rent", body=response.encode())
    for _ in range(2):
        with pytest.raises(sp.errors.ContractViolation) as caught:
            sp.rent(NAME)
        assert caught.value.path == path
    assert len(service.requests) == 1
