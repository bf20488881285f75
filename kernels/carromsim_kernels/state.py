"""What crosses the wall between the carrom layer and the kernels.

Everything here is a plain number, an array or a tuple of them, so that it travels into
compiled code and also works with the JIT switched off.
"""

from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int8]

N_DISCS = 20
STRIKER = 0
DAMPING_CELLS = 1024
SHORTEST_CONTACT, LONGEST_CONTACT = 1e-6, 1e-3
"""Limits of t_contact [s]: shorter steps vanish in the rounding of time, longer contacts outlast a burst."""


class Status(IntEnum):
    """What became of one row. Codes are append-only."""

    OK = 0
    EVENT_LIMIT = 1
    START_OVERLAP = 2
    BAD_INPUT = 3
    BURST_LIMIT = 4


class EventKind(IntEnum):
    """What happened. The order is the tie rule's: of two events at one time the lower kind comes first."""

    DISC_HIT = 0
    CUSHION_HIT = 1
    POCKETING = 2
    STOP = 3
    OVERBOARD = 4


class Corner(IntEnum):
    """What joins two cushions."""

    RIGHT_ANGLED = 0
    """Nothing: both are straight to the very end."""
    ROUNDED = 1
    """A quarter circle that touches both."""
    CUT_AWAY = 2
    """A straight piece at 45 degrees."""


class Board(NamedTuple):
    """Fixed geometry of the playing surface, origin at its centre [m]."""

    half_side: float
    pocket_centre: float
    """|x| = |y| of the four pocket centres."""
    front_line: float
    """y of the shooter's front striking line in his own frame (negative)."""
    gravity: float
    """[m/s^2]"""
    fall_time: float
    """How long a disc stays beyond a pocket's tipping limit before it is gone [s]; 0: it is gone at once."""
    corner: int
    """Corner"""
    corner_size: float
    """Radius of the quarter circle, or how much of each cushion the piece across cuts off [m]."""


class Physics(NamedTuple):
    """Coefficients of one row, most without dimension: Coulomb frictions, normal and tangential restitutions.

    A normal restitution falls from 1 at rest to the limit e, by half at the speed v_c [m/s]; 0: e at any speed.
    """

    mu_surface: float
    e_disc: float
    e_cushion: float
    mu_disc: float
    mu_cushion: float
    beta_disc: float
    beta_cushion: float
    v_c_disc: float
    v_c_cushion: float
    t_contact: float
    """Duration of an elastic hit of two men, for Hertz at 3 m/s [s]."""


class Tolerances(NamedTuple):
    """Numerical limits of the event loop. A change of any of them changes results."""

    touch: float = 1e-12
    """Gap below which two discs are in contact [m]; 1e-12 shifts a hit at 0.1 m/s by 1e-11 s before polishing."""
    push_speed: float = 1e-3
    """A contact reached more slowly than this [m/s] is a push: it waits until the overlap is push_overlap."""
    push_overlap: float = 5e-7
    """Overlap at which a push is resolved [m]; push_speed^2 / (2 * 1 m/s^2)."""
    push_pause: float = 1e-4
    """Discs that part at that overlap are looked at again only after this time [s]; it grows by 1e-8 m at most."""
    still_speed: float = 1e-12
    """A disc that would start more slowly than this, in travel or at its rim, does not start at all [m/s]."""
    elastic_speed: float = 2e-3
    """Impacts slower than this are elastic, so that bounces cannot pile up in finite time [m/s]."""
    start_overlap: float = 2e-6
    """Largest overlap accepted at the start of a stroke [m]."""
    burst_speed: float = 0.05
    """A slower hit is one of two discs, whatever is near [m/s]."""
    burst_cap: float = 20_000.0
    """A burst of more t_contact is given up, its row with status BURST_LIMIT; discs that run along a round frame and
    hardly throw one another back are pressed together for thousands."""
    least_angle: float = 0.05
    """Sine of the flattest angle at which a disc leaves a rounded corner: one that runs along it goes by chords."""
    least_rebound: float = 1e-12
    """The same for a straight piece across the corner: rounding must not turn a disc back into it."""
    max_events: int = 100_000
    """Events and passages of a tipping limit per stroke before the row is given up with status EVENT_LIMIT."""
    max_refined: int = 1_000_000
    """Refined predictions per stroke before the row is given up likewise: no row can hang."""


