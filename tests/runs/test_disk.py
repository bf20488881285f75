"""Disks that are full, small or read-only: a clear error, whole parts, and the same bytes once there is room."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.running import run_study
from runs import fake
from runs.fake import Throws, files

MAY_MOUNT = os.geteuid() == 0 and shutil.which("mount") is not None
STUDY = Throws(rows=2000)
SECONDS = 5.0
"""Within which a run that cannot write says so."""


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[str, bytes]:
    run_study(STUDY, tmp_path / "undisturbed", workers=1)
    return files(tmp_path / "undisturbed")


class Disk:
    """A small disk, or, for those who may not mount one, a limit on the size of every file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.mounted = MAY_MOUNT and self._mount("-t", "tmpfs", "-o", "size=200k", "tmpfs")
        self._limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        if not self.mounted:
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, self._limit[1]))

    def _mount(self, *options: str) -> bool:
        return subprocess.run(["mount", *options, str(self.root)], capture_output=True, check=False).returncode == 0

    def enlarge(self) -> None:
        """Make room."""
        if self.mounted:
            assert self._mount("-o", "remount,size=20m")
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._limit)

    def close_to_writers(self) -> None:
        """Let nobody write any more."""
        assert self._mount("-o", "remount,ro")

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", str(self.root)], check=True)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._limit)


@pytest.fixture
def disk(tmp_path: Path, undisturbed: dict[str, bytes]) -> Iterator[Disk]:
    assert sum(map(len, undisturbed.values())) > 200_000
    (tmp_path / "small").mkdir()
    small = Disk(tmp_path / "small")
    yield small
    small.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(
    disk: Disk, undisturbed: dict[str, bytes], workers: int
) -> None:
    root = disk.root / "run"
    asked = time.monotonic()
    with pytest.raises(OSError, match="(No space left on device|File too large): '.*/run/") as full:
        run_study(STUDY, root, workers=workers)
    assert time.monotonic() - asked < SECONDS
    assert full.value.filename.startswith(str(root))
    there = files(root) if root.exists() else {}
    assert all(undisturbed[name] == data for name, data in there.items())
    disk.enlarge()
    run_study(STUDY, root, workers=workers)
    assert files(root) == undisturbed


def test_a_limit_on_file_sizes_leaves_no_half_file(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    code = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    path = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-c", code, str(fake.__file__), str(tmp_path / "run"), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not (tmp_path / "run").exists()  # not one part was finished


def test_a_directory_that_cannot_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DirectoryError, match="cannot be used .*: must be a directory that you may write to"):
        run_study(STUDY, "/proc/run")  # nobody, not even root, makes a directory there
    (tmp_path / "mine").mkdir()
    real = os.open

    def denied(path: object, flags: int, *arguments: int, **options: int) -> int:
        if str(path).startswith(str(tmp_path)) and flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *arguments, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)  # mode bits mean nothing to root, who may run the tests
        with pytest.raises(DirectoryError, match=r"cannot be used \(Permission denied\)"):
            run_study(STUDY, tmp_path / "mine")
        with pytest.raises(DirectoryError, match=r"cannot be used \(Permission denied\)"):
            run_study(STUDY, tmp_path / "new" / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_disk_that_is_mounted_to_be_read_is_refused_and_what_is_on_it_can_be_read(disk: Disk) -> None:
    if not disk.mounted:
        pytest.skip("needs the right to mount")
    disk.enlarge()
    run = run_study(STUDY, disk.root / "run", workers=1)
    (disk.root / "run" / "parts.json").unlink()
    disk.close_to_writers()
    asked = time.monotonic()
    for place in ("run", "new"):
        with pytest.raises(DirectoryError, match=r"cannot be used \(Read-only file system\)"):
            run_study(STUDY, disk.root / place)
    assert time.monotonic() - asked < SECONDS
    assert run.verify() == []
    assert run.summary() == {"counts": run.counts.tolist(), "seconds": run.seconds}
    assert sorted(path.name for path in disk.root.iterdir()) == ["run"]


@pytest.mark.parametrize("gone", ["run", "above", "above/run/throws"])
def test_a_directory_that_is_deleted_under_a_run_ends_it_with_a_clear_error(
    gone: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    root = tmp_path / "run" if gone == "run" else tmp_path / "above" / "run"
    deleted: list[float] = []

    def delete(done: int, total: int, counts: object) -> None:
        if done >= 200 and not deleted:
            deleted.append(time.monotonic())
            while (tmp_path / gone).exists():  # the runner goes on to write
                shutil.rmtree(tmp_path / gone, ignore_errors=True)

    with pytest.raises(FileNotFoundError, match=f"(No such file or directory|its directory was removed.*): '{root}/"):
        run_study(STUDY, root, workers=2, progress=delete)
    assert time.monotonic() - deleted[0] < SECONDS
    run_study(STUDY, root, workers=2)
    assert files(root) == undisturbed


def test_a_run_that_cannot_be_written_to_can_still_be_read_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_study(Throws(), tmp_path / "run")
    (tmp_path / "run" / "parts.json").unlink()
    before = files(tmp_path)
    real = os.open

    def denied(path: object, flags: int, *arguments: int, **options: int) -> int:
        if str(path).startswith(str(tmp_path)) and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "Read-only file system", str(path))
        return real(path, flags, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", denied)
    assert run.verify() == []
    assert files(tmp_path) == before
