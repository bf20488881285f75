"""The policy that takes the stroke of the best estimated value, and the one that leaves everything to chance."""

from dataclasses import dataclass

import numpy as np

from carromsim.players.aim import candidates
from carromsim.players.phases import by_phase, choice_of, joined
from carromsim.players.room import free_places, pick
from carromsim.players.safe import safe_strokes
from carromsim.players.targets import wanted
from carromsim.players.turns import Choice, Turns
from carromsim.streams import Slot, Streams
from carromsim.strokes import Strokes

__all__ = ["Greedy", "Random"]

N_PLACES = 201
"""Placements between which chance decides: about 2 mm apart."""
SLOWEST, FASTEST = 0.5, 6.0
"""Speeds between which it decides [m/s]."""


@dataclass(frozen=True)
class Greedy:
    """Takes the candidate of the best value: what its target is worth now, times the estimated chance that it falls.

    Where there is no candidate it plays safe; it breaks as all do.
    """

    name = "greedy"

    def choose(self, turns: Turns) -> Choice:
        """Choose a stroke for each row; x is NaN where the striker has no room."""
        return by_phase(turns, _best)


@dataclass(frozen=True)
class Random:
    """Plays anywhere: a free placement, a direction ahead and a speed, all uniform; it breaks as all do."""

    name = "random"

    def choose(self, turns: Turns) -> Choice:
        """Choose a stroke for each row; x is NaN where the striker has no room."""
        return by_phase(turns, _any)


def _best(turns: Turns) -> Choice:
    best = candidates(turns, wanted(turns), 1)[:, 0]
    on = best["kind"] >= 0
    shots, others = np.flatnonzero(on), np.flatnonzero(~on)
    parts = [(shots, choice_of(best[shots]))]
    if len(others):
        parts.append((others, safe_strokes(turns.take(others))))
    return joined(len(turns), parts)


def _any(turns: Turns) -> Choice:
    places, free = free_places(turns.pos, turns.equipment, N_PLACES)
    in_steps = free.copy()
    in_steps[:, N_PLACES:] &= ~free[:, :N_PLACES].any(axis=1, keepdims=True)  # only where nothing else is left
    streams = Streams(turns.seed)
    of_x, of_angle, of_speed = (
        streams.uniform(turns.rows, turns.stroke, slot)
        for slot in (Slot.CHOSEN_X, Slot.CHOSEN_ANGLE, Slot.CHOSEN_SPEED)
    )
    room = in_steps.any(axis=1)
    x = np.where(room, places[np.arange(len(turns)), pick(in_steps, of_x)], np.nan)
    speed = np.where(room, SLOWEST + (FASTEST - SLOWEST) * of_speed, 0.0)
    return Choice.of(Strokes(x=x, angle=np.pi * of_angle, speed=speed))
