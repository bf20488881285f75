"""Between a run and its files: counts every file operation of this process below a directory, and lets one go wrong.

What Python's files, `os`, `pathlib` and `filelock` do passes here; Arrow gets bytes and gives bytes and touches no file
while a study runs. An operation that goes wrong does nothing before, but a write has written half. Nothing is forced to
disk: that takes most of the time of a small run, and only a power cut would tell the difference.
"""

import builtins
import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

WRONG = ("ENOSPC", "EIO", "EROFS", "ENOENT")
"""What a disk may answer."""

_BY_PATH = ("stat", "lstat", "mkdir", "rmdir", "listdir", "scandir", "replace", "rename", "unlink", "remove", "open")
_BY_HANDLE = ("fstat", "ftruncate", "fsync", "write")


def fails(code: str) -> Callable[[], None]:
    """Give what makes an operation fail, by the name of the error."""

    def fail() -> None:
        raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))

    return fail


def dies() -> NoReturn:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


class Shim:
    """The operations that were seen, and the one that goes wrong.

    Parameters
    ----------
    root : Path
        Only operations on it and on what lies below it count.
    at : int
        Number of the operation that goes wrong, from 0.
    wrong : callable
        Makes it go wrong.
    lasting : bool
        Whether all later ones go wrong too, as on a disk that is full or gone, so that nothing can be tidied up.
    """

    def __init__(self, root: Path, at: int, wrong: Callable[[], None], *, lasting: bool = False) -> None:
        self._root, self._at, self._wrong, self._lasting = str(root), at, wrong, lasting
        self.seen: list[str] = []

    @property
    def reached(self) -> bool:
        """Whether anything went wrong."""
        return len(self.seen) > self._at

    def step(self, name: str, *paths: object, half: Callable[[], None] = lambda: None) -> None:
        """Count an operation; if it is its turn, do half of it and let it go wrong."""
        if not any(str(path) == self._root or str(path).startswith(f"{self._root}/") for path in paths):
            return
        number = len(self.seen)
        self.seen.append(name)
        if number == self._at or (self._lasting and number > self._at):
            half()
            self._wrong()

    @contextmanager
    def between(self) -> Iterator["Shim"]:
        """Stand between this process and its files."""
        with pytest.MonkeyPatch.context() as patch:
            for name in _BY_PATH:
                patch.setattr(os, name, self._by_path(name))
            for name in _BY_HANDLE:
                patch.setattr(os, name, self._by_handle(name))
            if sys.platform != "win32":
                import fcntl

                patch.setattr(fcntl, "flock", self._flock(fcntl.flock))
            opened = self._opened(io.open)
            patch.setattr(io, "open", opened)
            patch.setattr(builtins, "open", opened)
            yield self

    def _by_path(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def operation(*arguments: Any, **options: Any) -> Any:
            self.step("listdir" if name == "scandir" else name, *arguments[:2])  # pathlib has used both
            return real(*arguments, **options)

        return operation

    def _by_handle(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def operation(handle: int, *arguments: Any) -> Any:
            def half() -> None:
                if name == "write":
                    real(handle, memoryview(arguments[0])[: len(arguments[0]) // 2])

            self.step(name, _path_of(handle), half=half)
            return None if name == "fsync" else real(handle, *arguments)

        return operation

    def _flock(self, real: Callable[[int, int], None]) -> Callable[[int, int], None]:
        from fcntl import LOCK_UN

        def flock(handle: int, operation: int) -> None:
            if operation != LOCK_UN:  # which asks no disk
                self.step("flock", _path_of(handle))
            real(handle, operation)

        return flock

    def _opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def open_(path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            self.step("create" if "w" in mode else "look into", path)
            return _File(real(path, mode, *arguments, **options), self, path)

        return open_


class _File:
    """A file whose reads, writes and closing count."""

    def __init__(self, file: Any, shim: Shim, path: object) -> None:
        self._file, self._shim, self._path = file, shim, path

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, *arguments: Any) -> Any:
        self._shim.step("read", self._path)
        return self._file.read(*arguments)

    def write(self, data: Any) -> Any:
        self._shim.step("write", self._path, half=lambda: self._half(data))
        return self._file.write(data)

    def flush(self) -> None:
        self._shim.step("flush", self._path)
        self._file.flush()

    def close(self) -> None:
        self._file.close()  # a handle is closed even if that is told to have failed
        self._shim.step("close", self._path)

    def _half(self, data: Any) -> None:
        self._file.write(memoryview(data)[: len(data) // 2])
        self._file.flush()


def _path_of(handle: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return ""
