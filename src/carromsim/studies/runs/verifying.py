"""Checking all that a run is made of. What stands is looked at; what is missing is a few stretches, however long."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from typing import cast

from carromsim.studies.counting.stopping import Evidence, Stopping, evidence_of
from carromsim.studies.runs.reading import Run, locked_if_writable
from carromsim.studies.runs.study import check_parts
from carromsim.tables.dataset import MISSING, RECORD, Checked, Entry, Parts, Problem
from carromsim.tables.schemas import TableSchema
from carromsim.tables.writer import part_name

__all__ = ["gaps", "problems_of"]


def problems_of(run: Run, threads: int) -> list[Problem]:
    """Name what is wrong with a run; see `Run.verify`."""
    parts = run.parts
    with locked_if_writable(run.place) as mine:
        record, stopping = parts.read_record(), Stopping(run.study, len(parts.chunks))
        told = len(parts.chunks) if record is None else len(record[parts.tables[0].name])
        entries, problems = _looked_at(run, parts, stopping, told, threads)
        if not problems and stopping.end is None:
            problems.append(Problem(RECORD, "says that the run ended here, and its rows that it goes on"))
        problems += parts.wrong_record(None if problems else parts.record(entries, stopping.told))
        if mine is not None and not problems:
            with suppress(OSError):  # a store that may only be read; the run is sound without
                replace(parts, place=mine).write_record(entries, stopping.told)
    return problems + parts.strangers(stopping.end or told)


def _looked_at(
    run: Run, parts: Parts, stopping: Stopping, told: int, threads: int
) -> tuple[dict[str, list[Entry]], list[Problem]]:
    """Check the chunks of which anything stands, below `told`, and tell `stopping` what those at the start say.

    Returns
    -------
    entries : dict
        Of the sound parts, by table.
    problems : list of Problem
        Of the others, in the order of the chunks.
    """
    entries: dict[str, list[Entry]] = {table.name: [] for table in parts.tables}
    there: dict[str, list[int]] = {table.name: [] for table in parts.tables}
    wrong: list[tuple[int, Problem]] = []
    numbers = sorted({n for table in parts.tables for n in parts.standing(table) if n < told})
    sound = 0
    found_of = cast("Generator[tuple[int, Checked]]", check_parts(parts, numbers, threads))
    with closing(found_of) as chunks:
        for number, checked in chunks:
            for name, found in checked.items():
                if isinstance(found, Entry):
                    entries[name].append(found)
                elif found.why == MISSING:
                    continue
                else:
                    wrong.append((number, found))
                there[name].append(number)
            if number == sound and all(isinstance(found, Entry) for found in checked.values()):
                stopping.add(number, _evidence(run, parts, number))
                sound += 1
            if stopping.end == number + 1:
                break
    end = min(told, stopping.end or told)
    for table in parts.tables:
        wrong += _missing(parts, table, there[table.name], end)
    order = [table.name for table in parts.tables]
    wrong.sort(key=lambda each: (each[0], order.index(each[1].path.partition("/")[0])))
    return entries, [problem for _, problem in wrong]


def _missing(parts: Parts, table: TableSchema, there: Iterable[int], end: int) -> Iterator[tuple[int, Problem]]:
    """Name the parts of a table that are missing, those in a row together; each with its first number."""
    for gap in gaps(there, end):
        first, last = parts.name(table, gap[0]), part_name(gap[-1])
        yield gap[0], Problem(first if len(gap) == 1 else f"{first} to {last}", MISSING)


def gaps(numbers: Iterable[int], end: int) -> Iterator[range]:
    """Give the stretches of 0, 1, ... below `end` that some ascending numbers leave out."""
    start = 0
    for number in (*numbers, end):
        if start < number:
            yield range(start, number)
        start = number + 1


def _evidence(run: Run, parts: Parts, number: int) -> Evidence | None:
    """Give what a chunk says about the run's end; it is read only if it says anything."""
    if run.study.until is None:
        return None
    return evidence_of(run.study, parts.read(run.study.tables[0], number))
