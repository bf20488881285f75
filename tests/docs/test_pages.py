"""Every page tells the truth: its commands, Python and SQL run, and print what is shown."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.playing import Played, play

ROOT = Path(__file__).parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES)
def test_x(page, tmp_path):
    t = time.time()
    play(ROOT / page, tmp_path, as_it_stands=page in ("docs/analysis.md", "docs/calibrate.md", "docs/rules.md", "docs/players.md", "docs/statistics.md"))
    print("TIME", page, round(time.time() - t, 1))
