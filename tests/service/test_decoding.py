"""Tests of the decoders: which responses decode, and which field the error names for those that do not."""

import gzip
import json
import math

import pytest

import suburb_pandas as sp
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service import ENDPOINTS, calls, item_of, path_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.geocode import decode_geocode, places_of
from suburb_pandas.service.impacts import decode_impacts
from suburb_pandas.service.series import decode_series, numbers_of
from tests.support.drivers import impacts_body
from tests.support.recorded import body_of

NAME = "Quokka Bay"


def body(**changes):
    """Return the body of a valid rent response, with changes to its data. A field given as ``...`` is left out."""
    data = {"area_name": NAME, "area_level": "suburb", "house": [{"date": "2026-04-26", "value": 600.0}], **changes}
    return json.dumps({"data": {key: value for key, value in data.items() if value is not ...}}).encode()


@pytest.mark.parametrize(("series", "value"), [(None, b"600"), ([], b"600.0"), (..., b"6e2")])
def test_null_absent_and_empty_series_are_the_same(series, value):
    """A series that is null, absent or empty has no points. A rent may be written as 600, 600.0 or 6e2.

    Unknown fields in a response are ignored.
    """
    rent = decode_series(body(unit=series, colour="red").replace(b"600.0", value), NAME)
    assert numbers_of(rent) == {("house", "2026-04-26"): 600.0}


def test_an_integer_may_be_written_as_a_float():
    """A count may be written as 64 or 64.0, but a count with decimals, or too large to be exact, is refused."""
    for n_sales in (64, 64.0, 2**53):
        assert decode_impacts(impacts_body(NAME, n_sales=n_sales), NAME).n_sales == n_sales
    for n_sales in (64.5, 2**53 + 2):
        with pytest.raises(sp.errors.ContractViolation):
            decode_impacts(impacts_body(NAME, n_sales=n_sales), NAME)


def test_a_candidate_is_a_place_in_our_spelling():
    """The suffix of a name has precedence over the state. What is no suburb, or has no name, is no place."""
    where = {"poa": 800, "state": "New South Wales", "lga": "Wader", "sa2": "2", "sa3": "3", "sa4": "4"}
    named = [{"area_name": name, "information": where} for name in ("Quoll (Vic.)", "Quoll", "")]
    others = [{"area_name": "Emu", "information": None}, {"area_name": "Wader", "area_level": "sa3"}]
    found = places_of(decode_geocode(json.dumps({"data": named + others}).encode(), "quoll"))
    quoll = Place("Quoll", "NSW", "Wader", "0800", "2", "3", "4", "geocode")
    assert found == [quoll._replace(area_name="Quoll (Vic.)", state="VIC"), quoll, Place("Emu", origin="geocode")]
    assert decode_geocode(b'{"data": null}', "quoll") == ()


def test_an_answer_without_data_says_why():
    """A response with ``data: null`` decodes to `Missing`, with the service's reason and message."""
    found = decode_series(b'{"data": null, "available": false, "reason": "r", "message": "m"}', NAME)
    assert found == Missing("r", "m")
    assert ENDPOINTS["rent"].count(found) == len(ENDPOINTS["rent"].numbers_of(found)) == 0


def test_paths_are_those_of_the_specification():
    """The name of a suburb is percent-encoded in the path of an endpoint.

    A look-up has a query, and a state or nothing else. Any other is a call that the package does not make.
    """
    paths = {
        Item("rent", NAME): "/v1/suburbs/Quokka%20Bay/market/median-rent-series",
        Item("impacts", NAME): "/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts",
        Item("geocode", "quokka", "NSW"): "/v1/geocode/suburb?q=quokka&state=NSW",
    }
    for item, path in paths.items():
        assert (path_of(item), item_of(f"https://api.example.org{path}")) == (path, item)
    for query in ("", "?state=NSW", "?q=", "?q=quokka&limit=3"):
        assert item_of(f"https://api.example.org/v1/geocode/suburb{query}") is None


def test_a_time_far_in_the_future_has_no_age():
    """A clock may be wrong by less than a day."""
    assert 0 <= calls.age_seconds(calls.utc_now()) < 3600
    assert calls.age_seconds("2999-01-01T00:00:00+00:00") == math.inf


VALID = body_of(NAME)
INVALID_DATES = ["2024-02-30", "1677-12-31", "2262-01-01", "2024-2-029", "20240131", "2024-01-31T00:00", "NaT", ""]
INVALID_VALUES = [b"1e400", b"9" * 10_000, b'"600"', b"true", b"null"]
BROKEN = [
    (body(area_name="Bilby Heights"), "$.data.area_name"),
    (body(area_level="sa2"), "$.data.area_level"),
    (body(house=[{"date": "2026-04-26"}]), "$.data.house[0].value"),
    (body(house={}), "$.data.house"),
    *((VALID.replace(b'"2024-01-31"', json.dumps(text).encode()), "$.data.house[0].date") for text in INVALID_DATES),
    *((VALID.replace(b"500.0", text), "$.data.house[0].value") for text in INVALID_VALUES),
    *((VALID.replace(b"500.0", text), "$") for text in (b"NaN", b"-Infinity", b"01")),
    (VALID.replace(b"null", b"[" * 100_000), "$.data.unit[0]"),
    (b"{}", "$.data"),
    *((text, "$") for text in (b"", b"[]", b"null", b"<!doctype html>", b"[" * 100_000, VALID[:-9], VALID + VALID)),
    *((VALID.decode().encode(name), "$") for name in ("utf-16", "cp500")),
    *((VALID.replace(b"Quokka", text), "$") for text in (b"Qu\xf6kka", rb"Q\ud800okka")),
    (b"\xef\xbb\xbf" * 2 + VALID, "$"),
    (gzip.compress(VALID), "$"),
    (b'{"data":null,"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "$"),
]
"""Responses that break the specification, and the JSON path that the error names."""


@pytest.mark.parametrize(("response", "path"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_response_names_the_path_of_the_break(response, path):
    """The error names the field that breaks the contract, in a message of bounded length."""
    with pytest.raises(sp.errors.ContractViolation, match="breaks the service's specification at") as caught:
        decode_series(response, NAME)
    assert caught.value.path == path
    assert len(str(caught.value)) < 1000


def test_json_is_utf_8_whatever_its_header_says(live, service):
    """A response is read as UTF-8 whatever charset its header names, because RFC 8259 defines no charset for JSON."""
    body = b"\xef\xbb\xbf" + VALID  # a mark of UTF-8 is left out
    service.answer(NAME, "rent", body=body, headers={"Content-Type": "text/html; charset=utf-16"})
    assert sp.rent(NAME)["house"].tolist() == [500.0]
