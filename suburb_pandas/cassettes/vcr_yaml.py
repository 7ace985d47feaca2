"""The format of a cassette: vcrpy's YAML, with a key of our own beside each request and response.

It is read without trust in whoever made it, and written so that more can be added at the end. Where the text is kept is
cassette_file's.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

import msgspec
import yaml

from suburb_pandas.names import sal
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import BODY_LIMIT, Item, RecordedInteraction, Response

try:
    from yaml import CSafeDumper as _BaseDumper
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml, which takes forty times as long
    from yaml import SafeDumper as _BaseDumper  # type: ignore[assignment]
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

BEGINNING: Final = b"version: 1\ninteractions:\n"
"""How a cassette begins to which can be added."""

ENTRY: Final = b"- suburb_pandas:\n"
"""How each call begins that was added by this package."""

LAST_LINE: Final = b"      string: "
"""How the last line of each such call begins: it is whole if that is."""

_DEEPEST: Final = 12
_BYTES_A_PART: Final = 6
_LONGEST_NUMBER: Final = 100
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9_:.]*\Z")  # to base 60, PyYAML takes the square of its length
_WINDOWS: Final = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}  # zlib's, or raw as some servers have it
_LONGEST_BODIES: Final = 2**28  # by which all of them may grow
_TAGS: Final = ("tag:yaml.org,2002:binary", "tag:yaml.org,2002:str", "!", None)


class UnreadableError(Exception):
    """What is no cassette, or not one to be trusted. The message says why, in half a sentence."""


class _Request(msgspec.Struct):
    method: str
    uri: str


class _Status(msgspec.Struct):
    code: int
    message: str | None = None


class _Body(msgspec.Struct):
    string: Any


class _Answer(msgspec.Struct):
    status: _Status
    body: _Body | None
    headers: dict[str, list[str] | str] | None = None


class _Origin(msgspec.Struct):
    source: Literal["embedded", "sandbox", "live"]
    retrieved_at: str
    cents: Annotated[int, msgspec.Meta(ge=0)]
    sha256: str


class _Interaction(msgspec.Struct):
    request: _Request
    response: _Answer
    suburb_pandas: _Origin | None = None


class _Cassette(msgspec.Struct):
    interactions: list[_Interaction] | None
    version: Literal[1] = 1


def read(text: bytes) -> list[RecordedInteraction]:
    """Read the calls of this service that a cassette holds, in their order.

    Raises
    ------
    UnreadableError
        It is no cassette, or one that is not to be trusted.
    """
    try:
        cassette = msgspec.convert(_loaded(text), _Cassette)
    except msgspec.ValidationError as problem:
        raise UnreadableError(f"it is not laid out as a cassette: {problem}") from None
    return list(_calls(cassette.interactions or []))


def entry(recorded: RecordedInteraction, base_url: str) -> bytes:
    """Write a call as it is added at the end of a cassette."""
    item, status, response = recorded
    url = wire.MADE_UP_URL if wire.MADE_UP_HEADER in response.headers else base_url
    value = {
        "suburb_pandas": {
            "source": response.source,
            "retrieved_at": response.retrieved_at,
            "cents": response.cents,
            "sha256": response.sha256,
        },
        "request": {
            "method": "GET",
            "uri": url + wire.path(item.endpoint, sal.encode(item.subject), item.state),
            "headers": {},
            "body": None,
        },
        "response": {
            "status": {"code": status, "message": _phrase(status)},
            "headers": {_titled(name): [value] for name, value in response.headers.items()},
            "body": {"string": _text(response.body)},
        },
    }
    written: str = yaml.dump([value], Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**30)
    return written.encode()


class _OneLine(str):
    """Text that is written without breaks, and so to be read by people and by tools that compare lines."""

    __slots__ = ()


class _Dumper(_BaseDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the name is PyYAML's
        return True


_Dumper.add_representer(
    bytes, lambda dumper, data: dumper.represent_scalar("tag:yaml.org,2002:binary", b64encode(data).decode(), style='"')
)
_Dumper.add_representer(
    _OneLine,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", str(text), style='"' if "\n" in text else "'"
    ),
)


def _text(body: bytes) -> str | bytes:
    """Give a body as text where that is the same bytes again."""
    with suppress(UnicodeDecodeError):
        return _OneLine(body.decode())
    return body


def _titled(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _phrase(status: int) -> str:
    with suppress(ValueError):
        return HTTPStatus(status).phrase
    return ""


def _loaded(text: bytes) -> Any:
    """Load YAML that may be meant to harm: nothing in it runs, nests deeply, or multiplies."""
    try:
        _check(yaml.parse(text, Loader=_Loader), 1000 + len(text) // _BYTES_A_PART)
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as problem:
        line = f" in line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise UnreadableError(f"it is not YAML that can be read: {problem.problem}{line}") from None
    except (yaml.YAMLError, ValueError, ArithmeticError, TypeError, LookupError, RecursionError) as problem:
        raise UnreadableError(f"it is not YAML that can be read ({type(problem).__name__})") from None


def _check(events: Iterator[yaml.Event], most: int) -> None:
    """Look at YAML before it is loaded: libyaml overruns its stack where it nests, and references multiply."""
    depth = 0
    for number, event in enumerate(events):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise UnreadableError("it nests too deeply")
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableError("it refers to parts of itself, which is not read here")
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _is_long_number(event.value):
            raise UnreadableError("it has a number of too many digits")
        if number > most:
            raise UnreadableError("it is of too many small parts")
        tag = getattr(event, "tag", None)
        if tag not in _TAGS:
            raise UnreadableError(f"it has the tag {str(tag)[:60]!r}, which is not read here")


def _is_long_number(text: str) -> bool:
    return len(text) > _LONGEST_NUMBER and _NUMBER.match(text) is not None


def _calls(interactions: list[_Interaction]) -> Iterator[RecordedInteraction]:
    room = _LONGEST_BODIES
    for interaction in interactions:
        item = _item(interaction.request)
        if item is not None:
            body = _bytes(interaction.response.body)
            response = _response(item, interaction, body)
            room -= max(0, len(response.body) - len(body))
            if room < 0:
                raise UnreadableError(f"what is compressed in it takes more than {_LONGEST_BODIES // 2**20} MiB")
            yield RecordedInteraction(item, interaction.response.status.code, response)


def _item(request: _Request) -> Item | None:
    """Give what a call asks, None for one that is not of this service."""
    asked = wire.asked(request.uri) if request.method == "GET" else None
    if asked is None or not sal.is_name(asked[1]):
        return None
    endpoint, subject, state = asked
    return Item.of(endpoint, subject, state)


def _response(item: Item, interaction: _Interaction, body: bytes) -> Response:
    answer, origin = interaction.response, interaction.suburb_pandas
    every = {name.lower(): _first(value) for name, value in (answer.headers or {}).items()}
    headers = {name: every[name] for name in wire.KEPT_HEADERS if name in every}
    body = _uncompressed(body, every.get("content-encoding", ""))
    if origin is None:
        _, cents = statuses.settle(answer.status.code, headers, wire.PRICES[item.endpoint])
        source = "embedded" if wire.MADE_UP_HEADER in headers else "live"
        return Response.of(body, headers, statuses.date(headers) or "", cents, source)
    response = Response(body, headers, _time(origin.retrieved_at), origin.sha256, origin.cents, origin.source)
    if not response.is_whole:
        raise UnreadableError(f"what it holds of {item.subject!r} is not what came, as its digest shows")
    return response


def _first(value: list[str] | str) -> str:
    return value if isinstance(value, str) else next(iter(value), "")


def _bytes(body: _Body | None) -> bytes:
    """Give a body as it came."""
    match body:
        case None | _Body(string=None):
            return b""
        case _Body(string=str(text)):
            with suppress(UnicodeEncodeError):
                return text.encode()
        case _Body(string=bytes(found)):
            return found
    raise UnreadableError("a body in it is neither text nor bytes")


def _uncompressed(body: bytes, encoding: str) -> bytes:
    """Undo what a client that recorded elsewhere had allowed the service to do."""
    kind = encoding.strip().lower()
    if kind in {"", "identity"} or not body or ("gzip" in kind and not body.startswith(b"\x1f\x8b")):
        return body
    if kind not in _WINDOWS:
        raise UnreadableError(f"a body in it is compressed in a way that is not read here ({kind[:20]!r})")
    for window in _WINDOWS[kind]:
        inflater = zlib.decompressobj(window)
        with suppress(zlib.error):
            found = inflater.decompress(body, BODY_LIMIT)
            if inflater.eof:
                return found
    raise UnreadableError(f"a compressed body in it is damaged, cut short, or larger than {BODY_LIMIT // 2**20} MiB")


def _time(said: str) -> str:
    """Check a time that this package would have written: in UTC, so that times can be compared as they are."""
    with suppress(ValueError, OverflowError):
        if not said or datetime.fromisoformat(said).utcoffset() == timedelta():
            return said
    raise UnreadableError("a time in it is none, or not in UTC")
