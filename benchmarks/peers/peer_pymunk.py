"""Carrom strokes in pymunk, by its public interface.

The playing surface brakes in one of two ways. "joints" is pymunk's own for worlds seen from above: per disc a pivot
joint and a gear joint to the static body, which pull nothing back and brake with at most mu m g and (2/3) mu m g R, in
C. "function" is what its manual has for a body's own law of motion: a velocity function, called for each body and step,
in Python. pymunk multiplies elasticities and frictions of two shapes:
discs have the square root of the pair's, and cushions what gives theirs. Iterations are pymunk's default, 10;
`collision_slop`, whose default of 0.1 would be 10 cm here, is 0; discs that rest may sleep.
"""

import math
from collections.abc import Callable
from itertools import pairwise

import pymunk
from board import LONGEST, LOOK, STILL, STRIKER, Board, Falls, Point, start
from conversation import Clock, Reply, Request, serve
from pymunk import Vec2d

IDLE_SPEED, IDLE_TIME = 1e-4, 0.1
"""A disc that has been slower than this [m/s] for so long [s] sleeps until it is hit: a quarter faster."""
CUSHION, CORNER = 0.1, 0.02
"""Radii of the thick lines that are cushions and corners [m]: against discs that a step carries far."""
DISC_TYPE, POCKET_TYPE = 1, 2


def play(request: Request) -> Reply:
    """Play strokes one after the other with the step asked for."""
    board, clock, ends = Board.of(request), Clock(), []
    for stroke in request["strokes"]:
        with clock:
            ends.append(_stroke(board, *start(board, request["men"], stroke), request["step"], request["brake"]))
    return {"seconds": clock.seconds, "ends": ends}


def _stroke(board: Board, places: list[Point], velocity: Point, dt: float, brake: str) -> list[Point | None]:
    """Return where the discs rest [m], None for those that fell."""
    space, falls = pymunk.Space(), Falls(board)
    space.collision_slop = 0.0
    space.idle_speed_threshold, space.sleep_time_threshold = IDLE_SPEED, IDLE_TIME
    _add_frame(space, board)
    bodies = {disc: _add_disc(space, board, disc, place, brake) for disc, place in enumerate(places)}
    bodies[STRIKER].velocity = velocity
    discs = {body: disc for disc, body in bodies.items()}
    _add_pockets(space, board, discs, falls)
    look = max(1, round(LOOK / dt))
    for step in range(1, math.ceil(LONGEST / dt)):
        space.step(dt)
        if falls.near:
            for disc in falls.fallen(step * dt, lambda disc: bodies[disc].position):
                body = bodies.pop(disc)
                space.remove(body, *body.shapes, *body.constraints)
        if (
            step % look == 0
            and not falls.pending
            and all(_rests(body, board.radius(disc)) for disc, body in bodies.items())
        ):
            return [tuple(bodies[disc].position) if disc in bodies else None for disc in range(len(places))]
    raise RuntimeError(f"still moving after {LONGEST} s of steps of {dt} s")


def _add_frame(space: pymunk.Space, board: Board) -> None:
    half = 0.5 * board.side
    middle, walls = half + CUSHION, []
    for x1, y1, x2, y2 in ((-1, -1, 1, -1), (1, -1, 1, 1), (1, 1, -1, 1), (-1, 1, -1, -1)):
        ends = (x1 * middle, y1 * middle), (x2 * middle, y2 * middle)
        walls.append(pymunk.Segment(space.static_body, *ends, CUSHION))
    if board.corner_size > 0.0:
        for chain in board.arcs(CORNER):
            walls += [pymunk.Segment(space.static_body, *ends, CORNER) for ends in pairwise(chain)]
    for wall in walls:
        wall.elasticity = board.e_cushion / math.sqrt(board.e_disc)
        wall.friction = board.mu_cushion / math.sqrt(board.mu_disc) if board.mu_disc > 0.0 else 0.0
    space.add(*walls)


def _add_disc(space: pymunk.Space, board: Board, disc: int, place: Point, brake: str) -> pymunk.Body:
    mass, radius = board.mass(disc), board.radius(disc)
    body = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0.0, radius))
    body.position = place
    circle = pymunk.Circle(body, radius)
    circle.elasticity, circle.friction = math.sqrt(board.e_disc), math.sqrt(board.mu_disc)
    circle.collision_type = DISC_TYPE
    force, torque = board.friction(disc)
    if brake == "function":
        body.velocity_func = _braking(force / mass, torque / body.moment)
        space.add(body, circle)
        return body
    pivot = pymunk.PivotJoint(space.static_body, body, (0.0, 0.0), (0.0, 0.0))
    gear = pymunk.GearJoint(space.static_body, body, 0.0, 1.0)
    pivot.max_bias = gear.max_bias = 0.0
    pivot.max_force, gear.max_force = force, torque
    space.add(body, circle, pivot, gear)
    return body


def _braking(deceleration: float, spin_deceleration: float) -> Callable[[pymunk.Body, Vec2d, float, float], None]:
    """Return a velocity function that slows a disc evenly [m/s^2, rad/s^2]."""

    def brake(body: pymunk.Body, _gravity: Vec2d, _damping: float, dt: float) -> None:
        speed, spin = body.velocity.length, body.angular_velocity
        slower = speed - deceleration * dt
        body.velocity = body.velocity * (slower / speed) if slower > 0.0 else (0.0, 0.0)
        body.angular_velocity = math.copysign(max(abs(spin) - spin_deceleration * dt, 0.0), spin)

    return brake


def _add_pockets(space: pymunk.Space, board: Board, discs: dict[pymunk.Body, int], falls: Falls) -> None:
    if not board.pockets():
        return
    numbers = {}
    for number, centre in enumerate(board.pockets()):
        pocket = pymunk.Circle(space.static_body, board.pocket_radius, centre)
        pocket.sensor, pocket.collision_type = True, POCKET_TYPE
        space.add(pocket)
        numbers[pocket] = number

    def enter(arbiter: pymunk.Arbiter, *_: object) -> None:
        disc, pocket = arbiter.shapes
        falls.enter(discs[disc.body], numbers[pocket])

    def leave(arbiter: pymunk.Arbiter, *_: object) -> None:
        # The order is not always that of the types, and a shape that has been removed has no body.
        for shape in arbiter.shapes:
            if shape.body in discs:
                falls.leave(discs[shape.body])

    space.on_collision(DISC_TYPE, POCKET_TYPE, begin=enter, separate=leave)


def _rests(body: pymunk.Body, radius: float) -> bool:
    return body.is_sleeping or (body.velocity.length < STILL and abs(body.angular_velocity) * radius < STILL)


if __name__ == "__main__":
    serve(f"pymunk {pymunk.version}", play)
