"""One row played again: where everything lay before each stroke, and every event of it."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from carromsim.layouts import Layout
from carromsim.outcomes import Outcomes
from carromsim.play.engine import play
from carromsim.play.lanes import turned
from carromsim.play.records import Played
from carromsim.play.setup import STROKES_OF_A_BOARD, Setup
from carromsim.players.turns import Choice, Policy, Turns
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim_kernels.state import FloatArray

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Replayed:
    """A board or a match, stroke by stroke.

    Attributes
    ----------
    played : Played
        What came of it, as when it was played among others.
    layout : Layout
        Positions before each of the s strokes, (s, 20, 2) in the board's frame [m].
    strokes : Strokes
        As executed, with their seats.
    outcomes : Outcomes
        Of the strokes, with their events.
    """

    played: Played
    layout: Layout
    strokes: Strokes
    outcomes: Outcomes


def replay(setup: Setup, row: int) -> Replayed:
    """Play a row again and keep everything; it comes out as it did, bit for bit.

    Parameters
    ----------
    setup : Setup
    row : int
        At least 0.
    """
    seen: dict[int, FloatArray] = {}
    policies = (_Watched(setup.policies[0], seen), _Watched(setup.policies[1], seen))
    played = play(dataclasses.replace(setup, policies=policies, keep_strokes=True), range(row, row + 1))
    told = played.strokes
    numbers = STROKES_OF_A_BOARD * told["board"].astype(np.int64) + told["stroke"]
    own = np.array([seen[number] for number in numbers.tolist()]).reshape(len(told), -1, 2)
    layout = Layout(turned(own, told["seat"]))
    strokes = Strokes(**{name: told[name] for name in ("x", "angle", "speed", "spin", "seat")})
    outcomes = simulate(
        layout,
        strokes,
        equipment=setup.equipment,
        seed=setup.seed,
        rows=told["row"],
        stroke=numbers,
        record=True,
        threads=1,
    )
    return Replayed(played=played, layout=layout, strokes=strokes, outcomes=outcomes)


class _Watched:
    """A policy that chooses as another one does, and keeps the positions that it is shown."""

    def __init__(self, policy: Policy, seen: dict[int, FloatArray]) -> None:
        self.policy, self.seen = policy, seen

    def choose(self, turns: Turns) -> Strokes | Choice:
        self.seen.update(zip(turns.stroke.tolist(), turns.pos.copy(), strict=True))
        return self.policy.choose(turns)
