"""What a study of players is told, boards and matches alike, and how it plays."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, PlainValidator, model_validator

from carromsim.play.engine import play
from carromsim.play.records import Played
from carromsim.play.setup import GAP, STROKES_OF_A_BOARD, Setup, Start
from carromsim.players.policy import policy_of
from carromsim.players.skill import Skill
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.seats import DOUBLES, SINGLES
from carromsim.studies.declared import DeclaredStudy, RuledStudy
from carromsim.studies.declaring.fields import Conduct, Number, skill_given
from carromsim.studies.playing.rows import played_batch
from carromsim.studies.takes import Take
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_players import BOARDS, GAMES, MATCHES, PLAYED_STROKES

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

_RECORDS = {BOARDS: "boards", PLAYED_STROKES: "strokes", GAMES: "games", MATCHES: "matches"}
"""Where `Played` has the records of a table."""


def _pair(value: Any) -> tuple[Any, Any]:
    """Give one for each side, if one for both was given."""
    several = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if len(several) not in (1, 2):
        raise ValueError(f"{len(several)} given: must be one for both sides, or two")
    return several[0], several[-1]


def _policies(value: Any) -> tuple[str, str]:
    """Give the names of two policies."""
    first, second = _pair(value)
    for name in (first, second):
        if not isinstance(name, str):
            raise ValueError("must be names, or lookahead:N; cs.play_boards takes policies of your own")
        policy_of(name)
    return first, second


def _skills(value: Any) -> tuple[Skill, Skill]:
    """Give the skills of two sides."""
    first, second = _pair(value)
    return skill_given(first), skill_given(second)


Policies = Annotated[tuple[str, str], PlainValidator(_policies)]
Skills = Annotated[tuple[Skill, Skill], PlainValidator(_skills)]
"""One for both sides, or one for each."""


class PlayersDeclaration(DeclaredStudy):
    """Who plays, how the board begins and how long it may last: the fields that all studies of players have."""

    players: ClassVar[bool] = True
    angles: ClassVar[tuple[str, ...]] = ("rotation",)

    policy: Policies = Field(default="greedy", validate_default=True)
    skill: Skills = Field(default="club", validate_default=True)
    seed: Number = Field(default=1, ge=0, lt=2**64)
    doubles: bool = False
    stroke_limit: Number = Field(default=300, ge=1, le=STROKES_OF_A_BOARD)
    rotation: float = 0.0
    gap: float = Field(default=GAP, ge=0)
    jitter: Annotated[float | None, Field(ge=0)] = None
    conduct: Conduct = DeclaredRates()


class PlayDeclaration(PlayersDeclaration, RuledStudy):
    """The fields that studies of boards and of matches have, with what they may be."""

    unit: ClassVar[str]
    """What a row is, for `Setup`."""
    side_by_side: ClassVar[tuple[int, int]]
    """Rows of a chunk, which are played side by side, of policies that choose at a glance and of those that look ahead.

    Some seconds on one core, and half a minute: the more the faster, up to a point.
    """

    keep_strokes: bool = True

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        largest = self.gap / (2.0 * math.sqrt(2.0))
        if self.jitter is not None and self.jitter > largest * (1.0 + 1e-12):
            raise ValueError(f"jitter = {self.jitter:g}: must be from 0 to gap / (2 sqrt 2) = {largest:g} m")
        try:
            self.setup()
        except ValueError as error:
            what = f"gap = {self.gap:g}" if self.starts_from is None else "start = position"
            raise ValueError(f"{what}: {error}") from None
        return self

    def setup(self) -> Setup:
        """Give what is played, as the engine takes it."""
        first, second = (policy_of(name) for name in self.policy)
        return Setup(
            rules=self.ruleset,
            policies=(first, second),
            skills=self.skill,
            equipment=self.equipment,
            seed=self.seed,
            seating=DOUBLES if self.doubles else SINGLES,
            unit=self.unit,
            stroke_limit=self.stroke_limit,
            rotation=self.rotation,
            gap=self.gap,
            jitter=self.jitter,
            conduct=self.conduct,
            start=self.starts_from,
            keep_strokes=self.keep_strokes,
        )

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk."""
        return self.side_by_side[any(name.startswith("lookahead") for name in self.policy)]

    @property
    def starts_from(self) -> Start | None:
        """Where boards begin; None: with the opening."""
        return None

    @property
    @abstractmethod
    def results(self) -> tuple[TableSchema, ...]:
        """Tables without that of the strokes."""

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """What it writes; strokes last, if they are kept."""
        return (*self.results, PLAYED_STROKES) if self.keep_strokes else self.results

    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Play some rows of the study in this thread; see `DeclaredStudy.batch`."""
        return self.rows_of(play(self.setup(), rows), self.tables)

    def rows_of(self, played: Played, tables: Sequence[TableSchema]) -> "dict[str, pa.RecordBatch]":
        """Give rows of some tables, by their names."""
        return {table.name: played_batch(table, getattr(played, _RECORDS[table]), self.ruleset) for table in tables}

    def _first_table(self, rows: range) -> "pa.RecordBatch":
        """Play without keeping strokes, which the first table does not need."""
        table = self.results[0]
        return self.rows_of(play(replace(self.setup(), keep_strokes=False), rows), (table,))[table.name]

    def replay(self, row: int) -> Played:
        """Play one row again and keep its strokes; all is as in the tables, bit for bit.

        Parameters
        ----------
        row : int
            0 <= row < rows.
        """
        number = self.checked_row(row)
        return play(replace(self.setup(), keep_strokes=True), range(number, number + 1))

    def replay_dict(self, played: Played) -> dict[str, Any]:
        """Give a replayed row as plain names and numbers, ready for JSON: its rows in every table."""
        rows = self.rows_of(played, (*self.results, PLAYED_STROKES))
        return {name: table.to_pylist() for name, table in rows.items()}

    def replay_report(self, played: Played) -> "RenderableType":
        """Lay out the strokes of a replayed row for a terminal."""
        from carromsim.studies.playing.report import replay_report

        return replay_report(self.replay_dict(played)["strokes"])

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the strokes of one row, ready to be shown; see `DeclaredStudy.takes`."""
        from carromsim.studies.playing.takes import takes_of

        return takes_of(self, self.checked_row(row), board)

    def warm_up(self) -> None:
        """Compile or load the kernels by playing one board, which is not the study's time."""
        play(replace(self.setup(), unit="board", keep_strokes=False), range(1))
