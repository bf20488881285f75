"""Where men and the queen come back to the board: dues, forced returns, what left the board, an uncovered queen."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import BLACK, CENTRE_CIRCLE, OUTER_CIRCLE, QUEEN, STRIKER, WHITE, Equipment, disc_name
from carromsim.problems import as_array
from carromsim.rules.records import COLOURS, RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_groups import Placing
from carromsim.strokes import N_SEATS, direction, legal_intervals, quarter_turns
from carromsim_kernels.laws import BLACK_SIDE, WHITE_SIDE, Turn
from carromsim_kernels.placing import PIECES, ROOM, How, Pieces, Rooms, Spots, free_spots, place_batch
from carromsim_kernels.state import N_DISCS, FloatArray, IntArray

__all__ = ["Choose", "Placed", "hardness", "place", "put_off"]

Choose = Callable[[FloatArray, int, FloatArray, int, bool], ArrayLike]
"""What a player thinks of spots, the best first among equals: see `place`."""

_FIRST = (WHITE.start, BLACK.start)
_MEN = (WHITE, BLACK)

_OVERBOARD = {
    "centre_then_circle": How.CENTRE_THEN_CIRCLE,
    "circle": How.CIRCLE,
    "touching_centre": How.CENTRE_THEN_TOUCHING,
    "nearest_centre": How.NEAREST,
}
_QUEEN = {"opponent": How.CENTRE_THEN_CIRCLE, "next_player": How.CENTRE_THEN_CIRCLE, "nearest": How.NEAREST}
_ZONE = {"outer_circle": OUTER_CIRCLE}

# Kinds of pieces in the order in which they come back, own before opponent's.
_QUEEN_FIRST, _OVERBOARD_MEN, _FORCED, _DUES = 0, (1, 2), (3, 4), (5, 6)
_KINDS = 7


class Placed(NamedTuple):
    """A board with its pieces put back."""

    pos: FloatArray
    """(n, 20, 2) [m]; NaN for discs that are off the board, the striker among them."""
    waiting: IntArray
    """(n, 2) white and black men that should have come back and found no room, see `put_off`."""


def place(
    pos: ArrayLike,
    states: RecordArray,
    facts: RecordArray,
    rulings: RecordArray,
    rules: RuleSet,
    equipment: Equipment,
    seats: ArrayLike,
    *,
    choose: Choose | None = None,
) -> Placed:
    """Put back what rulings send back: first the queen, then men that left the board, forced returns, dues.

    Of each colour the men with the lowest numbers come back. They stand flat, wholly inside the outer circle [A], and
    overlap nothing (UKCA H7 lets men lie on others: outside a flat model). The shooter's opponent places; only the dues
    that he owes himself are placed by the shooter (ICF 78b). Who places puts his own men where they are easiest for him
    and the other side's where they are hardest for it, see `hardness` [A].

    Parameters
    ----------
    pos : (n, 20, 2) float
        After the strokes, NaN for discs that are off the board [m]. The striker is lifted off.
    states, facts, rulings : (n,) record arrays
        BOARD_STATE before the strokes, STROKE_FACTS, RULING.
    rules : RuleSet
        Its group `placing`, and `queen.returns_turn_men` (Bell 7).
    equipment : Equipment
    seats : (n, 2) or (2,) int
        Seats of the players of white and of black who play next for their sides.
    choose : function, optional
        Chooses for who places: ``choose(pos, disc, spots, seat, easy)`` gets the board (20, 2), the disc, the free
        spots (k, 2) of a grid over the circle [m], the seat of the owner (for the queen, of who plays next) and
        whether it should be easy for him, and returns how good each spot is (k,); the first of the best is taken.
        Where the laws leave no choice it is not asked, nor when only gaps between these spots are left.

    Returns
    -------
    Placed

    Raises
    ------
    ValueError
        If a row cannot be: too few men are off the board, the queen is on it, there is no room for her.
    """
    after = np.array(pos, dtype=np.float64, order="C")
    n = len(rulings)
    if after.shape != (n, N_DISCS, 2):
        raise ValueError(f"pos has shape {after.shape}: must be ({n}, {N_DISCS}, 2), a board for each ruling")
    at = as_array("seats", seats)
    if at.shape not in ((2,), (n, 2)) or at.dtype.kind not in "iu" or np.any((at < 0) | (at >= N_SEATS)):
        raise ValueError(f"seats = {seats!r}: must be seats from 0 to 3, (2,) or ({n}, 2), white's and black's")
    after[:, STRIKER] = np.nan
    pieces = _pieces(states, facts, rulings, rules, np.broadcast_to(at, (n, 2)))
    _refuse_impossible(after, pieces)
    room, spots = _room(equipment, rules.placing)
    left = np.zeros(pieces.shape, np.int64)
    if choose is None:
        place_batch(room, spots, after, pieces, left)
    else:
        for row in np.flatnonzero(pieces["count"].any(axis=1)):
            _place_row(room, spots, after[row], pieces[row], left[row], choose)
    if left[:, _QUEEN_FIRST].any():
        raise ValueError(f"pos: row {np.argmax(left[:, _QUEEN_FIRST])} has no room for the queen anywhere")
    return Placed(after, _by_colour(pieces, left))


def put_off(after: RecordArray, waiting: ArrayLike) -> RecordArray:
    """Let men that found no room wait: they are off the board again, and owed as dues (ICF 79, 81).

    Parameters
    ----------
    after : (n,) record array of BOARD_STATE
        The boards after the rulings. Not changed.
    waiting : (n, 2) int
        `Placed.waiting`.

    Returns
    -------
    (n,) record array of BOARD_STATE
    """
    state, men = after.copy(), np.asarray(waiting, np.int8)
    state["on_board"] -= men
    state["dues"] += men
    return state


def hardness(spots: FloatArray, equipment: Equipment) -> FloatArray:
    """Say how hard it is for the player at seat 0 to pocket a man that lies on a spot.

    That is the least d D / cos c over the four pockets and the places where he may put the striker: d is the way of the
    striker to the hit, D that of the man to the pocket, c the angle of the cut. Nothing else is taken to be on the
    board, and no cushion is used: the measure of programs that play billiards [A].

    Parameters
    ----------
    spots : (k, 2) float64 [m]
    equipment : Equipment

    Returns
    -------
    (k,) float64 [m^2]; inf where there is no such stroke
    """
    touch = float(equipment.radius[STRIKER]) + equipment.largest_man_radius
    legal = legal_intervals(equipment)
    start = np.empty((_STARTS, 2))
    start[:, 0] = np.linspace(legal.min(), legal.max(), _STARTS) if len(legal) else 0.0
    start[:, 1] = equipment.base_line_distance - equipment.side / 2
    hardest = np.full(len(spots), np.inf)
    for pocket in quarter_turns(
        np.full((4, 2), equipment.side / 2 - equipment.pocket_offset), np.arange(4, dtype=np.int8)
    ):
        way, to_pocket = _way(spots, pocket)
        at_hit = spots - touch * way
        for begin in start:
            aim, to_hit = _way(np.broadcast_to(begin, at_hit.shape), at_hit)
            cut = (aim * way).sum(axis=1)
            with np.errstate(divide="ignore"):
                hard = np.where(cut > 0.0, to_hit * to_pocket / cut, np.inf)
            hardest = np.minimum(hardest, hard)
    return hardest


_STARTS = 41
"""Places of the striker that `hardness` tries."""


def _way(start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the direction (k, 2) and the distance (k,) from start to end."""
    ahead = end - start
    distance = np.sqrt((ahead**2).sum(axis=1))
    return ahead / distance[:, np.newaxis], distance


