"""Tests of a cassette's file: many writers append at once, and an interrupted write loses only its own call."""

import json
import os
import random
import threading
from codecs import BOM_UTF8

import pytest
import vcr

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.file import CassetteFile
from suburb_pandas.cassettes.locks import lock
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from tests.support.processes import Worker
from tests.support.recorded import BASE, call, elsewhere, vcrpy_file, written

CALLS = [call("Quokka Bay"), call("Woylie", status=404), call("Bilby Heights", body=b"\xff\x00")]


@pytest.fixture
def path(tmp_path):
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"


def held(path):
    """Return the calls in a file."""
    return CassetteFile(path).load().calls


def test_it_is_made_at_the_first_call(path):
    """The first call creates the file and its folder, with the version in the first line."""
    file = CassetteFile(path.parent / "new" / "folder" / path.name)
    assert file.load().calls == []
    assert not file.path.parent.parent.exists()
    file.add(CALLS[0], BASE)
    assert file.path.read_bytes() == written(CALLS[0])
    assert file.path.read_bytes().startswith(b"version: 1\n")


def borders_of(text, sample):
    """Return the sizes within a byte of a line's end, which may be the end of a call, and a sample of the others.

    A text that is cut elsewhere ends in a torn line.
    """
    ends = [0, *(size for size, byte in enumerate(text, 1) if byte == ord("\n"))]
    borders = {end + step for end in ends for step in (-1, 0, 1)} & {*range(len(text) + 1)}
    others = sorted({*range(len(text) + 1)} - borders)
    return sorted(borders | {*random.Random(20261122).sample(others, sample)})


@pytest.mark.parametrize("sample", [45, pytest.param(None, marks=pytest.mark.long)], ids=["some bytes", "all bytes"])
def test_a_file_that_is_cut_anywhere_is_read_and_goes_on(path, sample, trial):
    """A file cut at any byte keeps its whole calls, and the torn call can be added again."""
    text, ends = written(*CALLS), [len(written(*CALLS[:number])) for number in range(4)]
    sizes = range(len(text) + 1) if sample is None else borders_of(text, sample)
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
    """A cassette with a byte order mark, with any line ends, is read, and calls can be added to it."""
    before = BOM_UTF8 + written(*CALLS[:2]).replace(b"\n", line_end)
    path.write_bytes(before)
    file = CassetteFile(path)
    assert file.load(to_add=True).calls == CALLS[:2]
    assert path.read_bytes() == before
    file.add(CALLS[2], BASE)
    assert path.read_bytes() == before + written(CALLS[2]).removeprefix(BEGINNING)
    assert held(path) == CALLS


def test_a_cassette_in_utf_16_is_read_and_not_added_to(path):
    """A cassette in UTF-16 with a byte order mark is YAML, too. It is replayed, and refused for adding calls."""
    before = written(CALLS[0]).decode().encode("utf-16")
    path.write_bytes(before)
    assert held(path) == CALLS[:1]
    with pytest.raises(sp.errors.CassetteError, match="layout does not allow calls to be added"):
        CassetteFile(path).load(to_add=True)
    with pytest.raises(sp.errors.CassetteError, match="layout does not allow calls to be added"):
        CassetteFile(path).add(CALLS[1], BASE)
    assert path.read_bytes() == before


def test_a_cassette_that_is_removed_while_a_writer_waits_is_made_anew(path, monkeypatch):
    """If the file is removed while a writer waits for its lock, the call is written to a new file, not a lost one."""
    mine = CassetteFile(path)
    mine.add(CALLS[0], BASE)

    def remove_and_lock(number):
        monkeypatch.setattr("suburb_pandas.cassettes.file.lock", lock)
        path.unlink()
        lock(number)

    monkeypatch.setattr("suburb_pandas.cassettes.file.lock", remove_and_lock)
    mine.add(CALLS[1], BASE)
    assert path.read_bytes() == written(CALLS[1])


