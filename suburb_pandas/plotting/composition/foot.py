"""Shares one foot among the charts of a figure: their notes and sources, each sentence once, below the lowest row.

How the foot is wrapped is left to arrangement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.style import Sizes, sizes_at, usual_scale
from suburb_pandas.plotting.composition.words import Words


@dataclass(frozen=True, slots=True)
class Foot:
    """The foot below a chart.

    ``width`` is that of the row of charts which share it, in points. ``sizes`` are the sizes on which they agree; None
    for a chart that is alone in its row. ``is_written`` is True for the first chart of the row; the others only keep
    the room free.
    """

    notes: str = ""
    source: str = ""
    width: float = 0
    sizes: Sizes | None = None
    is_written: bool = False


def foot_of(place: Bbox, charts: Sequence[tuple[Bbox, Words]]) -> Foot:
    """Return the foot below the chart at a place, of all charts of a figure and their places."""
    bottom = min(each.y0 for each, _ in charts)
    row = [each for each, _ in charts if each.y0 - bottom < 1]
    if place.y0 - bottom >= 1:
        return Foot()
    words = [each for _, each in charts if each.has_foot]
    notes = dict.fromkeys(note for each in words for note in each.notes if note)
    sources = dict.fromkeys(each.source for each in words if each.source)
    left, width = min(each.x0 for each in row), Bbox.union(row).width
    sizes = sizes_at(usual_scale(min(each.width for each in row))) if len(row) > 1 else None
    return Foot(" ".join(notes), " ".join(sources), width, sizes, place.x0 == left)
