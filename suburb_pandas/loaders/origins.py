"""Which responses a frame came from, as far as the frame says it, or this process has served them.

By the frame itself, which may be one that a loader gave; else by what it says it is of, and what was served of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import is_of_drivers, marks_of
from suburb_pandas.loaders import frames
from suburb_pandas.messages import listed
from suburb_pandas.service.calls import NEEDS, Item

_RENTS: Final = {"house", "unit"}


def of(frame: pd.DataFrame, since: int | None = None) -> dict[Item, Vintage]:
    """Give the responses that a frame came from: of one that does not say it, what was served since a moment.

    Raises
    ------
    SuburbError
        It cannot be known.
    """
    known = provenance_log.behind(frame)
    if known is not None and {item.area_name for item in known}.issuperset(frames.names_in(frame)):
        return dict(known)
    every = {item: _vintages(frame, item, since) for item in items_in(frame)}
    several = [item.subject for item, vintages in every.items() if len(vintages) > 1]
    none = [item.subject for item, vintages in every.items() if not vintages]
    if several or none:
        what = f"several vintages of {listed(several)}" if several else f"nothing of {listed(none)}"
        raise SuburbError(
            f"Which responses this frame came from cannot be known: this process has served {what}. Load the suburbs "
            "again, which is free, and ask for the provenance of the very frame that comes."
        )
    return {item: vintage for item, (vintage,) in every.items()}


def items_in(frame: pd.DataFrame) -> list[Item]:
    """Say what a frame is of, by its attrs; where they were lost, as by joining frames, by its columns.

    Raises
    ------
    SuburbError
        It says neither from which endpoint it came, nor of which suburbs it is.
    """
    marks = marks_of(frame)
    if "area_name" in marks:
        return [Item.of(endpoint, marks["area_name"], marks.get("state")) for endpoint in endpoints(frame)]
    known, names = endpoints(frame), frames.names_in(frame)
    if not names:
        raise SuburbError("This frame does not say of which suburbs it is: nothing in it is called area_name.")
    return [Item(endpoint, name) for name in names for endpoint in known]


def named(frame: pd.DataFrame, vintages: Iterable[Vintage]) -> set[Vintage]:
    """Give those vintages that a single suburb's frame says it came from."""
    marks = marks_of(frame)
    said = (marks["sha256"], marks.get("retrieved_at"))
    return {one for one in vintages if (one.sha256, one.retrieved_at) == said}


def endpoints(frame: pd.DataFrame) -> tuple[str, ...]:
    """Say from which endpoints a frame came, by its attrs and by its columns.

    Raises
    ------
    SuburbError
        It does not say so, or came from none.
    """
    endpoint = str(marks_of(frame).get("endpoint"))
    if endpoint == "gazetteer":
        raise SuburbError(
            "What is known of suburbs on this machine comes from no one response. The column origin of sp.places(...) "
            "says who knows it."
        )
    found = list(NEEDS.get(endpoint, ()))
    if is_of_drivers(frame) or "sum_drivers" in frame.columns:
        found.append("impacts")
    if set(frame.columns) >= _RENTS or "property_type" in frame.columns.names:
        found.append("rent")
    if found:
        return tuple(dict.fromkeys(found))
    raise SuburbError(
        "This frame does not say that it came from suburb_pandas: its attrs were lost, or it was made elsewhere. "
        "Load it again; what is stored costs nothing."
    )


def _vintages(frame: pd.DataFrame, item: Item, since: int | None) -> set[Vintage]:
    """Give what was served of something; of that, what the frame says it came from."""
    marks = marks_of(frame)
    if "sha256" in marks:
        return named(frame, provenance_log.served(item))
    return provenance_log.served(item, since, marks.get("source"))
