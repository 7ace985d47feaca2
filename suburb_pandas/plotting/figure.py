"""Makes the figure of a chart, or uses the Axes of the user, and writes the words around the data.

A figure of our own is as large as its content needs, with type of a fixed size: title, measure and legend at the top,
notes and source at the foot, and matplotlib's constrained layout between them. In Axes of the user, the words are
matplotlib's own title, legend and labels of axes, and nothing else of the figure is changed. Text is wrapped by the
number of its letters; nothing is measured. Colours and sizes are left to look, the words to words and to the charts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import fill
from typing import Any, Final, Literal, cast

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.gridspec import GridSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine

from suburb_pandas.plotting.look import chosen, muted, page_colour, text_colour, type_size

_WIDTH: Final = 9.0  # inches, the width of a notebook's output
_POINTS: Final = 72.0  # in an inch
_EDGE: Final = 7.0  # points between the words and the edge of a figure
_LETTER: Final = 0.58  # the width of a letter, as a multiple of its type size; most fonts are narrower
_LINE: Final = 1.3  # the height of a line, as the same
_PAD: Final = 0.12  # inches that constrained layout leaves above and below panels
_SAMPLE: Final = 6.0  # letters beside the name of a legend's entry, for its sample and the space around it
BADGE: Final = "made-up data"
"""The words of the badge of made-up data."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words around the data of a chart.

    ``measure`` is what is drawn, with its unit. ``headings`` are those of the panels. ``notes`` are sentences, of which
    empty ones are left out. ``alt`` is the data in a sentence, for people who do not see the chart. With
    ``has_values_on_y``, Axes of the user have the measure as the label of their y axis.
    """

    title: str
    measure: str = ""
    headings: Sequence[str] = ()
    notes: Iterable[str] = ()
    source: str = ""
    alt: str = ""
    is_made_up: bool = False
    has_values_on_y: bool = False


class ChartFigure(Figure):
    """A figure with a text alternative, which a notebook saves beside the picture and nbconvert writes into a page."""

    alt: str = ""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {f"image/{form}": {"alt": self.alt} for form in ("png", "svg+xml")}


def new_figure(**options: Any) -> Figure:
    """Make a pyplot figure, which a notebook displays automatically."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - callers who pass their own Axes do not load pyplot

    return plt.figure(FigureClass=ChartFigure, **options)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a chart is drawn, as its caller asked: in given Axes, or in a figure that ``make`` makes.

    ``title`` replaces the title of the chart. ``figsize`` is the width and the least height of a new figure, in inches.
    """

    ax: Axes | None = None
    title: str | None = None
    figsize: tuple[float, float] | None = None
    footnote: bool = True
    make: Callable[..., Figure] = new_figure

    def title_of(self, words: Words) -> str:
        """Return the title, which may be empty if the caller wants none."""
        return words.title if self.title is None else self.title

    @property
    def width(self) -> float:
        """The width of the chart in inches; in given Axes, that of the Axes before any layout."""
        if self.ax is not None:
            return float(self.ax.get_window_extent().width / self.ax.figure.figure.dpi)
        return float(self.figsize[0] if self.figsize else chosen("figure.figsize", (_WIDTH, 0))[0])


def make_axes(target: Target, number: int = 1, columns: int = 1) -> list[Axes]:
    """Return Axes for the panels of a chart, row by row: in a new figure, or in the room of the given Axes.

    They share their x axis. Only the lowest of a column has labels of its ticks there.
    """
    rows = ceil(number / columns)
    if target.ax is None:
        figure = target.make(figsize=(target.width, target.width), layout="constrained")
        face = chosen("axes.facecolor", "none")
        grid: Any = figure.add_gridspec(rows, columns)
        first = figure.add_subplot(grid[0], facecolor=face)
    else:
        first, figure = target.ax, cast("Figure", target.ax.figure)
        face, grid = first.get_facecolor(), _divided(first, rows, columns) if number > 1 else None
    others = [figure.add_subplot(grid[place], sharex=first, facecolor=face) for place in range(1, number)]
    return [first, *others]


def _divided(ax: Axes, rows: int, columns: int) -> Any:
    """Divide the room of Axes into a grid, put the Axes into its first cell, and return the grid."""
    spec, figure = ax.get_subplotspec(), cast("Figure", ax.figure)
    is_arranged = isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    space = {} if is_arranged else {"hspace": 0.5, "wspace": 0.15}
    if spec is not None:
        grid: Any = spec.subgridspec(rows, columns, **space)
    else:
        (left, bottom), (right, top) = ax.get_position().get_points()
        grid = GridSpec(rows, columns, figure, left=left, bottom=bottom, right=right, top=top, **space)
    ax.set_subplotspec(grid[0])
    return grid


def finish(
    target: Target,
    axes: Sequence[Axes],
    words: Words,
    inches: float,
    *,
    columns: int = 1,
    legend: Sequence[Artist] = (),
) -> Axes:
    """Write the words around the panels of a chart, fit a new figure to its content, and return the first panel.

    ``inches`` is the height that the panels need, with type of the usual size. ``legend`` has an artist with a label
    for each entry.
    """
    for number, ax in enumerate(axes):
        ax.xaxis.set_tick_params(labelbottom=number + columns >= len(axes))
    _write_headings(axes, words.headings)
    if target.ax is None:
        _write_in_figure(target, axes[0], words, inches + _PAD * ceil(len(axes) / columns), legend)
    else:
        _write_in_axes(target, axes, words, columns, legend)
    return axes[0]


def _write_headings(axes: Sequence[Axes], headings: Sequence[str], pad: float | None = None) -> None:
    """Write the headings of panels, of which there may be fewer."""
    for ax, heading in zip(axes, headings, strict=False):
        style: dict[str, Any] = {"fontsize": type_size(), "fontweight": "bold", "color": _ink(ax), "parse_math": False}
        ax.set_title(heading, loc="left", pad=pad, **style)


def _write_in_figure(target: Target, ax: Axes, words: Words, inches: float, legend: Sequence[Artist]) -> None:
    """Write the words at the top and at the foot of a figure of our own, and leave the rest to constrained layout."""
    figure, ink, grey, note = cast("ChartFigure", ax.figure), _ink(ax), muted(page_colour(ax)), type_size("note")
    room = _POINTS * target.width - 2 * _EDGE
    badge = len(BADGE) * _LETTER * note + 2 * _EDGE if words.is_made_up else 0
    title = wrapped(target.title_of(words), room - badge, 1.1 * type_size("title"))  # bold letters are wider
    measure, foot = wrapped(words.measure, room, type_size()), wrapped(_foot(target, words), room, note)
    in_row = _entries_in_row(legend, room)
    heights = [
        _height(title, "title") + 2,
        _height(measure, "label"),
        _LINE * type_size() * ceil(len(legend) / in_row),
        _height(foot, "note"),
    ]
    content = _POINTS * inches * type_size() / 9  # 9 points is the usual size of a label
    height = max(sum(heights) + content + 3 * _EDGE, _POINTS * (target.figsize or (0, 0))[1])
    figure.set_size_inches(target.width, height / _POINTS)
    left = _EDGE / (_POINTS * target.width)
    first, second, third, fourth = (1 - (_EDGE + sum(heights[:number])) / height for number in range(4))
    style: dict[str, Any] = {"ha": "left", "va": "top", "parse_math": False}
    figure.suptitle(title, x=left, y=first, size=type_size("title"), weight="bold", color=ink, **style)
    figure.text(left, second, measure, size=type_size(), color=ink, **style)
    figure.text(left, _EDGE / height, foot, size=note, color=grey, gid="foot", **style | {"va": "bottom"})
    if words.is_made_up:
        box = {"boxstyle": "round,pad=0.25", "facecolor": "none", "edgecolor": grey, "linewidth": 0.6}
        style |= {"ha": "right", "gid": "badge", "bbox": box}
        figure.text(1 - left, first, BADGE, size=note, color=grey, **style)
    if legend:
        figure.legend(handles=legend, loc="upper left", bbox_to_anchor=(left, third), **_legend_style(in_row, ink))
    low = (heights[3] + 1.5 * _EDGE) / height
    engine = cast("ConstrainedLayoutEngine", figure.get_layout_engine())
    engine.set(rect=(left, low, 1 - 2 * left, fourth - 0.5 * _EDGE / height - low), hspace=0.04, wspace=0.04)
    made_up = f"{BADGE.capitalize()}." if words.is_made_up else ""
    figure.alt = " ".join(f"{title}: {measure}. {words.alt} {made_up}".split())


def _write_in_axes(target: Target, axes: Sequence[Axes], words: Words, columns: int, legend: Sequence[Artist]) -> None:
    """Write the words as the title, the legend and the labels of the axes of the user's Axes."""
    ax, ink, grey, note = axes[0], _ink(axes[0]), muted(page_colour(axes[0])), type_size("note")
    boxes = [each.get_window_extent() for each in axes]
    point = ax.figure.figure.dpi / _POINTS
    room = (boxes[columns - 1].x1 - boxes[0].x0) / point
    in_row = _entries_in_row(legend, room)
    above = _LINE * type_size() * ceil(len(legend) / in_row)
    pad = rcParams["axes.titlepad"] + above + words.is_made_up * _LINE * type_size()
    size = FontProperties(size=rcParams["axes.titlesize"]).get_size_in_points()
    title, foot = wrapped(target.title_of(words), room, 1.1 * size), [words.measure, _foot(target, words)]
    if words.headings:
        first, *others = words.headings
        _write_headings(axes[:columns], [f"{title}\n{first}", *others], pad)
    else:
        ax.set_title(title, pad=pad, color=ink, parse_math=False)
    if words.has_values_on_y and not words.headings:
        ax.set_ylabel(wrapped(foot.pop(0), boxes[0].height / point, type_size()), size=type_size(), color=ink)
    if words.is_made_up:
        style: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "gid": "badge"}
        ax.annotate(BADGE, (1, 1), (0, 3 + above), size=note, color=grey, ha="right", va="bottom", **style)
    if legend:
        ax.legend(handles=legend, loc="lower left", bbox_to_anchor=(0, 1), **_legend_style(in_row, ink))
    lowest = axes[(len(axes) - 1) // columns * columns]
    label = "\n".join(wrapped(text, 0.85 * room, note) for text in foot if text)
    where: Literal["left", "center"] = "left" if columns > 1 else "center"
    lowest.set_xlabel(label, size=note, color=grey, loc=where, multialignment="left", parse_math=False)


def wrapped(text: str, room: float, size: float) -> str:
    """Break a text into lines for a room in points, by the number of its letters of a size."""
    return fill(text, letters(room, size))


def letters(room: float, size: float) -> int:
    """Return how many letters of a size fit into a room in points."""
    return max(int(room / (_LETTER * size)), 8)


def _height(text: str, what: str) -> float:
    """Return the height of the lines of a text, in points."""
    return len(text.splitlines()) * _LINE * type_size(what)


def _ink(ax: Axes) -> Any:
    return text_colour(page_colour(ax))


def _foot(target: Target, words: Words) -> str:
    """Return the notes and the source, unless they are to be left out."""
    return " ".join(filter(None, dict.fromkeys([*words.notes, words.source]))) if target.footnote else ""


def _entries_in_row(legend: Sequence[Artist], room: float) -> int:
    """Return how many entries of a legend fit into a row of a room in points."""
    longest = max((len(str(artist.get_label())) for artist in legend), default=0) + _SAMPLE
    return min(max(int(room / (longest * _LETTER * type_size())), 1), max(len(legend), 1))


def _legend_style(in_row: int, ink: Any) -> dict[str, Any]:
    """Return the options of a legend without a frame, of so many entries in a row."""
    return {
        "ncols": in_row,
        "fontsize": type_size(),
        "labelcolor": ink,
        "frameon": False,
        "borderpad": 0,
        "borderaxespad": 0,
        "labelspacing": 0.3,
        "columnspacing": 1.2,
        "handlelength": 1.6,
        "handletextpad": 0.5,
    }
