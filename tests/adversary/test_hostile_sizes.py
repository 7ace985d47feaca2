"""Responses that are far too large, or as large as allowed: their memory, and the frame or error that they become."""

import gzip
import hashlib
import sys
import zlib

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import BODY_LIMIT
from tests.support.processes import Worker
from tests.support.raw_server import CHUNKED, KEY, OK, Server, endless, said_by, shows, whole
from tests.support.recorded import body_of

BAY, COVE = "Quokka Bay", "Quokka Cove"
GIGABYTE = 2**30
MOST_GROWTH = 100 * 2**20
PIECE = b"0" * 2**16
FIRST_DAY, LAST_DAY = "1678-01-01", "2261-12-31"  # every supported version of pandas can hold these


def bomb(wbits):
    """Compress a gigabyte of zeros, of which only two parts are compressed and the second is repeated."""
    packer, part = zlib.compressobj(wbits=wbits), bytes(2**24)
    first, next_ = (packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + next_ * (GIGABYTE // len(part) - 1)


def of_length(status="200 OK"):
    """Encode the head of a response that announces a gigabyte."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode()


HUGE = {
    "length": lambda: endless(PIECE, of_length()),
    "no length": lambda: endless(PIECE, OK + b"\r\n"),
    "chunks": lambda: endless(b"10000\r\n" + PIECE + b"\r\n", CHUNKED),
    "one chunk": lambda: endless(PIECE, CHUNKED + b"40000000\r\n"),
    "refusal": lambda: endless(PIECE, of_length("422 Refused")),
    "failure": lambda: endless(PIECE, of_length("500 Failed")),
    "gzip": lambda: whole(bomb(31), "Content-Encoding: gzip"),
    "deflate": lambda: whole(bomb(15), "Content-Encoding: deflate"),
    "raw deflate": lambda: whole(bomb(-15), "Content-Encoding: deflate"),
    "gzip twice": lambda: whole(gzip.compress(bomb(31)), "Content-Encoding: gzip, gzip"),
    "gzip of many members": lambda: whole(gzip.compress(bytes(2**24)) * 64, "Content-Encoding: gzip"),
    "gzip of a refusal": lambda: whole(bomb(31), "Content-Encoding: gzip", status="422 Refused"),
}


def a_client(url, store):
    """Make a client whose timeout is long enough for a slow machine."""
    return sp.Client(api_key=KEY, base_url=url, store=store, timeout=60)


def buy_both(small, huge, store):
    """Buy a small response and then a huge one.

    Return the error, everything it shows, the last row of the ledger, the number of calls for the huge response,
    and the growth of the process in bytes.
    """
    resource = pytest.importorskip("resource")
    with a_client(small, store) as client:
        sp.rent(BAY, client=client)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with a_client(huge, store) as client:
        try:
            sp.rent(BAY, client=client)
        except sp.SuburbError as error:
            raised, shown = error, said_by(error)
        ledger = sp.ledger(client=client).iloc[-1].to_dict()
        calls = len(sp.ledger(client=client)) - 1
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return raised, shown, ledger, calls, grown * (1 if sys.platform == "darwin" else 1024)


ALIKE = {"one chunk", "failure", "raw deflate"}
"""Kinds that take the same path through the package as another kind."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.long] * (kind in ALIKE)) for kind in HUGE])
def test_a_gigabyte_is_refused_and_takes_no_gigabyte(kind, tmp_path):
    """A response of a gigabyte, framed or compressed in any way, is refused after one call and within 100 MiB."""
    pytest.importorskip("resource")
    small, huge = Server(whole(body_of(BAY))), Server(HUGE[kind]())
    with small.listener, huge.listener:
        worker = Worker(buy_both, small.url, huge.url, tmp_path / "store")
        error, shown, row, calls, grown = worker.go().result()
    assert type(error) is sp.errors.Unreachable
    assert "larger than 16 MiB" in str(error)
    assert (row["outcome"], row["cents"], error.cents, calls) == ("unknown", 30, 30, 1)
    assert len(huge.received) == 1
    assert grown < MOST_GROWTH
    assert not shows(KEY, shown)


def points(dates, values):
    """Encode a series."""
    each = (f'{{"date":"{date}","value":{value}}}' for date, value in zip(dates, values, strict=True))
    return f"[{','.join(each)}]"


def answer(name, house, unit="null"):
    """Encode a response with two encoded series."""
    return f'{{"data":{{"area_name":"{name}","area_level":"suburb","house":{house},"unit":{unit}}}}}'.encode()


@pytest.fixture
def bought(serve, client_of):
    """Return a function that buys a response, reads it again from the store, and returns the frame."""

    def buy(body, name=BAY):
        server, digest = serve(whole(body)), hashlib.sha256(body).hexdigest()
        del body  # `said_by` writes out every local variable, and this one may be large
        client = client_of(server.url)
        frames = [sp.rent(name, client=client) for _ in range(2)]
        assert len(server.received) == 1
        pd.testing.assert_frame_equal(*frames)
        assert sp.vintages(name, client=client)["sha256"].tolist() == [digest]
        return frames[0]

    return buy


def repeated(times, last=""):
    """Encode a response with one point many times over, and perhaps another at the end."""
    point = '{"date":"2024-01-31","value":600},'
    return answer(BAY, f"[{point * times}{last or point[:-1]}]")


def test_a_million_points_are_too_many(bought):
    """A million points exceed twice the limit of 16 MiB, and are refused; no real suburb has a thousandth of them."""
    assert len(repeated(10**6)) > 2 * BODY_LIMIT
    with pytest.raises(sp.errors.Unreachable, match=r"larger than 16 MiB.*may have charged 30 cents") as caught:
        bought(repeated(10**6))
    assert not shows(KEY, said_by(caught.value))


def test_a_point_on_every_day_there_can_be_is_loaded(bought):
    """A response of 400 thousand points loads with each value at its date and in its column."""
    days = pd.date_range(FIRST_DAY, LAST_DAY, unit="s").to_numpy().astype("M8[D]")
    house = np.arange(len(days)) % 5000
    body = answer(BAY, points(days.astype(str), house), points(days[:-1].astype(str), house[1:] + 0.5))
    assert BODY_LIMIT * 0.8 < len(body) < BODY_LIMIT
    with pytest.warns(sp.errors.DataWarning, match=r"before 1900-01-01\) in 'Quokka Bay' and \d+ more"):
        frame = bought(body)
    assert (frame.index == pd.date_range(FIRST_DAY, LAST_DAY, unit=frame.index.unit)).all()
    assert (frame["house"].to_numpy() == house).all()
    assert (frame["unit"].to_numpy()[:-1] == house[1:] + 0.5).all()
    assert np.isnan(frame["unit"].iloc[-1])


def test_one_date_half_a_million_times_is_one_row(bought):
    """Of points with the same date the last one counts, and a DataWarning says so."""
    body = repeated(480_000, '{"date":"2024-01-31","value":7}')
    with pytest.warns(sp.errors.DataWarning, match="a date twice"):
        frame = bought(body)
    assert frame["house"].to_dict() == {pd.Timestamp("2024-01-31"): 7}


def test_dates_half_a_million_times_backwards_are_put_in_order(bought):
    """Points out of order are sorted, and the last point of each date counts."""
    days = np.arange("2020-01-01", "2021-01-01", dtype="M8[D]")[::-1]
    again = np.tile(days.astype(str), 1200)
    with pytest.warns(sp.errors.DataWarning, match="out of order, or a date twice"):
        frame = bought(answer(BAY, points(again, range(1, len(again) + 1))))
    assert frame.index.is_monotonic_increasing
    assert frame["house"].tolist() == list(range(len(again), len(again) - len(days), -1))


def test_the_one_bad_date_of_very_many_is_named(bought):
    """An invalid date is left out and named with its position, even if it is the last of 480,000."""
    with pytest.warns(sp.errors.DataWarning) as caught:
        assert len(bought(repeated(480_000, '{"date":"2024-02-30","value":1}'))) == 1
    assert any('house[480000]: {"date":"2024-02-30","value":1}' in str(warning.message) for warning in caught)


def test_an_answer_may_have_every_byte_of_the_limit_and_not_one_more(bought):
    """A body of exactly 16 MiB is accepted, white space included, and one byte more is refused."""
    body = body_of(BAY)
    assert len(bought(body + b" " * (BODY_LIMIT - len(body)))) == 1
    body = body_of(COVE)
    with pytest.raises(sp.errors.Unreachable, match="larger than 16 MiB"):
        bought(body + b" " * (BODY_LIMIT - len(body) + 1), COVE)


@pytest.mark.parametrize(
    "body",
    [
        lambda: b'{"data":' + b"[" * (BODY_LIMIT - 8),
        lambda: b'{"data":null,"a":' + b"[" * (BODY_LIMIT // 2 - 9) + b"]" * (BODY_LIMIT // 2 - 9) + b"}",
        lambda: answer(BAY, "[" * (BODY_LIMIT - 200)),
        lambda: answer("a" * (BODY_LIMIT - 200), "[]"),
        lambda: answer(BAY, points(["2" * (BODY_LIMIT - 200)], [1])),
        lambda: answer(BAY, points(["2024-01-31"], ["7" * (BODY_LIMIT - 200)])),
        lambda: b"<" * BODY_LIMIT,
        lambda: b"\xff" * BODY_LIMIT,
        lambda: bytes(BODY_LIMIT),
    ],
    ids=["open", "nested", "a series of them", "name", "date", "number", "markup", "no text", "zeros"],
)
def test_what_is_large_and_broken_is_a_short_error(bought, body):
    """A malformed body of the largest size raises a short error without the key."""
    with pytest.raises(sp.errors.ContractViolation) as caught:
        bought(body())
    assert len(str(caught.value)) < 1000
    assert not shows(KEY, said_by(caught.value))
