"""Offers the functions that plot frames.

Reading rents is left to rents, drawing them to lines, drawing drivers to impacts, ranked charts to scorecard, maps to
maps. matplotlib and geopandas are slow to import, so these functions import them, and the modules that need them, only
when they draw.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from suburb_pandas.frames.schema import is_scorecard
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.plotting.sandbox_boundaries import require_geopandas

if TYPE_CHECKING:
    from geopandas import GeoDataFrame
    from matplotlib.axes import Axes


def plot_rent(
    frame: pd.DataFrame | list[pd.DataFrame] | tuple[pd.DataFrame, ...] | Mapping[str, pd.DataFrame],
    ax: Axes | None = None,
    *,
    property_type: Literal["house", "unit"] | None = None,
    kind: Literal["index"] | None = None,
    highlight: str | Iterable[str] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    footnote: bool = True,
) -> Axes:
    """Draw rents, their index or their growth as lines on their real dates. No call is made.

    The houses and units of one suburb share a panel. Two to eight suburbs get a panel for each property type, or a
    single panel if ``property_type`` names one. Of nine to 60 suburbs, each gets a small panel with both types, on the
    same scales and in the order of the frame, with its last values in its heading.

    Growth from :func:`growth` is drawn in per cent, with a line at zero. An index from :func:`rent_index` has a line at
    100, and its groups are drawn like suburbs. The subtitle or a note says at which date it is 100, if that is known.

    Weekly and fortnightly stretches are thick lines, monthly and quarterly ones thin. A line is dashed where a value is
    unchanged for 56 days or more, and broken where points are missing. Each line has its last value at its end, with
    the month if that is more than 62 days before the last one of the chart. Markers tell lines apart; a line alone in
    its panel has one at its end only. Made-up data have a badge in the corner.

    If the frame was resampled with ``detail=True``, stretches with filled values are dotted, and the value of an open
    period has a hollow marker. Without ``detail=True``, no line of a resampled frame is dashed, because the labels of
    its periods do not show how long a value was unchanged. Notes name the operations that made the frame, and say if
    the last period drawn was still open when the data were retrieved.

    The colours are those of your style sheet if it sets any. The colours of this package can be told apart with any
    kind of colour blindness.

    Parameters
    ----------
    frame
        Rents or growth in any layout: one suburb's frame, long, tidy or wide, or one property type of a wide frame, as
        in ``wide["house"]``. The suburbs are in the column or index level ``area_name``, or in the only one called
        ``suburb``, ``SAL_NAME_2021`` or similar. The frame may come from any source, and have the columns of
        ``detail``. A time with a zone counts as its calendar day in Sydney. Columns on anything else are ignored. Or a
        rent index of one or several groups. Or vintages of one suburb, as a list of frames, or as a dict from label to
        frame: they share a panel for each property type, and are numbered and labelled with the day of retrieval unless
        the dict has other labels. Of more than eight, the last eight are in colour and labelled, and the others grey.
    ax
        The Axes to draw on, with matplotlib's own title and labels. Several panels divide its area between them. Give
        its figure ``layout="constrained"``, so that the labels have room. By default a new figure.
    property_type
        Draw only this type. ``wide["house"]`` does not name its own type, so name it here for the title.
    kind
        ``"index"``: set each series to 100 on the first date on which all drawn series have a value on the line, as
        :func:`resample` describes it. The subtitle names the date. By default the values are drawn as they are.
    highlight
        The name of a suburb or group, or up to eight in a list, an Index or a Series: these are drawn in colour and
        labelled, all others in grey, in a panel for each property type.
    title
        The title, instead of that of the chart.
    figsize
        The width and the least height of a new figure, in inches. It is higher if its content needs more.
    footnote
        Write notes and source at the foot.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the chart, or of its first panel. ``ax.figure.axes`` has those of all panels. The title of a new
        figure is ``ax.figure.get_suptitle()``.

    Raises
    ------
    TypeError, ValueError
        ``frame`` does not hold rents, growth or a rent index, or it has more than 60 suburbs or groups. Or the series
        have no common date for ``kind="index"``. Or the vintages are not of one suburb, or there are none. Or
        ``highlight`` has a name that the frame does not have, or more than eight.
    NoSuburbColumn
        Several columns or index levels can hold the suburbs.

    See Also
    --------
    rent : Load the rents.
    growth : Compute the growth of rents.
    rent_index : Compute a rent index of a region.
    plot_scorecard : Rank suburbs by one column of a scorecard.

    Examples
    --------
    >>> ax = sp.plot_rent(sp.rent("Quokka Bay"))
    >>> ax.figure.get_suptitle()
    'Rents in Quokka Bay'
    """
    from suburb_pandas.plotting import figure, lines, rents  # noqa: PLC0415 - matplotlib is slow to import

    if kind not in {None, "index"}:
        raise ValueError(f"kind must be 'index', or None for the values as they are, not {kind!r}.")
    chart = rents.read_rent_chart(frame, property_type, highlight, rents_only=kind == "index")
    if kind == "index":
        chart = rents.to_index(chart)
    return lines.draw(chart, figure.Target(ax, title, figsize, footnote))


def plot_impacts(
    drivers: pd.DataFrame,
    ax: Axes | None = None,
    *,
    kind: Literal["bars", "heatmap"] = "bars",
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    footnote: bool = True,
) -> Axes:
    """Draw amenity price impacts as bars in AUD, or as a heatmap of many suburbs. No call is made.

    Each suburb has a panel of bars, in the order of the frame, with one bar for each driver and the largest premium on
    top. Columns beside the bars show the premium in AUD, the premium in per cent of the median price, and about how
    many sales are without the amenity and with it. A chart of up to 6 inches in width has the first two columns only.

    A bar with ``thin`` evidence, as in :func:`impacts`, is an outline: at most 10 sales are without the amenity. If the
    frame has no column ``evidence``, this follows from its column ``n_absent``.
    ``caution`` does not change a bar: the numbers of sales beside it show the evidence. The number of all recent sales
    of the suburb is above its bars, marked ``thin`` up to 10 and ``caution`` up to 30.

    A heatmap has a row for each suburb, in the order of the frame, and a column for each driver. Drivers are ordered by
    the number of suburbs that list them, then by their largest premium. The values are premiums in per cent of the
    median price. A cell is hatched if the suburb does not list the driver, which does not mean zero. An asterisk marks
    ``thin`` evidence, and a question mark a value that is not known.

    Made-up data have a badge. A new figure is as high as its content needs. In your own Axes, names and figures stand
    beside the Axes, so make room for them with ``plt.subplots(layout="constrained")``.

    Parameters
    ----------
    drivers
        A frame from :func:`impacts`, of up to 60 suburbs. The names are in the column or index level ``area_name``;
        otherwise in the only one called ``suburb``, ``SAL_NAME_2021`` or similar. Without one, it is a single suburb's.
    ax
        The Axes to draw on. Several panels divide its area between them. By default a new figure.
    kind
        ``"bars"``, or ``"heatmap"``, which is the smaller chart of many suburbs. A new heatmap is at least a quarter of
        an inch wide for each driver.
    title
        A title in place of the usual one.
    figsize
        The width and the least height of a new figure, in inches.
    footnote
        Write notes and source at the foot.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the chart, or of its first panel. ``ax.figure.axes`` has those of all panels.

    Raises
    ------
    TypeError, ValueError
        ``drivers`` is not a frame of drivers, or has more than 60 suburbs. Or ``kind`` is neither of the two.
    NoSuburbColumn
        Several columns or index levels can hold the suburbs.

    Warns
    -----
    SkippedRowsWarning
        Some rows have no name.

    See Also
    --------
    impacts : Load the drivers.
    plot_scorecard : Rank suburbs by their total premium.

    Examples
    --------
    >>> ax = sp.plot_impacts(sp.impacts("Woylie"))
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'no petrol station nearby'
    """
    from suburb_pandas.plotting import figure, impacts  # noqa: PLC0415 - matplotlib is slow to import

    if kind not in {"bars", "heatmap"}:
        raise ValueError(f"kind must be 'bars' or 'heatmap', not {kind!r}.")
    draw = impacts.draw_heatmap if kind == "heatmap" else impacts.draw_bars
    return draw(drivers, figure.Target(ax, title, figsize, footnote))


def plot_map(
    values: pd.DataFrame | pd.Series[Any],
    boundaries: GeoDataFrame | str | PathLike[str],
    *,
    column: Hashable | None = None,
    ax: Axes | None = None,
    classes: Sequence[float] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    footnote: bool = True,
) -> Axes:
    """Draw one value for each suburb on a map. No call is made.

    Values and shapes are joined by the exact name of the suburb, so that no namesake gets another suburb's value. The
    map covers these suburbs and whatever lies around them; shapes without a value are hatched. If at most twelve
    suburbs have a value, their names and values are written into their shapes, or beside them with a leader. A note
    has the names without room; Axes narrower or lower than 2 inches have none. A suburb too small to be seen, such as
    one of several in different cities, has a circle in its colour, and a note says how to draw one city.

    A cross marks a value with ``thin`` evidence, a dot one that needs ``caution``, as in :func:`scorecard` and
    :func:`impacts`, and a triangle one whose number of sales is not known. Rents, yields and counts do not have
    these marks, because they do not rest on the sales of the scorecard. A plus marks a value of a scorecard that rests
    on a stale rent, which is more than 62 days older than the newest rent. Notes name the suburbs without a value, and
    those without a shape.

    Each colour stands for a class of values with round limits, of which the lower one belongs to the class; the first
    and the last class are open. Values below zero, such as falls and negative premiums, have colours of their own and
    horizontal lines. If there are values of both signs, zero is a limit; with ``classes``, all values below zero have
    these colours only if zero is one of the limits. Everybody can tell the colours apart, so a style sheet does not
    change them. Made-up data have a badge in the corner.

    Parameters
    ----------
    values
        A scorecard, a summary of impacts, or any Series or frame with one row for each suburb. The names are in the
        index level or column ``area_name``; otherwise in the only one called ``suburb``, ``SAL_NAME_2021`` or similar;
        otherwise in an index of text that has no name. The unit is read from the attrs. Growth is shown in per cent.
    boundaries
        A GeoDataFrame, or the path of a shapefile, a GeoPackage, GeoJSON or FlatGeobuf, such as the ABS's boundaries
        of suburbs (SAL) as downloaded; also in a zip file that holds no other boundaries. Of several layers in a
        GeoPackage, the one with a column of names is read. Other files, folders and geodatabases are not opened,
        because many formats can fetch an address or open another file: read them with geopandas, and pass the
        GeoDataFrame. The names are in the only column or index level called ``area_name``, or ``SAL_NAME_2021``,
        ``SAL_NAME21``, ``suburb`` or similar. Nothing is projected: degrees are drawn as geopandas draws them, with the
        right shape in the middle of the map.
    column
        The column to draw. By default the only one with numbers; for a scorecard ``house_rent``, and for a summary of
        impacts ``median_price``.
    ax
        The Axes to draw on. By default a new figure.
    classes
        The limits between the classes, as rising numbers, such as ``[400, 500, 600]``. Maps with the same limits have
        the same classes and colours, so that they can be compared. By default round limits that fit the values.
    title
        The title, in place of the usual one.
    figsize
        The width of a new figure and its least height, in inches. The figure grows with its content.
    footnote
        Write notes and source at the foot.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, in the units of the boundaries. Outlines are exact to half a pixel at 300 dots an inch.
        ``ax.figure`` is the figure.

    Warns
    -----
    SkippedRowsWarning
        Some names have no shape, or some rows have no name.

    Raises
    ------
    ImportError
        geopandas is not installed. It comes with the extra ``map``.
    TypeError
        ``values`` is not a Series or DataFrame of pandas, or ``boundaries`` is neither a GeoDataFrame nor a path.
    ValueError
        A suburb has several values or several shapes; no name has a shape; ``column`` does not hold numbers; or it is
        not given and several columns do. Or ``classes`` are not rising numbers, or the file is not one of those above.
    NoSuburbColumn, FileNotFoundError
        ``values`` has no column of names, or there is no such file.

    See Also
    --------
    sandbox_boundaries : Boundaries of the made-up suburbs.
    scorecard : Build a table with one row per suburb, and with columns to draw.
    resolve : Find the exact names of suburbs.

    Examples
    --------
    >>> card = sp.scorecard(["Quokka Bay", "Woylie", "Marri Mews"])
    >>> ax = sp.plot_map(card, sp.sandbox_boundaries(), column="total_premium")
    >>> ax.figure.get_suptitle()
    'Total amenity premiums in 3 suburbs'
    """
    require_geopandas()
    from suburb_pandas.plotting import figure, maps  # noqa: PLC0415 - matplotlib is slow to import, and geopandas too

    return maps.draw(values, boundaries, figure.Target(ax, title, figsize, footnote), column, classes)


def plot_scorecard(
    card: pd.DataFrame,
    by: str = "house_growth_1y_pct",
    ax: Axes | None = None,
    *,
    highlight: str | Iterable[str] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    footnote: bool = True,
) -> Axes:
    """Draw one column of a scorecard as a ranked dot plot, the largest value on top. No call is made.

    Each suburb has a row with its name, a dot, its value, and its flags in words. The dot of a suburb with a flag is
    hollow. Only flags that concern the column are shown:

    - ``thin`` and ``caution``, if the column depends on sales or you added it. A yield does not have them, because it
      rests on your own price and not on the sales of the scorecard; the note at the foot says so.
    - a rent that had not changed for 56 days or more
    - a stale rent: more than 62 days older than the newest one, of either property type
    - the status ``stale``, if the column is about rents and no date says which one is stale

    A suburb without rents has the status ``no data``, but its premium has no flag.

    Suburbs without a value are named at the foot. Suburbs with equal values keep the order of the scorecard. Made-up
    data have a badge. A new figure is as high as its rows need. In your own Axes, names and values stand beside the
    Axes, so make room for them with ``plt.subplots(layout="constrained")``.

    Parameters
    ----------
    card
        A frame from :func:`scorecard`, or any frame with one row for each suburb, of up to 200 suburbs. The names are
        in the index level or column ``area_name``; otherwise in the only one called ``suburb``, ``SAL_NAME_2021`` or
        similar; otherwise in an index of text that has no name.
    by
        The column to draw: any column of numbers, including one that you added.
    ax
        The Axes to draw on. By default a new figure.
    highlight
        The name of a suburb, or several names. They are drawn in colour with a bold name, and all others in grey. By
        default, and without any name, all are drawn in colour.
    title
        A title in place of the usual one.
    figsize
        The width and the least height of a new figure, in inches.
    footnote
        Write notes and source at the foot.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the chart.

    Raises
    ------
    TypeError, ValueError
        ``card`` is not a frame, has several rows for a suburb, or more than 200 suburbs. Or ``by`` is not one of its
        columns of numbers. Or ``highlight`` has a name that ``card`` does not have.
    NoSuburbColumn
        No column or index level can hold the suburbs, or several can.

    Warns
    -----
    SkippedRowsWarning
        Some rows have no name.

    See Also
    --------
    scorecard : Build a scorecard.
    plot_rent : Draw rents over time.
    plot_map : Draw one column of a scorecard on a map.

    Examples
    --------
    >>> card = sp.scorecard(["Quokka Bay", "Woylie", "Bilby Heights"])
    >>> ax = sp.plot_scorecard(card)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bilby Heights', 'Quokka Bay', 'Woylie']
    """
    from suburb_pandas.plotting import figure, scorecard  # noqa: PLC0415 - matplotlib is slow to import

    return scorecard.draw(card, figure.Target(ax, title, figsize, footnote), by=by, highlight=highlight)


def plot(frame: pd.DataFrame, ax: Axes | None = None, *, footnote: bool = True, **options: Any) -> Axes:
    """Draw this frame of rents or of drivers, or this scorecard.

    Parameters
    ----------
    frame
        The frame with the rents or drivers, or the scorecard.
    ax
        The Axes to draw on; by default a new figure.
    footnote
        Whether the notes and the source are shown at the foot.
    **options
        Options of the function that draws: ``title`` and ``figsize``; ``property_type``, ``kind`` and ``highlight``
        for rents; ``kind`` for drivers; ``by`` and ``highlight`` for a scorecard.

    Returns
    -------
    matplotlib.axes.Axes
        As `suburb_pandas.plot_scorecard` returns for a scorecard, `suburb_pandas.plot_impacts` for a frame of
        drivers, and `suburb_pandas.plot_rent` for rents, growth or a rent index. Any other frame is refused.

    Raises
    ------
    ValueError
        The frame has none of these shapes, or more suburbs than fit.

    See Also
    --------
    suburb_pandas.plot_rent : The same for a frame of rents that is passed.
    suburb_pandas.plot_impacts : The same for a frame of drivers.
    suburb_pandas.plot_scorecard : The same for a scorecard.
    style : Return the frame as a table with units.

    Examples
    --------
    >>> sp.impacts("Quokka Bay").suburb.plot().figure.get_suptitle()
    'Amenity price impacts in Quokka Bay'
    """
    if is_scorecard(frame):
        return plot_scorecard(frame, ax=ax, footnote=footnote, **options)
    draw = plot_rent if endpoint_of(frame).shape == "series" else plot_impacts
    return draw(frame, ax, footnote=footnote, **options)
