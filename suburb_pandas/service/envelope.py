"""Decodes the envelope of a response, ``{data, reason, message}``, and reports where it breaks the specification.

The payload inside ``data`` is left to the module of each endpoint.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import Annotated, Final, Generic, TypeVar

import msgspec

from suburb_pandas.errors import ContractViolation

_SHOWN: Final = 200  # the most characters of a response that a message quotes

# The specification's integers may be written 64 or 64.0. Beyond 2**53 a float cannot hold every whole number.
Whole = Annotated[float, msgspec.Meta(multiple_of=1, ge=-(2**53), le=2**53)]

Payload = TypeVar("Payload")


UNDECODABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for a text that cannot be decoded."""


class Missing(msgspec.Struct, frozen=True):
    """The result of decoding a response without data: the service's own reason and message. It is not an error.

    ``names_suburb`` is True if the response names the suburb that it is about, although it has no data of it.
    """

    reason: str | None
    message: str | None
    names_suburb: bool = False


class Envelope(msgspec.Struct, Generic[Payload]):
    """The outermost object of every response. ``data`` is None in a response without data."""

    data: Payload | None
    reason: str | None = None
    message: str | None = None


def decode(decoder: msgspec.json.Decoder[Envelope[Payload]], body: bytes, name: str) -> Payload | Missing:
    """Decode the body of a response about `name`, and return its payload.

    Raises
    ------
    ContractViolation
        The body breaks the specification.
    """
    try:
        envelope = decoder.decode(body.removeprefix(BOM_UTF8))
    except UNDECODABLE as problem:
        raise violation(name, *_place(str(problem))) from None
    return Missing(envelope.reason, envelope.message) if envelope.data is None else envelope.data


def check_subject(area_name: str, name: str) -> None:
    """Raise `ContractViolation` if a response is about another suburb than `name`."""
    if area_name != name:
        raise violation(name, "$.data.area_name", f"it is about {shortened(area_name)}", is_about_another=True)


def violation(name: str, where: str, what: str, *, is_about_another: bool = False) -> ContractViolation:
    """Return the error for a response about `name`. `where` is the JSON path of the fault, `what` describes it."""
    return ContractViolation(
        f"The response for {name!r} breaks the service's specification at {where}: {what[:_SHOWN]}.",
        path=where,
        is_about_another=is_about_another,
        status_code=200,
    )


def shortened(text: str) -> str:
    """Return the beginning of a text from a response, in quotation marks."""
    return repr(text[:_SHOWN])


def _place(problem: str) -> tuple[str, str]:
    """Split a message of msgspec into the JSON path and the fault. The path of a missing field ends with its name."""
    what, _, where = problem.partition(" - at ")
    field = re.fullmatch(r"Object missing required field `(.+)`", what)
    found = where.strip("`") or "$"
    return (f"{found}.{field[1]}" if field else found), what
