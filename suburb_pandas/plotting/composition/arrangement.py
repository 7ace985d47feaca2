"""Finds where the parts of a chart go: words, legend, and the box for the data of each panel.

The first arrangement in which everything fits is taken. Text that does not fit is made smaller, down to the smallest
type. Then it is left out, step by step, as `Tell` lists. Each attempt chooses the ticks of the panels, because these
need room themselves. Type sizes are left to style, all other artists to chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from itertools import product
from math import ceil, log
from typing import Final

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.content import Beside, Panel, Words
from suburb_pandas.plotting.composition.foot import Foot
from suburb_pandas.plotting.composition.legend import Legend
from suburb_pandas.plotting.composition.style import SMALLEST_TYPE, TITLE_WEIGHT, Fitting, Sizes, usual_scale
from suburb_pandas.plotting.composition.text import Ruler

BADGE: Final = "made-up data"

_STEP: Final = 0.93  # by which type shrinks until everything fits
_SMALLER: Final = 0.85  # type is shrunk to this share before a legend takes the place of labels
_LEAST_HEIGHT: Final = 0.34  # of the data, as a share of the height of a chart
_LEAST_POINTS: Final = 1.0
_MARGIN: Final = 0.8  # as a multiple of the usual gap
_BETWEEN_ROWS, _BETWEEN_COLUMNS = 0.8, 2.5  # of panels, as a multiple of the usual gap
_USUAL_SHARE: Final = 0.7  # of the width of a chart that the data have, for the choice of ticks
_SHAPE: Final = 1.5  # of a small panel with its heading: its width as a multiple of its height
_MOST_COLUMNS: Final = 8
_TOO_SMALL: Final = "The labels are left out, because they need a larger figure."


class Tell(IntEnum):
    """How much of its text a chart shows; each step leaves out more."""

    ALL = 0
    LEGEND = 1  # a legend takes the place of labels at the ends of lines
    SOURCE = 2  # the notes are left out
    TITLE = 3  # all labels but those of ticks are left out, and the foot; the subtitle says so
    NOTHING = 4  # only the data and the badge are left


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a chart that an arrangement places.

    ``sizes`` are those of a chart of the usual width, and ``width`` is the width to which they are adapted, in points.
    ``is_grid`` is True for small multiples: as many columns of panels as the place suggests, on the same scales, with
    labels of values in the first column only.
    """

    panels: Sequence[Panel]
    sizes: Sizes
    width: float
    title: str
    words: Words
    legend: Legend
    foot: Foot
    is_grid: bool = False

    def columns(self, place: Bbox) -> Sequence[int]:
        """Return the numbers of columns to try in a place, the best first: small panels of good shape, few gaps."""
        number = len(self.panels)
        if not self.is_grid:
            return (1, 2)[:number]

        def distance(columns: int) -> float:
            rows = ceil(number / columns)
            return abs(log(place.width / columns / (place.height / rows) / _SHAPE)) + rows * columns / number / 2

        return sorted(range(1, min(number, _MOST_COLUMNS) + 1), key=distance)[:3]


@dataclass(slots=True)
class Line:
    """A text, its type size, and its upper left corner in points of the figure."""

    text: str = ""
    size: float = 1
    x: float = 0
    y: float = 0


@dataclass(slots=True)
class Arrangement:
    """Where the parts of a chart go, in points of the figure.

    ``fit`` has the width of a column of panels, ``room`` is the width between the margins. ``gutter`` is the width of
    what stands to the left of all columns, ``between`` that between two columns.
    """

    tell: Tell
    columns: int
    fit: Fitting
    margin: float
    room: float
    between: float
    is_grid: bool
    gutter: float = 0
    title: Line = field(default_factory=Line)
    subtitle: Line = field(default_factory=Line)
    badge: Line = field(default_factory=Line)
    foot: Line = field(default_factory=Line)
    headings: list[tuple[Line, Line]] = field(default_factory=list)
    legend_corner: tuple[float, float] | None = None
    boxes: list[Bbox] = field(default_factory=list)
    fits: bool = True

    def shown(self, panel: Panel) -> list[Beside]:
        """Return the texts that are shown beside the data of a panel."""
        if self.tell > Tell.SOURCE:
            return []
        return [beside for beside in panel.beside if self.tell is Tell.ALL or not beside.has_legend]


