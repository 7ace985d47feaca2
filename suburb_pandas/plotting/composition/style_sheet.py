"""Distinguishes settings of the user's style sheet from matplotlib's defaults. Using them is left to style."""

from __future__ import annotations

from typing import Any

from matplotlib import rcParams, rcParamsDefault


def chosen(name: Any, otherwise: Any) -> Any:
    """Return a setting of the user's style sheet, or another value if it is matplotlib's default."""
    return rcParams[name] if rcParams[name] != rcParamsDefault[name] else otherwise
