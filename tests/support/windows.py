"""Models files as Windows has them, as far as locks need it, so that the code for Windows runs on every system."""

import errno
import os
import time


class WindowsFiles:
    """The files of Windows, and the module ``msvcrt``, in this process.

    A handle locks bytes from the position of its file. A locked byte cannot be locked again, not even by the handle
    that holds it, until that handle unlocks it or is closed.
    """

    LK_UNLCK, LK_LOCK = range(2)

    def __init__(self, monkeypatch):
        self.locked = {}  # the handle that has locked a byte, by path and byte
        self._paths = {}  # of the open handles
        self._real = {name: getattr(os, name) for name in ("open", "close")}
        for name in self._real:
            monkeypatch.setattr(os, name, getattr(self, name))

    def open(self, path, *arguments, **options):
        """Open a file as `os.open` does."""
        handle = self._real["open"](path, *arguments, **options)
        self._paths[handle] = os.fspath(path)
        return handle

    def close(self, handle):
        """Close a handle, which frees the bytes that it has locked."""
        self._paths.pop(handle, None)
        self.locked = {place: holder for place, holder in self.locked.items() if holder != handle}
        self._real["close"](handle)

    def locking(self, handle, mode, n_bytes):
        """Lock or unlock bytes as `msvcrt.locking` does, except that it gives up after 10 ms and not after 10 s."""
        start = os.lseek(handle, 0, os.SEEK_CUR)
        places = [(self._paths[handle], byte) for byte in range(start, start + n_bytes)]
        if mode == self.LK_UNLCK:
            if any(self.locked.get(place) != handle for place in places):
                raise PermissionError(errno.EACCES, "Permission denied")
            for place in places:
                del self.locked[place]
        elif any(place in self.locked for place in places):
            time.sleep(0.01)
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")
        else:
            self.locked |= dict.fromkeys(places, handle)
