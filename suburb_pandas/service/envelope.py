"""Reads the bodies of responses: decompresses them, and decodes their envelope, ``{data, reason, message}``.

The error for a body that breaks the specification names the path of the fault. The payload inside ``data`` is left to
the module of each endpoint.
"""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import Annotated, Final, Generic, TypeVar

import msgspec

from suburb_pandas.errors import ContractViolation

_SHOWN: Final = 200  # the most characters of a response that a message quotes
_EITHER_HEADER: Final = 47  # zlib's window size for a body with the header of gzip or of zlib

# The specification's integers may be written 64 or 64.0. Beyond 2**53 a float cannot hold every whole number.
Whole = Annotated[float, msgspec.Meta(multiple_of=1, ge=-(2**53), le=2**53)]

Payload = TypeVar("Payload")


UNDECODABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The errors that msgspec raises for a text that cannot be decoded."""


class UnknownEncodingError(ValueError):
    """The encoding of the body is not known here."""


class CutShortError(ValueError):
    """The compressed body is damaged, or breaks off."""


class TooLargeError(ValueError):
    """The decompressed body would be larger than the size limit."""


class Missing(msgspec.Struct, frozen=True):
    """The result of decoding a response without data: the service's own reason and message. It is not an error."""

    reason: str | None
    message: str | None


class Envelope(msgspec.Struct, Generic[Payload]):
    """The outermost object of every response. ``data`` is None in a response without data."""

    data: Payload | None
    reason: str | None = None
    message: str | None = None


def uncompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress a body by its ``Content-Encoding``, to at most ``limit`` bytes. Without one, return it as it is.

    Raises
    ------
    UnknownEncodingError, CutShortError, TooLargeError
        The body cannot be decompressed.
    """
    kind = encoding.strip().lower()
    if kind in {"", "identity"} or not body:
        return body
    if kind not in {"gzip", "deflate"}:
        raise UnknownEncodingError(encoding)
    inflater = zlib.decompressobj(_EITHER_HEADER)
    try:
        found = inflater.decompress(body, limit + 1)
    except zlib.error:
        raise CutShortError from None
    if len(found) > limit:
        raise TooLargeError
    if not inflater.eof:
        raise CutShortError
    return found


def decoder_of(envelope: type[Envelope[Payload]]) -> Callable[[bytes, str], Payload | Missing]:
    """Return a function that decodes the body of a response about a suburb or query, and returns its payload.

    It raises `ContractViolation` if the body breaks the specification, or names another suburb in ``area_name``.
    """
    decoder = msgspec.json.Decoder(envelope)

    def decode(body: bytes, name: str) -> Payload | Missing:
        try:
            found = decoder.decode(body.removeprefix(BOM_UTF8))
        except UNDECODABLE as problem:
            raise violation(name, *_place(str(problem))) from None
        if found.data is None:
            return Missing(found.reason, found.message)
        subject = getattr(found.data, "area_name", name)
        if subject != name:
            raise violation(name, "$.data.area_name", f"it is about {subject!r}", is_about_another=True)
        return found.data

    return decode


def violation(name: str, where: str, what: str, *, is_about_another: bool = False) -> ContractViolation:
    """Return the error for a response about `name`. `where` is the JSON path of the fault, `what` describes it."""
    return ContractViolation(
        f"The response for {name!r} breaks the service's specification at {where}: {what[:_SHOWN]}.",
        path=where,
        is_about_another=is_about_another,
        status_code=200,
    )


def _place(problem: str) -> tuple[str, str]:
    """Split a message of msgspec into the JSON path and the fault. The path of a missing field ends with its name."""
    what, _, where = problem.partition(" - at ")
    field = re.fullmatch(r"Object missing required field `(.+)`", what)
    found = where.strip("`") or "$"
    return (f"{found}.{field[1]}" if field else found), what
