"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

Reading values and boundaries is left to the modules of these names, the names in the shapes to names, the words around
the map to words, and their places to composition.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import ink_on, mixed, page_colour, text_colour
from suburb_pandas.plotting.composition.content import Look, Panel, Swatch
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.strokes import thin_hatching
from suburb_pandas.plotting.composition.style import Sizes, tidy
from suburb_pandas.plotting.composition.text import format_number
from suburb_pandas.plotting.maps import boundaries as boundary_files
from suburb_pandas.plotting.maps import values as map_values
from suburb_pandas.plotting.maps.classes import Classes, classes_of
from suburb_pandas.plotting.maps.geometry import View, paths_of, view_of
from suburb_pandas.plotting.maps.names import MOST_NAMES, Names
from suburb_pandas.plotting.maps.words import NO_DATA, STALE_RENT, Joined, warn_of_names_without_shape, words_of
from suburb_pandas.plotting.measures import decimals_of_values, unit_of_column

_MARKERS: Final = {"thin": ("x", "thin evidence"), "caution": (".", "caution")}
_STALE_MARKER: Final = "+"
_NO_DATA, _BELOW_ZERO = "////", "----"
_WIDTH_INCHES, _WORDS_INCHES = 9.0, 1.7
_LEAST_INCHES, _MOST_INCHES = 3.0, 7.5  # the height of a map
_BORDER, _MOST_BORDER, _LEAST_BORDER = 0.02, 0.6, 0.08  # a share of the width of a usual suburb; in points
_MARKER, _LEAST_MARKER = 0.3, 0.8  # the same


def draw(values: object, boundaries: object, column: Hashable | None, target: Target, *, footnote: bool = True) -> Axes:
    """Draw a map and return its Axes.

    Raises
    ------
    TypeError, ValueError, FileNotFoundError, NoSuburbColumn, InvalidName
        As in `plot_map`.
    """
    given = map_values.read(values, column)
    shapes = boundary_files.read(boundaries)
    joined = Joined(given, shapes, boundary_files.join(shapes, given.names))
    warn_of_names_without_shape(joined)
    view = view_of(shapes.geometry, joined.in_focus, _inches(target))
    height = min(max(_WIDTH_INCHES * view.ratio, _LEAST_INCHES), _MOST_INCHES)
    (ax,) = axes_for(target, 1, height + _WORDS_INCHES)
    _prepare(ax, view)
    drawn = _Map(ax, joined, view)
    Chart([Panel(ax, resize=drawn.resize)], words_of(joined, view, drawn.legend, has_foot=footnote))
    return ax


def _inches(target: Target) -> tuple[float, float]:
    """Return the size of a figure in inches; the largest one for a new figure, which has no size yet."""
    if isinstance(target, Axes):
        width, height = target.figure.figure.get_size_inches()
        return float(width), float(height)
    width, height = rcParams["figure.figsize"]
    return max(width, _WIDTH_INCHES), max(height, _MOST_INCHES)


