"""The slow twin of the event loop: the same physics in plain, obvious Python, without Numba and without the kernels.

Nothing is predicted cleverly. A disc's next hit of the frame, way into or out of a pocket, or stop is found by
inverting its path, from a list of all lines and circles that may count; the first contact
of two discs is found by walking along their gap in steps that are halved until the sign of the gap, or of its rate of
change, is certain on the whole step, and then by Brent's method; an impact is solved with the contact's Jacobian and
mass matrix. Good to about 1e-12 s, a few milliseconds per event.
"""

from collections.abc import Callable
from math import hypot, inf, sqrt
from typing import Any

import numpy as np

from oracles.approach import STOP, Disc, Pair
from oracles.sliding import Motion

DISC_HIT, CUSHION_HIT, POCKETING, ENTERING, LEAVING = 0, 1, 2, 4, 5
"""The last two are no events: a disc begins to fall into a pocket, or gets out of it in time."""
ELASTIC_SPEED = 2e-3
"""Slower impacts have e = 1 [m/s]."""
LEAST_SINE = 0.05
"""A disc that hits a rounded corner leaves at no flatter angle than with this sine."""
CORNERS = [np.array(s, float) for s in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
WALLS = [np.array(n, float) for n in ((1, 0), (-1, 0), (0, 1), (0, -1))]


def path_through(disc: Disc, centre: np.ndarray, radius: float) -> tuple[float, float]:
    """Return the paths at which a moving disc's line enters and leaves a circle about a point; inf if it misses."""
    ahead = float((centre - disc.pos) @ disc.heading)
    aside = hypot(*(disc.pos + ahead * disc.heading - centre))
    if disc.motion.v == 0.0 or aside >= radius:
        return inf, inf
    half = sqrt(radius**2 - aside**2)
    return ahead - half, ahead + half


def impact(
    masses: np.ndarray, jacobian: np.ndarray, q: np.ndarray, e: float, mu: float, beta: float, v_c: float = 0.0
) -> np.ndarray:
    """Return the generalised velocities after an impact.

    ``jacobian @ q`` is the (normal, tangential) velocity of the contact, positive approaching. The impulses that
    reverse them by e(v) and beta are taken from the contact's inverse mass matrix, the tangential one within mu times
    the normal one. e(v) is the mean of e and 1, weighted by v and v_c; impacts slower than ELASTIC_SPEED have e = 1.
    """
    approach, slip = jacobian @ q
    softness = np.diag((jacobian / masses) @ jacobian.T)
    rebound = approach if approach < ELASTIC_SPEED else approach * (e * approach + v_c) / (approach + v_c)
    normal = (approach + rebound) / softness[0]
    tangential = float(np.clip((1.0 + beta) * slip / softness[1], -mu * normal, mu * normal))
    return q - (jacobian.T @ np.array([normal, tangential])) / masses


def inertia(radius: float, mass: float) -> list[float]:
    return [mass, mass, 0.5 * mass * radius**2]


def hit_discs(a: Disc, b: Disc, t: float, *law: float) -> list[tuple[Any, ...]]:
    """Return (position, velocity, spin) of both discs after their hit at t."""
    (xa, va, wa), (xb, vb, wb) = a.at(t), b.at(t)
    n = (xb - xa) / hypot(*(xb - xa))
    s = np.array([-n[1], n[0]])
    jacobian = np.array([[*n, 0.0, *-n, 0.0], [*s, a.radius, *-s, b.radius]])
    masses = np.array(inertia(a.radius, a.mass) + inertia(b.radius, b.mass))
    q = impact(masses, jacobian, np.array([*va, wa, *vb, wb]), *law)
    return [(xa, q[0:2], float(q[2])), (xb, q[3:5], float(q[5]))]


def hit_wall(a: Disc, t: float, *law: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return position, velocity and spin after a hit of the frame at t; law is e, mu, beta and perhaps v_c."""
    x, v, w = a.at(t)
    n = a.wall
    if a.arc:
        v, law = no_flatter(v, n, law)
    jacobian = np.array([[*n, 0.0], [-n[1], n[0], a.radius]])
    q = impact(np.array(inertia(a.radius, a.mass)), jacobian, np.array([*v, w]), *law)
    return x, q[:2], float(q[2])


def no_flatter(v: np.ndarray, n: np.ndarray, law: tuple[float, ...]) -> tuple[np.ndarray, tuple[float, ...]]:
    """Return velocity and law (e, mu, beta) of a hit on an arc, so that the disc leaves no flatter than LEAST_SINE."""
    e, mu, beta, v_c = (*law, 0.0)[:4]
    approach, along, speed = float(v @ n), float(v @ [-n[1], n[0]]), hypot(*v)
    rebound = approach if approach < ELASTIC_SPEED else approach * (e * approach + v_c) / (approach + v_c)
    wanted = LEAST_SINE * speed
    if rebound < wanted:
        rebound = wanted
        if approach < wanted:  # turned away from the arc at the same speed
            approach = wanted
            v = approach * n + np.sign(along) * sqrt(speed**2 - approach**2) * np.array([-n[1], n[0]])
    return v, (rebound / approach, mu, beta)


class Row:
    """One stroke on its way."""

    def __init__(self, radius: np.ndarray, mass: np.ndarray, physics: Any, board: Any, until: float) -> None:
        self.radius, self.mass, self.physics, self.board, self.until = radius, mass, physics, board, until
        self.mu_g = physics.mu_surface * board.gravity
        self.discs: dict[int, Disc] = {}
        self.falling: dict[int, tuple[int, float]] = {}  # into which pocket, and when the disc will be gone
        self.pairs: dict[tuple[int, int], tuple[float, float]] = {}
        self.first_push = inf
        self.events: list[tuple[float, int, int, int]] = []

    def launch(self, i: int, t: float, pos: np.ndarray, vel: np.ndarray, omega: float) -> None:
        """Start disc i anew; everything predicted for it is forgotten."""
        face, hole = self.board.face, self.board.face_hole
        motion = Motion(hypot(*vel), omega, float(self.radius[i]), self.mu_g, face, hole)
        disc = Disc(float(self.radius[i]), float(self.mass[i]), t, np.array(pos), np.array(vel), omega, motion)
        self.discs[i] = disc
        self.pairs = {pair: when for pair, when in self.pairs.items() if i not in pair}
        moving = motion.v > 0.0 or omega != 0.0
        options = [(t + motion.t_stop, STOP)] if moving and motion.t_stop < inf else []
        when, disc.wall, disc.arc = self._frame(disc)
        options.append((when, CUSHION_HIT))
        if i in self.falling:
            pocket, gone = self.falling[i]
            options.append((gone, POCKETING))
            out = path_through(disc, self.board.pocket_centre * CORNERS[pocket], self._capture(disc))[1]
            options.append((disc.when(out), LEAVING))
        else:
            options.append((self._pocket(disc)[0], ENTERING))
        disc.certain = min(options)

    def _frame(self, disc: Disc) -> tuple[float, np.ndarray, bool]:
        """Return when a disc hits the frame, the direction into the frame there, and whether a rounded corner is hit.

        A straight cushion counts as far as its corners' arcs begin, an arc within its corner's square.
        """
        half, size = self.board.half_side, self.board.corner_size
        room = size - disc.radius if self.board.corner == "rounded" else 0.0
        options: list[tuple[float, np.ndarray, bool]] = [(inf, np.zeros(2), False)]  # the first has the shortest path
        for n, distance in self._walls():
            outward = float(disc.heading @ n)
            if outward > 0.0:
                path = (distance - disc.radius - float(disc.pos @ n)) / outward
                along = abs(float((disc.pos + path * disc.heading) @ [-n[1], n[0]]))
                if room <= 0.0 or along <= half - size:
                    options.append((max(path, 0.0), n, False))
        for corner in CORNERS if room > 0.0 else ():
            centre = (half - size) * corner
            path = path_through(disc, centre, room)[1]
            if path < inf:
                out = disc.pos + path * disc.heading - centre
                if min(out * corner) > 0.0:
                    options.append((max(path, 0.0), out / hypot(*out), True))
        path, n, arc = min(options, key=lambda option: option[0])
        return disc.when(path), n, arc

    def _walls(self) -> list[tuple[np.ndarray, float]]:
        """Return the straight pieces of the frame: the direction into each, and its distance from the centre."""
        half, size = self.board.half_side, self.board.corner_size
        cut = self.board.corner == "cut_away"
        pieces = [(corner / sqrt(2.0), (2.0 * half - size) / sqrt(2.0)) for corner in CORNERS if cut]
        return [(n, half) for n in WALLS] + pieces

    def _capture(self, disc: Disc) -> float:
        """Return how near to a pocket's centre a disc's centre must come to fall; 0 if it does not fit."""
        hole = self.board.pocket_radius
        if disc.radius >= hole:
            return 0.0
        return hole if self.board.capture_rule == "centre" else sqrt(hole**2 - disc.radius**2)

    def _pocket(self, disc: Disc) -> tuple[float, int]:
        """Return when a disc comes so near to a pocket that it begins to fall, and to which; inf, -1 for never."""
        capture, first = self._capture(disc), (inf, -1)
        for pocket, corner in enumerate(CORNERS):
            centre = self.board.pocket_centre * corner
            if hypot(*(disc.pos - centre)) < capture - 1e-12:  # a disc that has just got out is there by rounding
                return disc.t, pocket
            if (centre - disc.pos) @ disc.heading > 0.0:
                first = min(first, (path_through(disc, centre, capture)[0], pocket))
        return disc.when(first[0]), first[1]

    def next_event(self) -> tuple[float, int, int, int]:
        """Return the earliest event by the tie rule: time, kind, lowest disc, lowest partner."""
        options = [(*disc.certain, i, -1) for i, disc in self.discs.items()]
        order = sorted(self.discs)
        for k, i in enumerate(order):
            for j in order[k + 1 :]:
                if (i, j) not in self.pairs:
                    self.pairs[i, j] = self._first_hit(self.discs[i], self.discs[j])
                options.append((self.pairs[i, j][0], DISC_HIT, i, j))
        event = min(options, default=(inf, STOP, -1, -1))
        pushes = [push for _, push in self.pairs.values() if push <= event[0]]
        self.first_push = min([self.first_push, *pushes])
        return event

    def _first_hit(self, a: Disc, b: Disc) -> tuple[float, float]:
        """Return when two discs hit, and when they begin to push, unless something happens to them before."""
        start = max(a.t, b.t)
        end = min(a.certain[0], b.certain[0], self.until)
        reach = sum(d.motion.s_stop for d in (a, b))
        if (a.motion.v == 0.0 and b.motion.v == 0.0) or end == inf:
            return inf, inf
        if hypot(*(a.pos - b.pos)) - a.radius - b.radius > reach:
            return inf, inf
        pair = Pair(a, b)
        return pair.hit(start, end), pair.push

    def resolve(self, t: float, kind: int, i: int, j: int) -> None:
        """Let the event happen."""
        p, disc = self.physics, self.discs[i]
        if kind == DISC_HIT:
            law = p.e_disc, p.mu_disc, p.beta_disc, p.v_c_disc
            for k, state in zip((i, j), hit_discs(disc, self.discs[j], t, *law), strict=True):
                self.launch(k, t, *state)
        elif kind == CUSHION_HIT:
            self.launch(i, t, *hit_wall(disc, t, p.e_cushion, p.mu_cushion, p.beta_cushion, p.v_c_cushion))
        elif kind == STOP:
            self.launch(i, t, disc.at(t)[0], np.zeros(2), 0.0)
        elif kind == ENTERING:
            self.falling[i] = self._pocket(disc)[1], t + sqrt(2.0 * self.board.fall_height / self.board.gravity)
            self.launch(i, t, *disc.at(t))
        elif kind == LEAVING:
            del self.falling[i]
            self.launch(i, t, *disc.at(t))
        else:
            del self.discs[i]
            self.pairs = {pair: when for pair, when in self.pairs.items() if i not in pair}


def simulate_row(
    pos: np.ndarray,
    vel: np.ndarray,
    omega: np.ndarray,
    radius: np.ndarray,
    mass: np.ndarray,
    physics: Any,
    board: Any,
    until: float = inf,
    max_events: int = 1_000_000,
    watch: Callable[[Row], None] | None = None,
) -> dict[str, Any]:
    """Play one row to its end.

    Parameters
    ----------
    pos, vel, omega : (n, 2), (n, 2) and (n,) float64
        State of n discs at time 0 [m], [m/s], [rad/s]; a disc with a NaN coordinate is absent.
    radius, mass : (n,) float64
        [m], [kg].
    physics, board
        Anything with the attributes of the kernels' ``Physics`` and ``Board``.
    until : float
        Stop the clock there [s].
    max_events : int
        Stop after so many events.
    watch : callable, optional
        Called with the row after every event.

    Returns
    -------
    dict
        events (list of (t, kind, a, b)); pos, vel, omega, NaN for discs not on the surface; pocket (n,) int, -1 = none;
        pocket_time (n,), NaN = none; t, the time of the state; first_push, when two discs first pushed, inf = never.
    """
    row = Row(radius, mass, physics, board, until)
    n = len(radius)
    for i in range(n):
        if np.all(np.isfinite(pos[i])):
            row.launch(i, 0.0, pos[i], vel[i], float(omega[i]))
    pocket, pocket_time = np.full(n, -1), np.full(n, np.nan)
    t = 0.0
    while len(row.events) < max_events:
        event = row.next_event()
        if event[0] > until or event[0] == inf:
            t = until if until < inf else t
            break
        t, kind, i, _ = event
        if kind == POCKETING:
            pocket[i], pocket_time[i] = row.falling[i][0], t
        row.resolve(*event)
        if kind in (ENTERING, LEAVING):
            continue
        row.events.append(event)
        if watch is not None:
            watch(row)
    end: dict[str, Any] = {"pos": np.full((n, 2), np.nan), "vel": np.full((n, 2), np.nan), "omega": np.full(n, np.nan)}
    for i, disc in row.discs.items():
        end["pos"][i], end["vel"][i], end["omega"][i] = disc.at(t)
    end |= {"events": row.events, "t": t, "pocket": pocket, "pocket_time": pocket_time, "first_push": row.first_push}
    return end


def energy(state: dict[str, Any], radius: np.ndarray, mass: np.ndarray) -> float:
    """Return the kinetic energy of the discs on the surface [J]."""
    linear = 0.5 * mass * np.sum(state["vel"] ** 2, axis=1)
    return float(np.nansum(linear + 0.25 * mass * radius**2 * state["omega"] ** 2))
