"""A filmed board: what somebody with a phone would measure on a board that the product's own kernels simulate.

Nothing here uses a formula of the calibration: discs are set in motion, and positions, stops and spins are read off.
"""

import math
from typing import Any

import numpy as np

from carromsim import Equipment, simulate_motion
from carromsim.calibration.kinds import KINDS
from carromsim_kernels.state import EventKind, FloatArray

OVER = 8 / 240
"""Time over which speeds are averaged [s]."""

STRIKER, MAN = 0, 2
MEASURED = ("mu_surface", "e_cushion", "mu_cushion", "e_disc", "mu_disc")

Film = dict[str, list[dict[str, float]]]


def random_board(rng: np.random.Generator) -> Equipment:
    """A board whose coefficients are drawn from what wood, plastic and powder may have."""
    return Equipment.preset("icf").replace(
        mu_surface=rng.uniform(0.05, 0.20),
        e_cushion=rng.uniform(0.50, 0.90),
        mu_cushion=rng.uniform(0.05, 0.25),
        e_disc=rng.uniform(0.70, 0.95),
        mu_disc=rng.uniform(0.05, 0.25),
        pocket_radius=0.0,
    )


class Scene:
    """Rows of a striker, and perhaps a man, on a board of 20 m, so that nothing is in their way."""

    def __init__(self, board: Equipment, until: float, states: list[dict[int, tuple[float, ...]]]) -> None:
        self.board = board.replace(side=20.0)
        n = len(states)
        self.pos, self.vel, self.omega = np.full((n, 20, 2), np.nan), np.zeros((n, 20, 2)), np.zeros((n, 20))
        for row, discs in enumerate(states):
            for disc, (x, y, vx, vy) in discs.items():
                self.pos[row, disc], self.vel[row, disc] = (x, y), (vx, vy)
        self.out = simulate_motion(self.pos, self.vel, self.omega, equipment=self.board, until=until, threads=1)
        assert not self.out.status.any()

    def moved(self, row: int, disc: int) -> FloatArray:
        return self.out.pos[row, disc] - self.pos[row, disc]

    def time_of(self, row: int, kind: EventKind) -> float:
        events = self.out.events(row)
        return float(events["t"][events["kind"] == kind][0])


def slides(board: Equipment, speeds: list[float]) -> list[dict[str, float]]:
    states = [{STRIKER: (-9.0, 0.0, v, 0.0)} for v in speeds]
    early, late = Scene(board, OVER, states), Scene(board, math.inf, states)
    return [
        {
            "speed": early.moved(row, STRIKER)[0] / OVER,
            "distance": late.moved(row, STRIKER)[0],
            "time": late.time_of(row, EventKind.STOP),
        }
        for row in range(len(speeds))
    ]


def rebounds(board: Equipment, speeds: list[tuple[float, float]]) -> list[dict[str, float]]:
    """Film rebounds from OVER before the contact to OVER after it."""
    wall = 10.0 - board.striker_radius
    states = []
    for towards, along in speeds:
        x, y = _way(board, towards, along)
        states.append({STRIKER: (wall - x, -y, towards, along)})
    scene = Scene(board, 2.0 * OVER, states)
    told = []
    for row in range(len(speeds)):
        assert abs(scene.time_of(row, EventKind.CUSHION_HIT) - OVER) < 1e-9
        (x0, y0), (x1, y1) = scene.pos[row, STRIKER], scene.out.pos[row, STRIKER]
        way = {"speed_in": wall - x0, "speed_out": wall - x1, "along_in": -y0, "along_out": y1}
        told.append({key: value / OVER for key, value in way.items()})
    return told


