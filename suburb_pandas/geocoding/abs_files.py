"""Reads a list of suburb names as the ABS publishes it, or as a text file, and the files that add to its suburbs.

Every source becomes one table of texts, whose columns are called by their kinds: in the ABS's files (ASGS Edition 3)
``SAL_NAME_2021`` and ``SAL_NAME21`` are both the ``name``. In the allocation file a suburb has one row for each of its
mesh blocks. A suburb can lie in several areas of one kind: the one with its largest part is kept, with that share.
Storing the list is left to store.names_table.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any, Final, TypeAlias

import pandas as pd

from suburb_pandas.messages import install_line
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, Gazetteer, NameList, Place
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
_NO_NAMES: Final = frozenset(
    {"", "suburb", "suburbs", "suburb name", "locality", "sal", "name"}
)  # the headings of lists
_MARK: Final = "\ufeff"  # the byte order mark; a file made of several files can have several
_HEADER_ROWS: Final = 20  # an Excel sheet of the ABS may have a title above the names of the columns
_BOUNDARIES: Final = frozenset({".shp", ".gpkg", ".gdb", ".geojson", ".zip"})

_YEAR: Final = r"(?:_?(?:\d{4}|\d{2}))?"
_COLUMN: Final = re.compile(
    rf"""
    (?P<name>       SAL[_ ]NAME[_ ]?{_YEAR} | area_name)
    | (?P<sal_code>   SAL[_ ]CODE[_ ]?{_YEAR})
    | (?P<state>      (?:STATE|STE)_NAME{_YEAR})
    | (?P<lga>        LGA_NAME{_YEAR})
    | (?P<postcode>   POA_NAME{_YEAR} | POSTCODE | POA_CODE{_YEAR})
    | (?P<sa2>        SA2_NAME{_YEAR})
    | (?P<sa3>        SA3_NAME{_YEAR})
    | (?P<sa4>        SA4_NAME{_YEAR})
    | (?P<mesh_block> MB_CODE{_YEAR})
    | (?P<share>      RATIO(?:_FROM_TO)?)
    | (?P<persons>    PERSONS?)
    | (?P<dwellings>  DWELLINGS?)
    | (?P<size>       AREA_ALBERS_SQKM | AREASQKM\d*)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COUNTS: Final = ["persons", "dwellings"]
