"""Puts a chart together: its panels, its title, subtitle and badge, its legend, and the foot with notes and source.

A chart is arranged anew whenever its place in the figure, the limits of its Axes or its title have changed. Where
everything goes is left to arrangement, the look to style, and drawing the data to rent and impacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.arrangement import Arrangement, Line, Panel, Parts, Tell, arrange
from suburb_pandas.plotting.composition.colours import muted, page_colour
from suburb_pandas.plotting.composition.foot import foot_of
from suburb_pandas.plotting.composition.key import Key
from suburb_pandas.plotting.composition.place import Target, make_axes, place_of
from suburb_pandas.plotting.composition.style import TITLE_WEIGHT, Sizes
from suburb_pandas.plotting.composition.text import POINTS_IN_INCH, Ruler
from suburb_pandas.plotting.composition.words import Words


class Chart(Artist):
    """The words of a chart and the arrangement of its panels.

    It is an artist of the first Axes, draws nothing itself, and takes the room of the whole chart in layouts.
    """

    def __init__(self, panels: Sequence[Panel], words: Words) -> None:
        super().__init__()
        self.words = words
        self.panels = panels
        self._ax = panels[0].ax
        grey = muted(page_colour(self._ax))
        self._subtitle, self._foot = self._text("subtitle"), self._text("foot", color=grey)
        self._badge = self._text("badge", color=grey)
        self._headings = [
            (self._text("heading", fontweight=TITLE_WEIGHT), self._text("remark", color=grey)) for _ in panels
        ]
        self._messages = [
            each.ax.text(0.5, 0.5, each.message, transform=each.ax.transAxes, ha="center", va="center")
            for each in panels
        ]
        self._key = Key(self._ax, words.legend)
        self._title = self._written = words.title
        self._ax.set_title(words.title)
        self._state: Any = None
        self._sizes: dict[int, tuple[float, Sizes]] = {}
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
        """Return the box for the data of a panel, in fractions of the figure; None if the chart is not there to see."""
        if self.axes is None or not self._ax.get_visible():
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
        charts = dict.fromkeys([*charts_in(cast("Figure", self._ax.figure)), self])
        foot = foot_of(self.place, [(chart.place, chart.words) for chart in charts])
        limits = [tuple(view) for each in self.panels for view in (each.ax.get_xlim(), each.ax.get_ylim())]
        if self._ax.get_title() != self._written:
            self._title = self._ax.get_title()
        state = (self.place.bounds, self._point, limits, foot, self._title)
        if state != self._state:
            parts = Parts(self.panels, self._title, self.words.subtitle, self.words.is_made_up, self._key, foot)
            self._arrangement = arrange(parts, self.place, Ruler(self._ax, renderer))
            self._apply(writes_foot=foot.is_written)
            self._state = state
        return self._arrangement

    def _apply(self, *, writes_foot: bool) -> None:
        """Set the places and sizes of all texts and panels."""
        found = self._arrangement
        for text, line in (
            (self._subtitle, found.subtitle),
            (self._badge, found.badge),
            (self._foot, found.foot if writes_foot else Line()),
            *(
                pair
                for texts, lines in zip(self._headings, found.headings, strict=True)
                for pair in zip(texts, lines, strict=True)
            ),
        ):
            text.set(text=line.text, fontsize=line.size, position=self._fraction(line.x, line.y))
        self._write_title()
        self._frame_badge()
        self._key.show(visible=found.key_corner is not None)
        if found.key_corner is not None:
            self._key.place(found.key_corner, replace(found.fit, room=found.room), self._fraction)
        for number, (panel, box, message) in enumerate(zip(self.panels, found.boxes, self._messages, strict=True)):
            message.set(fontsize=found.fit.sizes.text, visible=found.tell < Tell.NOTHING)
            if panel.resize is not None and self._sizes.get(number) != (box.height, found.fit.sizes):
                self._sizes[number] = box.height, found.fit.sizes
                panel.resize(*self._sizes[number])
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
        self._chart, self._ax, self._number = chart, ax, number

    def __call__(self, ax: Any, renderer: RendererBase | None) -> Bbox:
        """Return the box in fractions of the figure."""
        return self._chart.box_of(self._number, renderer) or ax.get_position(original=True)

    def get_subplotspec(self) -> Any:
        """Return the cell of the Axes in a grid; ``tight_layout`` asks a locator for it."""
        return self._ax.get_subplotspec()


def axes_for(target: Target, number: int, height: float) -> list[Axes]:
    """Return Axes for the panels of a chart, which share their x axis: in a new figure, or in the place of given Axes.

    A chart that the given Axes hold from an earlier call is removed, with its other panels. ``height`` is that of a new
    figure, in inches.
    """
    if isinstance(target, Axes):
        for chart in [artist for artist in target.artists if isinstance(artist, Chart)]:
            for panel in chart.panels[1:]:
                panel.ax.remove()
            target.clear()
    return make_axes(target, number, height)


def charts_in(figure: Figure) -> list[Chart]:
    """Return the charts in a figure, in the order in which they were drawn."""
    return [artist for ax in figure.axes for artist in ax.artists if isinstance(artist, Chart)]
