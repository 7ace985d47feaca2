"""Laws of the encoding of bodies: decoding returns the same bytes, and damage is an error."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.store.deltas import decode, encode
from tests.support.laws import law

fragments = st.sampled_from([b"{", b"}", b"}}", b',{"date":"2026-01-04"', b'"value":5', b"\0", b"\xff"])
texts = st.lists(fragments).map(b"".join)
bodies = st.one_of(st.binary(max_size=60), texts)


@law(200, body=bodies, base=bodies)
def test_a_body_is_decoded_to_the_same_bytes(body, base):
    """Any body can be encoded with any base, and the same base gives the body again."""
    assert decode(encode(body, base), base) == body


@given(body=texts, position=st.integers(0), bit=st.integers(0, 7))
def test_damage_is_an_error_or_changes_nothing(body, position, bit):
    """A changed bit is a ValueError. Few bits of the header of zlib mean nothing."""
    encoded = bytearray(encode(body))
    encoded[position % len(encoded)] ^= 1 << bit
    with suppress(ValueError):
        assert decode(bytes(encoded)) == body


def test_a_point_more_takes_little():
    """The encoding of a body with one more point takes a few dozen bytes. A body of braces alone still works."""
    points = [f'{{"date":"{1700 + number}-01-31","value":{500 + number}}}' for number in range(300)]
    base, body = (f'{{"house":[{",".join(points[:n])}]}}'.encode() for n in (299, 300))
    assert len(encode(body, base)) < len(encode(body)) / 10
    enormous = b"}" * 2_000_000
    assert decode(encode(enormous, b"}"), b"}") == enormous


@pytest.mark.parametrize("encoded", [b"", b"nonsense", encode(b"{}")[:-1]])
def test_what_is_no_encoding_is_an_error(encoded):
    """Bytes that are no encoding, or only the beginning of one, are a ValueError."""
    with pytest.raises(ValueError, match=r"\S"):
        decode(encoded)
