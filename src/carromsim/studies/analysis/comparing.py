"""Two runs of one kind compared: what differs in their declarations, and what differs in what came out.

Runs with the same seed have the same luck row by row. They are compared row by row, which takes the luck that both
share out of the difference. Other runs are compared as independent samples.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from carromsim.studies.counting.frequencies import LEVEL, json_ready
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.pairs import MetricDifference, Pairs, differences_of
from carromsim.studies.counting.stopping import Evidence
from carromsim.studies.runs.directory import differences
from carromsim.studies.runs.reading import Run, locked_if_writable, open_run
from carromsim.tables.places import Folder
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two runs compared.

    Parameters
    ----------
    a, b : str
        Their directories.
    kind, noun : str
        Of their studies, and what their rows are.
    declared : tuple of str
        In what the declarations differ, with both values.
    versions : tuple of str
        What had another version.
    paired : bool
        Whether rows are compared one by one.
    rows_a, rows_b : int
        Rows of each run that stand.
    rows : int
        Pairs of rows, or the rows of both runs.
    notes : tuple of str
        What a reader must know.
    metrics : tuple of MetricDifference
        All that both studies have.
    level : float
        Of the intervals.
    """

    a: str
    b: str
    kind: str
    noun: str
    declared: tuple[str, ...]
    versions: tuple[str, ...]
    paired: bool
    rows_a: int
    rows_b: int
    rows: int
    notes: tuple[str, ...]
    metrics: tuple[MetricDifference, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        return dict(json_ready(asdict(self)))

    def report(self) -> "RenderableType":
        """Lay everything out for a terminal."""
        from carromsim.studies.analysis.report import comparison_report

        return comparison_report(self)


def diff_runs(a: str | PathLike[str] | Run, b: str | PathLike[str] | Run) -> Comparison:
    """Compare two runs of one kind of study, in all metrics that both have.

    Parameters
    ----------
    a, b : path, URL or Run
        Finished or not; of those that are not finished the rows that stand.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If one is no run, is going on, has no row yet, or the kinds differ.
    OSError
        If a part is damaged, naming it.
    """
    runs = tuple(each if isinstance(each, Run) else open_run(each) for each in (a, b))
    first, second = runs
    if first.study.kind != second.study.kind:
        kinds = " and ".join(f"{run.directory} is of kind {run.study.kind!r}" for run in runs)
        raise ValueError(f"{kinds}: only runs of one kind can be compared")
    with ExitStack() as held:
        for run in runs[:1] if _are_one(first, second) else runs:
            held.enter_context(locked_if_writable(run.place))
        return _compared(first, second)


def _are_one(first: Run, second: Run) -> bool:
    """Tell whether two runs lie in one place, by whatever names."""
    places = first.place, second.place
    if isinstance(places[0], Folder) and isinstance(places[1], Folder):
        return places[0].root.samefile(places[1].root)
    return places[0] == places[1]


class _Piece(NamedTuple):
    """Some rows of a run, one after the other: the number of the first, and their metrics."""

    start: int
    observed: Observed

    @property
    def stop(self) -> int:
        return self.start + len(next(iter(self.observed.values())))


def _compared(first: Run, second: Run) -> Comparison:
    metrics = {key: metric for key, metric in first.study.metrics.items() if key in second.study.metrics}
    if not metrics:
        raise ValueError(f"runs of kind {first.study.kind!r} have no metrics; compare their summaries")
    numbers = [run.numbers() for run in (first, second)]
    rows = [sum(len(run.parts.chunks[n]) for n in each) for run, each in zip((first, second), numbers, strict=True)]
    for run, there in zip((first, second), rows, strict=True):
        if not there:
            raise ValueError(f"{run.directory} has no finished part yet: there is nothing to compare")
    seeds = [run.manifest["study"].get("seed") for run in (first, second)]
    # Of shots and variants, equal metrics in one order mean that a row is of one skill, or of one variant, in both.
    paired = seeds[0] == seeds[1] and list(first.study.metrics.items()) == list(second.study.metrics.items())
    sums, compared = dict.fromkeys(metrics, Pairs.none()), 0
    one, other = (_pieces(run, each) for run, each in zip((first, second), numbers, strict=True))
    for count, found in (_pairs if paired else _one_by_one)(one, other, metrics):
        compared += count
        sums = {key: sums[key] + found[key] for key in metrics}
    return Comparison(
        a=str(first.directory),
        b=str(second.directory),
        kind=first.study.kind,
        noun=first.study.empty_counts().noun,
        declared=tuple(_differences(first.manifest["study"], second.manifest["study"])),
        versions=tuple(_differences(first.manifest["versions"], second.manifest["versions"])),
        paired=paired,
        rows_a=rows[0],
        rows_b=rows[1],
        rows=compared,
        notes=tuple(_notes(first, second, rows, compared if paired else None)),
        metrics=differences_of([(key, metrics[key], sums[key]) for key in metrics], paired=paired),
        level=LEVEL,
    )


def _pieces(run: Run, numbers: Sequence[int]) -> Iterator[_Piece]:
    """Read a run part by part."""
    parts, table = run.parts, run.study.tables[0]
    for number in numbers:
        yield _Piece(parts.chunks[number].start, run.study.observed(parts.read(table, number)))


def _pairs(
    first: Iterator[_Piece], second: Iterator[_Piece], metrics: Mapping[str, Metric]
) -> Iterator[tuple[int, dict[str, Pairs]]]:
    """Bring the rows together that have one number, whatever the parts they lie in; count them and sum them up."""
    one, other = next(first, None), next(second, None)
    while one is not None and other is not None:
        start, stop = max(one.start, other.start), min(one.stop, other.stop)
        if start < stop:
            yield stop - start, {key: Pairs.of(metrics[key], *_values(key, start, stop, one, other)) for key in metrics}
        # What ends first is done with; the rest of the longer one waits for the next.
        done = one.stop <= other.stop, other.stop <= one.stop
        one = next(first, None) if done[0] else one
        other = next(second, None) if done[1] else other


def _values(key: str, start: int, stop: int, *pieces: _Piece) -> tuple[FloatArray, ...]:
    return tuple(piece.observed[key][start - piece.start : stop - piece.start] for piece in pieces)


def _one_by_one(
    first: Iterator[_Piece], second: Iterator[_Piece], metrics: Mapping[str, Metric]
) -> Iterator[tuple[int, dict[str, Pairs]]]:
    """Count the rows of each run, and sum them up."""
    for place, pieces in enumerate((first, second)):
        for piece in pieces:
            found = {key: Evidence.seen(metrics[key], piece.observed[key]) for key in metrics}
            nothing = Evidence.none()
            sides = {
                key: Pairs(*((each, nothing) if place == 0 else (nothing, each)), 0) for key, each in found.items()
            }
            yield piece.stop - piece.start, sides


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Name what differs, with both values."""
    return differences(first, second, words=("in A", "in B"))


def _notes(first: Run, second: Run, rows: Sequence[int], pairs: int | None) -> list[str]:
    """Say what a reader must know before he believes the numbers; `pairs` of rows were compared."""
    notes = ["A and B are one run"] if _are_one(first, second) else []
    for name, run, there in zip("AB", (first, second), rows, strict=True):
        if run.parts.read_record() is None:
            notes.append(f"{name} is not finished: {there:,} of {run.study.rows:,} rows stand")
        if run.study.until is not None and run.study.until.against is not None:
            notes.append(f'{name} stops once "{run.study.until}" is decided: what decided it looks larger than it is')
    if pairs is not None and any(there != pairs for there in rows):
        notes.append(f"only the {pairs:,} rows that both have are compared")
    return notes
