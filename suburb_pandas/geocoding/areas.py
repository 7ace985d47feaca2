"""Reads the areas of suburbs from the ABS's allocation files and correspondences, and from users' own frames.

A suburb can lie in several areas of one kind: the one with its largest part is kept, with that share. Reading the table
itself is left to tables, the names and states of suburbs to sal_file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from suburb_pandas.geocoding.tables import Cells, Table
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, Place

_YEAR: Final = r"(?:_?(?:\d{4}|\d{2}))?"
_KINDS: Final = {
    "state": rf"(?:STATE|STE)_NAME{_YEAR}",
    "lga": rf"LGA_NAME{_YEAR}",
    "postcode": rf"POA_NAME{_YEAR}|POSTCODE|POA_CODE{_YEAR}",
    "sa2": rf"SA2_NAME{_YEAR}",
    "sa3": rf"SA3_NAME{_YEAR}",
    "sa4": rf"SA4_NAME{_YEAR}",
    "mesh_block": rf"MB_CODE{_YEAR}",
    "share": r"RATIO(?:_FROM_TO)?",
    "persons": r"PERSONS?",
    "dwellings": r"DWELLINGS?",
    "size": r"AREA_ALBERS_SQKM|AREASQKM\d*",
}
_PATTERNS: Final = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _KINDS.items()}
_WEIGHTS: Final = ("share", "persons", "dwellings", "size")
_COUNTS: Final = ("dwellings", "persons")
_WHOLE: Final = 1.01  # the ratios of the ABS are rounded
_MOST: Final = 10**9  # persons, dwellings or square kilometres
_NO_AREA: Final = re.compile(r"no usual address|migratory - offshore|outside australia|invalid", re.IGNORECASE)
_POSTCODE: Final = re.compile(r"(?:POA)?(\d{4}|\d{3})", re.IGNORECASE)


def is_wanted(column: str) -> bool:
    """Return True if a column with this label is read."""
    return is_name_column(column) or kind_of(column) is not None


def is_name_column(column: str) -> bool:
    """Return True if a column holds suburb names: under the ABS's label, or under this package's."""
    return column == "area_name" or sal.is_sal_column(column)


def kind_of(column: str) -> str | None:
    """Return the kind of data in a column of the ABS; None for a column that is not read."""
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(column)), None)


def columns_of(table: Table, year: str = "") -> dict[str, int]:
    """Return the number of the column of each kind: the first one of this year, or else the first.

    The year is the last two digits of a label. States of another year than the names do not count.
    """
    found: dict[str, int] = {}
    numbers = range(len(table.columns))
    for number in sorted(numbers, key=lambda number: year_of(table.columns[number]) not in {"", year}):
        kind = kind_of(table.columns[number])
        if kind is not None and (kind != "state" or year_of(table.columns[number]) in {"", year} or not year):
            found.setdefault(kind, number)
    return found


def year_of(column: str) -> str:
    """Return the last two digits of the year in a label of the ABS, an empty text if there is none."""
    return column[-2:] if column[-2:].isdigit() else ""


@dataclass(slots=True)
class _Parts:
    """The rows about one suburb: the weights of each of its areas, by kind of area and kind of weight, and counts.

    Rows in no area have weights too, under None, because they are a part of the suburb.
    """

    weights: dict[str, dict[str | None, dict[str, float]]] = field(default_factory=lambda: defaultdict(dict))
    counts: dict[str, float] = field(default_factory=dict)


class AreaReader:
    """Adds up the rows of one table by suburb.

    Parameters
    ----------
    table
        The table, whose columns are read.
    columns
        The number of the column of each kind.
    """

    def __init__(self, table: Table, columns: Mapping[str, int]) -> None:
        self._title = table.title
        self._areas = {kind: number for kind, number in columns.items() if kind in AREAS}
        self._weights = {kind: number for kind, number in columns.items() if kind in _WEIGHTS}
        self._counts = {kind: number for kind, number in columns.items() if kind in _COUNTS}
        self._parts: dict[str, _Parts] = defaultdict(_Parts)

    @property
    def reads(self) -> bool:
        """True if the table has a column of areas or counts."""
        return bool(self._areas or self._counts)

    def add(self, suburb: str, row: Cells) -> None:
        """Add a row about a suburb."""
        parts = self._parts[suburb]
        numbers = {kind: self._number(row[column]) for kind, column in self._weights.items()}
        for kind in self._counts:
            parts.counts[kind] = parts.counts.get(kind, 0) + numbers[kind]
        for kind, column in self._areas.items():
            area = _area(kind, row[column], self._title)
            weights = parts.weights[kind].setdefault(area, dict.fromkeys((*numbers, "rows"), 0))
            for weight, number in {**numbers, "rows": 1}.items():
                weights[weight] += number

    def _number(self, text: str) -> float:
        try:
            number = float(text.replace(",", "")) if text else 0
        except ValueError:
            number = -1
        if not 0 <= number <= _MOST:
            raise ValueError(
                f"{self._title}: {sal.shown(text)} is not a number between 0 and {_MOST:,}. Nothing was changed. "
                "Correct this ratio, count or size in the file."
            )
        return number

    def places(self) -> Iterable[Place]:
        """Yield a place for each suburb, with its largest area of each kind, the share of it, and the counts."""
        for suburb, parts in self._parts.items():
            known: dict[str, Any] = {kind: round(number) for kind, number in parts.counts.items()}
            partly: list[str] = []
            for kind, weights in parts.weights.items():
                shares = _shares(weights)
                if (total := sum(share for _, share in shares)) > _WHOLE:
                    raise ValueError(
                        f"{self._title}: the ratios of {suburb} add up to {total:g}, which is more than 1. Nothing was "
                        "changed. Correct the ratios, or load the file as the ABS published it."
                    )
                if shares:
                    (area, share), *others = shares
                    known |= {kind: area, f"{kind}_share": min(share, 1.0)}
                    partly += [other for other, _ in others]
            yield Place(suburb, partly=tuple(partly), **known)


def _shares(weights: Mapping[str | None, Mapping[str, float]]) -> Sequence[tuple[str, float]]:
    """Return each area with its share, the largest first.

    The share is the file's own ratio. In a file without ratios, it is the share of the persons, the dwellings, the size
    or the rows. Areas with a share of zero are left out, unless all shares are zero.
    """
    if any("share" in of for of in weights.values()):
        shares = {area: of["share"] for area, of in weights.items() if area is not None}
    else:
        kinds = (*_WEIGHTS[1:], "rows")
        used = next(kind for kind in kinds if sum(of.get(kind, 0) for of in weights.values()) > 0)
        total = sum(of[used] for of in weights.values())
        shares = {area: of[used] / total for area, of in weights.items() if area is not None}
    parts = {area: share for area, share in shares.items() if share > 0} or shares
    return sorted(parts.items(), key=lambda item: (-item[1], item[0]))


def _area(kind: str, text: str, title: str) -> str | None:
    """Return an area as it is written in the columns of places; None where the ABS names no area."""
    if kind == "postcode":
        match = _POSTCODE.fullmatch(text)
        return sal.postcode(match[1]) if match else None
    if not text or _NO_AREA.search(text):
        return None
    if not sal.is_name(text):
        raise ValueError(f"{title}: {sal.shown(text)} is not the name of an area. Nothing was changed.")
    return text
