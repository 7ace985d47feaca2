"""Draws rents, their index or their growth on their real dates, with cadence, gaps and flat runs visible.

This module checks the frames, and decides on the panels, the measure and the words of a chart. Reading series is left
to series, drawing them and the labels at their ends to lines, the figure and its words to figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from suburb_pandas.frames.schema import (
    AREA_NAME,
    GROUP,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPES,
    RENT,
    check_rents,
    is_resampled,
    operations_of,
    unit_of,
)
from suburb_pandas.messages import counted, listed
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes, wrapped
from suburb_pandas.plotting.lines import End, draw_markers, draw_series, label_ends, notes
from suburb_pandas.plotting.look import (
    COLOURS,
    decimals_of,
    format_number,
    mixed,
    muted,
    page_colour,
    series_colours,
    text_colour,
    tidy,
    type_size,
)
from suburb_pandas.plotting.series import Series, read_series
from suburb_pandas.plotting.words import (
    PER_CENT,
    column_of,
    holds_made_up,
    missing_suburbs_note,
    operations_note,
    retrieval_times,
    source_note,
    suburbs_in,
    title_of,
)
from suburb_pandas.timeseries.dates import day_text
from suburb_pandas.timeseries.doubts import stale_before
from suburb_pandas.timeseries.layouts import as_long, index_as_rents, is_index
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.points import KINDS

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart."""

_SMALL: Final = 2.1  # inches, the usual width of a small panel
_TICK: Final = 0.6  # inches, the width of the label of a date with the space around it
_GREY: Final = 0.35  # the share of the colour of text in that of series that are not highlighted
_AT_BASE: Final = 100.0  # the value of an index at its base

Vintages = list[pd.DataFrame] | tuple[pd.DataFrame, ...] | Mapping[str, pd.DataFrame]
"""Frames of one suburb that were retrieved at different times, perhaps with labels."""

Panel = Mapping[str, Series]
"""The series of a panel by their labels."""


def draw(
    frame: pd.DataFrame | Vintages,
    target: Target,
    *,
    property_type: str | None = None,
    kind: str | None = None,
    highlight: str | Sequence[str] | None = None,
) -> Axes:
    """Draw rents, growth, an index, or the vintages of a suburb, and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        A frame is not of the rent shape, its unit is not that of rents, it has too many suburbs, or an option does not
        fit the frame.
    """
    originals, longs, long = _read(frame, property_type, kind)
    suburbs = [*dict.fromkeys(name for each in longs for name in suburbs_in(each))]
    series = read_series(long)
    names = [*dict.fromkeys(str(each.name) for each in series)]
    highlighted = _highlighted(highlight, names, GROUP if is_index(long) else AREA_NAME)
    title, measure, mark, series = _measured(longs, series, property_type, kind)
    known = [each for each in series if each]
    is_small = len(names) > len(COLOURS) and not highlighted
    panels = _panels(series, is_one=len(names) <= 1, is_small=is_small)
    columns = min(max(round(target.width / _SMALL), 1), len(panels)) if is_small else 1
    width = target.width / columns
    axes = make_axes(target, len(panels), columns)
    room = 72 * width * (0.85 if is_small else 0.3)
    decimals = decimals_of([each.points.value[-1] for each in known], 0 if mark is None else 1)
    stale = stale_before([each.dates[-1] for each in known])

    def write(label: str, series: Series) -> str:
        date = series.dates[-1]
        month = f" ({date.astype('M8[M]')})" if date < stale else ""
        text = f"{label} {format_number(series.points.value[-1], decimals)}{month}"
        return wrapped(text.strip(), room, type_size())

    ends = [_draw_panel(ax, panel, highlighted, mark, write) for ax, panel in zip(axes, panels.values(), strict=True)]
    _draw_dates(axes[0], known, 0.75 * width)
    values = {heading: ", ".join(end.text for end in own) for heading, own in zip(panels, ends, strict=True)}
    headings = [*panels] if len(panels) > 1 else []
    if is_small:
        headings = ["\n".join(wrapped(text, room, 1.1 * type_size()) for text in pair) for pair in values.items()]
    sentences = [*notes(known, has_markers=max(map(len, ends)) > 1), *_sentences(originals, longs, series, suburbs)]
    alt = f"Last values: {'; '.join(f'{heading} {text}'.strip() for heading, text in values.items())}."
    words = Words(
        _title(title, suburbs, originals[0], long),
        measure,
        headings,
        sentences,
        source_note(*originals),
        alt if known else "No points.",
        any(map(holds_made_up, originals)),
        has_values_on_y=True,
    )
    inches = _share_values(axes, columns, headings) if is_small else _label(target, axes, ends)
    legend = {str(line.get_label()): line for ax in axes if is_small for line in ax.get_legend_handles_labels()[0]}
    return finish(target, axes, words, inches, columns=columns, legend=[*legend.values()])


