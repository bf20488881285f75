"""Players for tests: quick, simple, and one that looks at everything he is shown."""

import numpy as np

import carromsim as cs
from carromsim.layouts import Layout
from carromsim.play.setup import Setup
from carromsim.players.room import overlaps
from carromsim.players.skill import SKILLS
from carromsim.players.turns import Turns
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import legal_intervals, snap_to_end_circle
from carromsim_kernels.laws import QueenState


class Straight:
    """Breaks hard, and then shoots straight at the own man (or the queen) that lies nearest to his base line."""

    speed = 2.5

    def choose(self, turns: Turns) -> cs.Strokes:
        n, rows, equipment = len(turns), np.arange(len(turns)), turns.equipment
        wanted = turns.own | (turns.on_surface & (np.arange(20) == 1))
        line = equipment.base_line_distance - equipment.side / 2
        ahead = np.where(wanted, np.abs(turns.pos[:, :, 1] - line - 0.15), np.inf)
        at = turns.pos[rows, np.argmin(ahead, axis=1)]
        places = [np.linspace(low, high, 5) for low, high in legal_intervals(equipment)]
        x = np.unique(snap_to_end_circle(np.concatenate(places), equipment))
        free = np.stack([~overlaps(np.full(n, place), turns.pos, equipment).any(axis=1) for place in x], axis=1)
        away = np.where(free, np.abs(x - at[:, :1]), np.inf)
        x = np.where(free.any(axis=1), x[np.argmin(away, axis=1)], np.nan)
        breaking = turns.states["break_made"] == 0
        return cs.Strokes(
            x=np.where(breaking, 0.0, x),
            angle=np.where(breaking, np.pi / 2, np.arctan2(at[:, 1] - line, at[:, 0] - x)),
            speed=np.where(breaking, 6.0, self.speed),
        )


class Watcher(Straight):
    """Plays likewise, and checks that what it is shown can be."""

    def __init__(self) -> None:
        self.seen = 0

    def choose(self, turns: Turns) -> cs.Strokes:
        self.seen += len(turns)
        there, states = turns.on_surface, turns.states
        assert not there[:, 0].any(), "the striker is in the player's hand"
        assert np.array_equal(there[:, 2:11].sum(axis=1), states["on_board"][:, 0])
        assert np.array_equal(there[:, 11:].sum(axis=1), states["on_board"][:, 1])
        assert np.array_equal(there[:, 1], states["queen"] == QueenState.ON_BOARD)
        Layout(turns.pos).check(turns.equipment)
        return super().choose(turns)


STRAIGHT = Straight()


def setup(ruleset: str = "icf", policy: object = STRAIGHT, skill: str = "club", **changes: object) -> Setup:
    """Give a setup of two players who are alike."""
    rules = RuleSet.load(ruleset)
    given = {"rules": rules, "policies": (policy, policy), "skills": (SKILLS[skill], SKILLS[skill])}
    return Setup(**given | changes)  # type: ignore[arg-type]
