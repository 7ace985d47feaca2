"""Locks of files: one holder at a time."""

import os
import threading

from suburb_pandas.cassettes.file import lock, unlock


def test_a_second_holder_waits_for_the_first(tmp_path):
    """A locked file is locked for every other handle until it is unlocked, however long that takes."""
    first, second = (os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT) for _ in range(2))
    order = []

    def take_second():
        lock(second)
        order.append("second has it")

    lock(first)
    other = threading.Thread(target=take_second, daemon=True)
    other.start()
    other.join(0.2)
    order.append("first frees it")
    unlock(first)
    other.join(20)
    assert order == ["first frees it", "second has it"]
    for file in (first, second):
        os.close(file)
