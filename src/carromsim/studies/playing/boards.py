"""The board study: complete boards between two sides, from the break or from a given position."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, PlainValidator

from carromsim.play.setup import Start
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.declaring.fields import Number
from carromsim.studies.playing.board_summary import BoardCounts, BoardSummary
from carromsim.studies.playing.declaration import PlayDeclaration
from carromsim.studies.playing.start import start_given, start_of
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_players import BOARDS

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType


class BoardStudy(PlayDeclaration):
    """Boards, who plays them and how well. Frozen; every board follows from these fields and its number.

    Side 0 breaks and plays white, or is on strike in the position that is given.

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
        When enough boards were played, instead of all: {metric = "won_breaker", half_width = 0.01} once the interval
        of a metric is short enough, or {metric = "won_breaker", against = "won_other"} once it is told from another
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
    boards : int
        How many, at least 1.
    start : mapping, optional
        Position from which every board begins: white = [[x, y], ...] and black [m, from the board's centre, side 0 sits
        at the bottom]; queen = [x, y], or what she is if she is not on the board: "pending", "covered_white" or
        "covered_black"; shooter = "white" or "black", the colour of side 0; dues = [0, 0], owed by white and black.
        Default: the opening.
    """

    kind: ClassVar[str] = "board"
    noun: ClassVar[str] = "boards"
    unit: ClassVar[str] = "board"
    side_by_side: ClassVar[tuple[int, int]] = (512, 64)

    boards: Number = Field(default=5000, ge=1, le=2**40)
    start: Annotated[Mapping[str, Any] | None, PlainValidator(start_given)] = None

    @property
    def starts_from(self) -> Start | None:
        """Where boards begin; None: with the opening."""
        return None if self.start is None else start_of(self.start)

    @property
    def results(self) -> tuple[TableSchema, ...]:
        """The table `boards`."""
        return (BOARDS,)

    @property
    def rows(self) -> int:
        """Rows of the table `boards`."""
        return self.boards

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""
        return BoardCounts.metrics()

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the table `boards`; see `DeclaredStudy.observed`."""
        return BoardCounts.observed(batch)

    def empty_counts(self) -> BoardCounts:
        """Give the counts of no rows."""
        return BoardCounts.none()

    def counts_of(self, batch: "pa.RecordBatch") -> BoardCounts:
        """Count some rows of the table `boards`."""
        return BoardCounts.of(batch)

    def summary_of(
        self, counts: BoardCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> BoardSummary:
        """Give the summary of counts that were added up."""
        return BoardSummary(study=self, counts=counts, seconds=seconds, stopped=stopped)

    def report(self, summary: BoardSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.playing.report import play_report

        return play_report(self, summary, self.start)
