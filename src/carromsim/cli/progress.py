"""What a command says on standard error while it works."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from carromsim.cli.app import stderr

if TYPE_CHECKING:
    from carromsim.studies.breaks import Progress

PLAIN_SECONDS = 5.0
"""Time between two lines of progress where nobody can see a bar [s]."""


def tell_if_cold() -> None:
    """Say that kernels are about to be compiled, if they are."""
    from carromsim_kernels.jit import cache_is_cold

    if cache_is_cold("simulate_batch"):
        stderr().print("compiling kernels, once per version; this takes a while ...")


@contextmanager
def progress_shown() -> "Iterator[Progress]":
    """Give a callback that shows progress: a bar on a terminal, now and then a line elsewhere."""
    console = stderr()
    if not console.is_terminal:
        yield _plain_progress(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("strokes", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _plain_progress(console: Console) -> "Callable[[int, int], None]":
    started = last = time.perf_counter()

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if done == total or now - last >= PLAIN_SECONDS:
            last = now
            console.print(f"{done:,} of {total:,} strokes, {now - started:.1f} s")

    return show
