"""Ctrl-C at every moment: wherever it strikes, the same request again at once buys the rest and no more."""

import random
import signal
import sys
import time
from collections import Counter

import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, Worker, arrived, ask, books, paying, sandbox, wait_for

FORTY, TWELVE, TWO = NAMES[:40], NAMES[:12], NAMES[:2]

AT_STAKE = (
    "suburb_pandas.client.client",
    "suburb_pandas.purchasing.",
    "suburb_pandas.store.",
    "suburb_pandas.concurrency.locks",
    "threading",
)
"""The modules in which money is at stake, and the one in which they wait; a dot at the end means a whole folder."""


class Interrupter:
    """Raises KeyboardInterrupt at a chosen moment of the main thread, in `AT_STAKE` or in what they call.

    Moments are where Python looks for signals: as a function begins, and as a call into C ends. Rejected: lines, of
    which some are where no signal can strike, as between the body of a ``with`` and its end.
    """

    def __init__(self, moment):
        self.where = None
        self._left = moment

    def __enter__(self):
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _look(self, frame, event, called):
        if event not in {"call", "c_return"} or not (is_at_stake(frame) or is_at_stake(frame.f_back)):
            return
        self._left -= 1
        if self._left == 0:
            self.where = f"{module_of(frame)}:{frame.f_lineno} {event} {called or frame.f_code.co_name}"
            raise KeyboardInterrupt


def is_at_stake(frame):
    """Return whether the code of a frame is in one of the modules in which money is at stake."""
    return module_of(frame).startswith(AT_STAKE)


def module_of(frame):
    """Say whose code it is."""
    return frame.f_globals.get("__name__", "") if frame else ""


def ask_interrupted(settings, *moments):
    """Ask for two suburbs, interrupted at each of those moments, and again: give where it was, and the seconds then."""
    where = []
    with sp.Client(**settings) as client:
        for moment in moments:
            interrupter = Interrupter(moment)
            try:
                with interrupter:
                    sp.rent(TWO, client=client)
            except KeyboardInterrupt:
                where.append(interrupter.where)
        start = time.monotonic()
        sp.rent(TWO, client=client)
        return where, time.monotonic() - start


def ask_at_all(settings, folder, plans):
    """Do so at all of some moments, every time with a store of its own."""
    found = []
    for number, moments in enumerate(plans):
        found.append((moments, *ask_interrupted({**settings, "store": folder / f"{number}"}, *moments)))
        if not found[-1][1]:
            break
    return found


def every_moment(step):
    """Interrupt once."""
    return [(moment,) for moment in range(1, 2000, step)]


def twice(count):
    """Interrupt the request, and then the next one."""
    chance = random.Random(11)
    return [(chance.randrange(1, 420), chance.randrange(1, 200)) for _ in range(count)]


@pytest.mark.parametrize("plans", [
    pytest.param(every_moment(9), id="some moments"),
    pytest.param(twice(12), id="twice"),
    pytest.param(every_moment(1), id="every moment", marks=pytest.mark.long),
    pytest.param(twice(1000), id="often twice", marks=pytest.mark.long),
])  # fmt: skip
def test_a_request_interrupted_at_any_moment_can_be_made_again_at_once(tmp_path, plans):
    """Nothing is bought twice, and nothing that the interrupted request claimed holds the next one up."""
    with sandbox() as service:
        settings = paying(service, None, timeout=30)
        found = Worker(ask_at_all, settings, tmp_path, plans).go().result(60 + len(plans) / 5)
        served = service.served()
    slow = [(moments, where, round(took, 2)) for moments, where, took in found if took > 25]
    struck = sum(len(where) for _, where, _ in found)
    print(f"{len(found)} requests, {struck} interrupts: {len(slow)} held the next one up")  # noqa: T201 - the figure
    assert struck
    assert not slow
    assert served == Counter(dict.fromkeys([("rent", name) for name in TWO], len(found)))


def strikes(settings):
    """Give the file that has as many letters as signals have struck."""
    return settings["store"].with_suffix(".struck")


def ask_in_spite_of_ctrl_c(settings, suburbs):
    """Ask for the same at once after each Ctrl-C, as who runs a cell again: give the frame, and the seconds at last.

    A signal that does not find the request at work is only counted. Each one that has struck is in a file.
    """
    interrupted = 0

    def strike(_, frame):
        nonlocal interrupted
        interrupted += 1
        strikes(settings).write_text("x" * interrupted)
        while frame:
            if (module_of(frame), frame.f_code.co_name) == ("suburb_pandas.loaders.loaders", "rent"):
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
            return frame, interrupted, time.monotonic() - start


