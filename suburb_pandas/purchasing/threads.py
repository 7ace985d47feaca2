"""Runs the workers of a request on threads, and gives up the calls that take longer than any call may.

No timeout of a socket notices a server that sends its headers byte by byte. The thread of such a call ends when the
server does; it is a daemon, so that Python can exit before that. Rejected: shutting the socket down, which only private
parts of urllib3 reach. What a worker does is left to worker.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

from suburb_pandas.purchasing.call_result import CallResult
from suburb_pandas.purchasing.worker import GivenUpError, Worker, give_up_overdue, work

_POLL_SECONDS: Final = 0.25

_Ends = SimpleQueue[BaseException | None]


def run(number: int, make: Callable[[], Worker], keep: Callable[[CallResult], None]) -> None:
    """Run a number of workers until they have ended. Then raise the first exception of one of them, if there is any.

    ``make`` makes a worker, and ``keep`` is called with each result.
    """
    ends: _Ends = SimpleQueue()
    first, *others = (make() for _ in range(number))
    for worker in (first, *others):
        _start(worker, keep, ends)
    problem, running = None, number
    while running:
        try:
            found = ends.get(timeout=_POLL_SECONDS)
        except Empty:
            for _ in range(give_up_overdue(first, keep)):
                _start(make(), keep, ends)
        else:
            running, problem = running - 1, problem or found
    if problem is not None:
        raise problem


def _start(worker: Worker, keep: Callable[[CallResult], None], ends: _Ends) -> None:
    """Start a thread that adds its end to ``ends``, with the exception that ended it if there was one."""

    def run_worker() -> None:
        try:
            work(worker, keep)
        except GivenUpError:
            return  # another thread has taken its place
        except BaseException as problem:  # noqa: BLE001 - raised again in the thread of the request
            worker.breaker.trip()
            ends.put(problem)
        else:
            ends.put(None)

    try:
        Thread(target=run_worker, name="suburb_pandas worker", daemon=True).start()
    except RuntimeError as problem:  # the system allows no more threads
        worker.breaker.trip()
        ends.put(problem)
