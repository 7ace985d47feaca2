"""Offers the functions that plot frames; drawing rents is left to rent, drawing drivers to impacts.

matplotlib is slow to import, so these functions import it, and the modules that need it, only when they draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, cast

import pandas as pd

from suburb_pandas.loaders.frames import endpoint_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 150


def plot_rent(
    frame: pd.DataFrame | list[pd.DataFrame] | tuple[pd.DataFrame, ...] | Mapping[str, pd.DataFrame],
    ax: Axes | None = None,
    *,
    footnote: bool = True,
) -> Axes:
    """Draw rents on their real dates. No call is made.

    The rents of one suburb, house and unit, share one panel. Two to eight suburbs get a panel for each property type.
    Weekly stretches are thick lines and monthly stretches thin ones; an upright bar marks the change. A line is dashed
    where a value is unchanged for 56 days or more, and broken where points are missing. Each line is labelled at its
    end with its last value. Made-up data has a badge in the corner.

    A frame resampled with ``detail=True`` shows more: stretches with filled values are dotted, and the value of an open
    period has a hollow marker. A note names the operations that made the frame.

    Type sizes, spacing and line widths follow from the size of the figure and from ``matplotlib.rcParams``. In a small
    figure, a legend takes the place of the labels. Colours are those of your style sheet if it sets any. Otherwise
    they can be told apart with any deficiency of colour vision.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long, from any source; also with the columns of ``detail``. Or two
        to eight vintages of one suburb, as a list of frames or as a dict with a label for each: they are drawn one over
        the other, and labelled with the day of retrieval.
    ax
        The Axes to draw on; several panels share their place. By default a new figure. A chart that this function drew
        on them before is replaced.
    footnote
        Whether notes and source stand at the foot. A figure has one foot for all its charts.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the chart, or of its first panel. ``ax.figure.axes`` has those of all panels. ``ax.set_title``
        changes the title of the chart. Twin Axes take the place of the data with
        ``twin.set_axes_locator(ax.get_axes_locator())``.

    Raises
    ------
    TypeError, ValueError
        ``frame`` is not of the rent shape, its unit is not that of rents, or it has more than eight suburbs. Or the
        vintages are not of one suburb. Or ``ax`` is a panel of another chart, but not its first.

    Examples
    --------
    >>> ax = sp.plot_rent(sp.rent("Quokka Bay"))
    >>> ax.get_title()
    'Rents in Quokka Bay'
    """
    from suburb_pandas.plotting import rent  # noqa: PLC0415 - matplotlib is slow to import
    from suburb_pandas.plotting.composition import place  # noqa: PLC0415 - as above

    return rent.draw(frame, place.new_figure if ax is None else ax, footnote=footnote)


def plot_impacts(drivers: pd.DataFrame, ax: Axes | None = None, *, footnote: bool = True) -> Axes:
    """Draw amenity price impacts as one bar for each driver, in AUD, the largest on top. No call is made.

    Columns of text beside the bars have the premium in AUD and in per cent of the median price, and the coverage: the
    per cent of the recent sales for which the amenity was absent. A last column has the numbers of sales without the
    amenity and with it. If the coverage is 0 or 100 per cent, the suburb offers no contrast and the bar is striped. A
    bar with ``thin`` evidence, as in :func:`impacts`, is paler. The number of all recent sales stands above the bars:
    ``thin`` up to 10, ``caution`` up to 30. Each suburb has its own panel, for up to eight suburbs. Made-up data has a
    badge in the corner.

    In a figure that is too small for them, names and figures are left out, and the chart says so.

    Parameters
    ----------
    drivers
        A frame from :func:`impacts`, of one suburb or of several.
    ax
        The Axes to draw on; several panels share their place. By default a new figure. A chart that this function drew
        on them before is replaced.
    footnote
        Whether notes and source stand at the foot. A figure has one foot for all its charts.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the chart, or of its first panel. ``ax.figure.axes`` has those of all panels. ``ax.set_title``
        changes the title of the chart.

    Raises
    ------
    TypeError, ValueError
        ``drivers`` is not a frame of drivers, or has more than eight suburbs. Or ``ax`` is a panel of another chart,
        but not its first.

    Examples
    --------
    >>> ax = sp.plot_impacts(sp.impacts("Woylie"))
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'no petrol station nearby'
    """
    from suburb_pandas.plotting import impacts  # noqa: PLC0415 - matplotlib is slow to import
    from suburb_pandas.plotting.composition import place  # noqa: PLC0415 - as above

    return impacts.draw(drivers, place.new_figure if ax is None else ax, footnote=footnote)


def as_png(frame: pd.DataFrame) -> bytes:
    """Return the chart of a frame of rents or of drivers as a PNG, without loading pyplot."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - matplotlib is slow to import

    from suburb_pandas.plotting import impacts, rent  # noqa: PLC0415 - matplotlib is slow to import

    draw = rent.draw if endpoint_of(frame).shape == "series" else impacts.draw
    picture = BytesIO()
    cast("Figure", draw(frame, Figure).figure).savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()


def plot(frame: pd.DataFrame, ax: Axes | None = None, *, footnote: bool = True) -> Axes:
    """Draw a frame of drivers with `plot_impacts`, any other frame with `plot_rent`."""
    draw = plot_rent if endpoint_of(frame).shape == "series" else plot_impacts
    return draw(frame, ax, footnote=footnote)