def _sentences(
    originals: Sequence[pd.DataFrame],
    longs: Sequence[pd.DataFrame],
    series: Sequence[Series],
    suburbs: Sequence[str | None],
) -> Iterator[str]:
    """Yield sentences on the data: series without points, open periods, operations, and suburbs without data."""
    if without := [title_of(f"{each.kind}s", [each.name]) for each in series if not each]:
        yield f"Without points: {listed(without, str)}."
    yield from map(_open_note, originals, longs)
    yield from map(operations_note, originals)
    if not is_index(longs[0]):
        yield missing_suburbs_note(originals[0], suburbs)


def _draw_panel(
    ax: Axes, panel: Panel, highlighted: Sequence[str], mark: float | None, write: Callable[[str, Series], str]
) -> list[End]:
    """Draw the series of a panel, highlighted ones on top, and return the labels of those that are not grey."""
    tidy(ax, values="y")
    page, ends = page_colour(ax), []
    known = {label: series for label, series in panel.items() if series}
    labels = [label for label in highlighted or panel if label in known]
    if not known:
        ax.grid(visible=False)
        ax.tick_params(labelleft=False)
        ax.text(0.5, 0.5, "No points", transform=ax.transAxes, ha="center", color=muted(page), fontsize=type_size())
    elif mark is not None:
        ax.axhline(mark, color=muted(page), linestyle="-", linewidth=0.8, gid="level")
    for label in [label for label in known if label not in labels]:
        draw_series(ax, known[label], mixed(text_colour(page), _GREY, page), 0.6)
    for label in labels:
        number, series = [*(highlighted or panel)].index(label), known[label]
        colour = series_colours(page)[number]
        draw_series(ax, series, colour)
        draw_markers(ax, series, number, colour, label, alone=len(labels) == 1)
        ends.append(End(write(label, series), series.dates[-1], series.points.value[-1], colour))
    ax.margins(x=0.01)
    return ends


