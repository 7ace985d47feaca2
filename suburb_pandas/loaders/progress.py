"""Shows a progress bar over calls as they end, if there are several and somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from suburb_pandas.settings import in_ci

DELAY = 0.5
"""Seconds before a bar that nobody asked for appears. A quick request needs none."""

Watch = Callable[[Iterable[Any], int], Iterable[Any]]
"""Wraps items as they arrive, as a progress bar does: it yields them on, and is given how many there will be."""


def bar(label: str, *, show: bool | Watch | None) -> Watch:
    """Return a function that wraps an iterable in a bar; with ``show=None``, only if somebody watches."""
    if callable(show):
        return show

    def watch(items: Iterable[Any], total: int) -> Iterable[Any]:
        if not (show if show is not None else total > 1 and is_watched()):
            return items
        from tqdm.auto import tqdm  # noqa: PLC0415 - slow to import, and most requests need no bar

        shown: Iterable[Any] = tqdm(items, total=total, desc=label, unit="call", delay=0 if show else DELAY)
        return shown

    return watch


def is_watched() -> bool:
    """Return True in a notebook or a terminal, unless this is an automatic run."""
    return not in_ci() and (_in_notebook() or (sys.stderr is not None and sys.stderr.isatty()))


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config
