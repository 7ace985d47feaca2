"""Raises the error for a missing geopandas, with the line that installs it. It comes with the extra ``map``."""

from __future__ import annotations

from importlib.util import find_spec

from suburb_pandas.messages import install_line


def require_geopandas() -> None:
    """Raise ImportError, with the line to paste, if geopandas is not installed."""
    if find_spec("geopandas") is None:
        raise ImportError(f"Maps need geopandas, which is not installed: {install_line('map')}")
