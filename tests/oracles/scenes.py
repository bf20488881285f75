"""Scenes that several tests share, and the way to hand them to the package and to its slow twin alike."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import carromsim as cs
from carromsim_kernels.state import Physics
from oracles import naive

N = 20
ICF = cs.Equipment.preset("icf").replace(contact="sequential")
"""Hits of two discs: what the slow twin knows. Bursts have tests and a judge of their own."""


@dataclass
class Scene:
    """Any discs in motion on a board: pos (20, 2), NaN for absent ones, vel (20, 2), omega (20,)."""

    equipment: cs.Equipment
    pos: np.ndarray
    vel: np.ndarray
    omega: np.ndarray

    @property
    def present(self) -> np.ndarray:
        return np.flatnonzero(np.isfinite(self.pos[:, 0]))

    def play(self, until: float = np.inf, **options: Any) -> cs.Outcomes:
        """Let the package play it, as a batch of one row."""
        return cs.simulate_motion(
            self.pos[None], self.vel[None], self.omega[None], equipment=self.equipment, until=until, **options
        )

    def play_naively(self, until: float = np.inf, **options: Any) -> dict[str, Any]:
        """Let the slow twin play it."""
        return naive.simulate_row(
            self.pos, self.vel, self.omega, self.equipment.radius, self.equipment.mass,
            physics(self.equipment), board(self.equipment), until, **options,
        )  # fmt: skip

    def moved(self, shift: np.ndarray) -> "Scene":
        """Return the same scene with every disc displaced."""
        return Scene(self.equipment, self.pos + shift, self.vel, self.omega)


def physics(equipment: cs.Equipment) -> SimpleNamespace:
    return SimpleNamespace(**{name: getattr(equipment, name) for name in Physics._fields})


def board(equipment: cs.Equipment) -> SimpleNamespace:
    half = 0.5 * equipment.side
    return SimpleNamespace(
        half_side=half,
        pocket_centre=half - equipment.pocket_offset,
        pocket_radius=equipment.pocket_radius,
        capture_rule=equipment.capture_rule,
        fall_height=equipment.fall_height,
        corner=equipment.corner,
        corner_size=equipment.corner_size,
        face=equipment.face,
        face_hole=equipment.face_hole,
        gravity=equipment.gravity,
    )


def nobody() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (pos, vel, omega) of an empty board."""
    return np.full((N, 2), np.nan), np.zeros((N, 2)), np.zeros(N)


def open_field(side: float = 200.0, **changes: float) -> cs.Equipment:
    """Return ICF equipment without pockets, on a plain whose frame is far away."""
    return ICF.replace(name="open field", side=side, pocket_radius=0.0, **changes)


def random_equipment(rng: np.random.Generator) -> cs.Equipment:
    """Return equipment with unequal radii, masses and coefficients drawn from their plausible ranges."""
    return ICF.replace(
        name="random",
        man_radius=rng.uniform(0.0127, 0.0159),
        man_mass=rng.uniform(0.002, 0.006),
        striker_radius=rng.uniform(0.0165, 0.0215),
        striker_mass=rng.uniform(0.010, 0.016),
        mu_surface=rng.uniform(0.05, 0.18),
        e_disc=rng.uniform(0.5, 1.0),
        e_cushion=rng.uniform(0.5, 0.9),
        mu_disc=rng.uniform(0.0, 0.3),
        mu_cushion=rng.uniform(0.0, 0.3),
        beta_disc=rng.uniform(-0.5, 0.5),
        beta_cushion=rng.uniform(-0.5, 0.5),
        v_c_disc=rng.choice([0.0, rng.uniform(0.0, 0.5)]),
        v_c_cushion=rng.choice([0.0, rng.uniform(0.0, 0.5)]),
        capture_rule=str(rng.choice(["tipping", "centre"])),
        fall_height=rng.choice([0.0, rng.uniform(0.001, 0.01)]),
        corner=str(rng.choice(["rounded", "cut_away", "right_angled"])),
        corner_size=rng.choice([0.02225, rng.uniform(0.01, 0.2)]),
    )


