"""Computes a frame again from responses, by the operations that its attrs name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import pandas as pd

from suburb_pandas.client.context import RequestContext
from suburb_pandas.frames.schema import AREA_NAME, RENT, SELECTION, mark
from suburb_pandas.loaders.frames import long_series_frame, series_frame
from suburb_pandas.loaders.rent_index import rent_index
from suburb_pandas.messages import captured_warnings
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.timeseries.cadence import cadence, quality
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.resample import resample
from suburb_pandas.timeseries.selection import DateRange, select


def _selected(frame: pd.DataFrame, start: str | None = None, end: str | None = None) -> pd.DataFrame:
    dates = DateRange.read(start, end)
    return frame if dates is None else select(frame, dates)


_OPERATIONS: Final[Mapping[str, Callable[..., pd.DataFrame]]] = {
    function.__name__: function for function in (resample, growth, cadence, quality, rent_index)
} | {SELECTION: _selected}

Call = tuple[Callable[..., pd.DataFrame], Mapping[str, Any]]


def computed_again(
    operations: Sequence[str],
    endpoint: str,
    payloads: Mapping[str, Any],
    *,
    one: bool,
    kind: str | None,
    context: RequestContext | None,
) -> pd.DataFrame | None:
    """Compute a frame from responses; None if an operation cannot be repeated from its text.

    Parameters
    ----------
    operations
        The calls, in the order in which they were made.
    endpoint
        The endpoint of the responses.
    payloads
        The packed payload of each suburb.
    one
        True for a frame of one suburb, without ``area_name``.
    kind
        The property type, if the computed frame has only one and does not name it; else None.
    context
        The client of this context knows the places and counts that ``rent_index`` uses.
    """
    calls = [_parsed(operation) for operation in operations]
    names = list(payloads)
    frame = series_frame(payloads[names[0]]) if one else long_series_frame(payloads, names)
    if kind is not None:
        frame = frame[[AREA_NAME, kind]].dropna().rename(columns={kind: RENT})
    mark(frame, endpoint, "", ENDPOINTS[endpoint].unit, **({AREA_NAME: names[0]} if one else {}))
    with suppress(TypeError, ValueError, ArithmeticError), captured_warnings():
        for call in calls:
            if call is None:
                return None
            function, arguments = call
            if function is rent_index and not arguments.keys().isdisjoint(("by", "weights")):
                if context is None:
                    return None
                arguments = {**arguments, "client": context.client}
            frame = function(frame, **arguments)
        return frame
    return None


def _parsed(operation: str) -> Call | None:
    """Return the function and the arguments of a call that was written as text; None if they cannot be read.

    The text may come from somebody else's file, so nothing in it is run.
    """
    try:
        call = ast.parse(operation, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return None
        arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    function = _OPERATIONS.get(call.func.id)
    return None if function is None or len(arguments) != len(call.keywords) else (function, arguments)
