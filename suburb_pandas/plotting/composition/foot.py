"""Shares one foot among the charts of a figure: their notes and sources, each sentence once, below the lowest row.

How the foot is wrapped is left to arrangement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.content import Words
from suburb_pandas.plotting.composition.style import Sizes, usual_scale


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


def foot_of(place: Bbox, charts: Sequence[tuple[Bbox, Words, Sizes]]) -> Foot:
    """Return the foot below the chart at a place.

    ``charts`` has the place, the words and the usual sizes of each chart that the figure shows.
    """
    bottom = min(each.y0 for each, _, _ in charts)
    row = [(each, sizes) for each, _, sizes in charts if each.y0 - bottom < 1]
    if place.y0 - bottom >= 1:
        return Foot()
    words = [each for _, each, _ in charts if each.has_foot]
    notes = dict.fromkeys(note for each in words for note in each.notes if note)
    sources = dict.fromkeys(sentence for each in words for sentence in each.source.splitlines())
    first, usual = min(row, key=lambda each: each[0].x0)
    span = Bbox.union([each for each, _ in row])
    sizes = usual.scaled(usual_scale(min(each.width for each, _ in row))) if len(row) > 1 else None
    return Foot(" ".join(notes), " ".join(sources), span.width, sizes, place.x0 == first.x0)
