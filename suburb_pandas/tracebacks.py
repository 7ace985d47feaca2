"""Shortens the tracebacks of this package's errors to the lines that say something to a user."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from suburb_pandas.errors import SuburbError


class _ShortTraceback:
    """Shortens the traceback of a `SuburbError` that leaves the block, to the block's own line and the raising one.

    The lines between them are this package's affair. Errors of any other kind keep theirs. Rejected: a decorator, whose
    own line would stand between the user's line and the function that it decorates.
    """

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, SuburbError) and trace is not None:
            last = trace
            while last.tb_next is not None:
                last = last.tb_next
            trace.tb_next = None if last is trace else last


short_traceback: Final = _ShortTraceback()
"""For the body of a public function: ``with short_traceback:``."""
