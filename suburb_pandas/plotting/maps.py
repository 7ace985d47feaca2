"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

Reading values is left to suburb_values, boundaries to boundaries, the geometry to map_views, the names in and beside
the shapes to map_labels, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from textwrap import fill
from typing import Final

import geopandas as gpd
import numpy as np
import shapely
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from suburb_pandas.errors import SkippedRowsWarning
from suburb_pandas.messages import listed, warn
from suburb_pandas.plotting import suburb_values
from suburb_pandas.plotting.boundaries import Shapes, check_names
from suburb_pandas.plotting.boundaries import read as read_boundaries
from suburb_pandas.plotting.classes import Classes, classes_of
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes
from suburb_pandas.plotting.flags import OLD_RENT, dates_note
from suburb_pandas.plotting.look import format_number, ink_on, mixed, page_colour, text_colour, tidy, type_size
from suburb_pandas.plotting.map_labels import write_names
from suburb_pandas.plotting.map_views import View, view_of
from suburb_pandas.plotting.suburb_values import SuburbValues
from suburb_pandas.plotting.words import (
    holds_made_up,
    operations_note,
    own_values_note,
    source_note,
    title_of,
    without_data_note,
)
from suburb_pandas.service.impacts import LIMITS

_SIGNS: Final = {
    "thin": ("x", "thin evidence", f"Cross: thin evidence, up to {LIMITS['thin']} sales."),
    "caution": (".", "caution", f"Dot: caution, up to {LIMITS['caution']} sales."),
    "is_stale": ("+", "stale rent", f"Plus: {OLD_RENT}."),
}
_NO_DATA, _BELOW_ZERO = "////", "----"
_HATCHING: Final = 0.5  # points
_INCHES: Final = (3.0, 7.5)  # the least and the greatest height of a map
_BESIDE, _AROUND, _IN_AXES = 0.28, 1.7, 1.0  # inches for the words beside, above and below a map
_PAD: Final = 0.09  # inches that constrained layout leaves above and below
_SMALL: Final = 6 * 0.72  # points: six pixels at 100 dots an inch
_MOST_SMALL, _COVER = 60, 0.1  # if more shapes are small, they have markers only on a map that is mostly empty
_MOST_NAMES, _LETTERS = 12, 15  # suburbs on a map with names; letters in a line of a name
_DOT, _SIGN, _SIGN_SIZES = 7.0, 0.3, (0.8, 6.0)  # of markers, in points; the second as a share of a suburb's width
_BORDER, _BORDER_WIDTHS, _VISIBLE = 0.02, (0.2, 0.6), 0.08  # a share of the width of a usual suburb; in points
_FEW: Final = 3


def draw(
    values: object,
    boundaries: object,
    target: Target,
    *,
    column: Hashable | None = None,
    classes: Sequence[float] | None = None,
) -> Axes:
    """Draw a map and return its Axes; see `plot_map`."""
    given, shapes = suburb_values.read(values, column), read_boundaries(boundaries)
    check_names(shapes, given.table.index)
    joined = gpd.GeoDataFrame(given.table.reindex(shapes.areas.index), geometry=shapes.areas.array)
    view = _view(joined, given, target)
    ax = make_axes(target)[0]
    tidy(ax, grid=None)
    ax.set(xticks=[], yticks=[], facecolor="none")
    found = classes_of(view.rows["value"].dropna().to_numpy("float64"), classes)
    known = _with_looks(view, given, found, page_colour(ax))
    with rc_context({"hatch.linewidth": _HATCHING}):  # before version 3.10, matplotlib reads it when it draws
        legend = [*_draw_areas(ax, view, known, found), *_draw_signs(ax, known)]
    ax.set(xlabel="", ylabel="", xlim=view.box[::2], ylim=view.box[1::2])
    ax.set_aspect("equal", adjustable="box", anchor="NW")
    if len(known) <= _MOST_NAMES:
        write_names(ax, view, known)
    words = Words(
        title_of(given.column.title, [*known.index] or [*given.table.index]),
        given.column.measure,
        notes=[*_notes(given, shapes, view, known), *_notes_on_missing(given, shapes, joined, view)],
        source=f"{source_note(given.frame)} {own_values_note(given.frame, given.label)}".strip(),
        alt=_alt(known),
        is_made_up=holds_made_up(given.frame) or shapes.is_made_up,
    )
    return finish(target, [ax], words, (view.inches[1] + _PAD) * 9 / type_size(), legend=legend)


