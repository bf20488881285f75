"""One flick of the striker or a batch of them: where it is placed, which way, how fast, with what spin.

A stroke is given in its player's own frame: he sits at the bottom, x runs to his right along the base lines, the
angle is counter-clockwise from +x. The striker touches both base lines, so its centre lies on their middle line and
x alone places it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import N_DISCS, STRIKER, Equipment
from carromsim.equipment_limits import FASTEST
from carromsim.problems import as_array
from carromsim_kernels.state import CodeArray, FloatArray

__all__ = [
    "FASTEST_SPIN",
    "N_SEATS",
    "Strokes",
    "check_placement",
    "clip_to_legal",
    "direction",
    "legal_intervals",
    "placement_legal",
    "quarter_turns",
    "snap_to_end_circle",
]

N_SEATS = 4
"""Counter-clockwise: 0 bottom, 1 right, 2 top, 3 left."""

FASTEST_SPIN = 1e6
"""No striker spins faster [rad/s]: its rim would outrun `FASTEST`."""

_SLACK = 1e-9
"""How far outside a legal interval is still legal [m]: the rounding of decimal input, nothing a board could show."""

_SHOWN = 0.04
"""How long the way is that the arrow of a notebook's picture shows [s], without friction."""

_QUARTER = math.pi / 2


@dataclass(frozen=True, init=False, eq=False)
class Strokes:
    """A batch of strokes; scalars and one-dimensional arrays broadcast to (n,).

    A scalar argument that makes no sense is an error here. Values inside arrays are not looked at: such a row is
    illegal (`is_legal`) and the simulation gives it a status.

    Parameters
    ----------
    x : float or (n,) float
        Centre of the striker along the base lines [m]; where it covers an end circle, it is centred there
        (see `snap_to_end_circle`).
    angle : float or (n,) float, default pi / 2
        Direction, counter-clockwise from +x [rad]; pi / 2 is straight ahead, exactly.
    speed : float or (n,) float
        0 to 10,000 [m/s].
    spin : float or (n,) float, default 0
        Counter-clockwise, at most 1,000,000 either way [rad/s].
    seat : int or (n,) int, default 0
        0 bottom, 1 right, 2 top, 3 left. Inside an array any other number becomes -1.

    Attributes
    ----------
    x, angle, speed, spin : (n,) float64, read-only
    seat : (n,) int8, read-only
    scalar : bool
        Whether every argument was a scalar (then n = 1).
    """

    x: FloatArray
    angle: FloatArray
    speed: FloatArray
    spin: FloatArray
    seat: CodeArray
    scalar: bool

    def __init__(
        self,
        *,
        x: ArrayLike,
        angle: ArrayLike = _QUARTER,
        speed: ArrayLike,
        spin: ArrayLike = 0.0,
        seat: ArrayLike = 0,
    ) -> None:
        given: dict[str, ArrayLike] = {"x": x, "angle": angle, "speed": speed, "spin": spin, "seat": seat}
        arrays = {name: _numbers(name, value) for name, value in given.items()}
        for name, array in arrays.items():
            if array.ndim == 0:
                _check_scalar(name, array)
        try:
            columns = np.broadcast_arrays(*arrays.values())
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items() if array.ndim)
            raise ValueError(f"strokes of different numbers: {shapes}; all arrays must have one length, or 1") from None
        for name, column in zip(arrays, columns, strict=True):
            column = np.atleast_1d(column)
            if name == "seat":
                column = np.where((column >= 0) & (column < N_SEATS), column, -1)
            frozen = np.array(column, dtype=np.int8 if name == "seat" else np.float64)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)
        object.__setattr__(self, "scalar", all(array.ndim == 0 for array in arrays.values()))

    @property
    def n(self) -> int:
        """Number of strokes."""
        return len(self.x)

    def __len__(self) -> int:
        return self.n

    def _repr_html_(self) -> str:
        """Show stroke 0 on an ICF board, for notebooks; strokes do not know which board they are for."""
        from carromsim.drawing.card import card, icf_picture
        from carromsim.drawing.shapes import pointer
        from carromsim.drawing.svg import shape_svg

        facts: dict[str, object] = {} if self.scalar else {"strokes": self.n}
        if self.n == 0:
            return card("Strokes", facts)
        board, of = Equipment.preset("icf"), "" if self.scalar else " of stroke 0"
        facts[f"x{of}"] = f"{float(self.x[0]) * 1e3:.4g} mm"
        facts[f"angle{of}"] = f"{math.degrees(float(self.angle[0])):.4g} degrees"
        facts[f"speed{of}"] = f"{self.speed[0]:.4g} m/s"
        facts[f"spin{of}"] = f"{self.spin[0]:.4g} rad/s"
        facts[f"seat{of}"] = ("bottom", "right", "top", "left", "none")[self.seat[0]]
        if not self.is_legal(board)[0]:
            return card("Strokes", facts, "", f"{of.removeprefix(' of ')} may not be made on an ICF board".strip())
        pos, vel = self.start(board)
        places = np.full((N_DISCS, 2), np.nan)
        places[STRIKER] = pos[0]
        arrow, caption = "", f"{of.removeprefix(' of ')} on an ICF board".strip()
        if self.speed[0] > 0.0:
            end = pos[0] + _SHOWN * vel[0]
            arrow = shape_svg(pointer((pos[0, 0], pos[0, 1]), (end[0], end[1]), 0.004, (0.03, 0.012), "mark"))
            caption += f"; the arrow is its way in {_SHOWN * 1e3:g} ms"
        return card("Strokes", facts, icf_picture(places, arrow), caption)

    def is_legal(self, equipment: Equipment) -> NDArray[np.bool_]:
        """Whether each stroke may be made: speed and spin in their limits, a seat, a legal placement; (n,) bool."""
        possible = np.isfinite(self.angle) & (self.speed >= 0.0) & (self.speed <= FASTEST)
        possible &= (np.abs(self.spin) <= FASTEST_SPIN) & (self.seat >= 0)
        return possible & placement_legal(self.x, equipment)

    def start(self, equipment: Equipment) -> tuple[FloatArray, FloatArray]:
        """Position and velocity of the striker in the board's frame; an illegal row gives numbers or NaN, no error.

        Returns
        -------
        pos : (n, 2) float64 [m]
        vel : (n, 2) float64 [m/s]
        """
        own_pos = np.empty((self.n, 2))
        own_pos[:, 0] = snap_to_end_circle(self.x, equipment)
        own_pos[:, 1] = -(equipment.side / 2 - equipment.base_line_distance)
        with np.errstate(invalid="ignore", over="ignore"):  # infinite speed times 0 is NaN, as it should be
            own_vel = self.speed[:, np.newaxis] * direction(self.angle)
        return quarter_turns(own_pos, self.seat), quarter_turns(own_vel, self.seat)


