"""Claiming a directory for a run: who may write there, and what may be there already.

A run's directory holds `manifest.json` (written once, at the start), one folder of finished parts per table, at the end
`parts.json`, and `lock` while somebody writes. The lock is the operating system's and ends with its process, however
that ends; its text is for the message only.
"""

import json
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from carromsim.tables.dataset import RECORD
from carromsim.tables.schemas import TableSchema
from carromsim.tables.writer import fsync_folder, publish, temporary_of

MANIFEST, LOCK = "manifest.json", "lock"
MANIFEST_FORMAT = "carromsim-run/1"

_MOST_DIFFERENCES = 20
"""Lines of a refusal; more would bury the first."""


class DirectoryError(ValueError):
    """A directory that a run cannot use."""


class InUseError(DirectoryError):
    """A directory in which another runner is at work."""


@contextmanager
def claim(
    directory: str | os.PathLike[str],
    tables: Sequence[TableSchema],
    manifest: Mapping[str, Any],
    *,
    fresh: bool = False,
) -> Iterator[Path]:
    """Hold a directory for one run: the manifest stands in it and nobody else writes.

    Parameters
    ----------
    directory : path
        New, empty, or of a run with the same manifest, which is then continued.
    tables : sequence of TableSchema
        Their folders are made.
    manifest : mapping
        What becomes, or is, `manifest.json`.
    fresh : bool
        Whether to remove the parts of the run that is there, whatever its manifest says.

    Yields
    ------
    Path
        The directory. If the body fails, finished parts stay; if none was finished in a directory that held no
        run before, all that was made here goes.

    Raises
    ------
    DirectoryError
        If the directory holds another run or something else, is in use, is not a directory or cannot be written to.
    """
    root = Path(directory)
    made = _make(root)
    try:
        with locked(root):
            begun = _begin(root, tables, manifest, fresh)
            try:
                yield root
            except BaseException:
                if begun and not any(any((root / table.name).iterdir()) for table in tables):
                    (root / MANIFEST).unlink(missing_ok=True)
                    _remove_empty([root / table.name for table in tables])
                raise
    except BaseException:
        _remove_empty(made)
        raise


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the lock of an existing directory.

    Raises
    ------
    InUseError
        At once, if another runner holds it, naming its process.
    DirectoryError
        If the directory cannot be written to.
    """
    from filelock import FileLock, Timeout

    path = root / LOCK
    lock = FileLock(path, timeout=0, preserve_lock_file=True, on_acquired=_sign)
    try:
        lock.acquire()
    except Timeout:
        raise InUseError(f"directory = {str(root)!r} is in use by {_holder(path)}: wait for it or stop it") from None
    except OSError as error:
        raise _cannot_be_used(root, error) from error
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # a runner that waits on the removed file notices and opens a new one
        lock.release()


def read_manifest(root: Path) -> dict[str, Any] | None:
    """Read the manifest of a run; None if there is none or it is somebody else's.

    Raises
    ------
    DirectoryError
        If it is damaged.
    """
    try:
        told = json.loads((root / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DirectoryError(f"{root / MANIFEST} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise DirectoryError(
            f"{root / MANIFEST} is damaged ({error}), and it alone says what the run is: restore it, or use another"
            " directory"
        ) from None
    return told if isinstance(told, dict) and told.get("format") == MANIFEST_FORMAT else None


def differences(there: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name the keys in which two manifests differ, with both values."""
    old, new = _flat(there), _flat(now)
    return [
        f"{key}: {_shown(old, key)} there, {_shown(new, key)} now"
        for key in dict.fromkeys([*new, *old])
        if _shown(old, key) != _shown(new, key)
    ]


def _make(root: Path) -> list[Path]:
    """Make the directory and its parents; give those that were made, outermost first."""
    made: list[Path] = []
    try:
        for path in (*reversed(root.parents), root):
            if path.is_dir():
                continue
            try:
                path.mkdir()
            except FileExistsError:
                if path.is_dir():  # another runner was quicker; the lock will tell
                    continue
                raise
            made.append(path)
            with suppress(OSError):  # a parent may be one that we may not read
                fsync_folder(path.parent)
    except OSError as error:
        _remove_empty(made)
        raise _cannot_be_used(root, error) from error
    return made


