"""Defines every error and warning of the package, with its fields. Messages are written where errors are raised.

::

    SuburbError
    ├── SettingsError        settings that cannot be used, or do not allow the request
    ├── InvalidName          not a suburb name; nothing was sent
    ├── NoSuburbColumn       the frame does not say where its suburbs are
    ├── UnknownSuburb        no suburb has exactly that name (404), or matches a query
    ├── AmbiguousSuburb      a query can mean more than one suburb
    ├── NoData               the service has no data for that suburb
    ├── Unauthorized         the service did not accept the key (401)
    ├── PaymentRequired      the wallet cannot pay for the call (402)
    ├── Forbidden            the key does not cover that suburb (403)
    ├── Rejected             the service refused the call (422 and other 4xx)
    ├── RateLimited          too many calls (429)
    ├── ServiceError         the service failed (5xx) or redirected the call (3xx)
    ├── Unreachable          no response arrived, or only a part of one
    ├── ContractViolation    a response breaks the service's specification
    ├── CapExceeded          the request would cost more than its cap
    ├── BudgetExceeded       the month's spending would exceed the budget
    ├── NotStored            a response is not in the store, and may not be bought
    ├── StoreError           the store cannot be read or written
    ├── CassetteError        a cassette cannot be read or written
    ├── ProvenanceError      a frame holds a value that is in no response
    └── BatchIncomplete      some suburbs of a request failed

    SuburbWarning (a UserWarning)
    ├── SyntheticDataWarning  the suburbs are made up
    ├── NoDataWarning         suburbs of a request have no data, or no drivers
    ├── SkippedRowsWarning    rows without a name, or names without a shape, were skipped
    ├── StaleDataWarning      stored responses older than 30 days
    └── DataWarning           points unreadable, out of order or doubled, impossible values or dates
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


class SuburbError(Exception):
    """Base class of all errors of the package.

    Parameters
    ----------
    message
        What happened, what it cost, and what to do next.
    status_code
        The HTTP status that the service answered with, if it answered.
    request_id
        The service's ``X-Request-Id``, to quote to its support.
    cents
        The cents that were charged despite the error; for a call with an unknown outcome, the most that may have been
        charged.
    retry_after
        Seconds to wait before the next call, if the service gave a number.
    quote
        The quote of the request, for an error about its cost.
    area_name
        The suburb of the call that failed; for a look-up, its query.

    Attributes
    ----------
    retryable : bool
        True if the same request can succeed later, unchanged.
    is_stored : bool
        True if the response behind the error is stored, so the same request fails again at no cost. ``refresh=True``
        asks again.
    frame : pandas.DataFrame or None
        For an error that ended a request for many suburbs: the data that arrived.
    failures : mapping of str to SuburbError
        For an error that ended a request for many suburbs: the error of each suburb that failed.
    resolved : pandas.Series or None
        For an error of ``resolve``: the names that were resolved, NA elsewhere.
    problems : pandas.DataFrame or None
        For an error of ``resolve``: a row for each unresolved query, with the reason.

    See Also
    --------
    BatchIncomplete : Raised if some of many suburbs failed.
    """

    status_code: int | None = None
    request_id: str | None = None
    cents: int = 0
    retry_after: float | None = None
    quote: Any = None
    area_name: str | None = None
    retryable: bool = False
    is_stored: bool = False
    frame: Any = None
    failures: Mapping[str, SuburbError] = MappingProxyType({})
    resolved: Any = None
    problems: Any = None

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message)
        for name, value in fields.items():
            getattr(type(self), name)  # a field of another name, such as a misspelt one, is an AttributeError
            setattr(self, name, value)


class SettingsError(SuburbError):
    """A key, URL, store or limit cannot be used, or the settings do not allow the request.

    See Also
    --------
    suburb_pandas.connect : Make the default client.
    """


class InvalidName(SuburbError):
    """A value cannot be a suburb name: it is not text, is empty or too long, has a control character, or stands for a
    missing name, such as ``n.a.``. Nothing was sent.

    See Also
    --------
    suburb_pandas.resolve : Turn free text into suburb names.
    """


class NoSuburbColumn(SuburbError):
    """The frame has no column or index level of suburbs, or several, or one in which every name is missing.

    See Also
    --------
    suburb_pandas.rent : The rent history of suburbs.
    """


class UnknownSuburb(SuburbError):
    """No suburb has exactly that name, or no known suburb matches a query.

    Attributes
    ----------
    suggestions : tuple of str
        Similar names; empty if none is known.

    See Also
    --------
    suburb_pandas.suggest : Names similar to a text, free.
    suburb_pandas.resolve : Turn free text into suburb names.
    """

    suggestions: tuple[str, ...] = ()


class AmbiguousSuburb(SuburbError):
    """A query can mean more than one suburb, and none was chosen.

    Attributes
    ----------
    candidates : tuple of str
        The names of the suburbs that it can mean, as far as they are known.

    See Also
    --------
    suburb_pandas.resolve : Turn free text into suburb names.
    """

    candidates: tuple[str, ...] = ()


class NoData(SuburbError):
    """The service knows the suburb and has no data for it.

    Attributes
    ----------
    reason : str or None
        The service's own code for the reason.

    See Also
    --------
    NoDataWarning : Issued if some of many suburbs have no data.
    """

    is_stored = True
    reason: str | None = None


class Unauthorized(SuburbError):
    """The service did not accept the key (401).

    See Also
    --------
    suburb_pandas.connect : Make the default client.
    """


class PaymentRequired(SuburbError):
    """The key's prepaid wallet cannot pay for the call (402).

    See Also
    --------
    suburb_pandas.ledger : Every call and what it cost.
    """


class Forbidden(SuburbError):
    """The key does not cover that suburb (403).

    Attributes
    ----------
    known : tuple of str
        The suburbs that the key ``test`` covers; empty for any other key.

    See Also
    --------
    suburb_pandas.connect : Make the default client.
    """

    known: tuple[str, ...] = ()


class Rejected(SuburbError):
    """The service refused the call (422 and other 4xx).

    See Also
    --------
    ServiceError : Raised if the service failed.
    """


class RateLimited(SuburbError):
    """Too many calls in too short a time (429).

    See Also
    --------
    ServiceError : Raised if the service failed.
    """

    retryable = True


class ServiceError(SuburbError):
    """The service failed (5xx), or redirected the call (3xx). The key is not sent to the new address.

    See Also
    --------
    Unreachable : Raised if no response arrived.
    """

    retryable = True


class Unreachable(SuburbError):
    """No response arrived, or only a part of one. ``cents`` is the most that the call may have cost.

    Suburbs that were not asked for, because the service seems to be down or broken, fail with it too.

    See Also
    --------
    ServiceError : Raised if the service failed.
    """

    retryable = True


class ContractViolation(SuburbError):
    """A response breaks the service's specification. It is stored; ``refresh=True`` buys another one.

    Attributes
    ----------
    path : str
        The place in the response, as in ``$.data.house[3].date``.
    is_about_another : bool
        True if the response is about another suburb than the one that was asked for.

    See Also
    --------
    suburb_pandas.vintages : The stored responses of a suburb.
    """

    path: str = "$"
    is_about_another: bool = False


class CapExceeded(SuburbError):
    """The request would cost more than its cap; or a call cost more than quoted, and the rest was not sent.

    Attributes
    ----------
    quote : suburb_pandas.Quote
        The quote of the request. Its ``line`` is the line of code that allows the request, at the quoted prices.

    See Also
    --------
    suburb_pandas.quote : The cost of a request, worked out without a call.
    suburb_pandas.set_limits : Change the cap and the budget of the default client.
    """


class BudgetExceeded(SuburbError):
    """The month's spending would exceed the budget of the store. Nothing more was sent.

    Attributes
    ----------
    quote : suburb_pandas.Quote
        The quote of the request. Its ``line`` is the line of code that allows the rest of it.

    See Also
    --------
    suburb_pandas.quote : The cost of a request, worked out without a call.
    suburb_pandas.set_limits : Change the cap and the budget of the default client.
    """


class NotStored(SuburbError):
    """A response is not in the store, or not on the cassette that is replayed, and may not be bought.

    Attributes
    ----------
    quote : suburb_pandas.Quote
        The missing responses (``to_buy``), and their cost.

    See Also
    --------
    suburb_pandas.quote : The cost of a request, worked out without a call.
    """


class StoreError(SuburbError):
    """The store cannot be read or written.

    See Also
    --------
    suburb_pandas.connect : Make the default client.
    """


class CassetteError(SuburbError):
    """A cassette cannot be read or written, or would hold an API key.

    See Also
    --------
    suburb_pandas.cassette : Record the calls of a study, or replay them without a key.
    """


class ProvenanceError(SuburbError):
    """A frame holds a value that is in no response, or the responses behind it cannot be determined.

    See Also
    --------
    suburb_pandas.provenance : The responses behind a frame, checked value by value.
    """


class BatchIncomplete(SuburbError):
    """Some suburbs of a request failed: ``failures`` has the error of each, ``frame`` the data of the others.

    See Also
    --------
    NoDataWarning : Issued if some of many suburbs have no data.
    """


class SuburbWarning(UserWarning):
    """Base class of all warnings of the package.

    See Also
    --------
    SuburbError : The base of all errors.
    """


class SyntheticDataWarning(SuburbWarning):
    """The suburbs and their numbers are made up: they come from the embedded sandbox.

    See Also
    --------
    suburb_pandas.connect : Make the default client.
    """


class NoDataWarning(SuburbWarning):
    """The service has no data for some suburbs of a request, or lists no drivers for them.

    See Also
    --------
    NoData : Raised if the service has no data for a suburb.
    """


class SkippedRowsWarning(SuburbWarning):
    """Rows without a name were skipped, or names without a shape were left off a map.

    See Also
    --------
    suburb_pandas.resolve : Turn free text into suburb names.
    """


class StaleDataWarning(SuburbWarning):
    """Stored responses of a request are older than 30 days or of unknown age, and the request has no ``max_age``.

    See Also
    --------
    suburb_pandas.rent : The rent history of suburbs.
    """


class DataWarning(SuburbWarning):
    """Points were unreadable, out of order or repeated, values or dates cannot be true, or a history was revised.

    It is also issued if a rent of a scorecard is stale, or if its ``prices=`` has no row for a suburb.

    See Also
    --------
    suburb_pandas.quality : The age, length and flat runs of each series.
    """


def __dir__() -> list[str]:
    """List the errors and warnings, for Tab."""
    return sorted(name for name, value in globals().items() if isinstance(value, type) and value.__module__ == __name__)