def _numbers(name: str, value: ArrayLike) -> NDArray[np.generic]:
    """Return the argument as an array of at most one dimension and of real numbers (integers for the seat)."""
    array = as_array(name, value)
    kinds, kind = ("iu", "an integer") if name == "seat" else ("iuf", "a number")
    if array.ndim > 1:
        raise ValueError(f"{name} has shape {array.shape}: must be {kind} or one-dimensional")
    if array.dtype.kind not in kinds and not (array.size == 0 and array.dtype.kind == "f"):
        raise ValueError(f"{name} = {value!r} ({array.dtype}): must be {kind} or an array of such")
    return array


def _check_scalar(name: str, array: NDArray[np.generic]) -> None:
    value = array.item()
    if not math.isfinite(value):
        raise ValueError(f"{name} = {value}: must be finite")
    if name == "speed" and not 0 <= value <= FASTEST:
        raise ValueError(f"speed = {value} m/s: must be from 0 to {FASTEST:g}")
    if name == "spin" and abs(value) > FASTEST_SPIN:
        raise ValueError(f"spin = {value} rad/s: must be from {-FASTEST_SPIN:g} to {FASTEST_SPIN:g}")
    if name == "seat" and not 0 <= value < N_SEATS:
        raise ValueError(f"seat = {value}: must be 0 (bottom), 1 (right), 2 (top) or 3 (left)")


def direction(angle: FloatArray) -> FloatArray:
    """Turn angles into unit vectors (cos, sin), exact at quarter turns and mirror-symmetric about both axes.

    The angle is split into the nearest whole number of quarter turns, which are swaps and signs, and a rest of at
    most an eighth of a turn, which alone goes through cos and sin. So straight ahead has no sideways part, where
    cos(pi / 2) would be 6e-17. The float nearest to a multiple of pi / 2, or its neighbour, counts as that multiple.

    Parameters
    ----------
    angle : (n,) float64 [rad]

    Returns
    -------
    (n, 2) float64; NaN where the angle is not finite
    """
    angle = np.where(np.isfinite(angle), angle, np.nan)
    turns = np.rint(angle / _QUARTER)
    rest = angle - turns * _QUARTER
    rest[np.abs(rest) <= np.spacing(np.abs(angle))] = 0.0
    # math, not NumPy: its vectorised sin and cos may differ in the last bit with the length of the array.
    values = rest.tolist()
    unit = np.empty((len(values), 2))
    unit[:, 0] = np.fromiter(map(math.cos, values), np.float64, len(values))
    unit[:, 1] = np.fromiter(map(math.sin, values), np.float64, len(values))
    return quarter_turns(unit, np.where(np.isnan(turns), -1, turns % 4).astype(np.int8))


