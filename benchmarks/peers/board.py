"""What the time-stepping programs share: the board that a request describes, and the fall into a pocket.

They have neither a tipping limit nor a time of fall; both are added in Python here, for the few discs near a pocket.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Point = tuple[float, float]

LONGEST = 60.0
"""Seconds after which a stroke is given up."""
STILL = 1e-6
"""A disc slower than this, in travel and at its rim, rests [m/s]."""
LOOK = 1.0 / 60.0
"""How often it is looked whether everything rests [s]."""
CHORDS = 8
"""Straight pieces in place of a corner's quarter circle."""
STRIKER = 0
CORNERS = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
"""Signs of x and y, in the order of the pockets."""


@dataclass(frozen=True)
class Board:
    """Lengths [m], masses [kg] and coefficients under the names of the package's equipment."""

    side: float
    pocket_radius: float
    pocket_offset: float
    corner_size: float
    fall_height: float
    striker_mass: float
    striker_radius: float
    man_mass: float
    man_radius: float
    mu_surface: float
    mu_disc: float
    mu_cushion: float
    e_disc: float
    e_cushion: float
    gravity: float
    base_line_distance: float

    @classmethod
    def of(cls, request: dict[str, Any]) -> "Board":
        """Take what is needed from a request."""
        return cls(**{name: float(request["board"][name]) for name in cls.__dataclass_fields__})

    def mass(self, disc: int) -> float:
        """Return a disc's mass [kg]."""
        return self.striker_mass if disc == STRIKER else self.man_mass

    def radius(self, disc: int) -> float:
        """Return a disc's radius [m]."""
        return self.striker_radius if disc == STRIKER else self.man_radius

    def friction(self, disc: int) -> tuple[float, float]:
        """Return the largest force [N], and torque of a disc that spins on the spot [N m], of the surface."""
        force = self.mu_surface * self.mass(disc) * self.gravity
        return force, 2.0 / 3.0 * force * self.radius(disc)

    def pockets(self) -> list[Point]:
        """Return the centres of the pockets [m]; none if they have no radius."""
        centre = 0.5 * self.side - self.pocket_offset
        return [(sx * centre, sy * centre) for sx, sy in CORNERS if self.pocket_radius > 0.0]

    def arcs(self, beyond: float) -> list[list[Point]]:
        """Return the frame's rounded corners as chains of chords, counter-clockwise.

        Parameters
        ----------
        beyond : float
            How far outside the frame [m].
        """
        middle, chains = 0.5 * self.side - self.corner_size, []
        for quarter, (sx, sy) in enumerate(CORNERS):
            angles = [math.pi + 0.5 * math.pi * (quarter + k / CHORDS) for k in range(CHORDS + 1)]
            reach = self.corner_size + beyond
            chains.append([(sx * middle + reach * math.cos(a), sy * middle + reach * math.sin(a)) for a in angles])
        return chains


def start(board: Board, men: list[list[float]], stroke: dict[str, float]) -> tuple[list[Point], Point]:
    """Return the centres of striker and men [m], and the striker's velocity [m/s]."""
    places = [(stroke["x"], board.base_line_distance - 0.5 * board.side), *((x, y) for x, y in men)]
    return places, (stroke["speed"] * math.cos(stroke["angle"]), stroke["speed"] * math.sin(stroke["angle"]))


@dataclass
class Falls:
    """Discs near a pocket, and since when they have been beyond its tipping limit.

    Attributes
    ----------
    near : dict of int to (point, float)
        Of each disc that overlaps a pocket's circle: its centre [m] and the time at which the disc last passed the
        limit [s], infinity if it has not.
    """

    board: Board
    near: dict[int, tuple[Point, float]] = field(default_factory=dict)

    def enter(self, disc: int, pocket: int) -> None:
        """Note that a disc has begun to overlap a pocket."""
        self.near[disc] = (self.board.pockets()[pocket], math.inf)

    def leave(self, disc: int) -> None:
        """Note that it has ceased to."""
        self.near.pop(disc, None)

    @property
    def pending(self) -> bool:
        """Whether a disc is falling."""
        return any(since < math.inf for _, since in self.near.values())

    def fallen(self, now: float, place_of: Callable[[int], Point]) -> list[int]:
        """Return the discs that have been beyond the limit for as long as a fall takes, and forget them.

        Parameters
        ----------
        now : float
            [s]
        place_of : callable
            Gives a disc's centre [m].
        """
        gone, fall = [], math.sqrt(2.0 * self.board.fall_height / self.board.gravity)
        for disc, (pocket, since) in list(self.near.items()):
            square = self.board.pocket_radius**2 - self.board.radius(disc) ** 2
            beyond = math.dist(pocket, place_of(disc)) ** 2 < square
            self.near[disc] = (pocket, min(since, now) if beyond else math.inf)
            if self.near[disc][1] <= now - fall:
                gone.append(disc)
        for disc in gone:
            del self.near[disc]
        return gone
