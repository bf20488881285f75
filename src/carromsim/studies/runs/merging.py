"""Parts of one study that were played in several directories, brought together."""

from collections.abc import Sequence
from os import PathLike

from carromsim.chunks import thread_count
from carromsim.studies.runs.directory import DirectoryError, claim, differences, place_of_run
from carromsim.studies.runs.reading import Run, open_run
from carromsim.studies.runs.running import Entries, finish, standing, takings_of
from carromsim.studies.runs.study import check_parts, parts_of, refuse_sequential
from carromsim.tables.dataset import Entry, Parts, Problem

_MOST_PROBLEMS = 20
"""Lines of a refusal; more would bury the first."""

Sources = dict[int, tuple[Parts, Entries]]
"""Where the sound parts of a chunk stand, and what they are, by number."""


def merge_runs(directories: Sequence[str | PathLike[str]], out: str | PathLike[str]) -> Run:
    """Bring the parts of one study together, from wherever they were played.

    The result has the bytes of a run that was never shared out. Parts may stand in several directories. What is
    missing is left for the study's own command, which plays it in `out`.

    Parameters
    ----------
    directories : sequence of path or URL
        Runs of one study with the same versions, finished or not.
    out : path or URL
        New, empty, or of a run of the same study, to which is added what it lacks.

    Returns
    -------
    Run
        That in `out`.

    Raises
    ------
    DirectoryError
        A ValueError: if a directory holds no run, the runs are not of one study (naming the differences), a part is
        damaged (naming it), or `out` cannot be used. Nothing is written then.
    OSError
        If writing fails later.
    """
    if isinstance(directories, str | bytes | PathLike):
        raise ValueError(f"directories = {directories!r}: must be a list of directories")
    if not directories:
        raise ValueError("directories: must be at least one")
    runs = [open_run(directory) for directory in directories]
    first = runs[0]
    refuse_sequential(first.study, f"{first.directory} cannot be merged")
    for run in runs[1:]:
        _check_same(first, run)
    sources = _sources(runs)
    place = place_of_run(out)
    with claim(out, first.study.tables, first.manifest) as held:
        parts = parts_of(held, first.study, first.manifest)
        entries = standing(parts, None)
        for number in sorted(sources.keys() - entries.keys()):
            entries[number] = _copied(number, *sources[number], parts)
        finish(parts, takings_of(first.study, parts, entries))
    return Run(place=place, manifest=first.manifest, study=first.study)


def missing_chunks(run: Run) -> list[int]:
    """List the chunks that a run lacks; none of a finished one, even if it ended before all rows were played."""
    parts = run.parts
    there = set(parts.complete()) if parts.read_record() is None else set(range(len(parts.chunks)))
    return [number for number in range(len(parts.chunks)) if number not in there]


def _check_same(first: Run, other: Run) -> None:
    found = differences(first.manifest, other.manifest, words=(f"in {first.directory}", f"in {other.directory}"))
    lines = [line for line in found if not line.startswith("study_hash")][:_MOST_PROBLEMS]
    if found:
        raise DirectoryError(
            "\n  ".join([f"{first.directory} and {other.directory} are not parts of one run:", *lines])
        )


def _sources(runs: Sequence[Run]) -> Sources:
    """Find all chunks whose parts stand, and check them."""
    sources: Sources = {}
    problems = []
    for run in runs:
        parts = run.parts
        for number, checked in check_parts(parts, parts.complete(), thread_count(None)):
            wrong = [found for found in checked.values() if isinstance(found, Problem)]
            problems += [f"{run.directory}: {found}" for found in wrong]
            entries = {name: entry for name, entry in checked.items() if isinstance(entry, Entry)}
            if not wrong and sources.setdefault(number, (parts, entries))[1] != entries:
                problems.append(f"{run.directory}: part {number} is not that of {sources[number][0].place}")
    if problems:
        more = [f"and {len(problems) - _MOST_PROBLEMS} more"] if len(problems) > _MOST_PROBLEMS else []
        lines = "\n  ".join([*problems[:_MOST_PROBLEMS], *more])
        raise DirectoryError(
            f"there are damaged parts, and nothing was merged:\n  {lines}\nthe run's own command plays them again"
        )
    return sources


def _copied(number: int, source: Parts, entries: Entries, parts: Parts) -> Entries:
    """Copy the parts of a chunk as they were found."""
    for table in parts.tables:
        name = parts.name(table, number)
        data = source.place.read(name)
        if Entry.of(entries[table.name].rows, data) != entries[table.name]:
            raise OSError(f"{source.place.path(name)} was changed while it was copied")
        parts.place.write(name, data)
    return entries
