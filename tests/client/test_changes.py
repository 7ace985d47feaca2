"""Listeners hear of each change, and can neither break a request nor live on because of it."""

import gc
import threading

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.client import changes
from tests.support.made_up import PLACES


class Noting:
    """A listener that counts what it hears."""

    def __init__(self, *, raises=False):
        self.heard, self._raises = 0, raises

    def follow_changes(self):
        """Count a change, and raise an error if that was asked for."""
        self.heard += 1
        if self._raises:
            raise RuntimeError("of a listener")


def test_each_change_is_heard(live):
    """Limits, a purchase, a list of names and a new default client are changes; a stored response is none."""
    listener, heard = Noting(), []
    changes.listen(listener)
    for change in (
        lambda: sp.set_limits(max_cents=500),
        lambda: sp.rent(PLACES[0].area_name),
        lambda: sp.rent(PLACES[0].area_name),
        lambda: sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quokka Bay"]})),
        lambda: sp.connect(api_key="embedded"),
    ):
        before = listener.heard
        change()
        heard.append(listener.heard - before)
    assert heard == [1, 1, 0, 1, 1]
    changes.stop(listener)
    sp.set_limits(max_cents=400)
    assert listener.heard == 4


@pytest.mark.usefixtures("live")
def test_a_listener_that_raises_breaks_no_request():
    """A request that was paid for returns its frame, and the other listeners hear of it."""
    broken, listener = Noting(raises=True), Noting()
    for one in (broken, listener):
        changes.listen(one)
    assert len(sp.rent(PLACES[0].area_name)) > 0
    assert broken.heard == listener.heard == 1


def test_listeners_that_end_while_several_threads_announce_harm_nothing():
    """Objects that nothing else refers to are forgotten, in whichever thread that is noticed."""
    failures = []

    def announce():
        for _ in range(200):
            changes.listen(Noting())
            try:
                changes.announce()
            except Exception as problem:  # noqa: BLE001 - whatever it is
                failures.append(problem)

    threads = [threading.Thread(target=announce) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert failures == []
    assert not any(isinstance(one, Noting) for one in changes._listeners)
