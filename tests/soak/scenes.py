"""What a soak plays: blocks of strokes, each drawn from the seed and its own number alone.

Breaks of packs in touch and apart, layouts with any number of men down to none, boards full of moving discs; speeds
from a millionth of a metre per second to 15 m/s, spins to 300 rad/s. Unless a preset is named, nearly every block has
equipment of its own, with coefficients from all of their range.
"""

from typing import NamedTuple

import numpy as np

import carromsim as cs
from carromsim.equipment import PRESETS
from carromsim.strokes import clip_to_legal

BLOCK = 1000
"""Rows of a block."""
FASTEST, FASTEST_SPIN = 15.0, 300.0
"""Of the striker [m/s, rad/s]."""
LONGEST_WAY = 230.0
"""How far a disc may slide alone [m]: on equipment without losses a stroke has some twenty events per metre of it."""
FACES = [(1.0, 0.0), (1.0, 0.0), (0.95, 0.0), (0.89, 0.0), (0.9, 0.5), (1.0, 0.9)]
"""A few of them only, because each needs a table of its own."""


class Motion(NamedTuple):
    """How a block begins."""

    pos: np.ndarray
    """(n, 20, 2) [m]"""
    vel: np.ndarray
    """(n, 20, 2) [m/s]"""
    omega: np.ndarray
    """(n, 20) [rad/s]"""


class Choice(NamedTuple):
    """What is fixed for all blocks."""

    seed: int
    breaks: bool = False
    preset: str | None = None
    contact: str | None = None


class Block(NamedTuple):
    """Rows that were drawn and not yet played: strokes, or motion if there are none."""

    number: int
    kind: str
    equipment: cs.Equipment
    begin: Motion
    layout: cs.Layout
    strokes: cs.Strokes | None

    def play(self) -> cs.Outcomes:
        """Play all rows in this thread."""
        if self.strokes is None:
            return cs.simulate_motion(
                *self.begin, equipment=self.equipment, record=False, seed=self.number, threads=1, chunk_rows=BLOCK
            )
        return cs.simulate(
            self.layout, self.strokes, equipment=self.equipment, seed=self.number, threads=1, chunk_rows=BLOCK
        )

    def stopped(self, rows: np.ndarray, until: np.ndarray) -> cs.Outcomes:
        """Play some rows until a moment of each; which discs jump is another chance than in `play`."""
        some = (column[rows] for column in self.begin)
        return cs.simulate_motion(*some, equipment=self.equipment, until=until, record=False, threads=1)


def draw(choice: Choice, number: int, n: int = BLOCK) -> Block:
    """Draw the block of that number."""
    rng = np.random.default_rng([choice.seed, number])
    eq = cs.Equipment.preset(choice.preset) if choice.preset else equipment(rng)
    if choice.contact:
        eq = eq.replace(contact=choice.contact)
    how = breaks if choice.breaks else (breaks, positions, breaks, melee)[number % 4]
    return how(rng, eq, n, number)


def equipment(rng: np.random.Generator) -> cs.Equipment:
    """Return a preset, or ICF equipment with coefficients from all of their range, often with unequal discs."""
    if rng.integers(8) == 0:
        contact = str(rng.choice(["compliant", "sequential"]))
        return cs.Equipment.preset(str(rng.choice(PRESETS))).replace(contact=contact)
    corner = str(rng.choice(["rounded", "right_angled", "cut_away"]))
    face, face_hole = FACES[rng.integers(len(FACES))]
    e_cushion = rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0), 0.7])
    # In a nearly circular frame that does not throw back, some disc runs along it always: a burst without end.
    widest = 0.2 if corner == "cut_away" else 0.37 if e_cushion > 0.3 else 0.1
    eq = cs.Equipment.preset("icf").replace(
        name="soak",
        man_radius=rng.uniform(0.0127, 0.0159),
        man_mass=rng.uniform(0.002, 0.006),
        striker_radius=rng.uniform(0.0165, 0.0215),
        striker_mass=rng.uniform(0.010, 0.016),
        mu_surface=rng.uniform(0.03, 0.3),
        e_disc=rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0), 0.85]),
        e_cushion=e_cushion,
        mu_disc=rng.choice([0.0, rng.uniform(0.0, 1.0), 0.15]),
        mu_cushion=rng.choice([0.0, rng.uniform(0.0, 1.0), 0.1]),
        beta_disc=rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1.0, 1.0)]),
        beta_cushion=rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1.0, 1.0)]),
        v_c_disc=rng.choice([0.0, 0.1, rng.uniform(0.0, 10.0)]),
        v_c_cushion=rng.choice([0.0, 0.1, rng.uniform(0.0, 10.0)]),
        capture_rule=str(rng.choice(["tipping", "centre"])),
        fall_height=rng.choice([0.0, 0.004, rng.uniform(0.0, 0.1)]),
        corner=corner,
        corner_size=rng.choice([0.02225, rng.uniform(0.0, widest)]),
        face=face,
        face_hole=face_hole,
        contact=str(rng.choice(["compliant", "compliant", "compliant", "sequential"])),
        force_law=str(rng.choice(["hertz", "linear"])),
        t_contact=rng.choice([1e-4, 10.0 ** rng.uniform(-6.0, -3.3)]),
        contact_steps=int(rng.choice([10, 20, 40])),
        jump_chance=float(rng.choice([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, rng.uniform(0.0, 1.0)])),
    )
    if rng.integers(3) > 0:
        return eq
    radius, mass = eq.radius * rng.uniform(0.8, 1.0, 20), eq.mass * 2.0 ** rng.uniform(-1.0, 1.0, 20)
    return eq.replace(disc_radius=tuple(radius), disc_mass=tuple(mass))


