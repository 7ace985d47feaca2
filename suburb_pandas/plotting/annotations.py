"""Writes the text around the data of a chart: title, y label, footnotes, source and the mark of made-up suburbs.

Owns the colours, the type sizes and the selection of each suburb's rows as well. The size and place of the Axes are
left to layout, labels at the ends of lines to end_labels. Only modules that draw may import this one, because it
imports matplotlib. Text from the service or a user is drawn as plain text, with matplotlib's mathtext switched off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any, Final, cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from suburb_pandas.client import provenance_log
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import AREA_NAME, is_made_up, marks_of
from suburb_pandas.loaders.provenance import responses_behind
from suburb_pandas.messages import listed
from suburb_pandas.plotting.layout import size_in_points

COLOURS: Final = ("#0072b2", "#d55e00", "#00895f", "#b8609a", "#777777", "#9a7400", "#7b4fb5", "#2185bd")
"""A palette after Okabe and Ito. Each colour has a contrast of at least 3 to 1 with white and with black."""

LABEL_SIZE: Final = 9.0
"""The type size of labels, in points."""

_NOTE_SIZE, _TITLE_SIZE = 7.5, 12.0
LINE_HEIGHT: Final = 1.35
"""The height of a line of text, as a multiple of its type size."""

_LETTER_WIDTH: Final = 0.52  # average width of a letter, as a multiple of its type size
_MAX_SUBURBS: Final = 8
_TICK_SPACING: Final = 50  # points
_MIN_LETTERS: Final = 20  # the shortest line length used for wrapping

_SOURCES: Final = {
    "embedded": "embedded sandbox, made-up suburbs",
    "sandbox": "property data service, under its sandbox key",
    "live": "property data service",
}


def suburbs_in(frame: pd.DataFrame) -> list[str | None]:
    """Return the suburbs that have rows in a frame.

    A frame without a column ``area_name`` holds one suburb: its name comes from the attrs, or is None if they lack it.

    Raises
    ------
    ValueError
        The frame has more suburbs than a chart can tell apart.
    """
    if AREA_NAME not in frame.columns:
        return [marks_of(frame).get("area_name")]
    names: list[str | None] = [str(name) for name in frame[AREA_NAME].dropna().unique()]
    if len(names) > _MAX_SUBURBS:
        raise ValueError(
            f"This frame has {len(names)} suburbs, and a chart takes up to {_MAX_SUBURBS}. Choose some, as in "
            f"frame[frame['{AREA_NAME}'].isin([{listed(names[:2])}])]."
        )
    return names or [None]


def rows_of(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """Return the rows of one suburb; all rows if ``name`` is None or the frame has no column ``area_name``."""
    return frame if name is None or AREA_NAME not in frame.columns else frame[frame[AREA_NAME].astype(str) == name]


def missing_suburbs_note(frame: pd.DataFrame) -> str:
    """Return a sentence that names the requested suburbs without rows.

    It is empty if there are none, and for a slice of a loaded frame: the requested suburbs are not known for a slice.
    """
    present = set(frame[AREA_NAME]) if AREA_NAME in frame.columns else ()
    missing = (
        [item.area_name for item in provenance_log.behind(frame) or () if item.area_name not in present]
        if present
        else []
    )
    return f"Without data: {', '.join(missing)}." if missing else ""


def write_title(ax: Axes, title: str, *small: str) -> None:
    """Write the title and, below it in small type, further sentences. Long lines are wrapped."""
    below = _wrap_each(ax, small)
    pad = 8 + LINE_HEIGHT * _NOTE_SIZE * len(below.splitlines())
    ax.set_title(wrap(title, letters_per_line(ax, _TITLE_SIZE)), fontsize=_TITLE_SIZE, pad=pad, parse_math=False)
    if below:
        write_text(ax, below, (0.5, 1), (0, 4), size=_NOTE_SIZE, ha="center", va="bottom")


def write_footnotes(ax: Axes, *sentences: str) -> None:
    """Write sentences in small type below the label of the x axis."""
    below = ("axes fraction", ax.xaxis.label)
    write_text(ax, _wrap_each(ax, sentences), (0, 0), (0, -3), xycoords=below, size=_NOTE_SIZE, va="top", alpha=0.8)


def write_text(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    *,
    xycoords: Any = "axes fraction",
    size: float = LABEL_SIZE,
    **style: Any,
) -> Annotation:
    """Write text at a position, moved by an offset in points.

    ``xycoords`` names the coordinates of the position as in matplotlib; the default is fractions of the Axes.
    """
    return ax.annotate(
        text,
        at,
        offset,
        xycoords=xycoords,
        textcoords="offset points",
        fontsize=size,
        annotation_clip=False,
        parse_math=False,
        **style,
    )


def label_y_axis(ax: Axes, text: str) -> None:
    """Write the label of the y axis, wrapped to the height of the Axes."""
    ax.set_ylabel(wrap(text, int(size_in_points(ax).height / (_LETTER_WIDTH * LABEL_SIZE))), fontsize=LABEL_SIZE)


def max_ticks(ax: Axes) -> int:
    """Return how many tick labels fit below the Axes."""
    return max(2, int(size_in_points(ax).width / _TICK_SPACING))


def wrap(text: str, letters: int) -> str:
    """Wrap a text into lines of at most ``letters`` letters, or `_MIN_LETTERS` if that is more."""
    return fill(" ".join(text.split()), max(letters, _MIN_LETTERS), break_on_hyphens=False)


def _wrap_each(ax: Axes, sentences: Iterable[str]) -> str:
    """Start each sentence on a new line and wrap it to the width of the Axes; leave out empty ones."""
    letters = max(letters_per_line(ax, _NOTE_SIZE), 2 * _MIN_LETTERS)
    return "\n".join(wrap(sentence, letters) for sentence in sentences if sentence)


def letters_per_line(ax: Axes, size: float = LABEL_SIZE) -> int:
    """Return how many letters of a type size fit across the Axes."""
    return int(size_in_points(ax).width / (_LETTER_WIDTH * size))


class _Watermark(Text):
    """Text with a type size that follows the width of the Axes at every draw."""

    def draw(self, renderer: RendererBase) -> None:
        """Fit the type size to the Axes, then draw."""
        self.set_fontsize(min(34, size_in_points(cast("Axes", self.axes)).width / 12))
        super().draw(renderer)


def mark_if_made_up(ax: Axes, frame: pd.DataFrame) -> None:
    """Write "made-up suburbs" across the Axes if the suburbs of the frame are made up."""
    if is_made_up(frame):
        look: dict[str, Any] = {"color": "grey", "alpha": 0.28, "ha": "center", "va": "center", "zorder": 0.5}
        mark = _Watermark(0.5, 0.5, "made-up suburbs", rotation=10, transform=ax.transAxes, **look)
        mark.set_in_layout(False)
        ax.add_artist(mark)


def source_note(frame: pd.DataFrame) -> str:
    """Return a sentence on the source of a frame and the dates of retrieval, as far as they are known."""
    marks = marks_of(frame)
    sources = [_SOURCES[source] for source in str(marks.get("source")).split(", ") if source in _SOURCES]
    if not sources:
        return "Source: not said by this frame."
    days = sorted({time[:10] for time in _retrieval_times(frame, marks)})
    when = f"retrieved {' to '.join(dict.fromkeys([days[0], days[-1]]))}" if days else "retrieval date not known"
    return f"Source: {' and '.join(sources)}, {when}."


def _retrieval_times(frame: pd.DataFrame, marks: Mapping[str, Any]) -> Iterable[str]:
    """Return the retrieval times of the responses behind a frame; nothing if they cannot be known."""
    if "retrieved_at" in marks:
        return [marks["retrieved_at"]]
    try:
        return [vintage.retrieved_at for vintage in responses_behind(frame).values()]
    except SuburbError:
        return []
