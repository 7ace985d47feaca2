"""Writes the call that made a frame as text, for the marks in its attrs: ``resample(freq="QE", how="mean")``.

Adding the text to the marks is left to frames.schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sized
from datetime import timedelta
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd

_LONGEST: Final = 40  # characters of a text


def call_of(function: Callable[..., Any], **arguments: object) -> str:
    """Return a call of a function as text: the arguments that differ from its defaults, and the first one given.

    An argument that is neither a scalar nor a list of texts appears as its type and length: ``<Series of 300>``.
    """
    defaults = {name: parameter.default for name, parameter in signature(function).parameters.items()}
    first = next(iter(arguments), None)
    shown = [
        f"{name}={_text(value)}"
        for name, value in arguments.items()
        if _text(value) != _text(defaults.get(name)) or (name == first and value is not None)
    ]
    return f"{function.__name__}({', '.join(shown)})"


def _text(value: object) -> str:
    """Return a scalar or a list of texts as Python code; anything else, or a long text, as its type and length."""
    if isinstance(value, timedelta | np.timedelta64):
        value = f"{pd.Timedelta(value).days}D"
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if is_list or (isinstance(value, str) and len(value) <= _LONGEST):
        return json.dumps(value, ensure_ascii=False)
    size = f" of {len(value)}" if isinstance(value, Sized) else ""
    return f"<{type(value).__name__}{size}>"