def arrange(parts: Parts, place: Bbox, ruler: Ruler) -> Arrangement:
    """Return the first arrangement in which everything that it shows fits.

    At first, type is made a little smaller. Then panels are placed side by side. Then type is made as small as allowed.
    Where a legend can replace the labels of lines, it does so before type becomes very small.
    """
    usual = usual_scale(parts.width)
    scales = list(_scales(parts.sizes, usual))
    large = [scale for scale in scales if scale >= _SMALLER * usual]
    for tell in Tell if len(parts.legend) else (each for each in Tell if each is not Tell.LEGEND):
        small = [] if tell is Tell.ALL and len(parts.legend) else scales[len(large) :]
        for some, columns in product((large, small), parts.columns(place)):
            attempt = partial(_arrangement, parts, place, ruler, tell, columns)
            if some and (found := attempt(scale=some[0])).fits:
                return found
            # If the smallest type does not fit, no size fits, so the other sizes are not tried.
            if some[1:] and attempt(scale=some[-1]).fits:
                return next(found for scale in some[1:] if (found := attempt(scale=scale)).fits)
    raise AssertionError("the last arrangement always fits")


def _scales(sizes: Sizes, usual: float) -> Iterator[float]:
    """Yield the scales of a chart, from the usual one to the one that has the smallest type."""
    yield usual
    while sizes.scaled(usual).note > SMALLEST_TYPE:
        usual *= _STEP
        yield usual


def _blank(parts: Parts, place: Bbox, ruler: Ruler, tell: Tell, columns: int, *, scale: float) -> Arrangement:
    """Return an arrangement in which nothing has its place yet."""
    sizes = parts.sizes.scaled(scale)
    margin = _MARGIN * sizes.gap
    room = max(place.width - 2 * margin, _LEAST_POINTS)
    between = _BETWEEN_COLUMNS * sizes.gap
    column = max((room - (columns - 1) * between) / columns, _LEAST_POINTS)
    return Arrangement(tell, columns, Fitting(sizes, ruler, column), margin, room, between, parts.is_grid)


def _arrangement(parts: Parts, place: Bbox, ruler: Ruler, tell: Tell, columns: int, *, scale: float) -> Arrangement:
    """Return the arrangement that shows so much text at a scale, and whether it fits."""
    found = _blank(parts, place, ruler, tell, columns, scale=scale)
    left, right = place.x0 + found.margin, place.x0 + found.margin + found.room
    top = _put_header(found, parts, left, right, place.y1 - found.margin)
    bottom = _put_foot(found, parts, left, place.y0 + found.margin)
    if parts.is_grid:
        _make_gutter(found, parts.panels, (top - bottom) / ceil(len(parts.panels) / columns))
    spare = _put_panels(found, parts.panels, left + found.gutter, top, bottom)
    found.fits &= spare >= _LEAST_HEIGHT * place.height
    _narrow(found, parts.panels)
    found.fits |= found.tell is Tell.NOTHING
    return found


def _put_header(found: Arrangement, parts: Parts, left: float, right: float, top: float) -> float:
    """Put title, badge, subtitle and legend below one another. Return the height at which the panels may begin."""
    sizes, ruler, title_room = found.fit.sizes, found.fit.ruler, found.room
    frame, width = 0.3 * sizes.note, ruler.width(BADGE, sizes.note)
    has_badge = parts.words.is_made_up and width + 2 * frame <= found.room
    if has_badge:
        found.badge = Line(BADGE, sizes.note, right - frame - width, top - frame)
        title_room = found.badge.x - left - sizes.gap
    if found.tell is Tell.NOTHING:
        return top - has_badge * 2.5 * sizes.note
    text = ruler.wrap(parts.title, title_room, sizes.title, TITLE_WEIGHT)
    found.title = Line(text, sizes.title, left, top)
    top -= ruler.height(text, sizes.title, TITLE_WEIGHT)
    size = sizes.text if found.tell < Tell.TITLE else sizes.note
    text = ruler.wrap(parts.words.subtitle if found.tell < Tell.TITLE else _TOO_SMALL, found.room, size)
    found.subtitle = Line(text, size, left, top - 0.3 * sizes.gap)
    top -= 0.3 * sizes.gap + ruler.height(text, size)
    is_labelled = any(beside.has_legend for panel in parts.panels for beside in found.shown(panel))
    if len(parts.legend) and not is_labelled and found.tell < Tell.TITLE:
        found.legend_corner = left, top - 0.5 * sizes.gap
        top -= 0.5 * sizes.gap + parts.legend.height(replace(found.fit, room=found.room))
    return top - (1.4 if parts.panels[0].heading else 1) * sizes.gap


