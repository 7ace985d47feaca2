"""Holds the lines and boxes that belong to the words of a chart: leaders, and the samples of a legend."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

_HATCHING: Final = 0.5  # points


class Strokes(Artist):
    """Lines and boxes that are drawn on Axes but are not among their lines and patches, which are the data.

    Parameters
    ----------
    ax
        The Axes that draw them; the new object adds itself to them as an artist.
    """

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self._drawn: list[Line2D | Rectangle] = []
        ax.add_artist(self)
        self.set_clip_on(False)
        self.set_in_layout(False)

    def add(self, **style: Any) -> Line2D:
        """Add a line without points yet."""
        line = Line2D([], [], clip_on=False, **style)
        line.set_figure(self.figure)
        self._drawn.append(line)
        return line

    def add_box(self, **style: Any) -> Rectangle:
        """Add a box without a size yet."""
        box = Rectangle((0, 0), 0, 0, clip_on=False, **style)
        box.set_figure(self.figure)
        thin_hatching(box)
        self._drawn.append(box)
        return box

    def get_children(self) -> list[Artist]:
        """Return the lines and boxes."""
        return [*self._drawn]

    def draw(self, renderer: RendererBase) -> None:
        """Draw the lines and boxes."""
        for drawn in self._drawn:
            drawn.draw(renderer)


def thin_hatching(patch: Patch) -> None:
    """Make the lines of a hatching thin. Before version 3.10, matplotlib has one width for all hatchings."""
    if hasattr(patch, "set_hatch_linewidth"):
        patch.set_hatch_linewidth(_HATCHING)
