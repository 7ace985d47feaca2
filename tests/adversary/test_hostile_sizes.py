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

BAY = "Quokka Bay"
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


def test_an_answer_may_have_every_byte_of_the_limit_and_not_one_more(serve, client_of):
    """A body of exactly 16 MiB is accepted and stored, white space included, and one byte more is refused."""
    body = body_of(BAY)
    body += b" " * (BODY_LIMIT - len(body))
    server = serve(whole(body))
    client = client_of(server.url)
    pd.testing.assert_frame_equal(*[sp.rent(BAY, client=client) for _ in range(2)])
    assert len(server.received) == 1
    assert sp.vintages(BAY, client=client)["sha256"].tolist() == [hashlib.sha256(body).hexdigest()]
    with pytest.raises(sp.errors.Unreachable, match="larger than 16 MiB"):
        sp.rent(BAY, client=client_of(serve(whole(body + b" ")).url))
