"""Defines the accessor ``df.suburb``, which inherits its methods from loading, joining, naming and rents.

Putting the accessor on DataFrame is left to install.
"""

from inspect import getdoc
from typing import Final, NoReturn

from suburb_pandas.accessor.joining import JoiningAccessor
from suburb_pandas.accessor.loading import LoadingAccessor
from suburb_pandas.accessor.naming import NamingAccessor
from suburb_pandas.accessor.rents import RentAccessor


class SuburbAccessor(LoadingAccessor, JoiningAccessor, NamingAccessor, RentAccessor):
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
    underscores or spaces. Suburbs are taken in the order of the rows, each once. Rows without a name are skipped with a
    `SkippedRowsWarning`.

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

    # No state of its own: each access to `df.suburb` makes a new accessor.
    __slots__ = ()

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

    def __ne__(self, other: object) -> NoReturn:
        self.__eq__(other)

    def __hash__(self) -> int:
        return object.__hash__(self)


def _public(*classes: type) -> tuple[str, ...]:
    return tuple(name for kind in classes for name in vars(kind) if not name.startswith("_"))


# A column called `suburb` gets the lookups only: a Series already has a `resample` of its own.
LOOKUPS: Final = _public(LoadingAccessor, JoiningAccessor, NamingAccessor)
METHODS: Final = (*LOOKUPS, *_public(RentAccessor))


def _summary(name: str) -> str:
    """Return a method and the first sentence of its docstring; with ``python -OO`` there are no docstrings."""
    paragraph = " ".join((getdoc(getattr(SuburbAccessor, name)) or "").partition("\n\n")[0].split())
    return f"{name}()".ljust(18) + paragraph.partition(". ")[0].removesuffix(".")


COLUMN_HELP: Final = "\n".join(
    [
        "The column, with lookups of suburb_pandas for the suburbs of its frame:",
        "",
        *map(_summary, LOOKUPS),
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