def _view(joined: gpd.GeoDataFrame, given: SuburbValues, target: Target) -> View:
    """Return the view of the shapes with values, or of those that have a name if none has a value."""
    has_value = joined["value"].notna().to_numpy()
    focus = has_value if has_value.any() else joined.index.isin(given.table.index)
    if target.ax is None:
        least = max(_INCHES[0], target.figsize[1] - _AROUND if target.figsize else 0)
        return view_of(joined, focus, target.width - _BESIDE, (least, max(least, _INCHES[1])))
    figure = target.ax.figure.figure
    height = target.ax.get_window_extent().height / figure.dpi - (_IN_AXES if figure.get_layout_engine() else 0)
    height = max(height, target.width / 4)
    return view_of(joined, focus, target.width, (height, height))


def _with_looks(view: View, given: SuburbValues, classes: Classes, page: str) -> gpd.GeoDataFrame:
    """Return the rows with values, with all that is drawn of each: text, class, colour, signs and their place.

    ``points`` is the size of a shape. ``is_small`` is True for one that needs a marker to be seen.
    """
    known = view.rows[view.rows["value"].notna()]
    values, colours = known["value"].to_numpy("float64"), np.array([*classes.colours(page), ""])
    number, points = classes.number_of(values), np.sqrt(shapely.area(known.geometry.array)) * view.points
    is_empty = (points**2).sum() < _COVER * view.inches[0] * view.inches[1] * 72**2
    is_small = points < _SMALL
    decimals = given.column.decimals(given.table["value"].to_numpy())
    texts = [format_number(value, decimals) for value in values]
    names = [fill(name, _LETTERS, break_long_words=False) for name in known.index]
    return known.assign(
        text=texts,
        label=[*map("{}\n{}".format, names, texts)],
        number=number,
        face=colours[number],
        is_below=number < classes.below_zero,
        points=points,
        is_small=is_small & (is_empty or is_small.sum() <= _MOST_SMALL),
        is_stale=known["is_stale"].astype(bool),
        thin=known["flag"] == "thin",
        caution=known["flag"] == "caution",
        place=shapely.point_on_surface(known.geometry.array),
    )


def _draw_areas(ax: Axes, view: View, known: gpd.GeoDataFrame, classes: Classes) -> Iterator[Patch]:
    """Draw the areas of each class and of those without data, and yield their entries of the legend."""
    page = page_colour(ax)
    usual = _BORDER * view.points * np.sqrt(np.median(shapely.area(view.rows.geometry.array)))
    width, edge = np.clip(usual, *_BORDER_WIDTHS), page if usual > _VISIBLE else "face"
    for number, (name, face) in enumerate(zip(classes.names, classes.colours(page), strict=True)):
        is_below = number < classes.below_zero
        entry = Patch(facecolor=face, edgecolor=face, linewidth=0, label=name)
        if is_below:
            entry.set(hatch=_BELOW_ZERO, edgecolor=mixed(ink_on(face), 0.45, face))
        yield _draw_area(ax, known[known["number"] == number], entry, edgecolor=edge, linewidth=width)
    without = view.rows[view.rows["value"].isna()]
    if len(without):
        face, line = (mixed(text_colour(page), share, page) for share in (0.03, 0.25))
        entry = Patch(facecolor=face, edgecolor=line, linewidth=0.5, hatch=_NO_DATA, label="no data")
        yield _draw_area(ax, without, entry, edgecolor=line, linewidth=width)


def _draw_area(ax: Axes, rows: gpd.GeoDataFrame, entry: Patch, **border: object) -> Patch:
    """Fill and hatch areas as in their entry of the legend, and return it.

    One artist has the hatching of all: one for each shape would take a hundred times as long.
    """
    if len(rows):
        style = {"color": entry.get_facecolor(), "linestyle": "-", "gid": entry.get_label(), "zorder": 1, **border}
        rows.geometry.plot(ax=ax, aspect=None, **style)
    if len(rows) and entry.get_hatch():
        hatching = PathPatch(Path.make_compound_path(*ax.collections[-1].get_paths()), gid="hatching", zorder=2)
        hatching.set(facecolor="none", edgecolor=entry.get_edgecolor(), hatch=entry.get_hatch(), linewidth=0)
        ax.add_artist(hatching)
    return entry


