"""Makes the methods of ``df.suburb`` from the functions of the package, with their signatures and help.

Also owns the functions that ``df.suburb`` alone offers. They read columns of the user's frame, and leave the rest to
geocoding, loaders and plotting.
"""

import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.frames.column import column_or_level, queries_of, suburbs_of
from suburb_pandas.geocoding import places as known_places
from suburb_pandas.geocoding.resolve import resolve_rows
from suburb_pandas.loaders import ledger
from suburb_pandas.purchasing.quote import Quote

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

Method: TypeAlias = Callable[..., Any]
"""A method of ``df.suburb``, whose signature is seen when the program runs."""

_SELF: Final = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_COLUMN: Final = inspect.Parameter(
    "column", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Hashable | None
)
_COLUMN_HELP: Final = """\
column
    The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one called
    ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``). The error is
    `NoSuburbColumn` if there is none, if there are several, or if every name in it is missing.
"""


def method(function: Callable[..., Any], options_of: Callable[..., Any] | None = None) -> Method:
    """Return the method of ``df.suburb`` that calls a function, with the signature and the help of the function.

    A function whose first parameter is called ``frame`` is called with the frame. Any other has suburbs as its first
    parameter: the method has ``column`` instead, and calls the function with the suburbs in that column. If the
    function takes ``**options``, they are the keyword options of ``options_of``, and the method shows them one by one.
    """
    signature = inspect.signature(function)
    first, *own = signature.parameters.values()
    if options_of:
        passed_on = inspect.signature(options_of).parameters.values()
        own.pop()
        own += [one for one in passed_on if one.kind is one.KEYWORD_ONLY and one.name not in signature.parameters]
    takes_frame = first.name == "frame"
    signature = signature.replace(parameters=[_SELF, *own] if takes_frame else [_SELF, _COLUMN, *own])

    @wraps(function)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        given = signature.bind(self, *arguments, **options)
        given.apply_defaults()
        frame = self._frame
        given.arguments["self"] = frame if takes_frame else suburbs_of(frame, given.arguments.pop("column"))
        return function(*given.args, **given.kwargs)

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = _help(function)
    return call


def _help(function: Callable[..., Any]) -> str:
    """Return the help of a function for its method, which has another first parameter."""
    text = inspect.getdoc(function) or ""  # with ``python -OO`` there are no docstrings
    text = re.sub(r"(?m)^suburbs\n(?: +.*\n)+", _COLUMN_HELP, text)
    return re.sub(r"(?m)^frame$", "frame : the frame in front of ``.suburb``", text)


def resolve(
    frame: pd.DataFrame,
    state: Hashable | None = None,
    postcode: Hashable | None = None,
    *,
    region: Hashable | None = None,
    column: Hashable | None = None,
    **options: Any,
) -> "pd.Series[str] | pd.DataFrame":
    """Return the exact suburb name for each row, as in ``df["area_name"] = df.suburb.resolve()``.

    The queries are in the column called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS
    calls it (``SAL_NAME21``), even if there already is an ``area_name``. Running the line again can therefore fill
    in names that were missing.

    Parameters
    ----------
    frame
        The frame with the queries.
    state, postcode, region
        The columns or index levels that hold each row's state, postcode, and council or ABS area, if there are any.
    column
        The column or index level that holds the queries.
    detail, pins, append_pins, errors
        As in `suburb_pandas.resolve`.
    max_cents, refresh, max_age, offline, progress, client
        As in `suburb_pandas.rent`.

    Returns
    -------
    Series
        Named ``area_name``, text, on the frame's own index. Rows without a name are NA, with a
        `SkippedRowsWarning`.
    DataFrame
        With ``detail=True``, on the same index: how each row was resolved, as `suburb_pandas.resolve` returns it.

    Raises
    ------
    AmbiguousSuburb, UnknownSuburb
        As for `suburb_pandas.resolve`, which lists further errors; ``.resolved`` has the resolved rows.
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        There is no column for ``state``, ``postcode`` or ``region``. Nothing was sent.

    See Also
    --------
    suburb_pandas.resolve : The same for queries in a list or a Series.

    Examples
    --------
    >>> frame = pd.DataFrame({"suburb": ["lantern bay", "Quokka  bay"], "region": ["Tas", None]})
    >>> frame.suburb.resolve(state="region").to_list()
    ['Lantern Bay (Tas.)', 'Quokka Bay']
    """
    queries = queries_of(frame, column)
    beside = _values(frame, state), _values(frame, postcode), _values(frame, region)
    return resolve_rows(queries, beside, frame.index, **options)