def _put_foot(found: Arrangement, parts: Parts, left: float, bottom: float) -> float:
    """Put notes and source at the foot. Return the height down to which the panels may reach."""
    foot, sizes, ruler = parts.foot, parts.foot.sizes or found.fit.sizes, found.fit.ruler
    size, room = sizes.note, foot.width - 2 * _MARGIN * sizes.gap
    sentences = [foot.notes, foot.source] if found.tell < Tell.SOURCE else [foot.source]
    text = "\n".join(ruler.wrap(sentence, room, size) for sentence in sentences if sentence)
    if not text or found.tell > Tell.SOURCE:
        return bottom
    height = ruler.height(text, size)
    found.foot = Line(text, size, left, bottom + height)
    return bottom + height + sizes.gap


def _make_gutter(found: Arrangement, panels: Sequence[Panel], height: float) -> None:
    """Keep room for the labels of values to the left of all columns, and for those of dates between and beside them.

    ``height`` is that of a row of panels, in points.
    """
    first, size, ruler = panels[0], found.fit.sizes.tick, found.fit.ruler
    first.ticks.choose(first.ax, found.fit.room, height, size)
    if found.tell is Tell.NOTHING:
        return
    found.gutter = _width(found, first, "left")
    date = ruler.widest(ticks.labels_of(first.ax.xaxis), size)
    found.between = max(found.between, date + 0.4 * size)
    room = found.room - found.gutter - date / 2 - (found.columns - 1) * found.between
    found.fit = replace(found.fit, room=max(room / found.columns, _LEAST_POINTS))


def _put_panels(found: Arrangement, panels: Sequence[Panel], left: float, top: float, bottom: float) -> float:
    """Divide the height among the rows of panels, and put their headings above the boxes for their data.

    Return the height of the data in all rows together.
    """
    rows = [panels[start : start + found.columns] for start in range(0, len(panels), found.columns)]
    gap, between = found.fit.sizes.gap, found.between
    over = [max(_over(found, panel, headed=row is rows[0]) for panel in row) for row in rows]
    under = [_under(found, panels, is_lowest=row is rows[-1]) for row in rows]
    shares = [max(panel.share for panel in row) for row in rows]
    spare = top - bottom - sum(over) - sum(under) - _BETWEEN_ROWS * gap * (len(rows) - 1)
    for row, above, below, share in zip(rows, over, under, shares, strict=True):
        height = max(share / sum(shares) * spare, _LEAST_POINTS)
        for number, panel in enumerate(row):
            width = found.fit.room if found.is_grid else _USUAL_SHARE * found.fit.room
            panel.ticks.choose(panel.ax, width, height, found.fit.sizes.tick)
            x = left + number * (found.fit.room + between)
            own = min(height * panel.share / share, panel.share * panel.most_height * found.fit.sizes.label)
            # The heading of a small panel is next to its own data, whatever the others of its row need.
            lower = above - _over(found, panel, headed=row is rows[0]) if found.is_grid else 0
            found.headings.append(_heading(found, panel, x, top - lower, headed=row is rows[0]))
            found.boxes.append(Bbox.from_bounds(x, top - above - own, found.fit.room, own))
        top -= above + height + below + _BETWEEN_ROWS * gap
    return spare


def _narrow(found: Arrangement, panels: Sequence[Panel]) -> None:
    """Subtract the width of the texts beside the data from the boxes of all panels, and check the rest.

    Nothing stands beside the panels of a grid, except in its gutter.
    """
    low, high = (
        0 if found.is_grid else max(_width(found, panel, side) for panel in panels) for side in ("left", "right")
    )
    width = max(found.fit.room - low - high, _LEAST_POINTS)
    found.boxes = [
        _in_shape(Bbox.from_bounds(box.x0 + low, box.y0, width, box.height), panel.ax)
        for box, panel in zip(found.boxes, panels, strict=True)
    ]
    for panel, box in zip(panels, found.boxes, strict=True):
        found.fits &= width >= panel.least_width * found.fit.room
        found.fits &= len(panels) == 1 or box.height >= panel.least_shape * width
        found.fits &= all(beside.height(found.fit) <= box.height for beside in found.shown(panel))
        found.fits &= not found.is_grid or _fits_small(found, panel, box)


