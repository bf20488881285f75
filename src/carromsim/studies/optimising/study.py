"""The search for the break that is best for an objective, a hand and a board."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from carromsim.chunks import Chunks
from carromsim.executors import Crew, crew_of
from carromsim.studies.breaks.summary import BreakSummary
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.optimising.course import Course
from carromsim.studies.optimising.declaration import OptimiseDeclaration
from carromsim.studies.optimising.jobs import BOARD_WON, Job, Share, evaluated, serially
from carromsim.studies.optimising.records import Evaluation, batch_of, evaluations_of
from carromsim.studies.optimising.search import library
from carromsim.studies.optimising.summary import EvaluationCounts, OptimiseSummary
from carromsim.studies.runs.in_turn import shared_by
from carromsim.studies.takes import Take
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_optimise import EVALUATIONS
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

__all__ = ["BreakOptimisation"]


class BreakOptimisation(OptimiseDeclaration):
    """A search for the break that is best for an objective. Frozen; every row follows from these fields.

    Breaks are chosen by place, direction, speed and spin, and by the turn of the pack where the rule set leaves that to
    the breaker. Independent starts of CMA-ES search, the best candidates are evaluated again, and the best of these
    once more: what a break is said to be worth is measured by strokes that had no part in choosing it.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        The laws, a shipped rule set's name (`RuleSet.names`), or a TOML file (`RuleSet.load`). They say whether the
        pack may be turned, rule on every break and name the equipment preset.
    equipment : Equipment, str or path, optional
        Another board than the rule set's, the name of a preset, or a TOML file (`Equipment.load`).
    skill : Skill, str or mapping
        The hand: novice, club, expert, champion, perfect, or standard deviations of your own, such as
        {sd_x = 0.001, sd_angle_deg = 0.5, sd_speed = 0.05, sd_spin = 5.0}.
    objective : mapping of str to float
        What is to be large: weights by term, as in {men = 1.0, striker = -1.0}. Terms are the metrics of a break study,
        such as men, queen_covered, striker, free or continue (the turn is kept), and board_won, the share of boards
        that the breaker wins after it.
    pareto : bool
        Whether the two terms of the objective are traded off instead of summed, of which only their signs count then.
    policy : str
        Who plays on after the break, for board_won: random, greedy, lookahead or lookahead:N, on both sides.
    until : None
        A search does not end early.
    seed : int
        0 <= seed < 2^64. Of the strokes' luck and of the search.
    gap : float
        Between neighbours in the pack [m]. The default is a guess for a pack set up by hand.
    jitter : float, optional
        Each disc of the pack is shifted by up to this much in x and in y [m]; default: as far as the gap allows.
    conduct : DeclaredRates or mapping, optional
        How often people do what no physics decides, such as an improper stroke.
    fastest : float
        Greatest speed that is looked at [m/s]. How fast people break, nobody has measured.
    most_spin : float
        Greatest spin that is looked at, either way, at most 1,000,000 [rad/s].
    straight_speed : float
        Speed of the break straight ahead from the middle, against which all are measured [m/s].
    scouts : int
        Breaks from all over the box that are evaluated first; where the best of them lie, searches begin.
    restarts : int
        Independent searches; the first begins at the straight break, the others at the best scouts. One alone has none.
    generations : int
        Of each search.
    candidates : int
        Breaks of a generation, at least 4.
    strokes : int
        For each of them and for each scout; all of a generation have the same luck, and no two generations.
    finalists : int
        Breaks of the search that are evaluated again, with the mean of each search and the straight break.
    finalist_strokes : int
        For each of these.
    verdict_strokes : int
        For the winner and the straight break, at the end.
    map_points : int
        Values of each coordinate around the winner, the others being his; 0: no map.
    map_strokes : int
        For each of these.
    robustness : mapping of str to list of float
        Other values of gap, mu_surface, e_disc and e_cushion, for each of which the winner and the straight break are
        played again.
    robustness_strokes : int
        For each of these.

    Notes
    -----
    A row depends on those before it, so chunks are played one after the other, each by all workers, and a run that is
    continued tells the search what stands there. `stream` and `batch` play what comes before a row if they must.
    """

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """The table `evaluations`."""
        return (EVALUATIONS,)

    @property
    def rows(self) -> int:
        """Rows of the table `evaluations`."""
        return self.plan.rows

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk: a generation."""
        return self.candidates

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """None: the rows of a search are no trials of one thing."""
        return {}

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give no metrics."""
        return {}

    def recall(self, batch: "pa.RecordBatch") -> None:
        """Take rows that were played earlier, as far as they are the next ones; see `Sequential`."""
        self._memory.course.recall(evaluations_of(batch))

    def work_with(self, crew: Crew | None) -> None:
        """Let a crew share the strokes of each row; None: this thread plays them. See `Sequential`."""
        self._memory.share = serially if crew is None else shared_by(crew)

    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Evaluate rows of the study, and all before them that it does not know yet; see `DeclaredStudy.batch`."""
        return {EVALUATIONS.name: batch_of(self._memory.course.rows(rows))}

    def replay(self, row: int) -> tuple[Evaluation, BreakSummary]:
        """Evaluate one row again and tell all that came of its strokes, not only the objective.

        Parameters
        ----------
        row : int
            0 <= row < rows.
        """
        number = self.checked_row(row)
        candidate = self._memory.course.candidate(number)
        luck = self.plan.section_of(number).luck
        setting = self.setting.under(candidate.conditions)
        study = setting.break_study(candidate.break_, len(luck))
        counts = study.empty_counts()
        for piece in Chunks(len(luck), study.piece_rows):
            counts += study.counts_of(study.batch(luck[piece.start : piece.stop])["strokes"])
        (evaluation,) = self._memory.course.rows(range(number, number + 1))
        return evaluation, study.summary_of(counts)

    def replay_dict(self, played: tuple[Evaluation, BreakSummary]) -> dict[str, Any]:
        """Give a replayed evaluation as plain names and numbers, ready for JSON."""
        evaluation, summary = played
        return {"terms": evaluation.of_terms, "break": summary.to_dict()}

    def replay_report(self, played: tuple[Evaluation, BreakSummary]) -> "RenderableType":
        """Lay out a replayed evaluation for a terminal."""
        _, summary = played
        return summary.study.report(summary)

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the first stroke of one evaluation, ready to be shown; see `DeclaredStudy.takes`."""
        number = self.checked_row(row)
        candidate, luck = self._memory.course.candidate(number), self.plan.section_of(number).luck
        study = self.setting.under(candidate.conditions).break_study(candidate.break_, luck.stop)
        (take,) = study.takes(luck.start, board)
        return [replace(take, title=f"Evaluation {number} ({candidate.origin}): first of {len(luck)} breaks")]

    def empty_counts(self) -> EvaluationCounts:
        """Give the counts of no rows."""
        return EvaluationCounts()

    def counts_of(self, batch: "pa.RecordBatch") -> EvaluationCounts:
        """Keep rows of the table `evaluations`."""
        return EvaluationCounts.of(evaluations_of(batch))

    def summary_of(
        self, counts: EvaluationCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> OptimiseSummary:
        """Give the summary of rows that were brought together."""
        return OptimiseSummary(study=self, counts=counts, seconds=seconds, stopped=stopped)

    def report(self, summary: OptimiseSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.optimising.report import optimise_report

        return optimise_report(self, summary)

    def warm_up(self) -> None:
        """Compile or load the kernels, and see that there is what the search needs."""
        library()
        self.setting.break_study(self.space.straight(self.straight_speed), 1).warm_up()
        if BOARD_WON in self.objective:
            evaluated(self.setting, [Job(self.space.straight(self.straight_speed), range(1))], serially)

    def _batches(self, chunks: Chunks, threads: int) -> "Generator[pa.RecordBatch]":
        with crew_of("threads", threads) as crew:
            self.work_with(crew)
            try:
                yield from super()._batches(chunks, 1)
            finally:
                self.work_with(None)

    @cached_property
    def _memory(self) -> "_Memory":
        return _Memory(self)

    def __getstate__(self) -> dict[Any, Any]:
        """Leave out what is known of the rows: a copy plays them again."""
        state = super().__getstate__()
        return state | {"__dict__": {key: value for key, value in state["__dict__"].items() if key != "_memory"}}


class _Memory:
    """What a study knows of its rows while it is played, and who plays them."""

    def __init__(self, study: BreakOptimisation) -> None:
        self.share: Share = serially
        self._setting = study.setting
        self.course = Course(study.question, self._evaluate)

    def _evaluate(self, jobs: Sequence[Job]) -> "list[FloatArray]":
        return evaluated(self._setting, jobs, self.share)