def test_a_torn_end_that_another_left_meanwhile_is_trimmed(path):
    """A torn end that another writer left is trimmed, and whole calls of other writers before it are kept."""
    mine, text = CassetteFile(path), written(*CALLS)
    mine.add(CALLS[0], BASE)
    for size in (len(written(*CALLS[:2])) + 40, len(written(*CALLS[:2])), len(written(CALLS[0])) + 7):
        path.write_bytes(text[:size])
        mine.add(CALLS[2], BASE)
        assert held(path) == [*CALLS[: 2 if size > len(written(*CALLS[:2])) - 1 else 1], CALLS[2]]
        path.write_bytes(written(CALLS[0]))


def test_a_file_that_was_swapped_meanwhile_is_read_again(path):
    """If the file was replaced or deleted since the last call, the next call is appended to the present file."""
    mine = CassetteFile(path)
    mine.add(CALLS[0], BASE)
    for others in ([CALLS[1], CALLS[2], CALLS[0]], [CALLS[2]], [call("Quokka Bay", 501.0)], []):
        swap = path.with_suffix(".new")
        swap.write_bytes(written(*others))
        swap.replace(path)
        mine.add(CALLS[1], BASE)
        assert held(path) == [*others, CALLS[1]]
    path.unlink()
    mine.add(CALLS[2], BASE)
    assert held(path) == [CALLS[2]]


@pytest.mark.parametrize(
    "text",
    [
        vcrpy_file(elsewhere()),
        vcrpy_file(elsewhere()).replace(b"\n", b"\r\n"),
        b"# made by hand\n---\n" + vcrpy_file(elsewhere()),
        b"metadata:\n  who: me\n" + vcrpy_file(elsewhere()),
        b"version: 1\n" + vcrpy_file(elsewhere()).replace(b"version: 1\n", b""),
    ],
    ids=["plain", "Windows", "comment", "metadata", "version first"],
)
def test_a_file_of_vcrpy_is_added_to(path, text):
    """Calls can be added to a file of vcrpy. The version that vcrpy writes at the end is overwritten."""
    path.write_bytes(text)
    file = CassetteFile(path)
    (before,) = file.load().calls
    for one in CALLS:
        file.add(one, BASE)
    assert held(path) == [before, *CALLS]
    assert len(vcr.cassette.Cassette.load(path=str(path))) == 4


@pytest.mark.parametrize(
    "text",
    [
        vcrpy_file(elsewhere()) + b"metadata: {}\n",
        b"{version: 1, interactions: []}\n",
        vcr_yaml.yaml.dump({"interactions": [elsewhere()]}, default_flow_style=True).encode(),
        vcrpy_file(elsewhere()).rstrip() + b"\n...\n",
    ],
    ids=["metadata last", "flow", "flow with calls", "end of document"],
)
def test_a_file_laid_out_in_another_way_is_left_alone(path, text):
    """A file in another layout can be replayed. Recording into it is an error, and leaves it unchanged."""
    path.write_bytes(text)
    file = CassetteFile(path)
    file.load()
    with pytest.raises(sp.errors.CassetteError, match="cannot be written: its layout does not allow calls to be added"):
        file.add(CALLS[0], BASE)
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
    path.write_bytes(written(CALLS[0]))
    one, other, third = (CassetteFile(path, anew=True) for _ in range(3))
    one.add(CALLS[0], BASE)
    other.add(CALLS[1], BASE)
    one.add(CALLS[2], BASE)
    assert held(path) == CALLS
    path.unlink()
    third.add(CALLS[1], BASE)
    assert held(path) == [CALLS[1]]
    fourth = CassetteFile(path, anew=True)
    CassetteFile(path).add(CALLS[2], BASE)
    fourth.add(CALLS[0], BASE)
    assert held(path) == [CALLS[1], CALLS[2], CALLS[0]]


def test_where_a_file_cannot_be_replaced_it_is_written_over(path, monkeypatch):
    """A file that cannot be replaced, such as an open one on Windows, is overwritten in place."""

    def refuse(*_):
        raise PermissionError(13, "used by another process")

    path.write_bytes(written(*CALLS))
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    CassetteFile(path, anew=True).add(CALLS[2], BASE)
    assert held(path) == [CALLS[2]]
    assert list(path.parent.iterdir()) == [path]


