"""The groups of a rule set and their fields, each with what it decides.

A group checks nothing by itself; `RuleSet` checks all of them together. Own and opponent's are seen from the shooter.
A due is one of the shooter's men, given back as a penalty.
"""

from dataclasses import dataclass, fields
from typing import Any

from carromsim.rules.ruleset_fields import MOST_POINTS, Kind, choice, kind_of, number, whole, yes_no
from carromsim_kernels import laws

__all__ = ["GROUPS", "KINDS", "Dues", "End", "Match", "Opening", "Placing", "Queen", "Score", "Stroke", "Turn"]

# Limits: a stroke's dues have 8 bits in the kernel, and nobody has more than nine men to pay with. Points have 16.
_DUES, _POINTS = laws.MEN, 100


def _dues(about: str) -> Any:
    return whole(about, 0, _DUES)


@dataclass(frozen=True, kw_only=True)
class Opening:
    """The break."""

    rotation: str = choice("How the pack may be turned", ("free", "y_to_breaker"))
    attempts: int = whole("Strokes to make the break, then the right to break passes", 1, 100)
    missed_striker_due: bool = yes_no("Whether a striker pocketed in a missed break costs what it always costs")


@dataclass(frozen=True, kw_only=True)
class Stroke:
    """What a stroke is."""

    exists: str = choice("When a stroke counts as made", laws.Exists)
    direct_hit: str = choice("What the striker may hit first", laws.DirectHit)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What keeps or ends a turn."""

    own_men: str = choice("Which men are the shooter's own", laws.OwnMen)
    own_man_keeps: bool = yes_no("Whether an own man pocketed keeps the turn")
    opponent_man_ends: bool = yes_no("Whether an opponent's man pocketed ends the turn though an own man fell")
    striker_ends: bool = yes_no("Whether the striker pocketed ends the turn though an own man fell")
    overboard_ends: bool = yes_no("Whether a man or the queen off the board ends the turn though an own man fell")
    striker_overboard_ends: bool = yes_no("Whether the striker off the board ends the turn though an own man fell")


@dataclass(frozen=True, kw_only=True)
class Dues:
    """What costs dues, and how they are paid."""

    striker: int = _dues("Dues for the striker pocketed")
    striker_with_own: int = _dues("Dues in all for the striker pocketed together with own men")
    striker_own_returned: str = choice(
        "Own men that come back, apart from dues, if the striker fell too", laws.Returned
    )
    double: str = choice("Whether the opponent may call a double due and let the shooter play on", laws.DoubleDue)
    opponent_man: int = _dues("Dues for opponent's men pocketed, however many")
    overboard: int = _dues("Dues for men or the queen off the board, however many")
    striker_overboard: int = _dues("Dues for the striker off the board")
    direct_hit: int = _dues("Dues for a forbidden direct hit")
    improper: int = _dues("Dues for an improper stroke; 0: knows none")
    improper_own_returned: bool = yes_no("Whether own men that fell in an improper stroke come back")
    interference: int = _dues("Dues for touching a moving striker or any man; 0: knows none")
    technical_foul: int = _dues("Dues for a technical foul; 0: knows none")
    bad_setup: int = _dues("Dues for a pack set up wrongly; 0: knows none")
    premature_break: int = _dues("Dues for a break before the umpire's word; 0: knows none")
    queen_premature: int = _dues("Dues for the queen pocketed without the right to her")
    queen_mix_cap: int | None = whole(
        "Most dues for queen, striker and opponent's men together", 0, _DUES, optional=True
    )
    pay: str = choice("When dues are placed", laws.Pay)
    cannot_pay: str = choice("What becomes of a due when no man is there to pay it", laws.CannotPay)
    decline: str = choice("Which new dues the opponent may forgo", laws.Decline)


@dataclass(frozen=True, kw_only=True)
class Placing:
    """Where men and the queen come back."""

    zone: str = choice("Where a due may stand", ("outer_circle",))
    centre_circle: bool = yes_no("Whether a due may cover the centre circle")
    queen_shot: bool = yes_no("Whether a due may make a pair or cannon with the queen")
    overboard: str = choice(
        "Where men come back that left the board", ("centre_then_circle", "circle", "touching_centre", "nearest_centre")
    )
    no_room: str = choice("What to do with a man that finds no room", ("nearest", "wait"))
    queen: str = choice(
        "Whom her place suits if the centre is taken: the opponent, not who plays next, or nobody: nearest to it",
        ("opponent", "next_player", "nearest"),
    )


@dataclass(frozen=True, kw_only=True)
class Queen:
    """The queen's laws."""

    right: str = choice("When the queen may be pocketed alone", laws.Right)
    blocked_by_due: bool = yes_no("Whether an owed due takes away the right to the queen")
    opening: str = choice("When queen and one own man in one stroke are not cover enough", laws.OpeningQueen)
    opening_men: int = whole("Own men that cover her then", 1, laws.MEN)
    cover: str = choice("When the queen must be covered", laws.Cover)
    cover_extended: bool = yes_no("Whether striker and own man in the covering stroke give one more stroke")
    striker_keeps_turn: bool = yes_no("Whether queen and striker in one stroke keep the turn, if she was rightful")
    returns_turn_men: bool = yes_no("Whether own men of this turn come back with an uncovered queen")
    penalty_voids_cover: bool = yes_no("Whether any penalty in the stroke leaves her uncovered")
    value: int = whole("Points of the queen to a winner who covered her", 0, _POINTS)
    cutoff: int | None = whole("Score before the board from which she is worth nothing", 0, MOST_POINTS, optional=True)


