"""The commands before and after runs: `carromsim plan`, `diff` and `merge`."""

import shlex
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from carromsim.cli.app import BadInput, app
from carromsim.cli.printing import print_json, print_parts
from carromsim.cli.progress import tell_if_cold
from carromsim.cli.studies import study_of_file

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_GAPS = 10
"""Stretches of missing chunks that are named."""


@app.command
def plan(
    file: Path,
    /,
    *,
    metric: str | None = None,
    half_width: float | None = None,
    difference: float | None = None,
    pilot: int | None = None,
    workers: int | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Say how many rows a study needs, how long they take here and how large they are, after playing a few of them.

    Parameters
    ----------
    file
        The study as TOML; see carromsim new.
    metric
        What is to be known, such as any or won_breaker; default: that of the study's until. Without one all are told.
    half_width
        To be known to within this, at 95 %; default: that of the study's until. Of a share 0.01 is one per cent.
    difference
        Between two runs of different seeds, to be found with a probability of 80 %.
    pilot
        Rows to play; default: a chunk for each worker.
    workers
        Default: one per core.
    json
        Print the plan as JSON on standard output and nothing else there.
    """
    study = study_of_file(file)
    from carromsim.studies.analysis.planning import plan_study

    tell_if_cold(players=study.players, quiet=json)
    try:
        found = plan_study(
            study, metric=metric, half_width=half_width, difference=difference, pilot=pilot, workers=workers
        )
    except ValueError as error:
        raise BadInput(str(error)) from None
    if json:
        print_json(found.to_dict())
    else:
        print_parts(found.report())


@app.command
def diff(a: str, b: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Compare two runs of one kind of study: what was declared, and every metric that both have.

    Runs with the same seed are compared row by row, which takes out the luck that both share. p-values are corrected
    for the number of metrics (Holm).

    Parameters
    ----------
    a
        Directory of a run: a path, or a URL such as s3://bucket/runs/first.
    b
        Directory of another.
    json
        Print the comparison as JSON on standard output and nothing else there.
    """
    from carromsim.studies.analysis.comparing import diff_runs

    try:
        found = diff_runs(a, b)
    except ValueError as error:
        raise BadInput(str(error)) from None
    if json:
        print_json(found.to_dict())
    else:
        print_parts(found.report())


@app.command
def merge(*directories: str, out: str) -> None:
    """Bring together the parts of one study that were played in several directories, each part checked.

    The result is a run with the bytes of one that was never shared out. What is missing is named.

    Parameters
    ----------
    directories
        Of the runs: paths, or URLs such as s3://bucket/runs/first.
    out
        Directory of the whole run: new, empty, or of a run of the same study.
    """
    from carromsim.studies.runs.merging import merge_runs, missing_chunks

    try:
        run = merge_runs(directories, out)
    except ValueError as error:
        raise BadInput(str(error)) from None
    missing = missing_chunks(run)
    there = len(run.parts.chunks) - len(missing)
    if not missing:
        sys.stdout.write(f"{run.directory}: the run is whole\n")
        return
    sys.stdout.write(
        f"{run.directory}: {there:,} of {len(run.parts.chunks):,} chunks are there; missing: {_stretches(missing)}\n"
        f"carromsim run STUDY.toml --out {shlex.quote(str(run.directory))} plays them\n"
    )


def _stretches(numbers: "Sequence[int]") -> str:
    """Write ascending numbers as in 3, 7-9."""
    runs = [[n for _, n in group] for _, group in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:_MOST_GAPS]]
    return ", ".join([*told, *(["..."] if len(runs) > _MOST_GAPS else [])])
