"""Words what a chart of a rent index measures: the date on which the index is 100, and the weights of the suburbs.

The words for rents and for growth are left to measure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import operations_of
from suburb_pandas.plotting.rents.series import Group
from suburb_pandas.timeseries.dates import to_dates

AT_BASE = 100.0
"""The value of an index at its base."""


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
    return f"100 at {to_dates(np.array([*days]))[0]}" if len(days) == 1 else "100 at the first date of each series"


def _weights(call: str) -> str:
    """Return how an index weights the suburbs; empty if it is not known."""
    if not call:
        return ""
    if named := re.search(r'\bweights="(\w+)"', call):
        return f"suburbs weighted by {named[1]}"
    return "suburbs weighted" if "weights=" in call else "all suburbs weighted alike"
