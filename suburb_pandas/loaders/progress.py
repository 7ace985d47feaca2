"""Shows the progress of calls as a bar, by default for several calls in a notebook or a terminal."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

from suburb_pandas.loaders.options import Watch
from suburb_pandas.settings import in_ci

DELAY = 0.5
"""The seconds after which an automatic bar appears, so that a quick request shows none."""


def bar(label: str, *, show: bool | Watch | None) -> Watch:
    """Return a function that wraps items in a bar; with ``show=None`` only for several calls, and if `is_watched`."""
    if callable(show):
        return _with_total(show)

    def watch(items: Iterable[Any], total: int) -> Iterable[Any]:
        if not (show if show is not None else total > 1 and is_watched()):
            return items
        from tqdm.auto import tqdm  # noqa: PLC0415 - slow to import, and most requests need no bar

        shown: Iterable[Any] = tqdm(items, total=total, desc=label, unit="call", delay=0 if show else DELAY)
        return shown

    return watch


def _with_total(show: Watch) -> Watch:
    """Return a function that passes the number of items as ``total=`` if `show` accepts that name, else by position."""

    def watch(items: Iterable[Any], total: int) -> Iterable[Any]:
        try:
            inspect.signature(show).bind(items, total=total)
        except (TypeError, ValueError):  # it has no such argument, or no signature
            return show(items, total)
        return show(items, total=total)

    return watch


def is_watched() -> bool:
    """Return True in a notebook or a terminal, unless the variable ``CI`` is set."""
    return not in_ci() and (_in_notebook() or (sys.stderr is not None and sys.stderr.isatty()))


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config