def _fits_small(found: Arrangement, panel: Panel, box: Bbox) -> bool:
    """Return True if the labels of ticks and the message of a small panel fit in its own width and height."""
    size, ruler = found.fit.sizes.tick, found.fit.ruler
    dates, values = ticks.labels_of(panel.ax.xaxis), ticks.labels_of(panel.ax.yaxis)
    width = max(len(dates) * (ruler.widest(dates, size) + 0.4 * size), ruler.width(panel.message, found.fit.sizes.text))
    return width <= box.width and len(values) * 1.1 * size <= box.height


def _in_shape(box: Bbox, ax: Axes) -> Bbox:
    """Return the upper middle part of a box that has the shape of the data, for Axes with a fixed aspect.

    Matplotlib would shrink the Axes itself, but the title is placed relative to the box.
    """
    aspect = ax.get_aspect()
    if aspect == "auto":
        return box
    ratio = float(aspect) * ax.get_data_ratio()
    width, height = min(box.width, box.height / ratio), min(box.height, box.width * ratio)
    return Bbox.from_bounds(box.x0 + (box.width - width) / 2, box.y1 - height, width, height)


def _heading(found: Arrangement, panel: Panel, left: float, top: float, *, headed: bool) -> tuple[Line, Line]:
    """Return the heading of a panel, and its remark: beside the heading if there is room, otherwise below it.

    ``headed`` is True if the headings of the texts beside the data take a part of the room.
    """
    sizes, ruler = found.fit.sizes, found.fit.ruler
    if found.tell > Tell.SOURCE:
        return Line(), Line()
    room = found.fit.room - (sum(beside.heading(found.fit)[0] for beside in found.shown(panel)) if headed else 0)
    text = ruler.wrap(panel.heading, room, sizes.text, TITLE_WEIGHT)
    heading = Line(text, sizes.text, left, top)
    indent = ruler.width(text, sizes.text, TITLE_WEIGHT) + sizes.gap if text else 0
    if indent + ruler.width(panel.remark, sizes.note) <= room:
        return heading, Line(panel.remark, sizes.note, left + indent, top - 0.9 * (sizes.text - sizes.note))
    below = top - ruler.height(text, sizes.text, TITLE_WEIGHT)
    return heading, Line(ruler.wrap(panel.remark, room, sizes.note), sizes.note, left, below)


def _over(found: Arrangement, panel: Panel, *, headed: bool) -> float:
    """Return the height of the texts above the data of a panel, with half of a tick's label."""
    sizes, ruler = found.fit.sizes, found.fit.ruler
    heading, remark = _heading(found, panel, 0, 0, headed=headed)
    height = max(
        ruler.height(heading.text, heading.size, TITLE_WEIGHT),
        ruler.height(remark.text, remark.size) - remark.y,
        *(beside.heading(found.fit)[1] for beside in found.shown(panel) if headed),
        0,
    )
    return height + max(0.4 * sizes.gap if height else 0, 0.5 * sizes.tick if panel.ticks.has_values else 0)


def _under(found: Arrangement, panels: Sequence[Panel], *, is_lowest: bool) -> float:
    """Return the height of the labels below the data of a row, or of half of a tick's label."""
    panel, size, ruler = panels[-1], found.fit.sizes.tick, found.fit.ruler
    if found.tell is Tell.NOTHING:
        return 0
    room = max(ticks.room_of_label(each.ax.xaxis, ruler) for each in panels)
    if not is_lowest or not ticks.labels_of(panel.ax.xaxis):
        return room + (0.5 * size if panel.ticks.has_values else 0)
    return room + ticks.DATE_PAD * size + ruler.height("0", size)


def _width(found: Arrangement, panel: Panel, side: str) -> float:
    """Return the width of the texts on one side of the data of a panel."""
    size, ruler = found.fit.sizes.tick, found.fit.ruler
    texts = [beside for beside in found.shown(panel) if beside.side == side]
    width = sum(beside.width(found.fit) for beside in texts)
    if found.tell is Tell.NOTHING:
        return width
    if side == "left" and all(beside.side != "left" for beside in panel.beside):
        values = ticks.labels_of(panel.ax.yaxis)
        width = ruler.widest(values, size) + (ticks.VALUE_PAD * size if values else 0)
        width += ticks.room_of_label(panel.ax.yaxis, ruler)
    return max(width, ruler.widest(ticks.labels_of(panel.ax.xaxis), size) / 2)
