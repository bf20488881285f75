"""Every column of the tables of players: shots, and played strokes, boards, games and matches.

A pair of numbers is two columns, whose names end in what tells them apart.
"""

from collections.abc import Iterator

from carromsim.tables.schemas import COEFFICIENTS, DISC_NAMES, POCKET_NAMES, Column, Scalar, TableSchema
from carromsim_kernels.aim_records import AimKind
from carromsim_kernels.laws import QueenState, Turn
from carromsim_kernels.state import Status

__all__ = ["BOARDS", "GAMES", "MATCHES", "PAIRS", "PLAYED_STROKES", "SHOTS"]

COLOURS = ("white", "black")
SIDES = ("side_0", "side_1")
SHOOTERS = ("own", "opponent")
PAIRS = (COLOURS, SIDES, SHOOTERS)
"""How the columns of a pair may end."""

ENDED = ("rules", "stroke_limit", "failed", "no_room", "void", "owed")


def _number(name: str, doc: str, *, dtype: Scalar = "int8", codes: tuple[str, ...] = (), none: bool = False) -> Column:
    """Describe a count, a code, or yes and no; `none`: whether it may be missing."""
    return Column(
        name=name, dtype=dtype, unit="1", doc=doc, nullable=none, repetitive=dtype in ("int8", "string"), codes=codes
    )


def _real(name: str, unit: str, doc: str, *, none: bool = False, repetitive: bool = False) -> Column:
    return Column(name=name, dtype="float64", unit=unit, doc=doc, nullable=none, repetitive=repetitive)


def _pair(name: str, doc: str, ends: tuple[str, str], *, dtype: Scalar = "int8") -> Iterator[Column]:
    """Describe two numbers; {} in the sentence stands for what tells them apart."""
    for end in ends:
        yield _number(f"{name}_{end}", doc.format(end.replace("_", " ")), dtype=dtype)


_ROW = _number(
    "row",
    "Number of the row in its study; with the study's seed it fixes every random number.",
    dtype="int64",
)
_GAME = _number("game", "Number of the game in its match, from 1; 1 if boards are played for themselves.")
_BOARD = _number("board", "Number of the board in its row, from 0; boards that were void count.", dtype="int32")
_STROKE = (
    _real("intended_x", "m", "Intended centre of the striker along the base line, in the player's own frame."),
    _real("intended_angle", "rad", "Intended direction, counter-clockwise from +x of the player's own frame."),
    _real("intended_speed", "m/s", "Intended speed."),
    _real("intended_spin", "rad/s", "Intended spin, counter-clockwise positive."),
    _real("x", "m", "Executed centre of the striker along the base line."),
    _real("angle", "rad", "Executed direction."),
    _real("speed", "m/s", "Executed speed."),
    _real("spin", "rad/s", "Executed spin."),
)
_KIND = tuple(kind.name.lower() for kind in AimKind)
_QUEEN = tuple(state.name.lower() for state in QueenState)
_ENDED = _number("ended", "Why it was played no further; all but the first are void.", codes=ENDED)
_WINNER_SIDE = _number("winner_side", "Side that won; missing if nobody did.", none=True)
_LAWS = "Laws of the rule set that decided in any stroke"
_FIELDS = _number(
    "fields",
    'Likewise the fields of the rule set, as in "dues.pay; queen.value": several may be one law.',
    dtype="string",
)
_SECONDS = _real("seconds", "s", "By the game's clock, which stands still for nothing but void boards.")

