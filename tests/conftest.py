"""Makes the test suite's own helpers importable (``from oracles import naive``) and skips what needs absent sources."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parent.parent

settings.register_profile("any machine", deadline=None)  # how long an example takes says more about the machine
settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of the sources where only the wheel is: all of them, and no others, are marked ``sources``."""
    if not (ROOT / "src" / "carromsim").is_dir():
        nothing = pytest.mark.skip(reason="needs the sources of the packages, src/ and kernels/")
        for item in items:
            if item.get_closest_marker("sources"):
                item.add_marker(nothing)
