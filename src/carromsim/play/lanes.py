"""Lanes: boards that are played side by side, each at its own stroke, and how they begin."""

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import N_DISCS
from carromsim.layouts import opening
from carromsim.play.setup import STROKES_OF_A_BOARD, Setup
from carromsim.rules.records import RecordArray, board_state
from carromsim.rules.score import MATCH, new_matches, score_by_colour, toss
from carromsim.strokes import quarter_turns
from carromsim_kernels.laws import BOARD_STATE
from carromsim_kernels.state import CodeArray, FloatArray, IntArray

__all__ = ["LANE", "begin_boards", "colour_of", "noise_number", "open_lanes", "seat_of", "turned"]

NOBODY = -1

LANE = np.dtype(
    [
        ("row", np.int64),
        ("board", np.int64),  # number within the row, from 0
        ("stroke", np.int64),  # number of the coming stroke within the board, from 0
        ("player", np.int8),  # on strike
        ("white", np.int8),  # side that plays white
        ("pos", np.float64, (N_DISCS, 2)),  # in the board's frame [m], the striker off it
        ("state", BOARD_STATE),
        ("match", MATCH),
        # what has happened in this board
        ("broke", np.int8),
        ("missed_breaks", np.int16),
        ("turns", np.int32, 2),  # begun, by colour
        ("retries", np.int32),
        ("seconds", np.float64),
        ("dues", np.int16, 2),  # incurred, by colour
        ("covered_by", np.int8),
        ("slam", np.int8, 2),  # by colour
        ("laws", np.int64),
        ("behind", np.int8, 2),  # most men by which a colour was behind after a stroke, by colour
        ("cleared_first", np.int8),
        # and in this game
        ("void_in_a_row", np.int32),
        ("void_boards", np.int32),
        ("game_strokes", np.int64),
        ("game_opener", np.int8),
    ]
)
"""A board in play. A plain record, so that lanes can be taken, dropped and filled again all at once."""

_OF_THE_BOARD = ("stroke", "missed_breaks", "turns", "retries", "seconds", "dues", "slam", "laws", "behind")
"""Fields that begin at 0 with each board."""


def open_lanes(setup: Setup, rows: NDArray[np.int64]) -> RecordArray:
    """Begin rows: their first boards, with the toss behind them where they are matches.

    Returns
    -------
    (n,) record array of `LANE`
    """
    lanes = np.zeros(len(rows), LANE)
    lanes["row"] = rows
    opener: CodeArray | int = toss(setup.seed, rows, 0) if setup.unit == "match" else 0
    lanes["match"] = new_matches(len(rows), opener)
    lanes["game_opener"] = opener
    begin_boards(setup, lanes)
    return lanes


def begin_boards(setup: Setup, lanes: RecordArray) -> None:
    """Lay what the coming boards begin with, and give the first stroke to who has it; in place."""
    for name in _OF_THE_BOARD:
        lanes[name] = 0
    lanes["broke"] = lanes["covered_by"] = lanes["cleared_first"] = NOBODY
    lanes["player"] = breaker = lanes["match"]["breaker"]
    lanes["white"] = breaker % 2
    if setup.start is None:
        state = np.repeat(board_state(break_made=False), len(lanes))
        state["score"] = score_by_colour(lanes["match"])
        lanes["state"] = state
        lanes["pos"] = _packs(setup, lanes)
    else:
        lanes["state"], lanes["pos"] = setup.start.state[0], setup.start.pos
        lanes["white"] = setup.start.state["shooter"][0] ^ (breaker % 2)
    lanes["turns"][np.arange(len(lanes)), lanes["state"]["shooter"]] = 1


def _packs(setup: Setup, lanes: RecordArray) -> FloatArray:
    """Lay the opening packs, each as its breaker sees it."""
    layout = opening(
        setup.equipment,
        rotation=setup.rotation,
        gap=setup.gap,
        jitter=0.0 if setup.jitter is None else setup.jitter,
        seed=setup.seed,
        rows=lanes["row"],
        board=lanes["board"],
    )
    return turned(layout.pos, seat_of(setup, lanes))


def turned(pos: FloatArray, quarters: CodeArray) -> FloatArray:
    """Turn whole boards (n, 20, 2) counter-clockwise by (n,) quarters, exactly."""
    return quarter_turns(pos.reshape(-1, 2), np.repeat(quarters, N_DISCS)).reshape(pos.shape)


def seat_of(setup: Setup, lanes: RecordArray) -> CodeArray:
    """Give the seats of the players on strike, (n,) int8."""
    return setup.seating.seat(lanes["player"], lanes["match"]["turned"])


def colour_of(lanes: RecordArray, player: CodeArray) -> CodeArray:
    """Give the colours for which players play, (n,) int8."""
    colour: CodeArray = (player % 2) ^ lanes["white"]
    return colour


def noise_number(lanes: RecordArray) -> IntArray:
    """Give the coming strokes their numbers within the rows, (n,) int64: chance depends on them."""
    number: IntArray = STROKES_OF_A_BOARD * lanes["board"] + lanes["stroke"]
    return number