def hits(board: Equipment, cuts: list[tuple[float, float]]) -> list[dict[str, float]]:
    """Film hits of the striker, by speed and cut [rad], on a man at (0, 0), and tell all that there is to see."""
    reach = board.striker_radius + board.man_radius
    states = []
    for speed, angle in cuts:
        (way, _), at = _way(board, speed, 0.0), (-reach * math.cos(angle), -reach * math.sin(angle))
        states.append({STRIKER: (at[0] - way, at[1], speed, 0.0), MAN: (0.0, 0.0, 0.0, 0.0)})
    early, late = Scene(board, 2.0 * OVER, states), Scene(board, math.inf, states)
    middle = Scene(board, 1.5 * OVER, states)  # a turn that is measured over OVER gives the spin in its middle
    told = []
    for row, (speed, angle) in enumerate(cuts):
        (way, _), man = _way(board, speed, 0.0), early.moved(row, MAN)
        assert abs(early.time_of(row, EventKind.DISC_HIT) - OVER) < 1e-9
        told.append(
            {
                "speed": way / OVER,
                "speed_after": (early.moved(row, STRIKER)[0] - way) / OVER,
                "target_speed": float(np.hypot(*man)) / OVER,
                "distance": late.moved(row, STRIKER)[0] - way,
                "target_distance": float(np.hypot(*late.moved(row, MAN))),
                "cut": angle,
                "throw": angle - math.atan2(man[1], man[0]),
                "spin": abs(middle.out.omega[row, MAN]),
            }
        )
    return told


def run_tests(board: Equipment, speeds: list[float]) -> list[dict[str, float]]:
    """Play the laws' run test and count runs on the board itself."""
    first, limit = board.base_line_distance - 0.5 * board.side, 0.5 * board.side - board.striker_radius
    pos, vel = np.full((len(speeds), 20, 2), np.nan), np.zeros((len(speeds), 20, 2))
    pos[:, STRIKER], vel[:, STRIKER, 1] = (0.0, first), speeds
    out = simulate_motion(pos, vel, np.zeros((len(speeds), 20)), equipment=board, threads=1)
    told = []
    for row, speed in enumerate(speeds):
        whole, y = int(out.n_cushion_hits[row]), float(out.pos[row, STRIKER, 1])
        begun, way = (first, limit - first) if whole == 0 else ((-limit, limit)[whole % 2], 2.0 * limit)
        told.append({"speed": speed, "runs": whole + abs(y - begun) / way})
    return told


def film(board: Equipment) -> Film:
    """Film a dozen or two repeats of everything."""
    sight = {"over_time": OVER}
    long, slow = slides(board, [0.8, 1.2, 1.6]), slides(board, [0.7, 1.0])
    straight = rebounds(board, [(1.0, 0.0), (1.5, 0.0), (2.0, 0.0)])
    slanting = rebounds(board, [(0.8, 1.4), (1.0, 1.8)])
    head_on = hits(board, [(1.2, 0.0), (1.6, 0.0), (2.0, 0.0)])
    cuts = hits(board, [(1.5, math.radians(45.0)), (1.8, math.radians(55.0)), (2.0, math.radians(65.0))])
    return {
        "slide": [_only(told, "speed", "distance") | sight for told in long]
        + [_only(told, "distance", "time") for told in slow],
        "cushion": [_only(told, "speed_in", "speed_out") | sight for told in straight]
        + [told | sight for told in slanting],
        "hit": [_only(told, "speed", "speed_after", "target_speed") | sight for told in head_on[:2]]
        + [_only(told, "distance", "target_distance") for told in head_on[1:]],
        "cut": [_only(told, "cut", "throw") for told in cuts]
        + [_only(told, "cut", "spin", "target_speed") | sight for told in cuts[:1]],
        "runs": run_tests(board, [2.5, 4.0]),
    }


def blurred(told: Film, rng: np.random.Generator) -> Film:
    """Add errors of the size that the calibration assumes by default."""
    return {
        kind: [
            {
                key: value
                if key not in (seen := KINDS[kind].measured)
                else value + rng.normal(0.0, seen[key].standard_error(value))
                for key, value in row.items()
            }
            for row in rows
        ]
        for kind, rows in told.items()
    }


def _only(told: dict[str, float], *keys: str) -> dict[str, float]:
    return {key: told[key] for key in keys}


def _way(board: Equipment, vx: float, vy: float) -> tuple[float, float]:
    """Way of a disc in the time OVER, read off a simulation."""
    x, y = Scene(board, OVER, [{STRIKER: (0.0, 0.0, vx, vy)}]).moved(0, STRIKER)
    return float(x), float(y)


def truth(board: Equipment) -> dict[str, Any]:
    return {name: getattr(board, name) for name in MEASURED}
