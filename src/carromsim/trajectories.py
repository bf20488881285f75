"""One stroke followed in time: where every disc is at any moment, from the motion law itself.

The kernels keep no path. But a stroke may be simulated again with the clock stopped, and a batch of such rows gives
the true states at as many moments. They are taken at every event, just before and after, and in between wherever cubic
polynomials through places and velocities would miss the motion. Each disc then keeps the few that its own path needs.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import N_DISCS, STRIKER, Equipment
from carromsim.layouts import Layout
from carromsim.outcomes import Outcomes
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim_kernels.state import EventKind, FloatArray, Status

__all__ = ["Trajectory", "follow"]

SHORTEST = 1e-7
"""No look is taken between two moments nearer than this [s]: the fastest disc moves by a micrometre."""
TURN_TOLERANCE = 0.02
"""By how much the turning of a disc may be missed [rad]: a degree, which shows nowhere."""
SUDDEN = 1e-4
"""A change of velocity in no time above this [m/s] is a corner of the path, below it is within the tolerance."""

Look = Callable[[FloatArray], FloatArray]
"""Times (m,) to states (m, 20, 6): x, y, vx, vy, turn (0: unknown), omega; NaN for a disc not on the surface."""

X, V, TURN, OMEGA = slice(0, 2), slice(2, 4), 4, 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectory:
    """The motion of all discs in one stroke, see `follow`.

    Attributes
    ----------
    equipment : Equipment
        With the coefficients that this stroke had.
    strokes : Strokes
        The one stroke, as executed.
    outcome : Outcomes
        Its one row, events recorded; to the bit what `simulate` says.
    knots : tuple of 20 (k, 7) float64
        For each disc rows of t, x, y, vx, vy, turn, omega [s, m, m/s, rad, rad/s], in order of time. Two rows with
        one t are before and after a blow. Between rows the path is the cubic polynomial with these places and
        velocities. The last row is where the disc's motion ends: at rest, or gone from the surface. A disc that never
        moves has one row, a disc that is not there none.
    """

    equipment: Equipment
    strokes: Strokes
    outcome: Outcomes
    knots: tuple[FloatArray, ...]

    def __repr__(self) -> str:
        return f"Trajectory({len(self.events)} events, {self.duration:.3f} s)"

    @property
    def duration(self) -> float:
        """Time until everything rests [s]."""
        return float(self.outcome.duration[0])

    @property
    def events(self) -> NDArray[np.void]:
        """The events in order of time, as in `Outcomes.events`: fields t [s], kind, a, b."""
        return self.outcome.events(0)

    @property
    def gone(self) -> NDArray[np.bool_]:
        """Which discs leave the surface in this stroke, into a pocket or over the frame, (20,) bool."""
        gone: NDArray[np.bool_] = (self.outcome.pocket[0] >= 0) | (self.outcome.overboard[0] == 1)
        return gone

    def at(self, t: ArrayLike) -> FloatArray:
        """Tell where the discs are at some time, or at several.

        Parameters
        ----------
        t : float or array of float
            Time since the stroke [s], >= 0; after the end everything stays where it is.

        Returns
        -------
        (..., 20, 2) float64 [m]
            One position of 20 discs for each time; NaN for a disc that is not on the surface (any more).

        Raises
        ------
        ValueError
            If a time is negative or no number.
        """
        times = np.asarray(t)
        if times.dtype.kind not in "iuf":
            raise ValueError(f"t has dtype {times.dtype}: must be numbers")
        wrong = times[~(times >= 0.0)]
        if wrong.size:
            raise ValueError(f"t = {wrong[0]}: must be >= 0 s")
        flat = np.minimum(times.astype(np.float64).ravel(), self.duration)
        pos = np.full((flat.size, N_DISCS, 2), np.nan)
        for i, (knots, gone) in enumerate(zip(self.knots, self.gone, strict=True)):
            if len(knots) == 0:
                continue
            k = np.searchsorted(knots[:, 0], flat, side="right") - 1
            moves = k < len(knots) - 1
            pos[~moves, i] = np.nan if gone else knots[-1, 1:3]
            pos[moves, i] = _between(knots[k[moves]], knots[k[moves] + 1], flat[moves])[:, :2]
        return pos.reshape(*times.shape, N_DISCS, 2)


def follow(
    layout: Layout,
    strokes: Strokes,
    *,
    equipment: Equipment | str = "icf",
    coefficients: Mapping[str, float] | None = None,
    seed: int = 0,
    row: int = 0,
    stroke: int = 0,
    tolerance: float = 2e-5,
) -> Trajectory:
    """Follow one stroke from its first moment until everything rests.

    Parameters
    ----------
    layout : Layout
        One position. Its striker entry is ignored.
    strokes : Strokes
        One stroke.
    equipment : Equipment or str
        Or the name of a preset.
    coefficients : mapping of str to float, optional
        Coefficients in place of the equipment's, see `simulate`.
    seed, row, stroke : int
        Which chance the stroke has, >= 0, see `simulate`; without matter unless `Equipment.jump_chance` is not 0.
    tolerance : float
        How far a place between knots may lie from the motion law's [m], > 0.

    Returns
    -------
    Trajectory

    Raises
    ------
    ValueError
        If there is not one layout and one stroke, if `simulate` refuses them, if seed, row or stroke is no such number,
        or if the stroke has no outcome.
    """
    for name, given, kind in (("layout", layout, Layout), ("strokes", strokes, Strokes)):
        if not isinstance(given, kind):
            raise ValueError(f"{name} = {type(given).__name__}: must be a {kind.__name__}")
        if len(given) != 1:
            raise ValueError(f"{name} has {len(given)} rows: must have one")
    if not (isinstance(tolerance, int | float) and 0.0 < tolerance < math.inf):
        raise ValueError(f"tolerance = {tolerance!r}: must be a number > 0 m")
    for name, number in (("seed", seed), ("row", row), ("stroke", stroke)):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"{name} = {number!r}: must be a whole number >= 0")
    equipment = Equipment.of(equipment)
    values = dict(coefficients or {})
    play = partial(_simulate, layout, strokes, equipment, values, seed=seed, row=row, stroke=stroke)
    outcome = play(np.array([math.inf]), record=True)
    status = Status(int(outcome.status[0]))
    if status != Status.OK:
        raise ValueError(f"the stroke has no outcome: status {int(status)}, {status.name.lower().replace('_', ' ')}")
    start = _start(layout, strokes, equipment)
    times, states = _sampled(_look(play, float(outcome.duration[0])), start, outcome, tolerance)
    gone_at = _gone_at(outcome)
    return Trajectory(
        equipment=equipment.replace(**values),
        strokes=strokes,
        outcome=outcome,
        knots=tuple(_knots(times, states[:, i], float(gone_at[i]), tolerance) for i in range(N_DISCS)),
    )


def _simulate(
    layout: Layout,
    strokes: Strokes,
    equipment: Equipment,
    coefficients: Mapping[str, float],
    until: FloatArray,
    *,
    record: bool,
    **chance: int,
) -> Outcomes:
    """Simulate the stroke once for each time at which its clock is to stop."""
    n = len(until)
    given: dict[str, Any] = {name: getattr(strokes, name) for name in ("x", "angle", "speed", "spin", "seat")}
    if n > 1:  # a single stroke stays one, so that what is wrong with it is told by name
        given = {name: np.repeat(values, n) for name, values in given.items()}
    elif strokes.scalar:
        given = {name: values.item() for name, values in given.items()}
    return simulate(
        layout,
        Strokes(**given),
        equipment=equipment,
        coefficients={name: np.full(n, value) for name, value in coefficients.items()},
        seed=chance["seed"],
        rows=np.full(n, chance["row"]),
        stroke=chance["stroke"],
        until=until,
        record=record,
    )


def _look(play: Callable[..., Outcomes], duration: float) -> Look:
    """Return what tells the states at some times."""

    def look(times: FloatArray) -> FloatArray:
        seen = play(np.where(times < duration, times, np.inf), record=False)
        states = np.zeros((len(times), N_DISCS, 6))
        states[..., X], states[..., V], states[..., OMEGA] = seen.pos, seen.vel, seen.omega
        return states

    return look


def _start(layout: Layout, strokes: Strokes, equipment: Equipment) -> FloatArray:
    """Return the state (20, 6) before anything happens, which may be at time 0 already."""
    state = np.zeros((N_DISCS, 6))
    place, velocity = strokes.start(equipment)
    state[:, X] = layout.pos.reshape(N_DISCS, 2)
    state[STRIKER, X], state[STRIKER, V], state[STRIKER, OMEGA] = place[0], velocity[0], strokes.spin[0]
    return state


def _gone_at(outcome: Outcomes) -> FloatArray:
    """Return when each disc left the surface (20,) [s]; NaN for one that did not."""
    times, events = np.array(outcome.pocket_time[0]), outcome.events(0)
    left = events[events["kind"] == EventKind.OVERBOARD]
    times[left["a"]] = left["t"]
    return times


def _sampled(look: Look, start: FloatArray, outcome: Outcomes, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Return times (m,), ascending, and states (m, 20, 6) between which cubic polynomials meet the motion."""
    events = outcome.events(0)["t"]
    times = np.unique(np.concatenate([[0.0], events, np.nextafter(events, 0.0), outcome.duration]))
    states = look(times)
    states[0] = start
    low, high = times[:-1], times[1:]
    while True:
        wide = high - low > SHORTEST
        low, high = low[wide], high[wide]
        if low.size == 0:
            break
        middle = 0.5 * (low + high)
        seen = look(middle)
        before, after = (states[np.searchsorted(times, t)] for t in (low, high))
        bad = _missed(before, after, seen, (high - low)[:, np.newaxis], tolerance)
        times, states = np.concatenate([times, middle]), np.concatenate([states, seen])
        order = np.argsort(times, kind="stable")
        times, states = times[order], states[order]
        low, high = np.concatenate([low[bad], middle[bad]]), np.concatenate([middle[bad], high[bad]])
    omega = np.nan_to_num(states[..., OMEGA])
    steps = 0.5 * (omega[1:] + omega[:-1]) * np.diff(times)[:, np.newaxis]
    states[1:, :, TURN] = np.cumsum(steps, axis=0)
    return times, states


