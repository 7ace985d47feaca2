"""Tells what the user's style sheet sets apart from what matplotlib sets by default. What follows is left to style."""

from __future__ import annotations

from typing import Any

from matplotlib import rcParams, rcParamsDefault


def chosen(name: Any, otherwise: Any) -> Any:
    """Return what the user's style sheet sets, or another value if it leaves the default of matplotlib."""
    return rcParams[name] if rcParams[name] != rcParamsDefault[name] else otherwise
