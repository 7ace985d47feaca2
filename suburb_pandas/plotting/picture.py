"""Draws the chart that suits a loaded frame as a PNG on the colour of a page, or says why there is none.

The charts themselves are left to lines and impacts, reading rents to rents. Neither pyplot nor ``matplotlib.rcParams``
is changed. Rejected: the style sheet ``dark_background`` in ``matplotlib.rc_context``. It would affect all threads,
including a figure that a cell draws at the same time. Instead the figure has the colour of the page, and each chart
chooses colours that can be read on it.
"""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from typing import Final, cast

import pandas as pd

from suburb_pandas.frames.column import suburbs_in
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.plotting import impacts, lines
from suburb_pandas.plotting.figure import ChartFigure, Target
from suburb_pandas.plotting.look import style_setting
from suburb_pandas.plotting.rents import read_rent_chart

_INCH: Final = 96  # pixels of a page
_NARROWEST: Final = 400  # pixels; a picture for a narrower page is made smaller by the page
_MOST_BARS: Final = 3  # suburbs


def picture_of(
    frame: pd.DataFrame, background: str | None = None, *, width: int = 0, ratio: float = 1.0
) -> tuple[bytes | None, str, str]:
    """Return the chart of a loaded frame as a PNG, a sentence on why there is none, and the chart in words.

    Rents of any number of suburbs are lines. Drivers of up to three suburbs are bars, those of more a heatmap.
    ``background`` is the colour of the page as a browser reports it; any other value is ignored, and a style sheet that
    colours figures prevails. ``width`` is in pixels of the page, of which each has ``ratio`` pixels of the screen
    across; 0 means the usual width of a chart.
    """
    page = style_setting("figure.facecolor", opaque_colour(background))
    inches = (max(width, _NARROWEST) / _INCH, 0.0) if width else None  # the height is that of the content
    target = Target(figsize=inches, make=partial(ChartFigure, facecolor=page))
    draw_impacts = impacts.draw_bars if len(suburbs_in(frame)) <= _MOST_BARS else impacts.draw_heatmap
    is_of_rents = endpoint_of(frame).shape == "series"
    try:
        ax = lines.draw(read_rent_chart(frame), target) if is_of_rents else draw_impacts(frame, target)
    except ValueError as error:
        return None, str(error), ""
    png = BytesIO()
    figure = cast("ChartFigure", ax.figure)
    figure.savefig(png, format="png", dpi=_INCH * ratio)
    return png.getvalue(), "", figure.alt


def opaque_colour(css: str | None) -> str | None:
    """Return a colour such as ``rgb(17, 17, 17)`` as ``#rrggbb``; None if it is transparent or anything else."""
    found = re.fullmatch(r"rgba?\((\d{1,3}), (\d{1,3}), (\d{1,3})(?:, 1)?\)", css or "", re.ASCII)
    return f"#{bytes(min(int(part), 255) for part in found.groups()).hex()}" if found else None
