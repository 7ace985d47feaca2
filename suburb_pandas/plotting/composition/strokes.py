"""Holds the lines that belong to the words of a chart: leaders, and the samples of a legend."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D


class Strokes(Artist):
    """Lines that are drawn on Axes but are not among ``ax.lines``, which are the data.

    Parameters
    ----------
    ax
        The Axes that draw the lines; the new object adds itself to them as an artist.
    """

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self._lines: list[Line2D] = []
        ax.add_artist(self)
        self.set_clip_on(False)
        self.set_in_layout(False)

    def add(self, **style: Any) -> Line2D:
        """Add a line without points yet."""
        line = Line2D([], [], clip_on=False, **style)
        line.set_figure(self.figure)
        self._lines.append(line)
        return line

    def get_children(self) -> list[Artist]:
        """Return the lines."""
        return [*self._lines]

    def draw(self, renderer: RendererBase) -> None:
        """Draw the lines."""
        for line in self._lines:
            line.draw(renderer)
