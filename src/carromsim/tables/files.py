"""Files that people ask for by name: written whole or not at all."""

import errno
import os
from os import PathLike
from pathlib import Path

from carromsim.tables.places import Folder

__all__ = ["write_whole"]


def write_whole(path: str | PathLike[str], data: bytes) -> Path:
    """Write a file, or replace it, so that nobody ever finds half of it.

    Parameters
    ----------
    path : path
        Its folder must be there. A symbolic link stays, and what it leads to is written.
    data : bytes
        All of it.

    Returns
    -------
    Path
        Of the file, as it was given.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    IsADirectoryError
        If the path is a folder.
    OSError
        If it cannot be written, or is no file, as a device or a pipe.
    """
    file = Path(path)
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{file}: there is no folder {str(file.parent)!r}")
    if file.is_dir():
        raise IsADirectoryError(f"{file}: is a folder")
    real = Path(os.path.realpath(file))
    if real.is_symlink() or (real.exists() and not real.is_file()):
        raise OSError(errno.EINVAL, "is no file that could be written anew", str(file))
    try:
        Folder(real.parent).write(real.name, data)
    except OSError as error:  # it tells of the temporary file, which nobody asked for
        raise OSError(error.errno, error.strerror, str(file)) from error
    return file
