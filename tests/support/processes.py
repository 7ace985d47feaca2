"""Runs the sandbox in a process of its own and makes requests from other processes, for tests of several folders."""

import ctypes
import os
import signal
import traceback
import warnings
import weakref
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing import Pipe, get_context

import suburb_pandas as sp
from suburb_pandas.http import wire
from suburb_pandas.loaders import loaders
from suburb_pandas.sandbox import SUBURBS, oddities
from tests.support import adversary
from tests.support.common import wait_for

NAMES = [
    suburb.name
    for suburb in SUBURBS
    if not any(oddities.reason_for_none(endpoint, suburb.name) for endpoint in ("rent", "impacts"))
]
"""Made-up suburbs that have rents and impacts."""

_PRELOADED = [loaders.__name__, wire.__name__, adversary.__name__, __name__]


def context(method="forkserver"):
    """Return the multiprocessing context of a start method. Processes of the fork server have the package loaded."""
    found = get_context(method)
    if method == "forkserver":
        found.set_forkserver_preload(_PRELOADED)
    return found


class Worker:
    """A process that runs a function once `go` is called. A worker with ``daemon=True`` cannot start workers itself."""

    def __init__(self, function, *arguments, method="forkserver", daemon=True):
        self._ours, theirs = Pipe()
        self._process = context(method).Process(target=_work, args=(theirs, function, arguments), daemon=daemon)
        self._process.start()
        # A suspended process would survive a test that fails, and then the whole test run would wait for it.
        weakref.finalize(self, self._process.kill)
        theirs.close()
        assert self._hear(60) == "ready"

    def go(self):
        """Start the function, and return the worker."""
        self._ours.send("go")
        return self

    def result(self, seconds=60):
        """Wait for the function to end, and return its result."""
        result, problem = self._hear(seconds)
        assert problem is None, problem
        self._process.join(10)
        return result

    @property
    def has_ended(self):
        """True if the function has ended or its process is gone."""
        return self._ours.poll() or not self._process.is_alive()

    def signal(self, number):
        """Send a signal to the process."""
        os.kill(self._process.pid, number)

    def kill(self):
        """Kill the process with SIGKILL, and wait until it is gone."""
        self._process.kill()
        self.wait_for_its_death()

    def wait_for_its_death(self):
        """Wait until the process is gone, and check that SIGKILL ended it."""
        self._process.join(30)
        assert self._process.exitcode == -signal.SIGKILL

    def end(self):
        """End the process, if it has not ended, even if it is suspended."""
        self._process.kill()
        self._process.join(10)

    def _hear(self, seconds):
        assert self._ours.poll(seconds), f"nothing was heard for {seconds} s"
        return self._ours.recv()


def _work(pipe, function, arguments):
    """Run the function and send its result or its traceback. Ctrl-C is ignored unless the function handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send("ready")
    pipe.recv()
    try:
        ended = (function(*arguments), None)
    except BaseException:  # noqa: BLE001 - the test reports it, whatever it is
        ended = (None, traceback.format_exc())
    with suppress(BrokenPipeError):
        pipe.send(ended)


def race(jobs, method="forkserver", seconds=60):
    """Start functions at the same moment, each in a process of its own, and return their results."""
    workers = [Worker(*job, method=method) for job in jobs]
    for worker in workers:
        worker.go()
    return [worker.result(seconds) for worker in workers]


def ask(settings, *lookups):
    """Make requests one after the other with a new client, and return for each its frame or its error."""
    with sp.Client(**settings) as client:
        return [ask_one(client, endpoint, suburbs) for endpoint, suburbs in lookups]


def ask_hastily(settings, *lookups):
    """Make requests as `ask` does, with leases of 2 s instead of 40 s."""
    with sp.Client(**settings) as client:
        client.settings = replace(client.settings, lease=2.0)
        return [ask_one(client, endpoint, suburbs) for endpoint, suburbs in lookups]


def ask_one(client, endpoint, suburbs):
    """Make a request, and return its frame or the package's error that it raised."""
    try:
        return getattr(sp, endpoint)(suburbs, client=client)
    except sp.SuburbError as error:
        return error


def load_all(settings, suburbs):
    """Request rents until all have arrived, and refresh those whose responses cannot be read.

    Return the frame, and for each suburb how often it was refreshed.
    """
    refreshed = Counter()
    with warnings.catch_warnings(), sp.Client(**settings) as client:
        warnings.simplefilter("ignore", sp.SuburbWarning)
        client.settings = replace(client.settings, retry_wait=0.02)
        for _ in range(200):
            result = ask_one(client, "rent", suburbs)
            if not isinstance(result, sp.SuburbError):
                return result, refreshed
            failures = getattr(result, "failures", {}).items()
            broken = [name for name, error in failures if isinstance(error, sp.errors.ContractViolation)]
            refreshed.update(broken)
            if broken:
                with suppress(sp.SuburbError):
                    sp.rent(broken, client=client, refresh=True)
    raise AssertionError("it never ended")


def arrived(result):
    """Return the frame of a request, or raise the error that it ended in."""
    if isinstance(result, sp.SuburbError):
        raise result
    return result


def paying(service, store, **settings):
    """Return settings with a live key and a limit and budget of 1,000,000 cents, unless others are given."""
    limits = {"max_cents": 10**6, "budget_cents": 10**6}
    return {"api_key": "mib_live_adversary", "base_url": service.url, "store": store, **limits, **settings}


def obey_modes():
    """Have this thread of a root process obey the modes of files, as other users do; on Linux only."""
    if os.geteuid():
        return
    libc, rights = ctypes.CDLL(None), (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, in two halves
    this_thread = (ctypes.c_uint32 * 2)(0x20080522, 0)
    ignoring_modes = 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    assert libc.capget(this_thread, rights) == 0
    rights[0] &= ~ignoring_modes
    rights[1] &= ~ignoring_modes
    assert libc.capset(this_thread, rights) == 0


class Service:
    """A handle on the sandbox in another process."""

    def __init__(self, pipe):
        self._pipe = pipe
        self.url = pipe.recv()

    def __getattr__(self, method):
        """Return a function that calls a method of the `Adversary`, such as ``fail``, ``release`` and ``tally``."""
        return partial(self._call, method)

    def _call(self, method, *arguments, **named):
        self._pipe.send((method, arguments, named))
        return self._pipe.recv()

    def served(self):
        """Return the number of calls served, by endpoint and name."""
        return self.tally()["served"]

    def wait_until_called(self):
        """Wait until the first request is in progress."""
        wait_for(lambda: self.tally()["most_at_once"])


@contextmanager
def sandbox(in_front=None, **options):
    """Run the sandbox in a process of its own.

    `in_front` is a function that starts another server, before the sandbox at a port, and returns its URL.
    """
    ours, theirs = Pipe()
    arguments = (theirs, in_front, {"wallet_cents": 10**9, **options})
    process = context().Process(target=_serve, args=arguments, daemon=True)
    process.start()
    theirs.close()
    try:
        yield Service(ours)
    finally:
        process.kill()
        process.join()


def _serve(pipe, in_front, options):
    with adversary.serve(**options) as service:
        pipe.send(in_front(service.port) if in_front else service.url)
        while True:
            method, arguments, named = pipe.recv()
            pipe.send(getattr(service, method)(*arguments, **named))


def books(settings):
    """Return the ledger of a store, as a new client sees it."""
    with sp.Client(**settings) as client:
        return sp.ledger(client=client)
