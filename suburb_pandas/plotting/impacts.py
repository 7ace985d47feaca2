"""Draws amenity price impacts as bars in AUD, one for each driver, with the figures beside it.

Text around the bars is left to annotations, panels and their size to layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.frames.schema import marks_of, sales_flag
from suburb_pandas.messages import counted, listed
from suburb_pandas.plotting.annotations import (
    COLOURS,
    LABEL_SIZE,
    letters_per_line,
    mark_if_made_up,
    max_ticks,
    missing_suburbs_note,
    rows_of,
    source_note,
    suburbs_in,
    wrap,
    write_footnotes,
    write_text,
    write_title,
)
from suburb_pandas.plotting.layout import Target, apply_layout, panels, shrink_to_fit
from suburb_pandas.timeseries.points import numbers

_COLUMNS: Final = ("label", "premium_dollars", "pct_of_median", "coverage_pct")

_CAVEAT: Final = "Association with comparable suburbs, not the effect of removing an amenity."
_X_LABEL: Final = "Premium where the amenity is absent, AUD"
_POSITIVE: Final[Mapping[str, Any]] = {"color": COLOURS[0]}
_NEGATIVE: Final[Mapping[str, Any]] = {"facecolor": "none", "edgecolor": COLOURS[1], "hatch": "////"}
_FAINT: Final[Mapping[str, Any]] = {"alpha": 0.4}
_LABEL_LETTERS: Final = 30
_TITLE_INCHES, _BAR_INCHES = 1.15, 0.36
_ALL_SALES_PCT: Final = 100
_WIDE_LETTERS: Final = 90  # wider Axes have the text beside a bar on one line


def draw(drivers: pd.DataFrame, target: Target) -> Axes:
    """Draw a frame of drivers and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        ``drivers`` is not a frame of drivers, its figures are not numbers, or it has too many suburbs.
    """
    ranked, names = _read(drivers), suburbs_in(drivers)
    by_suburb = {name: rows_of(ranked, name) for name in names}
    axes = panels(
        target, [_TITLE_INCHES + _BAR_INCHES * max(len(rows), 2) for rows in by_suburb.values()], share_x=True
    )
    for ax, rows in zip(axes, by_suburb.values(), strict=True):
        _draw_bars(ax, rows)
    axes[-1].set_xlabel(_X_LABEL)
    apply_layout(axes)
    for ax, name in zip(axes, names, strict=True):
        ax.locator_params(axis="x", nbins=max_ticks(ax))
        write_title(ax, name or "Amenity price impacts", _sales_note(drivers, name), _CAVEAT if ax is axes[0] else "")
        mark_if_made_up(ax, drivers)
    write_footnotes(
        axes[-1],
        "An amenity that is not listed is not a zero.",
        missing_suburbs_note(drivers),
        source_note(drivers),
    )
    shrink_to_fit(axes)
    return axes[0]


def _read(drivers: pd.DataFrame) -> pd.DataFrame:
    """Return the drivers with their figures as float64, largest premium first."""
    if not isinstance(drivers, pd.DataFrame):
        raise TypeError(f"This takes a frame of drivers, as sp.impacts() gives, not {type(drivers).__name__}.")
    missing = [column for column in _COLUMNS if column not in drivers.columns]
    if missing:
        raise ValueError(f"This is not a frame of drivers, as sp.impacts() gives: it has no {listed(missing)}.")
    figures = {column: numbers(drivers, column) for column in _COLUMNS[1:]}
    return drivers.assign(**figures).sort_values("premium_dollars", ascending=False, kind="stable")


def _draw_bars(ax: Axes, drivers: pd.DataFrame) -> None:
    """Draw the bars of one suburb, the largest on top."""
    separator = " " if letters_per_line(ax) > _WIDE_LETTERS else "\n"
    for place, driver in enumerate(drivers.to_dict("records")):
        premium = np.nan_to_num(driver["premium_dollars"])
        sign = _POSITIVE if premium >= 0 else _NEGATIVE
        ax.barh(place, premium, height=0.62, **sign, **({} if _has_contrast(driver) else _FAINT))
        write_text(ax, _bar_text(driver, separator), (max(premium, 0.0), place), (4, 0), xycoords="data", va="center")
    labels = [wrap(str(label), _LABEL_LETTERS) for label in drivers["label"]]
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    if not labels:
        write_text(ax, "No drivers are listed", (0.5, 0.5), ha="center", va="center")
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0, labelsize=LABEL_SIZE)
    ax.xaxis.set_major_formatter("{x:,.0f}")


def _has_contrast(driver: Mapping[Any, Any]) -> bool:
    """Return True unless the coverage is 0 or 100 per cent: then all sales are alike in this amenity."""
    return not driver["coverage_pct"] <= 0 and not driver["coverage_pct"] >= _ALL_SALES_PCT


def _bar_text(driver: Mapping[Any, Any], separator: str) -> str:
    """Return the figures behind a bar: premium and share of the median, then coverage, on one line or two."""
    premium, share, coverage = (driver[column] for column in _COLUMNS[1:])
    text = f"AUD {_format(premium)}, {_format(share)}% of median;{separator}{_format(coverage)}% of sales"
    return text if _has_contrast(driver) else f"{text}:\nno contrast within the suburb"


def _format(number: float) -> str:
    """Format a number with at most one decimal; a missing one as a question mark."""
    return "?" if np.isnan(number) else f"{number:,.1f}".removesuffix(".0")


def _sales_note(drivers: pd.DataFrame, name: str | None) -> str:
    """Return a sentence on the number of sales behind the figures of a suburb."""
    marks = marks_of(drivers)
    number = marks.get("n_sales", marks.get("n_sales_by_suburb", {}).get(name))
    if number is None:
        return "Number of sales not known: sp.impact_summary(...) has it."
    flag = sales_flag(number)
    return f"{counted(number, 'recent sale')}{'' if flag == 'ok' else f' ({flag})'}."
