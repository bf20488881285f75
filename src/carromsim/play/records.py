"""What played boards leave behind: one record per stroke, board, game and match.

Pairs are by colour, white first, unless they say by side or own and opponent (seen from the shooter). A code that a
row does not have is -1, a number NaN.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from carromsim.rules.records import RecordArray

__all__ = ["PLAYED_BOARD", "PLAYED_GAME", "PLAYED_MATCH", "PLAYED_STROKE", "Ended", "Played", "joined"]


class Ended(IntEnum):
    """Why a board, or a match, was played no further."""

    RULES = 0
    """The rule set ended it."""
    STROKE_LIMIT = 1
    """It was not over after as many strokes as the setup allows."""
    FAILED = 2
    """A stroke could not be simulated: an illegal placement, say; the record tells its status."""
    NO_ROOM = 3
    """There was no place for the striker (ICF 142)."""
    VOID = 4
    """Of a match: one of its boards was void, and so was every replay of it."""
    OWED = 5
    """A side owed more dues than the referee counts, see `carromsim.rules.records.MOST_OWED`."""


PLAYED_STROKE = np.dtype(
    [
        ("row", np.int64),  # number of the board or match in the study
        ("game", np.int8),  # of the match, from 1
        ("board", np.int32),  # number within the row, from 0; replays of void boards count
        ("stroke", np.int32),  # number within the board, from 0
        ("player", np.int8),
        ("colour", np.int8),  # for which he plays
        ("seat", np.int8),
        ("breaking", np.int8),  # 1 if the break had not been made before
        ("kind", np.int8),  # AimKind of the candidate, -1 = none in particular
        ("target", np.int8),  # disc aimed at, -1 = none
        ("aimed_pocket", np.int8),  # as the shooter sees the pockets, -1 = none
        ("estimate", np.float64),  # chance that the target falls, NaN = not estimated
        ("intended_x", np.float64),  # [m], [rad], [m/s], [rad/s], in the shooter's own frame
        ("intended_angle", np.float64),
        ("intended_speed", np.float64),
        ("intended_spin", np.float64),
        ("x", np.float64),  # as executed
        ("angle", np.float64),
        ("speed", np.float64),
        ("spin", np.float64),
        ("n_white", np.int8),  # pocketed
        ("n_black", np.int8),
        ("queen", np.int8),
        ("striker", np.int8),
        ("n_overboard", np.int8),
        ("first_hit", np.int8),  # disc that the striker touched first, -1 = none
        ("fell", np.int8),  # 1 if the target fell into any pocket, 0 if not, -1 = there was none
        ("fell_as_aimed", np.int8),  # 1 if it fell into the pocket aimed at
        ("turn", np.int8),  # Turn
        ("dues_incurred", np.int8),
        ("dues_paid", np.int8, 2),  # own and opponent's
        ("returned", np.int8, 2),  # own and opponent's
        ("waiting", np.int8, 2),  # men that found no room and are owed now
        ("queen_returned", np.int8),
        ("queen_after", np.int8),  # QueenState
        ("on_board", np.int8, 2),  # after it
        ("dues", np.int8, 2),  # owed after it
        ("score_delta", np.int16, 2),
        ("laws", np.int64),  # bit r is set if the field Rule(r) decided something
        ("duration", np.float64),  # [s]
    ]
)
"""One stroke. A stroke that failed, or for which there was no room, is in its board's record only."""

