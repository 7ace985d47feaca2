"""After a study: which responses a frame came from, and a sentence that cites them. No function here makes a call."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.client.session import current
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import marks_of
from suburb_pandas.loaders import frames, origins
from suburb_pandas.messages import counted
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import Item

_SERVICES: Final = {
    "embedded": "the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up",
    "sandbox": f"{wire.SERVICE}, under its sandbox key",
    "live": wire.SERVICE,
}
_ENDPOINTS: Final = {
    "rent": "median rent series of",
    "impacts": "amenity price impacts of",
    "geocode": "look-up of",
}
_DIGITS: Final = 16


def provenance(frame: pd.DataFrame, *, client: Client | None = None) -> pd.DataFrame:
    """Give the responses that a frame of this package came from, be they stored or of a cassette. No call is made.

    A single suburb's frame says itself which one it is. Of a frame of many, that a loader gave, this process knows it
    for as long as that frame lives. What was made from one, by slicing, resampling or joining, goes by its suburbs'
    names and what this process has served of each since the client was made, as long as that was a single vintage; so
    does a frame of the same columns that came from elsewhere.

    Parameters
    ----------
    frame
        What a loader gave, or a part of it.
    client
        Instead of the default one: in whose store a single suburb's response is looked for.

    Returns
    -------
    pandas.DataFrame
        One row a suburb, index ``area_name``: ``retrieved_at`` (UTC), ``source``, ``cents`` (int64, what that response
        cost when it was bought), ``sha256`` (of its body), ``request_id``.

    Raises
    ------
    SuburbError
        It cannot be known.
    TypeError
        Not a frame.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    _check(frame)
    if len(origins.endpoints(frame)) > 1:
        raise SuburbError(
            "This frame is made of two responses for each suburb, as a scorecard is. Ask for the provenance of "
            "sp.rent(...) or of sp.impacts(...) of the same suburbs: what is stored costs nothing. sp.cite(...) takes "
            "the frame itself."
        )
    client = current(client)
    found = _recorded(frame, client) if "sha256" in marks_of(frame) else origins.of(frame, client.born)
    return frames.provenance_frame({item.area_name: vintage for item, vintage in found.items()})


def cite(frame: pd.DataFrame) -> str:
    """Give one sentence to cite what a frame came from: service, endpoints, retrieval dates, and a digest.

    Parameters
    ----------
    frame
        What a loader gave, a scorecard, or a part of one.

    Returns
    -------
    str
        The digest is the same for whoever has the same responses, in whatever order, from a store or a cassette: the
        first 16 hexadecimal digits of the SHA-256 of a line for each response, sorted, of its endpoint, its suburb and
        its own SHA-256 as :func:`provenance` gives it, with a tab between them.

    Raises
    ------
    SuburbError
        It cannot be known, as in :func:`provenance`.
    TypeError
        Not a frame.

    Examples
    --------
    >>> print(sp.cite(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"])))
    Median rent series of 2 suburbs, from the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up,
    retrieved on 2026-04-28 with suburb_pandas 0.1.0; SHA-256 of the data ...
    """
    _check(frame)
    marks = marks_of(frame)
    if {"sha256", "retrieved_at"} <= marks.keys():
        (item,) = origins.items_in(frame)
        return _sentence({item: _marked(marks)})
    return _sentence(origins.of(frame))


def _check(frame: pd.DataFrame) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a DataFrame that a loader gave, or a part of it, not {type(frame).__name__}.")


def _sentence(found: Mapping[Item, Vintage]) -> str:
    from importlib.metadata import version  # noqa: PLC0415 - no import of the package waits for it

    if not found:
        raise SuburbError("There is nothing in this frame to cite: it is of no suburb.")
    numbers = Counter(item.endpoint for item in found)
    what = " and ".join(f"{_ENDPOINTS[endpoint]} {counted(number, 'suburb')}" for endpoint, number in numbers.items())
    sources = {"embedded" if vintage.made_up else vintage.source for vintage in found.values()}
    services = " and ".join(_SERVICES[source] for source in sorted(sources))
    days = sorted({vintage.retrieved_at[:10] or "an unknown date" for vintage in found.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    lines = "\n".join(sorted("\t".join((*item, vintage.sha256)) for item, vintage in found.items()))
    digest = hashlib.sha256(lines.encode()).hexdigest()[:_DIGITS]
    return (
        f"{what[0].upper()}{what[1:]}, from {services}, retrieved {when} with suburb_pandas "
        f"{version('suburb_pandas')}; SHA-256 of the data {digest}."
    )


def _marked(marks: Mapping[str, Any]) -> Vintage:
    """Give what a single suburb's frame says of its response."""
    return Vintage(marks["retrieved_at"], marks["source"], 0, marks["sha256"], None, bool(marks.get("made_up")))


def _recorded(frame: pd.DataFrame, client: Client) -> dict[Item, Vintage]:
    """Give the response that a single suburb's frame names: as it was served, else as it is kept."""
    marks = marks_of(frame)
    (item,) = origins.items_in(frame)
    with suppress(SuburbError):
        return origins.of(frame)
    stored = client.kept.vintages(client.namespace, item) if marks["source"] == client.source else []
    found = origins.named(frame, map(Vintage.of, stored))
    if found:
        return {item: found.pop()}
    raise SuburbError(
        f"The response that this frame of {item.subject!r} came from is not in the store of this client, nor was "
        "it served by this process. Connect with the store that it was loaded from."
    )
