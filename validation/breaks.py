"""Breaks of a pack: the package beside a contact-force integrator with tiny steps, on the same breaks.

The set-up: the ICF board with men of 5.3 g and capture at once; the pack is turned by 0 or 30 degrees, its discs are a
gap apart and each coordinate is shifted by up to a quarter of it. The striker comes at 4 to 6 m/s from a place within
20 mm of the middle, aimed at the middle with an error of 3 mm. The judge is `oracles.contact_force`, for both force
laws and contacts of 100 us; the package plays compliant (both laws) and sequential.
"""

import itertools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import carromsim as cs
from oracles import contact_force as cf

GAPS = (0.0, 0.01e-3, 0.1e-3, 0.5e-3)
"""Between neighbours in the pack [m]."""
ROWS = 200
STRIKER_Y = -0.2526
AFTER = 1e-3
"""When the state is compared, from the first contact [s]."""
SECTORS = (0.0, 30.0, 75.0, 120.0, 180.0)
"""Ends of the sectors of direction for the energy of the men, from the striker's first direction [deg]."""
LAWS = ("hertz", "linear")
REFERENCES = {f"reference, {law}": law for law in LAWS}
PRODUCTS: Mapping[str, Mapping[str, str]] = {
    **{f"compliant, {law}": {"contact": "compliant", "force_law": law} for law in LAWS},
    "sequential": {"contact": "sequential"},
}

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Breaks:
    """Breaks to be played, one per row.

    Attributes
    ----------
    equipment : Equipment
    pos, vel : (n, 20, 2) float64
        [m], [m/s]; nothing spins.
    direction : (n, 2) float64
        Unit vector of the striker's velocity.
    speed : (n,) float64
        Of the striker at the start [m/s].
    """

    equipment: cs.Equipment
    pos: Numbers
    vel: Numbers
    direction: Numbers
    speed: Numbers

    def __len__(self) -> int:
        return len(self.speed)


@dataclass(frozen=True)
class Played:
    """What a model made of breaks, one per row: the state 1 ms after the first contact, and the end.

    Attributes
    ----------
    energy : (n,) float64
        Kinetic energy of all discs, spin included, as a part of the striker's at the start.
    striker : (n,) float64
        Velocity of the striker along its first direction, as a part of its first speed.
    fastest : (n,) float64
        Speed of the fastest man, as a part of the same.
    sectors : (n, 4) float64
        Energy of the men's travel by direction (`SECTORS`), as a part of the striker's at the start.
    pocketed : (n,) int64
        Men and queen in the pockets when all rest.
    velocity : (n, 20, 2) float64
        [m/s]; 0 for a disc that is gone.
    """

    energy: Numbers
    striker: Numbers
    fastest: Numbers
    sectors: Numbers
    pocketed: NDArray[np.int64]
    velocity: Numbers


def draw(gap: float, rows: int = ROWS, seed: int = 44) -> Breaks:
    """Draw breaks; the same numbers make those of every gap.

    Parameters
    ----------
    gap : float
        Between neighbours in the pack [m].
    rows, seed : int
    """
    rng = np.random.default_rng(seed)
    equipment = cs.Equipment.preset("icf").replace(man_mass=0.0053, fall_height=0.0)
    rotation = rng.choice([0.0, np.pi / 6.0], rows)
    pos = cs.opening(equipment, rotation=rotation, gap=gap, jitter=gap / 4.0, seed=seed, n=rows).pos.copy()
    pos[:, cs.STRIKER, 0], pos[:, cs.STRIKER, 1] = rng.uniform(-0.020, 0.020, rows), STRIKER_Y
    aim = np.stack([rng.normal(0.0, 0.003, rows), np.zeros(rows)], axis=1) - pos[:, cs.STRIKER]
    direction = aim / np.linalg.norm(aim, axis=1, keepdims=True)
    speed, vel = rng.uniform(4.0, 6.0, rows), np.zeros(pos.shape)
    vel[:, cs.STRIKER] = speed[:, np.newaxis] * direction
    return Breaks(equipment, pos, vel, direction, speed)


def reference_model(equipment: cs.Equipment, law: str) -> cf.Model:
    """Return the judge's model of the equipment, with a force law."""
    e = equipment
    return cf.model(
        e.radius,
        e.mass,
        law=law,
        k=cf.stiffness(law, e.man_mass, e.t_contact),
        e_disc=e.e_disc,
        e_cushion=e.e_cushion,
        mu_disc=e.mu_disc,
        mu_cushion=e.mu_cushion,
        braking=e.mu_surface * e.gravity,
        half_side=e.side / 2.0,
        pocket_centre=e.side / 2.0 - e.pocket_offset,
        capture=e.capture_radius,
    )


def play_reference(
    breaks: Breaks, law: str, step: float = cf.STEP, leap: float = cf.LEAP
) -> tuple[Played, Numbers, NDArray[np.int64]]:
    """Let the judge play the breaks to rest.

    Parameters
    ----------
    breaks : Breaks
    law : str
        "hertz" or "linear".
    step, leap : float
        Time steps while discs touch or may touch, and while none can [s].

    Returns
    -------
    Played
    (n,) float64
        Times of the first contacts [s].
    (n, 20) int64
        Pocket of each disc, -1 = none.
    """
    model = reference_model(breaks.equipment, law)

    def play(row: int) -> tuple[float, Numbers, Numbers, NDArray[np.int64]]:
        state = cf.start(breaks.pos[row], breaks.vel[row], np.zeros(len(model.mass)))
        cf.run_to_touch(model, state, step=step, leap=leap)
        first = float(state.t[0])
        cf.run(model, state, until=first + AFTER, step=step, leap=leap)
        vel, omega = state.vel.copy(), state.omega.copy()
        cf.run(model, state, step=step, leap=leap)
        return first, vel, omega, state.pocket

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        played = list(threads.map(play, range(len(breaks))))
    first, vel, omega, pocket = (np.array(column) for column in zip(*played, strict=True))
    return measure(breaks, vel, omega, pocket), first, pocket