def quarter_turns(vectors: FloatArray, turns: CodeArray) -> FloatArray:
    """Turn vectors (n, 2) counter-clockwise by whole quarters (n,), exactly; NaN where turns is not 0, 1, 2 or 3."""
    x, y = vectors[:, 0], vectors[:, 1]
    out = np.full_like(vectors, np.nan)
    for turn, (new_x, new_y) in enumerate(((x, y), (-y, x), (-x, -y), (y, -x))):
        here = turns == turn
        out[here, 0] = new_x[here] + 0.0  # turns -0.0 into 0.0
        out[here, 1] = new_y[here] + 0.0
    return out


@lru_cache(maxsize=32)
def legal_intervals(equipment: Equipment) -> FloatArray:
    """Where along the base lines the centre of the striker may be, (k, 2) float64 [m], ascending, in own frame.

    Read-only.

    With end circles (ICF 130, UKCA C2): between them without touching the part that counts, or over one of them,
    covering that part fully, and not so far out that the striker touches the arrow on the diagonal (ICF 130b).
    Without (Bell): anywhere, the whole striker between the ends of the base lines. There may be no interval at all.
    """
    radius, centre = float(equipment.radius[STRIKER]), equipment.end_circle_offset
    outermost = equipment.side / 2 - radius
    if equipment.arrow_half_width is not None:
        # The diagonal crosses the middle line of the base lines where x = |y|.
        on_diagonal = equipment.side / 2 - equipment.base_line_distance
        outermost = min(outermost, on_diagonal - math.sqrt(2.0) * (radius + equipment.arrow_half_width))
    guard = equipment.end_circle_guard
    if guard is None:
        inner = min(equipment.base_line_half_length - radius, outermost)
        covering = None
    else:
        inner = min(centre - (radius + guard), outermost)
        covering = centre - (radius - guard), min(centre + (radius - guard), outermost)
    intervals = [(-inner, inner)] if inner >= 0 else []
    if covering is not None and max(covering[0], 0.0) <= covering[1]:
        low, high = max(covering[0], 0.0), covering[1]
        intervals = [(-high, -low), *intervals, (low, high)]
    legal = np.array(intervals, dtype=np.float64).reshape(len(intervals), 2)
    legal.setflags(write=False)
    return legal


def placement_legal(x: ArrayLike, equipment: Equipment) -> NDArray[np.bool_]:
    """Whether the striker may be placed at x [m]; any shape; False for NaN."""
    x = np.asarray(x, dtype=np.float64)
    legal = np.zeros(x.shape, dtype=np.bool_)
    for low, high in legal_intervals(equipment):
        legal |= (x >= low - _SLACK) & (x <= high + _SLACK)
    return legal


def check_placement(x: float, equipment: Equipment) -> None:
    """Raise ValueError with the allowed intervals unless the striker may be placed at x [m]."""
    if not placement_legal(x, equipment):
        intervals = [f"{low * 1e3:.2f} to {high * 1e3:.2f} mm" for low, high in legal_intervals(equipment)]
        allowed = ", ".join(intervals) or "nowhere: the striker fits neither between the end circles nor over one"
        raise ValueError(f"x = {x * 1e3:g} mm: the striker may stand at {allowed} ({equipment.name})")


def clip_to_legal(x: ArrayLike, equipment: Equipment) -> FloatArray:
    """Move each x [m] to the nearest place that is legal, the lower of two equally near; NaN stays NaN."""
    intervals = legal_intervals(equipment)
    if len(intervals) == 0:
        raise ValueError(f"equipment {equipment.name!r} leaves no legal place for the striker")
    x = np.clip(np.asarray(x, dtype=np.float64), intervals.min(), intervals.max())  # an infinite x is near the last one
    candidates = np.stack([np.clip(x, low, high) for low, high in intervals])
    nearest = np.argmin(np.abs(candidates - x), axis=0)
    return np.asarray(np.take_along_axis(candidates, nearest[np.newaxis], axis=0)[0])


def snap_to_end_circle(x: ArrayLike, equipment: Equipment) -> FloatArray:
    """Where the striker really stands for a given x [m]: centred on the end circle if it covers one, else at x.

    A player who covers an end circle puts the striker right on it; the few millimetres by which the rules let it be
    off-centre are legal input and mean the same place. Illegal x come back unchanged.
    """
    x = np.array(x, dtype=np.float64)
    if equipment.end_circle_guard is None:
        return x
    for low, high in legal_intervals(equipment):
        if not low <= 0.0 <= high:
            centre = np.clip(math.copysign(equipment.end_circle_offset, low + high), low, high)
            x[(x >= low - _SLACK) & (x <= high + _SLACK)] = centre
    return x
