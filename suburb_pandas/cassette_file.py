"""The file of a cassette: read whole, and added to a call at a time, by any number of threads and processes.

A call is added in one write, under a lock on the file itself, so that whoever is killed leaves at the worst a torn end,
which a reader passes over and the next writer trims. What the text means is cassette_yaml's.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from . import cassette_yaml
from .cassette_yaml import BEGINNING, ENTRY, LAST_LINE, Recorded, UnreadableError
from .errors import CassetteError
from .locks import lock, unlock

_LARGEST: Final = 2**29
_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_INTERACTIONS: Final = re.compile(rb"^interactions:[ \t]*\r?\n(?=- |\Z)", re.MULTILINE)
_KEY: Final = re.compile(rb"^[^\s#-]", re.MULTILINE)
_LAST_VERSION: Final = re.compile(rb"(?<=\n)version: 1\s*\Z")  # where vcrpy has it


class CassetteFile:
    """A cassette's file. ``anew`` has the first call that is added take the place of what the file holds now.

    Raises
    ------
    CassetteError
        From every method: the file cannot be read or written, or is no cassette.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        self.name = str(path)  # as somebody wrote it
        self.path = path.absolute()  # whatever folder the block goes to
        self._known = (0, 0)  # the file, by its inode, and its size, after the last call that was added from here
        with self._telling("read"):
            self._unwanted = _digest(self.path) if anew else None

    def load(self) -> list[Recorded]:
        """Read what it holds; nothing where there is no file."""
        with self._telling("read"):
            try:
                with self.path.open("rb") as file:
                    return _whole(_read(file.fileno()))[0]
            except FileNotFoundError:
                return []

    def add(self, call: Recorded, base_url: str) -> None:
        """Add a call at the end."""
        text = cassette_yaml.entry(call, base_url)
        with self._telling("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as file:
                size = self._cleared(file) if self._unwanted else self._end(file)
                size += _write(file, size, text if size else BEGINNING + text)
                self._known = (os.fstat(file).st_ino, size)
        self._unwanted = None

    def _cleared(self, file: int) -> int:
        """Drop what is not wanted, but for what others have added since; give where the next call goes."""
        text = _read(file)
        size, digest = self._unwanted or (0, "")
        if hashlib.sha256(text[:size]).hexdigest() != digest:  # somebody else has dropped it
            return self._end(file)
        added = text[size:][: _end_of_calls(text[size:])]
        os.ftruncate(file, 0)
        return _write(file, 0, BEGINNING + added) if added else 0

    def _end(self, file: int) -> int:
        """Trim what is not whole, and give where the next call goes."""
        inode, size = os.fstat(file).st_ino, os.fstat(file).st_size
        if (inode, size) == self._known:
            return size
        known = self._known[1] if inode == self._known[0] and size > self._known[1] else 0
        text = _read(file, known)
        if known and _begins_a_call(text):
            end = known + _end_of_calls(text)
        else:
            text = _read(file)
            end = _open_end(text[: _whole(text)[1]])
        os.ftruncate(file, end)
        is_line = not end or _read(file, end - 1) == b"\n"
        return end if is_line else end + _write(file, end, b"\n")

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        """Say which file it was, and that what was bought is kept all the same."""
        try:
            yield
        except UnreadableError as problem:
            raise CassetteError(f"The cassette {self.name} cannot be {what}: {problem}. Nothing was lost.") from None
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise CassetteError(f"The cassette {self.name} cannot be {what}: {why}. Nothing was lost.") from None


def _begins_a_call(text: bytes) -> bool:
    """Whether a text begins as a call that was added does, as far as it goes."""
    return text[: len(ENTRY)] == ENTRY[: len(text)]


def _is_torn(call: bytes) -> bool:
    """Whether a call that was added breaks off."""
    *_, line, end = b"\n", *call.rsplit(b"\n", 2)[-2:]
    return _begins_a_call(call) and not (line.startswith(LAST_LINE) and not end)


def _end_of_calls(text: bytes) -> int:
    """Give how much of a text of calls that were added is whole."""
    return _whole(BEGINNING + text)[1] - len(BEGINNING)


def _whole(text: bytes) -> tuple[list[Recorded], int]:
    """Read a text but for a torn end, and give how much of it that was."""
    if not text.strip() or BEGINNING.startswith(text):
        return [], 0
    try:
        return cassette_yaml.read(text), len(text)
    except UnreadableError:
        last = text.rfind(b"\n-") + 1
        if not _is_torn(text[last:]):
            raise
    return cassette_yaml.read(text[:last]), last


def _open_end(text: bytes) -> int:
    """Give where calls can be added to a text: at its end, but for a version there, where vcrpy has it.

    Raises
    ------
    UnreadableError
        It is laid out in another way.
    """
    if not text:
        return 0
    version = _LAST_VERSION.search(text)
    end = version.start() if version else len(text)
    interactions = _INTERACTIONS.search(text)
    if interactions is None or _KEY.search(text, interactions.end(), end):
        raise UnreadableError("it is laid out so that no call can be added to it; record into another file")
    return end


def _digest(path: Path) -> tuple[int, str] | None:
    """Give the size and the digest of a file, if there is one."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    return len(text), hashlib.sha256(text).hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file that nobody else writes to meanwhile."""
    file = os.open(path, _FLAGS, 0o666)
    try:
        lock(file)
        try:
            yield file
        finally:
            unlock(file)
    finally:
        os.close(file)


def _read(file: int, start: int = 0) -> bytes:
    size = os.fstat(file).st_size
    if size > _LARGEST:
        raise UnreadableError(f"it has {size / 2**20:,.0f} MiB, and {_LARGEST // 2**20} are the most")
    os.lseek(file, start, os.SEEK_SET)
    text = bytearray()
    while chunk := os.read(file, max(size - start - len(text), 1)):
        text += chunk
    return bytes(text)


def _write(file: int, end: int, text: bytes) -> int:
    """Write all of a text at the end, or nothing of it; give how much that was."""
    os.lseek(file, end, os.SEEK_SET)
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except BaseException:
        os.ftruncate(file, end)
        raise
    return len(text)
