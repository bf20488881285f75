"""Clocks that jump: neither what is written nor who may write depends on the time of day."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from carromsim.studies.runs.directory import InUseError, locked
from carromsim.studies.runs.running import run_study
from faults.children import start
from runs.fake import Throws, files

CENTURY = 3e9
"""[s]"""


def jumping(clock: Callable[[], float], least: float) -> Callable[[], float]:
    """Give a clock that jumps whenever it is read, by up to a century."""
    rng, offset = random.Random(1), 0.0

    def read() -> float:
        nonlocal offset
        offset += rng.uniform(least, CENTURY)
        return clock() + offset

    return read


def test_clocks_that_jump_change_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_study(Throws(), tmp_path / "undisturbed")
    monkeypatch.setattr(time, "time", jumping(time.time, -CENTURY))
    for name in ("monotonic", "perf_counter"):  # these go forward only, as when a computer has slept
        monkeypatch.setattr(time, name, jumping(getattr(time, name), 0.0))
    run = run_study(Throws(), tmp_path / "run", workers=2)
    assert run.seconds is not None
    assert run.seconds > CENTURY / 100  # the clock did jump
    assert run.verify() == []
    assert files(tmp_path / "run") == files(tmp_path / "undisturbed")


def hold(root: Path) -> None:
    """Hold the lock of a directory until this process is killed."""
    with locked(root):
        time.sleep(600)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("age", [-CENTURY, CENTURY], ids=["from tomorrow", "old"])
def test_a_lock_is_held_as_long_as_its_process_lives_whatever_its_date(age: float, tmp_path: Path) -> None:
    holder = start(hold, tmp_path)
    deadline = time.monotonic() + 60
    while not (tmp_path / "lock").exists() or not (tmp_path / "lock").stat().st_size:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.utime(tmp_path / "lock", (max(time.time() - age, 0.0),) * 2)
    with pytest.raises(InUseError, match=f"is in use by process {holder.pid} on "):
        run_study(Throws(), tmp_path)
    holder.kill()
    holder.join()
    asked = time.monotonic()
    with locked(tmp_path):
        assert time.monotonic() - asked < 1.0