OTHER_SERVICE = {
    "request": {"method": "POST", "uri": "https://example.org/login", "headers": {"Accept": ["*/*"]}, "body": "a=b"},
    "response": {"status": {"code": 204, "message": "No Content"}, "headers": {}, "body": {"string": ""}},
}
OF_VCRPY = vcrpy_file(elsewhere(), OTHER_SERVICE)

CASSETTES = {
    "empty": b"",
    "blank": b"\n \n",
    "no calls": b"{version: 1, interactions: []}\n",
    "no calls yet": b"interactions:\nversion: 1\n",
    "torn beginning": BEGINNING[:-3],
    "torn first call": written(*CALLS)[:60],
    "torn call": written(*CALLS)[:-40],
    "damaged": written(*CALLS).replace(b"sha256", b"<<<<<<< ours: [", 1),
    "edited": written(*CALLS).replace(b"500.0", b"400.0"),
    "hostile": written(*CALLS).replace(b"cents: 30", b"cents: -1"),
    "of Windows": BOM_UTF8 + written(*CALLS).replace(b"\n", b"\r\n"),
    "vcrpy": OF_VCRPY,
    "vcrpy torn": OF_VCRPY[: OF_VCRPY.index(b"login")],
    "vcrpy, then ours torn": OF_VCRPY.removesuffix(b"version: 1\n") + written(*CALLS)[len(BEGINNING) : -3],
    "vcrpy, edited": OF_VCRPY.replace(b"version: 1", b"") + b"metadata: {who: me}\n",
    "vcrpy, other service": vcrpy_file(OTHER_SERVICE),
    "vcrpy with references": OF_VCRPY.replace(b"headers: {}", b"headers: &id001 {}\n    x: *id001"),
    "vcrpy with tags": OF_VCRPY.replace(b"body: a=b", b"body: !!python/object/new:_io.BytesIO []"),
    "JSON": json.dumps({"version": 1, "interactions": [OTHER_SERVICE]}).encode(),
}


@pytest.mark.parametrize("kind", CASSETTES)
def test_any_cassette_can_be_recorded_anew(path, kind):
    """Recording anew replaces an empty file and any cassette, even if it cannot be read, but not before a call."""
    path.write_bytes(CASSETTES[kind])
    file = CassetteFile(path, anew=True)
    assert path.read_bytes() == CASSETTES[kind]
    file.add(CALLS[0], BASE)
    assert held(path) == CALLS[:1]


OTHER_FILES = {
    "CSV": b"suburb,rent\nQuokka Bay,500\n",
    "text": b"interactions\n",
    "notebook": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
    "YAML": b"services:\n- request: 1\n",
    "YAML with a word of ours": b"interactions: many\n",
    "YAML with a list of ours": b"version: 1\ninteractions:\n- a\n- b\n",
    "list of a tool": b"interactions:\n- {request: {method: GET, path: /}, response: {status: 200}}\n",
    "list of a tool, by lines": b"interactions:\n- request:\n    method: GET\n    path: /\n  response: {status: 200}\n",
    "no answers": vcrpy_file({"request": OTHER_SERVICE["request"]}),
    "a call and a note": b"version: 1\n" + OF_VCRPY.removesuffix(b"version: 1\n") + b"- note: mine\n",
    "a list": b"- request:\n- request:\n",
    "other version": OF_VCRPY.replace(b"version: 1", b"version: 2"),
    "two documents": OF_VCRPY + b"---\n" + OF_VCRPY,
    "broken YAML": b"{{{",
    "YAML that breaks off": b"services:\n- a: 1\n- suburb_pan",
    "deep": b"[" * 200_000,
    "list for a key": b"? [interactions]\n: many\n",
    "hostile": b"interactions: [" + b"0," * 100_000 + b"]\n",
    "binary": b"\x89PNG\r\n\x1a\n\x00\xff",
    "database": b"SQLite format 3\x00" + bytes(100),
}


