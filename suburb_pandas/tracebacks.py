"""Shortens the tracebacks of this package's errors to the lines that help a user."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from suburb_pandas.errors import SuburbError
from suburb_pandas.messages import PACKAGE


class _ShortTraceback:
    """Context manager that shortens the traceback of any `SuburbError` raised in its block.

    The traceback keeps the line in the block, the line that raised the error, and the lines of users' functions that
    this package called. This package's own lines between them are dropped. Errors of other kinds keep their whole
    tracebacks. Rejected: a decorator, whose own line would appear between the user's line and the decorated function.
    """

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, SuburbError) and trace is not None:
            while trace.tb_next is not None:
                if trace.tb_next.tb_next is not None and _is_ours(trace.tb_next):
                    trace.tb_next = trace.tb_next.tb_next
                else:
                    trace = trace.tb_next


def _is_ours(trace: TracebackType) -> bool:
    """Return True if a line of a traceback is in this package."""
    return trace.tb_frame.f_code.co_filename.startswith(PACKAGE)


short_traceback: Final = _ShortTraceback()
"""The context manager for the body of a public function: ``with short_traceback:``."""
