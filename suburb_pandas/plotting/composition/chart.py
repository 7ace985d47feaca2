"""Puts a chart together: its panels, its title, subtitle and badge, its legend, and the foot with notes and source.

A chart is arranged anew whenever its place, its resolution, the limits or scales of its Axes, its title or the foot of
the figure have changed. Where everything goes is left to arrangement, the look to style, and drawing data to plotting.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.arrangement import Arrangement, Line, Parts, Tell, arrange
from suburb_pandas.plotting.composition.colours import muted, page_colour, readable
from suburb_pandas.plotting.composition.content import Panel, Words
from suburb_pandas.plotting.composition.foot import Foot, foot_of
from suburb_pandas.plotting.composition.legend import Legend
from suburb_pandas.plotting.composition.place import Target, make_axes, place_of, usual_width_of
from suburb_pandas.plotting.composition.style import TITLE_WEIGHT, Sizes, usual_sizes
from suburb_pandas.plotting.composition.text import POINTS_IN_INCH, Ruler


class Chart(Artist):
    """The words of a chart and the arrangement of its panels.

    It is an artist of the first Axes, draws nothing itself, and takes the room of the whole chart in layouts. With
    ``is_grid``, the panels are small multiples, as `Parts` describes them.
    """

    def __init__(self, panels: Sequence[Panel], words: Words, *, is_grid: bool = False) -> None:
        super().__init__()
        self.words, self.panels, self.sizes, self._is_grid = words, panels, usual_sizes(), is_grid
        self._ax = panels[0].ax
        page = page_colour(self._ax)
        grey = muted(page)
        self._subtitle, self._badge, self._foot = self._text("subtitle"), self._text("badge"), self._text("foot")
        self._headings = [(self._text("heading", fontweight=TITLE_WEIGHT), self._text("remark")) for _ in panels]
        for text in (self._badge, self._foot, *(remark for _, remark in self._headings)):
            text.set_color(grey)
        self._messages = [
            each.ax.text(0.5, 0.5, each.message, transform=each.ax.transAxes, ha="center", va="center", gid="message")
            for each in panels
        ]
        self._legend = Legend(self._ax, words.legend)
        self._title = self._written = words.title
        self._ax.set_title(words.title)
        for text in (self._subtitle, *(heading for heading, _ in self._headings), *self._messages, self._ax.title):
            text.set_color(readable(text.get_color(), page))
        self._state: Any = None
        self._resized: dict[int, tuple[float, Sizes]] = {}  # widths that a user sets are kept until the size changes
        self._arrangement = self._arranged(None)
        self._ax.add_artist(self)
        self.set_clip_on(False)
        for number, panel in enumerate(panels):
            panel.ax.set_axes_locator(_Locator(self, panel.ax, number))

    def _text(self, gid: str, **style: Any) -> Text:
        """Add an empty text to the first Axes, placed in fractions of the figure."""
        transform = self._ax.figure.transSubfigure
        text = self._ax.text(0, 0, "", va="top", transform=transform, gid=gid, parse_math=False, **style)
        text.set_in_layout(False)
        return text

    def draw(self, renderer: RendererBase) -> None:
        """Draw nothing: the parts of a chart are artists of their own."""

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:  # noqa: ARG002 - matplotlib's signature
        """Return the place of the chart in pixels."""
        return Bbox(self.place.get_points() * self._point)

    def get_tightbbox(self, renderer: RendererBase | None = None) -> Bbox:
        """Return the place of the chart in pixels, which layout engines keep free for it."""
        return self.get_window_extent(renderer)

    def box_of(self, number: int, renderer: RendererBase | None) -> Bbox | None:
        """Return the box for the data of a panel, in fractions of the figure; None if the chart is not visible."""
        if self.axes is None or self._ax.figure is None or not self._ax.get_visible():
            return None
        corners = self._arranged(renderer).boxes[number].get_points()
        return Bbox([self._fraction(*corner) for corner in corners])

    @property
    def place(self) -> Bbox:
        """The place of the chart, in points of the figure."""
        return place_of(self._ax)

    @property
    def _point(self) -> float:
        """The size of a point in pixels."""
        return self._ax.figure.figure.dpi / POINTS_IN_INCH

    def _fraction(self, x: float, y: float) -> tuple[float, float]:
        """Turn points into fractions of the figure."""
        transform = self._ax.figure.transSubfigure.inverted()
        return cast("tuple[float, float]", tuple(transform.transform((x * self._point, y * self._point))))

    def _arranged(self, renderer: RendererBase | None) -> Arrangement:
        """Arrange the chart again if anything has changed, and return the arrangement."""
        if any(panel.ax.figure is None for panel in self.panels):
            return self._arrangement  # the user has removed a panel; the others stay where they are
        others = [chart for chart in charts_in(self._ax.figure) if chart is not self]
        foot = foot_of(self.place, [(chart.place, chart.words, chart.sizes) for chart in (*others, self)])
        if self._ax.get_title() != self._written:
            self._title = self._ax.get_title()
        if self._current_state(foot) != self._state:
            width = usual_width_of(self._ax)
            parts = Parts(self.panels, self.sizes, width, self._title, self.words, self._legend, foot, self._is_grid)
            self._arrangement = arrange(parts, self.place, Ruler(self._subtitle, renderer))
            self._write(is_first_of_row=foot.is_written)
            self._place_panels()
            self._state = self._current_state(foot)
        return self._arrangement

    def _current_state(self, foot: Foot) -> Any:
        """Return everything that the arrangement depends on, for comparison with the previous state."""
        axes = [panel.ax for panel in self.panels]
        views = [(ax.get_xlim(), ax.get_xscale(), ax.get_ylim(), ax.get_yscale()) for ax in axes]
        labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes]
        return self.place.bounds, self._point, views, labels, foot, self._title, self._ax.title.get_position()

    def _write(self, *, is_first_of_row: bool) -> None:
        """Write all words in their places. The foot is written by the first chart of a row, for all of them."""
        found = self._arrangement
        texts = [self._subtitle, self._badge, self._foot, *itertools.chain(*self._headings)]
        foot = found.foot if is_first_of_row else Line()
        lines = [found.subtitle, found.badge, foot, *itertools.chain(*found.headings)]
        for text, line in zip(texts, lines, strict=True):
            text.set(text=line.text, fontsize=line.size, position=self._fraction(line.x, line.y))
        self._write_title()
        self._frame_badge()
        self._legend.show(visible=found.legend_corner is not None)
        if found.legend_corner is not None:
            self._legend.place(found.legend_corner, replace(found.fit, room=found.room), self._fraction)

    def _place_panels(self) -> None:
        """Fit the data of all panels to their boxes, and put the texts beside them in their places."""
        found = self._arrangement
        for number, (panel, box, message) in enumerate(zip(self.panels, found.boxes, self._messages, strict=True)):
            ticks.set_size(panel.ax, found.fit.sizes.tick, visible=found.tell < Tell.NOTHING)
            if len(self.panels) > 1:
                panel.ax.tick_params(axis="x", labelbottom=number + found.columns >= len(self.panels))
            if self._is_grid:
                panel.ax.tick_params(axis="y", labelleft=number % found.columns == 0)
            message.set(fontsize=found.fit.sizes.text, visible=found.tell < Tell.NOTHING)
            if panel.resize is not None and self._resized.get(number) != (box.height, found.fit.sizes):
                self._resized[number] = box.height, found.fit.sizes
                panel.resize(panel.ax, *self._resized[number])
            shown = found.shown(panel)
            for beside in panel.beside:
                beside.show(visible=beside in shown, headed=number < found.columns)
            for beside in shown:
                beside.place(box, found.fit)

    def _write_title(self) -> None:
        """Write the title, as that of the first Axes, so that ``ax.set_title`` changes it."""
        line, box = self._arrangement.title, self._arrangement.boxes[0]
        x, y = (line.x - box.x0) / box.width, (line.y - box.y0) / box.height
        style: dict[str, Any] = {"ha": "left", "va": "top", "parse_math": False, "fontweight": TITLE_WEIGHT}
        title = self._ax.set_title(line.text, x=x, y=y, pad=0, fontsize=line.size, **style)
        title.set_in_layout(False)
        self._written = line.text

    def _frame_badge(self) -> None:
        """Draw a thin frame around the badge, if there is one."""
        style = {"boxstyle": "round,pad=0.25", "facecolor": "none", "edgecolor": self._badge.get_color()}
        self._badge.set_bbox(
            style | {"linewidth": 0.08 * self._arrangement.fit.sizes.note} if self._badge.get_text() else None
        )


class _Locator:
    """Returns the box of a panel to matplotlib, which asks for it at every draw."""

    def __init__(self, chart: Chart, ax: Axes, number: int) -> None:
        self.chart, self._ax, self._number = chart, ax, number

    def __call__(self, ax: Any, renderer: RendererBase | None) -> Bbox:
        """Return the box in fractions of the figure."""
        return self.chart.box_of(self._number, renderer) or ax.get_position(original=True)

    def get_subplotspec(self) -> Any:
        """Return the cell of the Axes in a grid; ``tight_layout`` asks a locator for it."""
        return self._ax.get_subplotspec()


def axes_for(target: Target, number: int, height: float) -> list[Axes]:
    """Return Axes for the panels of a chart, which share their x axis: in a new figure, or in the place of given Axes.

    A chart that the given Axes hold from an earlier call is removed, with its other panels. ``height`` is that of a new
    figure, in inches.
    """
    if isinstance(target, Axes):
        remove_chart(target)
    return make_axes(target, number, height)


def remove_chart(ax: Axes) -> None:
    """Remove the chart whose first panel these Axes are, if any, with its other panels; the Axes are left empty.

    Raises
    ------
    ValueError
        The Axes are another panel of a chart. Matplotlib cannot end the sharing of their x axis.
    """
    locator = ax.get_axes_locator()
    if not isinstance(locator, _Locator):
        return
    first, *others = [panel.ax for panel in locator.chart.panels]
    if ax is not first:
        raise ValueError(
            "These Axes are a panel of another chart. Pass the first Axes of that chart, which the plotting function "
            "returned, or Axes of your own."
        )
    for other in others:
        if other.figure is not None:
            other.remove()
    ax.clear()
    ax.set_aspect("auto")  # a map has a fixed one, which `clear` leaves
    ax.set_axes_locator(None)  # type: ignore[arg-type]  # as documented


def charts_in(figure: Any) -> list[Chart]:
    """Return the charts that a figure shows, in the order in which they were drawn."""
    shown = [ax for ax in figure.axes if ax.get_visible()]
    return [artist for ax in shown for artist in ax.artists if isinstance(artist, Chart)]
