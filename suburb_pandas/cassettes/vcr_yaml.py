"""Encodes and decodes the format of a cassette: vcrpy's YAML, with a mapping of our own for each call.

The mapping, ``suburb_pandas``, holds the source, time, cents and SHA-256 of a response. A key of the same name at the
top of the file, which vcrpy ignores, holds the names in loaded lists that the texts of a study can mean. They are
sorted by base, and a base without names is written too, so that a replay knows that there are none. Cassettes are read
as untrusted input, and written so that calls can be added at the end. Reading and writing the file is left to file.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from contextlib import suppress
from datetime import datetime
from http.client import responses as phrases
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import yaml

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import LIST, ListedNames, NameList, Place
from suburb_pandas.service import ENDPOINTS, item_of, path_of, statuses
from suburb_pandas.service.calls import (
    BODY_LIMIT,
    MADE_UP_HEADER,
    MADE_UP_URL,
    REDACTED,
    Item,
    RecordedInteraction,
    Response,
)
from suburb_pandas.service.envelope import uncompressed
from suburb_pandas.settings import EMBEDDED_KEY, SANDBOX_KEY, Source

try:
    from yaml import CSafeDumper as _BaseDumper
    from yaml import CSafeLoader as _BaseLoader
except ImportError:  # PyYAML was built without libyaml, and takes forty times as long
    from yaml import SafeDumper as _BaseDumper  # type: ignore[assignment]
    from yaml import SafeLoader as _BaseLoader  # type: ignore[assignment]

LARGEST: Final = 2**29
"""The largest size of a cassette, and of its bodies without compression, in bytes."""

BEGINNING: Final = b"version: 1\ninteractions:\n"
"""The beginning of a cassette that calls can be added to."""

ENTRY: Final = b"- suburb_pandas:\n"
"""The first line of each call that this package adds."""

LAST_LINE: Final = b"      string: "
"""The beginning of the last line of each such call. If the last line is whole, so is the call."""

_DEEPEST: Final = 12  # levels of nesting
_BINARY: Final = "tag:yaml.org,2002:binary"
_TEXT: Final = "tag:yaml.org,2002:str"
_NULL: Final = "tag:yaml.org,2002:null"
_INTERACTIONS: Final = re.compile(rb"^interactions:[ \t]*\r?\n(?=- |\Z)", re.MULTILINE)
_TOP_LEVEL_KEY: Final = re.compile(rb"^[^\s#-]", re.MULTILINE)
_LAST_VERSION: Final = re.compile(rb"(?<=\n)version: 1\s*\Z")  # vcrpy writes it at the end
_BEARER: Final = re.compile(r"\bbearer\s+([^\s'\"\]]+)", re.IGNORECASE)
_LONG_AGO: Final = "1970-01-01T00:00:00+00:00"  # the age of a response of unknown time counts from here
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # such a character could command a terminal
_GZIP: Final = b"\x1f\x8b"  # the first bytes of gzip
_NAMES_AND_CALLS: Final = re.compile(rb"(?:^suburb_pandas:[^\n]*\n(?:[ \t][^\n]*\n|\n)*)?^interactions:", re.MULTILINE)


class Contents(NamedTuple):
    """The contents of a cassette: the calls of this service in the order of the text, and the names of loaded lists.

    ``requests_with_key`` counts the requests, of any service, that vcrpy recorded with a secret API key.
    """

    calls: list[RecordedInteraction]
    names: ListedNames | None = None
    requests_with_key: int = 0


class _Request(msgspec.Struct):
    method: str
    uri: str
    headers: Any = None

    @property
    def holds_key(self) -> bool:
        """True if it holds an API key that is secret. vcrpy records all headers, unless it is told otherwise."""
        return bool({*_BEARER.findall(str(self.headers))} - {SANDBOX_KEY, EMBEDDED_KEY})


class _Status(msgspec.Struct):
    code: int


class _Body(msgspec.Struct):
    string: Any


class _Answer(msgspec.Struct):
    status: _Status
    body: _Body | None
    headers: dict[str, list[str]] | None = None


class _Origin(msgspec.Struct):
    source: Source
    retrieved_at: Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(\+00:00|Z))?\Z")]
    cents: Annotated[int, msgspec.Meta(ge=0, le=999_999_999)]
    sha256: str


class _Interaction(msgspec.Struct):
    request: _Request
    response: _Answer
    suburb_pandas: _Origin | None = None


_Fields: TypeAlias = dict[str, str | list[str] | None]


class _Names(msgspec.Struct):
    """The names of loaded lists, by base. In older cassettes, a place can have its state in place of its fields."""

    source: Literal["sandbox", "live"]
    lists: tuple[NameList, ...]
    names: dict[str, dict[str, _Fields | str | None]]


class _Cassette(msgspec.Struct):
    interactions: list[_Interaction] | None
    version: Literal[1] = 1
    suburb_pandas: _Names | None = None


def read(text: bytes) -> Contents:
    """Decode a cassette.

    Raises
    ------
    ValueError
        The text is not a cassette, or may be hostile. The message gives the reason, as part of a sentence.
    """
    try:
        _check(text)
        loaded = yaml.load(text, Loader=_Loader)  # noqa: S506 - it is a safe one
        cassette = msgspec.convert(loaded, _Cassette, strict=False)  # texts become numbers
        interactions = cassette.interactions or []
        return Contents(
            _calls(interactions),
            _listed(cassette.suburb_pandas) if cassette.suburb_pandas else None,
            sum(interaction.request.holds_key for interaction in interactions),
        )
    except yaml.YAMLError as problem:
        raise ValueError(f"it is not readable YAML: {' '.join(str(problem).split())}") from None
    except msgspec.MsgspecError as problem:  # no ValueError before msgspec 0.22
        raise ValueError(str(problem)) from None
    except TypeError:  # such as a list for a key
        raise ValueError("it is not laid out as a cassette") from None


def _check(text: bytes) -> None:
    """Raise `ValueError` for hostile YAML before it is loaded.

    Aliases can make a short text fill the memory, tags can run code, and deep nesting overruns the stack of libyaml.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError("it nests too deeply")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) not in {None, "!", _TEXT, _BINARY}:
            raise ValueError("it has YAML aliases or tags, which this package does not read")


