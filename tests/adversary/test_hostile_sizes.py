"""Responses that are far too large, or as large as allowed: their memory, and the frame or error that they become."""

import hashlib
import tracemalloc
import zlib

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import BODY_LIMIT
from tests.support.raw_server import CHUNKED, KEY, OK, endless, only_call, said_by, shows, whole
from tests.support.recorded import body_of

BAY, COVE = "Quokka Bay", "Quokka Cove"
GIGABYTE = 2**30
PIECE = b"0" * 2**16


def bomb():
    """Compress a gigabyte of zeros, of which only two parts are compressed and the second is repeated."""
    packer, part = zlib.compressobj(wbits=31), bytes(2**24)
    first, next_ = (packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + next_ * (GIGABYTE // len(part) - 1)


LENGTH = b"Content-Length: %d\r\n\r\n" % GIGABYTE

HUGE = {
    "length": lambda: endless(PIECE, OK + LENGTH),
    "chunks": lambda: endless(b"10000\r\n" + PIECE + b"\r\n", CHUNKED),
    "gzip": lambda: whole(bomb(), "Content-Encoding: gzip"),
}


@pytest.mark.parametrize("kind", HUGE)
def test_a_gigabyte_is_refused_and_takes_no_gigabyte(kind, serve, client_of):
    """A response of a gigabyte, framed or compressed in any way, is refused after one call and within 100 MiB."""
    server = serve(HUGE[kind]())
    client = client_of(server.url)
    tracemalloc.start()
    with pytest.raises(sp.errors.Unreachable, match="larger than 16 MiB") as caught:
        sp.rent(BAY, client=client)
    assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    tracemalloc.stop()
    assert only_call(client) == ("unknown", 30)
    assert (caught.value.cents, len(server.received)) == (30, 1)
    assert not shows(KEY, said_by(caught.value))


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
        lambda: body_of(BAY, int("7" * 4000)).replace(b"7" * 4000, b"7" * (BODY_LIMIT - 200)),
    ],
)
def test_what_is_large_and_broken_is_a_short_error(bought, body):
    """A malformed body of the largest size raises a short error without the key."""
    with pytest.raises(sp.errors.ContractViolation) as caught:
        bought(body())
    assert len(str(caught.value)) < 1000
    assert not shows(KEY, said_by(caught.value))
