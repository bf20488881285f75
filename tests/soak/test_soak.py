"""A hundred thousand random strokes, each of which must end within the limits: any equipment, and each preset."""

import subprocess
import sys
from pathlib import Path

import pytest

from carromsim.equipment import PRESETS

SCRIPT = Path(__file__).with_name("strokes.py")


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], *(["--preset", name] for name in PRESETS)], ids=["any", *PRESETS])
def test_random_strokes_all_end_well(tmp_path: Path, options: list[str]) -> None:
    command = [sys.executable, SCRIPT, "--strokes", "100000", "--seed", "3", "--out", tmp_path, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
