"""What the adversary tests share: the sandbox in a process of its own, and requests made from other processes."""

import os
import signal
import time
import traceback
import weakref
from collections import Counter
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context

import requests

import suburb_pandas as sp
from suburb_pandas.purchasing import worker as till
from suburb_pandas.sandbox import SUBURBS, oddities, serve

NAMES = [
    suburb.name
    for suburb in SUBURBS
    if not any(oddities.reason_for_none(endpoint, suburb.name) for endpoint in ("rent", "impacts"))
]
"""Made-up suburbs that have rents and impacts."""

_LOADED_BEFORE = [
    "suburb_pandas.loaders.loaders",
    "suburb_pandas.http.transport",
    "suburb_pandas.sandbox.server",
    "tests.support.processes",
]


def context(method="forkserver"):
    """Give the way to start processes; those of the fork server have the package loaded."""
    found = get_context(method)
    if method == "forkserver":
        found.set_forkserver_preload(_LOADED_BEFORE)
    return found


def wait_for(condition, seconds=30):
    """Wait until a condition holds, and give what it gave."""
    give_up = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < give_up, "it never came to pass"
        time.sleep(0.005)
    return found


class Worker:
    """A function that a process of its own runs once it is let go. Only one that is no daemon may have workers too."""

    def __init__(self, function, *arguments, method="forkserver", daemon=True):
        self._ours, theirs = Pipe()
        self._process = context(method).Process(target=_work, args=(theirs, function, arguments), daemon=daemon)
        self._process.start()
        # Also where a test fails: one that is suspended would outlive it, and the whole run wait for it.
        weakref.finalize(self, self._process.kill)
        theirs.close()
        assert self._hear(60) == "ready"

    def go(self):
        """Let it go, and give it back."""
        self._ours.send("go")
        return self

    def result(self, seconds=60):
        """Wait for what the function gives."""
        given, problem = self._hear(seconds)
        assert problem is None, problem
        self._process.join(10)
        return given

    @property
    def has_ended(self):
        """Whether the function has given something, or its process is gone."""
        return self._ours.poll() or not self._process.is_alive()

    def signal(self, number):
        """Send a signal."""
        os.kill(self._process.pid, number)

    def kill(self):
        """End it with SIGKILL, and wait until it is gone."""
        self._process.kill()
        self.wait_for_its_death()

    def wait_for_its_death(self):
        """Wait until it is gone, by SIGKILL."""
        self._process.join(30)
        assert self._process.exitcode == -signal.SIGKILL

    def end(self):
        """End it, if it has not ended, in whatever state it is."""
        self._process.kill()
        self._process.join(10)

    def _hear(self, seconds):
        assert self._ours.poll(seconds), f"nothing was heard for {seconds} s"
        return self._ours.recv()


def _work(pipe, function, arguments):
    """Run the function. Ctrl-C is for those that expect it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send("ready")
    pipe.recv()
    try:
        answer = (function(*arguments), None)
    except BaseException:  # noqa: BLE001 - whatever it was, the test is told
        answer = (None, traceback.format_exc())
    with suppress(BrokenPipeError):
        pipe.send(answer)


def race(jobs, method="forkserver", seconds=60):
    """Let functions go at the same moment, each in a process of its own, and give what each gives."""
    workers = [Worker(*job, method=method) for job in jobs]
    for worker in workers:
        worker.go()
    return [worker.result(seconds) for worker in workers]


def ask(settings, *lookups):
    """Make requests one after the other, with a client of its own: give each frame, or the error that it ended in."""
    with sp.Client(**settings) as client:
        return [ask_one(client, endpoint, suburbs) for endpoint, suburbs in lookups]


def ask_hastily(settings, *lookups):
    """Make requests whose plans may be silent for 0.3 s longer than a call takes, where 5 s are the rule."""
    till._SLACK = 0.3
    return ask(settings, *lookups)


def ask_one(client, endpoint, suburbs):
    """Make a request: give its frame, or the package's error that it ended in."""
    try:
        return getattr(sp, endpoint)(suburbs, client=client)
    except sp.SuburbError as error:
        return error


def arrived(answer):
    """Give the frame that a request ended in, and not an error."""
    if isinstance(answer, sp.SuburbError):
        raise answer
    return answer


def paying(service, store, **settings):
    """Give the settings of somebody who pays and may spend a lot."""
    limits = {"max_cents": 10**6, "budget_cents": 10**6}
    return {"api_key": "mib_live_adversary", "base_url": service.url, "store": store, **limits, **settings}


class Service:
    """The sandbox in another process, as seen from outside."""

    def __init__(self, pipe):
        self._pipe = pipe
        self.url = pipe.recv()

    def fail(self, fault, **when):
        """Have the next requests meet a fault, as `Sandbox.fail` does."""
        self._ask("fail", fault, **when)

    def release(self):
        """Let go the calls that a fault holds back, as `Sandbox.release` does."""
        self._ask("release")

    def _ask(self, method, *arguments, **named):
        self._pipe.send((method, arguments, named))
        assert self._pipe.recv() is None

    def tally(self):
        """What it counted, in its own words."""
        return requests.get(self.url + "/_tally", timeout=30).json()

    def served(self):
        """Calls that got as far as billing, by endpoint and name."""
        return Counter({(one["endpoint"], one["name"]): one["calls"] for one in self.tally()["served"]})

    def wait_for_calls(self, count):
        """Wait until it has served so many calls."""
        wait_for(lambda: self.tally()["calls"] >= count)

    def wait_until_called(self):
        """Wait until its first call is in hand."""
        wait_for(lambda: self.tally()["most_at_once"])


@contextmanager
def sandbox(**options):
    """Run the sandbox in a process of its own."""
    ours, theirs = Pipe()
    process = context().Process(target=_serve, args=(theirs, {"wallet_cents": 10**9, **options}), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Service(ours)
    finally:
        process.kill()
        process.join()


def _serve(pipe, options):
    with serve(**options) as service:
        pipe.send(service.url)
        while True:
            method, arguments, named = pipe.recv()
            pipe.send(getattr(service, method)(*arguments, **named))


def books(settings):
    """Give the ledger, as a client of its own sees it."""
    with sp.Client(**settings) as client:
        return sp.ledger(client=client)
