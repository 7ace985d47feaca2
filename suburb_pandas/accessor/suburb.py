"""Defines the accessor ``df.suburb``, and installs it on ``pandas.DataFrame``.

On a frame with a column called ``suburb``, ``df.suburb`` is the column, as in pandas, with the lookup methods attached
to it. On any other frame it is the accessor. Making the methods is left to methods.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Sequence
from types import MethodType
from typing import Any, Final, NoReturn

import pandas as pd

from suburb_pandas.accessor import methods
from suburb_pandas.accessor.methods import Method, method
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.column import SUBURB
from suburb_pandas.geocoding.places import join_places
from suburb_pandas.geocoding.resolve import resolve
from suburb_pandas.loaders.join import join_impacts, join_rent, join_scorecard
from suburb_pandas.loaders.ledger import quote
from suburb_pandas.loaders.loaders import impact_summary, impacts, rent
from suburb_pandas.loaders.rent_index import rent_index
from suburb_pandas.loaders.scorecard import scorecard
from suburb_pandas.messages import warn
from suburb_pandas.plotting.plots import plot
from suburb_pandas.timeseries.cadence import cadence
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.quality import quality
from suburb_pandas.timeseries.resample import resample


class SuburbAccessor:
    """Look up the suburbs of a frame: their rents, the price impacts of their amenities, their names and locations.

    - ``rent()``, ``impacts()``, ``impact_summary()`` and ``scorecard()`` return frames of their own.
    - ``join_rent()``, ``join_impacts()``, ``join_scorecard()`` and ``join_places()`` return this frame with more
      columns, and with the same rows.
    - ``quote()`` returns the cost of loading data, ``places()`` the locations, and ``resolve()`` the exact names of
      suburbs in free text. ``quote()``, ``places()`` and ``join_places()`` make no call.

    On a frame with a column called ``suburb``, ``df.suburb`` is that column, with these methods attached. No other
    Series has them, not even ``df["suburb"]``: pass a Series to the functions of the package, as in
    ``sp.rent(df["suburb"])`` after ``import suburb_pandas as sp``.

    The suburbs are in the column or index level that the argument ``column`` of a method names. By default that is
    ``area_name`` if there is one, otherwise the one column or index level called ``suburb``, ``suburb_name``,
    ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``, ``SAL_NAME_2021``), in upper or lower case, with
    underscores or spaces. If there is none of these, a column of the ABS's codes (``SAL_CODE_2021``) will do, once a
    list with codes is loaded. Suburbs are taken in the order of the rows, each once. Rows without a name are skipped
    with a `SkippedRowsWarning`.

    For a frame of rents, as ``rent()`` returns it, there are also ``resample()``, ``cadence()``, ``quality()``,
    ``growth()`` and ``rent_index()``. ``plot()`` draws a frame of rents or of drivers, or a scorecard, and ``style()``
    returns it as a table for people to read.

    Nothing is looked up, computed or checked until a method is called.

    Type checkers take ``df.suburb`` for a column, as the stubs of pandas do with any name, so ``df.suburb.rent()`` is
    ``Any`` to them. Use ``sp.rent(df["suburb"])``, which they know to be a DataFrame, or annotate the variable, as
    in ``rents: pd.DataFrame = df.suburb.rent()``.

    Parameters
    ----------
    frame
        The frame with the suburbs.

    See Also
    --------
    suburb_pandas.rent : The rent history of suburbs in a list, a Series or an Index.
    suburb_pandas.find : Ask the service for the names that a text can mean.
    """

    # No other state: each access to `df.suburb` makes a new accessor.
    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    rent: Method = method(rent)
    impacts: Method = method(impacts)
    impact_summary: Method = method(impact_summary)
    scorecard: Method = method(scorecard)
    join_rent: Method = method(join_rent, options_of=impacts)
    join_places: Method = method(join_places)
    join_impacts: Method = method(join_impacts, options_of=impact_summary)
    join_scorecard: Method = method(join_scorecard, options_of=scorecard)
    resolve: Method = method(methods.resolve, options_of=resolve)
    places: Method = method(methods.places)
    quote: Method = method(methods.quote, options_of=quote)

    # A column called `suburb` does not get the methods from here on: a Series has a `resample` of its own.
    resample: Method = method(resample)
    cadence: Method = method(cadence)
    quality: Method = method(quality)
    growth: Method = method(growth)
    rent_index: Method = method(rent_index)
    plot: Method = method(plot)
    style: Method = method(methods.style)

    def __repr__(self) -> str:
        return f"<df.suburb: {', '.join(METHODS)}>"

    # Without this package, `df.suburb` raises AttributeError on a frame without that column. So must its attributes and
    # comparisons: with Python's own `==`, `df["here"] = df.suburb == "Quokka Bay"` would silently be False in all rows.
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"df.suburb has no {name!r}: this frame has no column called 'suburb', so df.suburb offers "
            f"{', '.join(METHODS)}.",
            name=name,
            obj=self,
        )

    def __eq__(self, other: object) -> NoReturn:
        raise AttributeError("There is nothing to compare: this frame has no column called 'suburb'.")

    def __hash__(self) -> int:
        return object.__hash__(self)


METHODS: Final = tuple(name for name in vars(SuburbAccessor) if not name.startswith("_"))
LOOKUPS: Final = METHODS[: METHODS.index("resample")]
_WIDTH: Final = max(map(len, LOOKUPS)) + 4
COLUMN_HELP: Final = "\n".join(
    [
        "The column, with lookups of suburb_pandas for the suburbs of its frame:",
        "",
        *(f"{name}()".ljust(_WIDTH) + getattr(SuburbAccessor, name).__doc__.partition("\n")[0] for name in LOOKUPS),
        "",
        "Their options: df.suburb.rent?",
        "They belong to df.suburb alone. For any other Series, and for everything else:",
        "",
        "import suburb_pandas as sp",
        'sp.rent(df["suburb"])',
        "",
        "In every other way, df.suburb is an ordinary Series: pd.Series?",
    ]
)
"""The documentation of ``df.suburb`` on a frame with a column of that name."""

_SMALL_INDEX: Final = 1000


class SuburbAttribute:
    """The attribute ``suburb`` of ``DataFrame``: the column if there is one, otherwise the accessor.

    The attribute is hidden from pandas' own code. So pandas handles ``df.suburb = ...``, ``del df.suburb``, ``eval``
    and ``agg`` in its own way, and its warnings point to the user's line. Rejected: a ``__set__`` in this class. pandas
    would take the stack frame of ``__set__`` for the user's line, and ``__set__`` would have to decide whether to write
    a column, set an attribute or warn.
    """

    def __get__(self, frame: pd.DataFrame | None, _owner: type[pd.DataFrame] | None = None) -> Any:
        if frame is None:
            return SuburbAccessor
        if _asked_by_pandas():
            raise AttributeError(f"{type(frame).__name__!r} object has no attribute {SUBURB!r}", name=SUBURB, obj=frame)
        try:
            column = frame.__getattr__(SUBURB)
        except AttributeError:
            return SuburbAccessor(frame)
        if isinstance(column, pd.Series):
            _attach_lookups(column, frame, _row_labels(column.index))
        elif isinstance(column, pd.DataFrame):  # several columns of that name: the lookups need column=
            _attach_lookups(column, frame, column.columns)
        return column


def _asked_by_pandas() -> bool:
    """Return True if pandas' own code reads the attribute. A caller in C, such as R's bridge, has no frame."""
    caller = sys._getframe(1).f_back  # noqa: SLF001 - inspect.currentframe() does the same at twice the cost
    return caller is not None and str(caller.f_globals.get("__name__")).startswith("pandas.")


def install() -> None:
    """Put ``suburb`` on ``pandas.DataFrame``. It replaces an attribute of that name, also that of another library.

    If pandas would lose values that are assigned to a column of that name, it is removed again, with a warning.
    """
    setattr(pd.DataFrame, SUBURB, SuburbAttribute())
    if not _columns_can_be_assigned():
        delattr(pd.DataFrame, SUBURB)
        warn(
            f"df.suburb is not available, because pandas {pd.__version__} would lose values that are assigned to a "
            'column called suburb. Use the functions of the package instead, as in sp.rent(df["suburb"])',
            SuburbWarning,
        )


def _columns_can_be_assigned() -> bool:
    """Return True if pandas sets attributes as `SuburbAttribute` expects. Otherwise data would be lost silently."""
    probe = pd.DataFrame({SUBURB: [0]})
    setattr(probe, SUBURB, 1)
    return SUBURB not in vars(probe)


def _attach_lookups(column: pd.Series[Any] | pd.DataFrame, frame: pd.DataFrame, taken: Collection[Hashable]) -> None:
    """Attach the lookups to this one object, except those with a name in ``taken``.

    The object keeps its pandas class, so copies and pickles are unchanged. The lookups are bound to the frame, so that
    they find any of its columns. Rejected: binding them to the Series, which would suppress pandas' warnings of chained
    assignment; and a weak reference to the frame, which would die too early in ``df.head().suburb.rent()``.

    Help on the object (``df.suburb?``) begins with the lookups. The help of its class is still pandas' own.
    """
    accessor, attributes = SuburbAccessor(frame), vars(column)
    if isinstance(column, pd.Series):
        attributes.setdefault("__doc__", COLUMN_HELP)
    for name in LOOKUPS:
        # An attribute that the user set is kept: before pandas 3, every `df.suburb` returns the same Series.
        method = getattr(accessor, name)
        if name not in taken and isinstance(attributes.get(name, method), MethodType):
            attributes[name] = method


def _row_labels(index: pd.Index[Any]) -> Sequence[str]:
    """Return the names of lookups that are also row labels. They stay attributes that return a row, as in pandas.

    A large index is not searched, because that takes a full scan. There the lookup takes precedence.
    """
    if index.dtype.kind != "O" or len(index) > _SMALL_INDEX:
        return ()
    return [name for name in LOOKUPS if name in index]
