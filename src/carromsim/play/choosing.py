"""Ask players for strokes, each as he sees the board, and let their hands execute them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carromsim.play.lanes import noise_number, seat_of, turned
from carromsim.play.setup import Setup
from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import RecordArray
from carromsim.strokes import Strokes
from carromsim_kernels.state import CodeArray, FloatArray

__all__ = ["Aimed", "aim"]

_HAND = ("x", "angle", "speed", "spin")


@dataclass(frozen=True, kw_only=True, eq=False)
class Aimed:
    """Strokes as intended and as executed, one for each lane.

    Attributes
    ----------
    kind, target, pocket : (n,) int8
        As in `Choice`.
    estimate : (n,) float64
    intended, executed : (n, 4) float64
        x [m], angle [rad], speed [m/s], spin [rad/s]; in the shooter's own frame.
    seat : (n,) int8
    """

    kind: CodeArray
    target: CodeArray
    pocket: CodeArray
    estimate: FloatArray
    intended: FloatArray
    executed: FloatArray
    seat: CodeArray

    def strokes(self) -> Strokes:
        """Give the strokes as executed."""
        return Strokes(**dict(zip(_HAND, self.executed.T, strict=True)), seat=self.seat)

    def take(self, rows: NDArray[np.intp]) -> "Aimed":
        """Give some of the rows."""
        return Aimed(**{name: column[rows] for name, column in vars(self).items()})


def aim(setup: Setup, lanes: RecordArray) -> Aimed:
    """Let the player on strike in each lane choose a stroke and execute it.

    Policies see all lanes of their side at once; sides with one policy and one skill are asked together.
    """
    n, seat = len(lanes), seat_of(setup, lanes)
    aimed = Aimed(
        kind=np.empty(n, np.int8),
        target=np.empty(n, np.int8),
        pocket=np.empty(n, np.int8),
        estimate=np.empty(n),
        intended=np.empty((n, 4)),
        executed=np.empty((n, 4)),
        seat=seat,
    )
    for side, rows in _groups(setup, lanes):
        turns = _turns(setup, lanes[rows], side, seat[rows])
        choice = _choice(setup, turns, side)
        hand = setup.skills[side].executed(
            choice.strokes, setup.equipment, seed=setup.seed, rows=turns.rows, stroke=turns.stroke, pos=turns.pos
        )
        for name in ("kind", "target", "pocket", "estimate"):
            getattr(aimed, name)[rows] = getattr(choice, name)
        aimed.intended[rows] = np.stack([getattr(choice.strokes, name) for name in _HAND], axis=1)
        executed = np.stack([getattr(hand, name) for name in _HAND], axis=1)
        # A hand puts the striker down where it may stand; a foul intention is to be seen, not mended.
        legal = choice.strokes.is_legal(setup.equipment)
        aimed.executed[rows] = np.where(legal[:, np.newaxis], executed, aimed.intended[rows])
    return aimed


def _groups(setup: Setup, lanes: RecordArray) -> list[tuple[int, NDArray[np.intp]]]:
    """Give the lanes of each side that has any, or all as those of side 0 if nothing tells the sides apart."""
    if setup.policies[0] is setup.policies[1] and setup.skills[0] == setup.skills[1]:
        return [(0, np.arange(len(lanes)))]
    by_side = [(side, np.flatnonzero(lanes["player"] % 2 == side)) for side in (0, 1)]
    return [(side, rows) for side, rows in by_side if len(rows)]


def _turns(setup: Setup, lanes: RecordArray, side: int, seat: CodeArray) -> Turns:
    return Turns(
        pos=turned(lanes["pos"], (-seat % 4).astype(np.int8)),
        states=lanes["state"].copy(),
        rules=setup.rules,
        equipment=setup.equipment,
        skill=setup.skills[side],
        seed=setup.seed,
        rows=lanes["row"].copy(),
        stroke=noise_number(lanes),
    )


def _choice(setup: Setup, turns: Turns, side: int) -> Choice:
    """Ask a policy, and refuse what is no answer."""
    choice = setup.policies[side].choose(turns)
    if isinstance(choice, Strokes):
        choice = Choice.of(choice)
    if not isinstance(choice, Choice) or choice.strokes.n != len(turns):
        told = f"{choice.strokes.n} strokes" if isinstance(choice, Choice) else type(choice).__name__
        raise ValueError(f"policy of side {side} gave {told}: must be a Strokes or a Choice of {len(turns)} strokes")
    return choice
