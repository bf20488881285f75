"""Who imports this has loaded all that the smallest studies need, compiled kernels too, so that children forked off it
begin at once."""

import importlib
from pathlib import Path
from tempfile import TemporaryDirectory

from faults.smallest import COMMANDS, play_of, small_chunks

with small_chunks(), TemporaryDirectory() as folder:
    for kind in COMMANDS:
        play_of(kind)(Path(folder, kind), False)
importlib.import_module("pytest")