def _draw_dates(ax: Axes, series: Sequence[Series], room: float) -> None:
    """Label the dates of all panels, as many as fit into a room in inches; a single date by itself."""
    most = max(int(room / _TICK), 4)
    locator = AutoDateLocator(minticks=(most - 1) // 2, maxticks=most)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    dates = np.unique([each.dates[[0, -1]] for each in series])
    if len(dates) <= 1:
        ax.set_xticks(dates, [str(date) for date in dates])


def _label(target: Target, axes: Sequence[Axes], ends: Sequence[Sequence[End]]) -> float:
    """Label the lines of all panels at their ends, and return the height in inches that the panels need."""
    lines = max(sum(end.text.count("\n") + 1 for end in own) for own in ends)
    inches = max(3.4 if len(axes) == 1 else 2.6, 0.16 * lines + 0.5)
    for ax, own in zip(axes, ends, strict=True):
        inside = 0.7 * ax.get_window_extent().height * 72 / ax.figure.figure.dpi
        label_ends(ax, own, inside if target.ax else (8 * inches - 4) * type_size())
    return inches * len(axes)


def _share_values(axes: Sequence[Axes], columns: int, headings: Sequence[str]) -> float:
    """Put small panels on one scale, with labels on the left only, and return the height in inches that they need."""
    for number, ax in enumerate(axes):
        ax.tick_params(labelleft=number % columns == 0)
        if ax is not axes[0]:
            ax.sharey(axes[0])
    axes[0].autoscale(axis="y")
    return ceil(len(axes) / columns) * (1 + 0.17 * max(len(heading.splitlines()) for heading in headings))


def _read(
    frame: pd.DataFrame | Vintages, property_type: str | None, kind: str | None
) -> tuple[list[pd.DataFrame], list[pd.DataFrame], pd.DataFrame]:
    """Return the frames as given, in the long layout, and all in one, after checking that they can be drawn."""
    if not isinstance(frame, Mapping | list | tuple):
        long = _long(frame, property_type, kind)
        return [frame], [long], long
    originals = [*(frame.values() if isinstance(frame, Mapping) else frame)]
    longs = [_long(each, property_type, kind) for each in originals]
    return originals, longs, _together(frame, longs)


def _long(frame: pd.DataFrame, property_type: str | None, kind: str | None) -> pd.DataFrame:
    """Return a frame in the long layout, with one property type or with all, after checking that it can be drawn."""
    if property_type not in {None, *PROPERTY_TYPES}:
        raise ValueError(f"property_type must be 'house', 'unit' or None for both, not {property_type!r}.")
    if kind not in {None, "index"}:
        raise ValueError(f"kind must be 'index', or None for the values as they are, not {kind!r}.")
    long = as_long(index_as_rents(frame))
    if (what := _contents(long)) == "rents":
        check_rents(long, "pandas' own frame.plot() draws it")
    elif kind:
        raise ValueError(
            f"kind='index' takes rents, but this frame holds {what}. Leave kind out, or draw the rents that it was "
            "computed from."
        )
    found = [label for label in PROPERTY_TYPES if label in long.columns]
    if property_type is None or not found:
        return long
    if property_type not in found:
        raise ValueError(f"This frame has no column {property_type!r}. Draw the other: property_type={found[0]!r}")
    others = {*PROPERTY_TYPES} - {property_type}
    return long.drop(columns=[label for label in long.columns if str(label).partition("_")[0] in others])


def _contents(frame: pd.DataFrame) -> str:
    """Return the contents of a frame by its marks: rents if these name nothing else."""
    growth = "growth of an index" if is_index(frame) else "growth"
    return {GROWTH_UNIT: growth, INDEX_UNIT: "an index"}.get(str(unit_of(frame)), "rents")


def _together(vintages: Vintages, longs: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the vintages of a suburb in one frame, with their labels as ``area_name``, if they can be compared."""
    suburbs = {name for long in longs for name in suburbs_in(long)}
    if not 1 < len(longs) <= len(COLOURS) or len(suburbs) > 1:
        raise ValueError(
            f"A chart compares two to {len(COLOURS)} vintages of one suburb, not {counted(len(longs), 'frame')} of "
            f"{listed(sorted(map(str, suburbs)))}. Pass a single frame without a list, and each suburb by itself."
        )
    first, *others = dict.fromkeys(map(_contents, longs))
    if others:
        raise ValueError(
            f"Some of these frames hold {first}, and others hold {others[0]}. Draw each kind in its own chart."
        )
    labels = [*map(str, vintages)] if isinstance(vintages, Mapping) else _retrievals(vintages)
    result = pd.concat([long.assign(**{AREA_NAME: label}) for label, long in zip(labels, longs, strict=True)])
    result.attrs = longs[0].attrs
    return result


def _retrievals(vintages: Sequence[pd.DataFrame]) -> list[str]:
    """Return labels of vintages: their days or times of retrieval, whichever differ, else numbers."""
    times = [max(retrieval_times(frame), default="") for frame in vintages]
    for length in map(len, ("2026-04-26", "2026-04-26T10:30:00")):
        labels = [f"retrieved {time[:length].replace('T', ' ')}" for time in times if time]
        if len({*labels}) == len(times):
            return labels
    return [f"vintage {number}" for number in range(1, len(times) + 1)]


def _highlighted(highlight: str | Sequence[str] | None, names: Sequence[str], column: str) -> list[str]:
    """Return the names to highlight, after checking that the chart has them, and that it can draw so many names."""
    if len(names) > MOST_SUBURBS:
        raise ValueError(
            f"This frame has {len(names)} suburbs or groups, but a chart shows up to {MOST_SUBURBS}. Choose some, as "
            f"in frame[frame['{column}'].isin([{listed(names[:2])}])]"
        )
    wanted = [highlight] if isinstance(highlight, str) else [*(highlight or ())]
    unknown = [name for name in wanted if name not in names]
    if unknown or len(wanted) > len(COLOURS):
        raise ValueError(
            f"highlight takes up to {len(COLOURS)} names of this chart, not {listed(unknown or wanted)}. Choose some "
            f"of them: highlight=[{listed(names)}]"
        )
    return wanted if len(names) > 1 else []


def _measured(
    longs: Sequence[pd.DataFrame], series: list[Series], property_type: str | None, kind: str | None
) -> tuple[str, str, float | None, list[Series]]:
    """Return the title and the words of the measure, the value that gets a line, and the series in this measure."""
    kinds = {each.kind for each in series}
    column = column_of(longs[0], property_type or (kinds.pop() if len(kinds) == 1 else RENT))
    if kind and any(series):
        day, based = _based(series)
        return column.title, f"{column.measure.partition(',')[0]}, index, 100 at {day}", _AT_BASE, based
    if column.unit == INDEX_UNIT:
        return (
            column.title,
            ", ".join([column.measure, *_index_words(longs, [each for each in series if each])]),
            _AT_BASE,
            series,
        )
    mark = 0.0 if column.unit == PER_CENT else None
    return column.title, column.measure, mark, [each.scaled(column.factor) for each in series]


def _based(series: Sequence[Series]) -> tuple[str, list[Series]]:
    """Return the first day on which all series with points have a value on the line, and them as an index of that."""
    known = [each for each in series if each]
    days = np.unique(np.concatenate([each.points.day for each in known]))
    values = np.array([line_of(s.points).at(np.full(len(days), s.points.suburb[0]), days) for s in known])
    common = np.flatnonzero(~np.isnan(values).any(axis=0))
    if not len(common):
        worst = known[np.isnan(values).sum(axis=1).argmax()]
        others = [each for each in known if each is not worst]
        is_one = {each.name for each in others} == {worst.name}
        how = f"property_type={others[0].kind!r}" if is_one else f"frame[frame['{AREA_NAME}'] != {worst.name!r}]"
        raise ValueError(
            f"There is no date on which all {len(known)} series have a value, so they cannot be set to 100 together. "
            f"The {worst.kind} rents of {worst.name!r} are from {worst.dates[0]} to {worst.dates[-1]}. Leave them out: "
            f"{how}"
        )
    factors = iter(_AT_BASE / values[:, common[0]])
    return day_text(days[common[0]]), [each.scaled(next(factors)) if each else each for each in series]


def _index_words(longs: Sequence[pd.DataFrame], series: Sequence[Series]) -> Iterator[str]:
    """Yield the base and the weights of an index, as far as they are known and all frames have the same."""
    calls = {call for long in longs for call in operations_of(long) if call.startswith("rent_index(")}
    call = calls.pop() if len(calls) == 1 else ""
    firsts = {str(each.dates[0]) for each in series}
    if named := re.search(r'\bbase="(\d{4}-\d\d-\d\d)', call):
        yield f"100 at {named[1]}"
    elif np.allclose([each.points.value[0] for each in series], _AT_BASE):
        yield f"100 at {firsts.pop() if len(firsts) == 1 else 'the first date of each series'}"
    if named := re.search(r'\bweights="(\w+)"', call):
        yield f"suburbs weighted by {named[1]}"
    elif call:
        yield "suburbs weighted" if "weights=" in call else "all suburbs weighted alike"


def _title(title: str, names: Sequence[str | None], frame: pd.DataFrame, long: pd.DataFrame) -> str:
    """Return the title of a chart: with its suburbs or groups or, of an index without groups, with their number."""
    if not is_index(long):
        return title_of(title, names)
    if unit_of(long) == GROWTH_UNIT:
        title = title.replace("of ", "of the index of ", 1)
    counts = [f"{kind}_n" for kind in KINDS if kind in long.columns and f"{kind}_n" in frame.columns]
    if names != [None]:
        return title_of(title, names, "groups")
    return f"{title} in up to {frame[counts].max().max()} suburbs" if counts and len(frame) else title


def _open_note(frame: pd.DataFrame, long: pd.DataFrame) -> str:
    """Return a sentence if data were retrieved before the end of the last period, unless hollow markers show it."""
    times = retrieval_times(frame) if is_resampled(frame) and not long.filter(like="_open").any(axis=None) else []
    is_open = bool(times) and pd.Timestamp(max(times)[:10]) < long.index.max()
    return "The last period was still open when the data were retrieved." if is_open else ""


def _panels(series: Sequence[Series], *, is_one: bool, is_small: bool) -> dict[str, dict[str, Series]]:
    """Return the panels by their headings: one for a single suburb, else one for each property type or suburb."""
    panels: dict[str, dict[str, Series]] = {}
    kinds = {each.kind for each in series}
    for each in series:
        kind, name = each.kind if each.kind in PROPERTY_TYPES else "", str(each.name or each.kind)
        heading, label = kind and f"{kind.capitalize()}s", name
        if is_small:
            heading, label = name, kind if len(kinds) > 1 else ""
        elif is_one:
            heading, label = "", kind or name
        panels.setdefault(heading, {})[label] = each
    return panels or {"": {}}
