"""Traces a frame to the responses behind it, and cites them. No function here makes a call.

The attrs of a single suburb's frame identify its response. For other frames, the responses are looked up in the log of
used responses (client.provenance_log): by the frame itself if a loader returned it, otherwise by endpoint and suburb.
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
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, is_of_drivers, marks_of, operations_in_words
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
_DIGEST_DIGITS: Final = 16


def provenance(frame: pd.DataFrame, *, client: Client | None = None) -> pd.DataFrame:
    """Return the responses behind a frame of this package, from a store or a cassette. No call is made.

    The attrs of a single suburb's frame identify its response. For a frame of many suburbs that a loader returned, this
    process knows the responses for as long as that frame exists. A frame derived from it, by slicing, resampling or
    joining, is traced by the names of its suburbs, among the responses that this process has used since the client was
    made, or before if there are none since. That works if exactly one vintage of each response was used. A frame with
    the same columns from elsewhere is traced in the same way.

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
        The responses behind the frame cannot be determined, or the frame is a scorecard.
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
        is_identified = "sha256" in marks_of(frame)
        born = context.client.born
        vintages = _identified_response(frame, context) if is_identified else responses_behind(frame, born)
        result = table([asdict(vintage) for vintage in vintages.values()], _DTYPES)
        return result.set_index(pd.Index([item.area_name for item in vintages], dtype="str", name=AREA_NAME))


def cite(frame: pd.DataFrame) -> str:
    """Return a sentence that cites the data in a frame: operations, service, endpoints, retrieval dates, and a digest.

    Parameters
    ----------
    frame
        A frame that a loader returned, a scorecard, or a part of one.

    Returns
    -------
    str
        The sentence. The same responses give the same digest, in any order, from a store or a cassette: the first 16
        hexadecimal digits of a SHA-256 over one line for each response, sorted: its endpoint, its suburb and its own
        SHA-256 as in :func:`provenance`, separated by tabs.

    Raises
    ------
    SuburbError
        The responses behind the frame cannot be determined.
    TypeError
        ``frame`` is not a frame.

    Examples
    --------
    >>> print(sp.cite(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"])))
    Median rent series of 2 suburbs, from the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up,
    retrieved on 2026-04-28 with suburb_pandas 0.1.0; SHA-256 of the data ...

    >>> print(sp.cite(sp.rent("Quokka Bay", freq="QE", how="mean")))
    Median rent series of 1 suburb, computed with resample(freq="QE", how="mean") from data of the embedded sandbox ...
    """
    _check(frame)
    with short_traceback:
        marks = marks_of(frame)
        if {"sha256", "retrieved_at"} <= marks.keys():
            (item,) = _items_in(frame)
            return _sentence({item: _vintage_in(marks)}, operations_in_words(frame))
        return _sentence(responses_behind(frame), operations_in_words(frame))


def responses_behind(frame: pd.DataFrame, since: int | None = None) -> dict[Item, Vintage]:
    """Return the responses behind a frame.

    For a frame that no loader returned, responses used before the moment ``since`` count only if there are no later
    ones. By default that moment is the beginning of the session.

    Raises
    ------
    SuburbError
        The responses cannot be determined.
    """
    logged = provenance_log.behind(frame)
    if logged is not None and {item.area_name for item in logged}.issuperset(_names_in(frame)):
        return dict(logged)
    used = {item: _vintages_of(frame, item, since) for item in _items_in(frame)}
    several = [item.area_name for item, vintages in used.items() if len(vintages) > 1]
    none = [item.area_name for item, vintages in used.items() if not vintages]
    if several or none:
        what = f"several vintages of {listed(several)}" if several else f"nothing of {listed(none)}"
        raise SuburbError(
            f"Which responses this frame came from cannot be known: this process has served {what}. Load the suburbs "
            "again, which is free, and ask for the provenance of the very frame that comes."
        )
    return {item: vintage for item, (vintage,) in used.items()}


