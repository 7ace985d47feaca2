"""Shows frames about calls and responses so that they fit a page: times to the second, and short digests.

Values are shortened in the repr only. Every method that writes a frame writes them whole.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import Any, Final

import pandas as pd

_DIGEST: Final = "sha256"
_SHOWN_DIGITS: Final = 12
_CUT: Final = "..."  # as pandas marks text that it cuts; not every terminal can print an ellipsis character
_LONG_WORD: Final = re.compile(r"<td>(\w{18,})</td>")
_DATE_OF_A_TIME: Final = re.compile(r"<td>(\d{4}-\d\d-\d\d) (?=\d\d:\d\d:\d\d)")


class _LikeAnyFrame(type):
    """Metaclass that makes every DataFrame an instance of its class.

    ``pd.testing.assert_frame_equal`` asks whether the left frame is an instance of the class of the right one. Without
    this, a plain frame on the left would never be equal.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


class CompactFrame(pd.DataFrame, metaclass=_LikeAnyFrame):
    """A DataFrame that is shown with times to the second, and with the first 12 digits of each digest.

    A frame that is too wide for a terminal is wrapped there, as it is in a notebook, instead of losing columns. Parts
    and copies of the frame are shown in the same way. Its pickle is that of a plain DataFrame.
    """

    @property
    def _constructor(self) -> type[CompactFrame]:
        return CompactFrame

    def __repr__(self) -> str:
        with _wrapping():
            return repr(self._shown())

    def _repr_html_(self) -> str | None:
        with _wrapping():
            html: str | None = self._shown()._repr_html_()  # type: ignore[operator]  # missing in pandas-stubs
        return html and _in_small_type(html)

    def __reduce__(self) -> tuple[Any, ...]:
        return pd.DataFrame, (), self.__getstate__()

    def _shown(self) -> pd.DataFrame:
        """Return a plain DataFrame of the values as they are shown."""
        shown = pd.DataFrame(self)
        for position, label in enumerate(self.columns):
            column = self.iloc[:, position]
            if isinstance(column.array, pd.arrays.DatetimeArray):
                # Rejected: `dt.floor`, which raises for a local time that came twice when daylight saving ended.
                shown.isetitem(position, column.dt.as_unit("s").dt.as_unit(column.dt.unit).array)
            elif str(label) == _DIGEST:
                shown.isetitem(position, column.map(_short).array)
        return shown


def _short(value: Any) -> Any:
    """Return the beginning of a digest, and anything else as it is."""
    is_long = isinstance(value, str) and len(value) > _SHOWN_DIGITS + len(_CUT)
    return value[:_SHOWN_DIGITS] + _CUT if is_long else value


def _in_small_type(html: str) -> str:
    """Return the HTML of a table in smaller type if it has times, whose dates are then not broken at their hyphens.

    Request ids may be broken instead. The eight columns of the ledger would otherwise be wider than a notebook in a
    window of 850 pixels, or in JupyterLab beside its list of files.
    """
    narrow, times = _DATE_OF_A_TIME.subn(r'<td><span style="white-space: nowrap">\1</span> ', html)
    narrow = _LONG_WORD.sub(r'<td style="overflow-wrap: anywhere">\1</td>', narrow)
    return narrow.replace('class="dataframe"', 'class="dataframe" style="font-size: 0.85em"', 1) if times else html


def _wrapping() -> AbstractContextManager[None]:
    """Return a context in which pandas shows all columns, unless the user limited their number.

    In a terminal the option is 0, and pandas would leave out the middle columns of a frame that is too wide.
    """
    return pd.option_context("display.max_columns", pd.get_option("display.max_columns") or None)
