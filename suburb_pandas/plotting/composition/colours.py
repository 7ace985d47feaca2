"""Chooses colours that everybody can tell apart, on light and on dark pages.

The use of the colours is left to the modules that draw data, and to style.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_hex, to_rgb, to_rgba

from suburb_pandas.plotting.composition.style_sheet import chosen

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
"""The colours of a scale of levels from the least to the most, on a light page. With two signs, those above zero.

Each step is 9 to 13 in CIEDE2000, and 8.5 or more as seen with deuteranopia, protanopia or tritanopia. Lightness falls
in equal steps, so that the order can be seen in greyscale.
"""

BELOW: Final = ("#efe3cc", "#dec096", "#cf9b61", "#c17429", "#a3551c", "#803b1b", "#5d2415")
"""The colours below zero, from zero on, with steps like those of `ABOVE`."""

_MUTED, _GRID, _ZERO = 0.65, 0.16, 0.03  # shares of the colour of text in that of notes, of the grid, and of zero
_LIGHT: Final = 2.0  # the contrast with the page up to which a grid is light


def series_colours(page: str) -> list[str]:
    """Return the colours of the user's style sheet for series if it sets any, else `COLOURS`.

    On a page that is neither white nor black, `COLOURS` are changed as far as the least contrast of graphics requires.
    """
    cycle = chosen("axes.prop_cycle", None)
    if cycle is None or "color" not in cycle.keys:
        return [_lifted(colour, page) for colour in COLOURS]
    return [to_hex(colour) for colour in cycle.by_key()["color"]]


def level_colours() -> list[str]:
    """Return the colours for levels: those of the colour map that the user's style sheet sets for images, if any."""
    theirs = chosen("image.cmap", None)
    return list(ABOVE) if theirs is None else [to_hex(each) for each in colormaps[theirs](np.linspace(0.1, 0.9, 7))]


def scale_colours(number: int, page: str, colours: Sequence[str]) -> list[str]:
    """Return colours for a number of classes, from the least to the most.

    The least is the closest to the page, whether that is light or dark.
    """
    begins_at_the_page = contrast(colours[0], page) <= contrast(colours[-1], page)
    known = list(colours if begins_at_the_page else reversed(colours))
    scale = LinearSegmentedColormap.from_list("scale", known)
    return [to_hex(scale(share)) for share in (np.linspace(0, 1, number) if number > 1 else [0.5])]


def page_colour(ax: Axes) -> str:
    """Return the colour behind the data: that of the Axes over that of the figure, over white if both are transparent.

    Some style sheets set another colour for saved figures, such as white instead of grey. Then that colour is used.
    """
    below, saved, whole = "white", rcParams["savefig.facecolor"], ax.figure.figure
    layers = [whole.get_facecolor() if saved == "auto" else saved, ax.get_facecolor()]
    if ax.figure is not whole:
        layers.insert(1, ax.figure.get_facecolor())
    for colour in layers:
        *face, alpha = to_rgba(colour)
        below = mixed(face, alpha, below)
    return below


def mixed(colour: Any, share: float, other: Any) -> str:
    """Return a mixture of a share of one colour with another colour."""
    red, green, blue = share * np.asarray(to_rgb(colour)) + (1 - share) * np.asarray(to_rgb(other))
    return to_hex((red, green, blue))


def readable(colour: Any, page: str) -> Any:
    """Return a colour of text; black or white instead if it could not be read on the page."""
    return colour if contrast(colour, page) >= LEAST_CONTRAST else ink_on(page)


def text_colour(page: str) -> Any:
    """Return the colour of text on a page: that of the user's style sheet, if it can be read there."""
    return readable(rcParams["text.color"], page)


def muted(page: str) -> str:
    """Return the colour of notes and leaders: that of the text, less strong."""
    return mixed(text_colour(page), _MUTED, page)


def grid_colour(page: str) -> str:
    """Return the colour of grid lines: that of the user's style sheet if it sets a light one, else a light grey."""
    theirs = chosen("grid.color", None)
    if theirs is not None and contrast(theirs, page) < _LIGHT:
        return to_hex(theirs)
    return mixed(text_colour(page), _GRID, page)


def faded(colour: Any, page: str) -> str:
    """Return a colour as close to that of the page as the least contrast of graphics allows."""
    return _first_visible(page, colour, page)


@cache
def _lifted(colour: str, page: str) -> str:
    """Return a colour, or the closest one between it and black or white that has the least contrast of graphics."""
    return _first_visible(colour, ink_on(page), page)


def _first_visible(first: Any, last: Any, page: str) -> str:
    """Return the first colour on the way from one to another that has the least contrast of graphics with a page."""
    way = (mixed(last, share, first) for share in np.linspace(0, 1, 101))
    return next((colour for colour in way if contrast(colour, page) >= LEAST_CONTRAST), to_hex(last))


def diverging_colours(page: str) -> Colormap:
    """Return a colour map for values on both sides of zero: `BELOW`, almost the page at zero, and `ABOVE`.

    Values far from zero stand out on a light and on a dark page. In greyscale only the size is visible, so the sign has
    to be written.
    """
    below, above = (scale_colours(len(colours), page, colours) for colours in (BELOW, ABOVE))
    zero = mixed(text_colour(page), _ZERO, page)
    return LinearSegmentedColormap.from_list("signed", [*reversed(below), zero, *above])


def ink_on(colour: str) -> str:
    """Return black or white, whichever has more contrast with a colour."""
    return max("black", "white", key=lambda ink: contrast(ink, colour))


def contrast(colour: Any, other: Any) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    lights = sorted((_luminance(colour), _luminance(other)))
    return float((lights[1] + 0.05) / (lights[0] + 0.05))


def _luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = np.asarray(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB
    return float(linear @ [0.2126, 0.7152, 0.0722])
