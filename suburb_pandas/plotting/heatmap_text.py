"""Fits the texts of a heatmap: the headings above its columns, and the texts in its cells.

The words are left to heatmap, the names of the rows to composition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.colours import muted, page_colour
from suburb_pandas.plotting.composition.content import Beside
from suburb_pandas.plotting.composition.style import SMALLEST_TYPE, Fitting

_OF_A_CELL: Final = 0.92  # of its width or height, for text
_STEP: Final = 0.93
_MOST_LINES: Final = 4  # of a heading that is not turned


class HeatmapText:
    """Headings above the columns of a heatmap, and the texts in its cells.

    Headings are wrapped to the width of a column, or turned where a word is wider. Texts that do not fit in their cells
    are replaced by short ones.

    Parameters
    ----------
    ax
        The Axes of the heatmap, with a unit of each axis for a cell.
    headings
        The heading of each column.
    cells
        The full text, the short text and the colour of a cell, by its row and column.
    beside
        The names and figures beside the cells.
    """

    side: Literal["left", "right"] = "right"
    has_legend = False

    def __init__(
        self,
        ax: Axes,
        headings: Sequence[str],
        cells: Mapping[tuple[int, int], tuple[str, str, str]],
        beside: Sequence[Beside],
    ) -> None:
        self._headings, self._cells, self._beside = headings, cells, beside
        self._rows = round(abs(ax.get_ylim()[1] - ax.get_ylim()[0]))
        style: dict[str, Any] = {"ha": "center", "clip_on": False, "parse_math": False}
        grey = muted(page_colour(ax))
        self._heads = [ax.text(0, 1, "", transform=ax.transAxes, va="bottom", color=grey, **style) for _ in headings]
        self._texts = {
            (row, column): ax.text(column, row, "", va="center_baseline", color=colour, gid="cell", **style)
            for (row, column), (_, _, colour) in cells.items()
        }
        for text in (*self._heads, *self._texts.values()):
            text.set_in_layout(False)

    def width(self, fit: Fitting) -> float:  # noqa: ARG002 - it stands above and in the cells
        """Return 0: nothing stands beside the cells."""
        return 0

    def height(self, fit: Fitting) -> float:
        """Return the least height of all rows, in points."""
        return self._rows * SMALLEST_TYPE / _OF_A_CELL * bool(fit.room)

    def heading(self, fit: Fitting) -> tuple[float, float]:
        """Return 0 and the height of the highest heading, in points."""
        headings, is_turned = self._wrapped(self._column(fit), fit)
        measure = fit.ruler.width if is_turned else fit.ruler.height
        return 0, max(measure(heading, fit.sizes.note) for heading in headings)

    def place(self, box: Bbox, fit: Fitting) -> None:
        """Put the headings above their columns, and write the full texts into the cells if all of them fit."""
        column, row = box.width / len(self._headings), box.height / self._rows
        headings, is_turned = self._wrapped(self._column(fit), fit)
        for number, (head, heading) in enumerate(zip(self._heads, headings, strict=True)):
            x, y = (number + 0.5) / len(self._headings), 1 + 0.4 * fit.sizes.gap / box.height
            head.set(text=heading, fontsize=fit.sizes.note, position=(x, y), rotation=90 if is_turned else 0)
        for which in (0, 1):
            size = self._size_of([cell[which] for cell in self._cells.values()], column, row, fit)
            if size >= SMALLEST_TYPE or which:
                break
        for key, text in self._texts.items():
            text.set(text=self._cells[key][which] if size >= SMALLEST_TYPE else "", fontsize=max(size, SMALLEST_TYPE))

    def show(self, *, visible: bool, headed: bool) -> None:
        """Show or hide the texts, with or without the headings."""
        for text in self._texts.values():
            text.set_visible(visible)
        for head in self._heads:
            head.set_visible(visible and headed)

    def _column(self, fit: Fitting) -> float:
        """Return the width of a column, in points."""
        room = fit.room - sum(beside.width(fit) for beside in self._beside)
        return max(room, 1) / len(self._headings)

    def _wrapped(self, column: float, fit: Fitting) -> tuple[list[str], bool]:
        """Return the headings, wrapped to the width of a column, and whether they are turned."""
        size, room = fit.sizes.note, _OF_A_CELL * column
        wrapped = [fit.ruler.wrap(heading, room, size) for heading in self._headings]
        has_long_word = fit.ruler.widest((word for heading in self._headings for word in heading.split()), size) > room
        if has_long_word or any(len(heading.splitlines()) > _MOST_LINES for heading in wrapped):
            return [" ".join(heading.split()) for heading in self._headings], True
        return wrapped, False

    @staticmethod
    def _size_of(texts: Sequence[str], column: float, row: float, fit: Fitting) -> float:
        """Return the largest type size up to that of labels in which all texts fit in a cell."""
        size, ruler = fit.sizes.label, fit.ruler
        while size >= SMALLEST_TYPE and (
            ruler.widest(set(texts), size) > _OF_A_CELL * column or ruler.height("0", size) > _OF_A_CELL * row
        ):
            size *= _STEP
        return size
