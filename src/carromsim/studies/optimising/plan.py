"""What is evaluated in which row, and with which luck: all of it is fixed before anything is played.

Luck is the number of a stroke in its study. Every section of a plan has numbers of its own, so nothing is judged by
the strokes by which it was chosen: not a generation by those of the one before, not a finalist by those of the search,
not the winner by those of the finalists. Within a section all breaks have the same luck (common random numbers), which
takes out of their differences most of what chance does.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

__all__ = ["Plan", "Section", "Stage"]


class Stage(IntEnum):
    """What a break is evaluated for; see `carromsim.tables.schemas_optimise.STAGES`."""

    SCOUT = 0
    SEARCH = 1
    FINALIST = 2
    VERDICT = 3
    MAP = 4
    ROBUSTNESS = 5


@dataclass(frozen=True)
class Section:
    """Rows that are evaluated with the same luck.

    Attributes
    ----------
    stage : Stage
    rows : range
        Of the table.
    luck : range
        Numbers of the strokes.
    restart, generation : int
        Of the search; -1 elsewhere.
    """

    stage: Stage
    rows: range
    luck: range
    restart: int = -1
    generation: int = -1


@dataclass(frozen=True)
class Plan:
    """How much is evaluated.

    Attributes
    ----------
    scouts : int
        Breaks from all over the box, of which the best are starts of searches.
    restarts, generations, candidates : int
        Searches, generations of each, breaks of each generation.
    finalists : int
        Breaks that are evaluated again; with them the mean of each search and the straight break.
    verdicts : int
        Breaks that the verdict is about.
    mapped, conditions : int
        Breaks of the map around the winner, and conditions under which he is played again.
    strokes : tuple of int
        Strokes of each evaluation, by stage.
    """

    scouts: int
    restarts: int
    generations: int
    candidates: int
    finalists: int
    verdicts: int
    mapped: int
    conditions: int
    strokes: tuple[int, int, int, int, int, int]

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections, in the order of their rows."""
        sizes = [(Stage.SCOUT, self.scouts, -1, -1)]
        sizes += [
            (Stage.SEARCH, self.candidates, restart, generation)
            for restart in range(self.restarts)
            for generation in range(self.generations)
        ]
        sizes += [
            (Stage.FINALIST, self.finalists, -1, -1),
            (Stage.VERDICT, self.verdicts, -1, -1),
            (Stage.MAP, self.mapped, -1, -1),
            (Stage.ROBUSTNESS, self.conditions, -1, -1),
        ]
        row = stroke = 0
        made = []
        for stage, count, restart, generation in sizes:
            if not count:
                continue
            rows, luck = range(row, row + count), range(stroke, stroke + self.strokes[stage])
            made.append(Section(stage, rows, luck, restart, generation))
            row, stroke = rows.stop, luck.stop
        return tuple(made)

    @property
    def rows(self) -> int:
        """Evaluations in all."""
        return self.sections[-1].rows.stop

    def section_of(self, row: int) -> Section:
        """Give the section of a row."""
        return self.sections[bisect_right(self._starts, row) - 1]

    @cached_property
    def _starts(self) -> list[int]:
        return [section.rows.start for section in self.sections]
