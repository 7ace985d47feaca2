"""Draws the legend of a chart: a row of names in the colours of their series, above the data.

A legend replaces the labels beside the data where these do not fit. Whether they do is decided by arrangement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text

from suburb_pandas.plotting.composition.style import Fitting
from suburb_pandas.plotting.composition.text import LINE_HEIGHT
from suburb_pandas.plotting.composition.words import Look

_SAMPLE, _SPACE, _BETWEEN = 1.6, 0.3, 1.2  # as multiples of the type size


class Key:
    """A legend of one entry for each series.

    Parameters
    ----------
    ax
        The Axes that get the entries as artists.
    entries
        The look of each series, by its name.
    """

    def __init__(self, ax: Axes, entries: Mapping[str, Look]) -> None:
        transform = ax.figure.transSubfigure
        self._entries: list[tuple[Line2D, Text]] = []
        for name, (colour, marker, line) in entries.items():
            sample = Line2D([], [], color=colour, linestyle=line, marker=marker, transform=transform, gid="key")
            sample.set_clip_on(False)
            sample.set_in_layout(False)
            ax.add_artist(sample)
            text = ax.text(0, 0, name, color=colour, va="center", transform=transform, parse_math=False, gid="key")
            text.set_in_layout(False)
            self._entries.append((sample, text))

    def __len__(self) -> int:
        return len(self._entries)

    def height(self, fit: Fitting) -> float:
        """Return the height of the rows that the entries need in a width, in points."""
        return sum(1 for _ in self._rows(fit)) * fit.sizes.label * LINE_HEIGHT

    def place(
        self,
        corner: tuple[float, float],
        fit: Fitting,
        fraction: Callable[[float, float], tuple[float, float]],
    ) -> None:
        """Put the entries into rows below a corner, in points. ``fraction`` turns points into shares of the figure."""
        (left, top), size, pitch = corner, fit.sizes.label, fit.sizes.label * LINE_HEIGHT
        for number, row in enumerate(self._rows(fit)):
            y = top - (number + 0.5) * pitch
            for x, (sample, text) in row:
                ends = [fraction(left + x + share * _SAMPLE * size, y) for share in (0, 0.5, 1)]
                sample.set_data(*zip(*ends, strict=True))
                sample.set(markevery=[1], markersize=0.6 * size, linewidth=0.14 * size)
                text.set_position(fraction(left + x + (_SAMPLE + _SPACE) * size, y))
                text.set_fontsize(size)

    def show(self, *, visible: bool) -> None:
        """Show or hide the legend."""
        for entry in self._entries:
            for artist in entry:
                artist.set_visible(visible)

    def _rows(self, fit: Fitting) -> Iterator[list[tuple[float, tuple[Line2D, Text]]]]:
        """Yield the rows: lists of entries and their distances from the left. A longer name has a row of its own."""
        row: list[tuple[float, tuple[Line2D, Text]]] = []
        used = 0.0
        for entry in self._entries:
            width = (_SAMPLE + _SPACE) * fit.sizes.label + fit.ruler.width(entry[1].get_text(), fit.sizes.label)
            if row and used + width > fit.room:
                yield row
                row, used = [], 0.0
            row.append((used, entry))
            used += width + _BETWEEN * fit.sizes.label
        if row:
            yield row
