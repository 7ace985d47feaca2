"""Ctrl-C at any moment of a request: the same request, made again at once, buys the rest and nothing twice."""

import inspect
import random
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress

import pytest

import suburb_pandas as sp
from suburb_pandas import purchasing, store
from suburb_pandas.client import client as client_module
from tests.support.common import wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, paying, sandbox

TWELVE, TWO = NAMES[:12], NAMES[:2]
AT_ONCE = 35
"""Seconds for a request that waits for no lease. A lease lasts 40 s."""

AT_STAKE = (client_module.__name__, f"{purchasing.__name__}.", f"{store.__name__}.", threading.__name__)
"""The modules in which an interrupt could lose money, and `threading`, where they wait. A final dot means a folder."""


@contextmanager
def interrupted_at(moment):
    """Raise KeyboardInterrupt at a moment of the main thread, in a module of `AT_STAKE` or a function it calls.

    The moments are those at which Python checks for signals: when a function begins, and when a call into C ends.
    Lines were rejected as moments, because no signal can strike at some of them, such as the end of a ``with``.
    """
    left = iter(range(1, moment))

    def look(frame, event, _):
        is_moment = event in {"call", "c_return"} and any(
            one and one.f_globals.get("__name__", "").startswith(AT_STAKE) for one in (frame, frame.f_back)
        )
        if is_moment and next(left, None) is None:
            raise KeyboardInterrupt

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)


def ask_interrupted(settings, moments):
    """Request two suburbs, interrupted at each moment in turn, and then uninterrupted.

    Return how many interrupts struck, and the seconds that the last request took.
    """
    tracebacks = []  # a notebook keeps the last traceback, and so whatever its frames hold
    with sp.Client(**settings) as client:
        for moment in moments:
            try:
                with interrupted_at(moment):
                    sp.rent(TWO, client=client)
            except KeyboardInterrupt as interrupt:
                tracebacks.append(interrupt.__traceback__)
        start = time.monotonic()
        sp.rent(TWO, client=client)
        return len(tracebacks), time.monotonic() - start


def ask_at_all(settings, folder, trials):
    """Run `ask_interrupted` for each trial with a new store, until a moment is after the end of the request."""
    found = []
    for number, moments in enumerate(trials):
        found.append(ask_interrupted({**settings, "store": folder / f"{number}"}, moments))
        if not found[-1][0]:
            break
    return found


CHANCE = random.Random(11)
TWICE = [(CHANCE.randrange(1, 660), CHANCE.randrange(1, 200)) for _ in range(1000)]
"""Trials with two interrupts: one of a request, and one of the next request."""


@pytest.mark.parametrize("trials", [
    pytest.param([(moment,) for moment in range(1, 2000, 17)], id="some moments"),
    pytest.param(TWICE[:6], id="twice"),
    pytest.param([(moment,) for moment in range(1, 2000)], id="every moment", marks=pytest.mark.long),
    pytest.param(TWICE, id="often twice", marks=pytest.mark.long),
])  # fmt: skip
def test_a_request_interrupted_at_any_moment_can_be_made_again_at_once(tmp_path, trials, trial):
    """After an interrupt the same request buys nothing twice, and does not wait for claims of the interrupted one.

    Every 17th moment strikes each defect that lasts for 17 of the 660 moments, such as one of a whole transaction.
    """
    with sandbox() as service:
        settings = paying(service, None, timeout=30)
        found = Worker(ask_at_all, settings, tmp_path, trials).go().result(60 + len(trials) / 5)
        served = service.served()
    struck = sum(interrupts for interrupts, _ in found)
    assert struck
    assert max(took for _, took in found) < AT_ONCE
    assert served == Counter(dict.fromkeys([("rent", name) for name in TWO], len(found)))
    held = "the same request, made again at once, does not wait, and buys nothing twice"
    trial(
        "Ctrl-C strikes a request at each moment; or at a random moment, and then the next request too",
        held,
        requests=len(found),
        interrupts=struck,
    )


def ask_in_spite_of_ctrl_c(settings, suburbs):
    """Make the same request again at once after each Ctrl-C, like a user who runs a notebook cell again.

    A signal that strikes outside the request is ignored. Return the frame and the seconds that the last request took.
    """
    requesting = inspect.unwrap(sp.rent).__code__

    def strike(_, frame):
        while frame:
            if frame.f_code is requesting:
                raise KeyboardInterrupt
            frame = frame.f_back

    signal.signal(signal.SIGINT, strike)
    with sp.Client(**settings) as client:
        while True:
            start = time.monotonic()
            try:
                frame = sp.rent(suburbs, client=client)
            except KeyboardInterrupt:
                continue
            return frame, time.monotonic() - start


@pytest.mark.parametrize("runs", [6, pytest.param(300, marks=pytest.mark.long)])
def test_ctrl_c_pressed_again_and_again_holds_nothing_up(tmp_path, runs, trial):
    """Three signals within milliseconds, even during the handling of the first, neither delay nor repeat a purchase.

    Six batches miss a defect that shows in every second one once in 64 runs.
    """
    chance, slowest = random.Random(23), 0.0
    with sandbox(latency_ms=10) as service:
        for run in range(runs):
            settings = paying(service, tmp_path / f"{run}", max_workers=2, timeout=30)
            cell = Worker(ask_in_spite_of_ctrl_c, settings, TWELVE).go()
            for pause in (chance.uniform(0, 0.12), chance.uniform(0, 0.004), chance.uniform(0, 0.004)):
                time.sleep(pause)
                with suppress(ProcessLookupError):  # the batch has ended before
                    cell.signal(signal.SIGINT)
            frame, took = cell.result()
            assert frame["area_name"].nunique() == 12
            slowest = max(slowest, took)
        assert service.served() == Counter(dict.fromkeys([("rent", name) for name in TWELVE], runs))
    assert slowest < AT_ONCE
    held = "the batch that is run again at once does not wait, and buys nothing twice"
    trial("Ctrl-C strikes a batch three times within milliseconds", held, batches=runs)


def ask_until_ctrl_c(settings, names):
    """Request suburbs, and return "interrupted"."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        return ask(settings, ("rent", names))
    return "interrupted"


def test_a_wait_for_another_process_can_be_interrupted(service, tmp_path):
    """Ctrl-C ends a wait for another process at once, and does not affect that process's call."""
    service.fail("latency", times=1, seconds=60)
    settings = paying(service, tmp_path / "store")
    holder = Worker(ask, settings, ("rent", NAMES[0])).go()
    service.wait_until_called()
    waiter = Worker(ask_until_ctrl_c, settings, TWO).go()
    wait_for(service.served)  # it has bought the second suburb, and waits for the first one
    waiter.signal(signal.SIGINT)
    assert waiter.result(AT_ONCE) == "interrupted"
    assert not holder.has_ended
    service.release()
    assert len(arrived(*holder.result())) > 100
    assert service.served() == Counter(("rent", name) for name in TWO)
