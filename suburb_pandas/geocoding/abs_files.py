"""Reads a list of suburb names as the ABS publishes it, or as a text file, and the files that add to its suburbs.

In the ABS's files (ASGS Edition 3) the names are in ``SAL_NAME_2021`` or ``SAL_NAME21`` and the states in
``STATE_NAME_2021`` or ``STE_NAME21``; in the allocation file a suburb has one row for each of its mesh blocks. The year
in the label is the edition. A suburb can lie in several areas of one kind: the one with its largest part is kept, with
that share. Storing the list is left to store.names_table.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd

from suburb_pandas.messages import install_line
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, NameList, Place
from suburb_pandas.settings import expand_home

Source: TypeAlias = str | PathLike[str] | pd.DataFrame
"""The sources from which a table can be read. A GeoDataFrame is a DataFrame."""

_FULL: Final = 15_000  # names; the ABS's list of 2021 has 15,334, without its special names
_LIST: Final = (
    "Nothing was changed. Pass a table with the ABS's column SAL_NAME_2021 or SAL_NAME21, or a text file with one name "
    "on each line."
)
_WITH: Final = (
    "Nothing was changed. A table in with_ needs the column SAL_NAME_2021 or SAL_CODE_2021 (or MB_CODE_2021, if the "
    "list has it too), and one or more of LGA_NAME_2021, POA_NAME_2021, SA2_NAME_2021, SA3_NAME_2021, SA4_NAME_2021, "
    "Dwelling and Person."
)
_HEADINGS: Final = {"suburb", "suburbs", "suburb name", "locality", "sal", "name"}
_MARK: Final = "\ufeff"  # the byte order mark; a file made of several files can have several
_HEADER_ROWS: Final = 20  # an Excel sheet of the ABS may have a title above the names of the columns
_BOUNDARIES: Final = frozenset({".shp", ".gpkg", ".gdb", ".geojson", ".zip"})

_YEAR: Final = r"(?:_?(?:\d{4}|\d{2}))?"
_KINDS: Final = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "name": rf"SAL[_ ]NAME[_ ]?{_YEAR}|area_name",
        "sal_code": rf"SAL[_ ]CODE[_ ]?{_YEAR}",
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
    }.items()
}
_COUNTS: Final = ("persons", "dwellings")
_WEIGHTS: Final = (*_COUNTS, "size", "rows")  # the first that a suburb has gives the shares of its areas
_ADDS: Final = frozenset({*AREAS, *_COUNTS})
_WHOLE: Final = 1.01  # the ratios of the ABS are rounded
_MOST: Final = 10**9  # persons, dwellings or square kilometres
_NO_AREA: Final = re.compile(r"no usual address|migratory - offshore|outside australia|invalid", re.IGNORECASE)
_POSTCODE: Final = re.compile(r"(?:POA)?(\d{4}|\d{3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: its name for messages, the digest of its file or content, and the columns of the ABS in it, as text."""

    title: str
    sha256: str
    rows: pd.DataFrame


def read(
    source: Source, with_: Source | Iterable[Source] = (), *, complete: bool | None
) -> tuple[NameList, list[Place]]:
    """Read a list of names, each with its state if the name's suffix or the list gives one, and with its areas.

    Raises
    ------
    ValueError
        The list, or one of the tables in ``with_``, cannot be read.
    TypeError
        A source is neither a path nor a frame.
    ImportError
        A source is an Excel workbook, and openpyxl is not installed.
    """
    more = [with_] if isinstance(with_, str | PathLike | pd.DataFrame) else with_
    if not isinstance(more, Iterable):
        raise TypeError(f"with_ must be a path, a frame, or a list of these, not {type(with_).__name__}.")
    table = _table(source)
    label = _name_column(table)
    rows = _by_kind(table, label)
    rows = rows[rows["name"] != ""]
    _check_names(table.title, rows["name"])
    states, codes = _only(rows, "state", sal.state_code), _only(rows, "sal_code", sal.sal_code)
    found = {
        name: Place(name, sal.parse(name).state or states.get(name), sal_code=codes.get(name))
        for name in rows["name"].unique()
    }
    added = list(map(_table, more))
    for one, its_rows in [(table, rows), *((one, _added(one, rows, table.title)) for one in added)]:
        for place in _places(one.title, its_rows):
            found[place.area_name] = place.over(found[place.area_name])
    digests = "".join(one.sha256 for one in (table, *added))
    sha256 = hashlib.sha256(digests.encode()).hexdigest() if added else digests
    complete = len(found) >= _FULL if complete is None else bool(complete)
    return NameList(table.title, sha256, sal.edition_of(label), complete, len(found)), list(found.values())


