"""Chance enters here: noise that depends on the seed, the row, the stroke and the slot, and on nothing else.

The same row of two studies with one seed gets the same noise, whatever else differs between them: common random
numbers across variants come for free.
"""

import operator
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from carromsim.problems import as_array
from carromsim_kernels.rng import normal_batch, uniform_batch
from carromsim_kernels.state import FloatArray, IntArray

__all__ = [
    "IDEA_SLOTS",
    "JITTER_SLOTS",
    "JUMP_SLOTS",
    "LOOKAHEAD_SLOTS",
    "POSITION_SLOTS",
    "Slot",
    "Streams",
    "check_seed",
]


class Slot(IntEnum):
    """Which number of a stroke is drawn. A slot is never reused for something else: that would change results."""

    PLACEMENT = 0
    ANGLE = 1
    SPEED = 2
    SPIN = 3
    """Up to here: the scatter of the hand. What follows: the parameters that a study varies from row to row."""
    INTENDED_X = 16
    INTENDED_ANGLE = 17
    INTENDED_SPEED = 18
    INTENDED_SPIN = 19
    ROTATION = 20
    GAP = 21
    MU_SURFACE = 22
    E_DISC = 23
    E_CUSHION = 24
    MU_DISC = 25
    V_C_DISC = 26
    V_C_CUSHION = 27
    T_CONTACT = 28
    # What people may do about a stroke besides playing it (`carromsim.rules.referee.DeclaredRates`), and the coin.
    IMPROPER = 29
    INTERFERENCE = 30
    TECHNICAL_FOUL = 31
    BAD_SETUP = 32
    PREMATURE_BREAK = 33
    CALL_DOUBLE_DUE = 34
    DECLINE_DUES = 35
    DEMAND_EXTRA = 36
    BOARD_LOSS = 37
    TOSS = 38
    # What a policy draws that leaves a choice to chance.
    CHOSEN_X = 39
    CHOSEN_ANGLE = 40
    CHOSEN_SPEED = 41
    # Where the man of a shot study lies.
    SHOT_DISTANCE = 46
    SHOT_CUT = 47


JITTER_SLOTS = range(64, 104)
"""Shift of disc d in an opening pack: slots 64 + 2 d (x) and 65 + 2 d (y), at stroke 0."""

JUMP_SLOTS = range(104, 124)
"""Luck of disc d against leaving the board (speculative): slot 104 + d."""

POSITION_SLOTS = range(128, 168)
"""Trial position of disc d in a random layout: slots 128 + 2 d (x) and 129 + 2 d (y), at stroke = trial."""

LOOKAHEAD_SLOTS = range(1024, 1024 + 4 * 4096)
"""What a player who thinks ahead imagines of his hand: four slots a trial, in the order of those from `PLACEMENT`."""

IDEA_SLOTS = range(LOOKAHEAD_SLOTS.stop, LOOKAHEAD_SLOTS.stop + 6 * 4096)
"""What he tries at random: six slots for idea i, from `IDEA_SLOTS.start` + 6 i."""


def check_seed(seed: object) -> int:
    """Return `seed` as an int, or raise ValueError: it must be an integer from 0 to 2^64 - 1."""
    try:
        value = -1 if isinstance(seed, bool | np.bool_) else operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        value = -1
    if not 0 <= value < 2**64:
        raise ValueError(f"seed = {seed!r}: must be an integer from 0 to 2**64 - 1")
    return value


class _Filler(Protocol):
    def __call__(
        self, seed: np.uint64, rows: IntArray, strokes: IntArray, first_slot: int, out: FloatArray, /
    ) -> None: ...


class Streams:
    """The noise of one seed.

    Parameters
    ----------
    seed : int
        0 <= seed < 2^64.

    Notes
    -----
    Slot s of a row's stroke is word s of ``numpy.random.Philox(key=seed, counter=[0, stroke, row, 0]).random_raw()``.
    """

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = check_seed(seed)

    def __repr__(self) -> str:
        return f"Streams(seed={self.seed})"

    def uniform(self, rows: ArrayLike, stroke: ArrayLike, slot: int | range) -> FloatArray:
        """Draw from the open interval (0, 1).

        Parameters
        ----------
        rows : (n,) int
            Row numbers, at least 0, in any order.
        stroke : int or (n,) int
            Number of the stroke within the row, at least 0.
        slot : int or range with step 1
            One slot, or several neighbours at once.

        Returns
        -------
        (n,) float64, or (n, len(slot)) float64 for a range
        """
        return self._fill(uniform_batch, rows, stroke, slot)

    def normal(self, rows: ArrayLike, stroke: ArrayLike, slot: int | range) -> FloatArray:
        """Draw from the standard normal distribution; arguments as in `uniform`."""
        return self._fill(normal_batch, rows, stroke, slot)

    def _fill(self, fill: _Filler, rows: ArrayLike, stroke: ArrayLike, slot: int | range) -> FloatArray:
        slots = slot if isinstance(slot, range) else range(int(slot), int(slot) + 1)
        if len(slots) == 0 or slots.step != 1 or slots.start < 0:
            raise ValueError(f"slot = {slot!r}: must be an integer >= 0, or a range of such with step 1")
        numbers = counters("rows", rows)
        if numbers.ndim != 1:
            raise ValueError(f"rows has shape {numbers.shape}: must be one-dimensional")
        strokes = counters("stroke", stroke)
        if strokes.shape not in ((), numbers.shape):
            raise ValueError(
                f"stroke has shape {strokes.shape}: must be a scalar or of the rows' shape {numbers.shape}"
            )
        out = np.empty((len(numbers), len(slots)))
        fill(np.uint64(self.seed), numbers, np.full(len(numbers), strokes), slots.start, out)
        return out if isinstance(slot, range) else out[:, 0]


def counters(name: str, value: ArrayLike) -> IntArray:
    """Check numbers of rows, strokes or boards, 0 to 2^63 - 1; copy them, so that the kernels see one signature."""
    array = as_array(name, value)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}: must be integers")
    if array.size and (int(array.min()) < 0 or int(array.max()) >= 2**63):
        raise ValueError(f"{name} runs from {array.min()} to {array.max()}: must be from 0 to 2**63 - 1")
    return np.array(array, dtype=np.int64, order="C")