def endpoints_in(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the endpoints that a frame came from: those in its attrs, and those to which its columns belong.

    The columns matter because a join of frames keeps the attrs of one of them.

    Raises
    ------
    SuburbError
        The frame came from no endpoint, or neither its attrs nor its columns show from which.
    """
    endpoint = str(marks_of(frame).get("endpoint"))
    if endpoint == "gazetteer":
        raise SuburbError(
            "What is known of suburbs on this machine comes from no one response. The column origin of sp.places(...) "
            "says who knows it."
        )
    endpoints = list(endpoints_of(endpoint))
    if is_of_drivers(frame) or "sum_drivers" in frame.columns:
        endpoints.append("impacts")
    is_series = set(frame.columns) >= set(PROPERTY_TYPES) or "property_type" in frame.columns.names
    if is_series and not any(ENDPOINTS[name].shape == "series" for name in endpoints):
        endpoints.append("rent")
    if endpoints:
        return tuple(dict.fromkeys(endpoints))
    raise SuburbError(
        "This frame does not say that it came from suburb_pandas: its attrs were lost, or it was made elsewhere. "
        "Load it again; what is stored costs nothing."
    )


def _items_in(frame: pd.DataFrame) -> list[Item]:
    """Return the items behind a frame: by its attrs, or if a join, for example, has lost them, by its columns.

    Raises
    ------
    SuburbError
        The frame does not show from which endpoint it came, or which suburbs it is about.
    """
    marks = marks_of(frame)
    if "area_name" in marks:
        name, state = marks["area_name"], marks.get("state")
        return [Item(one, name, state if ENDPOINTS[one].takes_a_query else None) for one in endpoints_in(frame)]
    endpoints, names = endpoints_in(frame), _names_in(frame)
    if not names:
        raise SuburbError("This frame does not say of which suburbs it is: nothing in it is called area_name.")
    return [Item(endpoint, name) for name in names for endpoint in endpoints]


def _names_in(frame: pd.DataFrame) -> list[str]:
    """Return the suburbs in the column ``area_name`` of a frame, or in a level of this name for which it has values."""
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
        return _identified(frame, provenance_log.vintages_used(item))
    return provenance_log.vintages_used(item, since, marks.get("source"))


def _identified(frame: pd.DataFrame, vintages: Iterable[Vintage]) -> set[Vintage]:
    """Return those vintages that the attrs of a single suburb's frame identify."""
    marks = marks_of(frame)
    own = (marks["sha256"], marks.get("retrieved_at"))
    return {vintage for vintage in vintages if (vintage.sha256, vintage.retrieved_at) == own}


def _check(frame: pd.DataFrame) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a DataFrame that a loader gave, or a part of it, not {type(frame).__name__}.")


def _sentence(vintages: Mapping[Item, Vintage], operations: str) -> str:
    """Return the sentence that cites these responses and names the operations that were computed from them."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and few calls need it

    if not vintages:
        raise SuburbError("There is nothing in this frame to cite: it is of no suburb.")
    numbers = Counter(item.endpoint for item in vintages)
    what = " and ".join(
        f"{ENDPOINTS[endpoint].citation} {counted(number, 'suburb')}" for endpoint, number in numbers.items()
    )
    sources = {"embedded" if vintage.made_up else vintage.source for vintage in vintages.values()}
    services = " and ".join(_SERVICES[source] for source in sorted(sources))
    days = sorted({vintage.retrieved_at[:10] or "an unknown date" for vintage in vintages.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    computed = f"computed with {operations} from data of" if operations else "from"
    return (
        f"{what[0].upper()}{what[1:]}, {computed} {services}, retrieved {when} with suburb_pandas "
        f"{version('suburb_pandas')}; SHA-256 of the data {_digest(vintages)}."
    )


def _digest(vintages: Mapping[Item, Vintage]) -> str:
    """Return the digest that `cite` documents."""
    lines = sorted("\t".join([*filter(None, item), vintage.sha256]) for item, vintage in vintages.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_DIGEST_DIGITS]


def _vintage_in(marks: Mapping[str, Any]) -> Vintage:
    """Return the facts about the response that the attrs of a single suburb's frame hold."""
    return Vintage(marks["retrieved_at"], marks["source"], 0, marks["sha256"], None, bool(marks.get("made_up")))


def _identified_response(frame: pd.DataFrame, context: RequestContext) -> dict[Item, Vintage]:
    """Return the response that the attrs of a single suburb's frame identify, from the log or from the store."""
    marks = marks_of(frame)
    (item,) = _items_in(frame)
    with suppress(SuburbError):
        return responses_behind(frame)
    is_same_source = marks["source"] == context.source
    stored = context.responses.vintages(context.namespace, item) if is_same_source else []
    vintages = _identified(frame, map(Vintage.of, stored))
    if vintages:
        return {item: vintages.pop()}
    raise SuburbError(
        f"The response that this frame of {item.area_name!r} came from is not in the store of this client, nor was "
        "it served by this process. Connect with the store that it was loaded from."
    )
