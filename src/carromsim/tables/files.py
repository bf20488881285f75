"""Files that people ask for by name: written whole or not at all."""

from os import PathLike
from pathlib import Path

from carromsim.tables.places import Folder

__all__ = ["write_whole"]


def write_whole(path: str | PathLike[str], data: bytes) -> Path:
    """Write a file, or replace it, so that nobody ever finds half of it.

    Parameters
    ----------
    path : path
        Its folder must be there.
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
        If it cannot be written.
    """
    file = Path(path)
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{file}: there is no folder {str(file.parent)!r}")
    if file.is_dir():
        raise IsADirectoryError(f"{file}: is a folder")
    try:
        Folder(file.parent).write(file.name, data)
    except OSError as error:  # it tells of the temporary file, which nobody asked for
        raise OSError(error.errno, error.strerror, str(file)) from error
    return file
