"""Traces a frame to the responses behind it, and cites them. No function here makes a call.

A frame's attrs say which response a single suburb's frame came from. Otherwise the log of used responses
(client.provenance_log) is asked: for the very frame that a loader returned, or by endpoint and suburb.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import pandas as pd
from msgspec.structs import asdict

from suburb_pandas.client import provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, is_of_drivers, marks_of
from suburb_pandas.loaders.frames import table
from suburb_pandas.messages import counted, listed
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.sources import SERVICE
from suburb_pandas.tracebacks import short_traceback

_SERVICES: Final = {
    "embedded": "the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up",
    "sandbox": f"{SERVICE}, under its sandbox key",
    "live": SERVICE,
}
_DTYPES: Final = {
    "retrieved_at": "datetime64[us, UTC]",
    "source": "str",
    "cents": "int64",
    "sha256": "str",
    "request_id": "str",
}
_DIGITS: Final = 16


def provenance(frame: pd.DataFrame, *, client: Client | None = None) -> pd.DataFrame:
    """Return the responses behind a frame of this package, stored or from a cassette. No call is made.

    A single suburb's frame names its response in its attrs. For a frame of many suburbs that a loader returned, this
    process knows the responses as long as that frame lives. A frame that was made from one, by slicing, resampling or
    joining, is traced by its suburbs' names and the responses that this process has used since the client was made, if
    there was one vintage of each. The same goes for a frame with the same columns from elsewhere.

    Parameters
    ----------
    frame
        A frame that a loader returned, or a part of one.
    client
        The client whose store is searched for a single suburb's response, instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each suburb, index ``area_name``: ``retrieved_at`` (UTC), ``source``, ``cents`` (int64, the price
        of the response when it was bought), ``sha256`` (of its body), ``request_id``.

    Raises
    ------
    SuburbError
        The responses cannot be known.
    TypeError
        ``frame`` is not a frame.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    _check(frame)
    with short_traceback:
        if len(endpoints_in(frame)) > 1:
            raise SuburbError(
                "This frame is made of two responses for each suburb, as a scorecard is. Ask for the provenance of "
                "sp.rent(...) or of sp.impacts(...) of the same suburbs: what is stored costs nothing. sp.cite(...) "
                "takes the frame itself."
            )
        context = request_context(client)
        named = "sha256" in marks_of(frame)
        found = _response_named_by(frame, context) if named else responses_behind(frame, context.client.born)
        result = table([asdict(vintage) for vintage in found.values()], _DTYPES)
        return result.set_index(pd.Index([item.area_name for item in found], dtype="str", name=AREA_NAME))


def cite(frame: pd.DataFrame) -> str:
    """Return a sentence that cites the data in a frame: service, endpoints, retrieval dates, and a digest.

    Parameters
    ----------
    frame
        A frame that a loader returned, a scorecard, or a part of one.

    Returns
    -------
    str
        The same responses give the same digest, in any order, from a store or a cassette. It is the first 16
        hexadecimal digits of a SHA-256 over one line for each response, sorted: its endpoint, its suburb and its own
        SHA-256 as in :func:`provenance`, separated by tabs.

    Raises
    ------
    SuburbError
        The responses cannot be known, as in :func:`provenance`.
    TypeError
        ``frame`` is not a frame.

    Examples
    --------
    >>> print(sp.cite(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"])))
    Median rent series of 2 suburbs, from the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up,
    retrieved on 2026-04-28 with suburb_pandas 0.1.0; SHA-256 of the data ...
    """
    _check(frame)
    with short_traceback:
        marks = marks_of(frame)
        if {"sha256", "retrieved_at"} <= marks.keys():
            (item,) = _items_in(frame)
            return _sentence({item: _vintage_named_by(marks)})
        return _sentence(responses_behind(frame))


def responses_behind(frame: pd.DataFrame, since: int | None = None) -> dict[Item, Vintage]:
    """Return the responses behind a frame; for one that a loader did not return, of those used since a moment.

    Raises
    ------
    SuburbError
        They cannot be known.
    """
    logged = provenance_log.behind(frame)
    if logged is not None and {item.area_name for item in logged}.issuperset(_names_in(frame)):
        return dict(logged)
    every = {item: _vintages_of(frame, item, since) for item in _items_in(frame)}
    several = [item.area_name for item, vintages in every.items() if len(vintages) > 1]
    none = [item.area_name for item, vintages in every.items() if not vintages]
    if several or none:
        what = f"several vintages of {listed(several)}" if several else f"nothing of {listed(none)}"
        raise SuburbError(
            f"Which responses this frame came from cannot be known: this process has served {what}. Load the suburbs "
            "again, which is free, and ask for the provenance of the very frame that comes."
        )
    return {item: vintage for item, (vintage,) in every.items()}


