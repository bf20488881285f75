"""The command `carromsim replay`."""

import json as json_format
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.printing import stdout, table
from carromsim.cli.progress import tell_if_cold
from carromsim.cli.runs import opened
from carromsim.cli.saving import check_length, check_out, save

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.declared import DeclaredStudy
    from carromsim.studies.runs.reading import Run
    from carromsim.viz.replays import Replay


@app.command
def replay(
    directory: str,
    /,
    *,
    row: int | None = None,
    board: int | None = None,
    stroke: int | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Play one row of a run again: its parameters, all events in order, and where the discs are at the end.

    The row need not stand on disk yet. If it does, it is compared with what is played now, bit for bit. With --out it
    can be watched: a page that plays in any browser, an animation, or a picture of all paths.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    row
        Number of the row, from 0.
    board
        Of a run of boards the same as --row. Of a match, which --row names, show this board only, from 0.
    stroke
        Show this stroke only, from 0: of the row, or of its --board.
    out
        File to write: stroke.html holds all strokes; stroke.gif, stroke.png and stroke.svg hold one.
    json
        Print the row as JSON on standard output and nothing else there.
    """
    check_out(out)
    for option, value in (("--stroke", stroke), ("--board", None if row is None else board)):
        if value is not None and out is None:
            raise BadInput(f"{option} {value}: says what is shown, and needs --out")
    run = opened(directory)
    row, board = _row(run, row, board)
    tell_if_cold(players=_study(run).players)
    shown = None if out is None else _shown(run, row, board, stroke, out)  # what cannot be shown is told at once
    kept = _tell(run, row, json)
    if shown is not None and out is not None:
        save(shown, out, quiet=json)
    if kept == "different":
        changed = "; ".join(run.changed_versions()) or f"verify {shlex.quote(str(run.directory))}"
        raise Failed(f"row {row} is not the one that stands in the run ({changed})")


def _row(run: "Run", row: int | None, board: int | None) -> tuple[int, int | None]:
    """Give the row that was asked for, and which board of it: in a run of boards every row is one."""
    if row is not None:
        return row, board
    if board is None:
        raise BadInput("--row: must be given, the run has many")
    if run.study.kind != "board":
        raise BadInput(f"--board {board}: a run of kind {run.study.kind} is asked by --row")
    return board, None


def _tell(run: "Run", row: int, json: bool) -> str:
    """Print the row, and give how it compares with the one that stands: "equal", "different" or "missing"."""
    from carromsim.studies.runs.work import VersionsError

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
    return kept


def _shown(run: "Run", row: int, board: int | None, stroke: int | None, out: Path) -> "Replay":
    """Give what is to be watched, if a file can show it."""
    from carromsim.studies.runs.work import VersionsError
    from carromsim.viz.replays import replay as replay_of

    try:
        shown = replay_of(run, row, board=board, stroke=stroke)
    except ValueError as error:
        raise BadInput(str(error)) from None
    except VersionsError as error:
        raise Failed(str(error)) from None
    check_length(shown, out)
    return shown


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
    parameters = table("Column", "value", "unit")
    parameters.columns[1].justify = "right"
    for name, (value, unit) in _parameters(run, played).items():
        if name != "row":
            parameters.add_row(name, value if isinstance(value, str) else f"{value:.9g}", unit)
    words = {"equal": "equal to the row that stands there", "missing": "not yet played", "different": "DIFFERENT"}
    console = stdout()
    console.print(f"Row {row} of {run.directory}: {words[kept]}\n", soft_wrap=True)
    console.print(parameters)
    console.print()
    console.print(_study(run).replay_report(out))