def random_scene(rng: np.random.Generator, n_discs: int, equipment: cs.Equipment | None = None) -> Scene:
    """Return discs at random places, none in touch; most of them moving, some spinning, some at rest."""
    equipment = random_equipment(rng) if equipment is None else equipment
    pos, vel, omega = nobody()
    indices = np.sort(np.concatenate([[0], 1 + rng.choice(N - 1, n_discs - 1, replace=False)]))
    radius = equipment.radius
    for i in indices:
        limit = 0.5 * equipment.side - radius[i]
        while True:
            place = rng.uniform(-limit, limit, 2)
            others = np.flatnonzero(np.isfinite(pos[:, 0]))
            apart = [np.hypot(*(place - pos[j])) - radius[i] - radius[j] > 1e-4 for j in others]
            if all(apart) and beyond_frame(equipment, i, place) < 0.0:
                break
        pos[i] = place
        kind = rng.choice(4, p=[0.5, 0.2, 0.2, 0.1])  # sliding and spinning, sliding, at rest, spinning on the spot
        if kind < 2:
            vel[i] = rng.uniform(0.05, 4.0) * unit(rng.uniform(0.0, 2.0 * np.pi))
        if kind in (0, 3):
            omega[i] = rng.normal(0.0, 60.0)
    return Scene(equipment, pos, vel, omega)


def pack(rng: np.random.Generator, gap: float = 5e-4) -> Scene:
    """Return a break: the opening pack and a striker about to hit it."""
    pos = cs.opening("icf", rotation=rng.uniform(0.0, 2.0), gap=gap).pos.copy()
    vel, omega = np.zeros((20, 2)), np.zeros(20)
    pos[0] = rng.uniform(-0.15, 0.15), -0.2526
    aim = np.arctan2(-pos[0, 1], -pos[0, 0]) + rng.normal(0.0, 0.03)
    vel[0], omega[0] = rng.uniform(1.0, 7.0) * unit(float(aim)), rng.normal(0.0, 30.0)
    return Scene(ICF, pos, vel, omega)


def unit(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def energy(equipment: cs.Equipment, vel: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the kinetic energy of each row [J]; absent discs have NaN."""
    mass, radius = equipment.mass, equipment.radius
    return np.nansum(0.5 * mass * np.sum(vel**2, axis=-1) + 0.25 * mass * radius**2 * omega**2, axis=-1)


def beyond_frame(equipment: cs.Equipment, i: int, place: np.ndarray) -> float:
    """Return how far disc i, centred at place, sticks out into the frame [m]; negative if it touches it nowhere."""
    half, size, radius = 0.5 * equipment.side, equipment.corner_size, float(equipment.radius[i])
    x, y = np.abs(place)
    if equipment.corner == "rounded" and size > radius and min(x, y) > half - size:
        return float(np.hypot(x - (half - size), y - (half - size))) + radius - size
    beyond = float(max(x, y)) + radius - half
    if equipment.corner == "cut_away":
        beyond = max(beyond, float(x + y - (2.0 * half - size)) / np.sqrt(2.0) + radius)
    return beyond


def smallest_gap(equipment: cs.Equipment, pos: np.ndarray) -> float:
    """Return the smallest gap of two discs of one row [m], negative for an overlap."""
    present = np.flatnonzero(np.isfinite(pos[:, 0]))
    i, j = np.triu_indices(len(present), 1)
    a, b = present[i], present[j]
    gaps = np.hypot(*(pos[a] - pos[b]).T) - equipment.radius[a] - equipment.radius[b]
    return float(np.min(gaps, initial=np.inf))


def events(outcomes: cs.Outcomes, row: int = 0) -> list[tuple[float, int, int, int]]:
    """Return the recorded events of a row as plain tuples."""
    return [(float(e["t"]), int(e["kind"]), int(e["a"]), int(e["b"])) for e in outcomes.events(row)]
