"""Defines the look of all charts: colours that everybody can tell apart on light and dark pages, sizes, grids, and what
is highlighted.

The figure and its words are left to figure, drawing data to the charts. These conventions hold for every chart; a
change to a chart is checked against them. They are those of the charts of the Australian Bureau of Statistics, the
Reserve Bank of Australia, the Financial Times and Datawrapper.

1.  The title is bold, stands at the left edge of the figure, and says what is shown. The subtitle below it has the
    unit, so that no axis needs a rotated label. In Axes of a user, both are matplotlib's own.
2.  Notes and then the source stand at the foot, left-aligned and in small type.
3.  There is no frame. Light lines behind the data lead the eye to a few round values. All numbers of an axis have the
    same decimals, thousands separators and a true minus sign.
4.  A line is labelled at its end and in its colour. A leader to a label that had to move is dotted. Small panels have
    the last values in their headings, and share a legend.
5.  Bars are horizontal, sorted, and begin at zero. Their names and figures are aligned columns of text beside them, and
    each column of figures has a heading. Negative bars have a colour of their own.
6.  Colour is never the only difference: markers tell lines apart, the side of zero tells bars apart, and thin evidence
    is an outline or a hollow dot, with the reason beside it or in the notes.
7.  A change in how the data was collected is visible where it happens, and explained in the notes.
8.  Panels of one chart share their x axis, and small panels the scale of their values, too; houses and units in panels
    of their own do not. Only the first of a row and the lowest of a column have labels of the ticks that they share.
9.  A value in a coloured cell is written in it. A value that is not known is a question mark, and an area or a cell
    without data is hatched.
10. Made-up data is marked by a small badge in the corner and by its source. Nothing is written across data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from math import isfinite
from typing import Any, Final, Literal

import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_hex, to_rgb, to_rgba
from matplotlib.ticker import Formatter, MaxNLocator

from suburb_pandas.messages import listed

COLOURS: Final = ("#1878b4", "#d86000", "#0c6c3c", "#9078fc", "#c0000c", "#18a854", "#c02478", "#b484a8")
"""The colours of the series of a chart, in their order.

Any two differ by at least 10 in CIEDE2000, as seen with deuteranopia, protanopia and tritanopia (simulated after
Machado, Oliveira and Fernandes, 2009), and by at least 20 without them. Each has a contrast of at least 3 to 1 with
white and with black.
"""

MARKERS: Final = "os^DvPX*"
"""The markers of the series, in their order: they tell the lines apart in greyscale."""

LEAST_CONTRAST: Final = 3.0
"""The contrast that WCAG 2.2 requires for graphics (success criterion 1.4.11)."""

ABOVE: Final = ("#cdebf2", "#97cee2", "#61b0d5", "#278fc8", "#206ea8", "#204e83", "#1a315d")
"""The colours of a scale from the least to the most, on a light page. With two signs, those above zero.

Each step is 9 to 13 in CIEDE2000, and 8.5 or more as seen with deuteranopia, protanopia or tritanopia. Lightness falls
in equal steps, so that the order can be seen in greyscale.
"""

BELOW: Final = ("#efe3cc", "#dec096", "#cf9b61", "#c17429", "#a3551c", "#803b1b", "#5d2415")
"""The colours below zero, from zero on, with steps like those of `ABOVE`."""

ROUND_STEPS: Final = (1, 2, 2.5, 5, 10)
"""The steps between the values of a scale, times a power of ten."""

MOST_STEPS: Final = 5
"""The most steps between the ticks of an axis of values."""

GRID: Final = 0.16
"""The share of the colour of text in that of grids, and of hatching where there is no data."""

NOT_HIGHLIGHTED: Final = 0.45
"""The same in that of lines and dots that are not highlighted: it has the least contrast on white and on black."""

_MUTED, _ZERO = 0.65, 0.03  # the same in that of notes, and of zero


def tidy(ax: Axes, *, values: Literal["x", "y"] | None = None) -> None:
    """Take the frame off Axes. Labels of ticks are as large as those of the data.

    ``values`` is the axis with numbers, if any. It gets few round ones, with a light grid behind the data.
    """
    page = page_colour(ax)
    ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=False, which="both")
    ax.tick_params(
        which="both",
        length=0,
        labelsize=type_size(),
        labelcolor=text_colour(page),
        labelleft=True,
        labelbottom=True,
        labelright=False,
        labeltop=False,
    )
    if values is not None:
        axis = ax.yaxis if values == "y" else ax.xaxis
        axis.grid(color=muted(page, GRID), linestyle="-", linewidth=0.8)
        axis.set_major_locator(MaxNLocator(nbins=MOST_STEPS, steps=ROUND_STEPS))
        axis.set_major_formatter(NumberFormatter())


def read_highlight(highlight: str | Iterable[str] | None, names: Collection[str], most: int) -> list[str]:
    """Return the names to highlight, none by default, after checking that a chart has them and can highlight them."""
    wanted = [highlight] if isinstance(highlight, str) else [*(() if highlight is None else highlight)]
    unknown = [name for name in wanted if name not in names]
    if unknown or len(wanted) > most:
        raise ValueError(
            f"highlight takes up to {most} names of this chart, not {listed(unknown or [len(wanted)])}. "
            f"Choose some of these: highlight=[{listed(names)}]"
        )
    return wanted


class NumberFormatter(Formatter):
    """Formats the ticks of an axis alike, with as many decimals as their steps need."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - matplotlib's signature
        """Return one tick label; the other ticks are not known."""
        return format_number(x, decimals_of([x]))

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks of an axis."""
        return [format_number(value, decimals_of(values)) for value in values]


def format_number(value: float, decimals: int = 0) -> str:
    """Return a number with thousands separators and the minus sign that matplotlib uses; a missing one as ``?``."""
    if not isfinite(value):
        return "?"
    text = f"{value:z,.{decimals}f}"
    return text.replace("-", "\N{MINUS SIGN}") if rcParams["axes.unicode_minus"] else text


def decimals_of(values: Any, most: int = 6) -> int:
    """Return how many decimals the known ones of some numbers need, up to a limit."""
    exact = np.asarray(values, "float64")
    for decimals in range(most):
        if np.allclose(exact.round(decimals), exact, rtol=0, atol=10.0 ** -(most + 2), equal_nan=True):
            return decimals
    return most


def type_size(what: str = "label") -> float:
    """Return the size of a title, a label or a note, in points. It depends on the user's ``font.size`` only."""
    return float({"title": 1.3, "label": 0.9, "note": 0.78}[what] * rcParams["font.size"])


