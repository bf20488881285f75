"""Files for looking at strokes that commands write with `--out`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from carromsim.cli.app import BadInput, Failed, stderr

if TYPE_CHECKING:
    from carromsim.viz.replays import Replay


def check_out(out: Path | None) -> None:
    """Complain about a file that could not be written, before anything is played for it."""
    if out is None:
        return
    from carromsim.viz.saving import check_suffix

    try:
        check_suffix(out)
    except ValueError as error:
        raise BadInput(f"--out {error}") from None
    if not out.parent.is_dir():
        raise BadInput(f"--out {out}: there is no folder {str(out.parent)!r}")


def check_length(replay: "Replay", out: Path) -> None:
    """Complain about several strokes for a file that shows one."""
    from carromsim.viz.saving import check_length as check

    try:
        check(replay, out)
    except ValueError as error:
        raise BadInput(f"--out {error}; --stroke N takes one") from None


def save(replay: "Replay", out: Path, *, quiet: bool) -> None:
    """Write a replay and tell its size; on standard error if standard output belongs to JSON (`quiet`)."""
    try:
        replay.save(out)
    except ImportError as error:
        raise Failed(str(error)) from None
    told = f"Written   {out}, {out.stat().st_size / 1e3:,.0f} kB\n"
    if quiet:
        stderr().print(told, end="", soft_wrap=True)
    else:
        sys.stdout.write(f"\n{told}")
