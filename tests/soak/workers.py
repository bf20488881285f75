"""Processes that share out the blocks of a soak, and what stops one that hangs."""

import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import sys
import time
import traceback
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from soak.limits import judge
from soak.log import Log, line_of
from soak.scenes import Choice, draw

KINDS = 4
"""So many neighbouring blocks, one of each kind of scene, go to one worker: all have as much to do."""
KEPT_FAULTS = 20
"""Faulty rows of a block that are kept as files; the log names all."""


def soak(directory: Path, choice: Choice, todo: list[int], workers: int, hang: float) -> bool:
    """Play blocks in processes of their own; return whether all workers came to their end."""
    context = multiprocessing.get_context("spawn")
    parts = [[number for number in todo if number // KINDS % workers == k] for k in range(workers)]
    processes = [context.Process(target=work, args=(directory, choice, part, hang)) for part in parts if part]
    for process in processes:
        process.start()
    try:
        return _ended(processes, Log(directory))
    finally:
        for process in processes:
            process.kill()
            process.join()


def _ended(processes: list[BaseProcess], log: Log) -> bool:
    """Wait for all; as soon as one is lost, say so and wait no more."""
    running = list(processes)
    while running:
        multiprocessing.connection.wait([process.sentinel for process in running])
        for process in [process for process in running if not process.is_alive()]:
            running.remove(process)
            if process.exitcode != 0:
                log.add({"error": f"a worker ended with code {process.exitcode}", "time": time.time()})
                return False
    return True


def work(directory: Path, choice: Choice, blocks: list[int], hang: float) -> None:
    """Play blocks one after the other; a block that raises is written down, one that hangs ends the process."""
    log, parent, began = Log(directory), os.getppid(), time.time()
    for number in blocks:
        if os.getppid() != parent:
            return
        # A thread of C, which needs no lock of the interpreter: it strikes in the middle of a kernel, too.
        faulthandler.dump_traceback_later(hang, exit=True, file=sys.stderr)
        try:
            _one(log, choice, number, began)
        except Exception:
            log.add({"block": number, "error": traceback.format_exc(), "time": time.time()})
        faulthandler.cancel_dump_traceback_later()


def _one(log: Log, choice: Choice, number: int, began: float) -> None:
    clock = time.perf_counter()
    block = draw(choice, number)
    out = block.play()
    verdict = judge(block, out, choice.seed)
    for row in np.union1d(verdict.faulty, np.flatnonzero(out.status))[:KEPT_FAULTS].astype(int):
        log.keep_row(f"block-{number}-row-{row}", block, int(row), out)
    log.add(line_of(block, verdict, time.perf_counter() - clock, began))