def _pieces(
    states: RecordArray, facts: RecordArray, rulings: RecordArray, rules: RuleSet, seats: NDArray[Any]
) -> Pieces:
    """List what comes back, (n, 7) of PIECES."""
    rows, shooter = np.arange(len(rulings)), states["shooter"].astype(np.intp)
    opponent = 1 - shooter
    next_seat = seats[rows, np.where(rulings["turn"] == Turn.PASS, opponent, shooter)]
    pieces = np.zeros((len(rulings), _KINDS), PIECES)
    pieces["waits"] = rules.placing.no_room == "wait"
    for own, colour in ((0, shooter), (1, opponent)):
        overboard = np.minimum(facts[("overboard_own", "overboard_opponent")[own]], rulings["returned"][:, own])
        pieces["count"][:, _OVERBOARD_MEN[own]] = overboard
        pieces["count"][:, _FORCED[own]] = rulings["returned"][:, own] - overboard
        pieces["count"][:, _DUES[own]] = rulings["dues_paid"][:, own]
        mine = [_OVERBOARD_MEN[own], _FORCED[own], _DUES[own]]
        pieces["first"][:, mine] = np.array(_FIRST)[colour][:, np.newaxis]
        pieces["seat"][:, mine] = seats[rows, colour][:, np.newaxis]
    # Only these belong to who places them: the opponent's men, but for the dues that he owes.
    pieces["easy"][:, [_OVERBOARD_MEN[1], _FORCED[1]]] = 1
    pieces["as_due"][:, [*_FORCED, *_DUES]] = 1
    pieces["how"][:, list(_OVERBOARD_MEN)] = _OVERBOARD[rules.placing.overboard]
    queen = pieces[:, _QUEEN_FIRST]
    queen["count"], queen["first"] = rulings["queen_returned"], QUEEN
    queen["how"], queen["seat"], queen["waits"] = _QUEEN[rules.placing.queen], next_seat, 0
    if rules.placing.queen == "opponent":  # to his advantage: easy if he plays next
        queen["easy"] = rulings["turn"] == Turn.PASS
    if rules.queen.returns_turn_men:  # Bell 7: to the centre point, together with the queen
        with_queen = rulings["queen_returned"] != 0
        pieces["how"][:, _FORCED[0]][with_queen] = How.NEAREST
    by_next = pieces["how"] >= How.CENTRE_THEN_TOUCHING
    pieces["seat"] = np.where(by_next, next_seat[:, np.newaxis], pieces["seat"])
    pieces["count"][rulings["turn"] == Turn.BOARD_END] = 0
    return pieces.view(np.recarray)


