"""What the package's charts have in common: colours, titles, small type, and where a frame came from.

matplotlib is imported here, so only what draws imports this module. Whatever the service or a user wrote goes to
matplotlib as plain text, never as its mathematics.
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
from suburb_pandas.loaders import origins
from suburb_pandas.messages import listed
from suburb_pandas.plotting.layout import size_of

COLOURS: Final = ("#0072b2", "#d55e00", "#00895f", "#b8609a", "#777777", "#9a7400", "#7b4fb5", "#2185bd")
"""In the manner of Okabe and Ito, each dark enough for a white page and light enough for a black one."""

NORMAL: Final = 9.0
"""Points of the type of labels."""

_SMALL, _LARGE = 7.5, 12.0
LINE: Final = 1.35
"""The height of a line, by the size of its type."""

_LETTER: Final = 0.52  # the width of a letter, on average
_MOST_SUBURBS: Final = 8
_TICK: Final = 50  # points
_SHORTEST: Final = 20  # letters that a line has at the least

_SOURCES: Final = {
    "embedded": "embedded sandbox, made-up suburbs",
    "sandbox": "property data service, under its sandbox key",
    "live": "property data service",
}


def suburbs_in(frame: pd.DataFrame) -> list[str | None]:
    """Give the suburbs that a frame has rows of; for a frame of one alone its name, None where it does not say.

    Raises
    ------
    ValueError
        They are too many to be told apart.
    """
    if AREA_NAME not in frame.columns:
        return [marks_of(frame).get("area_name")]
    names: list[str | None] = [str(name) for name in frame[AREA_NAME].dropna().unique()]
    if len(names) > _MOST_SUBURBS:
        raise ValueError(
            f"This frame has {len(names)} suburbs, and a chart takes up to {_MOST_SUBURBS}. Choose some, as in "
            f"frame[frame['{AREA_NAME}'].isin([{listed(names[:2])}])]."
        )
    return names or [None]


def rows_of(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """Give the rows of one suburb."""
    return frame if name is None or AREA_NAME not in frame.columns else frame[frame[AREA_NAME].astype(str) == name]


def without_rows(frame: pd.DataFrame) -> str:
    """Name the suburbs that a frame was loaded for and has no rows of; of a part of such a frame nobody knows."""
    present = set(frame[AREA_NAME]) if AREA_NAME in frame.columns else ()
    missing = [name for _, name in provenance_log.behind(frame) or () if name not in present] if present else []
    return f"Without data: {', '.join(missing)}." if missing else ""


def head(ax: Axes, title: str, *small: str) -> None:
    """Write the title, and below it more in small type, in as many lines as it takes."""
    below = _wrapped(ax, small)
    pad = 8 + LINE * _SMALL * len(below.splitlines())
    ax.set_title(broken(title, letters_across(ax, _LARGE)), fontsize=_LARGE, pad=pad, parse_math=False)
    if below:
        write(ax, below, (0.5, 1), (0, 4), size=_SMALL, ha="center", va="bottom")


def foot(ax: Axes, *sentences: str) -> None:
    """Write below everything else, in small type."""
    below = ("axes fraction", ax.xaxis.label)
    write(ax, _wrapped(ax, sentences), (0, 0), (0, -3), of=below, size=_SMALL, va="top", alpha=0.8)


def write(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    *,
    of: Any = "axes fraction",
    size: float = NORMAL,
    **how: Any,
) -> Annotation:
    """Write at a place of the Axes, by a fraction or as ``of`` says, moved by some points."""
    return ax.annotate(
        text,
        at,
        offset,
        xycoords=of,
        textcoords="offset points",
        fontsize=size,
        annotation_clip=False,
        parse_math=False,
        **how,
    )


def label_y(ax: Axes, text: str) -> None:
    """Write what the y axis shows, in as many lines as it takes."""
    ax.set_ylabel(broken(text, int(size_of(ax).height / (_LETTER * NORMAL))), fontsize=NORMAL)


def ticks(ax: Axes) -> int:
    """How many dates or amounts there is room for below the Axes."""
    return max(2, int(size_of(ax).width / _TICK))


def broken(text: str, letters: int) -> str:
    """Break a text into lines of at most so many letters."""
    return fill(" ".join(text.split()), max(letters, _SHORTEST), break_on_hyphens=False)


def _wrapped(ax: Axes, sentences: Iterable[str]) -> str:
    letters = max(letters_across(ax, _SMALL), 2 * _SHORTEST)
    return "\n".join(broken(sentence, letters) for sentence in sentences if sentence)


def letters_across(ax: Axes, size: float = NORMAL) -> int:
    """How many letters of a size a line has that is as wide as the Axes."""
    return int(size_of(ax).width / (_LETTER * size))


class _Mark(Text):
    """What is written across some Axes, as large as they let it be whenever they are drawn."""

    def draw(self, renderer: RendererBase) -> None:
        """Take the size, and be drawn."""
        self.set_fontsize(min(34, size_of(cast("Axes", self.axes)).width / 12))
        super().draw(renderer)


def say_if_made_up(ax: Axes, frame: pd.DataFrame) -> None:
    """Write across the Axes that the suburbs are made up, where they are."""
    if is_made_up(frame):
        look: dict[str, Any] = {"color": "grey", "alpha": 0.28, "ha": "center", "va": "center", "zorder": 0.5}
        mark = _Mark(0.5, 0.5, "made-up suburbs", rotation=10, transform=ax.transAxes, **look)
        mark.set_in_layout(False)
        ax.add_artist(mark)


def source(frame: pd.DataFrame) -> str:
    """Say where a frame came from, and when, as far as that is known."""
    marks = marks_of(frame)
    sources = [_SOURCES[source] for source in str(marks.get("source")).split(", ") if source in _SOURCES]
    if not sources:
        return "Source: not said by this frame."
    days = sorted({time[:10] for time in _retrieved(frame, marks)})
    when = f"retrieved {' to '.join(dict.fromkeys([days[0], days[-1]]))}" if days else "retrieval date not known"
    return f"Source: {' and '.join(sources)}, {when}."


def _retrieved(frame: pd.DataFrame, marks: Mapping[str, Any]) -> Iterable[str]:
    """Give when the responses behind a frame came; none where that cannot be known."""
    if "retrieved_at" in marks:
        return [marks["retrieved_at"]]
    try:
        return [vintage.retrieved_at for vintage in origins.of(frame).values()]
    except SuburbError:
        return []
