"""Reads a table that the ABS or a user made: a CSV file, an Excel workbook, a DataFrame or a GeoDataFrame.

A table is its columns and rows of text. The meaning of the columns is left to sal_file and areas.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pandas as pd

from suburb_pandas.messages import install_line
from suburb_pandas.names import sal
from suburb_pandas.settings import expand_home

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_MARK: Final = "\ufeff"  # the byte order mark; a file made of several files can have several
_HEADER_ROWS: Final = 20  # an Excel sheet of the ABS may have a title above the names of the columns
_BOUNDARIES: Final = frozenset({".shp", ".gpkg", ".gdb", ".geojson", ".zip"})

Cells: TypeAlias = Sequence[str]
Source: TypeAlias = str | PathLike[str] | pd.DataFrame
"""The sources from which a table can be read. A GeoDataFrame is a DataFrame."""

IsWanted: TypeAlias = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, which can be read once.

    ``title`` is the name of its file, or the type of the frame with the beginning of its digest. ``rows`` raises
    `ValueError` for content that cannot be read.
    """

    title: str
    sha256: str
    columns: Cells
    rows: Iterator[Cells]


@dataclass(frozen=True, slots=True)
class Text:
    """A text file that is not a table of the ABS's columns."""

    title: str
    sha256: str
    text: str


def read(source: Source, is_wanted: IsWanted) -> Table | Text:
    """Read a table. A text file with no wanted column in its first line is returned as `Text`.

    Raises
    ------
    ValueError
        The source is not a table.
    TypeError
        The source is neither a path nor a frame.
    ImportError
        The source is an Excel workbook, and openpyxl is not installed.
    """
    if isinstance(source, pd.DataFrame):
        return _frame(source, is_wanted)
    if not isinstance(source, str | PathLike):
        raise TypeError(f"A list must be a path, a DataFrame or a GeoDataFrame, not {type(source).__name__}.")
    path = Path(expand_home(source))
    if path.suffix.casefold() in _BOUNDARIES:
        raise ValueError(
            f"{path.name} is a file of boundaries. Nothing was changed. Pass it as a GeoDataFrame: "
            f"geopandas.read_file({str(path)!r})"
        )
    content = path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if path.suffix.casefold() in {".xlsx", ".xlsm"}:
        columns, rows = _workbook(content, path.name, is_wanted)
        return Table(path.name, sha256, columns, rows)
    try:
        text = content.decode().replace(_MARK, "")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not text in UTF-8. Nothing was changed. Save it as CSV UTF-8.") from None
    head = text.partition("\n")[0]
    if not any(is_wanted(column.strip(' "\r')) for column in head.replace(";", ",").replace("\t", ",").split(",")):
        return Text(path.name, sha256, text)
    rows = _csv_rows(text, path.name)
    columns = [column.strip() for column in next(rows)]
    if not any(map(is_wanted, columns)):
        raise ValueError(
            f"The columns of {path.name} are not separated by commas. Nothing was changed. Save it as CSV with commas, "
            f"or pass a frame: pd.read_csv({str(path)!r}, sep=None, engine='python')"
        )
    return Table(path.name, sha256, columns, rows)


def _csv_rows(text: str, file: str) -> Iterator[Cells]:
    """Yield the rows of a CSV file, short ones filled up with empty values to the width of the first.

    Raise `ValueError` for a value beyond the columns of the first row. Rejected: pandas, which takes the first column
    for an index if the rows end in a comma, and would then read the states as the names.
    """
    rows, width = csv.reader(io.StringIO(text, newline=""), strict=True), 0
    try:
        for row in rows:
            width = width or len(row)
            if len(row) != width:
                beyond = next(filter(str.strip, row[width:]), None)
                if beyond is not None:
                    raise ValueError(
                        f"{file}, row {rows.line_num}: {sal.shown(beyond)} is beyond the last column. Nothing was "
                        "changed. Put quotation marks around a value that contains a comma."
                    )
                row += [""] * (width - len(row))  # noqa: PLW2901 - fills the row up
            yield row
    except csv.Error as problem:
        raise ValueError(f"{file}, line {rows.line_num}: {problem}. Nothing was changed.") from None


def _workbook(content: bytes, file: str, is_wanted: IsWanted) -> tuple[Cells, Iterator[Cells]]:
    """Return the wanted columns of a workbook, and the rows of all sheets that have the same ones as the first."""
    try:
        import openpyxl  # noqa: PLC0415 - comes with the extra `excel` only
    except ImportError:
        raise ImportError(
            f"Reading {file} needs openpyxl, which is not installed. Save the sheet as CSV, or: {install_line('excel')}"
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except Exception as problem:  # noqa: BLE001 - openpyxl raises many kinds for a file that is no workbook
        raise ValueError(
            f"{file} cannot be read as an Excel workbook ({problem}). Nothing was changed. Save the sheet as CSV, and "
            "load that file."
        ) from None
    found = [sheet for sheet in (_sheet(sheet, is_wanted) for sheet in book.worksheets) if sheet is not None]
    if not found:
        raise ValueError(
            f"No sheet of {file} has a column of suburb names, such as SAL_NAME_2021. Nothing was changed."
        )
    columns, _ = found[0]
    return columns, chain.from_iterable(rows for like, rows in found if like == columns)


def _sheet(sheet: Worksheet, is_wanted: IsWanted) -> tuple[Cells, Iterator[Cells]] | None:
    """Return the wanted columns of a sheet and its rows; None if the first rows have no wanted label.

    Only the wanted cells are made into text.
    """
    rows = sheet.iter_rows(values_only=True)
    for header in islice(rows, _HEADER_ROWS):
        names = list(map(_cell, header))
        wanted = [number for number, name in enumerate(names) if is_wanted(name)]
        if wanted:
            cells = ([_cell(row[number]) if number < len(row) else "" for number in wanted] for row in rows)
            return [names[number] for number in wanted], cells
    return None


def _frame(frame: pd.DataFrame, is_wanted: IsWanted) -> Table:
    """Return the wanted columns of a frame, and its index levels, as a table."""
    levels = [(name, frame.index.get_level_values(number)) for number, name in enumerate(frame.index.names)]
    labelled = [*levels, *((label, frame.iloc[:, number]) for number, label in enumerate(frame.columns))]
    wanted = {number: str(label) for number, (label, _) in enumerate(labelled) if is_wanted(str(label))}
    # A column that is also the index, as set_index(..., drop=False) makes it, is read once.
    numbers = [number for number, label in wanted.items() if number >= len(levels) or label not in frame.columns]
    columns = [wanted[number] for number in numbers]
    texts = [list(map(_cell, labelled[number][1])) for number in numbers]
    digest = hashlib.sha256(repr([columns, texts]).encode("utf-8", "replace")).hexdigest()
    return Table(f"{type(frame).__name__} {digest[:8]}", digest, columns, zip(*texts, strict=True))


def _cell(value: Any) -> str:
    """Return a value as text: an empty text if it is missing, a whole number without decimals."""
    if isinstance(value, str):
        return value.strip()
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
