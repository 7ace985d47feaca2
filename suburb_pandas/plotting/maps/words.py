"""Writes the words of a map: title, unit, notes on its signs and on missing data, and the sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from suburb_pandas.errors import SkippedRowsWarning
from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.messages import listed, warn
from suburb_pandas.plotting.composition.content import Look, Swatch, Words
from suburb_pandas.plotting.flags import OLD_RENT, dates_note
from suburb_pandas.plotting.maps.boundaries import Shapes
from suburb_pandas.plotting.maps.geometry import View
from suburb_pandas.plotting.maps.values import MapValues
from suburb_pandas.plotting.measures import measure_words, own_values_note, title_words
from suburb_pandas.plotting.notes import operations_note, source_note, title_of, without_data_note
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.dates import Flags

NO_DATA: Final = "no data"
"""The name of suburbs without data in the legend."""

_SIGNS: Final = {"thin": "Cross: thin evidence", "caution": "Dot: caution"}
STALE_RENT: Final = "stale rent"
"""The name of the sign of a stale rent in the legend."""
_FEW: Final = 3


@dataclass(frozen=True, slots=True)
class Joined:
    """Values joined with shapes: for each shape the position of its value, -1 without one."""

    given: MapValues
    shapes: Shapes
    positions: npt.NDArray[np.intp]

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The value of each shape, NaN without one."""
        return np.append(self.given.values, np.nan)[self.positions]

    @property
    def flags(self) -> npt.NDArray[np.str_]:
        """The flag of the evidence of each shape."""
        return np.array([*self.given.flags, ""])[self.positions]

    @property
    def is_stale(self) -> Flags:
        """True for the shapes whose value rests on a stale rent."""
        return np.append(self.given.is_stale, False)[self.positions]

    @property
    def in_focus(self) -> npt.NDArray[np.bool_]:
        """True for the shapes that the map is about: those with a value, or those with a name if none has a value."""
        has_value = ~np.isnan(self.values)
        return has_value if has_value.any() else self.positions >= 0

    @property
    def without_value(self) -> list[str]:
        """The names that have no value."""
        return [name for name, value in zip(self.given.names, self.given.values, strict=True) if np.isnan(value)]

    @property
    def without_shape(self) -> list[str]:
        """The names that have no shape."""
        found = np.isin(np.arange(len(self.given.names)), self.positions)
        return [name for name, has_shape in zip(self.given.names, found, strict=True) if not has_shape]


def warn_of_names_without_shape(joined: Joined) -> None:
    """Warn of the suburbs that cannot be drawn."""
    if missing := joined.without_shape:
        have, are = ("has", "is") if len(missing) == 1 else ("have", "are")
        warn(
            f"{len(missing)} of {len(joined.given.names)} suburbs {have} no shape and {are} not on the map: "
            f"{listed(missing)}.",
            SkippedRowsWarning,
        )


def words_of(joined: Joined, view: View, legend: Mapping[str, Look | Swatch], *, has_foot: bool) -> Words:
    """Return the words around a map."""
    given, shapes = joined.given, joined.shapes
    shown = [given.names[position] for position in joined.positions[joined.in_focus]]
    return Words(
        title_of(title_words(given.column, given.frame), shown),
        measure_words(given.column, given.frame),
        notes=[
            *_notes(joined, view, legend),
            dates_note(given.frame, given.column),
            operations_note(given.frame),
            _boundaries(joined, view),
        ],
        source=f"{source_note(given.frame)}\n{own_values_note(given.frame, given.column)}",
        is_made_up=is_made_up(given.frame) or shapes.is_made_up,
        legend=legend,
        has_foot=has_foot,
    )


def _notes(joined: Joined, view: View, legend: Mapping[str, Look | Swatch]) -> Iterator[str]:
    """Yield sentences that explain the map, and that name or count what is left out."""
    if any(" to " in name or " or more" in name for name in legend):
        yield "A class includes its lower limit."
    if any(isinstance(look, Swatch) and look.hatch and name != NO_DATA for name, look in legend.items()):
        yield "Horizontal lines: below zero."
    for flag, sign in _SIGNS.items():
        if (joined.flags[view.shapes] == flag).any():
            yield f"{sign}, up to {LIMITS[flag]} sales."
    if STALE_RENT in legend:
        yield f"Plus: {OLD_RENT}."
    yield without_data_note(joined.without_value)
    without_value = np.isnan(joined.values)
    if without_value.any():
        in_view = int(without_value[view.shapes].sum())
        which = f"of which {in_view:,} in view (hatched)" if in_view else "none of them in view"
        yield f"Shapes without a value: {without_value.sum():,}, {which}."
    if missing := joined.without_shape:
        more = f" and {len(missing) - _FEW:,} more" if len(missing) > _FEW else ""
        yield f"Names without a shape: {len(missing):,} ({', '.join(missing[:_FEW])}{more})."
    if joined.shapes.without_geometry:
        yield f"Rows of the boundaries without a geometry: {joined.shapes.without_geometry:,}."


def _boundaries(joined: Joined, view: View) -> str:
    """Return a sentence on the boundaries and their projection."""
    shapes = joined.shapes
    origin = shapes.title or ("made up" if shapes.is_made_up else f"a frame of {len(shapes.names):,} shapes")
    return f"Boundaries: {origin}{f'; {view.projection}' if view.projection else ''}."