SHOTS = TableSchema(
    name="shots",
    version=1,
    columns=(
        _ROW,
        _number("trial", "Number of the trial: the skills of a study have the same chance in it.", dtype="int64"),
        _number("skill", "Whose hand: a name, or the number in the declaration, from 1.", dtype="string"),
        _real("distance", "m", "Way of the man to the pocket, over the cushion if it is a bank.", repetitive=True),
        _real(
            "cut",
            "rad",
            "Angle from the man's way to the striker's, counter-clockwise; of a bank as if the cushion were a mirror.",
            repetitive=True,
        ),
        _real(
            "man_x",
            "m",
            "Centre of the man, right of the board's centre; missing if there is no such shot.",
            none=True,
            repetitive=True,
        ),
        _real("man_y", "m", "The same away from the player; missing likewise.", none=True, repetitive=True),
        *COEFFICIENTS,
        *_STROKE[:4],
        _real("room", "rad", "How far the direction may be off either way; 0 if no direction pockets the man."),
        _real("estimate", "1", "Chance that the man falls, from that room and the scatter of place and direction."),
        _number("allowed", "1 if the rule set lets the striker hit the man directly where he lies, else 0."),
        *_STROKE[4:],
        _number(
            "status",
            "What became of the row; outcomes are missing unless it is ok.",
            codes=tuple(status.name.lower() for status in Status),
        ),
        _number("success", "1 if the man fell into the pocket aimed at, else 0.", none=True),
        _number("pocket", "The pocket into which the man fell; missing if into none.", codes=POCKET_NAMES, none=True),
        _number("striker", "1 if the striker was pocketed, else 0.", none=True),
        _number("n_others", "Other men pocketed.", none=True),
        _number("n_cushion_hits", "Hits of a disc on a cushion.", dtype="int32", none=True),
        Column(name="duration", dtype="float64", unit="s", doc="Time until everything rests.", nullable=True),
    ),
)
"""One row per stroke at a man that is to fall."""

PLAYED_STROKES = TableSchema(
    name="strokes",
    family="played",
    version=1,
    columns=(
        _ROW,
        _GAME,
        _BOARD,
        _number("stroke", "Number of the stroke in its board, from 0.", dtype="int32"),
        _number("player", "Who plays, from 0; even ones are side 0."),
        _number("colour", "For which he plays.", codes=COLOURS),
        _number("seat", "Where he sits: 0 bottom, 1 right, 2 top, 3 left."),
        _number("breaking", "1 if the break had not been made before, else 0."),
        _number("kind", "What kind of stroke he chose; missing if he meant none of these.", codes=_KIND, none=True),
        _number("target", "Disc that is to fall; missing if none.", codes=DISC_NAMES, none=True),
        _number("aimed_pocket", "Where to, as he sees the pockets; missing if none.", codes=POCKET_NAMES, none=True),
        _real("estimate", "1", "Chance that it falls as he sees it; missing if he did not say.", none=True),
        *_STROKE,
        _number("n_white", "White men pocketed."),
        _number("n_black", "Black men pocketed."),
        _number("queen", "1 if the queen was pocketed, else 0."),
        _number("striker", "1 if the striker was pocketed, else 0."),
        _number("n_overboard", "Discs that left the board over the frame, which is speculative."),
        _number("first_hit", "Disc that the striker touched first; missing if none.", codes=DISC_NAMES, none=True),
        _number("fell", "1 if the target fell into any pocket, else 0; missing if there was none.", none=True),
        _number("fell_as_aimed", "1 if it fell into the pocket aimed at, else 0; missing likewise.", none=True),
        _number("turn", "Who plays next.", codes=tuple(turn.name.lower() for turn in Turn)),
        _number("dues_incurred", "Dues that the shooter has incurred."),
        *_pair("dues_paid", "Men placed for dues now: {}.", SHOOTERS),
        *_pair("returned", "Men that come back and are no dues: {}.", SHOOTERS),
        *_pair("waiting", "Men that found no room and are owed now: {}.", SHOOTERS),
        _number("queen_returned", "1 if the queen comes back, else 0."),
        _number("queen_after", "Where the queen stands now.", codes=_QUEEN),
        *_pair("on_board", "Men on the board after it: {}.", COLOURS),
        *_pair("dues", "Dues owed after it: {}.", COLOURS),
        *_pair("score_delta", "Points that it gave or took: {}.", COLOURS, dtype="int32"),
        _number("laws", 'Laws of the rule set that decided, as in "ICF 72a; ICF 45c".', dtype="string"),
        _real("duration", "s", "Time until everything rested."),
    ),
)
"""One row per stroke of a board."""

