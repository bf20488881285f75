"""A single stroke in pymunk, set up as favourably as pymunk allows.

pymunk steps through time, detects overlaps at the ends of steps, and has neither a playing surface nor coefficients of
pairs. Here

* the surface is what its makers show for top-down worlds: a pivot joint to the static body that can pull with mu m g at
  most, and a gear joint that can turn with (2/3) mu m g R, the torque of a disc that spins on the spot;
* elasticity and friction, which pymunk multiplies, are those whose products are the coefficients wanted: the square
  root of the pair's for discs, and the cushion's divided by that for cushions;
* overlap is not tolerated (`collision_slop`, whose default of 0.1 would be 10 cm here), the solver iterates 30 times
  instead of 10, and cushions are thick.
"""

import math

import pymunk

from validation.exact import Disc
from validation.strokes import GRAVITY, MU_SURFACE, ON_CUSHION, Stroke

ITERATIONS = 30
THICKNESS = 0.1
LONGEST = 60.0
"""Seconds after which a stroke is given up."""
STILL_SPEED = 1e-9
"""A disc slower than this, in travel and at its rim, rests [m/s]; joints bring it to zero."""


def ends(stroke: Stroke, dt: float) -> list[tuple[float, float]]:
    """Return where the discs of a stroke come to rest [m], with time steps dt [s].

    Raises
    ------
    RuntimeError
        If something still moves after a minute.
    """
    space, bodies = _world(stroke)
    for body, disc in zip(bodies, stroke.discs, strict=True):
        _add_surface(space, body, disc)
    for _ in range(math.ceil(LONGEST / dt / 16)):
        for _ in range(16):
            space.step(dt)
        if all(_rests(body, disc) for body, disc in zip(bodies, stroke.discs, strict=True)):
            return [(body.position.x, body.position.y) for body in bodies]
    raise RuntimeError(f"{stroke.name}: still moving after {LONGEST} s of pymunk steps of {dt} s")


def damped_path(speed: float, damping: float, dt: float, slowest: float) -> float:
    """Return the path of one disc under pymunk's damping until it is slower than a limit [m].

    Parameters
    ----------
    speed, slowest : float
        At the start and at the end [m/s].
    damping : float
        Share of the velocity that is left after a second.
    dt : float
        Time step [s].
    """
    space = pymunk.Space()
    space.damping = damping
    body = pymunk.Body(1.0, 1.0)
    body.velocity = speed, 0.0
    space.add(body)
    while body.velocity.x > slowest:
        space.step(dt)
    return float(body.position.x)


def _world(stroke: Stroke) -> tuple[pymunk.Space, list[pymunk.Body]]:
    """Return a space with cushions and discs, without a playing surface."""
    space = pymunk.Space()
    space.iterations, space.collision_slop = ITERATIONS, 0.0
    disc_elasticity, disc_friction = math.sqrt(stroke.on_disc.e), math.sqrt(stroke.on_disc.mu)
    middle, bodies = 0.5 * stroke.side + THICKNESS, []
    for x1, y1, x2, y2 in ((-1, -1, 1, -1), (1, -1, 1, 1), (1, 1, -1, 1), (-1, 1, -1, -1)):
        wall = pymunk.Segment(space.static_body, (x1 * middle, y1 * middle), (x2 * middle, y2 * middle), THICKNESS)
        wall.elasticity = ON_CUSHION.e / disc_elasticity
        wall.friction = ON_CUSHION.mu / disc_friction if disc_friction > 0.0 else 0.0
        space.add(wall)
    for disc in stroke.discs:
        body = pymunk.Body(disc.mass, pymunk.moment_for_circle(disc.mass, 0.0, disc.radius))
        body.position, body.velocity, body.angular_velocity = (disc.x, disc.y), (disc.vx, disc.vy), disc.omega
        circle = pymunk.Circle(body, disc.radius)
        circle.elasticity, circle.friction = disc_elasticity, disc_friction
        space.add(body, circle)
        bodies.append(body)
    return space, bodies


def _add_surface(space: pymunk.Space, body: pymunk.Body, disc: Disc) -> None:
    """Let a body feel Coulomb friction of the surface, in travel and in spin apart."""
    weight = MU_SURFACE * disc.mass * GRAVITY
    pivot = pymunk.PivotJoint(space.static_body, body, (0.0, 0.0), (0.0, 0.0))
    gear = pymunk.GearJoint(space.static_body, body, 0.0, 1.0)
    pivot.max_bias = gear.max_bias = 0.0  # they brake and pull nothing back
    pivot.max_force, gear.max_force = weight, 2.0 / 3.0 * weight * disc.radius
    space.add(pivot, gear)


def _rests(body: pymunk.Body, disc: Disc) -> bool:
    return body.velocity.length < STILL_SPEED and abs(body.angular_velocity) * disc.radius < STILL_SPEED
