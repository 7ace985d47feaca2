"""Checks that an open store is the file that was opened, under one name. It also puts a new store in place.

SQLite finds its journal by the name of the file. What it writes under one name is therefore missing or damaged under
another. What is in the file is left to database.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from suburb_pandas.errors import StoreError

_Identity = tuple[int, int]


class StoreFiles:
    """The file of a store, as it was when the store was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: _Identity | None = None

    def remember(self) -> None:
        """Remember which file it is."""
        self._file = _identity(self._path.stat())

    def check(self) -> None:
        """Raise `StoreError` if the file was removed or replaced, or has another name."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            found = None
        if found is None or self._file not in {None, _identity(found)}:
            raise StoreError(
                f"The store {self._path} was removed or replaced while it was in use. Nothing more is written to it; "
                "put it back and connect again."
            )
        if found.st_nlink > 1:
            self._check_names()

    def _check_names(self) -> None:
        """Raise `StoreError` if the file has another name, except one that this package gave it during its creation.

        Such a name is removed, because it may have been left by a process that was killed.
        """
        before = _names_of_creation(self._path)
        for name in before:
            with suppress(OSError):
                name.unlink()
        names = self._path.stat().st_nlink - len(_names_of_creation(self._path) if before else ())
        if names > 1:
            raise StoreError(
                f"The store {self._path} has {names} names (hard links), and SQLite keeps a journal beside each name, "
                "so what is written under one is missing or damaged under the other. Nothing was sent; copy it with "
                f'`sqlite3 {self._path} ".backup copy.sqlite"`, remove all names but one, and run the same again.'
            )


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino


def prefix_of_creation(path: Path) -> str:
    """Return how the temporary name of a store begins while the store is created."""
    return f".{path.name}-new-"


def _names_of_creation(path: Path) -> list[Path]:
    """Return the temporary names that the file still has."""
    found = []
    for name in path.parent.iterdir():
        if name.name.startswith(prefix_of_creation(path)):
            with suppress(FileNotFoundError):  # removed by the process that created the store
                found += [name] if name.samefile(path) else []
    return found


def put_in_place(new: Path, path: Path) -> None:
    """Put the new file at `path`, unless another process has put one there first."""
    try:
        path.hardlink_to(new)
    except FileExistsError:
        return
    except OSError:  # the file system has no hard links
        if not path.exists():
            new.rename(path)


def sync(folder: Path) -> None:
    """Flush the folder's entries to disk, so that the name of a new file survives a loss of power."""
    if os.name == "posix":
        entry = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
