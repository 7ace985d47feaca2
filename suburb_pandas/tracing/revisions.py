"""Returns frames of the changes between the stored vintages of suburbs, and of first releases. It makes no call.

Comparing the vintages is left to loaders.vintages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.marks import mark, marks_of
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.loaders.batch import gather
from suburb_pandas.loaders.frames import UTC_TIME, long_series_frame, series_frame, table
from suburb_pandas.loaders.options import Moment, Options, Suburbs, read_moment
from suburb_pandas.loaders.vintages import Revision, revisions_between
from suburb_pandas.messages import listed
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.series import first_values
from suburb_pandas.tracing.check import stored_vintages

_DATE: Final = "date"
_KEYS: Final = {"series": ("property_type", _DATE), "rows": ("label", "field")}
_DTYPES: Final = {
    "first_value": "float64",
    "last_value": "float64",
    "change_pct": "float64",
    "n_values": "int64",
    "first_retrieved_at": UTC_TIME,
    "last_retrieved_at": UTC_TIME,
    "status": "str",
}


def revisions(
    suburbs: Suburbs,
    endpoint: str = "rent",
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    client: Client | None = None,
) -> pd.DataFrame:
    """Return the changes between the stored responses of each suburb. No call is made.

    Medians are revised after they are first published, and the store keeps every response. A value is compared from the
    first response whose dates surround it, in every later one that does not begin after it. So a new date at the end of
    a series is not a revision, but a value that is missing at the end counts as removed. A response without data is
    left out.

    A value that changes is one row, from the first response that has it to the last. If responses in between lack it,
    there is a row where it disappears, one where it comes back, and one for its changes on either side. So a value that
    is revised, removed and added again has three rows.

    A response that begins later than the one before it, or lacks the series of a property type, cuts off a history.
    That is one row for the suburb, which counts the points. Points that the next responses cut off are in the same row.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index.
    endpoint
        ``"rent"`` or ``"impacts"``.
    since, until
        Compare only responses retrieved from ``since`` to ``until``. A time is in UTC unless it has a time zone; a date
        or a month means its beginning for ``since``, and its end for ``until``.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each change, suburbs in the order given: ``area_name``, ``property_type`` and ``date`` (datetime64);
        for impacts ``label`` (NA for a total) and ``field`` instead of these two. The changes of a value follow one
        another in the order of the responses.

        - ``first_value``, ``last_value`` (float64, in the unit of the number): in the first and the last response of
          the row; NaN if the response lacks it
        - ``change_pct`` (float64, per cent): from the first value to the last; NaN if one of them is missing or the
          first is 0
        - ``n_values`` (int64): the number of distinct values in the responses of the row: 1 if it was removed or added.
          For ``cut off`` and ``restored``, the number of points
        - ``first_retrieved_at``, ``last_retrieved_at`` (datetime64, in UTC without a time zone): of these two responses
        - ``status``: ``revised``; ``removed`` (the first response is the last one with the value, the last response the
          first one without it); ``added`` (the reverse); ``cut off``; or ``restored``, for points that were cut off and
          came back. A value that was changed and changed back is ``revised`` by 0 per cent

        In a row that is ``cut off`` or ``restored``, ``date`` is the latest of these points, and ``property_type`` is
        NA if they are of both property types.

    Raises
    ------
    InvalidName
        A value is not a name.
    ValueError
        ``endpoint`` is neither of the two, or ``since`` or ``until`` is not a time.
    StoreError
        The store cannot be read.

    See Also
    --------
    first_releases : Return the first release of each rent.
    vintages : Return the stored responses of a suburb.

    Examples
    --------
    >>> sp.revisions(["Lantern Bay (NSW)", "Quokka Bay"]).empty
    True
    """
    comparable = [name for name, one in ENDPOINTS.items() if one.shape in _KEYS]
    if endpoint not in comparable:
        raise ValueError(f"endpoint must be one of {listed(comparable)}, not {endpoint!r}.")
    first = None if since is None else read_moment(since, "since", is_end=False)
    last = None if until is None else read_moment(until, "until", is_end=True)
    names, context = select_suburbs(suburbs, "sp.revisions({})").names, request_context(client)
    context.warn_if_made_up()
    rows: list[Mapping[str, Any]] = []
    for item in (Item(endpoint, name) for name in names):
        stored = stored_vintages(context, item)
        within = [one for one in stored if _is_within(one.response.retrieved_at, first, last)]
        rows += _rows(item, revisions_between(item, within))
    frame = _frame(endpoint, rows)
    made_up = {"made_up": True} if context.source == "embedded" else {}
    unit = ENDPOINTS[endpoint].unit
    values = unit if isinstance(unit, str) else "as in field"
    units = {"first_value": values, "last_value": values, "change_pct": "per cent", "n_values": "values"}
    mark(frame, endpoint, context.source, units, **made_up)
    return frame


def first_releases(suburbs: Suburbs, *, client: Client | None = None) -> pd.DataFrame:
    """Return the value that was received first for each date of each rent. No call is made.

    ALFRED, the archive of vintages of the Federal Reserve Bank of St. Louis, calls it the *initial release*. It differs
    from the data that a study had on a day, in ALFRED those of a *real-time period*: by then, earlier values may have
    been revised. ``sp.rent(suburbs, retrieved_by="2026-06-30")`` returns the data of the store at the end of that day.

    Parameters
    ----------
    suburbs
        As in :func:`rent`. The rents have to be stored.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        As :func:`rent` returns: for each date and property type, the value in the oldest stored response that has the
        date, even if newer responses lack it. The store knows no release between two retrievals. For dates before the
        first retrieval, the value may have been revised before.

    Raises
    ------
    NotStored
        A suburb's rents are not stored.
    SuburbError
        As in :func:`rent`.

    See Also
    --------
    rent : Return the rents; with ``retrieved_by``, as the store had them at a time.
    revisions : Return the changes between stored responses.

    Examples
    --------
    >>> rents = sp.rent("Quokka Bay")
    >>> sp.first_releases("Quokka Bay").equals(rents)
    True
    """
    batch = gather("rent", suburbs, Options(offline=True, client=client), "first_releases")
    names, context = batch.selection.names, batch.context
    payloads = {}
    for item in batch.answers.readings:
        received = stored_vintages(context, item)
        if with_data := [one for one in received if one.has_data]:
            payloads[item.area_name] = first_values([one.payload for one in with_data])
            batch.answers.readings[item] = with_data[0]  # the newest response may have no data, or be a failure
            batch.result.failures.pop(item, None)
        for one in received:
            provenance_log.note_use(item, one)
    batch.raise_for_one()
    is_one = batch.selection.one
    frame = batch.finish(series_frame(payloads[names[0]]) if is_one else long_series_frame(payloads, names))
    marks = marks_of(frame)  # without the facts of a single response, because several are behind the frame
    fields = {field: marks[field] for field in ("made_up", AREA_NAME) if field in marks}
    mark(frame, "rent", batch.source, ENDPOINTS["rent"].unit, **fields)
    return frame


def _is_within(retrieved_at: str, first: str | None, last: str | None) -> bool:
    """Return True if a time is in a period. Times are not compared as text, because some have no microseconds."""
    if not retrieved_at:
        return first is None and last is None
    since, moment, until = (
        datetime.fromisoformat(at) for at in (first or retrieved_at, retrieved_at, last or retrieved_at)
    )
    return since <= moment <= until


def _rows(item: Item, revisions: Iterable[Revision]) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each revision; those of a series by property type and date, others in the service's order."""
    shape = ENDPOINTS[item.endpoint].shape
    if shape == "series":
        revisions = sorted(revisions, key=lambda revision: tuple(map(str, revision.key)))
    for revision in revisions:
        key = dict(zip(_KEYS[shape], revision.key, strict=True))
        yield {AREA_NAME: item.area_name, **key, **revision._asdict(), "change_pct": revision.change_pct}


def _frame(endpoint: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    keys = {key: "datetime64" if key == _DATE else "str" for key in _KEYS[ENDPOINTS[endpoint].shape]}
    return table(rows, {AREA_NAME: "str", **keys, **_DTYPES})
