"""Tests of a cassette's file: many writers append at once, and an interrupted write loses only its own call."""

import os
import resource
import threading
from codecs import BOM_UTF8

import pytest
import vcr

import suburb_pandas as sp
from suburb_pandas.cassettes.file import CassetteFile, lock
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from tests.support.recorded import BASE, call, elsewhere, vcrpy_file, written

CALLS = [call("Quokka Bay"), call("Woylie", status=404), call("Bilby Heights", body=b"\xff\x00")]
OF_VCRPY = vcrpy_file(elsewhere())


@pytest.fixture
def path(tmp_path):
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"


def held(path):
    """Return the calls in a file."""
    return CassetteFile(path).load().calls


def test_it_is_made_at_the_first_call(path):
    """The first call creates the file and its folder. An empty file is recorded into, as vcrpy does."""
    path.write_bytes(b"\n")
    for one in (path, path.parent / "new" / "folder" / path.name):
        file = CassetteFile(one)
        assert file.load().calls == []
        file.add(CALLS[0], BASE)
        assert one.read_bytes() == written(CALLS[0])


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


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_a_cassette_that_an_editor_saved_goes_on(path, line_end):
    """A cassette with a byte order mark, any line ends and no newline at its end is read, and can be added to."""
    path.write_bytes(BOM_UTF8 + written(*CALLS[:2]).rstrip().replace(b"\n", line_end))
    file = CassetteFile(path)
    assert file.load(to_add=True).calls == CALLS[:2]
    file.add(CALLS[2], BASE)
    assert held(path) == CALLS


def test_what_others_did_meanwhile_is_kept(path):
    """A writer keeps the whole calls that others have added since its last one, and trims a torn one."""
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
        monkeypatch.setattr("suburb_pandas.cassettes.file.lock", lock)
        path.unlink()
        lock(number)

    monkeypatch.setattr("suburb_pandas.cassettes.file.lock", remove_and_lock)
    CassetteFile(path).add(CALLS[1], BASE)
    assert path.read_bytes() == written(CALLS[1])


@pytest.mark.parametrize("text", [OF_VCRPY, b"metadata:\n  who: me\n" + OF_VCRPY.replace(b"\n", b"\r\n")])
def test_a_file_of_vcrpy_is_added_to(path, text):
    """Calls can be added to a file of vcrpy. The version that vcrpy writes at the end is overwritten."""
    path.write_bytes(text)
    file = CassetteFile(path)
    (before,) = file.load(to_add=True).calls
    for one in CALLS:
        file.add(one, BASE)
    assert held(path) == [before, *CALLS]
    assert len(vcr.cassette.Cassette.load(path=str(path))) == 4


@pytest.mark.parametrize("text", [OF_VCRPY + b"metadata: {}\n", b"{version: 1, interactions: []}\n"])
def test_a_file_laid_out_in_another_way_is_left_alone(path, text):
    """A file in another layout can be replayed. Recording into it is an error before any call, and changes nothing."""
    path.write_bytes(text)
    CassetteFile(path).load()
    with pytest.raises(sp.errors.CassetteError, match="layout does not allow"), sp.cassette(path, "new_episodes"):
        pass
    assert path.read_bytes() == text


def test_anew_takes_the_place_of_what_was_there(path):
    """A new recording replaces the file at its first call. The file keeps its permissions, and a link stays a link."""
    path.write_bytes(written(*CALLS))
    path.chmod(0o640)
    link = path.with_name("link.yaml")
    link.symlink_to(path)
    file = CassetteFile(link, anew=True)
    assert held(path) == CALLS
    file.add(CALLS[2], BASE)
    file.add(CALLS[0], BASE)
    assert held(path) == [CALLS[2], CALLS[0]]
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(one.name for one in path.parent.iterdir()) == ["link.yaml", "study.yaml"]


def test_of_two_that_record_anew_neither_drops_what_the_other_wrote(path):
    """A new recording replaces only the contents that it began with. Calls that others have added since are kept."""
    path.write_bytes(written(CALLS[2]))
    one, other = (CassetteFile(path, anew=True) for _ in range(2))
    for file, new in ((one, CALLS[0]), (other, CALLS[1]), (one, CALLS[2])):
        file.add(new, BASE)
    assert held(path) == CALLS


@pytest.mark.parametrize("text", [b"\n \n", BEGINNING[:-3], written(*CALLS)[:60], OF_VCRPY])
def test_any_cassette_can_be_recorded_anew(path, text):
    """Recording anew replaces an empty file and any readable cassette, but not before a call."""
    path.write_bytes(text)
    file = CassetteFile(path, anew=True)
    assert file.load().calls == []
    assert path.read_bytes() == text
    file.add(CALLS[0], BASE)
    assert held(path) == CALLS[:1]


@pytest.mark.parametrize("text", [b"suburb,rent\nQuokka Bay,500\n", b"a: 1\n", written(*CALLS).replace(b"sha", b"[")])
def test_no_other_file_is_recorded_over(path, text):
    """A file that is no cassette, or a damaged one, is refused as soon as the block is entered, and stays as it is."""
    path.write_bytes(text)
    with pytest.raises(sp.errors.CassetteError, match=r"study\.yaml cannot be read"), sp.cassette(path, "all"):
        pytest.fail("the block was entered")
    assert path.read_bytes() == text


def test_a_process_that_was_forked_off_in_the_middle_holds_nobody_up(path, monkeypatch):
    """A process that is forked during a write inherits the open file, but does not keep its lock."""
    children = []

    def lock_and_fork(number):
        lock(number)
        if not children:
            children.append(os.fork())
            if children == [0]:
                threading.Event().wait(20)
                os._exit(0)

    monkeypatch.setattr("suburb_pandas.cassettes.file.lock", lock_and_fork)
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
    path.write_bytes(written(CALLS[0]))
    file, limits = CassetteFile(path, anew=anew), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(written(CALLS[0])) + (-100 if anew else 100), limits[1]))
    try:
        with pytest.raises(sp.errors.CassetteError, match=r"study.yaml cannot be written: File too large"):
            file.add(CALLS[0], BASE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == written(CALLS[0])
    assert list(path.parent.iterdir()) == [path]
    file.add(CALLS[2], BASE)
    assert held(path) == ([] if anew else [CALLS[0]]) + [CALLS[2]]


@pytest.mark.parametrize("mode", ["once", "all"])
def test_a_path_that_cannot_be_is_said(tmp_path, mode):
    """Only a regular file can be a cassette. A pipe, a folder, and a path that cannot be raise CassetteError."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "pipe", "/dev/zero", "", tmp_path / "file" / "a", "a\0b", "~nobody-of-that-name/a"):
        with pytest.raises(sp.errors.CassetteError, match="cannot be read"), sp.cassette(path, mode):
            pass
