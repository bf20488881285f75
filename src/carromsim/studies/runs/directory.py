"""Claiming a directory for a run: who may write there, and what may be there already.

A run's directory holds `manifest.json` (written once, at the start), one folder of finished parts per table, at the end
`parts.json`, and `lock` while somebody writes. The lock is the operating system's and ends with its process, however
that ends; its text, another each time, says who holds it and lets a runner notice that his directory was taken. An
object store has no such lock: there two runners of one study write the same bytes twice, and a runner of another study
is refused by the manifest.
"""

import json
import os
import platform
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from carromsim.tables.dataset import RECORD
from carromsim.tables.places import LOCK, Folder, Place, fsync_folder, is_temporary, lock_text, place_of
from carromsim.tables.schemas import TableSchema
from carromsim.toml import MOST_RUN_BYTES, parse_json, too_long

MANIFEST = "manifest.json"
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
) -> Iterator[Place]:
    """Hold a directory for one run: the manifest stands in it and nobody else writes.

    Parameters
    ----------
    directory : path or URL
        New, empty, or of a run with the same manifest, which is then continued.
    tables : sequence of TableSchema
        Their folders are made.
    manifest : mapping
        What becomes, or is, `manifest.json`.
    fresh : bool
        Whether to remove the parts of the run that is there, whatever its manifest says.

    Yields
    ------
    Place
        The directory. If the body fails, finished parts stay; if none was finished in a directory that held no
        run before, all that was made here goes.

    Raises
    ------
    DirectoryError
        If the directory holds another run or something else, is in use, is not a directory or cannot be written to;
        on an object store also at the end, if another run began there meanwhile.
    """
    with _held(place_of_run(directory)) as place:
        try:
            begun = _begin(place, tables, manifest, fresh)
        except OSError as error:
            raise _cannot_be_used(place, error) from error
        try:
            yield place
        except BaseException:
            with suppress(OSError):  # what ended the body is told, not that nothing can be tidied up either
                _remove_temporaries(place)
                if begun and not any(place.names(table.name) for table in tables):
                    _withdraw(place, tables)
            raise
        if isinstance(place, Folder):
            with suppress(OSError):  # all parts stand; what a worker that was killed had begun is in nobody's way
                _remove_temporaries(place)
        elif read_manifest(place) != manifest:  # nothing kept others away
            raise DirectoryError(
                f"directory = {str(place)!r} was taken by another run meanwhile: play the one that is wanted again"
            )


def place_of_run(directory: str | os.PathLike[str]) -> Place:
    """Give the place that is meant by a directory, or refuse it as a directory is refused."""
    try:
        place = place_of(directory)
    except ValueError as error:
        raise DirectoryError(str(error)) from error
    if isinstance(place, Folder):
        try:
            nothing = b"\0" in os.fsencode(place.root)
        except UnicodeEncodeError:  # half of a character
            nothing = True
        if nothing:
            raise DirectoryError(f"directory = {str(place)!r}: is no name that a directory can have")
    return place


@contextmanager
def _held(place: Place) -> Iterator[Place]:
    """Make a local directory and lock it; what was made goes again if the body fails and leaves it empty."""
    if not isinstance(place, Folder):
        yield place
        return
    made = _make(place)
    try:
        with locked(place.root) as held:
            yield held
    except BaseException:
        _remove_empty(made)
        raise


@contextmanager
def locked(root: Path) -> Iterator[Folder]:
    """Hold the lock of an existing local directory.

    Yields
    ------
    Folder
        The directory, in which nothing is changed any more once another lock stands there, or none.

    Raises
    ------
    InUseError
        At once, if another runner holds it, naming its process.
    DirectoryError
        If the directory cannot be written to.
    """
    from filelock import FileLock, Timeout

    sign = f"{os.getpid()} on {platform.node()}\n{secrets.token_hex(16)}\n".encode()
    held = Folder(root, sign=sign)
    path = held.root / LOCK
    lock = FileLock(path, timeout=0, preserve_lock_file=True, on_acquired=lambda handle: _write_sign(handle, sign))
    try:
        lock.acquire()
    except Timeout:
        raise InUseError(f"directory = {str(root)!r} is in use by {_holder(path)}: wait for it or stop it") from None
    except OSError as error:
        raise _cannot_be_used(root, error) from error
    try:
        yield held
    finally:
        with suppress(OSError):
            held.remove(LOCK)  # a runner that waits on the removed file notices and opens a new one
        lock.release()