_NUMBERS: Final = ["share", *_COUNTS, "size"]  # the first that a suburb has gives the shares of its areas
_ADDS: Final = frozenset({*AREAS, *_COUNTS})
_WHOLE: Final = 1.01  # the ratios of the ABS are rounded
_MOST: Final = 10**9  # persons, dwellings or square kilometres
_NO_AREA: Final = re.compile(r"^$|no usual address|migratory - offshore|outside australia|invalid", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: its name for messages, the digest of its file or content, its edition, and its columns by kind."""

    title: str
    sha256: str
    edition: str | None
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
    more = [with_] if isinstance(with_, str | pd.DataFrame) or not isinstance(with_, Iterable) else with_
    table, *added = map(_table, [source, *more])
    if "name" not in table.rows:
        raise ValueError(f"{table.title} has no column of suburb names. {_LIST}")
    rows = table.rows[~table.rows["name"].str.casefold().isin(_NO_NAMES)]
    _check_names(table.title, rows["name"])
    facts = rows.reindex(columns=["name", "state", "sal_code"], fill_value="").groupby("name", sort=False)
    only = facts.first().where(facts.nunique() == 1, "")  # noqa: PD101 - of each suburb, not of one column
    places = [
        Place(name, sal.parse(name).state or state or None, sal_code=sal.sal_code(code))
        for name, state, code in only.itertuples()
    ]
    places += _places(table.title, rows)
    for one in added:
        places += _places(one.title, _added(one, rows, table.title))
    found = Gazetteer(places)
    digests = "".join(one.sha256 for one in (table, *added))
    sha256 = hashlib.sha256(digests.encode()).hexdigest() if added else digests
    complete = len(found) >= _FULL if complete is None else bool(complete)
    return NameList(table.title, sha256, table.edition, complete, len(found)), [*found.values()]


def _table(source: Source) -> _Table:
    """Read a table from a frame or a file."""
    if isinstance(source, pd.DataFrame):
        edition, rows = _by_kind(type(source).__name__, source.reset_index(allow_duplicates=True))
        digest = hashlib.sha256(rows.to_csv().encode()).hexdigest()
        return _Table(f"{type(source).__name__} {digest[:8]}", digest, edition, rows)
    if not isinstance(source, str | PathLike):
        raise TypeError(f"A list must be a path, a DataFrame or a GeoDataFrame, not {type(source).__name__}.")
    path = expand_home(source)
    if path.suffix.casefold() in _BOUNDARIES:
        raise ValueError(
            f"{path.name} is a file of boundaries. Nothing was changed. Pass it as a GeoDataFrame: "
            f"geopandas.read_file({str(path)!r})"
        )
    content = path.read_bytes()
    try:
        frame = _below_headers(_sheets(content, path.suffix.casefold()))
    except ImportError:
        raise ImportError(
            f"Reading {path.name} needs openpyxl, which is not installed. Save the sheet as CSV, or: "
            f"{install_line('excel')}"
        ) from None
    except Exception as problem:  # noqa: BLE001 - pandas and openpyxl raise many kinds for a file that is damaged
        raise ValueError(
            f"{path.name} cannot be read ({str(problem).strip()}). Nothing was changed. Save it as CSV UTF-8, with no "
            "more values in a row than in the first."
        ) from None
    return _Table(path.name, hashlib.sha256(content).hexdigest(), *_by_kind(path.name, frame))


def _sheets(content: bytes, suffix: str) -> Iterable[pd.DataFrame]:
    """Return the sheets of a workbook, or a text file as one sheet. A list of names gets a label above the names."""
    if suffix in {".xlsx", ".xlsm"}:
        return pd.read_excel(
            io.BytesIO(content), sheet_name=None, header=None, dtype="object", engine="openpyxl"
        ).values()
    text = content.decode().replace(_MARK, "")
    first_line = text.partition("\n")[0].replace('"', "")
    separator = re.search("[,;\t]", first_line)
    if not separator and not _kind_of(first_line):
        text = f"area_name\n{text}"
    # pandas refuses a line that is longer than the first, so that no value is lost or shifted. With a header it would
    # take more columns for an index, and with low_memory=True it would not look at the first line of each chunk.
    sheet = pd.read_csv(
        io.StringIO(text),
        sep=separator[0] if separator else ",",
        header=None,
        dtype="object",
        keep_default_na=False,
        low_memory=False,
    )
    return [sheet]


def _below_headers(sheets: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all sheets that have the same columns of the ABS as the first such sheet."""
    found: list[pd.DataFrame] = []
    for sheet in sheets:
        kinds = sheet.head(_HEADER_ROWS).map(_kind_of).dropna(how="all")
        if len(kinds):
            header, wanted = kinds.index[0], kinds.iloc[0].notna()
            found.append(sheet.loc[header + 1 :, wanted].set_axis([*sheet.loc[header, wanted]], axis="columns"))
    like = [table for table in found if table.columns.equals(found[0].columns)]
    return pd.concat(like, ignore_index=True) if like else pd.DataFrame()


def _kind_of(label: object) -> str | None:
    """Return the kind of data in a column of the ABS; None for a column that is not read."""
    match = _COLUMN.fullmatch(str(label).strip())
    return match.lastgroup if match else None


def _by_kind(title: str, frame: pd.DataFrame) -> tuple[str | None, pd.DataFrame]:
    """Return the edition of a frame, and the first column of each kind as text, called by its kind."""
    if len({label for label in frame if _kind_of(label) == "name"}) > 1:
        frame = frame.drop(columns="area_name", errors="ignore")  # the ABS's own column has the names
    kinds = frame.columns.map(_kind_of)
    labels = frame.columns[kinds == "name"].unique()
    if len(labels) > 1:
        raise ValueError(
            f"{title} has several columns of names: {', '.join(labels)}. Nothing was changed. Drop all but one."
        )
    wanted = kinds.notna() & ~kinds.duplicated()
    rows = frame.loc[:, wanted].set_axis(kinds[wanted], axis="columns")
    if "share" in rows and rows.columns[0] in AREAS:
        raise ValueError(
            f"The ratios in {title} are shares of areas, not of suburbs. Nothing was changed. Use the ABS's "
            "correspondence in the other direction, from SAL."
        )
    # A column of codes has decimals if it was read as floats, because a code is missing.
    texts = rows.astype("string").fillna("").apply(lambda column: column.str.strip().str.removesuffix(".0"))
    if "sal_code" in texts:
        texts["sal_code"] = texts["sal_code"].str.upper().str.removeprefix("SAL")  # as DataPacks have it
    if "state" in texts:
        texts["state"] = texts["state"].map({text: sal.state_code(text) or "" for text in texts["state"].unique()})
    return sal.edition_of(labels[0].strip()) if len(labels) else None, texts.astype("object")


def _check_names(title: str, names: pd.Series[str]) -> None:
    """Raise `ValueError` if there are no names, or if one cannot be a name.

    Rows of a table have commas, semicolons or underscores; names do not. A number is not a name either.
    """
    if names.empty:
        raise ValueError(f"{title} has no names. Nothing was changed. Check that it is the right file.")
    for name in names.unique():
        if not sal.is_name(name) or {",", "_", ";"} & set(name) or not any(map(str.isalpha, name)):
            raise ValueError(f"{title}: {sal.shown(name)} is not a suburb name. {_LIST}")


def _added(table: _Table, listed: pd.DataFrame, title: str) -> pd.DataFrame:
    """Return the rows that a table adds to the suburbs of a list, found by their names, codes or mesh blocks."""
    rows = table.rows
    key = next((kind for kind in ("name", "sal_code", "mesh_block") if kind in rows and kind in listed), None)
    if key is None or _ADDS.isdisjoint(rows):
        raise ValueError(f"{table.title} adds nothing to {title}. {_WITH}")
    names = dict(zip(listed[key], listed["name"], strict=True))
    names.pop("", None)
    rows = rows.assign(name=rows[key].map(names)).dropna(subset="name")
    if rows.empty:
        raise ValueError(
            f"None of the suburbs in {table.title} is in {title}. Nothing was changed. Use files of the same edition."
        )
    return rows


def _places(title: str, rows: pd.DataFrame) -> list[Place]:
    """Return a place for each suburb, with its largest area of each kind, the share of it, and the counts.

    The share is the file's own ratio. In a file without ratios, it is the share of the persons, the dwellings, the size
    or the rows, whichever the suburb has first. Rows in no area count as a part of the suburb. Further areas are added
    as ``partly``, except those with a share of zero.
    """
    if _ADDS.isdisjoint(rows):
        return []
    numbers = rows.filter(_NUMBERS).apply(lambda texts: _numbers(title, texts)).assign(rows=1.0)
    counts = numbers.filter(_COUNTS).groupby(rows["name"]).sum().round().astype("int64")
    known: dict[Any, dict[Any, Any]] = counts.to_dict("index")
    if "share" in rows:
        weight = numbers["share"]
    else:
        totals = numbers.groupby(rows["name"]).transform("sum")
        weight = numbers.where(totals > 0).bfill(axis="columns").iloc[:, 0]
    for kind, texts in rows.filter(AREAS).items():
        areas = texts.map({text: _area(kind, text) for text in texts.unique()})
        shares = weight.groupby([rows["name"], areas], dropna=False).sum()
        whole = shares.groupby(level="name").transform("sum")
        if "share" not in rows:
            shares /= whole
        elif whole.max() > _WHOLE:
            raise ValueError(
                f"{title}: the ratios of {whole.droplevel(1).idxmax()} add up to {whole.max():g}, which is more than "
                "1. Nothing was changed. Correct the ratios, or load the file as the ABS published it."
            )
        largest_first = shares.sort_values(ascending=False, kind="stable").reset_index().dropna()
        for name, area, share in largest_first.itertuples(index=False):
            fields = known[name]
            if kind not in fields:
                fields |= {kind: area, f"{kind}_share": min(share, 1.0)}
            elif share > 0:
                fields["partly"] = (*fields.get("partly", ()), area)
    return [Place(name, **fields) for name, fields in known.items()]


def _numbers(title: str, texts: pd.Series[str]) -> pd.Series[float]:
    numbers = pd.to_numeric(texts.str.replace(",", "").replace("", "0"), errors="coerce")
    bad = texts[~numbers.between(0, _MOST)]
    if len(bad):
        raise ValueError(
            f"{title}: {sal.shown(bad.iloc[0])} is not a number between 0 and {_MOST:,}. Nothing was changed. "
            "Correct this ratio, count or size in the file."
        )
    return numbers


def _area(kind: object, text: str) -> str | None:
    """Return an area as it is written in the columns of places; None where the ABS names no area."""
    if kind == "postcode":
        return sal.postcode(text.upper().removeprefix("POA"))
    return None if _NO_AREA.search(text) else text
