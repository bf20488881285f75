"""Put men and the queen back on the board: of spots in order of preference the first that is free.

Spots are listed for seat 0 and turned to the seat in question. A row's pieces are placed one after the other, so that
each finds the ones before it on the board.
"""

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.laws import MEN
from carromsim_kernels.state import N_DISCS, STRIKER, CodeArray, FloatArray, IntArray

QUEEN = STRIKER + 1

Piece = Any
"""One record of the layout `PIECES`."""
Pieces = np.recarray[Any, Any]
Room = Any
"""One record of the layout `ROOM`."""
Rooms = np.recarray[Any, Any]


class How(IntEnum):
    """Where a piece goes."""

    CIRCLE = 0
    """Into the outer circle, as hard (or easy) for a player as can be."""
    CENTRE_THEN_CIRCLE = 1
    """Into the centre if no disc covers any part of the centre circle, else as above."""
    CENTRE_THEN_TOUCHING = 2
    """Likewise, else touching the disc nearest to the centre, on the side away from a player."""
    NEAREST = 3
    """As near to the centre as there is room, of equally near spots the farthest from a player."""


PIECES = np.dtype(
    [
        ("count", np.int64),  # how many
        ("first", np.int64),  # lowest disc number of the kind; the queen's is 1
        ("how", np.int64),  # How
        ("seat", np.int64),  # of the player for whom it is to be hard, or easy, or far away
        ("easy", np.int64),
        ("as_due", np.int64),  # the rules for dues hold: `least_distance`, `shot`; 2: the first of them only
        ("waits", np.int64),  # if the circle is full it is not placed, instead of as near to it as possible
    ]
)
"""Pieces of one kind that a row puts back."""


ROOM = np.dtype(
    [
        ("radius", np.float64, N_DISCS),
        ("centre_radius", np.float64),  # of the centre circle
        ("pocket_centre", np.float64),  # |x| = |y| of the four pockets
        ("least_distance", np.float64),  # of a due from the centre
        ("shot", np.float64),  # a due's line with the queen must pass a pocket by at least this; 0: it need not
    ]
)
"""What restricts the places of pieces [m]. A record, because that is passed on without counting references."""


class Spots(NamedTuple):
    """Where pieces may stand, from seat 0 [m]."""

    hard: FloatArray
    """(k, 2) in the outer circle, the hardest for the player at seat 0 first."""
    inside: FloatArray
    """(m, 2) in the outer circle, closer together, from the centre outwards."""
    outside: FloatArray
    """(l, 2) outside it, likewise."""
    round_about: FloatArray
    """(f, 2) unit vectors, the one away from seat 0 first."""


@kernel
def turned(seat: int, x: float, y: float) -> tuple[float, float]:
    """Turn a place from seat 0 to a seat, by exact quarters."""
    if seat == 0:
        return x, y
    if seat == 1:
        return 0.0 - y, x  # no -0.0
    if seat == 2:
        return 0.0 - x, 0.0 - y
    return y, 0.0 - x


@kernel
def is_clear(room: Room, pos: FloatArray, disc: int, x: float, y: float) -> bool:
    """Tell whether disc overlaps no other one at x, y; the striker has been lifted off."""
    for j in range(QUEEN, N_DISCS):
        if j == disc:
            continue
        dx, dy = pos[j, 0] - x, pos[j, 1] - y
        apart = room.radius[j] + room.radius[disc]
        if dx * dx + dy * dy < apart * apart:  # false for a disc that is not there
            return False
    return True


@kernel
def centre_is_free(room: Room, pos: FloatArray, disc: int) -> bool:
    """Tell whether no other disc covers any part of the centre circle, or of the disc's place in it."""
    for j in range(QUEEN, N_DISCS):
        apart = room.radius[j] + max(room.centre_radius, room.radius[disc])
        if j != disc and pos[j, 0] * pos[j, 0] + pos[j, 1] * pos[j, 1] < apart * apart:
            return False
    return True


@kernel
def makes_shot(room: Room, pos: FloatArray, x: float, y: float) -> bool:
    """Tell whether a man at x, y and the queen make a pair or a cannon: their line leads into a pocket."""
    qx, qy = pos[QUEEN, 0], pos[QUEEN, 1]
    if room.shot == 0.0 or math.isnan(qx):
        return False
    dx, dy = qx - x, qy - y
    near = room.shot * math.sqrt(dx * dx + dy * dy)
    for corner in range(4):
        px, py = turned(corner, room.pocket_centre, room.pocket_centre)
        if abs(dx * (py - y) - dy * (px - x)) < near:
            return True
    return False


@kernel
def may_stand(room: Room, pos: FloatArray, piece: Piece, disc: int, x: float, y: float) -> bool:
    """Tell whether a piece may be put at x, y."""
    if not is_clear(room, pos, disc, x, y):
        return False
    if piece.as_due == 0:
        return True
    if x * x + y * y < room.least_distance * room.least_distance:
        return False
    return piece.as_due == 2 or not makes_shot(room, pos, x, y)


