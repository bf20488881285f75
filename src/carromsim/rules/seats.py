"""Who sits where: two players or four, who is to whose right, which seats change.

Players are counted in the order in which they have their turns, counter-clockwise (UKCA B2, ICF 49b); sides take
turns, so player p plays for side p % 2. One neighbour does three things: the player to the shooter's right plays next
and places his dues (ICF 78b; other rule sets [A]), and the one to the breaker's right opens the next board [A].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from carromsim.strokes import N_SEATS
from carromsim_kernels.state import CodeArray

__all__ = ["DOUBLES", "SINGLES", "Seating"]


@dataclass(frozen=True)
class Seating:
    """Seats of the players at the beginning of a match.

    Parameters
    ----------
    seats : tuple of int
        Seat of player 0, 1, ...: 0 bottom, 1 right, 2 top, 3 left; counter-clockwise, an even number of them.
    """

    seats: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check that turns go round the board once."""
        seats = self.seats
        known = all(isinstance(seat, int) and 0 <= seat < N_SEATS for seat in seats)
        if len(seats) not in (2, 4) or not known or list(seats) != sorted(set(seats)):
            raise ValueError(f"seats = {seats!r}: must be 2 or 4 different seats from 0 to 3, counter-clockwise")

    @property
    def n(self) -> int:
        """Number of players."""
        return len(self.seats)

    def seat(self, player: ArrayLike, turned: ArrayLike = 0) -> CodeArray:
        """Give a player's seat, int8 of any shape.

        Parameters
        ----------
        player : int, any shape
            0 <= player < n.
        turned : int, any shape
            How often the sides have changed: each time everybody moves on to the next player's seat, so that the
            sides change places, and in doubles partners still face each other [A].
        """
        seats: CodeArray = np.array(self.seats, np.int8)[(self._checked(player) + np.asarray(turned)) % self.n]
        return seats

    def side(self, player: ArrayLike) -> CodeArray:
        """Give the side for which a player plays, 0 or 1, int8 of any shape."""
        return np.asarray(self._checked(player) % 2, np.int8)

    def right(self, player: ArrayLike) -> CodeArray:
        """Give the player to the right: next on turn, places the dues, opens the next board; int8 of any shape."""
        return np.asarray((self._checked(player) + 1) % self.n, np.int8)

    def _checked(self, player: ArrayLike) -> CodeArray:
        array = np.asarray(player)
        if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() < self.n):
            raise ValueError(f"player = {player!r}: must be from 0 to {self.n - 1}")
        return array.astype(np.int8)


SINGLES = Seating((0, 2))
"""Two players who face each other."""
DOUBLES = Seating((0, 1, 2, 3))
"""Two pairs, partners face each other: sides (0, 2) and (1, 3)."""