@pytest.mark.parametrize("kind", OTHER_FILES)
def test_no_other_file_is_recorded_over(path, kind):
    """A file that is no cassette is refused as soon as the block is entered, and stays as it is."""
    path.write_bytes(OTHER_FILES[kind])
    message = r"study\.yaml is not a cassette .*Nothing was sent.* choose another path, or remove the file\.$"
    with pytest.raises(sp.errors.CassetteError, match=message), sp.cassette(path, "all"):
        pytest.fail("the block was entered")
    assert path.read_bytes() == OTHER_FILES[kind]
    assert list(path.parent.iterdir()) == [path]


def add_some(path, writer, number):
    """Add calls whose names begin with the name of a writer."""
    file = CassetteFile(path)
    for one in range(number):
        file.add(call(f"{writer} {one}"), BASE)


def test_processes_and_threads_that_add_to_one_file_lose_nothing(path):
    """Three processes and three threads can add 120 calls to the same file at once, and no call is lost."""
    processes = [Worker(add_some, path, f"process {number}", 20) for number in range(3)]
    threads = [threading.Thread(target=add_some, args=(path, f"thread {number}", 20)) for number in range(3)]
    for one in processes:
        one.go()
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for one in processes:
        one.result()
    found = [one.item.area_name for one in held(path)]
    assert sorted(found) == sorted(
        f"{kind} {number} {one}" for kind in ("process", "thread") for number in range(3) for one in range(20)
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_off_in_the_middle_holds_nobody_up(path, monkeypatch):
    """A process that is forked during a write inherits the open file, but does not keep its lock."""
    child = 0

    def fork_and_write(file, text):
        nonlocal child
        child = child or os.fork()
        if child == 0:
            threading.Event().wait(20)
            os._exit(0)
        return write(file, text)

    write = os.write
    monkeypatch.setattr(os, "write", fork_and_write)
    try:
        CassetteFile(path).add(CALLS[0], BASE)
        CassetteFile(path).add(CALLS[1], BASE)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert held(path) == CALLS[:2]


@pytest.mark.parametrize("anew", [False, True])
def test_a_full_disk_leaves_what_was_there(path, monkeypatch, anew):
    """A write that fails half-way is undone and raises an error. This also holds for a write that replaces the file."""
    path.write_bytes(written(CALLS[0]))
    file = CassetteFile(path, anew=anew)

    def half(fd, data, write=os.write):
        if len(data) < 200:
            raise OSError(28, "No space left on device")
        return write(fd, bytes(data[: len(data) // 2]))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(sp.errors.CassetteError, match=r"study.yaml cannot be written: No space left on device"):
            file.add(CALLS[1], BASE)
    assert path.read_bytes() == written(CALLS[0])
    assert list(path.parent.iterdir()) == [path]
    file.add(CALLS[2], BASE)
    assert held(path) == ([] if anew else [CALLS[0]]) + [CALLS[2]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files here")
@pytest.mark.parametrize("mode", ["none", "once", "new_episodes", "all"])
def test_what_is_no_file_is_no_cassette(tmp_path, mode):
    """Only a regular file can be a cassette: opening a pipe could wait for ever, and a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(sp.errors.CassetteError, match="cannot be read: it is not a file"), sp.cassette(path, mode):
            pass


@pytest.mark.parametrize("path", ["a\0b.yaml", "~nobody-of-that-name/a.yaml", ""])
def test_a_path_that_cannot_be_is_said(path, embedded, tmp_path, monkeypatch):
    """An empty path, one with a NUL, and one in the home folder of an unknown user raise CassetteError."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sp.errors.CassetteError, match="cannot be read"), sp.cassette(path, "none"):
        pass


def test_a_path_through_a_file_is_no_cassette(tmp_path):
    """A path below a file raises CassetteError."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(sp.errors.CassetteError, match="cannot be read: Not a directory"):
        CassetteFile(tmp_path / "file" / "study.yaml").load()


def test_an_empty_file_is_none_yet(path):
    """An empty file is recorded into, as vcrpy does."""
    path.write_bytes(b"\n")
    file = CassetteFile(path)
    assert file.load().calls == []
    file.add(CALLS[0], BASE)
    assert path.read_bytes() == BEGINNING + vcr_yaml.entry(CALLS[0], BASE)
