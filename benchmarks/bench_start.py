"""How long the first stroke of a process takes: with nothing compiled yet, and with the compiled code in the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIRST_STROKE = "import carromsim as cs; cs.simulate(cs.opening(gap=5e-4), cs.Strokes(x=0.0, speed=6.0))"


def first_stroke(cache: Path) -> None:
    """Simulate one break in a process of its own."""
    subprocess.run(
        [sys.executable, "-c", FIRST_STROKE], check=True, env={**os.environ, "CARROMSIM_CACHE_DIR": str(cache)}
    )


def bench_cold_compile(benchmark, tmp_path: Path) -> None:
    """Import, compile and simulate."""
    caches = iter(tmp_path / str(i) for i in range(2))
    benchmark.pedantic(lambda: first_stroke(next(caches)), rounds=2)


def bench_warm_start(benchmark, tmp_path: Path) -> None:
    """Import, load compiled code and simulate."""
    first_stroke(tmp_path)
    benchmark.pedantic(first_stroke, args=(tmp_path,), rounds=5)


def bench_help(benchmark) -> None:
    """The command's help, which must not wait for Numba or Arrow."""
    command = [sys.executable, "-m", "carromsim.cli", "--help"]
    benchmark.pedantic(subprocess.run, args=(command,), kwargs={"check": True, "stdout": subprocess.DEVNULL}, rounds=5)


@pytest.fixture(autouse=True)
def _no_bytecode_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python keep its bytecode, as a user's would."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
