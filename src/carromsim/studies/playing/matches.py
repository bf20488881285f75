"""The match study: games of boards between two sides, until one has won the match."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.declaring.fields import Number
from carromsim.studies.playing.declaration import PlayDeclaration
from carromsim.studies.playing.match_summary import MatchCounts, MatchSummary
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_players import BOARDS, GAMES, MATCHES

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType


class MatchStudy(PlayDeclaration):
    """Matches, who plays them and how well. Frozen; every match follows from these fields and its number.

    The toss decides who breaks first. A board that the rules do not end is void and played again, at most three times
    in a row; then the match is void.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        The laws, a shipped rule set's name (`RuleSet.names`), or a TOML file (`RuleSet.load`). They name the equipment.
    equipment : Equipment, str or path, optional
        Another board than the rule set's, the name of a preset, or a TOML file (`Equipment.load`).
    policy : str or two of them
        How strokes are chosen, by both sides or by each: "random", "greedy", "lookahead", or "lookahead:N" with the
        number of strokes that it imagines per choice.
    skill : Skill, str, mapping, or two of them
        How well they are executed: novice, club, expert, champion, perfect, or standard deviations of your own, such as
        {sd_x = 0.001, sd_angle_deg = 0.5, sd_speed = 0.05, sd_spin = 5.0}.
    until : Until or mapping, optional
        When enough matches were played, instead of all: {metric = "won_side_0", half_width = 0.01} once the interval
        of a metric is short enough, or {metric = "won_side_0", against = "won_side_1"} once it is told from another
        one or from a number. Looked at after each chunk by an interval that holds at all looks together; level = 0.95
        is that of the interval.
    seed : int
        0 <= seed < 2^64. The same seed gives the same luck to every variant of a study.
    doubles : bool
        Whether four play, partners facing each other.
    stroke_limit : int
        Strokes after which a board is given up, 1 to 4096.
    rotation : float
        Turn of the opening pack, counter-clockwise [rad]; at 0 the stem of the white Y points to the breaker.
    gap : float
        Between neighbours in the pack [m]. The default is a guess for a pack set up by hand.
    jitter : float, optional
        Each disc of the pack is shifted by up to this much in x and in y [m]; default: as far as the gap allows.
    conduct : DeclaredRates or mapping, optional
        How often people do what no physics decides, such as an improper stroke.
    keep_strokes : bool
        Whether there is a table of strokes too.
    matches : int
        How many, at least 1.
    """

    kind: ClassVar[str] = "match"
    noun: ClassVar[str] = "matches"
    unit: ClassVar[str] = "match"
    side_by_side: ClassVar[tuple[int, int]] = (64, 8)

    matches: Number = Field(default=200, ge=1, le=2**40)

    @property
    def results(self) -> tuple[TableSchema, ...]:
        """The tables `matches`, `games` and `boards`."""
        return (MATCHES, GAMES, BOARDS)

    @property
    def rows(self) -> int:
        """Rows of the table `matches`."""
        return self.matches

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""
        return MatchCounts.metrics()

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the table `matches`; see `DeclaredStudy.observed`."""
        return MatchCounts.observed(batch)

    def empty_counts(self) -> MatchCounts:
        """Give the counts of no rows."""
        return MatchCounts.none()

    def counts_of(self, batch: "pa.RecordBatch") -> MatchCounts:
        """Count some rows of the table `matches`."""
        return MatchCounts.of(batch)

    def summary_of(
        self, counts: MatchCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> MatchSummary:
        """Give the summary of counts that were added up."""
        return MatchSummary(study=self, counts=counts, seconds=seconds, stopped=stopped)

    def report(self, summary: MatchSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.playing.report import play_report

        return play_report(self, summary)