def _missed(
    before: FloatArray, after: FloatArray, seen: FloatArray, h: FloatArray, tolerance: float
) -> NDArray[np.bool_]:
    """Tell of each span (m,) of length h (m, 1) whether its middle is not where polynomials say, or a disc goes."""
    h = h[..., np.newaxis]
    there, stays = ~np.isnan(before[..., 0]), ~np.isnan(after[..., 0])
    place = 0.5 * (before[..., X] + after[..., X]) + 0.125 * h * (before[..., V] - after[..., V])
    slope = 1.5 * (after[..., X] - before[..., X]) - 0.25 * h * (before[..., V] + after[..., V])
    # An uneven miss, which has no part in the middle's place, has one in its velocity: an eighth of that.
    error = np.abs(seen[..., X] - place) + 0.125 * np.abs(h * seen[..., V] - slope)
    # A quarter of what is allowed: half is for leaving out knots, and the middle need not be the worst.
    off = there & stays & ~(np.hypot(error[..., 0], error[..., 1]) <= 0.25 * tolerance)
    turned = h[..., 0] * np.abs(seen[..., OMEGA] - 0.5 * (before[..., OMEGA] + after[..., OMEGA]))
    return np.asarray((off | (there & ~stays) | (turned > TURN_TOLERANCE)).any(axis=1))


