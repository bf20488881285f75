"""What a command says on standard error while it works."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from carromsim.cli.app import stderr

if TYPE_CHECKING:
    from carromsim.studies.runs.study import Counts

PLAIN_SECONDS = 5.0
"""Time between two lines of progress where nobody can see a bar [s]."""

Progress = Callable[[int, int, "Counts"], None]
"""Is told rows done, rows in all and what was counted so far."""


def tell_if_cold(*, players: bool = False, quiet: bool = False) -> None:
    """Say that kernels are about to be compiled, if they are; `players`: those that choose strokes too."""
    from carromsim_kernels.jit import cache_is_cold

    if quiet:
        return
    if players and cache_is_cold("aim_batch"):
        stderr().print("compiling kernels, once per version (about a minute) ...")
    elif cache_is_cold("simulate_batch"):
        stderr().print("compiling kernels, once per version (about half a minute) ...")


@contextmanager
def progress_shown(*, quiet: bool = False) -> Iterator[Progress]:
    """Give a callback that shows progress: a bar on a terminal, now and then a line elsewhere, nothing if quiet."""
    console = stderr()
    if quiet:
        yield lambda done, total, counts: None
        return
    pace = Pace()
    if not console.is_terminal:
        yield in_lines(pace, lambda line: console.print(line, soft_wrap=True))
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(BarColumn(), TextColumn("{task.description}"), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, counts: bar.update(
            task, completed=done, total=total, description=pace.line(done, total, counts)
        )


class Pace:
    """Knows how fast a study goes, and says how far it is.

    Parameters
    ----------
    clock : callable
        Gives the time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None

    def line(self, done: int, total: int, counts: "Counts") -> str:
        """Say what is done, how fast, how long it will take, and how well the main result is known by now.

        The rate is that since the first call: a resumed run finds strokes done that cost no time now.
        """
        now = self._clock()
        begun, found = self._first = self._first or (now, done)
        words = [f"{done:,} of {total:,} {counts.noun}"]
        if now > begun and done > found:
            rate = (done - found) / (now - begun)
            words.append(f"{rate:,.0f}/s" if rate >= 10.0 else f"{rate:.2g}/s")
            if done < total:
                words.append(f"{_duration((total - done) / rate)} left")
        word, seen, trials = counts.headline
        if trials:
            estimate, half_width = known(seen, trials)
            words.append(f"{word} {100 * estimate:.1f} +- {100 * half_width:.1f} %")
        return ", ".join(words)


def known(seen: int, trials: int) -> tuple[float, float]:
    """Give a frequency and half the width of its 95 % interval."""
    from carromsim.stats import wilson

    low, high = wilson(seen, trials)
    return seen / trials, float(high - low) / 2.0


def _duration(seconds: float) -> str:
    """Write a time to come: 12 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def in_lines(pace: Pace, write: Callable[[str], None], clock: Callable[[], float] = time.perf_counter) -> Progress:
    """Make a callback that writes a line every few seconds and at the end.

    Parameters
    ----------
    pace : Pace
        Words the lines.
    write : callable
        Takes a line.
    clock : callable
        Gives the time [s].
    """
    last = clock()

    def show(done: int, total: int, counts: "Counts") -> None:
        nonlocal last
        line = pace.line(done, total, counts)  # the first call sets the pace, shown or not
        now = clock()
        if done == total or now - last >= PLAIN_SECONDS:
            last = now
            write(line)

    return show
