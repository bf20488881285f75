"""Runners that can be killed: processes of their own, forked off one that has everything loaded and no threads."""

import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

_FORKING = get_context("forkserver" if sys.platform != "win32" else "spawn")


def start(work: Callable[..., object], *arguments: Any) -> BaseProcess:
    """Let a process of its own do some work; its exit code is 0 when that is done."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    _FORKING.set_forkserver_preload(["faults.loaded"])
    try:
        child = _FORKING.Process(target=work, args=arguments)
        child.start()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return child