class _Map:
    """The data of a map on its Axes.

    ``legend`` has the look of each class, of suburbs without data, and of the markers of weak evidence and stale rents.
    """

    def __init__(self, ax: Axes, joined: Joined, view: View) -> None:
        self.legend: dict[str, Look | Swatch] = {}
        self._ax, self._page, self._view = ax, page_colour(ax), view
        self._paths = np.array([*paths_of(view.geometry), None], "object")[:-1]  # numpy takes a single path apart
        self._widths = np.sqrt(shapely.area(view.geometry))
        self._fills: PathCollection | None = None
        self._markers: list[tuple[PathCollection, npt.NDArray[np.float64]]] = []  # with the widths of their suburbs
        figures = joined.values[view.shapes]
        known = np.isfinite(figures)
        if known.any():
            self._draw_values(known, figures[known], classes_of(figures[known]))
        if not known.all():
            self._draw_without_data(self._paths[~known])
        flags = joined.flags[view.shapes][known]
        for flag, (marker, name) in _MARKERS.items():
            if (flagged := flags == flag).any():
                self._mark(known, flagged, marker, name)
        if (is_stale := joined.is_stale[view.shapes][known]).any():
            self._mark(known, is_stale, _STALE_MARKER, STALE_RENT)
        is_marked = np.isin(flags, [*_MARKERS]) | is_stale
        self._names = self._named(joined, known, is_marked) if 0 < known.sum() <= MOST_NAMES else None

    def _draw_values(self, known: npt.NDArray[np.bool_], figures: npt.NDArray[np.float64], classes: Classes) -> None:
        """Fill the suburbs with the colours of their classes. Those below zero have horizontal lines, too."""
        colours, numbers = classes.colours(self._page), classes.number_of(figures)
        self._fills = PathCollection(
            list(self._paths[known]), facecolors=[colours[number] for number in numbers], zorder=1, gid="data"
        )
        self._ax.add_collection(self._fills, autolim=False)
        for number, (name, colour) in enumerate(zip(classes.names, colours, strict=True)):
            self.legend[name] = Swatch(colour, colour)
            if number < classes.below_zero:
                line = mixed(ink_on(colour), 0.45, colour)
                self.legend[name] = Swatch(colour, line, _BELOW_ZERO)
                self._hatch(self._paths[known][numbers == number], _BELOW_ZERO, line)

    def _draw_without_data(self, paths: npt.NDArray[np.object_]) -> None:
        """Hatch the suburbs without data, lightly."""
        face, line = (mixed(text_colour(self._page), share, self._page) for share in (0.03, 0.25))
        borders = PathCollection(list(paths), facecolors=face, edgecolors=line, linewidths=0.3, zorder=0.9)
        self._ax.add_collection(borders, autolim=False)
        borders.set_gid("no data")
        self._hatch(paths, _NO_DATA, line)
        self.legend[NO_DATA] = Swatch(face, line, _NO_DATA)

    def _hatch(self, paths: npt.NDArray[np.object_], hatch: str, colour: str) -> None:
        """Hatch suburbs with one artist. One artist for each suburb would take a hundred times as long."""
        if not len(paths):
            return
        whole = Path.make_compound_path(*paths)
        patch = PathPatch(whole, facecolor="none", edgecolor=colour, hatch=hatch, linewidth=0, zorder=2, gid="hatching")
        thin_hatching(patch)
        self._ax.add_artist(patch)
        patch.set_clip_path(self._ax.patch)

    def _mark(self, known: npt.NDArray[np.bool_], flagged: npt.NDArray[np.bool_], marker: str, name: str) -> None:
        """Mark suburbs whose values rest on few sales or stale rents, in black or white, as their colour requires."""
        x, y = shapely.get_coordinates(shapely.point_on_surface(self._view.geometry[known][flagged])).T
        inks = [ink_on(face) for face in np.array(self._faces())[flagged]]
        points = self._ax.scatter(x, y, c=inks, marker=marker, zorder=3, gid=name)
        self._markers.append((points, self._widths[known][flagged]))
        self.legend[name] = (text_colour(self._page), marker, "None")

    def _named(self, joined: Joined, known: npt.NDArray[np.bool_], is_marked: npt.NDArray[np.bool_]) -> Names:
        """Write the names and the values of the suburbs of a small map."""
        shown = joined.positions[self._view.shapes][known]
        unit = unit_of_column(joined.given.frame, joined.given.column)
        values = joined.given.values[shown]
        decimals = decimals_of_values(values, unit)
        texts = [
            (joined.given.names[row], format_number(value, decimals)) for row, value in zip(shown, values, strict=True)
        ]
        geometry = self._view.geometry[known]
        places = shapely.get_coordinates(shapely.point_on_surface(geometry)).tolist()
        markers = [tuple(place) if marked else None for place, marked in zip(places, is_marked, strict=True)]
        return Names(self._ax, texts, geometry, self._faces(), markers)

    def _faces(self) -> list[str]:
        """Return the colour of each suburb with a value."""
        assert self._fills is not None  # noqa: S101 - only called for suburbs with values
        return [to_hex(colour) for colour in np.asarray(self._fills.get_facecolor())]

    def resize(self, _: Axes, height: float, sizes: Sizes) -> None:
        """Fit the widths of borders and the sizes of markers to a height in points."""
        point = height / (self._view.box[3] - self._view.box[1])
        border = min(_BORDER * point * float(np.median(self._widths)), _MOST_BORDER)
        if self._fills is not None:
            self._fills.set(edgecolor=self._page if border > _LEAST_BORDER else "face", linewidth=max(border, 0.2))
        for points, widths in self._markers:
            marker_sizes = np.clip(_MARKER * point * widths, _LEAST_MARKER, sizes.marker)
            points.set(sizes=marker_sizes**2, linewidths=0.16 * marker_sizes)
        if self._names is not None:
            self._names.resize(point, sizes)


def _prepare(ax: Axes, view: View) -> None:
    """Show the view on Axes, in its own shape, without ticks and frame."""
    tidy(ax, grid=None)
    ticks.hide(ax)
    ax.set_facecolor("none")
    west, south, east, north = view.box
    ax.set(xlim=(west, east), ylim=(south, north))
    ax.set_aspect("equal", adjustable="box", anchor="N")
