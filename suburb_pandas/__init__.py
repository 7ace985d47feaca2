"""Australian suburb rents and amenity price impacts beside your pandas frames.

>>> df = pd.DataFrame({"suburb": ["Lantern Bay (NSW)", "Quokka Bay"]})
>>> df.suburb.rent().columns.to_list()
['area_name', 'house', 'unit']

Without a key, all suburbs are made up. ``sp.connect(api_key="test")`` gives nine real ones, free.
"""

import typing as _typing

from . import attribute as _attribute
from .books import ledger, quote, vintages
from .cadence import cadence, quality
from .cassettes import cassette
from .citations import cite, provenance
from .client import Client
from .errors import (
    AmbiguousSuburb,
    BatchIncomplete,
    BudgetExceeded,
    CapExceeded,
    CassetteError,
    ContractViolation,
    DataWarning,
    Forbidden,
    InvalidName,
    NoData,
    NoDataWarning,
    NoSuburbColumn,
    NotStored,
    PaymentRequired,
    RateLimited,
    Rejected,
    ServiceError,
    SettingsError,
    SkippedRowsWarning,
    StaleDataWarning,
    StoreError,
    SuburbError,
    SuburbWarning,
    SyntheticDataWarning,
    Unauthorized,
    UnknownSuburb,
    Unreachable,
)
from .growth import growth
from .loaders import impact_summary, impacts, rent
from .lookups import find, load_gazetteer, places, suggest
from .plots import plot_impacts, plot_rent
from .quotes import Quote
from .resampling import resample
from .resolving import resolve
from .scorecard import scorecard
from .session import connect, show_settings

if _typing.TYPE_CHECKING:
    from .widgets import SuburbPicker

    __version__: str

__all__ = [
    "AmbiguousSuburb",
    "BatchIncomplete",
    "BudgetExceeded",
    "CapExceeded",
    "CassetteError",
    "Client",
    "ContractViolation",
    "DataWarning",
    "Forbidden",
    "InvalidName",
    "NoData",
    "NoDataWarning",
    "NoSuburbColumn",
    "NotStored",
    "PaymentRequired",
    "Quote",
    "RateLimited",
    "Rejected",
    "ServiceError",
    "SettingsError",
    "SkippedRowsWarning",
    "StaleDataWarning",
    "StoreError",
    "SuburbError",
    "SuburbPicker",
    "SuburbWarning",
    "SyntheticDataWarning",
    "Unauthorized",
    "UnknownSuburb",
    "Unreachable",
    "cadence",
    "cassette",
    "cite",
    "connect",
    "find",
    "growth",
    "impact_summary",
    "impacts",
    "ledger",
    "load_gazetteer",
    "places",
    "plot_impacts",
    "plot_rent",
    "provenance",
    "quality",
    "quote",
    "rent",
    "resample",
    "resolve",
    "scorecard",
    "show_settings",
    "suggest",
    "vintages",
]


def __dir__() -> list[str]:
    """List the public names, for Tab."""
    return sorted([*__all__, "__version__"])


def _look_up(name: str) -> _typing.Any:
    """Give what is looked up, or imported, only when it is asked for."""
    if name == "SuburbPicker":
        from .widgets import SuburbPicker  # noqa: PLC0415 - slow to import

        return SuburbPicker
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - as it says

        return version("suburb_pandas")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


if not _typing.TYPE_CHECKING:  # type checkers would take it that the package has any name there is
    __getattr__ = _look_up


def load_ipython_extension(ipython: _typing.Any) -> None:
    """Make ``%%cassette`` known, for ``%load_ext suburb_pandas``."""
    from .magics import load  # noqa: PLC0415 - only a notebook needs it

    load(ipython)


_attribute.install()
