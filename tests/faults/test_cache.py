"""The kernels' cache where nothing can be written, and when eight processes begin at once with nothing in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernels.test_jit import COLD, WARM, Toy, finish, toy, warm_toy

__all__ = ["toy", "warm_toy"]

COLD_START = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from carromsim.studies.breaks.study import BreakStudy
    from carromsim_kernels.batch import simulate_batch
    counts = BreakStudy(strokes=8, seed=3).summarise(workers=1).to_dict()["n_pocketed"]
print(json.dumps({
    "counts": counts,
    "compiled": sum(simulate_batch.stats.cache_misses.values()),
    "warnings": [str(each.message) for each in caught],
}))
"""


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """Give a folder of a file system that is mounted to be read."""
    folder = tmp_path / "home"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_home_that_can_only_be_read_costs_nothing_but_a_place_elsewhere(
    read_only: Path, toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    settings = {"CARROMSIM_CACHE_DIR": "", "HOME": str(read_only), "TMPDIR": str(tmp_path / "tmp")}
    assert toy.run(**settings) == COLD
    assert toy.run(**settings) == WARM


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_eight_processes_that_begin_at_once_with_an_empty_cache_compile_once(tmp_path: Path) -> None:
    environment = {**os.environ, "CARROMSIM_CACHE_DIR": str(tmp_path)}
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", COLD_START],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(8)
    ]
    reports = [report for process in begun for report in finish(process)]
    assert sorted(report["compiled"] for report in reports) == [0] * 7 + [1]
    assert len({str(report["counts"]) for report in reports}) == 1
    assert [report["warnings"] for report in reports] == [[]] * 8
