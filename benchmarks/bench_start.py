"""Starting a process: with nothing compiled yet, and with the compiled code in the cache.

The time that is waited for, and the processor time, which says more on a busy machine.
"""

import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np
import pytest

FIRST_STROKE = "import carromsim as cs; cs.simulate(cs.opening(gap=5e-4), cs.Strokes(x=0.0, speed=6.0))"

COMMANDS = {
    "python, nothing imported": ("-c", ""),
    "import carromsim": ("-c", "import carromsim"),
    "carromsim --help": ("-m", "carromsim", "--help"),
    "first stroke, compiled before": ("-c", FIRST_STROKE),
    "carromsim break --strokes 1000": ("-m", "carromsim", "break", "--strokes", "1000"),
}


@pytest.fixture(autouse=True)
def _keep_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python keep its bytecode, as a user's would."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)


class Python:
    """A command line of Python that can be run again and again, each time in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments
        self.busy: list[float] = []
        """Processor time of each run [s]."""

    def __call__(self, **env: str) -> None:
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *self.arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **env}
        )
        after = getrusage(RUSAGE_CHILDREN)
        self.busy.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def note_both(note, name: str, waited: np.ndarray, command: Python) -> None:
    """Note the time of each round and the processor time."""
    note(name, "s", waited)
    note(name, "s of processor time", np.array(command.busy[-len(waited) :]))


@pytest.mark.timeout(1800)
def bench_cold(times, note, tmp_path: Path) -> None:
    """Import, compile and simulate one break, each time into an empty cache."""
    command = Python("-c", FIRST_STROKE)
    (waited,) = times(lambda: command(CARROMSIM_CACHE_DIR=str(tmp_path / str(len(command.busy)))), warm=False)
    note_both(note, "first stroke, nothing compiled", waited, command)


def bench_warm(times, note) -> None:
    """What is waited for every day, in turn."""
    commands = [Python(*arguments) for arguments in COMMANDS.values()]
    for name, command, waited in zip(COMMANDS, commands, times(*commands), strict=True):
        note_both(note, name, waited, command)