def _knots(times: FloatArray, states: FloatArray, gone_at: float, tolerance: float) -> FloatArray:
    """Return the rows (k, 7) of one disc that its path needs, from its states (m, 6); gone_at is NaN if it stays."""
    there = ~np.isnan(states[:, 0])
    rows = np.column_stack([times[there], states[there]])
    if len(rows) == 0:
        return rows
    if math.isnan(gone_at):
        same = (rows[:, 1:5] == rows[-1, 1:5]).all(axis=1) & (rows[:, 6] == 0.0)
        rows = rows[: np.flatnonzero(np.append(True, ~same))[-1] + 1]
    else:
        left = gone_at - rows[-1, 0]
        rows = np.vstack([rows, rows[-1]])
        rows[-1, 1:3] += left * rows[-1, 3:5]
        rows[-1, 0] = gone_at
    sudden = np.abs(np.diff(rows[:, 3:5], axis=0)).max(axis=1) > SUDDEN
    blows = np.flatnonzero(sudden & (np.diff(rows[:, 0]) < SHORTEST))
    rows[blows, 0] = rows[blows + 1, 0]
    rests = (rows[:, [3, 4, 6]] == 0.0).all(axis=1)
    starts, stops = np.flatnonzero(rests[:-1] & ~rests[1:]), np.flatnonzero(~rests[:-1] & rests[1:]) + 1
    fixed = np.unique(np.concatenate([[0, len(rows) - 1], blows, blows + 1, starts, stops]))
    kept, told = set(fixed.tolist()), _told(rows)
    for first, last in zip(fixed[:-1].tolist(), fixed[1:].tolist(), strict=True):
        kept |= _needed(rows, told, first, last, tolerance)
    return rows[sorted(kept)]