class _Loader(_BaseLoader):
    """Loads a plain scalar as a text or as null. PyYAML's own rules take minutes for a long number in base 60."""


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])


def _calls(interactions: list[_Interaction]) -> list[RecordedInteraction]:
    calls, room = [], LARGEST
    for interaction in interactions:
        request = interaction.request
        item = item_of(request.uri) if request.method == "GET" else None  # None for a request of another service
        if item is not None:
            response = _response(item, interaction)
            room -= len(response.content)
            if room < 0:
                raise ValueError(f"its bodies take more than {LARGEST // 2**20} MiB")
            calls.append(RecordedInteraction(item, response))
    return calls


def _response(item: Item, interaction: _Interaction) -> Response:
    answer, origin = interaction.response, interaction.suburb_pandas
    all_headers = {name.lower(): ", ".join(values) for name, values in (answer.headers or {}).items()}
    headers = {name: all_headers[name] for name in (*statuses.KEPT_HEADERS, REDACTED) if name in all_headers}
    body = _body(answer.body.string if answer.body else None, all_headers.get("content-encoding", ""))
    if origin is None:
        _, cents = statuses.settle(item.endpoint, answer.status.code, headers, ENDPOINTS[item.endpoint].cents)
        source: Source = "embedded" if MADE_UP_HEADER in headers else "live"
        origin = _Origin(source, statuses.date(headers) or "", cents, hashlib.sha256(body).hexdigest())
    retrieved_at = origin.retrieved_at.replace("Z", "+00:00")
    at = retrieved_at or _LONG_AGO
    datetime.fromisoformat(at)  # raises ValueError if there is no such day or time
    more = {"url": interaction.request.uri, "status": answer.status.code, "at": at}
    response = Response.of(body, headers, retrieved_at, origin.cents, origin.source, **more)
    if response.sha256 != origin.sha256:
        raise ValueError(f"its response for {item.area_name!r} was changed after it was recorded, as the digest shows")
    return response


def _body(string: Any, encoding: str) -> bytes:
    """Return the bytes of a body. YAML has it as text, bytes or null, and other clients may have left it compressed."""
    body = string.encode() if isinstance(string, str) else string or b""
    if not isinstance(body, bytes):
        raise ValueError("a body in it is neither text nor bytes")  # noqa: TRY004 - as for any other wrong cassette
    if "gzip" in encoding.lower() and not body.startswith(_GZIP):  # vcrpy may have decompressed it and left the header
        return body
    try:
        return uncompressed(body, encoding, BODY_LIMIT)
    except ValueError:
        raise ValueError(
            f"a compressed body in it is damaged, larger than {BODY_LIMIT // 2**20} MiB, or not of gzip or deflate"
        ) from None


