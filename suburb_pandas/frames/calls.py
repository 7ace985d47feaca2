"""Writes calls as text, such as ``resample(freq="QE")``, by which marks name the operations that made a frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Sized
from datetime import timedelta
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd

_LONGEST_TEXT: Final = 40  # characters


def call_of(function: Callable[..., Any], name: str | None = None, /, **arguments: object) -> str:
    """Return a call of a function as text: the arguments that differ from its defaults, and the first one given.

    `name` is that of the call if it is not the function's. An argument that is neither a scalar nor a list of texts
    appears as its type and length: ``<Series of 300>``.
    """
    defaults = {label: parameter.default for label, parameter in signature(function).parameters.items()}
    first = next(iter(arguments), None)
    shown = [
        f"{label}={_text(value)}"
        for label, value in arguments.items()
        if _text(value) != _text(defaults.get(label)) or (label == first and value is not None)
    ]
    return f"{name or function.__name__}({', '.join(shown)})"


def _text(value: object) -> str:
    """Return a scalar or a list of texts as Python code; anything else, or a long text, as its type and length."""
    if isinstance(value, timedelta | np.timedelta64):
        value = f"{pd.Timedelta(value).days}D"
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if is_list or (isinstance(value, str) and len(value) <= _LONGEST_TEXT):
        return json.dumps(value, ensure_ascii=False)
    size = f" of {len(value)}" if isinstance(value, Sized) else ""
    return f"<{type(value).__name__}{size}>"
