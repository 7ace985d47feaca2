"""``df.suburb``: the accessor, put together from its methods by subject: loading, naming and rents.

The methods pass their calls on. How the accessor gets onto DataFrame is left to install.
"""

from typing import Final, NoReturn

from suburb_pandas.accessor.loading import LoadingAccessor
from suburb_pandas.accessor.naming import NamingAccessor
from suburb_pandas.accessor.rents import RentAccessor


class SuburbAccessor(LoadingAccessor, NamingAccessor, RentAccessor):
    """Methods for a frame of suburbs: their rents, and the price impacts of their amenities.

    The suburbs are in the column or index level that the argument ``column`` of a method names. By default that is
    ``area_name`` if there is one, otherwise the one column or index level called ``suburb``, ``suburb_name``,
    ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``, ``SAL_NAME_2021``), in any case. Suburbs are
    taken in the order of the rows, each once. Rows without a name are skipped with a `SkippedRowsWarning`.

    For a frame of rents, as ``rent()`` returns it, there are also ``resample()``, ``cadence()``, ``quality()`` and
    ``growth()``. ``plot()`` draws a frame of rents or of drivers.

    Nothing is looked up, computed or checked until a method is called.

    Parameters
    ----------
    frame
        The frame with the suburbs.
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
LOOKUPS: Final = _public(LoadingAccessor, NamingAccessor)
METHODS: Final = (*LOOKUPS, *_public(RentAccessor))
