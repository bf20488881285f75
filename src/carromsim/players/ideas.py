"""Strokes for which no estimate speaks, to be tried by who can simulate them: chance is their only author."""

import math
from dataclasses import replace

import numpy as np

from carromsim.equipment import STRIKER
from carromsim.players.phases import Rows, choice_of, joined
from carromsim.players.room import free_places, pick
from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import RecordArray
from carromsim.streams import IDEA_SLOTS, Streams
from carromsim.strokes import Strokes
from carromsim_kernels.state import FloatArray

__all__ = ["Ideas"]

VARIED = 0.7
"""Share of ideas that are candidates played a little otherwise; the others are shots at a wanted disc from anywhere."""
TURNED = math.radians(1.0)
"""By how much otherwise they are aimed at most [rad]."""
SLOWER, FASTER = 0.8, 2.0
"""Least and greatest of their speeds, in units of the candidate's."""
LEAST, MOST = 0.7, 4.5
"""Speeds of the others [m/s]."""
N_PLACES = 41


class Ideas:
    """Ideas for n positions; idea i of a row depends on its position, seed, row, stroke and i alone.

    Parameters
    ----------
    turns : Turns
    found : (n, k) array of CANDIDATE
        Candidates, the best first.
    worth : (n, 20) float64
        What it is worth to pocket a disc, 0 = not wanted.
    """

    def __init__(self, turns: Turns, found: RecordArray, worth: FloatArray) -> None:
        self.turns, self.found, self.wanted = turns, found, worth > 0.0
        self.n_found = (found["kind"] >= 0).sum(axis=1)
        self.places, self.free = free_places(turns.pos, turns.equipment, N_PLACES)

    def __getitem__(self, i: int) -> Choice:
        """Give idea i of each row; x is NaN where there is none: nothing is wanted, or there is no room."""
        slots = range(IDEA_SLOTS.start + 6 * i, IDEA_SLOTS.start + 6 * i + 6)
        drawn = Streams(self.turns.seed).uniform(self.turns.rows, self.turns.stroke, slots)
        varied = (drawn[:, 0] < VARIED) & (self.n_found > 0)
        rows = [np.flatnonzero(varied), np.flatnonzero(~varied)]
        parts = [(rows[0], self._varied(rows[0], drawn[rows[0]])), (rows[1], self._aimed(rows[1], drawn[rows[1]]))]
        return joined(len(self.turns), parts)

    def _varied(self, rows: Rows, drawn: FloatArray) -> Choice:
        """Play a candidate a little otherwise."""
        number = np.minimum((drawn[:, 1] * self.n_found[rows]).astype(np.int64), self.n_found[rows] - 1)
        base = choice_of(self.found[rows, number])
        strokes = Strokes(
            x=base.strokes.x,
            angle=base.strokes.angle + TURNED * (2.0 * drawn[:, 2] - 1.0),
            speed=base.strokes.speed * (SLOWER + (FASTER - SLOWER) * drawn[:, 3]),
            spin=base.strokes.spin,
        )
        return replace(base, strokes=strokes, estimate=np.full(len(rows), np.nan))

    def _aimed(self, rows: Rows, drawn: FloatArray) -> Choice:
        """Shoot at a wanted disc, anywhere at it."""
        equipment, pos = self.turns.equipment, self.turns.pos[rows]
        disc, place = pick(self.wanted[rows], drawn[:, 1]), pick(self.free[rows], drawn[:, 2])
        there = self.wanted[rows].any(axis=1) & self.free[rows].any(axis=1)
        each = np.arange(len(rows))
        x = np.where(there, self.places[rows, place], np.nan)
        to_x = pos[each, disc, 0] - x
        to_y = pos[each, disc, 1] - (equipment.base_line_distance - equipment.side / 2)
        aside = (2.0 * drawn[:, 3] - 1.0) * (equipment.radius[STRIKER] + equipment.radius[disc])
        aside /= np.sqrt(to_x * to_x + to_y * to_y)
        ahead = zip((to_y + aside * to_x).tolist(), (to_x - aside * to_y).tolist(), strict=True)
        # math, not NumPy: a row's last bit must not depend on the length of the array.
        angle = np.array([math.atan2(*unit) for unit in ahead]).reshape(len(rows))
        speed = np.where(there, LEAST + (MOST - LEAST) * drawn[:, 4], 0.0)
        choice = Choice.of(Strokes(x=x, angle=angle, speed=speed))
        return replace(choice, target=np.where(there, disc, -1).astype(np.int8))
