"""Tests of the thread that expires calls, while many threads begin and end calls."""

import threading
import time
from contextlib import ExitStack

import pytest

from suburb_pandas.http import deadline
from suburb_pandas.http.deadline import Deadlines, TimedCall
from tests.support.common import wait_for


@pytest.fixture
def forced_switches():
    """Have the threads of the test pass the interpreter on before each instruction of the module under test."""
    usual = threading.gettrace()

    def switch(frame, *_):
        if frame.f_code.co_filename != deadline.__file__:
            return None
        frame.f_trace_opcodes = True
        time.sleep(0)
        return switch

    threading.settrace(switch)
    yield
    threading.settrace(usual)


@pytest.mark.parametrize("seconds", [1.5, pytest.param(60, marks=pytest.mark.long)])
def test_no_call_outlives_its_time_while_others_come_and_go(forced_switches, seconds, trial):
    """Every call that hangs is expired, however many other calls begin and end at the same moment."""
    deadlines, until = Deadlines(0.001), time.monotonic() + seconds
    expired = []

    def come_and_go():
        while time.monotonic() < until:
            with ExitStack() as calls:
                for _ in range(5):
                    calls.enter_context(deadlines.watch(TimedCall()))

    def hang_once():
        call = TimedCall()
        with deadlines.watch(call):
            return wait_for(lambda: call.expired, 10)

    def hang():
        while time.monotonic() < until:
            expired.append(hang_once())

    threads = [threading.Thread(target=target) for target in (*[come_and_go] * 4, hang, hang)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(expired) > seconds
    trial("a call hangs while others begin and end", "it is ended at its deadline", calls=len(expired))
