"""What users of other programs complain about: runs that were killed, locks that stay, caches that lie, Ctrl-C."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from carromsim.studies.breaks.study import BreakStudy
from executors.test_signals import SECONDS, environment
from faults.children import start
from faults.kills import unreadable
from faults.shim import Shim, dies
from faults.smallest import play_of, small_chunks
from kernels.test_jit import COLD, HELPER, WARM, Toy, flip_one_bit, truncate, warm_toy
from runs.fake import files

__all__ = ["warm_toy"]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def die_at_work(kind: str, root: Path) -> None:
    """Play the smallest study of a kind, and end this process when it did three quarters of its work with files."""
    with small_chunks():
        whole = Shim(root.with_name("counted"), sys.maxsize, dies)
        with whole.between():
            play_of(kind)(root.with_name("counted"), False)
        with Shim(root, 3 * len(whole.seen) // 4, dies).between():
            play_of(kind)(root, False)


def killed(kind: str, root: Path) -> int:
    """Leave a run that was killed at work, with its lock; give the number of the process that is no more."""
    runner = start(die_at_work, kind, root)
    runner.join()
    assert runner.exitcode == -9
    assert runner.pid is not None
    assert (root / "lock").read_text().startswith(f"\n{runner.pid} on ")
    assert not (root / "parts.json").exists()
    return runner.pid


def goes_on(kind: str, root: Path) -> None:
    """Give the same command again, and nothing else; the run is as if it had never been killed."""
    with small_chunks():
        asked = time.monotonic()
        assert play_of(kind)(root, False) == ""
        seconds = time.monotonic() - asked
        assert play_of(kind)(root.parent / "undisturbed", False) == ""
    assert seconds < SECONDS  # it does not wait for a lock to become old
    assert files(root) == files(root.parent / "undisturbed")


def test_parcels_2713_all_four_readers_open_what_a_killed_run_left(tmp_path: Path) -> None:
    """Output cannot be read after a crash in the middle of a run; also readdy 220."""
    killed("fake", tmp_path / "run")
    for table in ("throws", "bounces"):
        assert any((tmp_path / "run" / table).iterdir())
        assert unreadable(tmp_path / "run" / table) == []
    part = next((tmp_path / "run" / "throws").iterdir())
    part.write_bytes(part.read_bytes()[:-100])
    assert unreadable(tmp_path / "run" / "throws")  # half a part, as others leave it


def test_numba_1833_an_edit_of_a_helper_reaches_its_caller(warm_toy: tuple[Toy, object], tmp_path: Path) -> None:
    """A cache gives old results when a helper was edited. For 10434, see the damages in tests/kernels/test_jit.py."""
    shutil.copytree(warm_toy[0].root / "toy", tmp_path / "toy")
    toy = Toy(tmp_path, tmp_path / "cache")
    assert toy.run() == COLD
    (tmp_path / "toy/helper.py").write_text(HELPER.replace("2.0", "5.0"))
    assert toy.run() == COLD | {"result": 30.0}


def test_numba_10434_a_cache_that_is_cut_short_is_made_again(warm_toy: tuple[Toy, object], tmp_path: Path) -> None:
    """A truncated or garbled cache ends the program with EOFError."""
    shutil.copytree(warm_toy[0].cache, tmp_path / "cache")
    toy = Toy(warm_toy[0].root, tmp_path / "cache")
    truncate(toy.files("*.nbi")[0])
    flip_one_bit(toy.files("*.nbc")[0])
    report = toy.run()
    assert report["result"] == WARM["result"]
    assert ["damaged" in warning for warning in report["warnings"]] == [True]


def test_optuna_5921_a_search_that_was_killed_goes_on_at_once_and_ends_the_same(tmp_path: Path) -> None:
    """A resumed search waits for a stale lock, finds its log damaged (5138) or goes another way (ResDAG 287)."""
    killed("optimise", tmp_path / "run")
    goes_on("optimise", tmp_path / "run")


def test_snakemake_1497_after_a_kill_the_same_command_is_all_it_takes(tmp_path: Path) -> None:
    """After a kill one has to unlock the directory or to remove markers by hand; also 3808."""
    killed("break", tmp_path / "run")
    goes_on("break", tmp_path / "run")
    assert not (tmp_path / "run" / "lock").exists()


def test_numba_5551_ctrl_c_ends_a_command_whose_kernel_runs_for_minutes(tmp_path: Path) -> None:
    """Ctrl-C does nothing while a compiled function runs."""
    script = tmp_path / "long.py"
    script.write_text(
        "from carromsim.cli import main\n"
        f"from {BreakStudy.__module__} import BreakStudy\n"
        "BreakStudy.chunk_rows = BreakStudy.piece_rows = 1_000_000\n"
        "BreakStudy.warm_up = lambda study: print('ready', flush=True)\n"
        "main()\n"
    )
    command = [sys.executable, str(script), "break", "--strokes", "1000000", "--workers", "1", "--quiet"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(1.5)  # then the one call of the kernel has begun
        running.send_signal(signal.SIGINT)
        asked = time.monotonic()
        told = running.communicate(timeout=60)[1]
        assert time.monotonic() - asked < SECONDS
    assert (running.returncode, told) == (130, "carromsim: interrupted\n")
