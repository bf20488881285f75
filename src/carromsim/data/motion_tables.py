"""The tables of the motion law: one ships with the package, others are built when a contact face is first used.

The full face's is a file of the package. For any other face `carromsim.data.build_motion_table` makes one, in a second
or two, and keeps it in the user's cache folder under a name that is a hash of what it depends on.
"""

import hashlib
import io
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from carromsim_kernels.jit import cache_roots
from carromsim_kernels.motion import cell_edges
from carromsim_kernels.motion import motion_table as complete
from carromsim_kernels.state import MotionTable

__all__ = ["motion_table"]


@cache
def motion_table(face: float, hole: float) -> MotionTable:
    """Return the table of a contact face.

    Parameters
    ----------
    face : float
        Its outer radius in units of the disc's.
    hole : float
        Its inner radius in units of its outer one; 0: a full face.

    Raises
    ------
    ValueError
        If the motion on this face cannot be tabulated: see `build_motion_table.build`.
    ModuleNotFoundError
        If a table has to be built and scipy is not there.
    """
    if face == 1.0 and hole == 0.0:
        with resources.as_file(resources.files("carromsim.data") / "motion_full_disc.npz") as path:
            return _table(path)
    gamma, name = 2.0 * face * face, _name(2.0 * face * face, hole)
    for root in cache_roots():
        body = _read(root / name)
        if body is not None:
            return _table(io.BytesIO(body))
    content = io.BytesIO()
    np.savez(content, **_build(face, gamma, hole))
    for root in cache_roots():
        if _keep(root, name, content.getvalue()):
            break
    return _table(io.BytesIO(content.getvalue()))


def _table(file: Any) -> MotionTable:
    """Load a table from a path or an open file."""
    with np.load(file, allow_pickle=False) as parts:
        return complete(parts["cells"], parts["roots"], parts["ratio"], parts["fixed"].tolist(), parts["face"].tolist())


def _build(face: float, gamma: float, hole: float) -> Mapping[str, Any]:
    try:
        from carromsim.data.build_motion_table import build
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "scipy":
            raise
        raise ModuleNotFoundError(
            f"face = {face:g}, face_hole = {hole:g}: the motion on this contact face has to be tabulated first, which"
            " needs scipy; install carromsim[faces]",
            name=error.name,
        ) from None
    return build(gamma, hole)


def _name(gamma: float, hole: float) -> str:
    """Name the file of a table after all that it depends on: its builder, the layout of its cells and the face."""
    builder = (resources.files("carromsim.data") / "build_motion_table.py").read_bytes()
    key = hashlib.sha256(builder + cell_edges().tobytes() + repr((gamma, hole)).encode())
    return f"motion-{key.hexdigest()[:16]}"


def _read(path: Path) -> bytes | None:
    """Return what was kept in a file; None if it is not there or not as it was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, body = content[:32], content[32:]
    return body if hashlib.sha256(body).digest() == checksum else None


def _keep(folder: Path, name: str, body: bytes) -> bool:
    """Write a file with its checksum, in one go or not at all; tell whether that was possible."""
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=name, delete=False) as file:
            temporary = Path(file.name)
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(temporary, folder / name)
    except OSError:  # disk full, no such place: the cache is a help, not a need
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return False
    return True
