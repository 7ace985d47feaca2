"""Locks of files: one holder at a time. The code for Windows runs here too, on a model of its files."""

import importlib.util
import os
import sys
import threading
from contextlib import suppress

import pytest

from suburb_pandas.concurrency import locks as locks_here
from tests.support.windows import WindowsFiles


@pytest.fixture
def path(tmp_path):
    """Return the path of a lock."""
    return tmp_path / "lock"


@pytest.fixture
def windows(monkeypatch):
    """Make this process one of Windows, as far as locks can tell, and return its files."""
    files = WindowsFiles(monkeypatch)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", files)
    monkeypatch.delattr(os, "register_at_fork", raising=False)
    return files


@pytest.fixture
def locks_of_windows(windows):
    """Return a second copy of the module, which was imported on Windows."""
    spec = importlib.util.spec_from_file_location("locks_of_windows", locks_here.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["here", "Windows"])
def locks(request):
    """Return the module of locks, of this system and of Windows."""
    return locks_here if request.param == "here" else request.getfixturevalue("locks_of_windows")


@pytest.fixture
def opened(path):
    """Return a function that opens one and the same file, each time with a new handle."""
    path.write_bytes(b"content")
    files = set()  # a number is used again after its file was closed

    def open_again():
        file = os.open(path, os.O_RDWR)
        files.add(file)
        return file

    yield open_again
    for file in files:
        with suppress(OSError):  # the test has closed it
            os.close(file)


def test_a_lock_is_held_until_it_is_released(locks, path):
    """Others see that a lock is held, as often as they look. After its release it is free, and its file is gone."""
    lock = locks.Lock(path)
    assert [locks.is_held(path), locks.is_held(path)] == [True, True]
    lock.release()
    assert not locks.is_held(path)
    assert not path.exists()
    lock.release()


def test_a_lock_that_is_let_go_is_free_and_its_file_stays(locks, path):
    """A lock that is let go is free. Its file is not removed, neither then nor by a later release."""
    lock = locks.Lock(path)
    lock.let_go()
    assert path.exists()
    assert not locks.is_held(path)
    again = locks.Lock(path)
    lock.let_go()
    lock.release()
    assert locks.is_held(path)
    again.release()
    assert not path.exists()


def test_a_file_that_was_left_over_is_not_a_held_lock(locks, path):
    """The file of a lock whose process died is free, as often as others look, and the lock can be taken again."""
    path.touch()
    assert [locks.is_held(path), locks.is_held(path)] == [False, False]
    locks.Lock(path).release()


def test_on_windows_a_lock_whose_file_cannot_be_opened_counts_as_held(locks_of_windows, path, monkeypatch):
    """On Windows, a file that is being removed cannot be opened. Its lock may still be held."""

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    assert locks_of_windows.is_held(path)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no shared locks that Python can take")
def test_two_that_look_at_once_do_not_take_each_other_for_the_holder(opened, path):
    """To look takes a shared lock for a moment, which does not count as holding the lock."""
    import fcntl  # noqa: PLC0415 - Windows has none

    fcntl.flock(opened(), fcntl.LOCK_SH)  # as another process does when it looks
    assert not locks_here.is_held(path)


def test_a_second_holder_waits_for_the_first(locks, opened):
    """A locked file is locked for every other handle until it is unlocked, however long that takes."""
    first, second, order = opened(), opened(), []

    def take_second():
        locks.lock(second)
        order.append("second has it")

    locks.lock(first)
    other = threading.Thread(target=take_second, daemon=True)
    other.start()
    other.join(0.2)
    order.append("first frees it")
    os.lseek(first, 0, os.SEEK_SET)  # reading and writing move the position of a file
    locks.unlock(first)
    other.join(20)
    assert order == ["first frees it", "second has it"]
    locks.unlock(second)


def test_a_file_that_is_closed_is_free(locks, opened, path):
    """A lock ends with the handle that holds it, even without being unlocked."""
    first = opened()
    locks.lock(first)
    assert locks.is_held(path)
    os.close(first)
    assert not locks.is_held(path)
    locks.lock(opened())
    assert locks.is_held(path)


def test_on_windows_a_locked_file_can_still_be_read(locks_of_windows, windows, opened, path):
    """On Windows a locked byte cannot be read, so the one that is locked is past the end of every file."""
    locks_of_windows.lock(opened())
    ((_, byte),) = windows.locked
    assert byte > 2**29 > path.stat().st_size


def test_on_windows_the_file_of_a_lock_stays_while_another_process_has_it_open(locks_of_windows, path):
    """On Windows, an open file cannot be removed. A lock is released all the same, and others see that it is free."""
    lock = locks_of_windows.Lock(path)
    other = os.open(path, os.O_RDONLY)
    lock.release()
    assert path.exists()
    assert not locks_of_windows.is_held(path)
    os.close(other)
    locks_of_windows.remove(path)
    assert not path.exists()