def _told(rows: FloatArray) -> FloatArray:
    """Return t, x, y and turn (2 m - 1, 4) of rows (m, 7) and of the middles between them."""
    told = np.empty((2 * len(rows) - 1, 4))
    told[::2] = rows[:, [0, 1, 2, 5]]
    told[1::2, 0] = 0.5 * (rows[:-1, 0] + rows[1:, 0])
    told[1::2, 1:] = _between(rows[:-1], rows[1:], told[1::2, 0])
    return told


def _needed(rows: FloatArray, told: FloatArray, first: int, last: int, tolerance: float) -> set[int]:
    """Return which rows between two are needed for the polynomials to meet all: where the miss is worst, and so on."""
    needed, spans = set(), [(first, last)]
    while spans:
        a, b = spans.pop()
        if b - a < 2:
            continue
        inner = told[2 * a + 1 : 2 * b]
        guess = _between(rows[a : a + 1], rows[b : b + 1], inner[:, 0])
        off = np.hypot(*(guess[:, :2] - inner[:, 1:3]).T) / (0.5 * tolerance)
        worst = np.maximum(off, np.abs(guess[:, 2] - inner[:, 3]) / TURN_TOLERANCE)
        if worst.max() > 1.0:
            k = min(max(a + (1 + int(worst.argmax())) // 2, a + 1), b - 1)
            needed.add(k)
            spans += [(a, k), (k, b)]
    return needed


def _between(before: FloatArray, after: FloatArray, t: FloatArray) -> FloatArray:
    """Return x, y and turn (m, 3) at times (m,) by the cubic polynomials between rows of knots, (m, 7) or (1, 7)."""
    h = after[:, 0] - before[:, 0]
    s = ((t - before[:, 0]) / np.where(h > 0.0, h, 1.0))[:, np.newaxis]
    place, slope = [1, 2, 5], [3, 4, 6]
    p, q = before[:, place], after[:, place]
    u, v = h[:, np.newaxis] * before[:, slope], h[:, np.newaxis] * after[:, slope]
    return p + s * (u + s * (3.0 * (q - p) - 2.0 * u - v + s * (2.0 * (p - q) + u + v)))
