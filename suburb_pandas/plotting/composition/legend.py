"""Draws the legend of a chart: a row of names in the colours of their series or beside boxes, above the data.

A legend replaces the labels beside the data where these do not fit. That decision is left to arrangement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from suburb_pandas.plotting.composition.colours import page_colour, text_colour
from suburb_pandas.plotting.composition.content import Look, Swatch
from suburb_pandas.plotting.composition.strokes import Strokes
from suburb_pandas.plotting.composition.style import Fitting

_SAMPLE, _SPACE, _BETWEEN, _BETWEEN_ROWS, _BOX = 1.6, 0.3, 1.2, 0.15, 0.8  # as multiples of the type size


Fraction = Callable[[float, float], tuple[float, float]]
"""Turns a place in points into shares of the figure."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """The entry of one series or area."""

    name: str
    sample: Line2D | Rectangle
    text: Text


class Legend:
    """A legend of one entry for each series or area.

    Parameters
    ----------
    ax
        The Axes that get the entries as artists.
    entries
        The look of each series or area, by its name.
    """

    def __init__(self, ax: Axes, entries: Mapping[str, Look | Swatch]) -> None:
        transform, strokes = ax.figure.transSubfigure, Strokes(ax)
        self._entries: list[_Entry] = []
        for name, look in entries.items():
            sample = _sample(strokes, look, transform=transform, gid="legend")
            colour = text_colour(page_colour(ax)) if isinstance(look, Swatch) else look[0]
            text = ax.text(0, 0, name, color=colour, va="top", transform=transform, parse_math=False, gid="legend")
            text.set_in_layout(False)
            self._entries.append(_Entry(name, sample, text))

    def __len__(self) -> int:
        return len(self._entries)

    def height(self, fit: Fitting) -> float:
        """Return the height of the rows that the entries need in a width, in points."""
        return sum(self._height_of(row, fit) for row in self._rows(fit))

    def place(
        self,
        corner: tuple[float, float],
        fit: Fitting,
        fraction: Fraction,
    ) -> None:
        """Put the entries into rows below a corner, in points. ``fraction`` turns points into shares of the figure."""
        (left, top), size = corner, fit.sizes.label
        for row in self._rows(fit):
            for x, entry in row:
                middle = top - fit.ruler.height("0", size) / 2
                _place(entry.sample, left + x, middle, size, fraction)
                entry.text.set(text=self._wrapped(entry, fit), fontsize=size)
                entry.text.set_position(fraction(left + x + (_SAMPLE + _SPACE) * size, top))
            top -= self._height_of(row, fit)

    def show(self, *, visible: bool) -> None:
        """Show or hide the legend."""
        for entry in self._entries:
            entry.sample.set_visible(visible)
            entry.text.set_visible(visible)

    def _rows(self, fit: Fitting) -> Iterator[list[tuple[float, _Entry]]]:
        """Yield rows of entries with their distances from the left. A name that is wrapped has a row of its own."""
        row: list[tuple[float, _Entry]] = []
        used, size = 0.0, fit.sizes.label
        for entry in self._entries:
            width = (_SAMPLE + _SPACE) * size + fit.ruler.width(self._wrapped(entry, fit), size)
            if row and used + width > fit.room:
                yield row
                row, used = [], 0.0
            row.append((used, entry))
            used += width + _BETWEEN * size
        if row:
            yield row

    def _wrapped(self, entry: _Entry, fit: Fitting) -> str:
        """Return the name of a series, wrapped to the width of the chart."""
        return fit.ruler.wrap(entry.name, fit.room - (_SAMPLE + _SPACE) * fit.sizes.label, fit.sizes.label)

    def _height_of(self, row: list[tuple[float, _Entry]], fit: Fitting) -> float:
        """Return the height of a row, with the space to the next one."""
        size = fit.sizes.label
        return max(fit.ruler.height(self._wrapped(entry, fit), size) for _, entry in row) + _BETWEEN_ROWS * size


def _sample(strokes: Strokes, look: Look | Swatch, **options: Any) -> Line2D | Rectangle:
    """Add the sample of an entry: a line, a marker, or a box."""
    if isinstance(look, Swatch):
        style = {"facecolor": look.colour, "edgecolor": look.edge, "hatch": look.hatch or None, "linewidth": 0.4}
        return strokes.add_box(**style, **options)
    colour, marker, line = look
    return strokes.add(color=colour, linestyle=line, marker=marker, **options)


def _place(sample: Line2D | Rectangle, left: float, middle: float, size: float, fraction: Fraction) -> None:
    """Put a sample at a place in points, for a type size."""
    ends = [fraction(left + share * _SAMPLE * size, middle) for share in (0, 0.5, 1)]
    if isinstance(sample, Line2D):
        sample.set_data(*zip(*ends, strict=True))
        sample.set(markevery=[1], markersize=0.6 * size, linewidth=0.14 * size)
        if not MarkerStyle(sample.get_marker()).is_filled():  # its edge is all of it, and some style sheets draw none
            sample.set_markeredgewidth(0.1 * size)
        return
    (low_x, low_y), (_, high_y) = (fraction(left, middle + share * _BOX * size) for share in (-0.5, 0.5))
    sample.set_bounds(low_x, low_y, ends[-1][0] - low_x, high_y - low_y)