def _draw_signs(ax: Axes, known: gpd.GeoDataFrame) -> Iterator[Line2D]:
    """Mark suburbs that are too small to be seen, few sales and stale rents, and yield the entries of the legend."""
    ink, is_small = text_colour(page_colour(ax)), known["is_small"]
    for marker, is_marked in (("o", is_small & ~known["is_below"]), ("v", is_small & known["is_below"])):
        rows = known[is_marked]
        _scatter(ax, rows, marker, "small", s=_DOT**2, c=list(rows["face"]), edgecolors=ink, linewidths=0.8)
    for flag, (marker, name, _) in _SIGNS.items():
        rows = known[known[flag]]
        sizes = np.clip(_SIGN * np.maximum(rows["points"], 2 * _DOT * rows["is_small"]), *_SIGN_SIZES)
        _scatter(ax, rows, marker, name, s=sizes**2, c=[*map(ink_on, rows["face"])], linewidths=0.16 * sizes)
        if len(rows):
            entry = Line2D([], [], color=ink, marker=marker, linestyle="none", label=name)
            entry.set(markersize=6, markeredgewidth=1)
            yield entry


def _scatter(ax: Axes, rows: gpd.GeoDataFrame, marker: str, name: str, **style: object) -> None:
    """Draw a marker at the place of each row."""
    if len(rows):
        x, y = shapely.get_coordinates(rows["place"].to_numpy()).T
        ax.scatter(x, y, marker=marker, gid=name, zorder=3, **style)  # type: ignore[arg-type]


def _notes(given: SuburbValues, shapes: Shapes, view: View, known: gpd.GeoDataFrame) -> Iterator[str]:
    """Yield sentences on the signs of a map, the values and the boundaries."""
    is_small, is_below = known["is_small"], known["is_below"]
    if known["number"].nunique() > 1:
        yield "A class includes its lower limit."
    if is_below.any():
        yield "Horizontal lines: below zero."
    yield from (note for flag, (*_, note) in _SIGNS.items() if known[flag].any())
    if is_small.any():
        below = "; triangle: the same, below zero" if (is_small & is_below).any() else ""
        yield f"Circle: a suburb that is too small to be seen{below}."
    if len(known) > 1 and is_small.all():
        one = [known.index[0]]
        rows = f"loc[{one}]" if one[0] in given.frame.index else f"loc[values.isin({one}).any(axis=1)]"
        line = f"sp.plot_map(values.{rows}, boundaries, column={given.label!r})"
        yield f"All are too small. To draw one city, choose its suburbs, as in {line}."
    yield dates_note(given.frame, given.label)
    yield operations_note(given.frame)
    yield f"Boundaries: {'; '.join(filter(None, [shapes.origin, view.projection]))}."


def _notes_on_missing(given: SuburbValues, shapes: Shapes, joined: gpd.GeoDataFrame, view: View) -> Iterator[str]:
    """Yield sentences on what is not drawn, and warn of suburbs without a shape."""
    yield without_data_note([*given.table.index[given.table["value"].isna()]])
    if number := joined["value"].isna().sum():
        in_view = view.rows["value"].isna().sum()
        where = f"of which {in_view:,} in view (hatched)" if in_view else "none of them in view"
        yield f"Shapes without a value: {number:,}, {where}."
    missing = given.table.index.difference(joined.index, sort=False)
    if len(missing):
        have, are = ("has", "is") if len(missing) == 1 else ("have", "are")
        what = f"{len(missing)} of {len(given.table)} suburbs {have} no shape and {are} not on the map"
        warn(f"{what}: {listed(missing)}.", SkippedRowsWarning)
        more = f" and {len(missing) - _FEW:,} more" if len(missing) > _FEW else ""
        yield f"Names without a shape: {len(missing):,} ({', '.join(missing[:_FEW])}{more})."
    if shapes.without_area:
        yield f"Rows of the boundaries without a geometry: {shapes.without_area:,}."


def _alt(known: gpd.GeoDataFrame) -> str:
    """Return the range of the values in a sentence."""
    if known.empty:
        return "No suburb has a value."
    ends = known.sort_values("value", kind="stable")["text"]
    low, high = (f"{name} ({text})" for name, text in ends.iloc[[0, -1]].items())
    return f"A map of {len(known):,} suburbs, from {low} to {high}."
