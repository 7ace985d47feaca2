"""Makes the figure of a chart, or uses the Axes of the user, and writes the words around the data.

A figure of our own is as large as its content needs, with type of a fixed size: title, subtitle and legend at the top,
notes and source at the foot, and matplotlib's constrained layout between them. In Axes of the user, the words are
matplotlib's own title, legend and labels of axes, and nothing else of the figure is changed. Text is wrapped by the
number of its letters; nothing is measured. Colours and sizes are left to look, the words to words and to the charts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from textwrap import fill
from typing import Any, Final

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from suburb_pandas.plotting.look import muted, page_colour, style_setting, text_colour, type_size

INCH: Final = 72.0
"""An inch in points, which are the unit of all lengths, as they are of type. matplotlib has figures in inches."""

_WIDTH: Final = 9.0  # inches, the width of a notebook's output
_EDGE: Final = 7.0  # points between the words and the edge of a figure
_LETTER: Final = 0.61  # the width of a letter, as a multiple of its type size: small type has whole pixels
_WIDER: Final = 1.05  # the width of bold letters and of digits, as a multiple of that of others
_LINE: Final = 1.3  # the height of a line, as the same
_PAD: Final = 0.96  # what constrained layout leaves above and below a panel, as the same
_SAMPLE: Final = 3.5  # the width of a legend's sample and of the space around an entry, as the same
_SPACE, _SMALL_SPACE = 0.5, 1.2  # between panels and between small ones, for headings, in heights of a panel
_KEPT: Final = 0.85  # of the room of a user's Axes, which a layout may make narrower
_BADGE_GAP: Final = 6.0  # points between a badge and the Axes of a user
BADGE: Final = "made-up data"
"""The words of the badge of made-up data."""


@dataclass(frozen=True, slots=True)
class Captions:
    """The words around the data of a chart.

    ``subtitle`` is what is drawn, with its unit. ``headings`` are those of the panels. ``notes`` are sentences; empty
    and repeated ones are left out. ``alt`` is the data in a sentence, for people who do not see the chart. With
    ``has_values_on_y``, the subtitle is the label of each y axis in Axes of the user; below small panels, which have no
    room for it beside them, it stands once.
    """

    title: str
    subtitle: str = ""
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

    @property
    def width(self) -> float:
        """The width of the chart in points; in given Axes, that of the Axes before any layout."""
        if self.ax is not None:
            return size_of(self.ax)[0]
        size: tuple[float, float] = self.figsize or style_setting("figure.figsize", (_WIDTH, 0))
        return INCH * size[0]

    @property
    def least_height(self) -> float:
        """The least height of a new figure in points."""
        return INCH * self.figsize[1] if self.figsize else 0


def size_of(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of Axes in points, before any layout."""
    return INCH * ax.bbox.width / ax.figure.dpi, INCH * ax.bbox.height / ax.figure.dpi


@dataclass(frozen=True, slots=True)
class Panels:
    """The Axes of a chart, row by row, in a number of columns."""

    axes: Sequence[Axes]
    columns: int = 1

    @property
    def rows(self) -> int:
        """The number of rows."""
        return ceil(len(self.axes) / self.columns)


def make_panels(target: Target, number: int = 1, columns: int = 1) -> Panels:
    """Return Axes for the panels of a chart: in a new figure, or in the room of the given Axes, which become the first.

    They share their x axis.
    """
    ax = target.ax
    if ax is None:
        ax = target.make(layout="constrained").add_subplot(facecolor=style_setting("axes.facecolor", "none"))
    return Panels([ax, *_add_panels(ax, number, columns)] if number > 1 else [ax], columns)


def _add_panels(ax: Axes, number: int, columns: int) -> Iterator[Axes]:
    """Divide the room of Axes into panels, of which they become the first, and yield the others."""
    figure: Any = ax.figure
    spec = ax.get_subplotspec() or GridSpec(1, 1, figure, *ax.get_position().extents)[0]
    space = None if figure.get_constrained_layout() else _SPACE if columns == 1 else _SMALL_SPACE
    grid = spec.subgridspec(ceil(number / columns), columns, hspace=space)
    ax.set_subplotspec(grid[0])
    for place in range(1, number):
        yield figure.add_subplot(grid[place], sharex=ax, facecolor=ax.get_facecolor())


def finish(target: Target, panels: Panels, captions: Captions, height: float, *, legend: Sequence[Artist] = ()) -> Axes:
    """Write the words around the panels of a chart, fit a new figure to its content, and return the first panel.

    Only the lowest panels keep the labels of their x axis. ``height`` is what the panels need, in points. ``legend``
    has an artist with a label for each entry.
    """
    _write_headings(panels.axes, captions.headings)
    for ax in panels.axes[: -panels.columns]:
        ax.tick_params(labelbottom=False)
        ax.xaxis.offsetText.set_visible(False)
    if target.ax is None:
        _write_in_figure(target, panels.axes[0], captions, height + _PAD * type_size() * panels.rows, legend)
    else:
        _write_in_axes(target, panels, captions, legend)
    return panels.axes[0]


def _write_headings(axes: Sequence[Axes], headings: Sequence[str], pad: float | None = None) -> None:
    """Write the headings of panels, of which there may be fewer."""
    for ax, heading in zip(axes, headings, strict=False):
        ax.set_title(heading, loc="left", pad=pad, weight="bold", **text_style(ax))


