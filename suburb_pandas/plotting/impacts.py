"""The chart of amenity price impacts: a bar a driver, in AUD, with what it stands on written beside it."""

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
    NORMAL,
    broken,
    foot,
    head,
    letters_across,
    rows_of,
    say_if_made_up,
    source,
    suburbs_in,
    ticks,
    without_rows,
    write,
)
from suburb_pandas.plotting.layout import Onto, make_room, panels, settle
from suburb_pandas.timeseries.points import numbers

_COLUMNS: Final = ("label", "premium_dollars", "pct_of_median", "coverage_pct")

_MEANING: Final = "Association with comparable suburbs, not the effect of removing an amenity."
_X_LABEL: Final = "Premium where the amenity is absent, AUD"
_MORE: Final[Mapping[str, Any]] = {"color": COLOURS[0]}
_LESS: Final[Mapping[str, Any]] = {"facecolor": "none", "edgecolor": COLOURS[1], "hatch": "////"}
_FAINT: Final[Mapping[str, Any]] = {"alpha": 0.4}
_LONG_LABEL: Final = 30
_HEAD, _BAR = 1.15, 0.36  # inches
_EVERY_SALE: Final = 100
_WIDE: Final = 90  # letters


def draw(drivers: pd.DataFrame, onto: Onto) -> Axes:
    """Draw a frame of drivers, and give its first panel.

    Raises
    ------
    TypeError, ValueError
        It is not of the drivers' shape, or of too many suburbs.
    """
    sorted_ones, names = _read(drivers), suburbs_in(drivers)
    rows = {name: rows_of(sorted_ones, name) for name in names}
    axes = panels(onto, [_HEAD + _BAR * max(len(one), 2) for one in rows.values()], share_x=True)
    for ax, one in zip(axes, rows.values(), strict=True):
        _draw_bars(ax, one)
    axes[-1].set_xlabel(_X_LABEL)
    settle(axes)
    for ax, name in zip(axes, names, strict=True):
        ax.locator_params(axis="x", nbins=ticks(ax))
        head(ax, name or "Amenity price impacts", _sales(drivers, name), _MEANING if ax is axes[0] else "")
        say_if_made_up(ax, drivers)
    foot(
        axes[-1],
        "An amenity that is not listed is not a zero.",
        without_rows(drivers),
        source(drivers),
    )
    make_room(axes)
    return axes[0]


def _read(drivers: pd.DataFrame) -> pd.DataFrame:
    """Give the drivers, largest premium first, with their figures as numbers."""
    if not isinstance(drivers, pd.DataFrame):
        raise TypeError(f"This takes a frame of drivers, as sp.impacts() gives, not {type(drivers).__name__}.")
    missing = [column for column in _COLUMNS if column not in drivers.columns]
    if missing:
        raise ValueError(f"This is not a frame of drivers, as sp.impacts() gives: it has no {listed(missing)}.")
    figures = {column: numbers(drivers, column) for column in _COLUMNS[1:]}
    return drivers.assign(**figures).sort_values("premium_dollars", ascending=False, kind="stable")


def _draw_bars(ax: Axes, drivers: pd.DataFrame) -> None:
    """Draw the bars of one suburb, the largest on top."""
    joint = " " if letters_across(ax) > _WIDE else "\n"
    for place, driver in enumerate(drivers.to_dict("records")):
        premium = np.nan_to_num(driver["premium_dollars"])
        ax.barh(
            place, premium, height=0.62, **(_MORE if premium >= 0 else _LESS), **({} if _contrasts(driver) else _FAINT)
        )
        write(ax, _told(driver, joint), (max(premium, 0.0), place), (4, 0), of="data", va="center")
    labels = [broken(str(label), _LONG_LABEL) for label in drivers["label"]]
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    if not labels:
        write(ax, "No drivers are listed", (0.5, 0.5), ha="center", va="center")
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0, labelsize=NORMAL)
    ax.xaxis.set_major_formatter("{x:,.0f}")


def _contrasts(driver: Mapping[Any, Any]) -> bool:
    """Whether some of the sales have the amenity and some have not."""
    return not driver["coverage_pct"] <= 0 and not driver["coverage_pct"] >= _EVERY_SALE


def _told(driver: Mapping[Any, Any], joint: str) -> str:
    """Say in full what the bar stands for, in two parts."""
    premium, share, coverage = (driver[column] for column in _COLUMNS[1:])
    told = f"AUD {_short(premium)}, {_short(share)}% of median;{joint}{_short(coverage)}% of sales"
    return told if _contrasts(driver) else f"{told}:\nno contrast within the suburb"


def _short(number: float) -> str:
    """Write a number with at most one decimal."""
    return "?" if np.isnan(number) else f"{number:,.1f}".removesuffix(".0")


def _sales(drivers: pd.DataFrame, name: str | None) -> str:
    """Say how many sales the figures of a suburb stand on."""
    marks = marks_of(drivers)
    number = marks.get("n_sales", marks.get("n_sales_by_suburb", {}).get(name))
    if number is None:
        return "Number of sales not known: sp.impact_summary(...) has it."
    flag = sales_flag(number)
    return f"{counted(number, 'recent sale')}{'' if flag == 'ok' else f' ({flag})'}."
