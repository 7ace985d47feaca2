"""Writes the columns of text beside the rows of a panel: the names of the rows, and their figures under headings.

Drawing the rows is left to impacts, heatmap and scorecard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.colours import muted, page_colour, text_colour
from suburb_pandas.plotting.composition.style import Fitting

_MOST_OF_THE_WIDTH: Final = 0.32  # of a chart, for the names of the rows
_BETWEEN_COLUMNS: Final = 1.1  # as a multiple of the type size
_BETWEEN_ROWS: Final = 0.15


class RowNames:
    """The names of the rows, left-aligned at the left edge of the chart.

    Parameters
    ----------
    ax
        The Axes of the bars.
    names
        The name of each bar.
    widest
        The names of the bars of all panels, to which the width is fitted.
    """

    side: Literal["left", "right"] = "left"
    has_legend = False

    def __init__(self, ax: Axes, names: Sequence[str], widest: Sequence[str]) -> None:
        self._ax, self._names, self._widest = ax, names, widest
        ax.set_yticks(range(len(names)), names, parse_math=False)

    def width(self, fit: Fitting) -> float:
        """Return the width of the names and of the space beside them, in points."""
        return fit.ruler.widest(self._wrapped(self._widest, fit), fit.sizes.label) + fit.sizes.label

    def height(self, fit: Fitting) -> float:
        """Return the height of all rows, which are as high as the highest name, in points."""
        heights = [fit.ruler.height(name, fit.sizes.label) for name in self._wrapped(self._names, fit)]
        return len(heights) * (max(heights, default=0) + _BETWEEN_ROWS * fit.sizes.label)

    def heading(self, fit: Fitting) -> tuple[float, float]:  # noqa: ARG002 - there is no heading
        """Return 0 and 0: there is no heading."""
        return 0, 0

    def place(self, box: Bbox, fit: Fitting) -> None:  # noqa: ARG002 - matplotlib places the labels of ticks
        """Write the names as the labels of ticks, from the left edge of the chart on."""
        names = self._wrapped(self._names, fit)
        self._ax.set_yticks(range(len(names)), names, ha="left", fontsize=fit.sizes.label, parse_math=False)
        self._ax.tick_params(axis="y", pad=self.width(fit))

    def show(self, *, visible: bool, headed: bool) -> None:  # noqa: ARG002 - there is no heading
        """Show or hide the names."""
        self._ax.tick_params(axis="y", labelleft=visible)

    def _wrapped(self, names: Sequence[str], fit: Fitting) -> list[str]:
        """Return names, wrapped to their share of the width of a chart."""
        return [fit.ruler.wrap(name, _MOST_OF_THE_WIDTH * fit.room, fit.sizes.label) for name in names]


class Columns:
    """Columns of figures to the right of the bars, right-aligned under their headings, and perhaps one of words.

    Parameters
    ----------
    ax
        The Axes of the bars.
    headings
        The heading of each column.
    rows
        The figures beside each bar.
    widest
        The figures of all panels, to which the widths are fitted, so that all panels have the same columns.
    has_words
        Whether the last column holds words, which are left-aligned.
    """

    side: Literal["left", "right"] = "right"
    has_legend = False

    def __init__(
        self,
        ax: Axes,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        widest: Sequence[Sequence[str]],
        *,
        has_words: bool = False,
    ) -> None:
        self._ax, self._headings, self._rows, self._widest = ax, headings, rows, widest
        self._sides = ["right"] * (len(headings) - has_words) + ["left"] * has_words
        style: dict[str, Any] = {"clip_on": False, "parse_math": False}
        page = page_colour(ax)
        ink, grey = text_colour(page), muted(page)
        self._heads = [
            ax.text(1, 1, "", transform=ax.transAxes, va="bottom", ha=side, color=grey, **style) for side in self._sides
        ]
        across = ax.get_yaxis_transform(which="grid")
        self._cells = [
            [
                ax.text(1, row, cell, transform=across, va="center_baseline", ha=side, color=ink, gid="cell", **style)
                for cell, side in zip(cells, self._sides, strict=True)
            ]
            for row, cells in enumerate(rows)
        ]
        for text in self._texts:
            text.set_in_layout(False)

    def width(self, fit: Fitting) -> float:
        """Return the width of all columns and of the spaces before them, in points."""
        return sum(self._widths(fit)) + len(self._headings) * _BETWEEN_COLUMNS * fit.sizes.label

    def height(self, fit: Fitting) -> float:
        """Return the height of all rows, which are as high as the highest one, in points."""
        words = [self._written(row, -1, fit) for row in self._rows]
        highest = max((fit.ruler.height(text, fit.sizes.label) for text in ("0", *words)), default=0)
        return len(self._rows) * (highest + _BETWEEN_ROWS * fit.sizes.label)

    def heading(self, fit: Fitting) -> tuple[float, float]:
        """Return the width of all headings and the height of the highest one, in points."""
        return self.width(fit), max(fit.ruler.height(heading, fit.sizes.note) for heading in self._wrapped(fit))

    def place(self, box: Bbox, fit: Fitting) -> None:
        """Put the columns beside each other, and the headings above them."""
        right = box.width
        for number, (width, heading) in enumerate(zip(self._widths(fit), self._wrapped(fit), strict=True)):
            right += _BETWEEN_COLUMNS * fit.sizes.label + width
            top = 1 + 0.4 * fit.sizes.gap / box.height
            x = (right if self._sides[number] == "right" else right - width) / box.width
            self._heads[number].set(text=heading, fontsize=fit.sizes.note, position=(x, top))
            for row, cells in enumerate(self._cells):
                text = self._written(self._rows[row], number, fit)
                cells[number].set(text=text, fontsize=fit.sizes.label, position=(x, row))

    def show(self, *, visible: bool, headed: bool) -> None:
        """Show or hide the columns, with or without their headings."""
        for text in self._texts:
            text.set_visible(visible)
        for head in self._heads:
            head.set_visible(visible and headed)

    @property
    def _texts(self) -> list[Text]:
        """All headings and figures."""
        return [*self._heads, *(cell for cells in self._cells for cell in cells)]

    def _widths(self, fit: Fitting) -> list[float]:
        """Return the width of each column."""
        return [
            max(
                fit.ruler.width(heading, fit.sizes.note),
                fit.ruler.widest((self._written(row, number, fit) for row in self._widest), fit.sizes.label),
            )
            for number, heading in enumerate(self._wrapped(fit))
        ]

    def _written(self, row: Sequence[str], number: int, fit: Fitting) -> str:
        """Return the text of a cell; words are wrapped to their share of the width of a chart."""
        if self._sides[number] == "right":
            return row[number]
        return fit.ruler.wrap(row[number], _MOST_OF_THE_WIDTH * fit.room, fit.sizes.label)

    def _wrapped(self, fit: Fitting) -> list[str]:
        """Return the headings, wrapped to the width of their figures or of their longest word."""
        return [
            fit.ruler.wrap(heading, fit.ruler.widest([*column, *heading.split()], fit.sizes.note), fit.sizes.note)
            for heading, column in zip(self._headings, self._columns, strict=True)
        ]

    @property
    def _columns(self) -> list[list[str]]:
        """The figures of each column, in all panels."""
        return [[row[number] for row in self._widest] for number in range(len(self._headings))]