@kernel
def put_on_first(room: Room, pos: FloatArray, piece: Piece, disc: int, spots: FloatArray, backwards: int) -> bool:
    """Put disc on the first spot on which it may stand, if there is any."""
    n = spots.shape[0]
    for i in range(n):
        at = n - 1 - i if backwards else i
        x, y = turned(piece.seat, spots[at, 0], spots[at, 1])
        if may_stand(room, pos, piece, disc, x, y):
            pos[disc, 0], pos[disc, 1] = x, y
            return True
    return False


@kernel
def put_touching(room: Room, pos: FloatArray, piece: Piece, disc: int, round_about: FloatArray) -> bool:
    """Put disc beside the one nearest to the centre, as far from the player at the seat as there is room."""
    nearest, best = 0, math.inf
    for j in range(QUEEN, N_DISCS):
        distance = pos[j, 0] * pos[j, 0] + pos[j, 1] * pos[j, 1]
        if j != disc and distance < best:
            nearest, best = j, distance
    reach = room.radius[nearest] + room.radius[disc] + 1e-12  # rounding must not make touching discs overlap
    for i in range(round_about.shape[0]):
        ux, uy = turned(piece.seat, round_about[i, 0], round_about[i, 1])
        x, y = pos[nearest, 0] + reach * ux, pos[nearest, 1] + reach * uy
        if may_stand(room, pos, piece, disc, x, y):
            pos[disc, 0], pos[disc, 1] = x, y
            return True
    return False


@kernel
def put_near(room: Room, pos: FloatArray, piece: Piece, disc: int, spots: Spots) -> bool:
    """Put disc as near to the centre as there is room; one that may wait, in the circle only."""
    if put_on_first(room, pos, piece, disc, spots.inside, 0):
        return True
    if piece.waits != 0:
        return False
    if put_on_first(room, pos, piece, disc, spots.outside, 0):
        return True
    if piece.as_due != 1:
        return False
    # A queen that hangs over a pocket makes a shot of every place: a man that may not wait is placed all the same [A].
    piece.as_due = 2
    found = put_on_first(room, pos, piece, disc, spots.inside, 0)
    found = found or put_on_first(room, pos, piece, disc, spots.outside, 0)
    piece.as_due = 1
    return found


@kernel
def put_back(room: Room, pos: FloatArray, piece: Piece, disc: int, spots: Spots) -> bool:
    """Put disc where its piece belongs; False if it has to wait or there is no room at all."""
    centre_first = piece.how == How.CENTRE_THEN_CIRCLE or piece.how == How.CENTRE_THEN_TOUCHING
    if centre_first and centre_is_free(room, pos, disc):
        pos[disc, 0], pos[disc, 1] = 0.0, 0.0
        return True
    if piece.how == How.CENTRE_THEN_TOUCHING:
        if put_touching(room, pos, piece, disc, spots.round_about):
            return True
    elif piece.how != How.NEAREST and put_on_first(room, pos, piece, disc, spots.hard, piece.easy):
        return True
    # In a full circle there may still be gaps between the spots tried so far.
    return put_near(room, pos, piece, disc, spots)


@kernel
def next_disc(pos: FloatArray, piece: Piece) -> int:
    """Return the lowest-numbered disc of the piece's kind that is off the board, -1 = none."""
    last = piece.first + 1 if piece.first == QUEEN else piece.first + MEN
    for j in range(piece.first, last):
        if math.isnan(pos[j, 0]):
            return int(j)
    return -1


@entry
def place_batch(rooms: Rooms, spots: Spots, pos: FloatArray, pieces: Pieces, left: IntArray) -> None:
    """Put back the pieces of n rows, each row's in their order.

    Parameters
    ----------
    rooms : (1,) record of `ROOM`
    spots : Spots
    pos : (n, 20, 2) float64 [m], changed in place
        NaN for discs that are off the board.
    pieces : (n, m) records of `PIECES`
    left : (n, m) int64, overwritten
        How many of each were not placed.
    """
    for s in range(pos.shape[0]):
        row = pos[s]
        for k in range(pieces.shape[1]):
            piece = pieces[s, k]
            left[s, k] = piece.count
            for _ in range(piece.count):
                disc = next_disc(row, piece)
                if disc < 0 or not put_back(rooms[0], row, piece, disc, spots):
                    break
                left[s, k] -= 1


@entry
def free_spots(rooms: Rooms, spots: FloatArray, pos: FloatArray, pieces: Pieces, free: CodeArray) -> int:
    """Find the spots among which a player may choose for the next disc of a piece.

    Parameters
    ----------
    rooms : (1,) record of `ROOM`
    spots : (k, 2) float64 [m]
        `Spots.hard`.
    pos : (20, 2) float64 [m]
    pieces : (1,) record of `PIECES`
    free : (k,) int8, overwritten
        1 where it may stand on that spot, turned to its seat; all 0 if there is no choice.

    Returns
    -------
    int
        The disc, -1 = none.
    """
    room, piece = rooms[0], pieces[0]
    disc = next_disc(pos, piece)
    centre = piece.how == How.CENTRE_THEN_CIRCLE and centre_is_free(room, pos, disc)
    choice = disc >= 0 and not centre and piece.how <= How.CENTRE_THEN_CIRCLE
    for i in range(spots.shape[0]):
        x, y = turned(piece.seat, spots[i, 0], spots[i, 1])
        free[i] = 1 if choice and may_stand(room, pos, piece, disc, x, y) else 0
    return disc
