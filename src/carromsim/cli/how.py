"""The options that say how a study is played, and not what it is: the same for every command that plays one."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class How:
    """How a study is played.

    Parameters
    ----------
    out
        Directory for the tables as Parquet, or a URL such as s3://bucket/first: new, empty, or of the same study, which
        is continued; without it only the summary is made.
    fresh
        Remove the run that is in the directory, of whatever study, and start anew.
    executor
        Who plays: threads, processes, or dask:ADDRESS of a scheduler, as in dask:tcp://10.0.0.1:8786. The results do
        not depend on it.
    workers
        How many play at a time; default: one per core, or all that the scheduler has. The results do not depend on it.
    quiet
        Show no progress.
    json
        Print the summary as JSON on standard output and nothing else there.
    """

    out: str | None = None
    fresh: Annotated[bool, Parameter(negative=())] = False
    executor: str = "threads"
    workers: int | None = None
    quiet: Annotated[bool, Parameter(negative=())] = False
    json: Annotated[bool, Parameter(negative=())] = False


AS_USUAL = How()
"""Threads, one per core, and nothing is kept but the summary."""
