"""Writes the names and the values of the suburbs of a small map, each inside its own shape.

Rejected: names beside the shapes, with leaders. On a map, a leader crosses other suburbs and can be taken for a border.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import shapely
from matplotlib.axes import Axes

from suburb_pandas.plotting.composition.colours import ink_on
from suburb_pandas.plotting.composition.style import Sizes
from suburb_pandas.plotting.composition.text import Ruler

MOST_NAMES: Final = 12
"""The most suburbs of a map that writes their names."""

_MARGIN: Final = 0.3  # around a text, as a multiple of its type size
_MARKER: Final = 0.6  # half the room of a marker, as the same
_FROM_MARKER: Final = 1.0  # the distance of a text that is put below or above a marker, as the same


class Names:
    """The names of suburbs, each with its value on a line below. A text that does not fit in its shape is left out.

    Parameters
    ----------
    ax
        The Axes of the map.
    texts
        The name and the value of each suburb.
    geometry
        The shape of each suburb.
    faces
        The colour of each shape.
    markers
        The place of the marker in each shape, which a text must not cover; None where there is no marker.
    """

    def __init__(
        self,
        ax: Axes,
        texts: Sequence[tuple[str, str]],
        geometry: npt.NDArray[np.object_],
        faces: Sequence[str],
        markers: Sequence[tuple[float, float] | None],
    ) -> None:
        self._texts, self._markers = texts, markers
        self._shapes = shapely.buffer(geometry, 0)  # valid again after simplifying
        style: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False, "clip_on": True, "gid": "name"}
        self._drawn = [ax.text(0, 0, "", color=ink_on(face), zorder=4, **style) for face in faces]
        for text, face in zip(self._drawn, faces, strict=True):
            text.set_bbox({"facecolor": face, "edgecolor": "none", "boxstyle": "square,pad=0.1"})  # hides a hatching
            text.set_in_layout(False)

    def resize(self, point: float, sizes: Sizes) -> None:
        """Write the texts that fit. ``point`` is the length on paper of one unit of the map, in points."""
        for drawn, text, shape, marker in zip(self._drawn, self._texts, self._shapes, self._markers, strict=True):
            ruler = Ruler(drawn)
            found = next(self._fitting(ruler, text, shape, marker, point=point, size=sizes.note), None)
            drawn.set(text="" if found is None else found[0], fontsize=sizes.note)
            if found is not None:
                drawn.set_position(found[1])

    @staticmethod
    def _fitting(
        ruler: Ruler,
        text: tuple[str, str],
        shape: Any,
        marker: tuple[float, float] | None,
        *,
        point: float,
        size: float,
    ) -> Iterator[tuple[str, tuple[float, float]]]:
        """Yield the ways to write a text into a shape, with their places; the best first."""
        name, value = text
        longest = ruler.widest(name.split(), size)  # no word is broken
        for room in (inf, max(0.6 * ruler.width(name, size), longest), longest):
            words = f"{ruler.wrap(name, room, size)}\n{value}"
            width, height = (ruler.width(words, size) / point, ruler.height(words, size) / point)
            margin = _MARGIN * size / point
            for x, y in _places(shape, marker, height / 2 + _FROM_MARKER * size / point):
                box = shapely.box(
                    x - width / 2 - margin, y - height / 2 - margin, x + width / 2 + margin, y + height / 2 + margin
                )
                is_covered = marker is not None and box.distance(shapely.Point(marker)) < _MARKER * size / point
                if shape.contains(box) and not is_covered:
                    yield words, (x, y)


def _places(shape: Any, marker: tuple[float, float] | None, offset: float) -> Iterator[tuple[float, float]]:
    """Yield places for the middle of a text: in the middle of a shape, or else below or above its marker."""
    centre = shapely.centroid(shape)
    yield centre.x, centre.y
    widest = shapely.maximum_inscribed_circle(shape).coords[0]
    yield widest[0], widest[1]
    if marker is not None:
        yield marker[0], marker[1] - offset
        yield marker[0], marker[1] + offset