def play_product(breaks: Breaks, first: Numbers, **changes: str | float) -> Played:
    """Let the package play the breaks to rest.

    Parameters
    ----------
    breaks : Breaks
    first : (n,) float
        Times of the first contacts, as the judge sees them [s].
    **changes
        Fields of the equipment.

    Raises
    ------
    RuntimeError
        If a row has no outcome.
    """
    equipment = breaks.equipment.replace(**changes)
    still = np.zeros(breaks.pos.shape[:-1])
    end = cs.simulate_motion(breaks.pos, breaks.vel, still, equipment=equipment, record=False)
    # The clock stops at another time in every row, so that each is a call of its own.
    early = [
        cs.simulate_motion(
            breaks.pos[row : row + 1],
            breaks.vel[row : row + 1],
            still[row : row + 1],
            equipment=equipment,
            until=float(first[row]) + AFTER,
            record=False,
            threads=1,
        )
        for row in range(len(breaks))
    ]
    status = np.concatenate([end.status, *(out.status for out in early)])
    if np.any(status != 0):
        raise RuntimeError(f"{changes}: {np.count_nonzero(status)} of {len(status)} rows without outcome")
    vel, omega = (np.concatenate([getattr(out, name) for out in early]) for name in ("vel", "omega"))
    return measure(breaks, np.nan_to_num(vel), np.nan_to_num(omega), end.pocket)


def measure(breaks: Breaks, vel: Numbers, omega: Numbers, pocket: NDArray[np.integer]) -> Played:
    """Reduce states 1 ms after the first contact, (n, 20, 2) and (n, 20), and pockets (n, 20) to what is compared."""
    mass, radius = breaks.equipment.mass, breaks.equipment.radius
    first = 0.5 * mass[cs.STRIKER] * breaks.speed**2
    travel = 0.5 * mass * (vel**2).sum(axis=2)
    spin = 0.25 * mass * (radius * omega) ** 2
    along = np.einsum("ndk,nk->nd", vel, breaks.direction)
    across = vel[:, :, 1] * breaks.direction[:, :1] - vel[:, :, 0] * breaks.direction[:, 1:]
    angle = np.degrees(np.abs(np.arctan2(across, along)))[:, 1:]
    men, ends = travel[:, 1:], (*SECTORS[:-1], 181.0)
    sectors = [
        np.where((low <= angle) & (angle < high), men, 0.0).sum(axis=1) for low, high in itertools.pairwise(ends)
    ]
    return Played(
        energy=(travel + spin).sum(axis=1) / first,
        striker=along[:, cs.STRIKER] / breaks.speed,
        fastest=np.sqrt((vel[:, 1:] ** 2).sum(axis=2)).max(axis=1) / breaks.speed,
        sectors=np.stack(sectors, axis=1) / first[:, np.newaxis],
        pocketed=(np.asarray(pocket)[:, 1:] >= 0).sum(axis=1),
        velocity=vel,
    )


def run_breaks(rows: int = ROWS, gaps: Sequence[float] = GAPS, seed: int = 44) -> dict[float, dict[str, Played]]:
    """Play the same breaks with every model.

    Parameters
    ----------
    rows : int
        Breaks per gap.
    gaps : sequence of float
        [m]
    seed : int

    Returns
    -------
    dict of float to dict of str to Played
        By gap [m] and by model, the names of `REFERENCES` and `PRODUCTS`.
    """
    found = {}
    for gap in gaps:
        breaks = draw(gap, rows, seed)
        played = {}
        for name, law in REFERENCES.items():
            played[name], first, _ = play_reference(breaks, law)
        for name, changes in PRODUCTS.items():
            played[name] = play_product(breaks, first, **changes)
        found[gap] = played
    return found


def mean(values: NDArray[np.number]) -> tuple[Numbers, Numbers]:
    """Return mean and standard error over the rows of (n, ...) values; of a - b if they are paired differences."""
    return np.mean(values, axis=0), np.std(values, axis=0, ddof=1) / np.sqrt(len(values))


def velocity_difference(one: Played, other: Played) -> float:
    """Return the root mean square difference of all velocities, relative to that of the second's velocities."""
    return float(np.sqrt(((one.velocity - other.velocity) ** 2).sum() / (other.velocity**2).sum()))


@dataclass(frozen=True)
class Refined:
    """Differences that other steps of the judge make, on the same breaks: other steps minus its own.

    Attributes
    ----------
    energy, striker, pocketed : (n,) float64
        As in `Played`.
    """

    energy: Numbers
    striker: Numbers
    pocketed: Numbers


def check_steps(law: str, gap: float, rows: int, step: float, leap: float) -> Refined:
    """Play breaks with the judge's steps and with others.

    Parameters
    ----------
    law : str
        "hertz" or "linear".
    gap : float
        [m]
    rows : int
    step, leap : float
        The other steps [s]; with leap = step every step is tiny.
    """
    breaks = draw(gap, rows)
    own, other = play_reference(breaks, law)[0], play_reference(breaks, law, step, leap)[0]
    return Refined(
        other.energy - own.energy, other.striker - own.striker, (other.pocketed - own.pocketed).astype(np.float64)
    )
