"""Tests of a cassette's file: many writers append at once, and an interrupted write loses only its own call."""

import os
import resource
import threading

import pytest

import suburb_pandas as sp
from suburb_pandas.cassettes.file import CassetteFile, lock
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from tests.support.recorded import BASE, call, elsewhere, vcrpy_file, written

CALLS = [call("Quokka Bay"), call("Woylie", status=404), call("Bilby Heights", body=b"\xff\x00")]
OF_VCRPY = vcrpy_file(elsewhere())
LOCK = "suburb_pandas.cassettes.file.lock"


def held(path):
    """Return the calls in a file."""
    return CassetteFile(path).load().calls


@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.long)], ids=["some bytes", "all bytes"])
def test_a_file_that_is_cut_anywhere_is_read_and_goes_on(path, step, trial):
    """A file cut at any byte keeps its whole calls, and the torn call can be added again."""
    text, ends = written(*CALLS), [len(written(*CALLS[:number])) for number in range(4)]
    sizes = {*range(0, len(text) + 1, step), *(end - missing for end in ends for missing in range(3))}
    for size in sizes:
        path.write_bytes(text[:size])
        n_whole = sum(size >= end - 1 for end in ends[1:])  # the last newline may be missing
        file = CassetteFile(path)
        assert file.load().calls == CALLS[:n_whole]
        assert path.stat().st_size == size  # reading trims nothing: another process may still be writing the end
        for one in CALLS[n_whole:]:
            file.add(one, BASE)
        assert path.read_bytes().rstrip() == text.rstrip()
    trial("a cassette is cut at each byte", "its whole calls are read, and the others are added again", cuts=len(sizes))


def test_what_others_did_meanwhile_is_kept(path):
    """A writer keeps the whole calls that others have added since its last one, and trims a torn one.

    If the file is replaced, or removed while the writer waits for its lock, the call is written to the new file.
    """
    mine, swap = CassetteFile(path), path.with_suffix(".new")
    mine.add(CALLS[0], BASE)
    for size in (len(written(*CALLS[:2])) + 30, len(written(*CALLS[:2]))):
        path.write_bytes(written(*CALLS)[:size])
        mine.add(CALLS[2], BASE)
        assert held(path) == CALLS
    swap.write_bytes(written(CALLS[1]))
    swap.replace(path)
    mine.add(CALLS[2], BASE)
    assert held(path) == CALLS[1:]


def test_a_cassette_that_is_removed_while_a_writer_waits_is_made_anew(path, monkeypatch):
    """If the file is removed while a writer waits for its lock, the call is written to a new file, not a lost one."""

    def remove_and_lock(number):
        monkeypatch.setattr(LOCK, lock)
        path.unlink()
        lock(number)

    monkeypatch.setattr(LOCK, remove_and_lock)
    CassetteFile(path).add(CALLS[1], BASE)
    assert path.read_bytes() == written(CALLS[1])


@pytest.mark.parametrize("text", [b"\n \n", BEGINNING[:-3], written(*CALLS)[:60], OF_VCRPY, written(*CALLS)])
def test_anew_takes_the_place_of_what_was_there(path, text):
    """A new recording replaces an empty file and any readable cassette, but not before its first call.

    The file keeps its permissions, and a link stays a link.
    """
    path.write_bytes(text)
    path.chmod(0o640)
    link = path.with_name("link.yaml")
    link.symlink_to(path)
    file = CassetteFile(link, anew=True)
    assert file.load().calls == []
    assert path.read_bytes() == text
    file.add(CALLS[2], BASE)
    file.add(CALLS[0], BASE)
    assert held(path) == [CALLS[2], CALLS[0]]
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(path.parent.iterdir()) == [link, path]


def test_of_two_that_record_anew_neither_drops_what_the_other_wrote(path):
    """A new recording replaces only the contents that it began with. Calls that others have added since are kept."""
    path.write_bytes(written(CALLS[2]))
    one, other = (CassetteFile(path, anew=True) for _ in range(2))
    for file, new in zip((one, other, one), CALLS, strict=True):
        file.add(new, BASE)
    assert held(path) == CALLS


def test_a_process_that_was_forked_off_in_the_middle_holds_nobody_up(path, monkeypatch):
    """A process that is forked during a write inherits the open file, but does not keep its lock."""
    children = []

    def lock_and_fork(number):
        lock(number)
        if not children:
            children.append(os.fork())
            if children == [0]:
                threading.Event().wait(100)
                os._exit(0)

    monkeypatch.setattr(LOCK, lock_and_fork)
    try:
        for one in CALLS[:2]:
            CassetteFile(path).add(one, BASE)
    finally:
        os.kill(children[0], 9)
        os.waitpid(children[0], 0)
    assert held(path) == CALLS[:2]


@pytest.mark.parametrize("anew", [False, True])
def test_a_full_disk_leaves_what_was_there(path, anew):
    """A write that fails half-way is undone and raises an error. This also holds for a write that replaces the file."""
    before = written(CALLS[0])
    path.write_bytes(before)
    file, limits = CassetteFile(path, anew=anew), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + (-100 if anew else 100), limits[1]))
    try:
        with pytest.raises(sp.errors.CassetteError, match=r"study.yaml cannot be written: File too large"):
            file.add(CALLS[0], BASE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]
    file.add(CALLS[2], BASE)
    assert held(path) == CALLS[2 * anew :: 2]


def test_a_gigantic_file_is_not_read(path):
    """A file of more than 512 MiB is refused without being read."""
    path.touch()
    os.truncate(path, 3 * 2**30)
    with pytest.raises(sp.errors.CassetteError, match=r"it has 3,072 MiB, and the limit is 512 MiB"), sp.cassette(path):
        pass
