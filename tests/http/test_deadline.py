"""Tests of the thread that expires calls, while many threads begin and end calls."""

import sys
import threading
import time
from contextlib import ExitStack

import pytest

from suburb_pandas.http.deadline import Deadlines, TimedCall
from tests.support.common import wait_for


@pytest.fixture
def forced_switches():
    """Have Python switch between threads a thousand times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.long)])
def test_no_call_outlives_its_time_while_others_come_and_go(forced_switches, seconds):
    """Every call that hangs is expired, however many other calls begin and end at the same moment."""
    deadlines, until = Deadlines(0.0001), time.monotonic() + seconds
    expired = []

    def come_and_go():
        while time.monotonic() < until:
            with ExitStack() as calls:
                for _ in range(50):
                    calls.enter_context(deadlines.watch(TimedCall()))

    def hang():
        while time.monotonic() < until:
            call = TimedCall()
            with deadlines.watch(call):
                expired.append(wait_for(lambda: call.expired, 10))

    threads = [threading.Thread(target=target) for target in (*[come_and_go] * 6, hang, hang)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(expired) > seconds
