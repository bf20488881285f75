"""Makes the suite's own helpers importable (``from oracles import naive``) and lets all kernels run without the JIT."""

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure() -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"):
        return
    from carromsim_kernels import adjudicate, aim

    # Scratch of theirs: plain Python finds fields by `record.name` only if told that these are records.
    for module, names in ((adjudicate, ("SHEET", "BOARD_STATE")), (aim, ("CANDIDATE",))):
        for name in names:
            setattr(module, name, np.dtype((np.record, getattr(module, name))))
