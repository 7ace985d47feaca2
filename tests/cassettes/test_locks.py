"""Locks of files: one holder at a time. The code for Windows runs here too, on a model of its files."""

import importlib.util
import os
import sys
import threading

import pytest

from suburb_pandas.cassettes import file as locks_here
from tests.support.windows import WindowsFiles


@pytest.fixture
def windows(monkeypatch):
    """Make this process one of Windows, as far as locks can tell, and return its files."""
    files = WindowsFiles(monkeypatch)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", files)
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
def opened(tmp_path):
    """Return a function that opens one and the same file, each time with a new handle."""
    path, files = tmp_path / "file", []
    path.write_bytes(b"content")

    def open_again():
        files.append(os.open(path, os.O_RDWR))
        return files[-1]

    yield open_again
    for file in files:
        os.close(file)


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


def test_on_windows_a_locked_file_can_still_be_read(locks_of_windows, windows, opened):
    """On Windows a locked byte cannot be read, so the one that is locked is past the end of every file."""
    file = opened()
    locks_of_windows.lock(file)
    ((_, byte),) = windows.locked
    assert byte > 2**29 > os.fstat(file).st_size
