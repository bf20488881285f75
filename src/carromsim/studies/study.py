"""What every study shares: the size of its chunks and the directory of its run."""

import json
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from carromsim.tables.schemas import TableSchema
from carromsim.tables.writer import publish

CHUNK_ROWS = 4096
"""Rows of a chunk, and so of a part.

Fixed, because the parts of a study must not depend on the machine. About 1 s of breaks on one
core: little is lost when a run is stopped, while the Python cost per chunk is below 1 %.
"""


class DirectoryError(ValueError):
    """A directory that a run cannot use."""


@contextmanager
def new_run(
    directory: str | os.PathLike[str], tables: Sequence[TableSchema], manifest: Mapping[str, Any]
) -> Iterator[Path]:
    """Open a new run: its directory, one folder per table and the manifest.

    Parameters
    ----------
    directory : path
        New or empty.
    tables : sequence of TableSchema
        Their folders are made.
    manifest : mapping
        Becomes `manifest.json`, beside the schemas' labels and the versions of all that shapes numbers.

    Yields
    ------
    Path
        The directory. If the body fails, finished parts stay; without any, all that was made here goes.

    Raises
    ------
    DirectoryError
        If the directory is not empty, is not a directory or cannot be written to.
    """
    root = Path(directory)
    made = _claim(root)
    try:
        for table in tables:
            (root / table.name).mkdir()
            made.append(root / table.name)
        full = {"tables": [table.label for table in tables], **manifest, "versions": versions()}
        text = json.dumps(full, indent=2, allow_nan=False) + "\n"
        publish(lambda path: _write_text(path, text), root / ".manifest.json.tmp", root / "manifest.json")
        yield root
    except BaseException:
        if not any(any((root / table.name).glob("*")) for table in tables):
            (root / "manifest.json").unlink(missing_ok=True)
            _remove_empty(made)
        raise


def versions() -> dict[str, str]:
    """Give the versions of everything that may change a number or a byte."""
    from carromsim_kernels.jit import source_digest

    names = ("carromsim", "numba", "numpy", "pyarrow")
    return {name: metadata.version(name) for name in names} | {
        "python": platform.python_version(),
        "kernels": source_digest(),
    }


def _claim(root: Path) -> list[Path]:
    """Make sure of a new or empty directory that can be written to; give the directories made, outermost first."""
    wanted = "must be a new or an empty directory that you may write to"
    made: list[Path] = []
    try:
        for path in (*reversed(root.parents), root):
            if not path.is_dir():
                path.mkdir()
                made.append(path)
        tempfile.TemporaryFile(dir=root).close()  # mode bits say too little about root users and network drives
        empty = not any(root.iterdir())
    except OSError as error:
        _remove_empty(made)
        raise DirectoryError(f"directory = {str(root)!r} cannot be used ({error.strerror}): {wanted}") from error
    if not empty:
        raise DirectoryError(f"directory = {str(root)!r} is not empty: {wanted}")
    return made


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders, innermost first, as far as they are empty."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