def series_colours(page: str) -> list[str]:
    """Return eight colours for series: those of the user's style sheet if it sets any, else `COLOURS`.

    On a page that is neither white nor black, `COLOURS` are changed as far as the least contrast of graphics requires.
    """
    cycle = style_setting("axes.prop_cycle", None)
    if cycle is None or "color" not in cycle.keys:
        return [_lifted(colour, page) for colour in COLOURS]
    return [to_hex(style["color"]) for _, style in zip(COLOURS, cycle(), strict=False)]


def style_setting(name: Any, otherwise: Any) -> Any:
    """Return a setting of the user's style sheet, or another value if it is matplotlib's default."""
    return rcParams[name] if rcParams[name] != rcParamsDefault[name] else otherwise


def signed_colours(values: Any, page: str) -> Any:
    """Return the colour of each of some values: the first one of series above zero, the second one below."""
    above, below, *_ = series_colours(page)
    return np.where(values < 0, below, above)


def scale_colours(number: int, page: str, colours: Sequence[str]) -> list[str]:
    """Return colours for a number of classes, from the least to the most.

    The least is the closest to the page, whether that is light or dark.
    """
    from_the_page = min(colours, colours[::-1], key=lambda order: contrast(order[0], page))
    scale = LinearSegmentedColormap.from_list("scale", from_the_page)
    return [to_hex(scale(share)) for share in (np.linspace(0, 1, number) if number > 1 else [0.5])]


def diverging_colours(page: str) -> Colormap:
    """Return a colour map for values on both sides of zero: `BELOW`, almost the page at zero, and `ABOVE`.

    In greyscale only the size is visible, so the sign has to be written.
    """
    below, above = (scale_colours(len(colours), page, colours) for colours in (BELOW, ABOVE))
    return LinearSegmentedColormap.from_list("signed", [*reversed(below), muted(page, _ZERO), *above])


def page_colour(ax: Axes) -> str:
    """Return the colour behind the data: that of the Axes over that of the figure, over white if both are transparent.

    Some style sheets set another colour for saved figures, such as white instead of grey. Then that colour is used.
    """
    page, saved, whole = "white", rcParams["savefig.facecolor"], ax.figure.figure
    layers = [whole.get_facecolor() if saved == "auto" else saved]
    layers += [part.get_facecolor() for part in (ax.figure, ax) if part is not whole]
    for colour in layers:
        *face, alpha = to_rgba(colour)
        page = mixed(face, alpha, page)
    return page


def mixed(colour: Any, share: float, other: Any) -> str:
    """Return a mixture of a share of one colour with another colour."""
    return to_hex(tuple(share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(other))))


def text_colour(page: str) -> Any:
    """Return the colour of text on a page: that of the user's style sheet, or black or white if it cannot be read."""
    return rcParams["text.color"] if contrast(rcParams["text.color"], page) >= LEAST_CONTRAST else ink_on(page)


def muted(page: str, share: float = _MUTED) -> str:
    """Return a share of the colour of text on a page: by default as strong as that of notes and leaders."""
    return mixed(text_colour(page), share, page)


def ink_on(colour: str) -> str:
    """Return black or white, whichever has more contrast with a colour."""
    return max("black", "white", key=lambda ink: contrast(ink, colour))


def contrast(colour: Any, other: Any) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    darker, lighter = sorted(map(_luminance, (colour, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = np.asarray(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB
    return float(linear @ [0.2126, 0.7152, 0.0722])


@cache
def _lifted(colour: str, page: str) -> str:
    """Return a colour, or the closest one between it and black or white that has the least contrast of graphics."""
    way = (mixed(ink_on(page), share, colour) for share in np.linspace(0, 1, 101))
    return next(each for each in way if contrast(each, page) >= LEAST_CONTRAST)