def breaks(rng: np.random.Generator, eq: cs.Equipment, n: int, number: int) -> Block:
    """Return breaks from any seat of packs of any rotation, a third of them in touch, others up to 10 mm apart."""
    wide = 10.0 ** rng.uniform(-9.0, -2.0, n)
    gap = np.where(rng.integers(0, 3, n) == 0, 0.0, np.where(rng.integers(0, 2, n) == 0, wide, rng.uniform(0, 1e-3, n)))
    jitter = gap * rng.uniform(0.0, 0.35, n)
    layout = cs.opening(eq, rotation=rng.uniform(0.0, 2.1, n), gap=gap, jitter=jitter, seed=number, n=n)
    x = clip_to_legal(rng.uniform(-0.25, 0.25, n), eq)
    angle = 0.5 * np.pi + np.arctan(x / 0.25) + rng.normal(0.0, 0.05, n)
    strokes = {
        "x": x,
        "angle": angle,
        "speed": speeds(rng, eq, n),
        "spin": spins(rng, n),
        "seat": rng.integers(0, 4, n),
    }
    return struck("breaks", number, eq, layout, cs.Strokes(**strokes))


def positions(rng: np.random.Generator, eq: cs.Equipment, n: int, number: int) -> Block:
    """Return strokes in any direction from random positions; in one block of six the striker has little company."""
    n_men, queen = int(rng.choice([0, 0, 1, *rng.integers(0, 19, 15)])), bool(rng.integers(2))
    layout = cs.random_layout(eq, n, number, n_men=n_men, queen=queen)
    x = clip_to_legal(rng.uniform(-0.25, 0.25, n), eq)
    strokes = cs.Strokes(x=x, angle=rng.uniform(0.0, np.pi, n), speed=speeds(rng, eq, n), spin=spins(rng, n))
    return struck("positions", number, eq, layout, strokes)


def speeds(rng: np.random.Generator, eq: cs.Equipment, n: int) -> np.ndarray:
    """Return speeds of all orders of magnitude up to the fastest, half of them near it, (n,) [m/s]."""
    quick = rng.uniform(0.0, min(FASTEST, np.sqrt(2.0 * eq.mu_surface * eq.gravity * LONGEST_WAY)), n)
    slow = np.where(rng.integers(0, 2, n) == 0, 0.1 * quick, 10.0 ** rng.uniform(-6.0, 0.0, n))
    return np.where(rng.integers(0, 2, n) == 0, quick, slow)


def spins(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return spins, half of them 0, (n,) [rad/s]."""
    return rng.uniform(-FASTEST_SPIN, FASTEST_SPIN, n) * rng.integers(0, 2, n)


def struck(kind: str, number: int, eq: cs.Equipment, layout: cs.Layout, strokes: cs.Strokes) -> Block:
    """Return strokes with the motion that they begin with."""
    begin = Motion(layout.pos.copy(), np.zeros(layout.pos.shape), np.zeros(layout.pos.shape[:2]))
    begin.pos[:, 0], begin.vel[:, 0] = strokes.start(eq)
    begin.omega[:, 0] = strokes.spin
    return Block(number, kind, eq, begin, layout, strokes)


def melee(rng: np.random.Generator, eq: cs.Equipment, n: int, number: int) -> Block:
    """Return boards on which everything moves and spins; in some blocks the striker alone, or with one more disc."""
    n_men = int(rng.choice([0, 1, *rng.integers(0, 19, 12)]))
    queen = bool(rng.integers(2))
    layout = cs.random_layout(eq, n, number, striker=True, clear_base_line=False, n_men=n_men, queen=queen)
    vel = rng.normal(0.0, 1.0, (n, 20, 2)) * rng.uniform(0.01, 3.0, (n, 1, 1)) * rng.integers(0, 2, (n, 20, 1))
    omega = rng.normal(0.0, 80.0, (n, 20)) * rng.integers(0, 2, (n, 20))
    return Block(number, "melee", eq, Motion(layout.pos.copy(), vel, omega), layout, None)