BOARDS = TableSchema(
    name="boards",
    version=2,
    columns=(
        _ROW,
        _GAME,
        _BOARD,
        _number("breaker", "Player who had the right to break first; his side plays white."),
        _number("white", "Side that plays white."),
        _number("broke", "Player who made the break; missing if nobody did.", none=True),
        _number("missed_breaks", "Breaks that did not count as made.", dtype="int32"),
        _number("strokes", "Strokes in all.", dtype="int32"),
        _number("turns", "Turns in all.", dtype="int32"),
        _number("retries", "Strokes that had to be played again, missed breaks among them.", dtype="int32"),
        _SECONDS,
        _ENDED,
        _number(
            "status",
            "What became of the stroke that failed; ok if none did.",
            codes=tuple(status.name.lower() for status in Status),
        ),
        _number("winner", "Colour that won; missing if nobody did.", codes=COLOURS, none=True),
        _WINNER_SIDE,
        _number("points", "Points of the winner for the end of the board.", dtype="int32"),
        *_pair("score_before", "Score in the game before the board: {}.", COLOURS, dtype="int32"),
        *_pair("score_delta", "Points that the board gave or took: {}.", COLOURS, dtype="int32"),
        _number("queen", "Where the queen stood at the end.", codes=_QUEEN),
        _number("covered_by", "Player whose stroke covered her; missing if nobody's did.", none=True),
        *_pair("dues", "Dues incurred: {}.", COLOURS, dtype="int32"),
        *_pair("owed", "Dues owed at the end: {}.", COLOURS),
        _number(
            "slam_white",
            "1 if the breaker's side pocketed its nine men in its first turn and the queen is its own, else 0.",
        ),
        _number("slam_black", "1 if the other side did so in its own first turn, else 0."),
        *_pair("on_board", "Men on the board at the end: {}.", COLOURS),
        _number("laws", f'{_LAWS}, as in "ICF 72a; ICF 45c".', dtype="string"),
        _FIELDS,
        _number(
            "deficit",
            "Most men by which the winner was behind after a stroke: men that he had left and the other side had not, "
            "or, where any man is an own man, that the other side had pocketed more; missing if nobody won.",
            none=True,
        ),
        _number(
            "cleared_first",
            "Colour that was the first to have no man on the board after a stroke; missing if none was, or if any man "
            "is an own man.",
            codes=COLOURS,
            none=True,
        ),
    ),
)
"""One row per board."""

GAMES = TableSchema(
    name="games",
    version=1,
    columns=(
        _ROW,
        _GAME,
        _number("opener", "Player who broke first."),
        _number("boards", "Boards that the rules ended.", dtype="int32"),
        _number("void_boards", "Boards that were void and played again.", dtype="int32"),
        _number("strokes", "Strokes in all, those of void boards too.", dtype="int64"),
        _SECONDS,
        *_pair("score", "Points at the end: {}.", SIDES, dtype="int32"),
        _WINNER_SIDE,
        _ENDED,
    ),
)
"""One row per game of a match."""

MATCHES = TableSchema(
    name="matches",
    version=2,
    columns=(
        _ROW,
        _number("opener", "Player who broke first, by the toss."),
        _number("games", "Games that were finished."),
        _number("boards", "Boards that the rules ended.", dtype="int32"),
        _number("void_boards", "Boards that were void and played again.", dtype="int32"),
        _number("strokes", "Strokes in all, those of void boards too.", dtype="int64"),
        _SECONDS,
        *_pair("games_won", "Games won: {}.", SIDES),
        _WINNER_SIDE,
        _ENDED,
        _number("laws", f"{_LAWS} of any board, void ones too.", dtype="string"),
        _FIELDS,
    ),
)
"""One row per match."""