def read_manifest(place: Place) -> dict[str, Any] | None:
    """Read the manifest of a run; None if there is none or it is somebody else's.

    Raises
    ------
    DirectoryError
        If it is damaged.
    """
    try:
        told = parse_json(place.read(MANIFEST, MOST_RUN_BYTES), MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DirectoryError(f"directory = {str(place)!r}: its {MANIFEST} cannot be read ({_reason(error)})") from error
    except ValueError as error:
        raise DirectoryError(
            f"directory = {str(place)!r}: its {MANIFEST} is not JSON ({error}). If this is a run, the file is damaged,"
            " and it alone says what the run is: restore it. If not, use another directory"
        ) from None
    return told if isinstance(told, dict) and told.get("format") == MANIFEST_FORMAT else None


def differences(
    there: Mapping[str, Any], now: Mapping[str, Any], words: tuple[str, str] = ("there", "now")
) -> list[str]:
    """Name the keys in which two manifests differ, with both values and words for whose they are."""
    old, new = _flat(there), _flat(now)
    return [
        f"{key}: {_shown(old, key)} {words[0]}, {_shown(new, key)} {words[1]}"
        for key in dict.fromkeys([*new, *old])
        if _shown(old, key) != _shown(new, key)
    ]


def _make(folder: Folder) -> list[Path]:
    """Make the directory and its parents; give those that were made, outermost first."""
    made: list[Path] = []
    try:
        for path in (*reversed(folder.root.parents), folder.root):
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
        raise _cannot_be_used(folder, error) from error
    return made


def _begin(place: Place, tables: Sequence[TableSchema], manifest: Mapping[str, Any], fresh: bool) -> bool:
    """Let the directory be one of this run; tell whether it is a new run."""
    text = _text_of(manifest)
    there = read_manifest(place)
    if there is None:
        _check_empty(place, tables)
    elif fresh:
        _remove_parts(place, there)
    else:
        _check_same(place, there, manifest)
    begun = there is None or fresh
    try:
        _remove_temporaries(place)
        place.make([table.name for table in tables])
        if begun:  # a fresh run replaces the old manifest in one step, after the old parts are gone
            place.write(MANIFEST, text)
    except BaseException:
        if there is None:
            _withdraw(place, tables)
        raise
    return begun


def _text_of(manifest: Mapping[str, Any]) -> bytes:
    """Give what stands in `manifest.json`; refuse what nobody could read again."""
    text = (json.dumps(manifest, indent=2, allow_nan=False) + "\n").encode()
    if len(text) > MOST_RUN_BYTES:
        raise DirectoryError(f"the study cannot be written down: its {MANIFEST} {too_long(MOST_RUN_BYTES)}")
    return text


def _withdraw(place: Place, tables: Sequence[TableSchema]) -> None:
    """Remove what `_begin` wrote, as no part was finished."""
    place.remove(MANIFEST)
    place.prune([table.name for table in tables])


def _remove_temporaries(place: Place) -> None:
    """Remove what processes that were ended had not finished."""
    for name in place.names():
        if is_temporary(name):
            place.remove(name)


def _check_empty(place: Place, tables: Sequence[TableSchema]) -> None:
    """Refuse a directory with anything but what a start that was cut short leaves behind."""
    folders = {table.name for table in tables}
    for name in place.names():
        left = name == LOCK or is_temporary(name)
        left = left or (name in folders and not place.exists(name) and not place.names(name))
        if not left:
            raise DirectoryError(
                f"directory = {str(place)!r} is not empty: must be a new or an empty directory, or the one of this run"
            )


def _check_same(place: Place, there: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Refuse to continue another run, naming the differences."""
    found = [line for line in differences(there, manifest) if not line.startswith("study_hash")]
    if found or there != manifest:
        more = [f"and {len(found) - _MOST_DIFFERENCES} more"] if len(found) > _MOST_DIFFERENCES else []
        lines = "\n  ".join([*found[:_MOST_DIFFERENCES], *more])
        raise DirectoryError(
            f"directory = {str(place)!r} holds another run:\n  {lines}\n"
            "use another directory, or start anew in this one (fresh=True, --fresh)"
        )


def _remove_parts(place: Place, there: Mapping[str, Any]) -> None:
    """Remove what a run has written, and nothing else; its manifest stays until a new one replaces it."""
    place.remove(RECORD)
    for label in there.get("tables", []):
        folder = str(label).partition("/")[0].rpartition(".")[2]
        if not re.fullmatch(r"[a-z_]{1,80}", folder):  # whoever wrote it, we remove nothing outside the directory
            continue
        for name in place.names(folder):
            if re.fullmatch(r"part-\d{8,}\.parquet", name):
                place.remove(f"{folder}/{name}")
        place.prune([folder])


def _write_sign(handle: int, sign: bytes) -> None:
    """Write who holds the lock, where workers on other machines can read it at once."""
    os.ftruncate(handle, 0)
    os.write(handle, b"\n" + sign)
    os.fsync(handle)


def _holder(lock: Path) -> str:
    """Say who holds the lock, as far as its text tells."""
    try:
        name = lock_text(lock).decode().partition("\n")[0][:200]
    except (OSError, ValueError):
        name = ""
    return f"process {name}" if name else "another process"


def _cannot_be_used(directory: Place | Path, error: OSError) -> DirectoryError:
    return DirectoryError(
        f"directory = {str(directory)!r} cannot be used ({_reason(error)}): must be a directory that you may write to,"
        " or a new one"
    )


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


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
