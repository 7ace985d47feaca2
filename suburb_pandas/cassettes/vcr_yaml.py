"""Encodes and decodes the format of a cassette: vcrpy's YAML, with a mapping of our own for each call.

The mapping, ``suburb_pandas``, holds the source, time, cents and SHA-256 of a response. Cassettes are read as untrusted
input, and written so that calls can be added at the end. Reading and writing the file is left to file, the names of
loaded lists to names_yaml.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import yaml

from suburb_pandas.cassettes import names_yaml
from suburb_pandas.names.gazetteer import ListedNames
from suburb_pandas.service import ENDPOINTS, statuses
from suburb_pandas.service.calls import BODY_LIMIT, REDACTED, Item, RecordedInteraction, Response
from suburb_pandas.service.envelope import CutShortError, TooLargeError, UnknownEncodingError, uncompressed
from suburb_pandas.service.sources import MADE_UP_HEADER, MADE_UP_URL
from suburb_pandas.service.urls import item_of, path_of
from suburb_pandas.settings import EMBEDDED_KEY, SANDBOX_KEY

try:
    from yaml import CSafeDumper as _BaseDumper
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML was built without libyaml, and takes forty times as long
    from yaml import SafeDumper as _BaseDumper  # type: ignore[assignment]
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

BEGINNING: Final = b"version: 1\ninteractions:\n"
"""The beginning of a cassette that calls can be added to."""

ENTRY: Final = b"- suburb_pandas:\n"
"""The first line of each call that this package adds."""

LAST_LINE: Final = b"      string: "
"""The beginning of the last line of each such call. If the last line is whole, so is the call."""

_DEEPEST: Final = 12  # levels of nesting
_BYTES_AN_EVENT: Final = 6  # a text with fewer bytes for each YAML event is refused
_LONGEST_NUMBER: Final = 100  # characters
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9_:.]*\Z")  # also in base 60, where PyYAML takes quadratic time
_BEARER: Final = re.compile(r"\bbearer\s+([^\s'\"\]]+)", re.IGNORECASE)
_GZIP: Final = b"\x1f\x8b"  # the first bytes of gzip
_LONGEST_BODIES: Final = 2**28  # bytes that decompression may add in all
_LOADER_ERRORS: Final = (yaml.YAMLError, ValueError, ArithmeticError, TypeError, LookupError, RecursionError)
_TAGS: Final = ("tag:yaml.org,2002:binary", "tag:yaml.org,2002:str", "!", None)


class Contents(NamedTuple):
    """What a cassette holds: the calls of this service in the order of the text, and the names of loaded lists.

    ``requests_with_key`` counts the requests, of any service, that vcrpy recorded with a secret API key.
    """

    calls: list[RecordedInteraction]
    names: ListedNames | None = None
    requests_with_key: int = 0


class UnreadableError(Exception):
    """A text is not a cassette, or may be hostile. The message gives the reason, as part of a sentence."""


class _Request(msgspec.Struct):
    method: str
    uri: str
    headers: Any = None

    @property
    def holds_key(self) -> bool:
        """True if it holds an API key that is secret. vcrpy records all headers, unless it is told otherwise."""
        headers = self.headers if isinstance(self.headers, dict) else {}
        values = [value for name, value in headers.items() if str(name).lower() == "authorization"]
        keys = {key for value in values for key in _BEARER.findall(str(value))}
        return bool(keys - {SANDBOX_KEY, EMBEDDED_KEY})


class _Status(msgspec.Struct):
    code: Annotated[int, msgspec.Meta(ge=100, le=999)]
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
    cents: Annotated[int, msgspec.Meta(ge=0, le=999_999_999)]
    sha256: str


class _Interaction(msgspec.Struct):
    request: _Request
    response: _Answer
    suburb_pandas: _Origin | None = None


class _Cassette(msgspec.Struct):
    interactions: list[_Interaction] | None
    version: Literal[1] = 1
    suburb_pandas: Any = None


def read(text: bytes, *, loader: type[Any] = _Loader) -> Contents:
    """Decode a cassette.

    ``loader`` is PyYAML's loader, by default the one with libyaml if that is installed.

    Raises
    ------
    UnreadableError
        The text is not a cassette, or may be hostile.
    """
    try:
        cassette = msgspec.convert(_load(text, loader), _Cassette)
        names = names_yaml.decode(cassette.suburb_pandas)
    except msgspec.ValidationError as problem:
        raise UnreadableError(f"it is not laid out as a cassette ({problem})") from None
    except ValueError as problem:
        raise UnreadableError(str(problem)) from None
    interactions = cassette.interactions or []
    keys = sum(interaction.request.holds_key for interaction in interactions)
    return Contents(list(_calls(interactions)), names, keys)


def is_cassette(text: bytes, *, loader: type[Any] = _Loader) -> bool:
    """Return True if a text is laid out as a cassette of any service. Only the layout is read, and nothing is loaded.

    This can be True of a text that `read` refuses, because vcrpy writes references and tags for some HTTP clients.
    """
    try:
        for _ in _bounded(yaml.parse(text, Loader=loader), len(text)):
            pass
        top = _mapping(yaml.compose(text, Loader=loader))
    except (*_LOADER_ERRORS, UnreadableError):
        return False
    version, calls = top.get("version"), top.get("interactions")
    if version is not None and version.value != "1":
        return False
    if isinstance(calls, yaml.SequenceNode):
        return all(map(_is_interaction, calls.value))
    return calls is not None and calls.tag == "tag:yaml.org,2002:null"


def _is_interaction(node: yaml.Node) -> bool:
    """Return True for an interaction of vcrpy. Files of other tools, such as Pact, have a path instead of a URI."""
    call = _mapping(node)
    return "response" in call and _mapping(call.get("request")).keys() >= {"method", "uri"}


def _mapping(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys; nothing for any other node."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {key.value: value for key, value in pairs if isinstance(key, yaml.ScalarNode)}


def entry(recorded: RecordedInteraction, base_url: str) -> bytes:
    """Encode a call, in the form in which it is added at the end of a cassette."""
    item, response = recorded
    url = MADE_UP_URL if MADE_UP_HEADER in response.headers else base_url
    value = {
        "suburb_pandas": {
            "source": response.source,
            "retrieved_at": response.retrieved_at,
            "cents": response.cents,
            "sha256": response.sha256,
        },
        "request": {
            "method": "GET",
            "uri": url + path_of(item),
            "headers": {},
            "body": None,
        },
        "response": {
            "status": {"code": response.status, "message": _phrase(response.status)},
            "headers": {_titled(name): [value] for name, value in response.headers.items()},
            "body": {"string": _text(response.content)},
        },
    }
    written: str = yaml.dump([value], Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**30)
    return written.encode()


class _OneLine(str):
    """Text that YAML writes on one line, so that people can read it and tools can compare it."""

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
    """Return a body as text; as bytes if it is not UTF-8."""
    with suppress(UnicodeDecodeError):
        return _OneLine(body.decode())
    return body


def _titled(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _phrase(status: int) -> str:
    with suppress(ValueError):
        return HTTPStatus(status).phrase
    return ""


def _load(text: bytes, loader: type[Any]) -> Any:
    """Load YAML that may be hostile: it runs no code, and deep nesting and references are refused."""
    try:
        _check(_bounded(yaml.parse(text, Loader=loader), len(text)))
        return yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are safe ones
    except yaml.MarkedYAMLError as problem:
        line = f" in line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise UnreadableError(f"it is not readable YAML: {problem.problem}{line}") from None
    except _LOADER_ERRORS as problem:
        raise UnreadableError(f"it is not readable YAML ({type(problem).__name__})") from None


def _bounded(events: Iterator[yaml.Event], size: int) -> Iterator[yaml.Event]:
    """Yield the events of a text; raise `UnreadableError` if they nest deeply or are too many for its size in bytes.

    Deep nesting overruns the stack of libyaml.
    """
    depth, most = 0, 1000 + size // _BYTES_AN_EVENT
    for number, event in enumerate(events):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise UnreadableError("it nests too deeply")
        if number > most:
            raise UnreadableError("it has too many small parts")
        yield event


def _check(events: Iterator[yaml.Event]) -> None:
    """Raise `UnreadableError` for hostile YAML before it is loaded. Aliases can make a short text fill the memory."""
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableError("it has YAML aliases, which this package does not read")
        if isinstance(event, yaml.ScalarEvent):
            event.value.encode()  # a lone surrogate, which PyYAML's own loader accepts, is a ValueError
            if event.implicit[0] and _is_long_number(event.value):
                raise UnreadableError("it has a number with too many digits")
        tag = getattr(event, "tag", None)
        if tag not in _TAGS:
            raise UnreadableError(f"it has the tag {str(tag)[:60]!r}, which this package does not read")


def _is_long_number(text: str) -> bool:
    return len(text) > _LONGEST_NUMBER and _NUMBER.match(text) is not None


def _calls(interactions: list[_Interaction]) -> Iterator[RecordedInteraction]:
    room = _LONGEST_BODIES
    for interaction in interactions:
        item = _item(interaction.request)
        if item is not None:
            body = _bytes(interaction.response.body)
            response = _response(item, interaction, body)
            room -= max(0, len(response.content) - len(body))
            if room < 0:
                raise UnreadableError(f"its compressed bodies take more than {_LONGEST_BODIES // 2**20} MiB")
            yield RecordedInteraction(item, response)


def _item(request: _Request) -> Item | None:
    """Return the item that a request asks this service for; None if it is not a request of this service."""
    return item_of(request.uri) if request.method == "GET" else None


def _response(item: Item, interaction: _Interaction, body: bytes) -> Response:
    answer, origin = interaction.response, interaction.suburb_pandas
    all_headers = {name.lower(): _first(value) for name, value in (answer.headers or {}).items()}
    headers = {name: all_headers[name] for name in statuses.KEPT_HEADERS if name in all_headers}
    body = _uncompressed(body, all_headers.get("content-encoding", ""))
    if origin is None:
        _, cents = statuses.settle(item.endpoint, answer.status.code, headers, ENDPOINTS[item.endpoint].cents)
        source = "embedded" if MADE_UP_HEADER in headers else "live"
        at, url = statuses.date(headers) or "", interaction.request.uri
        return Response.of(body, headers, at, cents, source, url=url, status=answer.status.code)
    if REDACTED in all_headers:
        headers[REDACTED] = all_headers[REDACTED]
    facts = (_time(origin.retrieved_at), origin.cents, origin.source)
    response = Response.of(body, headers, *facts, url=interaction.request.uri, status=answer.status.code)
    if response.sha256 != origin.sha256:
        raise UnreadableError(
            f"its response for {item.area_name!r} was changed after it was recorded, as the digest shows"
        )
    return response


def _first(value: list[str] | str) -> str:
    return value if isinstance(value, str) else next(iter(value), "")


def _bytes(body: _Body | None) -> bytes:
    """Return the bytes of a body, which YAML has as text, as bytes or as null."""
    match body:
        case None | _Body(string=None):
            return b""
        case _Body(string=str(text)):
            return text.encode()
        case _Body(string=bytes(found)):
            return found
    raise UnreadableError("a body in it is neither text nor bytes")


def _uncompressed(body: bytes, encoding: str) -> bytes:
    """Decompress a body if it is compressed, as another client may have recorded it. Ours are not."""
    if "gzip" in encoding.lower() and not body.startswith(_GZIP):  # vcrpy may have decompressed it and left the header
        return body
    try:
        return uncompressed(body, encoding, BODY_LIMIT)
    except UnknownEncodingError as problem:
        raise UnreadableError(
            f"a body in it has a compression that this package does not read ({str(problem)[:20]!r})"
        ) from None
    except (CutShortError, TooLargeError):
        raise UnreadableError(
            f"a compressed body in it is damaged, cut short, or larger than {BODY_LIMIT // 2**20} MiB"
        ) from None


def _time(text: str) -> str:
    """Return a time in the form in which this package writes times, so that they can be compared as text.

    The package writes times with six decimal places or none. Both stay as they are. An empty text is an unknown time.
    """
    if not text:
        return text
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() == timedelta():
            return text if text == moment.isoformat(timespec="microseconds") else moment.isoformat()
    raise UnreadableError(f"it has a time that is invalid, or not in UTC ({text[:40]!r})")
