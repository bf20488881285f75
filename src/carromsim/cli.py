"""The command: parse, call, print. Heavy imports wait until a command needs them."""

import json as json_format
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter
from rich.console import Console

if TYPE_CHECKING:
    from carromsim.studies.break_summary import BreakSummary
    from carromsim.studies.breaks import BreakStudy, Progress

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130

PLAIN_SECONDS = 5.0
"""Time between two lines of progress where nobody can see a bar [s]."""

app = App(
    name="carromsim",
    help="Carrom by the million: strokes, breaks and what comes of them.",
    version=lambda: version("carromsim"),
    help_epilogue="Lengths in m, times in s, angles in degrees where the option says so. Exit codes: 0 done, "
    "1 failed while working, 2 bad input, 130 interrupted.",
    suppress_keyboard_interrupt=False,
)


class BadInput(Exception):
    """What the user gave cannot be used; the text is for him."""


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        Without the program's name.

    Returns
    -------
    int
        Exit code; see the help.
    """
    try:
        app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, BadInput) as error:
        return _complain(str(error), EXIT_BAD_INPUT)
    except OSError as error:  # a full disk, a broken pipe: nothing that a traceback would help with
        return _complain(str(error), EXIT_FAILED)
    except KeyboardInterrupt as stop:
        return _complain("; ".join(("interrupted", *stop.args)), EXIT_INTERRUPTED)
    return 0


@app.command(name="break")
def break_(
    *,
    ruleset: Literal["icf", "ukca", "caint", "bell_i", "bell_ii"] = "icf",
    strokes: int = 20_000,
    seed: int = 1,
    rotation_deg: float = 0.0,
    gap: float = 0.0005,
    jitter: float | None = None,
    x: float = 0.0,
    angle_deg: float = 90.0,
    speed: float = 6.0,
    spin: float = 0.0,
    sd_x: float = 0.001,
    sd_angle_deg: float = 0.7,
    sd_speed: float = 0.05,
    sd_spin: float = 5.0,
    out: Path | None = None,
    threads: int | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Play the opening break many times and tell what fell.

    The intended stroke is the same each time; the hand scatters around it.

    Parameters
    ----------
    ruleset
        Rule set; names the equipment.
    strokes
        How many.
    seed
        0 to 2^64 - 1; the same seed gives the same scatter.
    rotation_deg
        Turn of the pack, counter-clockwise [degrees].
    gap
        Between neighbours in the pack [m]; below 0.0005 not yet trustworthy.
    jitter
        Each disc of the pack is shifted by up to this much in x and y [m]; default: as far as the gap allows.
    x
        Centre of the striker along the base line, from its middle [m].
    angle_deg
        Direction, 90 is straight ahead [degrees].
    speed
        Speed [m/s].
    spin
        Spin, counter-clockwise [rad/s].
    sd_x
        Standard deviation of the placement [m].
    sd_angle_deg
        Standard deviation of the direction [degrees].
    sd_speed
        Standard deviation of the speed, as a share of it.
    sd_spin
        Standard deviation of the spin [rad/s].
    out
        New or empty directory for the strokes as Parquet; without it only the summary is made.
    threads
        Default: one per core. The results do not depend on it.
    json
        Print the summary as JSON on standard output and nothing else there.
    """
    given = locals().copy()
    study = _declare(given)
    summary = _play(study, out, _positive_threads(threads))
    if json:
        found = {**study.manifest(), "summary": summary.to_dict(), "directory": None if out is None else str(out)}
        sys.stdout.write(json_format.dumps(found, indent=2, allow_nan=False) + "\n")
        return
    from carromsim.studies.report import break_report

    console = Console(highlight=False)
    console.print(break_report(study, summary))
    if out is not None:
        console.print(f"Written   {out}/strokes/*.parquet, {out}/manifest.json", soft_wrap=True)


@app.command
def warmup() -> None:
    """Compile the kernels, once per version, so that the first study starts at once."""
    from carromsim.studies.breaks import BreakStudy

    started = time.perf_counter()
    _tell_if_cold()
    BreakStudy(strokes=1).batch(range(1))
    _stderr().print(f"kernels are ready ({time.perf_counter() - started:.1f} s)")


def _declare(given: dict[str, Any]) -> "BreakStudy":
    """Build the study from the options; complain about all bad ones at once."""
    from pydantic import ValidationError

    from carromsim.studies.breaks import BreakStudy

    fields: dict[str, Any] = {}
    options: dict[str, str] = {}
    for option, value in given.items():
        if option in ("out", "threads", "json") or value is None:
            continue
        name = option.removesuffix("_deg")
        fields[name] = math.radians(value) if option.endswith("_deg") else value
        options[name] = option
    try:
        return BreakStudy(**fields)
    except ValidationError as error:
        # A default that hangs on a bad option is no mistake of its own.
        mistakes = [problem for problem in error.errors() if problem["type"] != "default_factory_not_called"]
        raise BadInput("\n".join(_explain(problem, options, given) for problem in mistakes)) from None


def _explain(problem: Any, options: dict[str, str], given: dict[str, Any]) -> str:
    """Say which option is wrong, what was given and what is allowed."""
    why = problem["msg"].removeprefix("Value error, ").replace("Input should", "must")
    if not problem["loc"]:  # several options together; the text names them
        return str(why)
    option = options[problem["loc"][0]]
    return f"--{option.replace('_', '-')} {given[option]}: {why}"


def _positive_threads(threads: int | None) -> int | None:
    if threads is not None and threads < 1:
        raise BadInput(f"--threads {threads}: must be at least 1")
    return threads


def _play(study: "BreakStudy", out: Path | None, threads: int | None) -> "BreakSummary":
    """Play the study with progress on standard error."""
    from carromsim.studies.study import DirectoryError

    _tell_if_cold()
    with _progress() as progress:
        if out is None:
            return study.summarise(threads=threads, progress=progress)
        try:
            return study.run(out, threads=threads, progress=progress).summary
        except DirectoryError as error:
            raise BadInput(f"--out: {error}") from None
        except KeyboardInterrupt:
            kept = len(list((out / "strokes").glob("*.parquet")))
            raise KeyboardInterrupt(f"{kept} finished parts are kept in {out}") from None


def _tell_if_cold() -> None:
    from carromsim_kernels.jit import cache_is_cold

    if cache_is_cold("simulate_batch"):
        _stderr().print("compiling kernels, once per version; this takes a while ...")


@contextmanager
def _progress() -> "Iterator[Progress]":
    """Give a callback that shows progress: a bar on a terminal, now and then a line elsewhere."""
    console = _stderr()
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


def _stderr() -> Console:
    return Console(stderr=True, highlight=False)


def _complain(text: str, code: int) -> int:
    for line in text.splitlines():
        sys.stderr.write(f"carromsim: {line}\n")
    return code


if __name__ == "__main__":
    main()
