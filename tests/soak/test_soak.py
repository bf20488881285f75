"""A hundred thousand random strokes, each of which must end within the limits."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "soak.py"


@pytest.mark.slow
def test_random_strokes_all_end_well() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--strokes", "100000", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
