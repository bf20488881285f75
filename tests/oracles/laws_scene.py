"""The scene of one stroke and what a referee says of it, shared by the slow twins of the five rule sets."""

from dataclasses import dataclass
from typing import Any, Literal

MEN = 9
OTHER = {"white": "black", "black": "white"}


@dataclass
class Scene:
    """A case dict seen from the shooter, after whatever fell between the strokes.

    `fell_own`, `fell_opponent`: men in the pockets by this stroke. `own`, `opponent`: men on the board before it.
    """

    case: dict[str, Any]
    shooter: str
    own: int
    opponent: int
    ever: dict[str, bool]
    queen: str
    queen_sent_back: bool
    owed: dict[str, int]
    turn_men: int
    stroke: dict[str, Any]

    @property
    def other(self) -> str:
        return OTHER[self.shooter]

    @property
    def rules(self) -> str:
        return str(self.case["ruleset"])

    @property
    def fell_own(self) -> int:
        return int(self.stroke["pocketed"]["own"])

    @property
    def fell_opponent(self) -> int:
        return int(self.stroke["pocketed"]["opponent"])

    @property
    def queen_fell(self) -> bool:
        return bool(self.stroke["pocketed"]["queen"])

    @property
    def striker(self) -> bool:
        return bool(self.stroke["pocketed"]["striker"])

    @property
    def own_last(self) -> bool:
        """The shooter's last man is down; men that left the board come back, so none may have."""
        return self.fell_own > 0 and self.fell_own == self.own

    @property
    def opponent_last(self) -> bool:
        return self.fell_opponent > 0 and self.fell_opponent == self.opponent

    @property
    def striker_took_own(self) -> bool:
        """The striker followed an own man into its pocket."""
        return self.striker and self.fell_own > 0 and bool(self.stroke["striker_same_pocket_as_own"])

    @property
    def break_made(self) -> bool:
        return bool(self.case["before"]["break_made"])

    @property
    def attempt(self) -> int:
        return int(self.case["before"]["break_attempt"])

    def fact(self, name: str) -> bool:
        return bool(self.stroke.get(name, False))

    def count(self, name: str) -> int:
        return int(self.stroke.get(name, 0))

    def over(self, what: str) -> int:
        return int(self.stroke["overboard"][what])

    def score(self, colour: str) -> int:
        return int(self.case["before"]["score"][colour])

    def covered_by(self, colour: str) -> bool:
        return self.queen == f"covered_{colour}"


@dataclass
class Verdict:
    """What the referee says; counts that nobody mentions are 0."""

    turn: Literal["continue", "pass", "retry", "board_end"]
    queen: str
    dues: int = 0  # new ones, before the opponent forgoes any
    own_back: int = 0  # men that come back though they are no dues, those that left the board among them
    opponent_back: int = 0
    queen_back: bool = False
    paid_own: int = 0
    paid_opponent: int = 0
    minus: int = 0  # points the shooter loses at once
    winner: str = ""
    points: int = 0
    break_made: bool = True
    break_lost: bool = False  # the right to break goes to the other side
    attempt: int = 1  # of the next stroke, while the break is not made
    undone: bool = False  # nothing counts as pocketed in this stroke


def left_on_board(scene: Scene, verdict: Verdict) -> dict[str, int]:
    """Men on the board after returns, before dues are placed."""
    return {
        scene.shooter: scene.own - scene.fell_own - scene.over("own") + verdict.own_back,
        scene.other: scene.opponent - scene.fell_opponent - scene.over("opponent") + verdict.opponent_back,
    }


def in_pockets(scene: Scene, verdict: Verdict) -> dict[str, int]:
    """Men that could be placed as dues."""
    return {colour: MEN - men for colour, men in left_on_board(scene, verdict).items()}


def forgone(asked: bool | int, dues: int, all_or_nothing: bool) -> int:
    """Return how many of the new dues the opponent forgoes."""
    if asked is True:
        return dues
    wish = min(int(asked), dues)
    return 0 if all_or_nothing and wish < dues else wish
