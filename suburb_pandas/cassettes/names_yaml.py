"""Encodes and decodes the names on a cassette: a key of its own at the top of the file, which vcrpy ignores.

The key, ``suburb_pandas``, holds the names in loaded lists that each text of a study can mean; a text may mean none.
It never holds a whole list. The rest of a cassette is left to vcr_yaml.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

import msgspec
import yaml

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import ListedNames, NameList, Place

try:
    from yaml import CSafeDumper as _Dumper
except ImportError:
    from yaml import SafeDumper as _Dumper  # type: ignore[assignment]

KEY: Final = "suburb_pandas"
"""The key of the names. The mapping of each call has the same name, one level below."""

_INTERACTIONS: Final = re.compile(rb"^interactions:", re.MULTILINE)
_BLOCK: Final = re.compile(rb"^suburb_pandas:[^\n]*\n(?:[ \t][^\n]*\n|\n)*", re.MULTILINE)
_LONGEST: Final = 200  # letters of the name of a file or an edition

_Text = Annotated[str, msgspec.Meta(max_length=_LONGEST, pattern=r"^[^\x00-\x1f\x7f-\x9f]*\Z")]


class _List(msgspec.Struct):
    file: _Text
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    edition: _Text | None
    complete: bool
    names: Annotated[int, msgspec.Meta(ge=0)]
    loaded_at: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT[0-9:.+]+\Z")]


class _Details(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A place without its name and its origin."""

    state: str | None = None
    lga: _Text | None = None
    postcode: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}\Z")] | None = None
    sa2: _Text | None = None
    sa3: _Text | None = None
    sa4: _Text | None = None
    edition: _Text | None = None
    lga_share: float | None = None
    postcode_share: float | None = None
    sa2_share: float | None = None
    sa3_share: float | None = None
    sa4_share: float | None = None
    dwellings: int | None = None
    persons: int | None = None
    sal_code: Annotated[str, msgspec.Meta(pattern=r"^SAL[0-9]{5}\Z")] | None = None
    partly: tuple[_Text, ...] = ()


class _Names(msgspec.Struct):
    """The key. A name has only its state if nothing more is known, and if its edition is that of the last list."""

    source: Literal["sandbox", "live"]
    lists: list[_List]
    names: dict[str, dict[str, str | _Details | None]]


def decode(value: Any) -> ListedNames | None:
    """Return the names that the value of the key holds; None if there is no such key.

    Raises
    ------
    ValueError
        It is not laid out as this package writes it.
    """
    if value is None:
        return None
    try:
        read = msgspec.convert(value, _Names)
    except msgspec.ValidationError as problem:
        raise ValueError(f"its names are not laid out as in a cassette of this package ({problem})") from None
    lists = tuple(NameList(**msgspec.structs.asdict(one)) for one in read.lists)
    edition = lists[-1].edition if lists else None
    by_base = {
        base: [_place(name, what, edition) for name, what in names.items()] for base, names in read.names.items()
    }
    for places in by_base.values():
        if not all(sal.is_name(place.area_name) and place.state in {None, *sal.STATES} for place in places):
            raise ValueError("it holds a name that no suburb can have")
    return ListedNames(read.source, lists, by_base)


def encode(names: ListedNames) -> bytes:
    """Encode names as the lines of the key, sorted."""
    edition = names.lists[-1].edition if names.lists else None
    value = {
        "source": names.source,
        "lists": [asdict(one) for one in names.lists],
        "names": {
            base: {place.area_name: _details(place, edition) for place in sorted(names.by_base[base])}
            for base in sorted(names.by_base)
        },
    }
    written: str = yaml.dump({KEY: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**30)
    return written.encode()


def _place(name: str, details: str | _Details | None, edition: str | None) -> Place:
    if isinstance(details, _Details):
        return Place(name, origin="list", **msgspec.structs.asdict(details))
    return Place(name, details, origin="list", edition=edition)


def _details(place: Place, edition: str | None) -> Any:
    """Return the entry of the file for a place: only its state, or a mapping."""
    if place == Place(place.area_name, place.state, origin="list", edition=edition):
        return place.state
    fields = {field: getattr(place, field) for field in _Details.__struct_fields__}
    return msgspec.to_builtins(_Details(**fields))


def replaced(text: bytes, names: ListedNames) -> bytes:
    """Return a cassette with these names instead of those that it holds now."""
    interactions = _INTERACTIONS.search(text)
    end = interactions.start() if interactions else len(text)
    return _BLOCK.sub(b"", text[:end]) + encode(names) + text[end:]