class Curves(Protocol):
    """The universal curves of the sliding-and-spinning law of one contact face, wherever they are kept."""

    @property
    def cells(self) -> FloatArray:
        """(2 * CELLS, 3, 6): quintics of v / u, w / u and x / u^2 over each cell, slide curve first."""

    @property
    def roots(self) -> IntArray:
        """(2,): how many square roots of u are taken to find the cell, on the slide and on the spin curve."""

    @property
    def ratio(self) -> FloatArray:
        """(2, CELLS + 1): w / v at the cell edges; falls along the slide curve, rises along the spin curve."""

    @property
    def ratio_fixed(self) -> float:
        """W / v in the final approach to rest, where both curves begin."""

    @property
    def force_fixed(self) -> float:
        """Friction force there, in units of mu m g."""

    @property
    def edges(self) -> FloatArray:
        """(CELLS + 1,): the index at the cell edges, `motion.cell_edges`."""

    @property
    def hint(self) -> IntArray:
        """(2, HINTS): where to look for a ratio, `motion.ratio_hints`."""

    @property
    def bow(self) -> FloatArray:
        """(2, CELLS): how the ratio bends within the cells, `motion.ratio_bows`."""


class MotionTable(NamedTuple):
    """The curves as they come from a file, see `Curves`."""

    cells: FloatArray
    roots: IntArray
    ratio: FloatArray
    ratio_fixed: float
    force_fixed: float
    edges: FloatArray
    hint: IntArray
    bow: FloatArray
    gamma: float
    """m a^2 / I of the face for which they hold: 2 (a / R)^2."""
    kappa: float
    """Its inner over its outer radius."""


class ContactLaw(NamedTuple):
    """Forces of discs in touch, see `contact.contact_law`."""

    compliant: int
    """1: hits that a third disc takes part in are bursts; 0: all hits are of two discs."""
    hertz: int
    """1: force k d^1.5; 0: k d."""
    contact_steps: float
    """Time steps per t_contact."""
    contact_mass: float
    """Reduced mass of two men [kg]."""
    damping: FloatArray
    """(DAMPING_CELLS + 1,) damping ratios of the restitutions 0, 1 / DAMPING_CELLS, ..., 1."""


class Jumps(NamedTuple):
    """The speculative model of discs that leave the board, see `jumps`."""

    jump_chance: float
    """Of a very hard impact; 0: off."""
    jump_speed: float
    """Approach speed at which the chance is half of that [m/s]."""
    jump_width: float
    """[m/s]"""


class Discs(NamedTuple):
    """The twenty discs, striker first."""

    radius: FloatArray
    """(20,) [m]"""
    mass: FloatArray
    """(20,) [kg]"""
    face: FloatArray
    """(20,) radius of the face on which a disc slides [m]"""
    capture: FloatArray
    """(20,) tipping limit: a disc falls when its centre is nearer to a pocket's [m]; 0 if it fits no pocket."""


class Start(NamedTuple):
    """How the rows of a chunk begin."""

    pos: FloatArray
    """(n, 20, 2), NaN for a disc that is not on the surface [m]."""
    vel: FloatArray
    """(n, 20, 2) [m/s]"""
    omega: FloatArray
    """(n, 20) [rad/s]"""
    seat: CodeArray
    """(n,) the shooter's seat, 0 bottom, counter-clockwise."""
    physics: FloatArray
    """(n, 9) in the order of Physics."""
    status: CodeArray
    """(n,) not OK: the row is known to be bad and is not simulated."""
    luck: FloatArray
    """(n, 20) uniform, decides which discs jump; no matter what if jump_chance is 0."""


class Result(NamedTuple):
    """Outcome columns of a chunk, written in place, one row per stroke."""

    status: CodeArray
    pocket: CodeArray
    """(n, 20) -1 = not pocketed."""
    pocket_time: FloatArray
    """(n, 20) NaN = not pocketed [s]."""
    overboard: CodeArray
    """(n, 20) 1 = left the board over the frame."""
    pos: FloatArray
    """(n, 20, 2) NaN = not on the surface [m]."""
    vel: FloatArray
    """(n, 20, 2) [m/s]"""
    omega: FloatArray
    """(n, 20) [rad/s]"""
    first_hit: CodeArray
    first_hit_direct: CodeArray
    first_hit_behind: CodeArray
    crossed_front_line: CodeArray
    n_events: NDArray[np.int32]
    n_disc_hits: NDArray[np.int32]
    n_cushion_hits: NDArray[np.int32]
    duration: FloatArray
    """(n,) [s]"""


class Log(NamedTuple):
    """Recorded events of a chunk, row after row; of length 0 if nothing is recorded."""

    first: IntArray
    """(n + 1,) where the events of a row begin, and the end."""
    t: FloatArray
    kind: CodeArray
    a: CodeArray
    b: CodeArray
