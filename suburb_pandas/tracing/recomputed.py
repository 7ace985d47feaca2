"""Computes a frame again from responses, by the operations that its attrs name, and parses these.

Choosing the responses is left to check, repeating a join to rows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Final

import pandas as pd

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import day_text, parse_day
from suburb_pandas.frames.marks import SELECTION, FrameOrSeries, input_dates_of, mark, operations_of
from suburb_pandas.frames.schema import AREA_NAME, GROUP, RENT_COLUMNS
from suburb_pandas.frames.selection import select
from suburb_pandas.loaders.join import join_impacts, join_rent, join_scorecard
from suburb_pandas.loaders.rent_index import rent_index
from suburb_pandas.messages import captured_warnings
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.timeseries.cadence import cadence
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.quality import quality
from suburb_pandas.timeseries.resample import resample

NOT_REPEATED: Final = (
    "The attrs of this frame name a step that cannot be repeated: it is not one of this package, not one on such a "
    "frame, or it used an object of your own, such as a Series of weights. Cite the frame that the step was applied "
    "to, and say in your own words what was done."
)
"""The message for such a frame. It does not print the step, because anybody can write attrs."""

Call = tuple[str, Mapping[str, Any]]
"""The name of a function, and its arguments."""


OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **{function.__name__: function for function in (resample, growth, cadence, quality, rent_index)},
    SELECTION: select,
}
"""The operations that can make a frame from loaded rents."""

JOINS: Final[Mapping[str, Callable[..., Any]]] = {
    function.__name__: function for function in (join_rent, join_impacts, join_scorecard)
}
"""The functions that join data to the rows of a frame."""


def computed_again(
    data: FrameOrSeries, rents: pd.DataFrame, endpoint: str, context: RequestContext | None
) -> tuple[pd.DataFrame, list[str]]:
    """Apply the operations of a frame to rents, cut before each of them to the dates of its input.

    Return the result and the calls as text, with the dates where these cut something off.

    Parameters
    ----------
    data
        The frame whose attrs name the operations.
    rents
        The loaded rents of its suburbs, as a long frame.
    endpoint
        The endpoint of these rents.
    context
        The client of this context knows the places and counts that ``rent_index`` uses.

    Raises
    ------
    ProvenanceError
        An operation cannot be repeated.
    """
    mark(rents, endpoint, "", ENDPOINTS[endpoint].unit)
    frame, calls, operations = rents, [], operations_of(data)
    with captured_warnings():
        for text, dates in zip(operations, input_dates_of(data), strict=True):
            name, arguments = parsed(text, OPERATIONS)
            cut = frame[[label for label in frame.columns if label in {AREA_NAME, GROUP, *RENT_COLUMNS}]]
            if dates is not None:
                first, last = (day_text(parse_day(day, "input_dates")) for day in dates)
                cut = cut[(cut.index >= first) & (cut.index <= last)]
            calls.append(text if len(cut) == len(frame) else f"{text} of {first} to {last}")
            if name == "rent_index" and context is not None:
                arguments = {**arguments, "client": context.client}
            try:
                frame = OPERATIONS[name](cut, **arguments)
            except (TypeError, ValueError, ArithmeticError) as problem:
                raise ProvenanceError(
                    "The operations in the attrs of this frame cannot be repeated with the responses of its suburbs: "
                    f"{problem}"
                ) from None
    return frame, calls


def parsed(text: str, functions: Mapping[str, Callable[..., Any]]) -> Call:
    """Parse a call that the attrs of a frame have as text. It has to be written as this package writes it.

    The text may come from somebody else's file, so nothing in it is run.

    Raises
    ------
    ProvenanceError
        It is another text, or an argument is not in it, such as a Series of weights.
    """
    try:
        call = ast.parse(text, mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions:
            arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
            function = functions[call.func.id]
            in_order = {
                name: arguments[name] for name in (*signature(function).parameters, *arguments) if name in arguments
            }
            if call_of(function, call.func.id, **in_order) == text:
                return call.func.id, arguments
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    raise ProvenanceError(NOT_REPEATED)
