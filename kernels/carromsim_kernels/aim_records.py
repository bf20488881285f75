"""What the search for strokes reads, works on and gives: two record layouts.

A man that is to be sent on his way is an *errand*: which disc is hit first, in which direction and how fast it has to
leave, and by how much either may be wrong. How the striker gets there is another question.
"""

from enum import IntEnum

import numpy as np

from carromsim_kernels.state import N_DISCS


class AimKind(IntEnum):
    """How a disc is to be pocketed. Codes are append-only."""

    DIRECT = 0
    MAN_BANK = 1
    """By one cushion."""
    STRIKER_REBOUND = 2
    """The striker comes from one cushion."""
    COMBINATION = 3
    """The striker hits another man, which sends it."""
    BACKSHOT = 4
    """Directly, at a disc that is not wholly beyond the front line."""


NO_CANDIDATE = -1
"""Kind of an entry that is empty."""

CANDIDATE = np.dtype(
    [
        ("x", np.float64),
        ("angle", np.float64),
        ("speed", np.float64),
        ("spin", np.float64),
        ("kind", np.int8),
        ("target", np.int8),
        ("via", np.int8),
        ("pocket", np.int8),
        ("cut", np.float64),
        ("estimate", np.float64),
        ("value", np.float64),
    ],
    align=True,
)
"""One stroke worth considering, in the shooter's frame: x [m], angle [rad], speed [m/s], spin [rad/s]; `AimKind` or -1,
the disc to be pocketed, the disc between (-1: none), the pocket; cut [rad], the angle between the striker's way and
that of the disc it hits; the chance that the target falls, and that times what it is worth."""

MOST_PLACES = 64

_FLOATS = (
    # The world.
    "half_side", "pocket_centre", "front_line", "base_line", "mu_g",
    "e_disc", "v_c_disc", "mu_disc", "stick_disc", "e_cushion", "v_c_cushion", "mu_cushion", "stick_cushion",
    # The shooter: standard deviations of what he does.
    "sd_x", "sd_angle", "sd_speed", "sd_spin",
    # The errand: direction of the disc hit first, how far to the right (lo < 0) and to the left (hi > 0) of it that
    # disc may go [tangents], its launch speed and the limits of that [m/s].
    "ux", "uy", "lo", "hi", "launch", "least", "most",
    # ... by another man: by what tangent the direction has to be more to the left per rim over speed of the disc.
    "spin_turn",
    # ... by a cushion: distances from it, way along it, its restitution; by what factor rim over speed grows up to it.
    "bank_h1", "bank_h2", "bank_w", "bank_e", "bank_growth",
    # A contact: line of centres, way of the mover and its length, cosine and sine of the angle from the line of centres
    # to that way, throw (tangential over normal impulse), restitution.
    "nx", "ny", "dx", "dy", "way", "cos", "sin", "throw", "e",
    # Standard deviation of the direction of the disc hit first, and how much of a turn of the line of centres it takes.
    "spread", "lever",
    # Bounds: the spread above which no place is good enough, the least spread per angle of the striker's way.
    "widest", "least_lever",
    # A rebound of the striker: tangents before and behind, restitution, length and speed of the way behind.
    "tau", "tau_out", "rebound_e", "way_out", "speed_out",
)  # fmt: skip
_INTS = ("direct_hit", "n_there", "n_places", "first", "target", "via", "pocket", "cushion")

AIM = np.dtype(
    [(name, np.float64) for name in _FLOATS]
    + [(name, np.int64) for name in _INTS]
    + [(name, np.float64, (N_DISCS,)) for name in ("radius", "mass", "catch", "fastest", "x", "y")]
    + [
        ("there", np.int64, (N_DISCS,)),
        ("place", np.float64, (MOST_PLACES,)),
        ("sd_place", np.float64, (MOST_PLACES,)),
        ("free", np.int64, (MOST_PLACES,)),
    ],
    align=True,
)
"""The search at work. `cushion`: by which the errand goes, or -1. `catch`: how far from a pocket's centre the path of
a disc may pass [m]; `fastest`: how fast it may be there [m/s]; `x`, `y` of the discs on the surface, which `there`
lists; `place`: where the striker may stand, and how well it is put there; `free`: 1 if no disc is in the way."""