def _write_in_figure(target: Target, ax: Axes, captions: Captions, content: float, legend: Sequence[Artist]) -> None:
    """Write the words at the top and at the foot of a figure of our own, and leave the rest to constrained layout."""
    figure: Any = ax.figure
    room = target.width - 2 * _EDGE
    title, subtitle, foot = _wrapped_captions(target, captions, room - captions.is_made_up * text_width([BADGE]), room)
    entries, legend_height = _legend_options(ax, legend, room)
    heights = [text_height([title], "title") + 2, text_height([subtitle]), legend_height + _EDGE / 2]
    below = text_height([foot], "note") + 1.5 * _EDGE
    height = max(sum(heights) + content + below + _EDGE, target.least_height)
    figure.set_size_inches(target.width / INCH, height / INCH)
    left = _EDGE / target.width
    first, second, third, fourth = (1 - depth / height for depth in accumulate(heights, initial=_EDGE))
    figure.suptitle(title, x=left, y=first, ha="left", weight="bold", **text_style(ax, "title"))
    figure.text(left, second, subtitle, va="top", **text_style(ax))
    figure.text(left, _EDGE / height, foot, gid="foot", **text_style(ax, "note"))
    figure.alt = " ".join(f"{title}: {subtitle}. {captions.alt}".split())
    if captions.is_made_up:
        style = text_style(ax, "note")
        box = {"boxstyle": "round", "facecolor": "none", "edgecolor": style["color"]}
        figure.text(1 - left, first, BADGE, ha="right", va="top", gid="badge", bbox=box, **style)
        figure.alt += f" {BADGE.capitalize()}."
    if legend:
        figure.legend(loc="upper left", bbox_to_anchor=(left, third), **entries)
    figure.get_layout_engine().set(rect=(left, below / height, 1 - 2 * left, fourth - below / height))


def _write_in_axes(target: Target, panels: Panels, captions: Captions, legend: Sequence[Artist]) -> None:
    """Write the words as the title, the legend and the labels of the axes of the user's Axes."""
    ax, columns = panels.axes[0], panels.columns
    room = columns * target.width  # the Axes of the target are now the first panel
    title, subtitle, foot = _wrapped_captions(target, captions, room, _KEPT * room)
    entries, above = _legend_options(ax, legend, room)
    pad = _EDGE + above + captions.is_made_up * text_height([BADGE])
    if captions.headings:
        first, *others = captions.headings
        _write_headings(panels.axes[:columns], [f"{title}\n{first}", *others], pad)
    else:
        ax.set_title(title, pad=pad, color=text_colour(page_colour(ax)), parse_math=False)
    has_labels_on_y = captions.has_values_on_y and columns == 1
    for each in panels.axes if has_labels_on_y else ():
        each.set_ylabel(wrapped(subtitle, size_of(each)[1]), **text_style(ax))
    note = text_style(ax, "note")
    if captions.is_made_up:
        offset = 0, _BADGE_GAP + above
        ax.annotate(BADGE, (1, 1), offset, "axes fraction", "offset points", ha="right", gid="badge", **note)
    if legend:
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), **entries)
    lowest, below = panels.axes[::columns][-1], [foot] if has_labels_on_y else [subtitle, foot]
    label = "\n".join(filter(None, below))
    lowest.set_xlabel(label, loc="left" if columns > 1 else "center", multialignment="left", **note)


def _wrapped_captions(target: Target, captions: Captions, above: float, below: float) -> tuple[str, str, str]:
    """Return the title, the subtitle and the foot, as the caller wants them, wrapped for the room above and below."""
    title = captions.title if target.title is None else target.title
    foot = " ".join(filter(None, dict.fromkeys([*captions.notes, captions.source]))) if target.footnote else ""
    return wrapped(title, above / _WIDER, "title"), wrapped(captions.subtitle, below), wrapped(foot, below, "note")


def text_style(ax: Axes, what: str = "label") -> dict[str, Any]:
    """Return the colour and the size of a title, a label or a note, which is drawn without mathematics."""
    page = page_colour(ax)
    colour = muted(page) if what == "note" else text_colour(page)
    return {"color": colour, "size": type_size(what), "parse_math": False}


def _legend_options(ax: Axes, legend: Sequence[Artist], room: float) -> tuple[dict[str, Any], float]:
    """Return the options of a legend without a frame for a room in points, and its height in points."""
    entry = text_width(str(artist.get_label()) for artist in legend) + _SAMPLE * type_size()
    columns = max(int(room / entry), 1)
    options = {
        "handles": legend,
        "ncols": columns,
        "fontsize": type_size(),
        "labelcolor": text_colour(page_colour(ax)),
        "frameon": False,
        "borderpad": 0,
        "borderaxespad": 0,
        "labelspacing": 0.3,
        "handlelength": 1.6,
        "handletextpad": 0.5,
        "columnspacing": 1.2,
    }
    return options, _LINE * type_size() * ceil(len(legend) / columns)


def wrapped(text: str, room: float, what: str = "label") -> str:
    """Break a title, a label or a note into lines for a room in points, by the number of its letters."""
    return fill(text, max(int(room / (_LETTER * type_size(what))), 8), break_on_hyphens=False)


def text_width(texts: Iterable[str], what: str = "label") -> float:
    """Return the width of the longest line of some texts, in points, even of digits."""
    longest = max((len(line) for text in texts for line in text.splitlines()), default=0)
    return _WIDER * _LETTER * type_size(what) * longest


def text_height(texts: Iterable[str], what: str = "label") -> float:
    """Return the height of the highest of some texts, in points."""
    return _LINE * type_size(what) * max((len(text.splitlines()) for text in texts), default=1)
