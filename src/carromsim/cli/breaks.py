"""The commands `carromsim break` and `carromsim warmup`."""

import json as json_format
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from rich.console import Console

from carromsim.cli.app import BadInput, app, stderr
from carromsim.cli.progress import progress_shown, tell_if_cold

if TYPE_CHECKING:
    from carromsim.studies.break_summary import BreakSummary
    from carromsim.studies.breaks import BreakStudy


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
    tell_if_cold()
    BreakStudy(strokes=1).batch(range(1))
    stderr().print(f"kernels are ready ({time.perf_counter() - started:.1f} s)")


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

    tell_if_cold()
    with progress_shown() as progress:
        if out is None:
            return study.summarise(threads=threads, progress=progress)
        try:
            return study.run(out, threads=threads, progress=progress).summary
        except DirectoryError as error:
            raise BadInput(f"--out: {error}") from None
        except KeyboardInterrupt:
            kept = len(list((out / "strokes").glob("*.parquet")))
            raise KeyboardInterrupt(f"{kept} finished parts are kept in {out}") from None
