"""Where the files of a run lie: in a local folder, or under a prefix of an object store.

A file appears under its name complete or not at all: in a folder and in the object stores that pyarrow opens. In one of
fsspec's that writes in place half a file may be met. Whoever reads a table's folder while a study runs, or after it was
killed, must not: one unreadable part fails the whole read in pyarrow, DuckDB, Polars and pandas alike.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from carromsim.tables.urls import opened, without_credentials
from carromsim.toml import too_long

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs

_URL = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
"""How a URL begins, also one that lost a slash in a `Path`. A drive of Windows has one letter, a scheme has more."""

_NEARLY = re.compile(r"[a-z][a-z0-9+.-]+:(:.*)?", re.IGNORECASE | re.DOTALL)
"""A scheme without a place, or the chain of file systems that fsspec writes as simplecache::s3://bucket/prefix."""

LOCK = "lock"
"""The file that a local run locks."""


class Place(Protocol):
    """Where the files of one run lie. Names in it are relative, with forward slashes: "strokes/part-00000000.parquet".

    It can be pickled: who plays elsewhere writes his parts himself.
    """

    def __str__(self) -> str:
        """Give the path or URL, as people write it, without credentials."""

    @property
    def filesystem(self) -> "pyarrow.fs.FileSystem":
        """For `pyarrow.dataset`, with what `path` gives."""

    def path(self, name: str) -> str:
        """Give the path of a file, for `filesystem` and for messages."""

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read a file; FileNotFoundError if there is none, another OSError if it cannot be read.

        One of more than `most` bytes cannot, and takes no more memory than these.
        """

    def write(self, name: str, data: "bytes | pa.Buffer") -> None:
        """Write a file, or replace it, so that it appears complete or not at all, as far as that is in our hands.

        When this returns the file lasts. OSError if the place refuses.
        """

    def names(self, folder: str = "") -> list[str]:
        """List what lies in a folder, files and folders, sorted; nothing if there is no such folder."""

    def exists(self, name: str) -> bool:
        """Tell whether there is a file of this name."""

    def remove(self, name: str) -> None:
        """Remove a file; a missing one is fine."""

    def make(self, folders: Sequence[str]) -> None:
        """Make folders, where a folder is more than the beginning of a name."""

    def prune(self, folders: Sequence[str]) -> None:
        """Remove folders as far as they are empty, the last first."""


def place_of(directory: str | os.PathLike[str]) -> Place:
    """Give the place that a path or a URL names; nothing is made or looked at there.

    Parameters
    ----------
    directory : path or str
        A local path, "file:///..." or the URL of an object store: "s3://bucket/runs/first", "gs://...", "abfs://..." as
        `pyarrow.fs.FileSystem.from_uri` understands them, anything else as fsspec does.

    Returns
    -------
    Folder or Bucket

    Raises
    ------
    ValueError
        If the URL is not one, or nothing that is installed knows its scheme.
    """
    text = os.fspath(directory)
    found = _URL.match(text)
    if not text:
        raise ValueError("directory = '': must name a directory; the one you are in is .")
    if _NEARLY.fullmatch(text):
        why = "must be one URL, as in s3://bucket/prefix; a folder of such a name is given with ./ before it"
        raise ValueError(f"directory = {without_credentials(text)!r}: {why}")
    if found is None:
        return Folder(Path(text))
    scheme, shown = found[1].lower(), without_credentials(text)
    if not text.startswith("//", found.end() - 1):
        raise ValueError(
            f"directory = {shown!r}: a URL has two slashes, as in {scheme}://...; give it as text,"
            " a Path takes one away"
        )
    if scheme == "file":
        parts = urlsplit(text)
        if parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
            raise ValueError(f"directory = {shown!r}: must be file:///path for a local path")
        return Folder(Path(url2pathname(parts.path)))
    opened(text)  # a scheme that nothing here knows is told before any row is played
    return Bucket(text)


@dataclass(frozen=True)
class Folder:
    """A local folder, or one of a file system that several machines share."""

    directory: Path
    """As it was given."""
    sign: bytes | None = field(default=None, compare=False, repr=False)
    """Of a folder that a run has claimed: what stands in its lock. Once it does not, the folder is another one."""
    root: Path = field(init=False)
    """The absolute path: another process may stand elsewhere."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.directory.absolute())

    def __str__(self) -> str:
        return str(self.directory)

    @property
    def filesystem(self) -> "pyarrow.fs.FileSystem":
        """The local one."""
        import pyarrow.fs

        return pyarrow.fs.LocalFileSystem()

    def path(self, name: str) -> str:
        """Give the absolute path of a file, there or not; OSError if it leads out of the folder or is no file."""
        path = self._own(name)
        with suppress(FileNotFoundError, NotADirectoryError):
            _check_regular(path)
        return str(path)

    def _own(self, name: str) -> Path:
        """Give the path of a file or folder in this one, which must not be a link to somewhere else.

        A run that came from somebody else could otherwise let us read, replace or remove files anywhere.
        """
        path = self.root / name
        if path == self.root:  # where a run lies is whoever names it to choose, links and all
            return path
        for link in (path, path.parent):
            if link != self.root and link.is_symlink():
                raise OSError(errno.ELOOP, "is a symbolic link, which nothing in a run may be", str(link))
        return path

    def _check_claim(self) -> None:
        """Raise OSError if this was claimed, and its place was taken since: what is there now is not ours to change.

        The text tells it, not the file's number, which another machine may see otherwise and a new file may get again.
        """
        if self.sign is None:
            return
        lock, there = self.root / LOCK, b""
        with suppress(FileNotFoundError, NotADirectoryError):
            there = lock_text(lock)
        if there != self.sign:
            why = "the lock of this run is gone: its directory was removed, or another run began there"
            raise FileNotFoundError(errno.ENOENT, why, str(lock))

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read a file."""
        path = self._own(name)
        _check_regular(path)
        with path.open("rb") as file:
            return _within(most, file.read(-1 if most is None else most + 1), str(path))

    def write(self, name: str, data: "bytes | pa.Buffer") -> None:
        """Write a temporary file and give it its name once it is safely on disk.

        The temporary name is of this attempt alone, since two workers may write one part at the same time, and lies
        outside the folders that readers scan. It is removed if anything fails.
        """
        final = self._own(name)
        self._check_claim()
        temporary = self.root / f".{secrets.token_hex(8)}-{name.replace('/', '-')}.tmp"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self._check_claim()  # again: a slow disk may have taken seconds
            temporary.replace(final)
        except BaseException as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.errno is not None:  # a write that fails does not say of what
                raise OSError(error.errno, error.strerror, str(final)) from error
            raise
        fsync_folder(final.parent)  # the name is only durable once the folder is

    def names(self, folder: str = "") -> list[str]:
        """List what lies in a folder."""
        try:
            return sorted(path.name for path in self._own(folder).iterdir())
        except FileNotFoundError:
            return []

    def exists(self, name: str) -> bool:
        """Tell whether there is a file of this name."""
        return (self.root / name).is_file()

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._check_claim()
        self._own(name).unlink(missing_ok=True)

    def make(self, folders: Sequence[str]) -> None:
        """Make folders."""
        for folder in folders:
            self._own(folder).mkdir(exist_ok=True)

    def prune(self, folders: Sequence[str]) -> None:
        """Remove folders as far as they are empty."""
        for folder in reversed(folders):
            with suppress(OSError):
                (self.root / folder).rmdir()


def _within(most: int | None, data: bytes, path: str) -> bytes:
    """Give what was read of a file, or raise OSError if that is more than it may have."""
    if most is not None and len(data) > most:
        raise OSError(errno.EFBIG, too_long(most), path)
    return data


def _check_regular(path: Path) -> None:
    """Refuse what is neither file nor folder: a named pipe would be waited for without end."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))