def _table(source: Source) -> _Table:
    """Read a table. A text file with no column of the ABS in its first line has one name on each line."""
    if isinstance(source, pd.DataFrame):
        levels = [name for name in source.index.names if name is not None and name not in source.columns]
        texts = _texts(source.reset_index(level=levels) if levels else source)
        digest = hashlib.sha256(texts.to_csv().encode("utf-8", "replace")).hexdigest()
        return _Table(f"{type(source).__name__} {digest[:8]}", digest, texts)
    if not isinstance(source, str | PathLike):
        raise TypeError(f"A list must be a path, a DataFrame or a GeoDataFrame, not {type(source).__name__}.")
    path = Path(expand_home(source))
    if path.suffix.casefold() in _BOUNDARIES:
        raise ValueError(
            f"{path.name} is a file of boundaries. Nothing was changed. Pass it as a GeoDataFrame: "
            f"geopandas.read_file({str(path)!r})"
        )
    content = path.read_bytes()
    try:
        is_workbook = path.suffix.casefold() in {".xlsx", ".xlsm"}
        rows = _workbook(content) if is_workbook else _text(content.decode().replace(_MARK, ""))
    except ImportError:
        raise ImportError(
            f"Reading {path.name} needs openpyxl, which is not installed. Save the sheet as CSV, or: "
            f"{install_line('excel')}"
        ) from None
    except Exception as problem:  # noqa: BLE001 - pandas and openpyxl raise many kinds for a file that is damaged
        raise ValueError(
            f"{path.name} cannot be read ({problem}). Nothing was changed. Save it as CSV UTF-8, and load that file."
        ) from None
    return _Table(path.name, hashlib.sha256(content).hexdigest(), rows)


def _text(text: str) -> pd.DataFrame:
    """Return the rows of a CSV file, or the lines of a text file as a column of names."""
    lines = text.splitlines()
    head = lines[0].replace('"', "") if lines else ""
    if not any(map(_kind_of, re.split("[,;\t]", head))):
        names = lines[1:] if head.strip().casefold() in _HEADINGS else lines
        return _texts(pd.DataFrame({"area_name": names}))
    separator = next((each for each in ",;\t" if each in head), ",")
    # As many columns as the widest line has: pandas would take the first of them for an index, or drop the last one.
    width = max(line.count(separator) for line in lines) + 1
    rows = pd.read_csv(
        io.StringIO(text), sep=separator, header=None, names=range(width), dtype="object", keep_default_na=False
    )
    beyond = rows.loc[:, rows.iloc[0].str.strip() == ""].to_numpy().ravel()
    if lost := next(filter(str.strip, beyond), None):
        raise ValueError(f"{lost.strip()!r} is beyond the last column")
    return _below_header(rows)


def _workbook(content: bytes) -> pd.DataFrame:
    """Return the rows of all sheets of a workbook that have the same columns of the ABS as the first such sheet."""
    sheets = pd.read_excel(io.BytesIO(content), sheet_name=None, header=None, dtype="object", engine="openpyxl")
    found = [table for sheet in sheets.values() if not (table := _below_header(sheet)).columns.empty]
    like = [table for table in found if table.columns.equals(found[0].columns)]
    return pd.concat(like, ignore_index=True) if like else pd.DataFrame()


def _below_header(sheet: pd.DataFrame) -> pd.DataFrame:
    """Return the ABS's columns of a sheet, the labels of which may be below a title."""
    for number, header in enumerate(sheet.head(_HEADER_ROWS).itertuples(index=False), start=1):
        if any(_kind_of(str(label)) for label in header):
            return _texts(sheet[number:].set_axis([*header], axis="columns"))
    return pd.DataFrame()


