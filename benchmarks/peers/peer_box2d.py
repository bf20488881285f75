"""Carrom strokes in Box2D (2.3, by pybox2d), by its public interface.

The playing surface is Box2D's friction joint: at most mu m g, and (2/3) mu m g R for the spin. Of two fixtures Box2D
takes the larger restitution and the geometric mean of the frictions: cushions have none of their own, a listener gives
their contacts what is theirs when they begin. Iterations are those of its manual, 8 and 3; discs are "bullets", so that
fast ones do not pass through others. Discs that rest may sleep, as is the default.

Its constants are in units that a world is meant to be measured in: impacts slower than 1 unit/s do not rebound, discs
may overlap by 0.005 to 0.015, nothing moves further than 2 in a step. A metre is therefore as many units as the last
allows.
"""

import math

import Box2D as b2
from board import LONGEST, LOOK, STILL, STRIKER, Board, Falls, Point, start
from conversation import Clock, Reply, Request, serve

FASTEST = 9.0
"""No disc gets faster than this [m/s]: a man that is hit by a striker of 6 m/s leaves with 1.37 of it."""
MOST_UNITS = 400.0
"""A metre in units, at most: with more, single precision costs more than the constants do."""
VELOCITY_ITERATIONS, POSITION_ITERATIONS = 8, 3


class Listener(b2.b2ContactListener):
    """Sets the restitution of cushions, and notes who is near a pocket."""

    def __init__(self, board: Board, falls: Falls) -> None:
        super().__init__()
        self.board, self.falls = board, falls

    def BeginContact(self, contact: b2.b2Contact) -> None:
        """Two fixtures have begun to touch."""
        pair = _with_frame(contact)
        if pair is None:
            return
        fixed, disc = pair
        if fixed.sensor:
            self.falls.enter(disc, fixed.userData)
        else:
            contact.restitution = self.board.e_cushion

    def EndContact(self, contact: b2.b2Contact) -> None:
        """Two fixtures have ceased to touch."""
        pair = _with_frame(contact)
        if pair is not None and pair[0].sensor:
            self.falls.leave(pair[1])


def _with_frame(contact: b2.b2Contact) -> tuple[b2.b2Fixture, int] | None:
    """Return the fixture of the frame and the disc, or None if two discs touch."""
    one, other = contact.fixtureA, contact.fixtureB
    if one.body.type == b2.b2_staticBody:
        return one, other.userData
    return (other, one.userData) if other.body.type == b2.b2_staticBody else None


def play(request: Request) -> Reply:
    """Play strokes one after the other with the step asked for."""
    board, clock, ends = Board.of(request), Clock(), []
    for stroke in request["strokes"]:
        with clock:
            ends.append(_stroke(board, *start(board, request["men"], stroke), request["step"]))
    return {"seconds": clock.seconds, "ends": ends}


def _stroke(board: Board, places: list[Point], velocity: Point, dt: float) -> list[Point | None]:
    """Return where the discs rest [m], None for those that fell."""
    unit = min(MOST_UNITS, b2.b2_maxTranslation / (FASTEST * dt))
    falls = Falls(board)
    listener = Listener(board, falls)
    world = b2.b2World(gravity=(0.0, 0.0), contactListener=listener)
    ground = _add_frame(world, board, unit)
    bodies = {disc: _add_disc(world, ground, board, disc, place, unit) for disc, place in enumerate(places)}
    bodies[STRIKER].linearVelocity = (velocity[0] * unit, velocity[1] * unit)

    def place_of(disc: int) -> Point:
        return bodies[disc].position.x / unit, bodies[disc].position.y / unit

    look = max(1, round(LOOK / dt))
    for step in range(1, math.ceil(LONGEST / dt)):
        world.Step(dt, VELOCITY_ITERATIONS, POSITION_ITERATIONS)
        if falls.near:
            for disc in falls.fallen(step * dt, place_of):
                world.DestroyBody(bodies.pop(disc))
        if (
            step % look == 0
            and not falls.pending
            and all(_rests(body, board.radius(disc), unit) for disc, body in bodies.items())
        ):
            return [place_of(disc) if disc in bodies else None for disc in range(len(places))]
    raise RuntimeError(f"still moving after {LONGEST} s of steps of {dt} s")


def _add_frame(world: b2.b2World, board: Board, unit: float) -> b2.b2Body:
    """Add the cushions and the pockets; edges are lines with a skin, so they stand a skin's thickness further out."""
    ground = world.CreateStaticBody()
    skin = b2.b2_polygonRadius / unit
    if board.corner_size > 0.0:
        outline = [point for chain in board.arcs(skin) for point in chain]
    else:
        half = 0.5 * board.side + skin
        outline = [(-half, -half), (half, -half), (half, half), (-half, half)]
    friction = board.mu_cushion**2 / board.mu_disc if board.mu_disc > 0.0 else 0.0
    ground.CreateLoopFixture(vertices=[(x * unit, y * unit) for x, y in outline], friction=friction, restitution=0.0)
    for number, (x, y) in enumerate(board.pockets()):
        hole = b2.b2CircleShape(pos=(x * unit, y * unit), radius=board.pocket_radius * unit)
        ground.CreateFixture(shape=hole, isSensor=True, userData=number)
    return ground


def _add_disc(
    world: b2.b2World, ground: b2.b2Body, board: Board, disc: int, place: Point, unit: float
) -> b2.b2Body:  # fmt: skip
    mass, radius = board.mass(disc), board.radius(disc) * unit
    body = world.CreateDynamicBody(position=(place[0] * unit, place[1] * unit), bullet=True)
    body.CreateCircleFixture(
        radius=radius, density=mass / (math.pi * radius**2), restitution=board.e_disc, friction=board.mu_disc,
        userData=disc,
    )  # fmt: skip
    force, torque = board.friction(disc)
    # Lengths count `unit` times as much, so forces do, and torques twice.
    world.CreateFrictionJoint(
        bodyA=ground, bodyB=body, anchor=body.position, maxForce=force * unit, maxTorque=torque * unit**2,
        collideConnected=True,
    )  # fmt: skip
    return body


def _rests(body: b2.b2Body, radius: float, unit: float) -> bool:
    return not body.awake or (
        body.linearVelocity.length < STILL * unit and abs(body.angularVelocity) * radius < STILL
    )  # fmt: skip


if __name__ == "__main__":
    serve(f"Box2D {b2.__version__}", play)
