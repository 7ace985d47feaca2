"""Charts of the package's frames. Doors: what is drawn, and how, is rent_plot's and impact_plot's.

matplotlib is slow to import, so it is imported when something is drawn.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, cast

import pandas as pd

from suburb_pandas.frames.schema import is_of_drivers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 150


def plot_rent(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw rents on their real dates. No call is made.

    Of one suburb, house and unit in one panel; of up to eight, a panel for each property type. Weekly stretches are
    drawn thick and monthly ones thin, spells in which a value stood for 56 days or more dashed, and where points are
    missing there is no line. The last value is written at the end of each line. Made-up suburbs are marked as such.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long, wherever it came from.
    ax
        The Axes to draw on; several panels divide the place between them. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Those drawn on; of several panels the first one. ``ax.figure.axes`` has all of them.

    Raises
    ------
    TypeError, ValueError
        It is not of the rent shape, or of more than eight suburbs.

    Examples
    --------
    >>> ax = sp.plot_rent(sp.rent("Quokka Bay"))
    >>> ax.get_title(), ax.get_ylabel()
    ('Quokka Bay', 'Advertised median rent, AUD per week')
    """
    from suburb_pandas.plotting import layout, rent  # noqa: PLC0415 - as said above

    return rent.draw(frame, layout.new_figure if ax is None else ax)


def plot_impacts(drivers: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what the absence of amenities was worth: a bar a driver, in AUD, the largest on top. No call is made.

    Beside each bar stands its premium, what that is in per cent of the median price, and in how many per cent of the
    recent sales the amenity was absent. Where that is none or all of them, the figure rests on no contrast within the
    suburb, and the bar is faint. Below the title stands how many sales there are: ``thin`` to 10, ``caution`` to 30, as
    in :func:`scorecard`. Of several suburbs, up to eight, each has a panel.

    Parameters
    ----------
    drivers
        A frame as :func:`impacts` gives, of one suburb or of many.
    ax
        The Axes to draw on; several panels divide the place between them. By default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Those drawn on; of several panels the first one. ``ax.figure.axes`` has all of them.

    Raises
    ------
    TypeError, ValueError
        It is no frame of drivers, or of more than eight suburbs.

    Examples
    --------
    >>> ax = sp.plot_impacts(sp.impacts("Woylie"))
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'no petrol station nearby'
    """
    from suburb_pandas.plotting import impacts, layout  # noqa: PLC0415 - as said above

    return impacts.draw(drivers, layout.new_figure if ax is None else ax)


def as_png(frame: pd.DataFrame) -> bytes:
    """Give the chart of a frame of rents or of drivers as a picture, past pyplot."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - as said above

    from suburb_pandas.plotting import impacts, rent  # noqa: PLC0415 - as said above

    draw = impacts.draw if is_of_drivers(frame) else rent.draw
    picture = BytesIO()
    cast("Figure", draw(frame, Figure).figure).savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()


def plot(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a frame of rents or of drivers, whichever it is."""
    return plot_impacts(frame, ax) if is_of_drivers(frame) else plot_rent(frame, ax)
