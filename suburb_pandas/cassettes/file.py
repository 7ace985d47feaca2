"""Reads the file of a cassette as a whole, and appends one call at a time. Several processes may do so at once.

A call is appended under a lock on the file itself. A process that is killed leaves at worst a torn call at the end,
which readers skip and the next writer trims. The format is left to vcr_yaml.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

from suburb_pandas.cassettes import vcr_yaml as layout
from suburb_pandas.errors import CassetteError
from suburb_pandas.names.gazetteer import ListedNames
from suburb_pandas.service.calls import RecordedInteraction

_LOCKED_BYTE: Final = 2**30  # past the end of every file locked here: on Windows a locked byte cannot be read

# A lock is released explicitly, because a forked child may have the file open, too. The operating system releases it
# as soon as the process that holds it dies.
if sys.platform == "win32":
    import msvcrt

    def lock(file: int) -> None:
        """Lock an open file, waiting until the lock is free."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        while True:
            with suppress(OSError):  # Windows gives up after ten seconds, so try again
                return msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def unlock(file: int) -> None:
        """Release the lock of an open file."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def lock(file: int) -> None:
        """Lock an open file, waiting until the lock is free."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(file: int) -> None:
        """Release the lock of an open file."""
        fcntl.flock(file, fcntl.LOCK_UN)


class _State(NamedTuple):
    """The state of a file. A file that was changed or replaced has another one."""

    inode: int
    size: int
    changed: int


class CassetteFile:
    """A cassette's file. With ``anew``, the first addition replaces everything that the file holds now.

    Raises
    ------
    CassetteError
        From every method: the file cannot be read or written, or is not a cassette.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        self.name: str = str(path)  # for messages: not resolved, so that users recognise it
        self.holds_something: bool = False  # True if it held names, or a call of any service, when it was loaded
        self._known: _State | None = None  # the state after the last call that this object added
        with self._as_cassette_error("read"):
            # The whole path stays right if the block changes the working folder.
            self.path: Path = Path(os.path.realpath(path))
            self._to_replace = _state(self.path) if anew else None

    def load(self, *, to_add: bool = False) -> layout.Contents:
        """Return the contents; nothing with ``anew``. With ``to_add``, check that calls can be added.

        Reading trims nothing, because another process may still be writing the end.
        """
        with self._as_cassette_error("read"):
            text = _read(self.path)
            contents = layout.read(text or layout.BEGINNING)
        self.holds_something = bool(text)
        if to_add:
            with self._as_cassette_error("written"):
                layout.without_end(text)
        return layout.Contents([]) if self._to_replace else contents

    def add(self, call: RecordedInteraction, base_url: str) -> None:
        """Append a call, or with ``anew`` replace the file by this first one."""
        text = layout.entry(call, base_url)
        with self._opened() as file:
            if self._is_to_be_replaced():
                self._replace(file, layout.BEGINNING + text)
            else:
                self._trim(file)
                _append(file, text if file.seek(0, os.SEEK_END) else layout.BEGINNING + text)
                self._known = _state(self.path)

    def add_names(self, names: ListedNames) -> ListedNames:
        """Add names to those of the same lists in the file, and return all. The calls stay as they are."""
        with self._opened() as file:
            text = b"" if self._is_to_be_replaced() else _read(self.path)
            present = layout.read(text or layout.BEGINNING).names
            if present and present.lists == names.lists:
                names = replace(names, by_base={**present.by_base, **names.by_base})
            self._replace(file, layout.with_names(text or layout.BEGINNING, names))
        return names

    @contextmanager
    def _opened(self) -> Iterator[FileIO]:
        """Open and lock the file for a change, so that no other process or thread writes to it."""
        with self._as_cassette_error("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            while True:
                with self.path.open("a+b", buffering=0) as file:
                    lock(file.fileno())
                    try:
                        at_path = _state(self.path)
                        if at_path and at_path.inode == os.fstat(file.fileno()).st_ino:  # else replaced meanwhile
                            yield file
                            self._to_replace = None
                            return
                    finally:
                        unlock(file.fileno())

    def _is_to_be_replaced(self) -> bool:
        """Return True if the file is to be replaced, and nobody has changed it since the start."""
        return self._to_replace is not None and _state(self.path) == self._to_replace

    def _replace(self, file: FileIO, text: bytes) -> None:
        """Replace the file by a new one in a single step; if anything goes wrong, the old file stays.

        Windows cannot replace a file that is open, so there the file is overwritten. The temporary file is removed only
        after a failure: after a success, one of that name belongs to the next process.
        """
        new = self.path.with_name(f".{self.path.name}.new")
        try:
            new.write_bytes(text)
            shutil.copymode(self.path, new)
            new.replace(self.path)
        except PermissionError:  # on Windows, or if the folder may not be written
            new.unlink(missing_ok=True)
            file.truncate(0)
            _append(file, text)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    def _trim(self, file: FileIO) -> None:
        """Trim the file to the end of its calls. It is read only if others have changed it since our last addition."""
        if _state(self.path) != self._known:
            text = layout.without_end(_read(self.path))
            file.truncate(len(text))
            if text and not text.endswith(b"\n"):
                _append(file, b"\n")

    @contextmanager
    def _as_cassette_error(self, verb: str) -> Iterator[None]:
        """Raise an error in the block as `CassetteError`. In its message, ``verb`` is ``read`` or ``written``."""
        try:
            yield
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            raise CassetteError(
                f"The cassette {self.name} cannot be {verb}: {why}. "
                "Check its path and its disk, put back a copy of the file, or use another path."
            ) from None


def _read(path: Path) -> bytes:
    """Return the text of a file without a torn call; nothing if there is no file, or no call or name in it."""
    state = _state(path)
    if state is None:
        return b""
    if state.size > layout.LARGEST:
        raise ValueError(f"it has {state.size / 2**20:,.0f} MiB, and the limit is {layout.LARGEST // 2**20} MiB")
    return layout.without_torn_call(path.read_bytes())


def _state(path: Path) -> _State | None:
    """Return the state of a file; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):  # opening a pipe, for example, may wait for ever
        raise ValueError("it is not a file")
    return _State(found.st_ino, found.st_size, found.st_mtime_ns)


def _append(file: FileIO, text: bytes) -> None:
    """Append all of a text, or nothing of it."""
    end = file.seek(0, os.SEEK_END)
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except BaseException:
        file.truncate(end)
        raise
