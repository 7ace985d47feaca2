"""Draws amenity price impacts as a heatmap: a row for each suburb, a column for each driver, in per cent of the median.

Reading the frame is left to drivers, the texts to heatmap_text, words around the cells to notes and chart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, to_hex
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, NullLocator

from suburb_pandas.frames.schema import AREA_NAME, is_made_up
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import diverging_colours, ink_on, mixed, muted, page_colour, text_colour
from suburb_pandas.plotting.composition.columns import Columns, RowNames
from suburb_pandas.plotting.composition.content import Beside, Panel, Swatch, Words
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import decimals_of, format_number
from suburb_pandas.plotting.drivers import CAVEAT, THIN, is_thin, n_sales_of, read_drivers
from suburb_pandas.plotting.heatmap_text import HeatmapText
from suburb_pandas.plotting.notes import check_number, missing_suburbs_note, source_note, suburbs_in, title_of

MOST_SUBURBS: Final = 48
"""The most suburbs of a heatmap."""

_SUBTITLE: Final = "Premium where the amenity is absent, per cent of the median price"
_HATCHED: Final = "Hatched: the driver is not listed for the suburb, which does not mean zero."
_ORDER: Final = "Drivers are ordered by the number of suburbs that list them, then by mean premium."
_THIN_MARK, _UNKNOWN = "*", "?"
_MARKS: Final = {
    _THIN_MARK: f"{_THIN_MARK} thin evidence: {THIN}.",
    _UNKNOWN: "Question mark: not known.",
}
_UNLISTED, _NO_FIGURE = "not listed", "not known"
_HATCHES: Final = {_UNLISTED: "////", _NO_FIGURE: "\\\\\\\\"}
_HATCH_SHARE: Final = 0.22  # of the colour of text in that of the hatch
_LEAST_WIDTH: Final = 0.3
_MOST_HEIGHT: Final = 3.4  # of a row, as a multiple of the type size of labels
_WORDS_INCHES, _ROW_INCHES = 2.5, 0.26
_USUAL_TYPE: Final = 10.0
_LEGEND_STEPS: Final = 5

_Cell = Mapping[Any, Any]
"""The figures of a driver of a suburb."""


def draw(drivers: pd.DataFrame, target: Target, *, footnote: bool = True) -> Axes:
    """Draw a frame of drivers as a heatmap and return its Axes.

    Raises
    ------
    TypeError, ValueError
        ``drivers`` is not a frame of drivers, its figures are not numbers, or it has too many suburbs.
    """
    ranked, names = read_drivers(drivers), suburbs_in(drivers)
    check_number(names, MOST_SUBURBS)
    labels, cells = _ordered(ranked), _cells(ranked, names)
    (ax,) = axes_for(target, 1, (_WORDS_INCHES + _ROW_INCHES * len(names)) * rcParams["font.size"] / _USUAL_TYPE)
    values = [cell["pct_of_median"] for cell in cells.values() if np.isfinite(cell["pct_of_median"])]
    panel, texts = _draw_panel(ax, names, labels, cells, drivers, largest=max(map(abs, values), default=0) or 1)
    is_full = len(cells) == len(labels) * len(names)
    reasons = [*([] if is_full else [_UNLISTED]), *([_NO_FIGURE] if len(values) < len(cells) else [])]
    words = Words(
        title_of(endpoint_of(drivers).title, names),
        _SUBTITLE,
        notes=[
            CAVEAT,
            *_notes(texts, is_full=is_full),
            missing_suburbs_note(drivers, names),
        ],
        source=source_note(drivers),
        is_made_up=is_made_up(drivers),
        legend=_legend(values, page_colour(ax), reasons),
        has_foot=footnote,
    )
    Chart([panel], words)
    return ax


def _ordered(drivers: pd.DataFrame) -> list[str]:
    """Return the labels of the drivers: first those that most suburbs list, then those with the largest mean."""
    by_label = drivers.groupby(drivers["label"].astype(str), sort=False)["pct_of_median"]
    order = pd.DataFrame({"listed": by_label.size(), "mean": by_label.mean()})
    return [*map(str, order.sort_values(["listed", "mean"], ascending=False, kind="stable").index)]


def _cells(drivers: pd.DataFrame, names: list[str | None]) -> dict[tuple[int, str], _Cell]:
    """Return the drivers by suburb number and label. Of drivers with the same label, the largest premium is kept."""
    numbers = {name: number for number, name in enumerate(names)}
    found: dict[tuple[int, str], _Cell] = {}
    for driver in drivers.to_dict("records"):
        row = numbers[str(driver[AREA_NAME])] if AREA_NAME in driver else 0
        found.setdefault((row, str(driver["label"])), driver)
    return found


def _draw_panel(
    ax: Axes,
    names: list[str | None],
    labels: list[str],
    cells: Mapping[tuple[int, str], _Cell],
    drivers: pd.DataFrame,
    *,
    largest: float,
) -> tuple[Panel, list[str]]:
    """Draw the cells of all suburbs, and return the panel and the texts of the cells."""
    tidy(ax, grid=None)
    ax.set(xlim=(-0.5, max(len(labels), 1) - 0.5), ylim=(len(names) - 0.5, -0.5))
    if not labels:
        ticks.hide(ax)
        return Panel(ax, message="No drivers are listed"), []
    texts: dict[tuple[int, int], tuple[str, str, str]] = {}
    colours = diverging_colours(page_colour(ax))
    for row in range(len(names)):
        for column, label in enumerate(labels):
            cell = cells.get((row, label))
            colour = _draw_cell(ax, row, column, cell, colours, largest=largest)
            if cell is not None:
                texts[row, column] = (*_text_of(cell), ink_on(colour))
    rows = [str(name or "") for name in names]
    beside: list[Beside] = [RowNames(ax, rows, rows)]
    sales = [n_sales_of(drivers, name) for name in names]
    if any(number is not None for number in sales):
        figures = [[format_number(np.nan if number is None else number)] for number in sales]
        beside.append(Columns(ax, ["Recent sales"], figures, figures))
    ax.xaxis.set_major_locator(NullLocator())
    panel = Panel(
        ax,
        share=len(names),
        beside=[*beside, HeatmapText(ax, labels, texts, beside)],
        least_width=_LEAST_WIDTH,
        most_height=_MOST_HEIGHT,
    )
    return panel, [full for full, _, _ in texts.values()]


def _draw_cell(ax: Axes, row: int, column: int, cell: _Cell | None, colours: Colormap, *, largest: float) -> str:
    """Draw a cell: in the colour of its value, or hatched if there is none. Return its colour."""
    page = page_colour(ax)
    box = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=page, edgecolor=page, linewidth=1)
    ax.add_patch(box)
    if cell is not None and np.isfinite(cell["pct_of_median"]):
        box.set(facecolor=colours(0.5 + cell["pct_of_median"] / largest / 2), gid="cell")
    else:
        _hatch_cell(ax, row, column, _UNLISTED if cell is None else _NO_FIGURE)
    return to_hex(box.get_facecolor())


def _hatch_cell(ax: Axes, row: int, column: int, reason: str) -> None:
    """Hatch a cell without a value in the way that the legend has for this reason."""
    look: dict[str, Any] = {
        "hatch": _HATCHES[reason],
        "edgecolor": _hatch_colour(page_colour(ax)),
        "linewidth": 0,
        "gid": reason,
    }
    ax.add_patch(Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, **look))


def _hatch_colour(page: str) -> str:
    return mixed(text_colour(page), _HATCH_SHARE, page)


def _text_of(cell: _Cell) -> tuple[str, str]:
    """Return the text of a cell (its value with its mark) and its short text (its sign with its mark)."""
    value = cell["pct_of_median"]
    mark = _THIN_MARK if is_thin(cell) else ""
    if not np.isfinite(value):
        return _UNKNOWN, _UNKNOWN
    sign = format_number(-1)[0] if value < 0 else ""
    return f"{format_number(value, 1)}{mark}", f"{sign}{mark}"


def _notes(texts: list[str], *, is_full: bool) -> Iterator[str]:
    """Yield sentences on the marks and the order of this chart."""
    if texts and not is_full:
        yield _HATCHED
    if texts:
        yield _ORDER
    for mark, meaning in _MARKS.items():
        if any(mark in text for text in texts):
            yield meaning


def _legend(values: list[float], page: str, reasons: Iterable[str]) -> dict[str, Swatch]:
    """Return samples of the colours of a few round values, and of the hatches of cells without a value."""
    hatches = {reason: Swatch(page, _hatch_colour(page), _HATCHES[reason]) for reason in reasons}
    return _samples(values, page) | hatches


def _samples(values: list[float], page: str) -> dict[str, Swatch]:
    """Return samples of the colours of a few round values between the least and the largest, by their values."""
    if not values:
        return {}
    colours, largest = diverging_colours(page), max(map(abs, values)) or 1
    steps = MaxNLocator(nbins=_LEGEND_STEPS, steps=[1, 2, 2.5, 5, 10]).tick_values(min(*values, 0), max(*values, 0))
    shown = [step for step in steps if abs(step) <= largest]
    names = [format_number(step, decimals_of(shown)) for step in shown]
    names[-1:] = [f"{name} per cent" for name in names[-1:]]
    samples = [to_hex(colours(0.5 + step / largest / 2)) for step in shown]
    return {name: Swatch(sample, muted(page)) for name, sample in zip(names, samples, strict=True)}