def _texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the ABS's columns of a frame as text."""
    wanted = [number for number, label in enumerate(frame.columns) if _kind_of(str(label).strip())]
    texts = frame.iloc[:, wanted].astype("object").map(_cell)
    texts.columns = [str(label).strip() for label in texts.columns]
    return texts.loc[:, ~texts.columns.duplicated()]


def _cell(value: Any) -> str:
    """Return a value as text: an empty text if it is missing, a whole number without decimals."""
    if isinstance(value, str):
        return value.strip()
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _kind_of(label: str) -> str | None:
    """Return the kind of data in a column of the ABS; None for a column that is not read."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(label.strip())), None)


def _name_column(table: _Table) -> str:
    """Return the label of the column with the names: the ABS's, or else ``area_name``."""
    labels = [label for label in table.rows.columns if _kind_of(label) == "name"]
    labels = [label for label in labels if label != "area_name"] or labels
    if not labels:
        raise ValueError(f"{table.title} has no column of suburb names. {_LIST}")
    if len(labels) > 1:
        raise ValueError(
            f"{table.title} has several columns of names: {', '.join(labels)}. Nothing was changed. Drop all but one."
        )
    return labels[0]


def _by_kind(table: _Table, name: str | None) -> pd.DataFrame:
    """Return the first column of each kind in a table, called by its kind, and the names in the column ``name``."""
    found = {} if name is None else {"name": name}
    for label in table.rows.columns:
        found.setdefault(str(_kind_of(label)), label)
    return pd.DataFrame({kind: table.rows[label] for kind, label in found.items()})


def _check_names(title: str, names: pd.Series[str]) -> None:
    """Raise `ValueError` if there are no names, or if one cannot be a name.

    Rows of a table have commas, semicolons or underscores; names do not. A number is not a name either.
    """
    if names.empty:
        raise ValueError(f"{title} has no names. Nothing was changed. Check that it is the right file.")
    for name in names.unique():
        if not sal.is_name(name) or {",", "_", ";"} & set(name) or not any(map(str.isalpha, name)):
            raise ValueError(f"{title}: {sal.shown(name)} is not a suburb name. {_LIST}")


def _only(rows: pd.DataFrame, kind: str, read_value: Any) -> Mapping[str, str]:
    """Return the value of each name whose rows have only one value of a kind."""
    if kind not in rows:
        return {}
    pairs = rows[["name", kind]].drop_duplicates()
    pairs = pairs.assign(value=pairs[kind].map(read_value))[["name", "value"]].drop_duplicates()
    pairs = pairs[~pairs["name"].duplicated(keep=False)].dropna()
    return dict(zip(pairs["name"], pairs["value"], strict=True))


def _added(table: _Table, listed: pd.DataFrame, title: str) -> pd.DataFrame:
    """Return the rows that a table adds to the suburbs of a list, found by their names, codes or mesh blocks."""
    by_name = any(_kind_of(label) == "name" for label in table.rows.columns)
    rows = _by_kind(table, _name_column(table) if by_name else None)
    if not _ADDS & {*rows.columns}:
        raise ValueError(f"{table.title} has the columns {', '.join(table.rows.columns)}. {_WITH}")
    key = next((kind for kind in ("name", "sal_code", "mesh_block") if kind in rows and kind in listed), None)
    if key is None:
        raise ValueError(f"{table.title} has no column of suburb names, and shares no codes with {title}. {_WITH}")
    if "share" in rows and key == "name":
        _check_direction(table, rows)
    read_key: Callable[[str], str | None] = sal.sal_code if key == "sal_code" else str
    pairs = listed.drop_duplicates([key, "name"])
    names = dict(zip(pairs[key].map(read_key), pairs["name"], strict=True))
    rows = rows.assign(name=rows[key].map(read_key).map(names)).dropna(subset="name")
    if rows.empty:
        raise ValueError(
            f"None of the suburbs in {table.title} is in {title}. Nothing was changed. Use files of the same edition."
        )
    return rows