@pytest.mark.parametrize("after", [(1,), (7, 8, 9), (1, 20, 35)])
def test_a_cell_run_again_at_once_after_ctrl_c_buys_everything_once(tmp_path, after):
    """Calls that the interrupted batch still has under way are waited for by the next one in the same process."""
    with sandbox(latency_ms=60) as service:
        service.fail("latency", name=FORTY[-1], seconds=60)
        settings = paying(service, tmp_path / "store", max_workers=4)
        cell = Worker(ask_in_spite_of_ctrl_c, settings, FORTY).go()
        for number, calls in enumerate(after, 1):
            service.wait_for_calls(calls)
            cell.signal(signal.SIGINT)  # and not the next one before it has struck: the two would be one
            wait_for(lambda number=number: strikes(settings).exists() and len(strikes(settings).read_text()) >= number)
        service.release()
        frame, interrupted, took = cell.result()
        assert interrupted == len(after)
        assert took < 25
        assert frame["area_name"].nunique() == 40
        assert service.served() == Counter(("rent", name) for name in FORTY)
        assert Counter(books(settings)["outcome"]) == {"billed": 40}


@pytest.mark.parametrize("runs", [6, pytest.param(300, marks=pytest.mark.long)])
def test_ctrl_c_pressed_again_and_again_holds_nothing_up(tmp_path, runs):
    """Three signals within milliseconds, also while the first is being dealt with: the cell runs to its end, once."""
    chance, slowest = random.Random(23), 0.0
    with sandbox(latency_ms=10) as service:
        for run in range(runs):
            settings = paying(service, tmp_path / f"{run}", max_workers=2, timeout=30)
            cell = Worker(ask_in_spite_of_ctrl_c, settings, TWELVE).go()
            for pause in (chance.uniform(0, 0.12), chance.uniform(0, 0.004), chance.uniform(0, 0.004)):
                time.sleep(pause)
                cell.signal(signal.SIGINT)
            frame, _, took = cell.result()
            assert frame["area_name"].nunique() == 12
            slowest = max(slowest, took)
        assert service.served() == Counter(dict.fromkeys([("rent", name) for name in TWELVE], runs))
    print(f"{runs} batches interrupted three times: none bought twice, {slowest:.1f} s at most")  # noqa: T201 - figure
    assert slowest < 25, "somebody was waited for until his patience was over"


def test_one_suburb_asked_for_again_at_once_after_ctrl_c_is_one_call(tmp_path):
    """The call goes on without the request that began it, and the next request waits for it."""
    with sandbox() as service:
        service.fail("latency", seconds=60)
        settings = paying(service, tmp_path / "store")
        cell = Worker(ask_in_spite_of_ctrl_c, settings, NAMES[0]).go()
        service.wait_until_called()
        cell.signal(signal.SIGINT)
        wait_for(strikes(settings).exists)
        service.release()
        frame, interrupted, _ = cell.result()
        assert (interrupted, len(frame) > 100) == (1, True)
        assert service.served() == {("rent", NAMES[0]): 1}


def ask_until_ctrl_c(settings, name):
    """Ask for a suburb, and say so if that was interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with sp.Client(**settings) as client:
        try:
            sp.rent(name, client=client)
        except KeyboardInterrupt:
            return "interrupted"
        return "bought"


def test_who_waits_for_another_process_can_be_interrupted(tmp_path):
    """Ctrl-C ends the wait at once, and the other process's call is not touched."""
    with sandbox() as service:
        service.fail("latency", times=1, seconds=60)
        settings = paying(service, tmp_path / "store")
        holder = Worker(ask, settings, ("rent", NAMES[0])).go()
        service.wait_until_called()
        waiter = Worker(ask_until_ctrl_c, settings, NAMES[0]).go()
        time.sleep(0.2)
        waiter.signal(signal.SIGINT)
        assert waiter.result(25) == "interrupted"
        assert not holder.has_ended
        service.release()
        (answer,) = holder.result()
        assert len(arrived(answer)) > 100
        assert service.served() == {("rent", NAMES[0]): 1}