PLAYED_BOARD = np.dtype(
    [
        ("row", np.int64),
        ("game", np.int8),
        ("board", np.int32),
        ("breaker", np.int8),  # player who had the right to break first; his side plays white
        ("white", np.int8),  # side that plays white
        ("broke", np.int8),  # player who made the break, -1 = nobody
        ("missed_breaks", np.int16),
        ("strokes", np.int32),
        ("turns", np.int32),
        ("retries", np.int32),  # strokes that had to be played again, missed breaks among them
        ("seconds", np.float64),  # of the game's clock
        ("ended", np.int8),  # Ended
        ("status", np.int8),  # Status of the stroke that failed, else 0
        ("winner", np.int8),  # colour, -1 = nobody
        ("winner_side", np.int8),  # -1 = nobody
        ("points", np.int16),  # of the winner for the end of the board
        ("score_before", np.int16, 2),
        ("score_delta", np.int16, 2),  # of the whole board
        ("queen", np.int8),  # QueenState at the end
        ("covered_by", np.int8),  # player whose stroke covered her, -1 = nobody
        ("dues", np.int16, 2),  # incurred
        ("owed", np.int8, 2),  # at the end; written off if the rules ended the board
        ("slam_white", np.int8),
        ("slam_black", np.int8),
        ("on_board", np.int8, 2),  # men at the end
        ("laws", np.int64),  # of all its strokes
        ("deficit", np.int8),  # most men by which the winner's colour was behind after a stroke, -1 = nobody won
        ("cleared_first", np.int8),  # colour that was the first without a man, -1 = none; none if any is an own man
    ]
)
"""One board, played to its end or not. In a match a board that the rules did not end is void and played again."""

PLAYED_GAME = np.dtype(
    [
        ("row", np.int64),
        ("game", np.int8),
        ("opener", np.int8),  # player who broke first
        ("boards", np.int32),  # finished
        ("void_boards", np.int32),
        ("strokes", np.int64),  # void boards included
        ("seconds", np.float64),  # of the clock, without void boards
        ("score", np.int16, 2),  # by side
        ("winner_side", np.int8),  # -1 = level
        ("ended", np.int8),  # Ended.RULES or Ended.VOID
    ]
)
"""One game of a match."""

PLAYED_MATCH = np.dtype(
    [
        ("row", np.int64),
        ("opener", np.int8),  # player who broke first: the toss
        ("games", np.int8),  # finished
        ("boards", np.int32),  # finished
        ("void_boards", np.int32),
        ("strokes", np.int64),  # void boards included
        ("seconds", np.float64),
        ("games_won", np.int8, 2),  # by side
        ("winner_side", np.int8),  # -1 = nobody
        ("ended", np.int8),  # Ended.RULES or Ended.VOID
        ("laws", np.int64),  # of all its boards, void ones too
    ]
)
"""One match."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Played:
    """Boards that were played, and what they added up to.

    Attributes
    ----------
    boards : (b,) record array of `PLAYED_BOARD`
        In the order of row and board.
    strokes : (s,) record array of `PLAYED_STROKE`
        In the order of row, board and stroke; none unless they were kept.
    games : (g,) record array of `PLAYED_GAME`
        In the order of row and game; none if boards were played for themselves.
    matches : (m,) record array of `PLAYED_MATCH`
        In the order of rows; likewise.
    """

    boards: RecordArray
    strokes: RecordArray
    games: RecordArray
    matches: RecordArray

    def __repr__(self) -> str:
        unfinished = int(np.count_nonzero(self.boards["ended"] != Ended.RULES))
        kept = f", {len(self.strokes)} strokes" if len(self.strokes) else ""
        matches = f", {len(self.games)} games, {len(self.matches)} matches" if len(self.matches) else ""
        return f"Played({len(self.boards)} boards, {unfinished} not ended by the rules{kept}{matches})"


def joined(parts: list[Played]) -> Played:
    """Put parts one behind the other; each holds later rows than the one before it."""

    def column(name: str, layout: np.dtype[np.void]) -> RecordArray:
        return np.concatenate([np.empty(0, layout), *(getattr(part, name) for part in parts)])

    return Played(
        boards=column("boards", PLAYED_BOARD),
        strokes=column("strokes", PLAYED_STROKE),
        games=column("games", PLAYED_GAME),
        matches=column("matches", PLAYED_MATCH),
    )
