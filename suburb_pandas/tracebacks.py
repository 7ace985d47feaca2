"""Shortens the tracebacks of this package's errors to the lines that help a user."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from suburb_pandas.errors import SuburbError


class _ShortTraceback:
    """Context manager that shortens the traceback of a `SuburbError` that leaves its block.

    The traceback keeps the line in the block and the line that raised the error. The lines between them are internal to
    this package. Errors of other kinds keep their whole tracebacks. Rejected: a decorator, whose own line would appear
    between the user's line and the decorated function.
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
"""The context manager for the body of a public function: ``with short_traceback:``."""
