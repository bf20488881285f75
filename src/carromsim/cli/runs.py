"""The commands about a run that stands somewhere: `carromsim verify`, `summary` and `replay`."""

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter
from rich.console import Console

from carromsim.cli.app import BadInput, Failed, app, stderr
from carromsim.cli.progress import tell_if_cold

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.declared import DeclaredStudy
    from carromsim.studies.runs.reading import Run

_MOST_PROBLEMS = 50
"""Lines of `verify`; a run that has hardly begun lacks thousands of parts."""


@app.command
def verify(directory: str, /, *, threads: int | None = None) -> None:
    """Check every file of a run: exit code 0 if all is well, 1 if not.

    Names parts that are missing, damaged or of another run, and files that do not belong. The command that made
    the run makes missing and damaged parts again, and no others.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    threads
        Default: one per core.
    """
    run = _open(directory)
    try:
        problems = run.verify(threads=threads)
    except ValueError as error:
        raise BadInput(str(error)) from None
    for problem in problems[:_MOST_PROBLEMS]:
        sys.stdout.write(f"{problem}\n")
    if len(problems) > _MOST_PROBLEMS:
        sys.stdout.write(f"and {len(problems) - _MOST_PROBLEMS} more\n")
    if problems:
        raise Failed(f"{run.directory}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    rows = sum(len(run.parts.chunks[number]) for number in run.numbers())
    sys.stdout.write(f"{run.directory}: all {rows:,} rows of this {run.study.kind} study are there and sound\n")


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
    run = _open(directory)
    found = run.summary()
    there = found.counts.rows
    stopped = found.stopped is not None and found.stopped["reason"] is not None
    if there < run.study.rows and not stopped:
        stderr().print(f"{there:,} of {run.study.rows:,} rows are there; the run is not finished", soft_wrap=True)
    if json:
        told = {"study": run.study.declaration(), "summary": found.to_dict(), "directory": str(run.directory)}
        sys.stdout.write(json_format.dumps(told, indent=2, allow_nan=False) + "\n")
        return
    Console(highlight=False).print(found.study.report(found))


@app.command
def replay(directory: str, /, *, row: int, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Play one row of a run again: its parameters, all events in order, and where the discs are at the end.

    The row need not stand on disk yet. If it does, it is compared with what is played now, bit for bit.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    row
        Number of the row, from 0.
    json
        Print the row as JSON on standard output and nothing else there.
    """
    from carromsim.studies.runs.work import VersionsError

    run = _open(directory)
    tell_if_cold(players=_study(run).players)
    try:
        out = run.rerun(row)
    except ValueError as error:
        raise BadInput(f"--row {row}: {error}") from None
    except VersionsError as error:
        raise Failed(str(error)) from None
    played, stored = run.again(row), run.row(row)
    kept = "missing" if stored is None else "equal" if stored.equals(played) else "different"
    if json:
        _print_json(run, row, played, kept, out)
    else:
        _print_text(run, row, played, kept, out)
    if kept == "different":
        changed = "; ".join(run.changed_versions()) or f"verify {run.directory}"
        raise Failed(f"row {row} is not the one that stands in the run ({changed})")


def _open(directory: str) -> "Run":
    from carromsim.studies.runs.reading import open_run
    from carromsim.studies.runs.study import DirectoryError

    try:
        return open_run(directory)
    except DirectoryError as error:
        raise BadInput(str(error)) from None


def _study(run: "Run") -> "DeclaredStudy":
    """Give the study of a run that was opened: it was declared."""
    return cast("DeclaredStudy", run.study)


def _parameters(run: "Run", played: "pa.RecordBatch") -> dict[str, tuple[Any, str]]:
    """Give what was set before the stroke, with units: what no row can lack, whatever becomes of it."""
    columns = [c for c in run.study.tables[0].columns if not (c.nullable or c.per_disc or c.codes)]
    return {column.name: (played[column.name][0].as_py(), column.unit) for column in columns}


def _print_json(run: "Run", row: int, played: "pa.RecordBatch", kept: str, out: Any) -> None:
    parameters = {name: value for name, (value, _) in _parameters(run, played).items() if name != "row"}
    told = {"row": row, "stored": kept, "parameters": parameters, **_study(run).replay_dict(out)}
    sys.stdout.write(json_format.dumps(told, indent=2, allow_nan=False) + "\n")


def _print_text(run: "Run", row: int, played: "pa.RecordBatch", kept: str, out: Any) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("Column", "value", "unit"):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for name, (value, unit) in _parameters(run, played).items():
        if name != "row":
            table.add_row(name, value if isinstance(value, str) else f"{value:.9g}", unit)
    words = {"equal": "equal to the row that stands there", "missing": "not yet played", "different": "DIFFERENT"}
    console = Console(highlight=False)
    console.print(f"Row {row} of {run.directory}: {words[kept]}\n", soft_wrap=True)
    console.print(table)
    console.print()
    console.print(_study(run).replay_report(out))
