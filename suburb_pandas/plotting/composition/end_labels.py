"""Labels lines at their ends, in place of a legend, so that no label crosses data or another label.

A line that reaches the right edge is labelled beside the data. A line that ended earlier is labelled at its end if
there is room among the data. Otherwise its label stands beside the data, and a dotted grey leader joins it to the end.
The text and the colours of the labels are left to rent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.colours import muted, page_colour
from suburb_pandas.plotting.composition.style import Fitting
from suburb_pandas.timeseries.dates import Values

_MOST_OF_THE_WIDTH: Final = 0.3  # of the chart; longer labels are wrapped, but no word is broken
_MOST_LINES: Final = 3
_LEADER: Final = 1.1  # the width of the space for leaders, as a multiple of the type size
_BETWEEN: Final = 0.1  # the height of the space between labels, as a multiple of the type size
_SAMPLING: Final = 1.5  # points between the samples of a line that are compared with a label


@dataclass(slots=True)
class _Label:
    """The label of one line, the end of the line in data coordinates, and the leader between them."""

    words: str
    end: tuple[float, float]
    is_early: bool
    text: Text
    leader: Line2D


class EndLabels:
    """The labels of the lines of one panel, to the right of the data."""

    side: Literal["left", "right"] = "right"
    has_legend = True

    def __init__(self, ax: Axes) -> None:
        self._ax = ax
        self._labels: list[_Label] = []

    def add(self, words: str, x: Any, y: float, colour: str, *, is_early: bool = False) -> None:
        """Add the label of a line that ends at (x, y). ``is_early`` is True if it ended long before the others."""
        ax = self._ax
        style: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False}
        text = ax.text(1, 0.5, words, color=colour, va="center", parse_math=False, gid="end", **style)
        grey = muted(page_colour(ax))
        leader = Line2D([], [], color=grey, linestyle=":", marker="", gid="leader", zorder=1.5, **style)
        ax.add_artist(leader)
        for artist in (text, leader):
            artist.set_in_layout(False)
        self._labels.append(_Label(words, (_position_of(ax, x), y), is_early, text, leader))

    def width(self, fit: Fitting) -> float:
        """Return the width that the labels need beside the data of a chart of a width, in points."""
        if not self._labels:
            return 0
        return _LEADER * fit.sizes.label + fit.ruler.widest(self._wrapped(fit), fit.sizes.label)

    def height(self, fit: Fitting) -> float:
        """Return the height of all labels on top of one another, in points; infinite if a label has too many lines."""
        if any(len(words.splitlines()) > _MOST_LINES for words in self._wrapped(fit)):
            return inf
        return float(sum(self._heights(fit)))

    def heading(self, fit: Fitting) -> tuple[float, float]:  # noqa: ARG002 - there is no heading
        """Return 0 and 0: there is no heading."""
        return 0, 0

    def show(self, *, visible: bool, headed: bool) -> None:  # noqa: ARG002 - there is no heading
        """Show or hide the labels."""
        for label in self._labels:
            label.text.set_visible(visible)
            label.leader.set_visible(visible)

    def place(self, box: Bbox, fit: Fitting) -> None:
        """Put each label as close to the end of its line as the data and the other labels allow."""
        heights = np.array(self._heights(fit))
        ends = [self._position(label.end, box) for label in self._labels]
        for label, words in zip(self._labels, self._wrapped(fit), strict=True):
            label.text.set(text=words, fontsize=fit.sizes.label)
            label.leader.set_linewidth(0.09 * fit.sizes.label)
        inside = self._place_early(ends, heights, box, fit)
        beside = [number for number in range(len(self._labels)) if number not in inside]
        wanted = np.array([ends[number][1] for number in beside])
        for number, y in zip(beside, spread(wanted, heights[beside], box.height), strict=True):
            self._place_beside(self._labels[number], ends[number], y, box, fit.sizes.label)

    def _place_beside(self, label: _Label, end: tuple[float, float], y: float, box: Bbox, size: float) -> None:
        """Put a label beside the data, with a leader unless it is at the height of the end of its line."""
        x = box.width + _LEADER * size
        label.text.set(position=(x / box.width, y / box.height))
        is_close = abs(y - end[1]) < size / 2 and not label.is_early
        knee = box.width + 0.35 * size
        path = [] if is_close else [end, (knee, end[1]), (x - 0.2 * size, y)]
        label.leader.set_data([x / box.width for x, _ in path], [y / box.height for _, y in path])

    def _place_early(self, ends: list[tuple[float, float]], heights: Values, box: Bbox, fit: Fitting) -> set[int]:
        """Put labels of lines that ended early at their ends where nothing is in the way. Return their numbers."""
        data, taken = self._samples(box), dict[int, Bbox]()
        for number, label in enumerate(self._labels):
            if not label.is_early:
                continue
            text = " ".join(label.words.split())
            size = (fit.ruler.width(text, fit.sizes.label), heights[number] / len(label.text.get_text().splitlines()))
            for spot in _spots(ends[number], size, 0.6 * fit.sizes.label):
                if _is_free(spot, data, taken.values(), box, fit.sizes.marker):
                    middle = (spot.y0 + spot.y1) / 2
                    label.text.set(text=text, position=(spot.x0 / box.width, middle / box.height))
                    label.leader.set_data([], [])
                    taken[number] = spot
                    break
        return {*taken}

    def _samples(self, box: Bbox) -> Values:
        """Return points on all lines of the panel, close enough together that no label fits between two of them."""
        samples = [np.empty((0, 2))]
        for line in self._ax.lines:
            xy = np.asarray(line.get_xdata(orig=False)), np.asarray(line.get_ydata(orig=False))
            points = np.column_stack(self._position(xy, box))
            samples.append(points)
            for start, end in itertools.pairwise(points) if line.get_linestyle() != "None" else ():
                steps = int(np.nan_to_num(np.hypot(*(end - start))) / _SAMPLING) + 2
                samples.append(start + np.linspace(0, 1, steps)[:, None] * (end - start))
        return np.concatenate(samples)

    def _position(self, data: Any, box: Bbox) -> Any:
        """Turn data coordinates into points from the lower left of the panel."""
        transform = self._ax.transScale + self._ax.transLimits
        x, y = np.broadcast_arrays(*map(np.asarray, data))
        shares = transform.transform(np.column_stack([np.ravel(x).astype(float), np.ravel(y).astype(float)]))
        if np.ndim(x) == 0:
            return (float(shares[0, 0] * box.width), float(shares[0, 1] * box.height))
        return shares[:, 0] * box.width, shares[:, 1] * box.height

    def _wrapped(self, fit: Fitting) -> list[str]:
        """Return the words of each label, wrapped to their share of the width of a chart."""
        size, words = fit.sizes.label, [word for label in self._labels for word in label.words.split()]
        room = max(_MOST_OF_THE_WIDTH * fit.room, fit.ruler.widest(words, size))
        return [fit.ruler.wrap(label.words, room, size) for label in self._labels]

    def _heights(self, fit: Fitting) -> list[float]:
        """Return the height of each label, with the space to the next one."""
        return [fit.ruler.height(words, fit.sizes.label) + _BETWEEN * fit.sizes.label for words in self._wrapped(fit)]


def _position_of(ax: Axes, x: Any) -> float:
    """Return the coordinate of a date or number on the x axis."""
    return float(ax.convert_xunits(x))  # type: ignore[no-untyped-call]


def _spots(end: tuple[float, float], size: tuple[float, float], gap: float) -> list[Bbox]:
    """Return the spots for a label at the end of a line, the best first: right, then above and below."""
    (x, y), (width, height) = end, size
    corners = [
        (x + gap, y - height / 2),
        (x - width / 2, y + gap),
        (x - width / 2, y - gap - height),
        (x - width, y + gap),
        (x - width, y - gap - height),
        (x, y + gap),
        (x, y - gap - height),
    ]
    return [Bbox.from_bounds(left, low, width, height) for left, low in corners]


def _is_free(spot: Bbox, data: Values, taken: Iterable[Bbox], box: Bbox, marker: float) -> bool:
    """Return True if a spot is in the panel, and touches neither data, nor a marker on them, nor another label."""
    inside = spot.x0 >= 0 and spot.y0 >= 0 and spot.x1 <= box.width and spot.y1 <= box.height
    crossed = (data > spot.p0 - marker / 2).all(axis=1) & (data < spot.p1 + marker / 2).all(axis=1)
    return bool(inside and not crossed.any() and not any(spot.overlaps(other) for other in taken))


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Return the centres of labels moved as little as possible so that none overlap.

    The labels keep their order, and lie between 0 and ``room`` if they fit. Labels that would overlap move together, to
    the mean of the positions that they want. This is isotonic regression by pooling adjacent violators (Ayer and
    others, 1955).
    """
    order = np.argsort(wanted, kind="stable")
    sorted_heights = heights[order]
    stacked = np.cumsum(sorted_heights) - sorted_heights / 2
    pools: list[list[float]] = []
    for place in wanted[order] - stacked:
        pools.append([place])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    free = np.concatenate([[], *(np.full(len(pool), np.mean(pool)) for pool in pools)])
    placed = np.empty(len(wanted))
    spare = room - sorted_heights.sum()
    placed[order] = stacked + np.clip(free, min(0, spare), max(0, spare))
    return placed