def endpoints_in(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the endpoints that a frame came from: those of its attrs, and those that its columns belong to.

    The columns count because a join of frames keeps the attrs of one of them.

    Raises
    ------
    SuburbError
        The frame came from no endpoint, or does not say from which.
    """
    endpoint = str(marks_of(frame).get("endpoint"))
    if endpoint == "gazetteer":
        raise SuburbError(
            "What is known of suburbs on this machine comes from no one response. The column origin of sp.places(...) "
            "says who knows it."
        )
    found = list(endpoints_of(endpoint))
    if is_of_drivers(frame) or "sum_drivers" in frame.columns:
        found.append("impacts")
    is_series = set(frame.columns) >= set(PROPERTY_TYPES) or "property_type" in frame.columns.names
    if is_series and not any(ENDPOINTS[name].shape == "series" for name in found):
        found.append("rent")
    if found:
        return tuple(dict.fromkeys(found))
    raise SuburbError(
        "This frame does not say that it came from suburb_pandas: its attrs were lost, or it was made elsewhere. "
        "Load it again; what is stored costs nothing."
    )


def _items_in(frame: pd.DataFrame) -> list[Item]:
    """Return the items behind a frame, by its attrs; if they were lost, as by a join, by its columns.

    Raises
    ------
    SuburbError
        The frame says neither from which endpoint it came, nor which suburbs it is about.
    """
    marks = marks_of(frame)
    if "area_name" in marks:
        return [Item(endpoint, marks["area_name"], marks.get("state")) for endpoint in endpoints_in(frame)]
    endpoints, names = endpoints_in(frame), _names_in(frame)
    if not names:
        raise SuburbError("This frame does not say of which suburbs it is: nothing in it is called area_name.")
    return [Item(endpoint, name) for name in names for endpoint in endpoints]


def _names_in(frame: pd.DataFrame) -> list[str]:
    """Return the suburbs that a frame of many has values of, from wherever it holds their names."""
    if AREA_NAME in frame.columns:
        names = pd.Index(frame[AREA_NAME].unique())
    elif AREA_NAME in frame.columns.names:
        names = frame.columns[frame.notna().any()].get_level_values(AREA_NAME)
    elif AREA_NAME in frame.index.names:
        names = frame.index[frame.notna().any(axis=1)].get_level_values(AREA_NAME)
    else:
        return []
    return list(names.dropna().unique())


def _vintages_of(frame: pd.DataFrame, item: Item, since: int | None) -> set[Vintage]:
    """Return the logged vintages of an item that a frame may have come from."""
    marks = marks_of(frame)
    if "sha256" in marks:
        return _named_by(frame, provenance_log.vintages_used(item))
    return provenance_log.vintages_used(item, since, marks.get("source"))


def _named_by(frame: pd.DataFrame, vintages: Iterable[Vintage]) -> set[Vintage]:
    """Return the vintages that a single suburb's frame names as its own."""
    marks = marks_of(frame)
    own = (marks["sha256"], marks.get("retrieved_at"))
    return {one for one in vintages if (one.sha256, one.retrieved_at) == own}


def _check(frame: pd.DataFrame) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a DataFrame that a loader gave, or a part of it, not {type(frame).__name__}.")


def _sentence(found: Mapping[Item, Vintage]) -> str:
    """Return the sentence that cites these responses."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and few calls need it

    if not found:
        raise SuburbError("There is nothing in this frame to cite: it is of no suburb.")
    numbers = Counter(item.endpoint for item in found)
    what = " and ".join(
        f"{ENDPOINTS[endpoint].citation} {counted(number, 'suburb')}" for endpoint, number in numbers.items()
    )
    sources = {"embedded" if vintage.made_up else vintage.source for vintage in found.values()}
    services = " and ".join(_SERVICES[source] for source in sorted(sources))
    days = sorted({vintage.retrieved_at[:10] or "an unknown date" for vintage in found.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    return (
        f"{what[0].upper()}{what[1:]}, from {services}, retrieved {when} with suburb_pandas "
        f"{version('suburb_pandas')}; SHA-256 of the data {_digest(found)}."
    )


def _digest(found: Mapping[Item, Vintage]) -> str:
    lines = sorted("\t".join([*filter(None, item), vintage.sha256]) for item, vintage in found.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_DIGITS]


def _vintage_named_by(marks: Mapping[str, Any]) -> Vintage:
    """Return the facts that a single suburb's frame holds about its response."""
    return Vintage(marks["retrieved_at"], marks["source"], 0, marks["sha256"], None, bool(marks.get("made_up")))


def _response_named_by(frame: pd.DataFrame, context: RequestContext) -> dict[Item, Vintage]:
    """Return the response that a single suburb's frame names: as it was used, or as it is stored."""
    marks = marks_of(frame)
    (item,) = _items_in(frame)
    with suppress(SuburbError):
        return responses_behind(frame)
    is_ours = marks["source"] == context.source
    stored = context.responses.vintages(context.namespace, item) if is_ours else []
    found = _named_by(frame, map(Vintage.of, stored))
    if found:
        return {item: found.pop()}
    raise SuburbError(
        f"The response that this frame of {item.area_name!r} came from is not in the store of this client, nor was "
        "it served by this process. Connect with the store that it was loaded from."
    )