@dataclass(frozen=True, kw_only=True)
class End:
    """How a board ends."""

    own_last: str = choice("What happens when the own last man falls and the queen is not covered", laws.OwnLast)
    opponent_last: str = choice("What happens when the opponent's last man falls", laws.OpponentLast)
    fixed_points: int = whole("Points of a board lost by the last man", 0, _POINTS)
    fixed_points_from_cutoff: int = whole("The same if the queen is worth nothing to the winner", 0, _POINTS)
    demand_points: bool = yes_no("Whether the winner may demand a point for striker or foul in the last stroke")
    board_loss: bool = yes_no("Whether misconduct may lose the board")
    board_max: int | None = whole("Most points of a board", 0, MOST_POINTS, optional=True)


@dataclass(frozen=True, kw_only=True)
class Score:
    """A game."""

    white: int = whole(
        "Points per white man: the loser's on the board; where any man is an own man, pocketed", 0, _POINTS
    )
    black: int = whole("The same per black man", 0, _POINTS)
    target: int = whole("Points that win a game", 1, MOST_POINTS)
    board_limit: int | None = whole("Boards after which the leader wins", 1, 1000, optional=True)
    tie: str = choice("What decides a level game", ("extra_board", "extra_board_toss", "none"))
    clock: float | None = number("Minutes after which the leader wins", 1, 1440, optional=True)
    think_time: float = number("Seconds that a stroke costs of the clock besides its motion", 0, 3600)


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match."""

    games: int = whole("Games of which a match is the best", 1, 99, odd=True)
    opener: str = choice("Who opens a board", ("alternate", "alternate_per_game"))
    change_sides: bool = yes_no("Whether sides change after each game")
    deciding_game_points: int | None = whole(
        "Score at which sides change in the last game", 1, MOST_POINTS, optional=True
    )
    deciding_game_boards: int | None = whole("Boards after which sides change in the last game", 1, 1000, optional=True)


GROUPS: dict[str, type] = {
    "opening": Opening,
    "stroke": Stroke,
    "turn": Turn,
    "dues": Dues,
    "placing": Placing,
    "queen": Queen,
    "end": End,
    "score": Score,
    "match": Match,
}
"""By name, in the order in which files and tables have them."""

KINDS: dict[str, Kind] = {
    f"{group}.{field.name}": kind_of(field) for group, kind in GROUPS.items() for field in fields(kind)
}
"""What each field may be, by "group.field"."""
