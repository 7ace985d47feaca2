"""Australian suburb rents and amenity price impacts in pandas.

The ten functions to know, after ``import suburb_pandas as sp``:

sp.rent        Load the rents of suburbs: AUD per week, houses and units.
sp.impacts     Load premiums of sales without an amenity: AUD, and per cent.
sp.scorecard   Load a row for each suburb: rents, growth, sales, premiums.
sp.plot_rent   Draw rents. plot_impacts and others draw other data.
sp.resolve     Turn suburbs as people write them into exact names.
sp.resample    Put monthly and weekly rents on one calendar.
sp.connect     Choose the key, the store and the limits on spending.
sp.quote       Return what a request would cost. No call is made.
sp.cassette    Record a study, so that it reruns with no key or network.
sp.cite        Return the sentence that cites a frame, or the software.

``df.suburb`` looks up the suburbs in a column of your own frame:

>>> df = pd.DataFrame({"suburb": ["Lantern Bay (NSW)", "Quokka Bay"]})
>>> df.suburb.rent().columns.to_list()
['area_name', 'house', 'unit']

Without a key, all suburbs are made up. ``sp.connect(api_key="test")``
offers nine real ones, free.

``dir(sp)`` lists all functions, ``help(sp.rent)`` describes one with its
options, and the notebooks, from 01_quickstart.ipynb on, show them at work.
"""

import typing as _typing

from suburb_pandas import errors
from suburb_pandas.accessor.suburb import install as _install
from suburb_pandas.cassettes.cassette import cassette
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import connect, set_limits, show_settings
from suburb_pandas.errors import SuburbError, SuburbWarning
from suburb_pandas.geocoding.find import find, load_gazetteer, suggest
from suburb_pandas.geocoding.places import places
from suburb_pandas.geocoding.resolve import resolve
from suburb_pandas.loaders.ledger import ledger, quote, vintages
from suburb_pandas.loaders.loaders import impact_summary, impacts, rent
from suburb_pandas.loaders.rent_index import rent_index
from suburb_pandas.loaders.scorecard import scorecard
from suburb_pandas.plotting.plots import plot_impacts, plot_map, plot_rent, plot_scorecard
from suburb_pandas.plotting.sandbox_boundaries import sandbox_boundaries
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.timeseries.cadence import cadence
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.quality import quality
from suburb_pandas.timeseries.resample import resample
from suburb_pandas.tracing.citation import cite
from suburb_pandas.tracing.provenance import provenance
from suburb_pandas.tracing.revisions import first_releases, revisions

if _typing.TYPE_CHECKING:
    from suburb_pandas.notebook.picker import SuburbPicker

    __version__: str

__all__ = [
    "Client",
    "Quote",
    "SuburbError",
    "SuburbPicker",
    "SuburbWarning",
    "cadence",
    "cassette",
    "cite",
    "connect",
    "errors",
    "find",
    "first_releases",
    "growth",
    "impact_summary",
    "impacts",
    "ledger",
    "load_gazetteer",
    "places",
    "plot_impacts",
    "plot_map",
    "plot_rent",
    "plot_scorecard",
    "provenance",
    "quality",
    "quote",
    "rent",
    "rent_index",
    "resample",
    "resolve",
    "revisions",
    "sandbox_boundaries",
    "scorecard",
    "set_limits",
    "show_settings",
    "suggest",
    "vintages",
]


def __dir__() -> list[str]:
    """List the public names, for Tab."""
    return sorted([*__all__, "__version__"])


def _look_up(name: str) -> _typing.Any:
    """Return a public name that is slow to import or to look up."""
    if name == "SuburbPicker":
        from suburb_pandas.notebook.picker import SuburbPicker  # noqa: PLC0415 - slow to import

        return SuburbPicker
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow to import

        return version("suburb_pandas")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


if not _typing.TYPE_CHECKING:  # with a __getattr__, type checkers accept any name
    __getattr__ = _look_up


def load_ipython_extension(ipython: _typing.Any) -> None:
    """Register ``%%cassette``, for ``%load_ext suburb_pandas``."""
    from suburb_pandas.notebook.magics import load  # noqa: PLC0415 - needed in notebooks only

    load(ipython)


_install()
