"""The commands about a run that stands somewhere: `carromsim verify` and `summary`."""

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app, stderr, terminal_text
from carromsim.cli.printing import stdout

if TYPE_CHECKING:
    from carromsim.studies.runs.reading import Run

_MOST_PROBLEMS = 50
"""Lines of `verify`; a run that has hardly begun lacks thousands of parts."""


@app.command
def verify(directory: str, /, *, threads: int | None = None) -> None:
    """Check every file of a run: exit code 0 if all is well, 1 if not.

    Names parts that are missing, damaged or of another run, a parts.json that is damaged or of another run, and files
    that do not belong. Changes nothing, except that a missing parts.json is written again if all else is well. The
    command that made the run makes missing and damaged parts again, and no others.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    threads
        Default: one per core.
    """
    run = opened(directory)
    try:
        problems = run.verify(threads=threads)
    except ValueError as error:
        raise BadInput(str(error)) from None
    for problem in problems[:_MOST_PROBLEMS]:
        sys.stdout.write(f"{terminal_text(str(problem))}\n")  # a file that does not belong may have any name
    if len(problems) > _MOST_PROBLEMS:
        sys.stdout.write(f"and {len(problems) - _MOST_PROBLEMS} more\n")
    if problems:
        raise Failed(f"{run.directory}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    rows = sum(len(run.parts.chunks[number]) for number in run.numbers())
    sound = f"{run.directory}: all {rows:,} rows of this {run.study.kind} study are there and sound"
    sys.stdout.write(f"{terminal_text(sound)}\n")


@app.command
def summary(directory: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Tell what came out of a run, or what there is of it so far.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    json
        Print the summary as JSON on standard output and nothing else there.
    """
    run = opened(directory)
    found = run.summary()
    tell_unfinished(run, found)
    if json:
        told = {"study": run.study.declaration(), "summary": found.to_dict(), "directory": str(run.directory)}
        sys.stdout.write(json_format.dumps(told, indent=2, allow_nan=False) + "\n")
        return
    stdout().print(found.study.report(found))


def tell_unfinished(run: "Run", found: Any) -> None:
    """Say on standard error how many rows a summary is of, if these are not all."""
    there = found.counts.rows
    stopped = found.stopped is not None and found.stopped["reason"] is not None
    if there < run.study.rows and not stopped:
        stderr().print(f"{there:,} of {run.study.rows:,} rows are there; the run is not finished", soft_wrap=True)


def opened(directory: str) -> "Run":
    """Open a run, or complain."""
    from carromsim.studies.runs.reading import open_run
    from carromsim.studies.runs.study import DirectoryError

    try:
        return open_run(directory)
    except DirectoryError as error:
        raise BadInput(str(error)) from None
