"""The command `carromsim plot`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.runs import opened, tell_unfinished

if TYPE_CHECKING:
    from carromsim.studies.runs.reading import Run
    from carromsim.viz.plots.gallery import Wanted


@app.command
def plot(
    directory: str,
    /,
    *,
    only: Annotated[list[str] | None, Parameter(negative=())] = None,
    theme: Literal["light", "dark"] = "light",
    format: Literal["png", "svg", "pdf"] = "png",
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
) -> None:
    """Draw every plot of a run into a folder, or some of them. The run may be unfinished: then of the rows so far.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    only
        Draw this plot; may be given several times. Breaks: final_positions, pocket_flow, men_pocketed; shots: success;
        boards and matches: lengths, scores; searches: optimum, sensitivity_map, front; variants: forest; all but
        searches: convergence. Also the names of the files, such as success-cut.
    theme
        For light or for dark surroundings.
    format
        Kind of file.
    out
        Folder of the files, made if it is not there; default: beside the run, DIRECTORY-plots.
    """
    from carromsim.viz.matplotlib_here import need_matplotlib
    from carromsim.viz.plots.gallery import counted_once, plots_of

    run = opened(directory)
    try:
        need_matplotlib()
    except ImportError as error:
        raise Failed(str(error)) from None
    folder = _folder(run, out)
    wanted = _chosen(list(plots_of(run)), only or [])
    run = counted_once(run)
    found = run.summary()
    if not found.counts.rows:
        raise Failed(f"{run.directory}: none of {run.study.rows:,} rows is there yet, so there is nothing to draw")
    tell_unfinished(run, found)
    _made(folder)
    for each in wanted:
        sys.stdout.write(f"{_saved(run, each, folder, theme, format)}\n")


def _folder(run: "Run", out: Path | None) -> Path:
    """Give the folder of the files."""
    if out is not None:
        return out
    if not isinstance(run.directory, Path):
        raise BadInput(f"{run.directory} is not on this machine: say with --out FOLDER where the plots go")
    return run.directory.with_name(f"{run.directory.resolve().name}-plots")


def _chosen(plots: "list[Wanted]", only: list[str]) -> "list[Wanted]":
    """Choose plots by their names, or by those of files."""
    for name in only:
        if not any(name in (each.plot, each.name) for each in plots):
            names = dict.fromkeys(name for each in plots for name in (each.plot, each.name))
            raise BadInput(f"--only {name}: must be one of {', '.join(names)}")
    return [each for each in plots if not only or each.plot in only or each.name in only]


def _made(folder: Path) -> None:
    """Make the folder unless it is there."""
    try:
        folder.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise BadInput(f"--out {folder}: there is no folder {str(folder.parent)!r}") from None
    except FileExistsError:
        raise BadInput(f"--out {folder}: is a file") from None


def _saved(run: "Run", wanted: "Wanted", folder: Path, theme: str, kind: str) -> Path:
    """Draw one plot into a file."""
    from carromsim.tables.files import write_whole

    return write_whole(folder / f"{wanted.name}.{kind}", wanted.draw(run, theme, kind).data)