def lock_text(lock: Path) -> bytes:
    """Read who holds a lock, without its first byte: that may be unreadable while it is held (Windows)."""
    with lock.open("rb", buffering=0) as file:
        file.seek(1)
        return file.read(1000)


def is_temporary(name: str) -> bool:
    """Tell whether a name is that of a file which `Folder.write` has not finished."""
    return re.fullmatch(r"\.[0-9a-f]{16}-([a-z_]+-part-\d+\.parquet|[a-z]+\.json)\.tmp", name) is not None


def fsync_folder(folder: Path) -> None:
    """Force a folder's names to disk."""
    if os.name == "nt":  # Windows cannot open a folder; its renames are journalled
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Bucket:
    """A prefix of an object store, or of any file system that pyarrow or fsspec opens by a URL."""

    url: str = field(repr=False)
    """In full; it may hold credentials, so it is never shown."""

    def __str__(self) -> str:
        return without_credentials(self.url)

    @property
    def filesystem(self) -> "pyarrow.fs.FileSystem":
        """What the URL's scheme stands for."""
        return opened(self.url)[0]

    def path(self, name: str) -> str:
        """Give the path of a file: bucket, prefix and name."""
        return str(PurePosixPath(opened(self.url)[1], name))

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read an object."""
        path = self.path(name)
        with self.filesystem.open_input_file(path) as file:
            return _within(most, file.read(None if most is None else most + 1), path)

    def write(self, name: str, data: "bytes | pa.Buffer") -> None:
        """Write an object in one go, and look whether it has its size."""
        path = self.path(name)
        self._put(path, data)
        size = self.filesystem.get_file_info(path).size
        if size != len(data):
            self.remove(name)
            raise OSError(f"{path} had {size} of its {len(data)} bytes after it was written")

    def _put(self, path: str, data: "bytes | pa.Buffer") -> None:
        import pyarrow.fs

        if isinstance(self.filesystem, pyarrow.fs.PyFileSystem):
            self.filesystem.handler.fs.pipe_file(path, bytes(memoryview(data)))
            return
        file = self.filesystem.open_output_stream(path)
        try:
            file.write(data)
            file.close()
        except OSError:  # the upload has failed, and pyarrow never completes one that has
            raise
        except BaseException:  # closing, which the garbage collector does too, makes an object of whatever was written
            file.close()
            self.filesystem.delete_file(path)
            raise

    def names(self, folder: str = "") -> list[str]:
        """List what lies below a prefix, up to the next slash."""
        import pyarrow.fs

        selector = pyarrow.fs.FileSelector(self.path(folder), allow_not_found=True)
        return sorted(info.base_name for info in self.filesystem.get_file_info(selector))

    def exists(self, name: str) -> bool:
        """Tell whether there is an object of this name."""
        return bool(self.filesystem.get_file_info(self.path(name)).is_file)

    def remove(self, name: str) -> None:
        """Remove an object."""
        with suppress(FileNotFoundError):
            self.filesystem.delete_file(self.path(name))

    def make(self, folders: Sequence[str]) -> None:
        """Make folders where fsspec's file systems want them; an object store has none."""
        import pyarrow.fs

        if isinstance(self.filesystem, pyarrow.fs.PyFileSystem):
            for folder in folders:
                self.filesystem.create_dir(self.path(folder), recursive=True)

    def prune(self, folders: Sequence[str]) -> None:
        """Leave empty folders: object stores have none, and elsewhere they hurt nobody."""
