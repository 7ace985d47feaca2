"""Writes the sentence that cites the data in a frame, with the digest that `cite` documents; and cites the software.

Which responses are behind a frame is left to provenance.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, overload

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.dates import to_dates
from suburb_pandas.frames.marks import FrameOrSeries, is_computed, means_in_words, operations_of
from suburb_pandas.messages import counted, joined
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import SERVICE, Item, Response
from suburb_pandas.tracing.check import Checked
from suburb_pandas.tracing.provenance import Trace, trace
from suburb_pandas.tracing.tables import is_missing

_MADE_UP: Final = "the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up"
_COUNTS: Final = dict(enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2))
_NAMED: Final = 3  # columns that were not checked
_DIGITS: Final = 16  # of the digest
_LABEL: Final = "label"
_WAYS_TO_CITE: Final = "Pass the frame, as in sp.cite(rents); sp.cite() without arguments cites the software."


class _Software(Enum):
    """The default of `cite`. Rejected: None, which a function that forgot its return statement passes on."""

    SOFTWARE = "the software"

    def __repr__(self) -> str:
        return self.value


@overload
def cite() -> str: ...


@overload
def cite(frame: FrameOrSeries, *, client: Client | None = None) -> str: ...


def cite(frame: "FrameOrSeries | _Software" = _Software.SOFTWARE, *, client: Client | None = None) -> str:
    """Return a sentence that cites the data in a frame or, without arguments, the software.

    The values of the frame are compared with the responses first, as in :func:`provenance`. The citation of the
    software is made from the metadata of the installed package, and opens no client and no store.

    Parameters
    ----------
    frame
        A frame or a Series that a loader returned or that this package computed, or a part of one; or a frame of your
        own with joined columns. Without it, the software is cited.
    client
        The client whose store is searched, instead of the default one.

    Returns
    -------
    str
        The sentence. For a frame, it names the operations and joins, the service with the host that answered, the
        endpoints, the dates of retrieval, and a digest of the data. It says if values were rounded, and if values of a
        suburb come from several responses: "from two responses", with both dates. It names the columns that were not
        checked, because no response has them, such as your own prices.

        The digest is the first 16 hexadecimal digits of a SHA-256 over sorted lines, one for each number, in UTF-8 with
        a line feed between them. A line has the endpoint, the area name, the property type, the date (YYYY-MM-DD) and
        the value, separated by tabs. For impacts, it has the label of the driver (empty for a total) and the field in
        place of the type and the date. A value is written as Python's ``repr`` of the number in the response, of a rent
        as a float: ``706.0``. For rents as loaded, the numbers are those in the frame. For drivers, they are those of
        the drivers in the frame, and the totals. For any other frame, they are all numbers in the responses behind it.
        So the same data have the same digest on every machine, from a store or a cassette, in any order and layout. A
        look-up has no numbers, and so no digest.

    Raises
    ------
    ProvenanceError
        As for :func:`provenance`: a value is in no response, or the frame cannot be computed again.
    TypeError
        ``frame`` is not a frame, such as None, or ``client`` was passed without a frame.

    See Also
    --------
    provenance : Return the responses behind a frame.

    Examples
    --------
    >>> print(sp.cite(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"])))
    Median rent series of 2 suburbs, from the embedded sandbox of suburb_pandas, whose suburbs and numbers are made up,
    retrieved on 2026-04-28 with suburb_pandas 0.2.0; SHA-256 of the data ...

    >>> print(sp.cite(sp.rent("Quokka Bay", freq="QE", how="mean")))
    Median rent series of 1 suburb, computed with resample(freq="QE", how="mean") from data of the embedded sandbox ...

    >>> print(sp.cite())
    The suburb_pandas contributors, suburb_pandas 0.2.0, MIT licence: Australian suburb rents and amenity price impacts
    beside your pandas frames. An independent client of the Microburbs Property Data API v1, not affiliated with its
    provider.
    """
    if frame is _Software.SOFTWARE:
        if client is not None:
            raise TypeError(f"sp.cite was passed a client and no frame. {_WAYS_TO_CITE}")
        return _citation_of_software()
    if frame is None:
        raise TypeError(f"sp.cite was passed None in place of a frame. {_WAYS_TO_CITE}")
    found = trace(frame, request_context(client))
    if not found.behind:
        raise ProvenanceError("There is nothing in this frame to cite: no value in it came from a response.")
    return _sentence(found)


def _citation_of_software() -> str:
    """Return the citation of the installed package. A field that its metadata lack is left out."""
    from importlib.metadata import metadata  # noqa: PLC0415 - as in _sentence

    found = metadata("suburb_pandas")
    authors, licences, addresses = (
        found.get_all(field, [])[:1] for field in ("Author", "License-Expression", "Project-URL")
    )
    parts = [
        *authors,
        f"{found['Name']} {found['Version']}",
        *(f"{licence} licence" for licence in licences),
        *(address.partition(", ")[2] for address in addresses),  # after its label
    ]
    head, summary = ", ".join(parts), found["Summary"].partition(". ")[0].removesuffix(".")  # not that on systems
    return f"{head}: {summary}. An independent client of {SERVICE}, not affiliated with its provider."


def _sentence(found: Trace) -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and few calls need it

    numbers = Counter(item.endpoint for item in found.behind)
    what = joined(
        f"{ENDPOINTS[endpoint].citation} {counted(number, 'text' if ENDPOINTS[endpoint].takes_a_query else 'suburb')}"
        for endpoint, number in numbers.items()
    )
    responses = [response for several in found.behind.values() for response in several]
    services = " and ".join(sorted({_service(response) for response in responses}))
    days = sorted({response.retrieved_at[:10] or "an unknown date" for response in responses})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    data = digest_of(found.checks)
    digest = f"; SHA-256 of the data {data}" if data else ""
    return (
        f"{what[0].upper()}{what[1:]}, {_origin(found, services)}, retrieved {when} with suburb_pandas "
        f"{version('suburb_pandas')}{_unchecked(found)}{digest}."
    )


def _origin(found: Trace, services: str) -> str:
    """Return the part of the sentence on the operations and joins, and on the service whose data they used."""
    several = {item: len(responses) for item, responses in found.behind.items() if len(responses) > 1}
    total = sum(map(len, found.behind.values()))
    services = f"{_COUNTS.get(total, total)} responses of {services}" if several else services
    calls = [*dict.fromkeys(call for each in found.checks for call in each.found.how)]
    has_growth = any("growth" in str(label) for each in found.checks for label in each.claim.table.columns)
    means = means_in_words(found.data) if has_growth else ""
    rounded = "rounded, " if found.is_rounded else ""
    if not calls:
        return f"{rounded}{f'with growth of {means}, ' if means else ''}from {services}"
    made = "computed" if is_computed(found.data) else "selected" if operations_of(found.data) else "joined"
    return f"{rounded}{made} with {', '.join(calls)} from {'' if several else 'data of '}{services}"


def _unchecked(found: Trace) -> str:
    """Return the part of the sentence that names the columns that were not compared; empty if none."""
    if not found.unchecked:
        return ""
    column, were = ("column", "was") if len(found.unchecked) == 1 else ("columns", "were")
    names = joined(map(repr, found.unchecked), most=_NAMED)
    return f"; the {column} {names} {were} not checked against the responses"


def _service(response: Response) -> str:
    """Return the service that sent a response, with its host. That of made-up data is this machine."""
    if response.made_up:
        return _MADE_UP
    host = response.url.partition("//")[2].partition("/")[0].rpartition("@")[2]
    key = ", under its sandbox key" if response.source == "sandbox" else ""
    return f"{SERVICE} ({host}){key}"


def digest_of(checks: Sequence[Checked]) -> str:
    """Return the digest of the data behind checked claims; empty if there is none.

    Lines begin with their item, and a tab sorts before every character of a name, so they are sorted item by item: all
    lines of a nation would take a gigabyte.
    """
    digest, text = hashlib.sha256(), ""
    parts = [(each.behind, _numbers_in(each)) for each in checks]
    for item in sorted({item for behind, _ in parts for item in behind}):
        numbers = {number for behind, numbers_of in parts if item in behind for number in numbers_of(item)}
        if numbers:
            head = f"{item.endpoint}\t{item.area_name}\t"
            text = (text and "\n") + head + f"\n{head}".join(sorted(numbers))
            digest.update(text.encode())
    return digest.hexdigest()[:_DIGITS] if text else ""


def _numbers_in(checked: Checked) -> Callable[[Item], list[str]]:
    """Return the function that returns the numbers of an item in the digest, each after its label and its name.

    For rents as loaded and for drivers, they are those in the rows of the claim, and totals; else all in the responses.
    """
    claim, table = checked.claim, checked.claim.table
    is_series = {ENDPOINTS[each].shape for each in claim.endpoints} == {"series"}
    indices: Any = pd.Series(table.suburb).groupby(table.suburb).indices if claim.of_values else {}
    rows = {claim.names[number]: at for number, at in indices.items()}
    labels = table.columns.get(_LABEL) if claim.of_values else None

    def of_rents(item: Item) -> list[str]:
        at = rows[item.area_name]
        dates, found = to_dates(table.place[at]).astype("str"), []
        for kind, values in checked.found.expected.items():
            is_given = ~is_missing(table.columns[kind][at])
            points = zip(dates[is_given].tolist(), values[at][is_given].tolist(), strict=True)
            found += [f"{kind}\t{date}\t{value!r}" for date, value in points]
        return found

    def of_responses(item: Item) -> list[str]:
        shown = None if labels is None else {None, *labels[rows[item.area_name]]}
        return [
            f"{label or ''}\t{name}\t{value!r}"
            for reading in checked.behind[item]
            for (label, name), value in ENDPOINTS[item.endpoint].numbers_of(reading.payload).items()
            if shown is None or label in shown
        ]

    return of_rents if claim.of_values and is_series else of_responses
