"""Breaks of pool in pooltool, by its public interface: it simulates balls, not discs, and declined carrom.

Its own rack, table, balls, cue and physics; 9-ball and 8-ball. `simulate` alone is timed, not the making of the rack.
It is compiled by Numba too, so the first breaks are for warming up.

For the closed forms a ball is sent over a wide table without spin, alone or straight at another. It slides, and then
rolls; and so that nothing but normal restitution acts between the balls, their friction is set to 0.
"""

import random

import attrs
import numpy as np
import pooltool as pt
from conversation import Clock, Reply, Request, serve
from pooltool.objects import BilliardTableSpecs
from pooltool.physics.engine import PhysicsEngine
from pooltool.physics.resolve.ball_ball.friction import AlciatoreBallBallFriction
from pooltool.physics.resolve.ball_ball.frictional_inelastic import FrictionalInelastic
from pooltool.physics.resolve.resolver import default_resolver

GAMES = {"9-ball": pt.GameType.NINEBALL, "8-ball": pt.GameType.EIGHTBALL}
CUE = "cue"


def play(request: Request) -> Reply:
    """Play breaks of a game, or shots over a wide table."""
    if "game" in request:
        return _breaks(request)
    ends = [_shot(request["ball"], request["balls"], one) for one in request["strokes"]]
    return {"seconds": 0.0, "ends": ends}


def _breaks(request: Request) -> Reply:
    clock, ends, events, engine = Clock(), [], 0, PhysicsEngine(resolver=default_resolver())
    for one in request["strokes"]:
        random.seed(one["seed"])  # a rack has gaps of a thousandth of a radius; these two draw them
        np.random.seed(one["seed"])  # noqa: NPY002
        table = pt.Table.from_game_type(GAMES[request["game"]])
        balls = pt.get_rack(GAMES[request["game"]], table)
        names = [CUE, *(name for name in balls if name != CUE)]
        foremost = min(names[1:], key=lambda name: balls[name].state.rvw[0][1])
        system = pt.System(cue=pt.Cue(cue_ball_id=CUE), table=table, balls=balls)
        system.cue.set_state(V0=one["speed"], phi=pt.aim.at_ball(system, foremost, cut=one["cut"]))
        with clock:
            pt.simulate(system, engine=engine, inplace=True)
        ends.append([_end(system.balls[name]) for name in names])
        events += len(system.events)
    return {"seconds": clock.seconds, "ends": ends, "events": events}


def _shot(ball: dict[str, float], others: list[list[float]], one: dict[str, float]) -> list[list[float] | None]:
    """Send a ball along y from the middle of a wide table; places count from there."""
    wide = 60.0
    middle = 0.5 * wide
    table = pt.Table.from_table_specs(BilliardTableSpecs(l=wide, w=wide))
    places = [(middle, middle), *((middle + x, middle + y) for x, y in others)]
    balls = {name: pt.Ball.create(name, xy=xy, **ball) for name, xy in zip((CUE, "1"), places, strict=False)}
    balls[CUE].state.rvw[1] = (0.0, one["speed"], 0.0)
    balls[CUE].state.s = pt.constants.sliding
    smooth = FrictionalInelastic(friction=AlciatoreBallBallFriction(a=0.0, b=0.0))
    engine = PhysicsEngine(resolver=attrs.evolve(default_resolver(), ball_ball=smooth))
    system = pt.System(cue=pt.Cue(cue_ball_id=CUE), table=table, balls=balls)
    pt.simulate(system, engine=engine, inplace=True)
    return [[x - middle, y - middle] for x, y in (_end(one) for one in balls.values())]


def _end(ball: pt.Ball) -> list[float] | None:
    """Return where a ball rests [m], or None if it is in a pocket."""
    if ball.state.s == pt.constants.pocketed:
        return None
    return [float(ball.state.rvw[0][0]), float(ball.state.rvw[0][1])]


if __name__ == "__main__":
    serve(f"pooltool {pt.__version__}", play)
