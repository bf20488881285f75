"""Where discs and balls rest, by school mechanics and independently of every contestant.

Discs slide without spin, decelerated by mu g, and hit once with smooth or unturned rims. Balls slide until they roll.
"""

import math
from collections.abc import Mapping, Sequence

Point = tuple[float, float]


def slide(speed: float, deceleration: float) -> float:
    """Return the way of a disc until it rests [m], from its speed [m/s] and deceleration [m/s^2]."""
    return speed**2 / (2.0 * deceleration)


def disc_ends(board: Mapping[str, float], stroke: Mapping[str, float], man: Point | None) -> list[Point]:
    """Return where the striker, and the man if there is one, rest [m].

    Parameters
    ----------
    board : mapping
        Masses [kg], radii [m], coefficients and gravity [m/s^2], under the names of the package's equipment.
    stroke : mapping
        The striker's "speed" [m/s] and "angle" [rad]; it starts at the origin.
    man : (x, y), optional
        Centre [m]. The striker must reach it, and hit it head-on unless rims are smooth.
    """
    slowing, speed = board["mu_surface"] * board["gravity"], stroke["speed"]
    ux, uy = math.cos(stroke["angle"]), math.sin(stroke["angle"])
    if man is None:
        return [(ux * slide(speed, slowing), uy * slide(speed, slowing))]
    along, aside = man[0] * ux + man[1] * uy, man[0] * uy - man[1] * ux
    reach = board["striker_radius"] + board["man_radius"]
    way = along - math.sqrt(reach**2 - aside**2)
    at = (ux * way, uy * way)
    speed = math.sqrt(speed**2 - 2.0 * slowing * way)
    nx, ny = (man[0] - at[0]) / reach, (man[1] - at[1]) / reach
    masses = board["striker_mass"], board["man_mass"]
    closing = speed * (ux * nx + uy * ny)
    impulse = (1.0 + board["e_disc"]) * closing * masses[0] * masses[1] / sum(masses)
    striker = (speed * ux - impulse / masses[0] * nx, speed * uy - impulse / masses[0] * ny)
    return [_rest(at, striker, slowing), _rest(man, (impulse / masses[1] * nx, impulse / masses[1] * ny), slowing)]


def _rest(place: Point, velocity: Point, slowing: float) -> Point:
    """Return where a disc rests [m] that slides from a place [m] with a velocity [m/s]."""
    time = math.hypot(*velocity) / (2.0 * slowing)  # its mean velocity is half that of the start
    return place[0] + velocity[0] * time, place[1] + velocity[1] * time


def ball_ends(ball: Mapping[str, float], speed: float, other: float | None) -> list[float]:
    """Return where a ball, and the equal one ahead if there is one, rest on a line [m]; friction between them is 0.

    Parameters
    ----------
    ball : mapping
        Radius "R" [m], friction "u_s" of sliding and "u_r" of rolling, restitution "e_b", gravity "g" [m/s^2].
    speed : float
        Of the first ball, which starts at 0 without spin [m/s].
    other : float, optional
        Centre of the second [m]. The first must still slide when it gets there.
    """
    if other is None:
        return [_ball_way(ball, speed, 0.0)]
    slowing, way = ball["u_s"] * ball["g"], other - 2.0 * ball["R"]
    sliding = 12.0 * speed**2 / (49.0 * slowing)
    if way > sliding:
        farthest_other = sliding + 2.0 * ball["R"]
        raise ValueError(f"other = {other} m: must be at most {farthest_other:g} m, where the ball begins to roll")
    hit = math.sqrt(speed**2 - 2.0 * slowing * way)
    rim = 2.5 * (speed - hit)  # friction turns a ball 5/2 times as much as it slows it
    before, after = 0.5 * (1.0 - ball["e_b"]) * hit, 0.5 * (1.0 + ball["e_b"]) * hit
    return [way + _ball_way(ball, before, rim), other + _ball_way(ball, after, 0.0)]


def _ball_way(ball: Mapping[str, float], speed: float, rim: float) -> float:
    """Return the way of a ball until it rests [m], from its speed and that of its rim by rolling spin [m/s]."""
    slip, slowing = speed - rim, ball["u_s"] * ball["g"]
    time = 2.0 * abs(slip) / (7.0 * slowing)
    rolling = (5.0 * speed + 2.0 * rim) / 7.0
    return 0.5 * (speed + rolling) * time + math.copysign(slide(rolling, ball["u_r"] * ball["g"]), rolling)


def farthest(places: Sequence[Sequence[float]], exact: Sequence[Sequence[float]]) -> float:
    """Return the largest distance between places and where they should be [m]."""
    return max(math.dist(place, right) for place, right in zip(places, exact, strict=True))