def _by_colour(pieces: RecordArray, number: IntArray) -> IntArray:
    """Add up numbers of pieces (n, 7) to those of white and black men (n, 2)."""
    return np.stack([np.where(pieces["first"] == first, number, 0).sum(axis=1) for first in _FIRST], axis=1)


def _refuse_impossible(pos: FloatArray, pieces: RecordArray) -> None:
    """Raise ValueError unless what is to come back is off the board."""
    off = np.isnan(pos[..., 0])
    wanted = _by_colour(pieces, pieces["count"])
    for colour in (WHITE_SIDE, BLACK_SIDE):
        there = off[:, _MEN[colour]].sum(axis=1)
        if (short := wanted[:, colour] > there).any():
            row = int(np.argmax(short))
            what = f"{wanted[row, colour]} {COLOURS[colour]} men to come back"
            raise ValueError(f"pos: row {row} has {there[row]} {COLOURS[colour]} men off the board and {what}")
    if (twice := (pieces["count"][:, _QUEEN_FIRST] != 0) & ~off[:, QUEEN]).any():
        raise ValueError(f"pos: row {np.argmax(twice)}: the {disc_name(QUEEN)} is to come back and is on the board")


def _place_row(room: Rooms, spots: Spots, pos: FloatArray, pieces: Pieces, left: IntArray, choose: Choose) -> None:
    """Put back the pieces of one row, asking `choose` wherever there is a choice."""
    free, rest = np.zeros(len(spots.hard), np.int8), np.zeros((1, 1), np.int64)
    for kind in range(_KINDS):
        one = pieces[kind : kind + 1].copy().view(np.recarray)
        one["count"] = 1
        seat = int(one["seat"][0])
        for _ in range(pieces["count"][kind]):
            disc = free_spots(room, spots.hard, pos, one, free)
            chosen = free != 0
            if chosen.any():
                offered = quarter_turns(spots.hard[chosen], np.full(chosen.sum(), seat, np.int8))
                ranks = np.asarray(choose(pos.copy(), disc, offered, seat, bool(one["easy"][0])), np.float64)
                if ranks.shape != (len(offered),) or np.isnan(ranks).any():
                    raise ValueError(f"choose gave {ranks!r}: must be {len(offered)} numbers, one for each spot")
                pos[disc] = offered[np.argmax(ranks)]
            else:
                place_batch(room, spots, pos[np.newaxis], one[np.newaxis].view(np.recarray), rest)
                left[kind] += rest[0, 0]