def places(frame: pd.DataFrame, column: Hashable | None = None, *, client: Client | None = None) -> pd.DataFrame:
    """Return the locations of the frame's suburbs, as far as they are known on this machine. No call is made.

    The result has one row for each suburb and the names as its index. To add locations to the frame's own rows, use
    ``df.suburb.join_places()``: ``df["lga"] = df.suburb.places()["lga"]`` is NaN in every row, because pandas
    matches the labels of the rows with the names.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
    client
        The client to use instead of the default one.

    Returns
    -------
    DataFrame
        As `suburb_pandas.places` returns: index ``area_name``; columns ``state``, ``lga``, ``postcode``, ``sa2``,
        ``sa3``, ``sa4``, ``sal_code`` and ``origin``, text; the shares of the areas, float64; ``dwellings`` and
        ``persons``, Int64. NaN or NA where nothing is known.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.

    See Also
    --------
    join_places : Add the locations to the frame's own rows.
    suburb_pandas.places : Return the known suburbs of a state, a council, an SA4 or a postcode.

    Examples
    --------
    >>> frame = pd.DataFrame({"suburb": ["Quokka Bay", "Woylie", "Quokka Bay"]})
    >>> frame.suburb.places()["sa4"].to_dict()
    {'Quokka Bay': 'Marri Coast', 'Woylie': 'Inner Jarrah'}
    """
    return known_places.places(suburbs_of(frame, column), client=client)


def quote(
    frame: pd.DataFrame,
    endpoints: str | Iterable[str] = ("rent",),
    *,
    state: Hashable | None = None,
    postcode: Hashable | None = None,
    column: Hashable | None = None,
    **options: Any,
) -> Quote:
    """Return the cost of loading data about the frame's suburbs. No call is made.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    endpoints
        ``"rent"``, ``"impacts"``, or several; ``"scorecard"`` stands for the endpoints that a scorecard needs, and
        ``"resolve"`` for the look-ups that :meth:`resolve` makes.
    state, postcode
        With ``"resolve"``: the columns or index levels that hold each row's state and postcode.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        With ``"resolve"``, the one that holds the queries, as in :meth:`resolve`.
    refresh, max_age, check_names, client
        As in `suburb_pandas.rent`.

    Returns
    -------
    Quote
        As `suburb_pandas.quote` returns.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        There is no column for ``state`` or ``postcode``, or no endpoint uses it.

    See Also
    --------
    suburb_pandas.quote : The same for names in a list, a Series or an Index.

    Examples
    --------
    >>> frame = pd.DataFrame({"suburb": ["Bogong Rise", "Spinifex Landing"]})
    >>> frame.suburb.quote(["rent", "impacts"]).calls
    4
    """
    endpoints = endpoints if isinstance(endpoints, str) else list(endpoints)
    suburbs = queries_of(frame, column) if "resolve" in endpoints else suburbs_of(frame, column)
    states, postcodes = _values(frame, state), _values(frame, postcode)
    return ledger.quote(suburbs, endpoints, state=states, postcode=postcodes, **options)


def _values(frame: pd.DataFrame, label: Hashable | None) -> "pd.Series[Any] | pd.Index[Any] | None":
    """Return a column or index level of a frame, None for no label."""
    return None if label is None else column_or_level(frame, label, ValueError)


def style(frame: pd.DataFrame, *, columns: Sequence[Hashable] | None = None, labels: bool = True) -> "Styler":
    """Return this scorecard, or this frame of rents or of drivers, as a table for people to read.

    Headings are words with their units, as in the charts. Numbers with a unit have thousands separators,
    percentages one decimal, money and counts none. A mark stands beside each flag, and a dash for a missing value.
    The caption has the title and the operations in words, explains the flags, names the source, and says if data
    are made up.

    Parameters
    ----------
    frame
        The frame with the rents or drivers, or the scorecard.
    columns
        The columns to show, in this order. By default all of them, up to 16, so that a page of 1,280 pixels holds
        the table. A table of more columns has no dates of rents and of growth, no ratios to the price of all sales,
        no ``source`` and no ``retrieved_at``, and then the first 16, or 15 and ``status``. The
        sentence ``detail`` of each driver is left out unless asked for. The caption says how many columns are shown.
    labels
        Whether the headings are words. With ``labels=False`` they are the labels of the frame with the unit. A
        frame in the wide layout keeps its labels, which are suburbs.

    Returns
    -------
    pandas.io.formats.style.Styler
        A notebook shows it as HTML, and ``to_html()`` returns the HTML as text, the same for the same frame. It
        needs no script and no network. It holds the chosen columns, with their values and labels unchanged.

    Raises
    ------
    ValueError
        The frame has more than 1,000 rows, or several columns of one name.
    KeyError
        ``columns`` has a label that the frame does not have.

    See Also
    --------
    plot : Draw the frame.

    Examples
    --------
    >>> card = sp.scorecard(["Quokka Bay", "Woylie"])
    >>> "House rent, AUD per week" in card.suburb.style().to_html()
    True
    >>> card.suburb.style(columns=["house_rent", "sales_flag"]).data.columns.to_list()
    ['house_rent', 'sales_flag']
    """
    from suburb_pandas.plotting import tables  # noqa: PLC0415 - matplotlib is slow to import

    return tables.style(frame, columns=columns, labels=labels)
