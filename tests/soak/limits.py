"""Judges a block: which rows have no outcome or an impossible one, and how near the others came to the limits."""

import hashlib
from typing import NamedTuple

import numpy as np

import carromsim as cs
from carromsim_kernels.state import Status, Tolerances
from soak.scenes import Block, Motion

SAMPLE, MOMENTS = 20, 8
"""Rows of a block that are stopped on their way, and how often."""
OVERLAP, OUTSIDE = 1e-6, 1e-9
"""Limits of overlap of two discs and of rounding at the frame [m]."""
SOFT, OVERLAP_IF_SOFT = 2e-4, 2e-6
"""Discs whose contacts last longer [s], softer than any of wood, may rest a little deeper in one another [m]."""
GAIN = 1e-9
"""Limit of the energy that a stroke may gain, relative to that of its start."""
MOST_EVENTS = Tolerances().max_events


class Verdict(NamedTuple):
    """What is kept of a block."""

    statuses: list[int]
    """How many rows have each status."""
    faulty: list[int]
    """Rows that were refused, gave up a burst, or ended impossibly; not those that reached the limit of events."""
    events: int
    most_events: tuple[float, int]
    """And the row; so the next three."""
    overlap: tuple[float, int]
    """Of two discs at the end [m]; negative: they are that far apart."""
    beyond: tuple[float, int]
    """How far a disc at the end reaches into the frame [m]; negative: none touches it."""
    gain: tuple[float, int]
    """Of energy at a time, relative to that of the start."""
    digest: str
    """Of all outcomes: another one if a bit differs."""


def judge(block: Block, out: cs.Outcomes, seed: int) -> Verdict:
    """Look at every row of a block, and let some be played until a moment each."""
    ended = out.status == Status.OK
    overlap, beyond = deepest(out.pos, block.equipment), farthest(out.pos, block.equipment)
    limit = OVERLAP if block.equipment.t_contact <= SOFT else OVERLAP_IF_SOFT
    gained = gains(np.random.default_rng([seed, block.number, 1]), block, out)
    wrong = ended & (impossible(block.begin, out) | (overlap > limit) | (beyond > OUTSIDE) | ~(gained <= GAIN))
    wrong |= ~ended & (out.status != Status.EVENT_LIMIT)
    return Verdict(
        statuses=np.bincount(out.status, minlength=len(Status)).tolist(),
        faulty=np.flatnonzero(wrong).tolist(),
        events=int(out.n_events.sum()),
        most_events=_most(out.n_events),
        overlap=_most(overlap),
        beyond=_most(beyond),
        gain=_most(gained),
        digest=digest(out),
    )


def _most(values: np.ndarray) -> tuple[float, int]:
    """Return the largest value and its row; NaN counts as the largest."""
    row = int(np.argmax(values))
    return float(values[row]), row


def impossible(begin: Motion, out: cs.Outcomes) -> np.ndarray:
    """Return which rows tell what cannot be, whatever the equipment: (n,) bool."""
    absent, holed = np.isnan(begin.pos[..., 0]), out.pocket >= 0
    gone = absent | holed | (out.overboard == 1)
    wrong = np.any(np.isnan(out.pos) != gone[..., np.newaxis], axis=(1, 2)) | np.any(np.isinf(out.pos), axis=(1, 2))
    wrong |= np.any(absent & (holed | (out.overboard == 1)) | holed & (out.overboard == 1), axis=1)
    wrong |= np.any((out.pocket < -1) | (out.pocket > 3), axis=1)
    timed = (out.pocket_time >= 0.0) & (out.pocket_time <= out.duration[:, np.newaxis])
    wrong |= np.any(np.where(holed, ~timed, ~np.isnan(out.pocket_time)), axis=1)
    wrong |= ~np.all(out.vel == 0.0, axis=(1, 2)) | ~np.all(out.omega == 0.0, axis=1)
    wrong |= ~(np.isfinite(out.duration) & (out.duration >= 0.0))
    lost = np.count_nonzero(gone & ~absent, axis=1)
    wrong |= (out.n_events > MOST_EVENTS) | (out.n_events < out.n_disc_hits + out.n_cushion_hits + lost)
    wrong |= (out.n_disc_hits < 0) | (out.n_cushion_hits < 0) | (out.first_hit < -1) | (out.first_hit > 19)
    return wrong