def _begin(root: Path, tables: Sequence[TableSchema], manifest: Mapping[str, Any], fresh: bool) -> bool:
    """Let the directory be one of this run; tell whether it is a new run."""
    there = read_manifest(root)
    if there is None:
        _check_empty(root, tables)
    elif fresh:
        _remove_parts(root, there)
    else:
        _check_same(root, there, manifest)
    begun = there is None or fresh
    try:
        _remove_temporaries(root)
        for table in tables:
            (root / table.name).mkdir(exist_ok=True)
        if begun:  # a fresh run replaces the old manifest in one step, after the old parts are gone
            data = (json.dumps(manifest, indent=2, allow_nan=False) + "\n").encode()
            publish(data, temporary_of(root, MANIFEST), root / MANIFEST)
    except BaseException:
        if there is None:
            (root / MANIFEST).unlink(missing_ok=True)
            _remove_empty([root / table.name for table in tables])
        raise
    return begun


def _check_empty(root: Path, tables: Sequence[TableSchema]) -> None:
    """Refuse a directory with anything but what a start that was cut short leaves behind."""
    for path in root.iterdir():
        left = path.name == LOCK or _is_temporary(path)
        left = left or (path.name in {table.name for table in tables} and path.is_dir() and not any(path.iterdir()))
        if not left:
            raise DirectoryError(
                f"directory = {str(root)!r} is not empty: must be a new or an empty directory, or the one of this run"
            )


def _check_same(root: Path, there: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Refuse to continue another run, naming the differences."""
    found = [line for line in differences(there, manifest) if not line.startswith("study_hash")]
    if found or there != manifest:
        more = [f"and {len(found) - _MOST_DIFFERENCES} more"] if len(found) > _MOST_DIFFERENCES else []
        lines = "\n  ".join([*found[:_MOST_DIFFERENCES], *more])
        raise DirectoryError(
            f"directory = {str(root)!r} holds another run:\n  {lines}\n"
            "use another directory, or start anew in this one (fresh=True, --fresh)"
        )


def _remove_parts(root: Path, there: Mapping[str, Any]) -> None:
    """Remove what a run has written, and nothing else; its manifest stays until a new one replaces it."""
    (root / RECORD).unlink(missing_ok=True)
    for label in there.get("tables", []):
        name = str(label).partition("/")[0].rpartition(".")[2]
        if not re.fullmatch(r"[a-z_]{1,80}", name):  # whoever wrote it, we remove nothing outside the directory
            continue
        for path in (root / name).glob("part-*.parquet"):
            if re.fullmatch(r"part-\d{8,}\.parquet", path.name):
                path.unlink()
        _remove_empty([root / name])


def _remove_temporaries(root: Path) -> None:
    """Remove what a process that was killed had not finished."""
    for path in root.iterdir():
        if _is_temporary(path):
            path.unlink()


def _is_temporary(path: Path) -> bool:
    return re.fullmatch(r"\.(.*\.json|[a-z_]+-part-\d+\.parquet)\.tmp", path.name) is not None


def _sign(handle: int) -> None:
    """Write who holds the lock; its first byte may be unreadable while it is held (Windows)."""
    os.ftruncate(handle, 0)
    os.write(handle, f"\n{os.getpid()} on {platform.node()}\n".encode())


def _holder(lock: Path) -> str:
    """Say who holds the lock, as far as its text tells."""
    try:
        with lock.open("rb", buffering=0) as file:
            file.seek(1)
            return f"process {file.read(200).decode().strip()}".removesuffix("process ") or "another process"
    except (OSError, ValueError):
        return "another process"


def _cannot_be_used(root: Path, error: OSError) -> DirectoryError:
    why = error.strerror or str(error)
    return DirectoryError(
        f"directory = {str(root)!r} cannot be used ({why}): must be a directory that you may write to, or a new one"
    )


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders, innermost first, as far as they are empty."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def _flat(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Name every value by the way to it, as in "study.seed"."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) and value else {f"{prefix}{key}": value}
    return flat


def _shown(flat: Mapping[str, Any], key: str) -> str:
    return json.dumps(flat[key]) if key in flat else "nothing"
