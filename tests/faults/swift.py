"""A folder in memory: where hundreds of runs are written, a disk that is forced to keep each file takes minutes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def swift_folder() -> Iterator[Path]:
    """Give an empty folder that goes in the end, in memory if the system has such a place."""
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)