def _check_direction(table: _Table, rows: pd.DataFrame) -> None:
    """Raise `ValueError` if a correspondence leads from areas to suburbs: its ratios are shares of its areas."""
    kinds = [_kind_of(label) for label in table.rows.columns]
    first = min(kinds.index(kind) for kind in {*AREAS, "name"} & {*rows.columns})
    if kinds[first] != "name":
        raise ValueError(
            f"The ratios in {table.title} are shares of {table.rows.columns[first]}, not of suburbs. Nothing was "
            "changed. Use the ABS's correspondence in the other direction, from SAL."
        )


def _places(title: str, rows: pd.DataFrame) -> Iterable[Place]:
    """Return a place for each suburb, with its largest area of each kind, the share of it, and the counts."""
    if not _ADDS & {*rows.columns}:
        return []
    numbers = pd.DataFrame({"rows": 1.0}, index=rows.index)
    for kind in {"share", *_WEIGHTS} & {*rows.columns}:
        numbers[kind] = _numbers(title, rows[kind])
    counts = numbers[[kind for kind in _COUNTS if kind in rows]].groupby(rows["name"], sort=False).sum()
    known: dict[Any, dict[Any, Any]] = counts.round().astype("int64").to_dict("index")
    partly = defaultdict[Any, list[str]](list)
    for kind in [kind for kind in AREAS if kind in rows]:
        areas = rows[kind].map({text: _area(kind, text) for text in rows[kind].unique()}).fillna("")
        for name, area, share in _shares(title, rows["name"], areas, numbers).reset_index().itertuples(index=False):
            if kind in known[name]:
                partly[name].append(area)
            else:
                known[name] |= {kind: area, f"{kind}_share": min(share, 1.0)}
    return [Place(name, partly=tuple(partly[name]), **fields) for name, fields in known.items()]


def _numbers(title: str, texts: pd.Series[str]) -> pd.Series[float]:
    numbers = pd.to_numeric(texts.str.replace(",", "").replace("", "0"), errors="coerce")
    bad = texts[~numbers.between(0, _MOST)]
    if len(bad):
        raise ValueError(
            f"{title}: {sal.shown(bad.iloc[0])} is not a number between 0 and {_MOST:,}. Nothing was changed. "
            "Correct this ratio, count or size in the file."
        )
    return numbers


def _shares(title: str, names: pd.Series[str], areas: pd.Series[str], numbers: pd.DataFrame) -> pd.Series[float]:
    """Return the share of each suburb that lies in each area, the largest first.

    The share is the file's own ratio. In a file without ratios, it is the share of the persons, the dwellings, the size
    or the rows. Rows in no area are a part of the suburb. Areas with a share of zero are left out, unless all shares
    are zero.
    """
    weights = numbers.groupby([names, areas], sort=False).sum()
    if "share" in weights:
        shares = weights["share"]
    else:
        parts = weights / weights.groupby(level=0).transform("sum").replace(0, np.nan)
        shares = parts[[kind for kind in _WEIGHTS if kind in parts]].bfill(axis="columns").iloc[:, 0]
    shares = shares[shares.index.get_level_values(1) != ""].rename_axis(["name", "area"])
    whole = shares.groupby(level=0).agg(["sum", "max"]).reindex(shares.index, level=0)
    if (whole["sum"] > _WHOLE).any():
        name = whole["sum"].groupby(level=0).first().idxmax()
        raise ValueError(
            f"{title}: the ratios of {name} add up to {whole['sum'].max():g}, which is more than 1. Nothing was "
            "changed. Correct the ratios, or load the file as the ABS published it."
        )
    shares = shares[(shares > 0) | (whole["max"] == 0)].sort_index()
    return shares.sort_values(ascending=False, kind="stable")


def _area(kind: str, text: str) -> str | None:
    """Return an area as it is written in the columns of places; None where the ABS names no area."""
    if kind == "postcode":
        match = _POSTCODE.fullmatch(text)
        return sal.postcode(match[1]) if match else None
    return None if not text or _NO_AREA.search(text) else text
