"""Reads and writes the file of a cassette: read as a whole, appended to one call at a time, by any thread or process.

A call is appended in one write, under a lock on the file itself. A process that is killed leaves at worst a torn end,
which readers skip and the next writer trims. The format is left to vcr_yaml.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.vcr_yaml import BEGINNING, ENTRY, LAST_LINE, UnreadableError
from suburb_pandas.concurrency.locks import lock, unlock
from suburb_pandas.errors import CassetteError
from suburb_pandas.service.calls import RecordedInteraction

_LARGEST: Final = 2**29
_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_INTERACTIONS: Final = re.compile(rb"^interactions:[ \t]*\r?\n(?=- |\Z)", re.MULTILINE)
_KEY: Final = re.compile(rb"^[^\s#-]", re.MULTILINE)
_LAST_VERSION: Final = re.compile(rb"(?<=\n)version: 1\s*\Z")  # vcrpy writes it at the end


class CassetteFile:
    """A cassette's file. With ``anew``, the first call that is added replaces the file's present contents.

    Raises
    ------
    CassetteError
        From every method: the file cannot be read or written, or is not a cassette.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        self.name = str(path)  # as the user wrote it
        self.holds_calls = False  # of any service, when it was loaded
        self._known = (0, 0)  # inode and size after the last call that this object added
        with self._telling("read"):
            self.path = Path(os.path.realpath(path))  # stays right if the block changes the working folder
            self._unwanted = _state(self.path) if anew else None

    def load(self, *, to_add: bool = False) -> list[RecordedInteraction]:
        """Read the calls of this service; none if there is no file. With ``to_add``, check that calls can be added."""
        with self._telling("read"):
            if _state(self.path) is None:
                return []
            with self.path.open("rb") as file:
                text = _read(file.fileno())
            calls, size = _whole(text)
        self.holds_calls = size > len(BEGINNING)
        with self._telling("written"):
            if to_add:
                _open_end(text[:size])
        return calls

    def add(self, call: RecordedInteraction, base_url: str) -> None:
        """Append a call."""
        text = vcr_yaml.entry(call, base_url)
        with self._telling("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as file:
                if self._unwanted is not None and _state(self.path) == self._unwanted:
                    self._replace(file, BEGINNING + text)
                else:
                    size = self._end(file)
                    size += _write(file, size, text if size else BEGINNING + text)
                    self._known = (os.fstat(file).st_ino, size)
        self._unwanted = None

    def _replace(self, file: int, text: bytes) -> None:
        """Replace the file by another one in a single step; if anything goes wrong, the old file stays."""
        other, name = tempfile.mkstemp(dir=self.path.parent, prefix=f"{self.path.name}-")
        new = Path(name)
        try:
            try:
                _write(other, 0, text)
            finally:
                os.close(other)
            new.chmod(stat.S_IMODE(os.fstat(file).st_mode))
            new.replace(self.path)
        except PermissionError:  # on Windows, because the file is open
            os.ftruncate(file, 0)
            _write(file, 0, text)
        finally:
            with suppress(OSError):
                new.unlink()

    def _end(self, file: int) -> int:
        """Trim a torn end, and return where the next call goes."""
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
        """Raise `CassetteError` with the name of the file for whatever goes wrong in the block."""
        try:
            yield
        except UnreadableError as problem:
            raise CassetteError(f"The cassette {self.name} cannot be {what}: {problem}.") from None
        except (OSError, ValueError) as problem:  # such as a path that holds a NUL
            why = getattr(problem, "strerror", None) or str(problem)
            raise CassetteError(f"The cassette {self.name} cannot be {what}: {why}.") from None


def _begins_a_call(text: bytes) -> bool:
    """Return True if a text begins like a call that this package added, as far as it goes."""
    return text[: len(ENTRY)] == ENTRY[: len(text)]


def _is_torn(call: bytes) -> bool:
    """Return True if a call that this package added breaks off."""
    last_line = call[:-1].rpartition(b"\n")[2]
    return _begins_a_call(call) and not (call.endswith(b"\n") and last_line.startswith(LAST_LINE))


def _end_of_calls(text: bytes) -> int:
    """Return how many bytes of appended calls are whole."""
    return _whole(BEGINNING + text)[1] - len(BEGINNING)


def _whole(text: bytes) -> tuple[list[RecordedInteraction], int]:
    """Decode a text without its torn end, and return how many bytes that were."""
    if not text.strip() or BEGINNING.startswith(text):
        return [], 0
    try:
        return vcr_yaml.read(text), len(text)
    except UnreadableError:
        last = text.rfind(b"\n-") + 1
        if not _is_torn(text[last:]):
            raise
    return vcr_yaml.read(text[:last]), last


def _open_end(text: bytes) -> int:
    """Return where calls can be appended to a text: at its end, or before the version that vcrpy writes there.

    Raises
    ------
    UnreadableError
        The text has another layout.
    """
    if not text:
        return 0
    version = _LAST_VERSION.search(text)
    end = version.start() if version else len(text)
    interactions = _INTERACTIONS.search(text)
    if interactions is None or _KEY.search(text, interactions.end(), end):
        raise UnreadableError("it is laid out so that no call can be added to it; record into another file")
    return end


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return what identifies the present contents of a file; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):  # opening a pipe, for example, may wait for ever
        raise UnreadableError("it is not a file")
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file under its lock, so that nobody else writes to it during the block."""
    while True:
        file = os.open(path, _FLAGS, 0o666)
        try:
            lock(file)
            try:
                if _is_at(file, path):  # the file was not replaced while this waited
                    yield file
                    return
            finally:
                unlock(file)
        finally:
            os.close(file)


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


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
    """Write all of a text at the end, or nothing of it; return its length."""
    os.lseek(file, end, os.SEEK_SET)
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except BaseException:
        os.ftruncate(file, end)
        raise
    return len(text)
