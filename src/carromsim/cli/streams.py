"""Standard input, output and error of a command, of which any may be closed, full, or gone with its terminal."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn, TextIO, cast

__all__ = ["Patient", "make_streams_safe"]


def make_streams_safe() -> None:
    """See to it that no standard stream ends the work of a command by what happens to it.

    Standard error, where a command tells how far it is, drops what it cannot write. Standard input and output that were
    closed from the start say so when they are used. What the encoding of standard output lacks is written as an escape.
    """
    _hold_closed_numbers()
    sys.stderr = cast(TextIO, Patient(sys.stderr or open(os.devnull, "w", encoding="utf-8")))  # noqa: SIM115
    sys.stdin = sys.stdin or cast(TextIO, _Closed("standard input"))
    sys.stdout = sys.stdout or cast(TextIO, _Closed("standard output"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


class Patient:
    """A text stream whose writes never fail: what it cannot write is lost.

    Parameters
    ----------
    stream : text stream
        Where to write.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be written."""
        with suppress(OSError, ValueError):  # ValueError: somebody has closed it
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written, as far as that goes."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Closed(io.TextIOBase):
    """Stands where Python found no open stream."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, size: int | None = -1, /) -> NoReturn:
        raise OSError(errno.EBADF, "is closed", self._name)

    def write(self, text: str, /) -> NoReturn:
        raise OSError(errno.EBADF, "is closed", self._name)


def _hold_closed_numbers() -> None:
    """Take the numbers of closed streams: the next file, one of a run, would get them, and whatever libraries write."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this one
