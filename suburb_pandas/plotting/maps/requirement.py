"""Says what to install where geopandas is missing. It comes with the extra ``map``."""

from __future__ import annotations

from importlib.util import find_spec


def require_geopandas() -> None:
    """Raise ImportError, with the line to paste, if geopandas is not installed."""
    if find_spec("geopandas") is None:
        raise ImportError("Maps need geopandas, which is not installed: python -m pip install 'suburb_pandas[map]'")
