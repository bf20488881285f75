"""Speculative: a disc leaves the board in a very hard impact.

Nothing in the plane lifts a disc over the frame, and nobody has measured how often it happens. So that overboard laws
can be exercised at all, each impact may throw out each disc that takes part, with the chance

    jump_chance / (1 + exp(-(v - jump_speed) / jump_width))

at an approach speed v. One uniform number per disc and stroke decides: it leaves in the first impact after which the
chance of having left exceeds that number, which is the same as drawing for each impact. Off if jump_chance = 0.
"""

import math

from carromsim_kernels.discs import remove
from carromsim_kernels.facts import record
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.schedule import predict_pairs
from carromsim_kernels.state import N_DISCS, EventKind, Log

OVERBOARD = int(EventKind.OVERBOARD)
LN_2 = 0.6931471805599453


@kernel
def exp_minus(z: float) -> float:
    """Return exp(-z) for z >= 0 to about 1e-13, by arithmetic alone: the same on any machine."""
    if z > 700.0:
        return 0.0
    n = math.floor(z / LN_2)
    rest, term, total = n * LN_2 - z, 1.0, 1.0
    for k in range(1, 15):
        term *= rest / k
        total += term
    return math.ldexp(total, -int(n))


@kernel
def chance_at(scene: Scene, approach: float) -> float:
    """Return the chance that an impact throws a disc out."""
    z = (approach - scene.jump_speed) / scene.jump_width
    small = exp_minus(abs(z))
    return float(scene.jump_chance * (1.0 if z > 0.0 else small) / (1.0 + small))


@kernel
def risk_jump(scene: Scene, i: int, approach: float) -> None:
    """Let disc i take part in an impact: it may have to leave."""
    scene.stay[i] *= 1.0 - chance_at(scene, approach)
    if 1.0 - scene.stay[i] > scene.luck[i]:
        scene.leaps[i], scene.n_leaping = 1, 1


@kernel
def throw_out(scene: Scene, t: float, log: Log, s: int) -> None:
    """Take the discs that have to leave off the surface."""
    scene.n_leaping = 0
    for i in range(N_DISCS):
        if scene.leaps[i] == 1 and scene.on_board[i] == 1:
            record(scene, log, s, t, OVERBOARD, i, -1)
            scene.overboard[i] = 1
            remove(scene, i)
            predict_pairs(scene, i, t)
