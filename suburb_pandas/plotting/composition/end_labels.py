"""Labels lines at their ends, in place of a legend, so that no label crosses data or another label.

A line that reaches the right edge is labelled beside the data; a dotted leader in the space between joins it to a label
that had to move. A line that ended earlier is labelled at its end, or as near to it as the other data allow, with a
short dotted grey leader. If there is no free place, its label is put beside the data, without a leader: a leader across
the panel could be taken for data. A line whose end is out of view has no label.
The text and the colours of the labels are left to the caller.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.colours import muted, page_colour
from suburb_pandas.plotting.composition.strokes import Strokes
from suburb_pandas.plotting.composition.style import Fitting

Values = npt.NDArray[np.float64]

_MOST_OF_THE_WIDTH: Final = 0.3  # of the chart; longer labels are wrapped, but no word is broken
_MOST_LINES: Final = 3
_LEADER: Final = 1.1  # the width of the space for leaders, as a multiple of the type size
_EARLY: Final = 3.0  # the distance from the right edge at which a line ends early, as a multiple of the type size
_FURTHEST: Final = 5  # lines of text that a label may be away from the end of its line
_BETWEEN: Final = 0.1  # the height of the space between labels, as a multiple of the type size
_SAMPLING: Final = 1.5  # points between the samples of a line that are compared with a label


@dataclass(frozen=True, slots=True)
class _Label:
    """The label of one line, the end of the line in data coordinates, and the leader between them."""

    words: str
    end: tuple[float, float]
    text: Text
    leader: Line2D


class EndLabels:
    """The labels of the lines of one panel, to the right of the data."""

    side: Literal["left", "right"] = "right"
    has_legend = True

    def __init__(self, ax: Axes) -> None:
        self._ax, self._strokes = ax, Strokes(ax)
        self._labels: list[_Label] = []

    def add(self, words: str, x: Any, y: float, colour: str) -> None:
        """Add the label of a line that ends at (x, y)."""
        transform = self._ax.transAxes
        text = self._ax.text(1, 0.5, words, color=colour, va="center", parse_math=False, gid="end", transform=transform)
        text.set_in_layout(False)
        leader = self._strokes.add(linestyle=":", marker="", transform=transform, gid="leader")
        self._labels.append(_Label(words, (_position_of(self._ax, x), y), text, leader))

    def __len__(self) -> int:
        return len(self._labels)

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
        size, heights = fit.sizes.label, np.array(self._heights(fit))
        ends = self._position(np.reshape([label.end for label in self._labels], (-1, 2)), box)
        in_view = np.all((ends >= -1) & (ends <= [box.width + 1, box.height + 1]), axis=1)
        for label, words, is_in_view in zip(self._labels, self._wrapped(fit), in_view, strict=True):
            label.text.set(text=words if is_in_view else "", fontsize=size)
            label.leader.set(linewidth=0.09 * size, color=label.text.get_color())
            label.leader.set_data([], [])
        is_early = in_view & (ends[:, 0] < box.width - _EARLY * size)
        inside = self._place_inside([*np.flatnonzero(is_early)], ends, box, fit)
        beside = [number for number in np.flatnonzero(in_view) if number not in inside]
        for number, y in zip(beside, spread(ends[beside, 1], heights[beside], box.height), strict=True):
            label, end, x = self._labels[number], ends[number], box.width + _LEADER * size
            label.text.set_position((x / box.width, y / box.height))
            if not is_early[number] and abs(y - end[1]) > size / 2:
                path = [end, (box.width + 0.35 * size, end[1]), (x - 0.2 * size, y)]
                label.leader.set_data(*(np.array(path) / [box.width, box.height]).T)

    def _place_inside(self, numbers: list[int], ends: Values, box: Bbox, fit: Fitting) -> set[int]:
        """Put labels near the ends of their lines, where nothing is in the way. Return the numbers of those placed."""
        data, taken = self._samples(box) if len(numbers) else np.empty((0, 2)), dict[int, Bbox]()
        for number in numbers:
            label, end = self._labels[number], ends[number]
            text = " ".join(label.words.split())
            size = fit.ruler.width(text, fit.sizes.label), fit.ruler.height(text, fit.sizes.label)
            spots = _spots(end, size, 0.6 * fit.sizes.label)
            spot = next((each for each in spots if _is_free(each, data, taken.values(), box, fit.sizes.marker)), None)
            if spot is None:
                continue
            taken[number] = spot
            label.text.set(text=text, position=(spot.x0 / box.width, (spot.y0 + spot.y1) / 2 / box.height))
            near = np.clip(end, spot.p0, spot.p1)
            if np.hypot(*(near - end)) > size[1]:
                label.leader.set_color(muted(page_colour(self._ax)))
                label.leader.set_data(*(np.array([end, near]) / [box.width, box.height]).T)
        return {*taken}

    def _samples(self, box: Bbox) -> Values:
        """Return points on all lines of the panel, close enough together that no label fits between two of them."""
        samples = [np.empty((0, 2))]
        for line in (each for each in self._ax.lines if each.get_transform() == self._ax.transData):
            points = self._position(line.get_xydata(), box)
            samples.append(points)
            for start, end in itertools.pairwise(points) if line.get_linestyle() != "None" else ():
                length = min(np.nan_to_num(np.hypot(*(end - start))), box.width + box.height)
                steps = int(length / _SAMPLING) + 2
                samples.append(start + np.linspace(0, 1, steps)[:, None] * (end - start))
        return np.concatenate(samples)

    def _position(self, data: Any, box: Bbox) -> Values:
        """Turn pairs of data coordinates into points from the lower left of the panel."""
        shares = (self._ax.transScale + self._ax.transLimits).transform(np.asarray(data, "float64"))
        return shares * [box.width, box.height]

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


def _spots(end: Values, size: tuple[float, float], gap: float) -> Iterator[Bbox]:
    """Yield spots for a label near the end of a line: right of it, then above and below, ever further away."""
    (x, y), (width, height) = end, size
    yield Bbox.from_bounds(x + gap, y - height / 2, width, height)
    for distance, share in itertools.product(range(_FURTHEST), (0.5, 1, 0)):
        for low in (y + gap + distance * height, y - gap - (distance + 1) * height):
            yield Bbox.from_bounds(x - share * width, low, width, height)


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
