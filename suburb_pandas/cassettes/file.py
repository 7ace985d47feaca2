"""Reads the file of a cassette as a whole, and appends one call at a time. Several processes may do so at once.

A call is appended under a lock on the file itself. A process that is killed leaves at worst a torn call at the end,
which readers skip and the next writer trims. The format is left to vcr_yaml and names_yaml.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from suburb_pandas.cassettes import names_yaml, vcr_yaml
from suburb_pandas.cassettes.locks import lock, unlock
from suburb_pandas.cassettes.vcr_yaml import BEGINNING, ENTRY, LAST_LINE, Contents, UnreadableError
from suburb_pandas.errors import CassetteError
from suburb_pandas.names.gazetteer import ListedNames
from suburb_pandas.service.calls import RecordedInteraction

_LARGEST: Final = 2**29  # bytes
_BEGINNING_WITH_NAMES: Final = f"version: 1\n{names_yaml.KEY}:\n  source: ".encode()
_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_INTERACTIONS: Final = re.compile(rb"^interactions:[ \t]*\r?\n(?=- |\Z)", re.MULTILINE)
_TOP_LEVEL_KEY: Final = re.compile(rb"^[^\s#-]", re.MULTILINE)
_VCRPY_ENTRY: Final = b"- request:\n"
_LAST_VERSION: Final = re.compile(rb"(?<=\n)version: 1\s*\Z")  # vcrpy writes it at the end


class CassetteFile:
    """A cassette's file. With ``anew``, the first call that is added replaces everything that the file holds now.

    Raises
    ------
    CassetteError
        From every method: the file cannot be read or written, or is not a cassette. With ``anew``, a cassette that
        cannot be read is replaced, too, but no other file is.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        self.name: str = str(path)  # as the user wrote it
        self.holds_something: bool = False  # True if it held names, or a call of any service, when it was loaded
        self._known = (0, 0)  # inode and size after the last call that this object added
        with self._as_cassette_error("read"):
            self.path: Path = Path(os.path.realpath(path))  # stays right if the block changes the working folder
            self._to_replace = _state(self.path) if anew else None
            is_replaceable = self._to_replace is None or _is_cassette(self._contents())
        if not is_replaceable:
            raise CassetteError(
                f"{self.name} is not a cassette of this package or of vcrpy, so record='all' does not replace it. "
                "Nothing was sent, and the file stays as it is; choose another path, or remove the file."
            )

    def load(self, *, to_add: bool = False) -> Contents:
        """Return the contents; nothing without a file. With ``to_add``, check that calls can be added."""
        with self._as_cassette_error("read"):
            if _state(self.path) is None:
                return Contents([])
            text = self._contents()
            contents, size = _decode_whole(text)
        self.holds_something = size > len(BEGINNING)
        with self._as_cassette_error("written"):
            if to_add:
                _open_end(text[:size])
        return contents

    def add(self, call: RecordedInteraction, base_url: str) -> None:
        """Append a call, or with ``anew`` replace the file by this first one."""
        text = vcr_yaml.entry(call, base_url)
        with self._as_cassette_error("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as file:
                if self._to_replace is not None and _state(self.path) == self._to_replace:
                    self._replace(file, BEGINNING + text)
                else:
                    size = self._trim(file)
                    size += _write(file, size, text if size else BEGINNING + text)
                    self._known = (os.fstat(file).st_ino, size)
        self._to_replace = None

    def change_names(self, change: Callable[[ListedNames | None], ListedNames]) -> ListedNames:
        """Replace the names by the result of ``change``, and return the new ones. The calls stay as they are.

        Each reader sees the whole old file or the whole new one.
        """
        with self._as_cassette_error("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as file:
                if self._to_replace is not None and _state(self.path) == self._to_replace:
                    text = BEGINNING
                else:
                    self._trim(file)
                    text = _read(file) or BEGINNING
                present = _decode_whole(text)[0].names
                names = change(present)
                if names != present:
                    self._replace(file, names_yaml.replaced(text, names))
        self._to_replace = None
        return names

    def _contents(self) -> bytes:
        with self.path.open("rb") as file:
            return _read(file.fileno())

    def _replace(self, file: int, text: bytes) -> None:
        """Replace the file by a new one in a single step; if anything goes wrong, the old file stays."""
        other, name = tempfile.mkstemp(dir=self.path.parent, prefix=f"{self.path.name}-")
        new = Path(name)
        try:
            try:
                _write(other, 0, text)
            finally:
                os.close(other)
            new.chmod(stat.S_IMODE(os.fstat(file).st_mode))
            new.replace(self.path)
        except PermissionError:  # Windows cannot replace a file that is open
            os.ftruncate(file, 0)
            _write(file, 0, text)
        finally:
            with suppress(OSError):
                new.unlink()

    def _trim(self, file: int) -> int:
        """Trim a torn call from the end, and return the size, where the next call goes.

        Usually only the calls that others have added since our last one are read.
        """
        inode, size = os.fstat(file).st_ino, os.fstat(file).st_size
        if (inode, size) == self._known:
            return size
        known = self._known[1] if inode == self._known[0] and size > self._known[1] else 0
        text = _read(file, known)
        if known and _begins_a_call(text):
            end = known + _end_of_calls(text)
        else:
            text = _read(file)
            end = _open_end(text[: _decode_whole(text)[1]])
        os.ftruncate(file, end)
        is_line = not end or _read(file, end - 1) == b"\n"
        return end if is_line else end + _write(file, end, b"\n")

    @contextmanager
    def _as_cassette_error(self, verb: str) -> Iterator[None]:
        """Raise an error in the block as `CassetteError`. In its message, ``verb`` is ``read`` or ``written``."""
        try:
            yield
        except UnreadableError as problem:
            raise CassetteError(
                f"The cassette {self.name} cannot be {verb}: {problem}. "
                "Put back a copy of the file, or use another path."
            ) from None
        except (OSError, ValueError) as problem:  # such as a path that holds a NUL
            why = getattr(problem, "strerror", None) or str(problem)
            raise CassetteError(
                f"The cassette {self.name} cannot be {verb}: {why}. "
                "Check its path and its disk, and run the same line again."
            ) from None


def _is_cassette(text: bytes) -> bool:
    """Return True if a text is empty, or laid out as a cassette of any service, apart from a torn call at its end.

    A text with the beginning of this package's cassettes counts as one even if it is damaged, so that it can be
    recorded again.
    """
    is_ours = any(_begins_as(text, beginning) for beginning in (BEGINNING + ENTRY, _BEGINNING_WITH_NAMES))
    if not text.strip() or is_ours or vcr_yaml.is_cassette(text):
        return True
    last = text.rfind(b"\n-") + 1
    is_call = any(_begins_as(text[last:], beginning) for beginning in (ENTRY, _VCRPY_ENTRY))
    is_torn = is_call and b"\n- " in text[:last] and not _TOP_LEVEL_KEY.search(text, last)
    return is_torn and vcr_yaml.is_cassette(text[:last])


def _begins_as(text: bytes, beginning: bytes) -> bool:
    """Return True if a text has this beginning, or ends in the middle of it."""
    return text[: len(beginning)] == beginning[: len(text)]


def _begins_a_call(text: bytes) -> bool:
    """Return True if a text begins like a call that this package added, even if it is too short to be one."""
    return _begins_as(text, ENTRY)


def _is_torn(call: bytes) -> bool:
    """Return True if a text is a call that this package added, and its end is missing."""
    last_line = call[:-1].rpartition(b"\n")[2]
    return _begins_a_call(call) and not (call.endswith(b"\n") and last_line.startswith(LAST_LINE))


def _end_of_calls(text: bytes) -> int:
    """Return the number of bytes of appended calls, without a torn call at the end."""
    return _decode_whole(BEGINNING + text)[1] - len(BEGINNING)


def _decode_whole(text: bytes) -> tuple[Contents, int]:
    """Decode a text up to a torn call at its end. Return the contents, and the number of bytes that were decoded."""
    if not text.strip() or BEGINNING.startswith(text):
        return Contents([]), 0
    try:
        return vcr_yaml.read(text), len(text)
    except UnreadableError:
        last = text.rfind(b"\n-") + 1
        if not _is_torn(text[last:]):
            raise
    return vcr_yaml.read(text[:last]), last


def _open_end(text: bytes) -> int:
    """Return the offset at which calls can be added: the end of a text, or before the version that vcrpy writes there.

    Raises
    ------
    UnreadableError
        No call can be added to a text of this layout.
    """
    if not text:
        return 0
    version = _LAST_VERSION.search(text)
    end = version.start() if version else len(text)
    interactions = _INTERACTIONS.search(text)
    if interactions is None or _TOP_LEVEL_KEY.search(text, interactions.end(), end):
        raise UnreadableError("its layout does not allow calls to be added; record into another file")
    return end


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return numbers that change when the contents of a file change; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):  # opening a pipe, for example, may wait for ever
        raise UnreadableError("it is not a file")
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open and lock a file for the block, so that no other process or thread writes to it."""
    while True:
        file = os.open(path, _FLAGS, 0o666)
        try:
            lock(file)
            try:
                if _is_at(file, path):  # otherwise it was replaced while this waited for the lock
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
        raise UnreadableError(f"it has {size / 2**20:,.0f} MiB, and the limit is {_LARGEST // 2**20} MiB")
    os.lseek(file, start, os.SEEK_SET)
    text = bytearray()
    while chunk := os.read(file, max(size - start - len(text), 1)):
        text += chunk
    return bytes(text)


def _write(file: int, end: int, text: bytes) -> int:
    """Write all of a text at offset ``end``, or nothing of it. Return its length."""
    os.lseek(file, end, os.SEEK_SET)
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except BaseException:
        os.ftruncate(file, end)
        raise
    return len(text)
