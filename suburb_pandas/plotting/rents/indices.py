"""Writes the words of a chart of a rent index: its base, its weights, its groups, and the suburbs behind it.

The words for rents and for growth are left to measure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import PROPERTY_TYPES, operations_of
from suburb_pandas.loaders.frames import long_series_frame
from suburb_pandas.plotting.notes import suburbs_in, title_of
from suburb_pandas.plotting.rents.series import Group
from suburb_pandas.service.envelope import Missing
from suburb_pandas.timeseries.dates import day_numbers, day_text
from suburb_pandas.timeseries.periods import frequency_of
from suburb_pandas.tracing.trace import trace

AT_BASE = 100.0
"""The value of an index at its base."""

_REGIONS: Final = {"state": "states", "lga": "councils", "postcode": "postcodes"} | {
    area: f"{area.upper()}s" for area in ("sa2", "sa3", "sa4")
}
"""The word for the groups of an index by a region of `places`."""


def title_of_groups(what: str, names: Sequence[str | None], frame: pd.DataFrame) -> str:
    """Return the title of a chart of an index by group. It says what the groups are, if the operation names it."""
    named = re.search(r'\bby="(\w+)"', _call(frame))
    by = named[1] if named else ""
    title = title_of(what, names, _REGIONS.get(by, "groups"))
    return f"{title} by {by}" if by and by not in _REGIONS and title.endswith(" groups") else title


def suburbs_behind(frame: pd.DataFrame, levels: pd.DataFrame) -> list[str | None]:
    """Return the suburbs from which an index was computed, as far as they are known.

    ``levels`` are the dates and the property types that are drawn of it. A suburb without rents of these is left out.
    """
    try:
        items = list(trace(frame, None).behind)
    except SuburbError:
        return []
    payloads = {item.area_name: provenance_log.used(item)[0].payload for item in items}
    known = {name: payload for name, payload in payloads.items() if not isinstance(payload, Missing)}
    rents = long_series_frame(known, [*known])
    types = [label for label in PROPERTY_TYPES if label in levels.columns] or [*PROPERTY_TYPES]
    rents = rents[rents[types].notna().any(axis=1)]
    days, dated = (day_numbers(pd.DatetimeIndex(each.index)) for each in (levels, rents))
    if len(days) and (calendar := frequency_of(np.unique(days))):
        drawn, numbers = calendar.number(days), calendar.number(dated)
        rents = rents[(numbers >= drawn.min()) & (numbers <= drawn.max())]
    return suburbs_in(rents)


def index_in_words(frames: Sequence[pd.DataFrame], groups: Mapping[str, Group]) -> str:
    """Return the base and the weights of an index, as far as they are known and all frames have the same."""
    calls = {_call(frame) for frame in frames}
    call = calls.pop() if len(calls) == 1 else ""
    return "".join(f", {words}" for words in (_base(call, groups), _weights(call)) if words)


def _call(frame: pd.DataFrame) -> str:
    """Return the operation that computed an index; empty if it is not known."""
    return next((call for call in operations_of(frame) if call.startswith("rent_index(")), "")


def _base(call: str, groups: Mapping[str, Group]) -> str:
    """Return the date on which the series are 100: that of the operation, else their first one if they are 100 then."""
    if named := re.search(r'\bbase="(\d{4}-\d\d-\d\d)', call):
        return f"100 at {named[1]}"
    firsts = [
        (int(series.points.day[0]), float(series.points.value[0]))
        for group in groups.values()
        for series in group.values()
        if len(series.points.day)
    ]
    if not firsts or not np.allclose([value for _, value in firsts], AT_BASE):
        return ""
    days = {day for day, _ in firsts}
    return f"100 at {day_text(*days)}" if len(days) == 1 else "100 at the first date of each series"


def _weights(call: str) -> str:
    """Return how an index weights the suburbs; empty if it is not known."""
    if not call:
        return ""
    if named := re.search(r'\bweights="(\w+)"', call):
        return f"suburbs weighted by {named[1]}"
    return "suburbs weighted" if "weights=" in call else "all suburbs weighted alike"