def _listed(found: _Names) -> ListedNames:
    for one in found.lists:
        datetime.fromisoformat(one.loaded_at)  # raises ValueError if it is not a time
        if _CONTROL.search(f"{one.file}{one.edition}"):
            raise ValueError("the name of a list in it has a control character")
    edition = found.lists[-1].edition if found.lists else None
    by_base = {
        base: [_place(name, fields, edition) for name, fields in places.items()] for base, places in found.names.items()
    }
    return ListedNames(found.source, found.lists, by_base)


def _place(name: str, fields: _Fields | str | None, edition: str | None) -> Place:
    known = fields if isinstance(fields, dict) else {"state": fields, "edition": edition}
    place = msgspec.convert([*Place(name, origin=LIST, **known)], Place, strict=False)
    has_control = any(_CONTROL.search(str(value)) for value in (*place, *place.partly))
    if has_control or not sal.is_name(name) or place.state not in {None, *sal.STATES}:
        raise ValueError("it holds a name, state or area that no suburb can have")
    return place


def entry(recorded: RecordedInteraction, base_url: str) -> bytes:
    """Encode a call as it is added at the end of a cassette."""
    item, response = recorded
    url = MADE_UP_URL if MADE_UP_HEADER in response.headers else base_url
    value = {
        "suburb_pandas": {field: getattr(response, field) for field in _Origin.__struct_fields__},
        "request": {
            "method": "GET",
            "uri": url + path_of(item),
            "headers": {},
            "body": None,
        },
        "response": {
            "status": {"code": response.status, "message": phrases.get(response.status, "")},
            "headers": {name.title(): [value] for name, value in response.headers.items()},
            "body": {"string": _text(response.content)},
        },
    }
    return _dumped([value])


def with_names(text: bytes, names: ListedNames) -> bytes:
    """Return a cassette with these names, sorted, instead of those that it holds now."""
    value = {
        "source": names.source,
        "lists": msgspec.to_builtins(names.lists),
        "names": {
            base: {place.area_name: _fields(place) for place in sorted(names.by_base[base])}
            for base in sorted(names.by_base)
        },
    }
    replaced = _dumped({"suburb_pandas": value}) + b"interactions:"
    return _NAMES_AND_CALLS.sub(lambda _: replaced, text, count=1)


def without_torn_call(text: bytes) -> bytes:
    """Return a text without the call at its end if that call is torn; nothing if no call or name is left.

    Only what begins as our own entries do is cut off: any other text may be somebody's work.
    """
    last = text.rfind(b"\n-") + 1
    call = text[last:]
    is_ours = call[: len(ENTRY)] == ENTRY[: len(call)]
    if is_ours and not (call.endswith(b"\n") and call[:-1].rpartition(b"\n")[2].startswith(LAST_LINE)):
        try:
            read(BEGINNING + call)  # an editor may have left out the last newline
        except ValueError:
            text = text[:last]
    return b"" if not text.strip() or BEGINNING.startswith(text) else text


def without_end(text: bytes) -> bytes:
    """Return a text to which calls can be added: without the version that vcrpy writes at the end.

    Raises
    ------
    ValueError
        No call can be added to a text of this layout.
    """
    text = _LAST_VERSION.sub(b"", text)
    interactions = _INTERACTIONS.search(text)
    if text and (interactions is None or _TOP_LEVEL_KEY.search(text, interactions.end())):
        raise ValueError("its layout does not allow calls to be added; record into another file")
    return text


def _fields(place: Place) -> dict[str, Any]:
    """Return the known fields of a place, other than its name and its origin."""
    fields = place._asdict().items()
    return {field: value for field, value in fields if field not in {"area_name", "origin"} and value not in {None, ()}}


def _text(body: bytes) -> str | bytes:
    """Return a body as text; as bytes if it is not UTF-8."""
    with suppress(UnicodeDecodeError):
        return body.decode()
    return body


class _Dumper(_BaseDumper):
    """Writes each body on one line, so that people can read it and tools can compare it, and nothing as an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the name is PyYAML's
        return True


_Dumper.add_representer(
    bytes, lambda dumper, data: dumper.represent_scalar(_BINARY, b64encode(data).decode(), style='"')
)
_Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar(_TEXT, text, style='"' if "\n" in text else None)
)


def _dumped(value: Any) -> bytes:
    written: bytes = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**30, encoding="utf-8"
    )
    return written
