"""Tests of requests for what a hostile cassette holds: only the package's own errors are raised."""

import warnings
from contextlib import suppress
from datetime import UTC
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.recorded import call, elsewhere, vcrpy_file, written

FORMS = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%G-W%V-%uT%H", "%G-W%V-%u", "%Y%m%dT%H%M%S", "%Y-%jT%H:%M:%S.%f"]
ZONES = ["", "Z", "+00:00", "-00:00", "+00:00:00", "+00:00:00.000000", "+10:00", "+00:00:01", " GMT"]
DAYS = st.datetimes(timezones=st.just(UTC))
TIMES = st.one_of(
    st.builds(lambda day, form, zone: day.strftime(form) + zone, DAYS, st.sampled_from(FORMS), st.sampled_from(ZONES)),
    st.builds(lambda day, mark: day.isoformat(mark), DAYS, st.characters(codec="utf-8")),
    st.text(max_size=20),
)
DATES = st.one_of(
    st.builds(format_datetime, DAYS),
    st.builds(
        lambda year, zone: f"Tue, 28 Apr {year} 04:52:36 {zone}", st.integers(), st.sampled_from(["GMT", "-2359"])
    ),
    st.text(max_size=20),
)
NUMBERS = st.one_of(st.integers(), st.integers(0, 10**9), st.just(10**30))
REQUEST_IDS = st.text(max_size=9)
OWN = st.one_of(
    TIMES.map(lambda at: written(call(at=at))),
    NUMBERS.map(lambda cents: written(call()).replace(b"cents: 30", b"cents: %d" % cents)),
    NUMBERS.map(lambda status: written(call(status=status))),
    REQUEST_IDS.map(lambda request_id: written(call(headers={"x-request-id": request_id}))),
)
FROM_ELSEWHERE = st.one_of(
    st.one_of(
        DATES.map(lambda date: {"Date": [date]}),
        NUMBERS.map(lambda cost: {"X-Cost-Cents": [str(cost)]}),
        REQUEST_IDS.map(lambda request_id: {"X-Request-Id": [request_id]}),
    ).map(lambda headers: vcrpy_file(elsewhere(headers=headers))),
    NUMBERS.map(lambda status: vcrpy_file(elsewhere(status=status))),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the path of the hostile cassette."""
    return tmp_path_factory.mktemp("hostile") / "hostile.yaml"


@settings(max_examples=40)
@given(text=st.one_of(OWN, FROM_ELSEWHERE))
def test_hostile_values_raise_only_the_packages_errors(text, path):
    """Whatever times, costs and statuses a cassette holds, opening it and asking for its data raises no other error."""
    path.write_bytes(text)
    with sp.connect(api_key="embedded"), warnings.catch_warnings(), suppress(sp.errors.CassetteError):
        warnings.simplefilter("ignore", sp.SuburbWarning)
        with sp.cassette(path, "none"):
            ask()


def ask():
    """Ask for everything that depends on the times, costs and statuses of a cassette."""
    frames = []
    requests = [
        lambda: frames.append(sp.rent("Quokka Bay")),
        lambda: frames.append(sp.rent(["Quokka Bay"])),
        lambda: sp.rent("Quokka Bay", retrieved_by="2026-06-30"),
        lambda: sp.vintages("Quokka Bay"),
        lambda: sp.scorecard(["Quokka Bay"]),
        lambda: [sp.provenance(frame) for frame in frames],
        lambda: [sp.cite(frame) for frame in frames],
    ]
    for request in requests:
        with suppress(sp.SuburbError):
            request()
