"""The command `carromsim report`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.progress import tell_if_cold
from carromsim.cli.runs import opened, tell_unfinished

if TYPE_CHECKING:
    from carromsim.studies.declared import DeclaredStudy


@app.command
def report(directory: str, /, *, out: Annotated[Path, Parameter(name=["--out", "-o"])]) -> None:
    """Write a page about a run: what was asked, plots, tables, rows to watch, and where it all comes from.

    The page needs no network and no other file. The run may be unfinished: then it tells of the rows so far.

    Parameters
    ----------
    directory
        Of the run: a path, or a URL such as s3://bucket/runs/first.
    out
        File to write, such as report.html.
    """
    from carromsim.tables.files import write_whole
    from carromsim.viz.plots.gallery import counted_once
    from carromsim.viz.report import report_page

    if not out.parent.is_dir():
        raise BadInput(f"--out {out}: there is no folder {str(out.parent)!r}")
    run = counted_once(opened(directory))
    tell_unfinished(run, run.summary())
    tell_if_cold(players=cast("DeclaredStudy", run.study).players)
    try:
        page = report_page(run)
    except ImportError as error:
        raise Failed(str(error)) from None
    write_whole(out, page.encode())
    sys.stdout.write(f"Written   {out}, {out.stat().st_size / 1e3:,.0f} kB\n")