@lru_cache(maxsize=32)
def _room(equipment: Equipment, placing: Placing) -> tuple[Rooms, Spots]:
    """Work out where pieces may stand."""
    radius, widest = equipment.largest_man_radius, _widest(equipment)
    outermost = min(_ZONE[placing.zone], widest) - radius
    if outermost < 0.0:
        raise ValueError(f"equipment {equipment.name!r} has no room for a man of radius {radius:g} m in its middle")
    rooms: Rooms = np.zeros(1, ROOM).view(np.recarray)
    rooms["radius"] = equipment.radius
    rooms["centre_radius"] = CENTRE_CIRCLE
    rooms["pocket_centre"] = equipment.side / 2 - equipment.pocket_offset
    rooms["least_distance"] = 0.0 if placing.centre_circle else CENTRE_CIRCLE + radius
    rooms["shot"] = 0.0 if placing.queen_shot else equipment.capture_radius[QUEEN:].max()

    coarse, fine = radius / 3.0, radius / 8.0
    grid = _rings(_steps(0.0, outermost, coarse), coarse)
    touching = 2.0 * radius + 1e-12  # the circle on which the neighbours of a man in the very centre stand
    radii = _steps(0.0, outermost, fine)
    spots = Spots(
        hard=np.ascontiguousarray(grid[np.argsort(-hardness(grid, equipment), kind="stable")]),
        inside=_rings(np.sort([*radii, touching]) if touching < outermost else radii, fine),
        outside=_rings(_steps(outermost, widest - radius, coarse)[1:], coarse),
        round_about=_rings(np.array([1.0]), math.pi / 18.0),
    )
    return rooms, spots


def _steps(begin: float, end: float, longest: float) -> FloatArray:
    """Go from begin to end in equal steps."""
    return np.linspace(begin, end, math.ceil((end - begin) / longest) + 1)


def _widest(equipment: Equipment) -> float:
    """Radius of a circle about the centre into which neither frame nor pocket reaches [m]."""
    half = equipment.side / 2
    pocket = math.sqrt(2.0) * (half - equipment.pocket_offset) - equipment.pocket_radius
    corner = (equipment.side - equipment.corner_size) / math.sqrt(2.0) if equipment.corner == "cut_away" else half
    return min(half, pocket, corner)


def _rings(radii: FloatArray, apart: float) -> FloatArray:
    """Lay spots on rings, about `apart` from each other [m], each ring from +y to both sides alternately."""
    rings = [np.empty((0, 2))]
    for radius in radii:
        n = 6 * math.ceil(2.0 * math.pi * radius / (6.0 * apart)) if radius > 0.0 else 1
        # Steps 0, 1, -1, 2, -2, ...: multiples of six are where equal discs fit round one in the middle.
        steps = np.array(sorted(range(-((n - 1) // 2), n // 2 + 1), key=lambda step: (abs(step), -step)))
        rings.append(radius * direction(math.pi / 2 + 2.0 * math.pi / n * steps))
    return np.concatenate(rings)