def deepest(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return the deepest overlap of two discs, (n, 20, 2) -> (n,) [m]; negative if none touch."""
    i, j = np.triu_indices(20, 1)
    x, y = pos[:, i, 0] - pos[:, j, 0], pos[:, i, 1] - pos[:, j, 1]
    gaps = np.sqrt(x * x + y * y) - (eq.radius[i] + eq.radius[j])
    return -np.min(np.where(np.isnan(gaps), 1.0, gaps), axis=1)


def farthest(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return how far discs reach into the frame, (n, 20, 2) -> (n,) [m]; negative if none touches it."""
    pos = np.abs(pos)
    beyond = np.maximum(np.max(pos, axis=-1) - (0.5 * eq.side - eq.radius), in_corner(pos, eq))
    return np.max(np.where(np.isnan(beyond), -1.0, beyond), axis=1)


def in_corner(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return how far discs (n, 20, 2), given by |x| and |y|, are beyond the corners [m]; -1 where there is none."""
    if eq.corner == "cut_away":
        return (pos.sum(axis=-1) - (eq.side - eq.corner_size)) / np.sqrt(2.0) + eq.radius
    if eq.corner == "right_angled":
        return np.full(pos.shape[:2], -1.0)
    bent = pos - (0.5 * eq.side - eq.corner_size)
    room = eq.corner_size - eq.radius
    inside = (np.min(bent, axis=-1) > 0.0) & (room > 0.0)
    return np.where(inside, np.hypot(bent[..., 0], bent[..., 1]) - room, -1.0)


def gains(rng: np.random.Generator, block: Block, out: cs.Outcomes) -> np.ndarray:
    """Stop some rows at random times of their own; return the largest gain of each, relative, (n,); 0 for the others.

    What contact forces hold at a time does not count as gained when they give it back: a time is compared with those
    before at which no discs were pressed together.
    """
    most = np.zeros(len(out))
    rows = np.flatnonzero((out.status == Status.OK) & (energy(block.begin, block.equipment) > 0.0))
    rows = rng.permutation(rows)[:SAMPLE]
    if rows.size == 0:
        return most
    first = energy(block.begin, block.equipment)[rows]
    least = first.copy()
    for moment in np.sort(rng.uniform(0.0, 1.0, (MOMENTS, len(rows))) ** 2, axis=0):
        state = block.stopped(rows, moment * out.duration[rows])
        now = energy(Motion(state.pos, state.vel, state.omega), block.equipment)
        now[state.status != Status.OK] = np.nan
        most[rows] = np.fmax(most[rows], (now - least) / first)
        most[rows[np.isnan(now)]] = np.nan
        least = np.where(deepest(state.pos, block.equipment) < 1e-9, np.minimum(least, now), least)
    return most


def energy(motion: Motion, eq: cs.Equipment) -> np.ndarray:
    """Return the kinetic energy of rows [J]; absent discs have none."""
    each = 0.5 * eq.mass * (np.sum(motion.vel**2, axis=-1) + 0.5 * (eq.radius * motion.omega) ** 2)
    return np.sum(np.where(np.isnan(motion.pos[..., 0]), 0.0, each), axis=-1)


def digest(out: cs.Outcomes) -> str:
    """Return 16 hexadecimal digits that stand for the outcomes."""
    text = hashlib.sha256()
    for name in ("status", "pocket", "pocket_time", "pos", "duration", "n_events"):
        text.update(np.ascontiguousarray(getattr(out, name)).tobytes())
    return text.hexdigest()[:16]
