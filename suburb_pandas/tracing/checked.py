"""Defines the result of comparing a frame with responses, and the error for values that are in no response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from suburb_pandas.errors import ProvenanceError
from suburb_pandas.messages import counted, listed
from suburb_pandas.service.calls import Item, Response

WAYS_ON = (
    "Cite the frame as it was loaded, before any rounding or other change, as in sp.cite(sp.rent(...)), which is free "
    "where the responses are stored; or describe in your own words what was done to this frame."
)
"""The last sentence of each error: two ways to cite the data."""


SHOWN = 3
"""The number of differences that an error shows."""


class Difference(NamedTuple):
    """A value of a frame that is not in the responses: its suburb, column, date or label, and the received value."""

    area_name: str | None
    column: str
    where: str | None
    value: Any
    received: Any

    def __str__(self) -> str:
        whose = "a row without a suburb" if self.area_name is None else repr(self.area_name)
        where = f" {self.where}" if self.where else ""
        return f"{self.column} of {whose}{where} is {_shown(self.value)}, but {_shown(self.received)} in the responses"


class Checked(NamedTuple):
    """The result of a comparison.

    ``behind`` has the responses that explain the values, and ``lines`` yields a sorted line for each such value, for
    the digest. ``n_wrong`` values are in no response; ``differences`` are the first of them. ``unknown`` are the
    suburbs for which no response was found. ``looks_computed`` is True if the number or the dates of the wrong values
    suggest that the frame holds computed results.
    """

    behind: Mapping[Item, Sequence[Response]]
    lines: Callable[[], Iterable[str]]
    n_wrong: int
    differences: Sequence[Difference]
    unknown: Sequence[str]
    n_values: int = 0
    looks_computed: bool = False

    def raise_if_wrong(self) -> None:
        """Raise `ProvenanceError` if a value of the frame is in no response."""
        if self.unknown:
            raise ProvenanceError(
                f"Neither this session nor the store of this client has a response about {listed(self.unknown)} that "
                "can be behind this frame. A temporary store, such as that of the made-up suburbs, ends with its "
                "session. Load these suburbs again, as in sp.rent([...]), or connect to the store that has their "
                "responses, and then cite the frame."
            )
        if self.n_wrong:
            shown = "; ".join(map(str, self.differences))
            more = f", such as: {shown}" if self.n_wrong > len(self.differences) else f": {shown}"
            verb = "is" if self.n_wrong == 1 else "are"
            raise ProvenanceError(
                f"{counted(self.n_wrong, 'value')} of this frame {verb} in no response{more}. {WAYS_ON}"
            )


def _shown(value: Any) -> str:
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return "missing"
    return repr(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
