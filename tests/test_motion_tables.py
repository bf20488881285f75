"""Tables of contact faces: built once, kept for the next process, and never trusted if damaged."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from carromsim.data import build_motion_table, motion_tables
from carromsim.data.motion_tables import motion_table

FACE = 0.95, 0.5


# A table is a second's work, and here it matters only when it is made.
built = functools.cache(build_motion_table.build)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[float, float]]:
    """Keep tables in a folder of the test's own; return the list of what is built."""
    made: list[tuple[float, float]] = []

    def build(gamma: float, kappa: float) -> dict[str, np.ndarray]:
        made.append((gamma, kappa))
        return dict(built(gamma, kappa))

    monkeypatch.setattr(build_motion_table, "build", build)
    monkeypatch.setattr(motion_tables, "cache_roots", lambda: iter([tmp_path / "cache"]))
    return made


def fresh(face: float, hole: float) -> motion_tables.MotionTable:
    """Get a table as another process would."""
    return motion_table.__wrapped__(face, hole)


def same(one: motion_tables.MotionTable, other: motion_tables.MotionTable) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache").iterdir())


def test_a_table_is_built_once(builds: list[tuple[float, float]], tmp_path: Path) -> None:
    first = fresh(*FACE)
    assert builds == [(2.0 * 0.95 * 0.95, 0.5)]
    assert (first.gamma, first.kappa) == builds[0]
    assert [file.name.startswith("motion-") for file in kept(tmp_path)] == [True]
    assert same(fresh(*FACE), first)
    assert len(builds) == 1
    fresh(0.95, 0.25)
    assert len(builds) == len(kept(tmp_path)) == 2
    assert motion_table(1.0, 0.0) is motion_table(1.0, 0.0)  # and stays in memory


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_table_is_built_again(
    damage: bytes | None, builds: list[tuple[float, float]], tmp_path: Path
) -> None:
    first = fresh(*FACE)
    (file,) = kept(tmp_path)
    sound = file.read_bytes()
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    file.write_bytes(bytes(flipped) if damage is None else damage)
    assert same(fresh(*FACE), first)
    assert len(builds) == 2
    assert kept(tmp_path) == [file]
    assert file.read_bytes() == sound


def test_without_a_place_to_keep_it_a_table_is_built_anyway(
    builds: list[tuple[float, float]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no folder")
    assert fresh(*FACE).kappa == 0.5
    monkeypatch.setattr(motion_tables, "cache_roots", lambda: iter([]))
    fresh(*FACE)
    assert len(builds) == 2
    (tmp_path / "cache").unlink()

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(motion_tables, "cache_roots", lambda: iter([tmp_path / "cache"]))
    monkeypatch.setattr(os, "replace", full)
    fresh(*FACE)
    assert kept(tmp_path) == []


def test_another_builder_or_another_layout_of_cells_is_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    name = motion_tables._name(1.8, 0.5)
    assert name == motion_tables._name(1.8, 0.5)
    assert name not in (motion_tables._name(np.nextafter(1.8, 2.0), 0.5), motion_tables._name(1.8, 0.0))
    monkeypatch.setattr(motion_tables, "cell_edges", lambda: np.array([1.0, 2.0]))
    assert motion_tables._name(1.8, 0.5) != name


def test_the_full_face_is_a_disc_on_all_of_its_radius() -> None:
    table = motion_table(1.0, 0.0)
    assert (table.gamma, table.kappa, table.roots.tolist()) == (2.0, 0.0, [0, 0])
    assert 1.0 / table.ratio_fixed == pytest.approx(0.6530017892055977, rel=1e-14)


def test_without_scipy_the_full_face_works_and_others_say_what_is_missing(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["scipy"] = None
import numpy as np
import carromsim as cs
pos, vel, spin = np.full((20, 2), np.nan), np.zeros((20, 2)), np.zeros(20)
pos[5], vel[5], spin[5] = 0.0, 1.0, 9.0
full = cs.Equipment.preset("icf")
print(cs.simulate_motion(pos, vel, spin, equipment=full).status)
try:
    cs.simulate_motion(pos, vel, spin, equipment=full.replace(face=0.95))
except ModuleNotFoundError as error:
    print(error)
"""
    environment = os.environ | {"CARROMSIM_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "1", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    status, message = done.stdout.splitlines()
    assert status == "[0]"
    assert message.startswith("face = 0.95, face_hole = 0: ")
    assert message.endswith("needs scipy; install carromsim[faces]")


@pytest.mark.parametrize(
    ("field", "value"), [("face", 0.88), ("face", 1.01), ("face", np.nan), ("face_hole", -0.1), ("face_hole", 0.91)]
)
def test_faces_that_are_not_tabulated_are_no_equipment(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{field} = .*: must be from 0"):
        cs.Equipment.preset("icf").replace(**{field: value})
